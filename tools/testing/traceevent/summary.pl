#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# summary.pl SUMMARY COUNTED
# summary.pl SUMMARY -s COLUMN
#
# With -s, checks that the functions are in the order of COLUMN. Columns are numbered
# from 0. The largest value is first, but names are sorted from a to z.
#
# Checks the output of trace-calls summary against the counts of summary.jq, COUNTED.

use strict;
use warnings;

my %unit = (ns => 1, us => 1000, ms => 1000000, s => 1000000000);
# The precision of each column: times have four digits, percentiles that of histograms
my @most = (0, 0, 0.001, 0.001, 0.001, 0.033, 0.033, 0.001);
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
	my (@want) = split(/\t/);
	my $is = delete($lines{$want[8]}) // [];

	next if @$is && !grep {
		my $least = $want[$_] * (1 - 0.001) - ($_ > 1);

		$is->[$_] < $least || $is->[$_] > $want[$_] * (1 + $most[$_]) + ($_ > 1)
	} 0 .. 7;
	print "$want[8]: @$is, not @want[0 .. 7]\n" if ++$wrong < 10;
}
close($in);
for my $name (sort keys %lines) {
	print "$name: was not counted\n";
	$wrong++;
}
exit($wrong || !@order ? 1 : 0);
