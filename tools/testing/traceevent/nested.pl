#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# nested.pl <FILE
#
# Checks that the slices of trace-calls are nested or apart for their readers: in
# microseconds and doubles as in JavaScript, in nanoseconds, and in truncated
# nanoseconds as in Perfetto's trace processor (json_trace_utils.cc).  The script checks
# nanoseconds with Perfetto's rules (slice_tracker.cc): slices are sorted by their
# begin, slices with the same begin are in the order of the file, and a slice that ends
# after an open slice is dropped.

use strict;
use warnings;

my (%points, %slices, $wrong);

sub wrong {
	my ($line, $why) = @_;

	print "line $line: $why\n";
	$wrong = 1;
}

while (<STDIN>) {
	my ($pid, $tid, $ts, $dur) =
		/"ph":"X".*?"pid":(\d+),"tid":(\d+),"ts":([\d.]+),"dur":([\d.]+)/ or next;

	push(@{$points{"$pid $tid"}}, [$ts, 1, -$dur, $.], [$ts + $dur, 0, $dur, $.]);
	push(@{$slices{"$pid $tid"}{exact}}, [sprintf('%.0f', $ts * 1000), sprintf('%.0f', $dur * 1000), $.]);
	push(@{$slices{"$pid $tid"}{cut}}, [int($ts * 1000), int($dur * 1000), $.]);
}

for my $track (values %points) {
	my @open;

	for my $point (sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] || $a->[2] <=> $b->[2] } @$track) {
		if ($point->[1]) {
			push(@open, $point->[3]);
		} elsif (pop(@open) != $point->[3]) {
			wrong($point->[3], 'its end is not its own');
			last;
		}
	}
}

for my $list (map { values %$_ } values %slices) {
	my @open;

	for my $slice (sort { $a->[0] <=> $b->[0] || $a->[2] <=> $b->[2] } @$list) {
		my ($begin, $length, $line) = @$slice;

		pop(@open) while @open && $open[-1] <= $begin;
		if (grep { $begin + $length > $_ } @open) {
			wrong($line, 'would be dropped');
		} else {
			push(@open, $begin + $length);
		}
	}
}
exit($wrong || !%points);
