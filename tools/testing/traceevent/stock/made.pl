#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# made.pl VMLINUX MODULE OUT [MOVED]
#
# Writes a recording (trace.dat of version 6) of a kernel without signatures, as Linux 7.3
# records with funcgraph-args, funcgraph-retval and func-args: the functions of image.c and
# module.c are called. KASLR has moved the image. A livepatch has a function with the name of one
# of the image, and another interface. The module was loaded twice, at two addresses, and the
# recording has the symbols of the second time. With MOVED, the function of this name is 16 bytes
# behind its place in VMLINUX, as in another build.
#
# With LAYOUT=retaddr, the entries have the callers, as with funcgraph-retaddr. With LAYOUT=early,
# the entries are those of Linux 6.5 to 6.14, which have no arguments. With MACHINE=arm64, KASLR
# moves the image further, and the modules are below.

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib "$FindBin::Bin/..";
use Dat;

my ($vmlinux, $module, $out, $moved) = @ARGV;
die "usage: made.pl VMLINUX MODULE OUT [MOVED]\n" if !defined $out;
my $layout = $ENV{LAYOUT} // '';
my $arm64 = ($ENV{MACHINE} // '') eq 'arm64';
my $slide = $arm64 ? 0x2345_0123_0000 : 0x1e00000;
my $module_base = $arm64 ? 0xffffa345_7e201000 : 0xffffffffc0201000;
my (%addr, @kallsyms);

sub symbol {
	my ($addr, $type, $name, $suffix) = @_;

	$addr += 16 if defined $moved && $name eq $moved;
	$addr{$name} = $addr;
	push(@kallsyms, [$addr, sprintf("%x %s %s%s\n", $addr, $type, $name, $suffix)]);
}

for (lines_of('nm', $vmlinux)) {
	symbol(hex($1) + $slide, $2, $3, '') if /^(\w+) ([tT]) (\S+)$/;
}
symbol($$_[0], 't', $$_[1], "\t[stock_mod]") for module_functions($module, $module_base);
my $patched = $module_base + 0x4000;
push(@kallsyms, [$patched, sprintf("%x t image_narrow\t[livepatch_image]\n", $patched)]);
symbol($module_base + 0x5000, 't', 'other_function', "\t[other]");
# The recording's last symbol has no end
symbol($slide + 0xffff8000_81000000, 't', 'arm64_last', '') if $arm64;
$addr{patched} = $patched;
$addr{'module_read, the first time'} = $addr{module_read} - 0x10000;

my @formats = (
	$layout eq 'early' ?
	format_of('funcgraph_entry', 10, '"', 'unsigned long func', 8, 'int depth', 4) :
	format_of('funcgraph_entry', 10, '"', 'unsigned long func', 8, 'unsigned long depth', 8,
		  'unsigned long args[]', 0),
	format_of('fgraph_retaddr_entry', 12, '"', 'unsigned long func', 8,
		  'unsigned long depth', 8, 'unsigned long retaddr', 8,
		  'unsigned long args[]', 0),
	format_of('funcgraph_exit', 11, '"', 'unsigned long func', 8, 'unsigned long retval', 8,
		  'int depth', 4, 'unsigned int overrun', 4,
		  'unsigned long long calltime', 8, 'unsigned long long rettime', 8),
	format_of('function', 1, '"', 'unsigned long ip', 8, 'unsigned long parent_ip', 8,
		  'unsigned long args[]', 0));

my ($time, @events) = (1000000);

sub event {
	push(@events, [$time, $_[0]]);
	$time += 1000;
}

# Numbers of 64 bits, with or without a sign
sub registers {
	return join('', map { pack($_ < 0 ? 'q' : 'Q', $_) } @_);
}

# A call of a function, 4 bytes behind its symbol as with IBT, and its return value
sub call {
	my ($name, $ret, @regs) = @_;
	my $ip = $addr{$name} // die "no symbol $name\n";

	$ip += 4 if $name ne 'image_narrow';
	if ($layout eq 'early') {
		event(pack('SCCl', 10, 0, 0, 42) . pack('Ql', $ip, 0));
	} elsif ($layout eq 'retaddr') {
		event(pack('SCCl', 12, 0, 0, 42) . pack('QQQ', $ip, 0, $addr{image_many} + 9) .
		      registers(@regs));
	} else {
		event(pack('SCCl', 10, 0, 0, 42) . pack('QQ', $ip, 0) . registers(@regs));
	}
	event(pack('SCCl', 11, 0, 0, 42) .
	      pack('Q', $ip) . registers($ret) . pack('lLQQ', 0, 0, $time - 1000, $time));
}

my @junk = map { 0xdead000000000000 + $_ } 0 .. 5;

call('image_write', 500, 0xffff888001234500, 0xffff888009876000, 500, 0xffffc90000abcde8,
     @junk[4, 5]);
call('image_narrow', -22, 0x7fffff85, 0x1234fffe, 0xffffff01, 0x7700000003, @junk[4, 5]);
# arm64 passes the address of the large structure, too
call('image_records', $junk[0], 7 | 0xfffd << 32, 12345678901, 0xab, $arm64 ? $junk[4] : (), -5,
     $arm64 ? () : $junk[4], $junk[5]);
call('image_many', -2, -1, -2, 3, 4, 5, 6);
call('image_returns_wide', 77, 9, @junk[1 .. 5]);
my ($clone) = grep { /^image_clone\b/ } keys(%addr);
call($clone, 1, 41, 42, 43, 44, 45, 46);
call('__x64_sys_image', -2, @junk);
call('image_alias', 1, 0x1fffffffe, @junk[1 .. 5]);
call('module_read', 3, 0xffff888001234500, 0xff00000010, @junk[2 .. 5]);
call('module_fail', $junk[0], 0, -19, @junk[2 .. 5]);
call('other_function', 1, 1, 2, 3, 4, 5, 6);
call('patched', 1, 0x4142434445464748, @junk[1 .. 5]);
call('module_read, the first time', 3, 0xffff888001234500, 0xff00000010, @junk[2 .. 5]);
event(pack('SCCl', 1, 0, 0, 42) .
      pack('QQ', $addr{module_read}, $addr{module_fail} + 9) .
      registers(0, 16, @junk[2 .. 5]));

write_dat($out, \@formats, join('', map { $_->[1] } sort { $a->[0] <=> $b->[0] } @kallsyms),
	  "42 task\n", '', ['', pages(@events)]);
