#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# btf.pl TYPED BTF
#
# Compares two reports of one recording, from normal.sh.  TYPED is the report with the
# plugin.  BTF is the report of libtraceevent itself, with the kernel's BTF.  Both have
# the same calls.  If BTF has the parameters of a call, each parameter that the plugin
# shows has to be at the same place in the other report.  The values have to be the same
# if they can be compared.  Prints the numbers of calls and of parameters, and the
# differences.
#
#   raw       calls with only words, because BTF does not have the function
#   empty     calls with nothing at all
#   renamed   calls with the parameters of another function of that name
#   negative  negative numbers that are shown as large positive numbers
#   text      text or unknown values in TYPED that are numbers in BTF
#   equal     the same number
#   wrong     differences that should not be

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use ArgText;

my ($typed, $btf) = @ARGV;
my %count = map { $_ => 0 } qw(calls raw empty renamed negative text equal wrong);
my %example;

# The number of a text, undef if the text is not a number
sub number {
	my ($text) = @_;

	return 0 if $text eq 'NULL' || $text eq 'false';
	return 1 if $text eq 'true';
	return hex($text) if $text =~ /^0x[0-9a-f]{1,16}$/;
	return oct($text) if $text =~ /^0[0-7]*$/;
	return $text =~ /^-?\d+$/ ? $text : undef;
}

sub calls {
	my ($file) = @_;
	my @calls;

	open(my $in, '<', $file) or die "$file: $!\n";
	while (<$in>) {
		push(@calls, [$1, $2]) if /^[^|]*\| *([^\s(]+)(?: \[\w+\])?\((.*)\)(?: \{|;)/;
	}
	return @calls;
}

sub note {
	my ($what, $text) = @_;

	$count{$what}++;
	push(@{$example{$what}}, $text) if @{$example{$what} // []} < 5;
}

sub compare {
	my ($func, $ours, $theirs) = @_;
	my @ours = split_args($ours);
	my @theirs = split_args($theirs);

	return note('raw', "$func($theirs)") if @theirs && $theirs[0] !~ /=/;
	return note('empty', "$func($ours)") if @ours && !@theirs;
	for my $i (0 .. $#ours) {
		my ($name, $val) = $ours[$i] =~ /^([^=]*)=(.*)$/ or next;
		my ($other, $shown) = ($theirs[$i] // '') =~ /^([^=]*)=(.*)$/;
		my ($one, $two) = (number($val), number($shown // '?'));

		return note('wrong', "$func($ours) ($theirs)") if !defined $other;
		note('renamed', "$func($ours) ($theirs)") if $other ne $name;
		if (!defined $one || !defined $two) {
			note('text', "$func: $ours[$i] $theirs[$i]");
		} elsif ($one == $two) {
			$count{equal}++;
		} elsif ($one < 0 && grep { $two == $one + 2 ** $_ } 8, 16, 32) {
			note('negative', "$func: $ours[$i] $theirs[$i]");
		} else {
			note('wrong', "$func: $ours[$i] $theirs[$i]");
		}
	}
}

my @typed = calls($typed);
my @btf = calls($btf);
die 'not the same calls: ' . @typed . ' and ' . @btf . "\n" if @typed != @btf;
for my $i (0 .. $#typed) {
	$count{calls}++;
	compare($typed[$i][0], $typed[$i][1], $btf[$i][1]);
}
for my $what (sort keys %count) {
	print "$what: $count{$what}\n";
	print "  $_\n" for @{$example{$what} // []};
}
exit($count{wrong} || !$count{equal});
