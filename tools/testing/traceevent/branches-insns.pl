#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-insns.pl EACH TREE KALLSYMS FIRST ADDRESSES LOG...
#
# Compares the numbers of instructions in the text of "trace-calls branches --instructions
# --every 1" with the code that the kernel ran.  ADDRESSES has the addresses of the
# instructions, in hex and in order, according to objdump's disassembly of the guest's memory.
# FIRST has nm's line for _text. LOG is the output of "bts-log -b -r" for one CPU.  Each number
# has to be the number of instructions from the target of the log's last branch on, or '?'.  It
# has to be '?' if there is no such code.  TREE is the text without --every, and has the same
# numbers in the same order.  Prints the counts.

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use Branches;

my ($each, $tree, $kallsyms, $first, $addresses, @logs) = @ARGV;
my ($errors, $total) = (0, 0);
my %count = map { $_ => 0 } qw(branches known unknown without_code);
my @insns;

sub wrong
{
	print "@_\n" if $errors++ < 20;
}

# The numbers of a text, for each CPU, and the line with the sum
sub numbers
{
	my ($file) = @_;
	my (@found, $sum);

	open(my $in, '<', $file) or die "$file: $!\n";
	while (my $line = <$in>) {
		if ($line =~ /^\[(\d+) INSTRUCTIONS(?:, WITHOUT THOSE BEFORE (\d+) OF (\d+) BRANCHES)?\]$/) {
			$sum = [$1, $2 // 0, $3];
			next;
		}
		my ($cpu, $text) = $line =~ /\[(\d+)\] +\d+\.\d{6}: *(.*)$/ or die "not a line: $line";
		my $turns = $text =~ /^(\d+) x / ? $1 : 1;
		my @numbers = $text =~ /(?:\/\*|,) \w+\??\[(\d+|\?)\] /g;
		wrong("$file: no number: $text") unless @numbers || $text =~ /^(\[|\}$)/;
		push @{$found[$cpu]}, (@numbers) x $turns;
	}
	wrong("$file: no sum") unless $sum;
	return ($sum, @found);
}

# The index of the instruction at an address of the file, undef if there is none
sub index_of
{
	my ($addr) = @_;
	my ($low, $high) = (0, $#insns);

	while ($low <= $high) {
		my $middle = ($low + $high) >> 1;
		return $middle if $insns[$middle] == $addr;
		if ($insns[$middle] < $addr) {
			$low = $middle + 1;
		} else {
			$high = $middle - 1;
		}
	}
	return undef;
}

my ($base, $linked) = (first_address($kallsyms), first_address($first));
open(my $in, '<', $addresses) or die "$addresses: $!\n";
@insns = map { hex(substr($_, 0, 16)) } <$in>;
close($in);

my ($sum, @shown) = numbers($each);
my ($tree_sum, @tree) = numbers($tree);
wrong('another sum in the tree') if "@$sum[0, 1]" ne "@$tree_sum[0, 1]";
for my $cpu (0 .. $#logs) {
	my ($nr, $last) = (0);
	open($in, '<', $logs[$cpu]) or die "$logs[$cpu]: $!\n";
	while (<$in>) {
		my ($from, $to, $event) = /^\d+ ([0-9a-f]+) ([0-9a-f]+)(.*event)?/ or die $_;
		my $number = $shown[$cpu][$nr] // 'missing';
		my ($begin, $end) = map { defined $_ ? index_of($_ - $base + $linked) : undef } $last, hex($from);
		my $want = defined $begin && defined $end && $begin <= $end ?
			$end - $begin + ($event ? 0 : 1) : undef;

		chomp;
		wrong("CPU $cpu, branch $nr: $number in the tree: $tree[$cpu][$nr]") if $number ne ($tree[$cpu][$nr] // '');
		wrong("CPU $cpu, branch $nr ($_): $number, not " . ($want // '?'))
			if $number ne '?' && $number ne ($want // '?');
		$total += $number if $number =~ /^\d+$/;
		$count{branches}++;
		$count{$number ne '?' ? 'known' : defined $want ? 'unknown' : 'without_code'}++;
		$last = hex($to);
		$nr++;
	}
	close($in);
	wrong("CPU $cpu: another number of branches in the text") if $nr != @{$shown[$cpu] // []} || $nr != @{$tree[$cpu] // []};
}
wrong("a sum of $sum->[0], not $total") if $sum->[0] != $total;
wrong("$sum->[1] unknown branches in the sum") if $sum->[1] != $count{unknown} + $count{without_code};
wrong("too many numbers are not known") if $count{unknown} * 20 > $count{known};
print join(', ', map { "$count{$_} $_" } sort keys %count), ", $total instructions\n";
exit($errors > 0);
