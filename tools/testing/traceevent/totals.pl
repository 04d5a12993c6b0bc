#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# totals.pl SUMMARY JSON
#
# Compares the total times of trace-calls summary with the objects of trace-calls json.  The
# time of a function in a task is the time in which at least one call of the function was open.

use strict;
use warnings;

use JSON::PP;

my ($summary, $json) = @ARGV;
my %units = (ns => 1, us => 1e3, ms => 1e6, s => 1e9);
my (%calls, %totals, $wrong);

open(my $in, '<', $json) or die "$json: $!\n";
while (my $line = <$in>) {
	my $object = decode_json($line);

	next if !$object->{function} || ($object->{lost} // '') eq 'end';
	my $name = $object->{function} . ($object->{module} ? " [$object->{module}]" : '');
	my $task = join(' ', $object->{instance} // '', @$object{qw(pid)});

	push(@{$calls{$name}{$task}}, [@$object{qw(begin end)}]);
}
close($in);
for my $name (keys %calls) {
	for my $list (values %{$calls{$name}}) {
		my $last = 0;

		for my $call (sort { $a->[0] <=> $b->[0] } @$list) {
			my ($begin, $end) = @$call;

			$totals{$name} += $end - ($begin > $last ? $begin : $last) if $end > $last;
			$last = $end if $end > $last;
		}
	}
}
open($in, '<', $summary) or die "$summary: $!\n";
while (my $line = <$in>) {
	my ($total, $unit, $name) = $line =~ /^ +\d+ +\d+ +([\d.]+) (\w+) .*  (\S.*)$/ or next;
	my $is = delete($totals{$name}) // 0;

	next if abs($total * $units{$unit} - $is) <= $is / 1000 + 1;
	print "$name: $total $unit, not $is ns\n";
	$wrong = 1;
}
print "not in the summary: $_\n" for sort keys %totals;
exit($wrong || %totals || !%calls ? 1 : 0);
