#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# summary.pl SUMMARY COUNTED
# summary.pl SUMMARY -s COLUMN
#
# With -s, checks that the functions are in the order of COLUMN. Columns are numbered
# from 0. The largest value is first, but names are sorted from a to z.
#
# Checks the output of trace-calls summary against other counts. COUNTED has a line for
# each function with tabs between the name, the calls, the errors, the total, the
# maximum, the median and the 99th percentile, in nanoseconds.

use strict;
use warnings;

my %unit = (ns => 1, us => 1000, ms => 1000000, s => 1000000000);
my ($summary, $counted, $column) = @ARGV;
my (%lines, @order, $wrong);

open(my $in, '<', $summary) or die "$summary: $!\n";
while (<$in>) {
	my ($calls, $errors, $times, $name) =
		/^ *(\d+) +(\d+)((?: +[\d.]+ [num]?s){6})  (.+)$/ or next;
	my @times = map { /([\d.]+) (\w+)/ ? $1 * $unit{$2} : () } $times =~ /[\d.]+ \w+/g;

	$lines{$name} = [$calls, $errors, @times];
	push(@order, [$calls, $errors, @times, $name]);
}
close($in);

if (defined($column)) {
	for my $i (1 .. $#order) {
		my ($last, $next) = ($order[$i - 1][$column], $order[$i][$column]);
		next if $column == 8 ? $last le $next : $last >= $next;
		print "$order[$i][8] has $next, the function before it has $last\n" if ++$wrong < 10;
	}
	exit($wrong || @order < 10 ? 1 : 0);
}

open($in, '<', $counted) or die "$counted: $!\n";
while (<$in>) {
	chomp;
	my ($name, $calls, $errors, $total, $max, $p50, $p99) = split(/\t/);
	my $line = delete($lines{$name});
	my $is = $line ? join(' ', @$line) : 'missing';

	# Times have three digits after the point. Calls without an end have no time. The time
	# of a function that calls itself is shorter than the sum of its calls.
	next if $line && $line->[0] - $calls <= 2 && $line->[0] >= $calls && $line->[1] == $errors &&
		$line->[2] <= 1 + $total * 1.001 &&
		abs($line->[7] - $max) <= 1 + $max / 1000 &&
		$line->[3] <= $line->[2] * 1.001 && abs($line->[4] * $line->[0] - $total) <= $line->[0] + $total / 5 &&
		$line->[5] >= $p50 * 0.999 && $line->[5] <= 1 + $p50 * 1.033 &&
		$line->[6] >= $p99 * 0.999 && $line->[6] <= 1 + $p99 * 1.033;
	print "$name: $is, not $calls $errors $total - - $p50 $p99 $max\n" if ++$wrong < 10;
}
close($in);
for my $name (sort keys %lines) {
	# No call of the function has an end
	next if $lines{$name}[0] <= 2;
	print "$name: was not counted\n";
	$wrong++;
}
exit($wrong ? 1 : 0);
