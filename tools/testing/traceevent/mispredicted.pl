#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# mispredicted.pl LOG... <TEXT
# mispredicted.pl -t TABLE <TEXT
#
# Compares branches that are shown as mispredicted with the emulated CPU's log, branch by branch.
# LOG is the output of "bts-log -b -r" for one CPU.  TEXT is the kernel's text of the trace, the
# report of the plugin, or the text of "trace-calls branches --every 1".
#
# With -t, compares the TABLE of "trace-calls branches --format mispredicted" with the TEXT of
# "--every 1".  Prints the numbers of branches.

use strict;
use warnings;

my $table = @ARGV && $ARGV[0] eq '-t' ? $ARGV[1] : undef;
my ($errors, $cpu, @flags, %taken, %mispredicted) = (0);

while (<STDIN>) {
	next if /^#/;
	$cpu = $1 if / \[(\d+)\] +\d+\.\d+: /;
	my ($from, $comment) = m{(\S+)(?: \[\w+\])? -> \S+(?: \[\w+\])?(.*)} or next;
	my $flag = $comment =~ /\bmispredicted\b/ ? 1 : 0;
	push @{$flags[$cpu]}, $flag;
	my ($source) = $comment =~ m{/\* (?:mispredicted )?+\w+\?? (.*) \*/};
	my $line = $source // $from;
	$taken{$line}++;
	$mispredicted{$line} += $flag;
}

sub wrong
{
	print "@_\n" if $errors++ < 20;
	return;
}

sub compare_log
{
	my ($number, $log) = @_;
	my ($nr, $set) = (0, 0);
	open(my $in, '<', $log) or die "$log: $!\n";
	while (<$in>) {
		my $want = / mispredicted\b/ ? 1 : 0;
		my $got = $flags[$number][$nr];
		wrong("CPU $number, branch $nr: ", $got // 'missing', ", not $want") if ($got // 2) != $want;
		$set += $want;
		$nr++;
	}
	my $shown = @{$flags[$number] // []};
	wrong("CPU $number: $shown branches, not $nr") if $shown != $nr;
	print "CPU $number: $nr branches, $set mispredicted\n";
	wrong("CPU $number: not both flags") if !$set || $set == $nr;
	return;
}

sub compare_table
{
	my ($name) = @_;
	my ($last, $nr);
	open(my $in, '<', $name) or die "$name: $!\n";
	wrong('no header') if <$in> !~ /^MISPREDICTED +TAKEN +PERCENT +LINE$/;
	while (<$in>) {
		my ($wrong, $all, $percent, $line) = /^ *(\d+) +(\d+) +(\d+\.\d) {2}(.+)$/ or die $_;
		wrong("$line: $wrong of $all") if ($taken{$line} // 0) != $all || $mispredicted{$line} != $wrong ||
			abs($percent - 100 * $wrong / $all) > 0.051;
		wrong("$line: not in order") if defined $last && $wrong > $last;
		$last = $wrong;
		delete $taken{$line};
		$nr++;
	}
	wrong("not in the table: $_") for keys %taken;
	print "$nr lines\n";
	return;
}

if (defined $table) {
	compare_table($table);
} else {
	compare_log($_, $ARGV[$_]) for 0 .. $#ARGV;
}
exit($errors > 0);
