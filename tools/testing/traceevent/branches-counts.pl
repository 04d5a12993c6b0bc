#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-counts.pl PROFILE KALLSYMS SYMBOLS SECTIONS LOG...
#
# Compares the profile of "trace-calls branches --format autofdo" with the emulated CPU's
# log of branches.  LOG is the output of "bts-log -b -r" for one CPU.  SYMBOLS is the
# output of nm for vmlinux, and SECTIONS is the output of "readelf -SW".  Prints the
# numbers of lines.

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use Branches;

my ($profile, $kallsyms, $symbols, $sections, @logs) = @ARGV;

sub lines
{
	my ($file) = @_;
	open(my $in, '<', $file) or die "$file: $!\n";
	return <$in>;
}

my $delta = first_address($kallsyms) - first_address($symbols);
# The address ranges of code
my @code;
for (lines($sections)) {
	my ($addr, $size, $flags) = /PROGBITS +([0-9a-f]{16}) [0-9a-f]+ ([0-9a-f]+) \S+ +([A-Z]+) / or next;
	push @code, [hex($addr), hex($addr) + hex($size)] if $flags =~ /A/ && $flags =~ /X/;
}

sub section
{
	my ($addr) = @_;
	for my $i (0 .. $#code) {
		return $i if $addr >= $code[$i][0] && $addr < $code[$i][1];
	}
	return -1;
}

my (%ranges, %taken);
for my $log (@logs) {
	my $last;
	for (lines($log)) {
		my ($from, $to, $event) = /^\d+ ([0-9a-f]+) ([0-9a-f]+)(.*event)?/ or die $_;
		($from, $to) = (hex($from) - $delta, hex($to) - $delta);
		my $in = section($from);
		if (defined $last && $last <= $from && $in >= 0 && $in == section($last)) {
			my $end = $from - ($event ? 1 : 0);
			$ranges{sprintf('%x-%x', $last, $end)}++ if $end >= $last;
		}
		$taken{sprintf('%x->%x', $from, $to)}++ if $in >= 0 && !$event && section($to) >= 0;
		$last = $to;
	}
}

my @expected = (scalar(keys %ranges), (map { "$_:$ranges{$_}" } keys %ranges), 0,
		scalar(keys %taken), (map { "$_:$taken{$_}" } keys %taken));
my @found = lines($profile);
chomp @found;
my %left;
$left{$_}++ for @expected;
$left{$_}-- for @found;
my @wrong = grep { $left{$_} } sort keys %left;
print scalar(keys %ranges), ' ranges, ', scalar(keys %taken), ' branches, ', scalar(@wrong), " wrong\n";
print "$_ ($left{$_})\n" for @wrong[0 .. ($#wrong < 9 ? $#wrong : 9)];
# Check the order of the parts of the profile
my $parts = join(' ', map { /->/ ? 'b' : /-/ ? 'r' : 'n' } @found);
$parts =~ s/\b(\w)( \1)+\b/$1/g;
print "$parts\n";
exit(@wrong || $parts ne 'n r n b');
