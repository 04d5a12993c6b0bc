#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# damage.pl NUMBER [FIRST] <FILE
#
# Writes the file with some changed bytes. If NUMBER is odd, the bytes are in the
# signatures. Otherwise the bytes are from FIRST on, or without FIRST after the formats of
# events, because libtraceevent itself crashes at some damaged formats. If NUMBER is a
# multiple of 8, the file is truncated as well.

use strict;
use warnings;

my ($number, $first) = @ARGV;
srand($number);
binmode(STDIN);
binmode(STDOUT);
local $/;
my $file = <STDIN>;
my ($from, $to) = ($first // rindex($file, "\nprint fmt: ") + 1, length($file));

($from, $to) = ($-[0], $-[0] + 700000) if $number % 2 && $file =~ /name: arg_sigs/;
$to = length($file) if $to > length($file);
substr($file, $from + int(rand($to - $from)), 1) = chr(int(rand(256))) for 1 .. 1 + rand(200);
$file = substr($file, 0, int(rand(length($file)))) if $number % 8 == 0;
print $file;
