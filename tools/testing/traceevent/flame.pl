#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# flame.pl JSON FOLDED [self]
#
# Checks that the stacks of trace-calls flame --calls are those of the calls of trace-calls
# json: the caller of a call is the innermost call of the task around it.  With self, checks the
# times of trace-calls flame: the duration of a call without the durations of its callees.

use strict;
use warnings;

my ($json, $folded, $self) = @ARGV;
my (%tasks, %expected, $wrong, $nr);

sub wrong {
	print "$_[0]\n" if $wrong++ < 10;
}

$wrong = 0;
open(my $in, '<', $json) or die "$json: $!\n";
while (<$in>) {
	my ($function) = /"function":"([^"]+)"/ or next;
	my ($begin, $pid, $comm, $depth) = /"begin":(\d+),"cpu":\d+,"pid":(\d+),"comm":"([^"]*)".*?"depth":(\d+)/
		or die "malformed: $_";
	my $task = $comm . (/"instance":"([^"]+)"/ ? " in $1" : '');
	my $end = /"duration":(\d+)/ ? $begin + $1 : 9e18;

	$function .= " [$1]" if /"function":"[^"]+","module":"([^"]+)"/;
	push(@{$tasks{"$task $pid"}}, [$begin, $depth, $end, $function, $task]);
	$nr++;
}
close($in);
for my $calls (values %tasks) {
	my @open;

	for my $call (sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @$calls) {
		pop(@open) while @open && ($open[-1][1] >= $call->[1] || $open[-1][2] < $call->[2]);
		my $duration = $call->[2] == 9e18 ? 0 : $call->[2] - $call->[0];

		$expected{$open[-1][5]} -= $duration if $self && @open && $open[-1][2] != 9e18;
		push(@open, $call);
		$call->[5] = join(';', $call->[4], map { $_->[3] } @open);
		$expected{$call->[5]} += $self ? $duration : 1;
	}
}
open($in, '<', $folded) or die "$folded: $!\n";
while (<$in>) {
	my ($stack, $number) = /^(.*) (\d+)$/ or die "malformed: $_";

	wrong("$stack: $number calls, not " . ($expected{$stack} // 0)) if $number != ($expected{$stack} // 0);
	delete($expected{$stack});
}
wrong("$_ is missing") for grep { $expected{$_} } sort keys %expected;
print "$nr calls in stacks, $wrong wrong\n";
exit($wrong || !$nr ? 1 : 0);
