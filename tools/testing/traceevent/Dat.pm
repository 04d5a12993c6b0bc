# SPDX-License-Identifier: GPL-2.0
#
# The first part of a made recording, trace.dat of version 6

package Dat;

use strict;
use warnings;
use parent 'Exporter';

our @EXPORT = qw(sized dat_head);

# A text behind its length
sub sized {
	my ($template, $text) = @_;

	return pack($template, length($text)) . $text;
}

# The file up to the options: the formats of ftrace's events, the lines of kallsyms, the lines
# of the tasks' names, and the number of CPUs
sub dat_head {
	my ($formats, $kallsyms, $tasks, $cpus) = @_;

	return "\x17\x08Dtracing6\0" . pack('CCL', 0, 8, 4096) .
		"header_page\0" . sized('Q',
			"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n" .
			"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" .
			"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n" .
			"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n") .
		"header_event\0" . sized('Q', "# compressed entry header\n") .
		pack('L', scalar(@$formats)) . join('', map { sized('Q', $_) } @$formats) .
		pack('L', 0) . sized('L', $kallsyms) . sized('L', '') . sized('Q', $tasks) .
		pack('L', $cpus) . "options  \0";
}

1;
