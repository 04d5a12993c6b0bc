#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Arguments: FILE...
#
# Prints the records of a debug store's buffer, one line each: FROM TO, in
# hexadecimal, as bts-log and aux2records.pl do.

use strict;
use warnings;

local $/ = \24;
while (<>) {
	die "$ARGV: part of a record at the end\n" if (length($_) != 24);
	my ($from, $to, $flags) = unpack('Q<3', $_);

	die "$ARGV: flags $flags\n" if ($flags);
	printf("%x %x\n", $from, $to);
}
