#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# truth.pl TRUTH JSON
#
# Compares the objects of trace-calls json with the calls that seeds.pl made, see
# decided_calls(). Each call is one object, with its own begin and duration.  If its exit is
# not recorded, the begin is not known exactly. It is not after the entry event.

use strict;
use warnings;

use JSON::PP;

my ($truth, $json) = @ARGV;
my ($wrong, $nr) = (0, 0);
my (%calls, %without_end, %made, @parents);

sub wrong {
	print "@_\n" if $wrong++ < 20;
}

open(my $in, '<', $truth) or die "$truth: $!\n";
while (my $line = <$in>) {
	my ($buffer, $pid, $depth, $begin, $duration, $entry, $end) = split(' ', $line);

	$nr++;
	$end = 9e18 if $end < 0;
	if ($duration < 0) {
		push(@{$without_end{"$buffer $pid $depth"}}, [$begin, $entry, $end]);
	} else {
		$calls{"$buffer $pid $depth $begin $duration" . ($entry < 0 ? ' begin' : '')} = [$begin, $end];
	}
}
close($in);
open($in, '<', $json) or die "$json: $!\n";
while (my $line = <$in>) {
	my $object = decode_json($line);

	next if !$object->{function};
	push(@parents, [@$object{qw(id parent)}, $line]) if $object->{parent};
	my ($task, $time, $lost) = (join(' ', $object->{instance} // '-', @$object{qw(pid depth)}),
				    $object->{begin}, $object->{lost} // '');
	if ($lost eq 'end') {
		my @fit = grep { $_->[0] <= $time && $time <= $_->[1] } @{$without_end{$task}};

		wrong("no such call: $line") if @fit != 1;
		$without_end{$task} = [grep { $_ != ($fit[0] // 0) } @{$without_end{$task}}];
		$made{$object->{id}} = [@{$fit[0]}[0, 2]] if @fit;
		next;
	}
	my $call = "$task $time $object->{duration}" . ($lost ? " $lost" : '');

	$made{$object->{id}} = delete($calls{$call}) or wrong("no such call: $line");
}
for (@parents) {
	my ($id, $parent, $line) = @$_;
	my ($call, $caller) = @made{$id, $parent};

	wrong("another caller: $line") if $call && $caller &&
		($caller->[0] > $call->[0] || $caller->[1] < $call->[1]);
}
close($in);
wrong("missing: $_") for sort keys %calls;
wrong("missing: $_, " . @{$without_end{$_}} . ' without an end') for grep { @{$without_end{$_}} } sort keys %without_end;
print "$nr calls, $wrong wrong\n";
exit($wrong || !$nr ? 1 : 0);
