#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# sigfile.pl FILE
#
# Prints a file of signatures, by Documentation/trace/arg-sigs-format.rst: a line
# "set NAME BUILD-ID" for each set, then "PLACE<TAB>NAMES<TAB>SIGNATURE" for each function
# and "type<TAB>DESCRIPTION" for each description.

use strict;
use warnings;

my $file = shift // die "usage: sigfile.pl FILE\n";
open(my $in, '-|', 'gzip', '-dc', $file) or die "gzip: $!\n";
my $text = do { local $/; <$in> };
close($in) or die "$file: gzip: status $?\n";

my @digits = ('A' .. 'Z', 'a' .. 'z', '0' .. '9', '+', '/');
my %value = map { $digits[$_] => $_ } 0 .. $#digits;

sub take {
	my ($pattern) = @_;

	$text =~ /\G$pattern/gc or die "$file: $pattern is missing at " . (pos($text) // 0) . "\n";
	return $1;
}

sub take_sized {
	my $size = take(qr/(\d+);/);
	my $part = substr($text, pos($text), $size);

	pos($text) += $size;
	return $part;
}

sub take_varint {
	my ($val, $shift) = (0, 0);

	for (;;) {
		my $digit = $value{take(qr/(.)/)} // die "$file: not a digit\n";

		$val |= ($digit & 31) << $shift;
		return $val if $digit < 32;
		$shift += 5;
	}
}

pos($text) = 0;
take(qr/(arg_sigs_file 1;)/);
print 'release ' . take(qr/([^;]*);/) . "\n";
while ($text =~ /\Gs/gc) {
	my ($name, $id) = (take(qr/([^;]*);/), take(qr/([^;]*);/));
	my ($types, $sigs, $nr, $at) = (take_sized(), take_sized(), take(qr/(\d+);/), 0);

	print "set $name $id\n";
	for (1 .. $nr) {
		my ($delta, $ref) = (take_varint(), take_varint());

		$at += $delta & 1 ? ~($delta >> 1) : $delta >> 1;
		printf("%x\t%s\t%s\n", $at, take(qr/([^;]*);/), substr($sigs, $ref) =~ /^([^~]*)~/);
	}
	print "type\t$_\n" for split(/~/, $types);
}
take(qr/(\.)/);
my $end = pos($text);
my $hash = -3750763034362895579;	# FNV-1a, in signed numbers
{
	use integer;
	$hash = ($hash ^ ord($_)) * 1099511628211 for split(//, substr($text, 0, $end));
}
die "$file: another hash\n" if take(qr/([0-9a-f]{16})\n/) ne sprintf('%016x', $hash);
die "$file: more follows the end\n" if pos($text) != length($text);
