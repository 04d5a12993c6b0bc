#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Arguments: FILE...
#
# Prints the records of a debug store's buffer, or of "perf record -e intel_bts//u", one
# line each: FROM TO [mispredicted], in hexadecimal, as bts-log does. perf's own decoder leaves out the last
# record of each piece, and records that are split between two pieces.

use strict;
use warnings;

use constant {
	PERF_RECORD_AUXTRACE	=> 71,
	RECORD_SIZE		=> 24,
	RECORD_PREDICTED	=> 0x10,
};

# The buffers that perf has recorded
sub buffers
{
	my ($path, $data) = @_;
	# struct perf_file_header
	my (undef, undef, undef, undef, undef, $at, $size) = unpack('a8 Q<6', $data);
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
	return map {
		join('', map { $_->[1] } sort { $a->[0] <=> $b->[0] } @{$pieces{$_}})
	} sort { $a <=> $b } keys %pieces;
}

local $/;
while (my $data = <>) {
	my $perf = $data =~ /^PERFILE2/;

	for ($perf ? buffers($ARGV, $data) : $data) {
		die "$ARGV: part of a record at the end\n" if (!$perf && length($_) % RECORD_SIZE);
		for (my $i = 0; $i + RECORD_SIZE <= length($_); $i += RECORD_SIZE) {
			my ($from, $to, $flags) = unpack("\@$i Q<3", $_);
			# The end of the kernel's buffer is not used
			next if ($perf && !$from);
			die "$ARGV: flags $flags\n" if ($flags & ~RECORD_PREDICTED);
			printf("%x %x%s\n", $from, $to, $flags ? '' : ' mispredicted');
		}
	}
}
