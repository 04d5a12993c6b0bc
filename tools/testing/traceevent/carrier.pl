#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# carrier.pl FUNCTIONS MAX <FILE
#
# Prints the bytes of the image's signatures in a recording (a trace.dat of version 6,
# which is not compressed), and the bytes that FUNCTIONS functions would need.  More
# than MAX bytes are an error.  Reads the signatures with the grammar of
# Documentation/trace/arg-sigs-format.rst.

use strict;
use warnings;

my ($functions, $max) = @ARGV;
my $file = do { local $/; <STDIN> };
$file =~ /name: arg_sigs\n.*?^print fmt: "arg_sigs 2;(g(\d+);[^"]*)"$/ms or die "no signatures\n";
my ($text, $flags) = ($1, $2);

# The text up to the next semicolon
sub token {
	$text =~ /\G([^;]*);/g or die "no end\n";
	return $1;
}

sub number {
	my $val = token();

	die "not a number: $val\n" if $val !~ /^\d+$/;
	return $val;
}

pos($text) = 0;
token() for 0 .. $flags;
my $begin = pos($text);
for (1 .. 2) {
	my $size = number();
	pos($text) += $size;
}
my $nr = number();
for (1 .. 2 * $nr) {
	$text =~ /\G[g-z0-9+\/]*[A-Za-f]/g or die "no number\n";
}
my $size = pos($text) - $begin;
my $scaled = int($size * $functions / $nr);
print "$nr functions take $size bytes, $functions would take $scaled\n";
die "these are more than $max bytes\n" if $scaled > $max;
