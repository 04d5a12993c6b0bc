#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Print the names of the functions that a BTF section describes
#
# Arguments: FILE, as objcopy --dump-section .BTF=FILE writes it

use strict;
use warnings FATAL => 'all';

# Bytes after the 12 bytes of a type: for each of its vlen, then once
my %each = (4 => 12, 5 => 12, 6 => 8, 13 => 8, 15 => 12, 19 => 12);
my %once = (1 => 4, 3 => 12, 14 => 4, 17 => 4);

@ARGV == 1 or die "Usage: $0 FILE\n";
open(my $file, '<:raw', $ARGV[0]) or die "$0: $ARGV[0]: $!\n";
my $btf = do { local $/; <$file> };
my ($magic, undef, undef, $head, $types, $types_len, $strings) = unpack('SCCL5', $btf);
die "$0: $ARGV[0] is no BTF\n" if ($magic // 0) != 0xeb9f;

for (my $at = $head + $types; $at < $head + $types + $types_len;) {
	my ($name, $info) = unpack('LL', substr($btf, $at, 8));
	my $kind = $info >> 24 & 0x7f;

	print unpack('Z*', substr($btf, $head + $strings + $name, 512)), "\n" if $kind == 12;
	$at += 12 + ($info & 0xffffff) * ($each{$kind} // 0) + ($once{$kind} // 0);
}
