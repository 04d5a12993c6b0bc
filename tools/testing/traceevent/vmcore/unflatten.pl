#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# unflatten.pl FROM TO: make a compressed dump of the flattened form that QEMU writes, as
# makedumpfile -R does

use strict;
use warnings;

my ($from, $to) = @ARGV;
my ($head, $data);

open(my $in, '<:raw', $from) or die "$from: $!\n";
open(my $out, '>:raw', $to) or die "$to: $!\n";
seek($in, 4096, 0);
while (read($in, $head, 16) == 16) {
	my ($at, $size) = unpack('q>q>', $head);

	last if $at < 0;
	read($in, $data, $size) == $size or die "$from: cut\n";
	seek($out, $at, 0);
	print $out $data;
}
close($out) or die "$to: $!\n";
