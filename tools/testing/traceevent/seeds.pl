#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# seeds.pl DIR
#
# Writes inputs for fuzz.c: recordings that are whole, for the fuzzer to damage.

use strict;
use warnings;
no warnings 'portable';

my $dir = shift // die "usage: seeds.pl DIR\n";
my $base = 0xffffffff81000000;
my $module = 0xffffffffc0000010;
my @digits = ('A' .. 'Z', 'a' .. 'z', '0' .. '9', '+', '/');

sub varint {
	my ($val) = @_;
	my $text = '';

	while ($val > 31) {
		$text .= $digits[$val & 31 | 32];
		$val >>= 5;
	}
	return $text . $digits[$val];
}

my @types = (
	'enumAAAAej;enum;A;B=5;C;',
	'bitsAAAAbj;bits;R=1;W;X=4;',
	'recordAAs16;record;0ia;4EjenumAAAAb;8PKcc;',
	'fieldsAAs8;fields;0:3ia;3:13jb;16:33mc;56ad;',
	'nestedAAs24;nested;0RrecordAA2;r;16A4_hbytes;20A_ctail;',
	'unionAAAu8;;0xa;0A8_cb;0Pvc;',
);
my $types = join('', map { "$_~" } @types);

# Two functions of the image and one of a module: longs, return, parameters
my @sigs = (
	['2', 'i', 'ia;Tu8;hb;'],
	['(*ab)', 'Pv', 'PKcname;Dsize_t;msize;'],
	['(abA-)', '2RrecordAA2;', 'RnestedAA3;n;ih;'],
	['(.c.de)', '?i', 'ia=2a;Ggfp_t;jflags;PSs;p;@ip->x;@PKcp->y;'],
	['(a|o*nmH)', 'l', 'PKSpt_regs;regs;|idfd;PKcname;iflags;Oumode_t;tmode;'],
	['(abcdefAB)', '&RnestedAA3;', 'Mdev_t;jd;Oumode_t;tm;oo;EjenumAAAAe;' .
	 'EjbitsAAAAb;RunionAAA1;u;cc;bb;PFv_fn;ddbl;'],
	['(ab)', 'v', 'RfieldsAA1;f;nn;z'],
);

sub text {
	my ($text) = @_;

	return length($text) . ";$text";
}

sub table {
	my ($named, $first, $second) = @_;
	my ($text, $other) = map { "$$_[0]$$_[1]$$_[2]~" } $first, $second;

	return text($types) . text("$text$other") . '2;' .
		varint($named ? 0x3ffffff0 * 2 - 1 : 0x20) . varint(0) .
		($named ? 'of_module;' : '') .
		varint(0x20) . varint(length($text)) . ($named ? 'last;' : '');
}

sub event {
	my ($kind, $data) = @_;

	return pack('CC', $kind, length($data)) . $data;
}

sub common {
	return pack('SCCl', 0, 0, 0, 42);
}

sub entry {
	my ($func, $depth, $tail) = @_;

	return event(0, common() . pack('QL', $func, $depth) . $tail);
}

sub leave {
	my ($func, $depth, $tail) = @_;

	return event(1, common() . pack('QQLLQQ', $func, 0xfffffffffffffffe,
					 $depth, 0, 1000, 2345) . $tail);
}

sub function {
	my ($func, $parent, $tail) = @_;

	return event(16, common() . pack('QQ', $func, $parent) . $tail);
}

sub longs {
	my ($sig) = @_;
	my $nr = $sig =~ /^\((.*)\)/ ? $1 =~ tr/-.a-zA-Z// : $sig;
	my $strings = () = $sig =~ /\*/g;

	return pack('Q*', map { $_ * 0x0102030405060708 + 0xffffff00 } 1 .. $nr) .
		pack('S/a*x![8]', "a\n\"\377") x $strings;
}

for my $i (0 .. $#sigs) {
	my ($first, $second) = ($sigs[$i], $sigs[($i + 1) % @sigs]);
	my $name = "$dir/seed$i";
	my @funcs = ([$base + 0x10, longs($$first[0]), ''],
		     [$base + 0x20, longs($$second[0]), ''],
		     [$module, longs($$first[0]), pack('L', 7)],
		     [$module, longs($$first[0]), ''],
		     [$base + 0x30, '', ''],
		     [$module + 0x10, '', pack('L', 9)]);

	open(my $out, '>:raw', $name) or die "$name: $!\n";
	print $out 'arg_sigs 1;g3;GFP_KERNEL=cc0;__GFP_IO=40;__GFP_ZERO=100;' .
		table(0, $first, $second) .
		('m', 'r', 'g')[$i % 3] . '7;module;' . table(1, $first, $second) . "..\n";
	for my $func (@funcs) {
		my ($addr, $tail, $set) = @$func;

		print $out entry($addr, 1, $tail . $set);
		print $out entry($addr, 2, $tail . $set);
		print $out leave($addr, 2, '');
		print $out leave($addr, 1, pack('Q', 5));
		print $out function($addr, $base + 0x18, $tail . $set);
	}
	# A caller of a module, and one that may be anywhere
	print $out function($base + 0x10, $module + 8, $funcs[0][1]);
	print $out function($base + 0x20, $module + 0x123456, $funcs[1][1]);
	close($out) or die "$name: $!\n";
}
