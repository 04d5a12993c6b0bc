#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# crafted.pl VMLINUX
#
# Writes a file of signatures with the functions of an image. The signature of each function is
# the inside of a signature that is not valid itself.

use strict;
use warnings;
no warnings 'portable';

use integer;

my $vmlinux = shift // die "usage: crafted.pl VMLINUX\n";
my @digits = ('A' .. 'Z', 'a' .. 'z', 0 .. 9, '+', '/');

sub varint {
	my ($val) = @_;
	my $text = '';

	for (; $val > 31; $val >>= 5) {
		$text .= $digits[$val & 31 | 32];
	}
	return $text . $digits[$val];
}

my ($last, $functions, $nr) = (0, '', 0);
my $sig = 'x(' . '*a' x 32 . ')i~';

open(my $in, '-|', 'nm', '-n', $vmlinux) or die "nm: $!\n";
while (<$in>) {
	/^(\w+) ([tT]) (\S+)$/ or next;
	$last = hex($1) if $3 eq '_text';
	next if hex($1) == $last;
	$functions .= varint((hex($1) - $last) << 1) . varint(1) . "$3;";
	$last = hex($1);
	$nr++;
}
close($in) or die "nm $vmlinux failed\n";
my $file = 'arg_sigs_file 1;;svmlinux;;0;' . length($sig) . ";$sig$nr;$functions.";
my $hash = -3750763034362895579;
$hash = ($hash ^ $_) * 1099511628211 for unpack('C*', $file);
printf("%s%016x\n", $file, $hash);
