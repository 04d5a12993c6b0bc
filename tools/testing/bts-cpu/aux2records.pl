#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Arguments: PERF.DATA
#
# Prints the records of "perf record -e intel_bts//u", one line each: FROM TO, in
# hexadecimal. perf's own decoder leaves out the last record of each piece, and
# records that are split between two pieces.

use strict;
use warnings;

use constant {
	PERF_RECORD_AUXTRACE	=> 71,
	RECORD_SIZE		=> 24,
};

my ($path) = @ARGV;
die "usage: $0 PERF.DATA\n" if (!defined($path));

open(my $file, '<:raw', $path) or die "$path: $!\n";
my $data = do { local $/; <$file> };

# struct perf_file_header
my ($magic, undef, undef, undef, undef, $at, $size) = unpack('a8 Q<6', $data);
die "$path: not from perf record\n" if ($magic ne 'PERFILE2');

my $end = $at + $size;
my %pieces;
while ($at < $end) {
	my ($type, undef, $length) = unpack("\@$at L< S< S<", $data);
	die "$path: an event of size 0\n" if (!$length);
	if ($type == PERF_RECORD_AUXTRACE) {
		my ($bytes, $offset, undef, $index) = unpack("\@$at x8 Q<3 L<", $data);
		push(@{$pieces{$index}}, [$offset, substr($data, $at + $length, $bytes)]);
		$at += $bytes;
	}
	$at += $length;
}

for my $index (sort { $a <=> $b } keys %pieces) {
	my $all = join('', map { $_->[1] } sort { $a->[0] <=> $b->[0] } @{$pieces{$index}});

	for (my $i = 0; $i + RECORD_SIZE <= length($all); $i += RECORD_SIZE) {
		my ($from, $to) = unpack("\@$i Q<2", $all);
		# Skip the unused end of the kernel's buffer, which has zeros
		printf("%x %x\n", $from, $to) if ($from);
	}
}
