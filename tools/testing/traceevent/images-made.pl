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

sub lines_of {
	open(my $in, '-|', @_) or die "$_[0]: $!\n";
	my @lines = <$in>;

	close($in) or die "@_ failed\n";
	return @lines;
}

# Add the symbols of a module. The kernel places the sections with code one after the other.
# Returns the address of cleanup_module().
sub load {
	my ($module, $pos) = @_;
	my ($name) = $module =~ m{([^/]*)\.ko$};
	my (%place, $cleanup);

	for (lines_of('readelf', '-SW', $module)) {
		next if !/^ +\[ *(\d+)\] (\S+) +PROGBITS +\w+ \w+ (\w+) \w+ +AX .* (\d+)$/;
		$pos = ($pos + $4 - 1) & ~($4 - 1);
		$place{$1} = $pos;
		$pos += hex($3);
	}
	for (lines_of('readelf', '-sW', $module)) {
		my @word = split;

		next if @word < 8 || $word[3] ne 'FUNC' || !defined $place{$word[6]};
		my $addr = $place{$word[6]} + hex($word[1]);
		push(@kallsyms, sprintf("%x t %s\t[%s]\n", $addr, $word[7], $name));
		$cleanup = $addr if $word[7] eq 'cleanup_module';
	}
	return $cleanup;
}

my @cleanup = map { load($modules[$_], 0xffffffffc0200000 + 0x100000 * $_) } 0, 1;
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
