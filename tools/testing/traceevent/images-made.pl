#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# images-made.pl OUT ONE TWO [LEFT]
#
# Writes a recording of branches (trace.dat of version 6) in cleanup_module() of the module TWO.
# Both modules are loaded, and both have a function of this name in a section of its own. LEFT is
# the number of records that are left out before the second branch.

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use Dat;

my ($out, $one, $two, $left) = @ARGV;
die "usage: images-made.pl OUT ONE TWO [LEFT]\n" if !defined $two;
my @modules = ($one, $two);
my $base = 0xffffffff81000000;
my @kallsyms = map { sprintf("%x t %s\n", $base + 0x1000 * $$_[0], $$_[1]) }
	       [0, '_text'], [1, 'outer'], [2, '_etext'];

my @cleanup;
for my $i (0, 1) {
	my ($name) = $modules[$i] =~ m{([^/]*)\.ko$};

	for (module_functions($modules[$i], 0xffffffffc0200000 + 0x100000 * $i)) {
		push(@kallsyms, sprintf("%x t %s\t[%s]\n", @$_, $name));
		$cleanup[$i] = $$_[0] if $$_[1] eq 'cleanup_module';
	}
}
my ($last, $data, $nr) = (0, '', 0);

# The kernel calls cleanup_module(), which calls outer()
for ([$base + 0x1010, $cleanup[1]], [$cleanup[1] + 9, $base + 0x1000],
     [$base + 0x1020, $cleanup[1] + 14]) {
	use integer;
	$data .= pack('C', 6 << 5 | $left) if $nr++ == 1 && $left;
	$data .= pack('Cqq', 5 << 5 | 31, $$_[0] - $last, $$_[1] - $$_[0]);
	$last = $$_[1];
}
write_dat($out, [format_of('bts', 12, '"', 'unsigned long long first', 8,
			   'unsigned long long number', 8, 'unsigned int nr', 4,
			   'unsigned int marks', 4, 'unsigned char data[]', 0)],
	  join('', @kallsyms), "42 task\n", '',
	  ['', pages([1000000, pack('SCCl', 12, 0, 0, 42) . pack('QQLL', 0, 1, 3, 0) . $data])]);
