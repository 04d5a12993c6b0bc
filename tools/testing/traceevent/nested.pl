#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# nested.pl <FILE
#
# Whether the slices that lab/view has written are within each other, or apart,
# when their ends are added up as JavaScript does, and in its order.

use strict;
use warnings;

my (%points, $wrong);

while (<STDIN>) {
	my ($pid, $tid, $ts, $dur) =
		/"ph":"X".*?"pid":(\d+),"tid":(\d+),"ts":([\d.]+),"dur":([\d.]+)/ or next;

	push(@{$points{"$pid $tid"}}, [$ts, 1, -$dur, $.], [$ts + $dur, 0, $dur, $.]);
}
for my $track (values %points) {
	my @open;

	for my $point (sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] || $a->[2] <=> $b->[2] } @$track) {
		if ($point->[1]) {
			push(@open, $point->[3]);
		} elsif (pop(@open) != $point->[3]) {
			print "line $point->[3]: its end is not its own\n";
			$wrong = 1;
			last;
		}
	}
}
exit($wrong || !%points);
