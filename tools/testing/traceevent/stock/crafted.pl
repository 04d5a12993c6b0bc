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

use FindBin;
use lib "$FindBin::Bin/..";
use Dat;
use integer;

my $vmlinux = shift // die "usage: crafted.pl VMLINUX\n";
my ($last, $functions, $nr) = (0, '', 0);
my $sig = 'x(' . '*a' x 32 . ')i~';

for (lines_of('nm', '-n', $vmlinux)) {
	/^(\w+) ([tT]) (\S+)$/ or next;
	$last = hex($1) if $3 eq '_text';
	next if hex($1) == $last;
	$functions .= varint((hex($1) - $last) << 1) . varint(1) . "$3;";
	$last = hex($1);
	$nr++;
}
my $file = 'arg_sigs_file 1;;svmlinux;;0;' . length($sig) . ";$sig$nr;$functions.";
my $hash = -3750763034362895579;
$hash = ($hash ^ $_) * 1099511628211 for unpack('C*', $file);
printf("%s%016x\n", $file, $hash);
