#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-counts.pl AUTOFDO PROFGEN KALLSYMS SYMBOLS SECTIONS LOG...
#
# Compares the profiles of "trace-calls branches --format autofdo" and "--format profgen"
# with the emulated CPU's log of branches.  AUTOFDO has offsets in the file.  LOG is the
# output of "bts-log -b -r" for one CPU.  SYMBOLS is the output of nm for vmlinux, and
# SECTIONS is the output of "readelf -SW".  Prints the numbers of lines.

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use Branches;

my ($autofdo, $profgen, $kallsyms, $symbols, $sections, @logs) = @ARGV;

sub lines
{
	my ($file) = @_;
	open(my $in, '<', $file) or die "$file: $!\n";
	return <$in>;
}

my $delta = first_address($kallsyms) - first_address($symbols);
# The address ranges of code, and the distance to the offset in the file
my @code;
for (lines($sections)) {
	my ($addr, $offset, $size, $flags) = /PROGBITS +([0-9a-f]{16}) ([0-9a-f]+) ([0-9a-f]+) \S+ +([A-Z]+) / or next;
	push @code, [hex($addr), hex($addr) + hex($size), hex($addr) - hex($offset)] if $flags =~ /A/ && $flags =~ /X/;
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
			$ranges{"$last $end"}++ if $end >= $last;
		}
		$taken{"$from $to"}++ if $in >= 0 && !$event && section($to) >= 0;
		$last = $to;
	}
}

my $wrong = compare_profile($autofdo, 1, \%ranges, \%taken, sub { $_[0] - $code[section($_[0])][2] });
$wrong += compare_profile($profgen, 0, \%ranges, \%taken, sub { $_[0] });
exit($wrong > 0);
