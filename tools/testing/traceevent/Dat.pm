# SPDX-License-Identifier: GPL-2.0
#
# Made recordings, trace.dat of version 6, of programs and modules

package Dat;

use strict;
use warnings;
use parent 'Exporter';

our @EXPORT = qw(sized varint format_of pages write_dat lines_of module_functions);

# A text after its length
sub sized {
	my ($template, $text) = @_;

	return pack($template, length($text)) . $text;
}

my @digits = ('A' .. 'Z', 'a' .. 'z', 0 .. 9, '+', '/');

# A number in signatures
sub varint {
	my ($val) = @_;
	my $text = '';

	for (; $val > 31; $val >>= 5) {
		$text .= $digits[$val & 31 | 32];
	}
	return $text . $digits[$val];
}

our $header_page =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n" .
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" .
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n" .
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

# The file up to the options
sub head {
	my ($formats, $kallsyms, $tasks, $cpus) = @_;

	return "\x17\x08Dtracing6\0" . pack('CCL', 0, 8, 4096) .
		"header_page\0" . sized('Q', $header_page) .
		"header_event\0" . sized('Q', "# compressed entry header\n") .
		pack('L', scalar(@$formats)) . join('', map { sized('Q', $_) } @$formats) .
		pack('L', 0) . sized('L', $kallsyms) . sized('L', '') . sized('Q', $tasks) .
		pack('L', $cpus) . "options  \0";
}

my @common_fields = ('unsigned short common_type', 2, 'unsigned char common_flags', 1,
		     'unsigned char common_preempt_count', 1, 'int common_pid', 4);

# The format of an event: the name, the number, the print format after its first quote, then type,
# name and size of each field
sub format_of {
	my ($name, $id, $print, @fields) = @_;
	my $text = "name: $name\nID: $id\nformat:\n";
	my $offset = 0;

	@fields = (@common_fields, @fields);
	while (my ($field, $size) = splice(@fields, 0, 2)) {
		my $signed = $field =~ /^int/ ? 1 : 0;

		$text .= "\tfield:$field;\toffset:$offset;\tsize:$size;\tsigned:$signed;\n";
		$text .= "\n" if $field =~ /common_pid/;
		$offset += $size;
	}
	return "$text\nprint fmt: \"$print\n";
}

# Pages of the ring buffer with a CPU's events. Each event is a time, bytes and, if events
# were lost before it, their number.
sub pages {
	my (@events) = @_;
	my ($data, $page, $lost, $begin, $last) = ('', '', 0);
	my $flush = sub {
		my $head = length($page) | ($lost ? 3 << 30 : 0);

		return if $page eq '';
		$page .= pack('Q', $lost) if $lost;
		$data .= pack('QQ', $begin, $head) . $page . "\0" x (4080 - length($page));
		$page = '';
		$lost = 0;
	};

	for my $event (@events) {
		my ($time, $bytes, $before) = @$event;

		$bytes .= "\0" x (-length($bytes) & 3);
		my $words = length($bytes) / 4;
		my $extend = $page ne '' && $time - $last >= 1 << 27;

		$flush->() if $before ||
			length($page) + length($bytes) + 8 + ($lost ? 8 : 0) + ($extend ? 8 : 0) > 4080;
		$lost = $before // $lost;
		$begin = $last = $time if $page eq '';
		if ($time - $last >= 1 << 27) {
			$page .= pack('LL', ($time - $last) << 5 & 0xffffffff | 30, ($time - $last) >> 27);
			$last = $time;
		}
		$page .= $words > 28 ? pack('LL', ($time - $last) << 5, length($bytes) + 4) :
				       pack('L', $words | ($time - $last) << 5);
		$page .= $bytes;
		$last = $time;
	}
	$flush->();
	return $data;
}

# Write a recording: the formats of ftrace's events, the lines of kallsyms, the lines of the tasks'
# names, the bytes of options, and for each buffer its name and the pages of each CPU. The first
# buffer has no name, but bytes after its table.
sub write_dat {
	my ($name, $formats, $kallsyms, $tasks, $options, @buffers) = @_;
	my $cpus = @{$buffers[0]} - 1;
	my $file = head($formats, $kallsyms, $tasks, $cpus) . $options;
	my ($after, @others) = ($buffers[0][0], map { "$$_[0]\0" } @buffers[1 .. $#buffers]);
	# The table of the first buffer follows the options, and has no head
	my $at = length($file) + 14 * @others + length(join('', @others)) + 2 + length($after);

	for (@others) {
		$at += 10 + 16 * $cpus;
		$file .= pack('SLQ', 3, 8 + length($_), $at) . $_;
	}
	$file .= pack('S', 0);
	# The pages follow the tables
	$at = ($at + 10 + 16 * $cpus + 4095) & ~4095;
	for my $buffer (@buffers) {
		$file .= "flyrecord\0";
		for my $pages (@$buffer[1 .. $cpus]) {
			$file .= pack('QQ', $at, length($pages));
			$at += length($pages);
		}
		$file .= $after;
		$after = '';
	}
	open(my $out, '>:raw', $name) or die "$name: $!\n";
	print $out $file, "\0" x (-length($file) & 4095), map { @$_[1 .. $cpus] } @buffers;
	close($out) or die "$name: $!\n";
}

# The lines that a command prints
sub lines_of {
	open(my $in, '-|', @_) or die "$_[0]: $!\n";
	my @lines = <$in>;

	close($in) or die "@_ failed\n";
	return @lines;
}

# The address and the name of each function of a module that is loaded at an address. The kernel
# places the sections with code one after the other. The functions of init sections are gone.
sub module_functions {
	my ($module, $pos) = @_;
	my (%place, @functions);

	for (lines_of('readelf', '-SW', $module)) {
		next if !/^ +\[ *(\d+)\] (?!\.init)\S+ +PROGBITS +\w+ \w+ (\w+) \w+ +AX .* (\d+)$/;
		$pos = ($pos + $3 - 1) & ~($3 - 1);
		$place{$1} = $pos;
		$pos += hex($2);
	}
	for (lines_of('readelf', '-sW', $module)) {
		my @word = split;

		next if @word < 8 || $word[3] ne 'FUNC' || !defined $place{$word[6]};
		push(@functions, [$place{$word[6]} + hex($word[1]), $word[7]]);
	}
	return @functions;
}

1;
