#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# seeds.pl DIR [MACHINES]
#
# Writes inputs for fuzz.c: whole recordings, which the fuzzer damages.  The lines that fuzz.c
# has to print for them are in the file "expected".  Writes calls.dat
# and plain.dat, files of trace-cmd (version 6), with and without signatures.  These files
# have three buffers, with calls whose begin and end are on different CPUs, calls whose
# begin is missing, and calls whose end is the next event, also on the next page.  The calls
# in whole.dat have one event.  Many of these events have the same time.  With MACHINES, writes
# recordings of so many machines, with two kernels: m001.dat, ...

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use Dat;

my $dir = shift // die "usage: seeds.pl DIR [MACHINES]\n";
my $machines = shift // 0;
my $base = 0xffffffff81000000;
my $module = 0xffffffffc0000010;

my @types = (
	'enumAAAAej;enum;A;B=5;C;',
	'bitsAAAAbj;bits;R=1;W;X=4;',
	'recordAAs16;record;0ia;4EjenumAAAAb;8PKcc;',
	'fieldsAAs8;fields;0:3ia;3:13jb;16:33mc;56ad;',
	'nestedAAs24;nested;0RrecordAA2;r;16A4_hbytes;20A_ctail;',
	'unionAAAu8;;0xa;0A8_cb;0Pvc;',
);
my $types = join('', map { "$_~" } @types);

# Signatures of functions: longs, return, parameters; then the text of the arguments, of the
# return value, and of the return value with a second register, if it has another text
my @sigs = (
	['2', 'i', 'ia;Tu8;hb;', 'a=84280840, b=0x10', '-2 (-ENOENT)'],
	['(*ab)', 'Pv', 'PKcname;Dsize_t;msize;',
	 'name="a\n\"\xff", size=145247723875732752', 'ERR_PTR(-ENOENT)'],
	['(abA-)', '2RrecordAA2;', 'RnestedAA3;n;ih;',
	 'n={.r={.a=84280840, .b=0x1020305, .c=0x20406090a0c0d10}, ' .
	 '.bytes={0x18, 0x14, 0x12, 0xf}, .tail={}}, h=?',
	 '{.a=-2, .b=0xffffffff, .c=?}', '{.a=-2, .b=0xffffffff, .c=0x5}'],
	# The words are none of the signature
	['(.c.de)', '?i', 'ia=2a;Ggfp_t;jflags;PSs;p;@ip->x;@PKcp->y;', '?', '?'],
	['(a|o*nmH)', 'l', 'PKSpt_regs;regs;|idfd;PKcname;iflags;Oumode_t;tmode;',
	 'dfd=168561936, name="a\n\"\xff", flags=0x14181b20, mode=021050', '-2 (-ENOENT)'],
	['(abcdefAB)', '&RnestedAA3;', 'Mdev_t;jd;Oumode_t;tm;oo;EjenumAAAAe;' .
	 'EjbitsAAAAb;RunionAAA1;u;cc;bb;PFv_fn;ddbl;',
	 'd=80:394760, m=06420, o=0x4080c1114181b200306090d0f121418, e=0x191e2228, b=0x1e242930, ' .
	 "u={.a=508367022827647032, .b={'8', '0', '*', '#', 29, 21, 14, 7}, .c=0x70e151d232a3038}, " .
	 "c='\@', b=?, fn=?, dbl=?", 'ERR_PTR(-ENOENT)'],
	['(ab)', 'v', 'RfieldsAA1;f;nn;z', 'f={.a=0, .b=0xc1, .c=0x3050506, .d=?}, n=?, ...', ''],
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

# A function: its address, the name and the offset that stock code shows, the name that the
# plugin shows, the recorded words and the number of the module's set, the texts of its signature
sub func {
	my ($addr, $symbol, $offset, $name, $words, $set, $sig) = @_;
	my ($args, $ret, $second) = $sig ? @$sig[3 .. 5] : ('?', '?');

	return { addr => $addr, symbol => $symbol, offset => "+0x$offset", name => $name,
		 words => $words, set => $set, tail => $words . $set,
		 args => $args, ret => $ret, second => $second // $ret };
}

# An event: its bytes, see fuzz.c, and what its lines show. The kinds are entry, exit, function
# tracer, entry with the caller, branches, other, whole call.
sub event {
	my ($kind, $data, %shown) = @_;

	return { %shown, kind => $kind, bytes => pack('CS', $kind, length($data)) . $data };
}

sub common {
	return pack('SCCl', 0, 0, 0, 42);
}

# The event of a call, with the words "tail" instead of the function's
sub entry {
	my ($func, $depth, %other) = @_;

	return event(0, common() . pack('QL', $func->{addr}, $depth) .
			($other{tail} // $func->{tail}), %$func, depth => $depth, %other);
}

sub leave {
	my ($func, $depth, $tail, %other) = @_;

	return event(1, common() . pack('QQLLQQ', $func->{addr}, 0xfffffffffffffffe,
					 $depth, 0, 1000, 2345) . $tail,
		     %$func, depth => $depth, %other);
}

# The caller is an address, a name and an offset
sub function {
	my ($func, $parent, %other) = @_;

	return event(2, common() . pack('QQ', $func->{addr}, $$parent[0]) .
			($other{tail} // $func->{tail}), %$func, parent => $parent, %other);
}

sub retaddr_entry {
	my ($func, $depth, $parent) = @_;

	return event(3, common() . pack('QLQ', $func->{addr}, $depth, $$parent[0]) . $func->{tail},
		     %$func, depth => $depth, parent => $parent);
}

# Branches. Each branch begins after the target of the previous branch.
sub branches {
	my ($first, $nr, $marks, @lines) = @_;

	return event(4, common() . pack('QLL', $first, $nr, $marks) .
			pack('CQC', 31, $base + 0x11, 15) . pack('CC', 3, 0xf0) x ($nr - 1),
		     lines => ["$nr branches", (map { "  [$_]" } @lines),
			       ('  one+0x1 -> other+0x0', '  other+0x3 -> one+0x3',
				'  one+0x6 -> _text+0x6')[0 .. $nr - 1]]);
}

# A whole call: returned, or with flag 1 still open, or with flag 2 and a second register. With
# flag 8 the times of the call follow, with flag 16 the number of a branch
sub single {
	my ($func, $depth, $flags, %other) = @_;

	return event(6, common() . pack('QQLSS', $func->{addr}, 0xfffffffffffffffe,
					$flags & 8 ? 0 : 1345, $depth, $flags) .
			($flags & 8 ? pack('QQ', 1000, 2345) : '') . ($flags & 16 ? pack('Q', 77) : '') .
			($flags & 2 ? pack('Q', 5) : '') .
			($other{tail} // $func->{tail}), %$func, depth => $depth,
		     $flags & 1 ? (open => 1) : $flags & 2 ? (ret => $func->{second}) : (), %other);
}

sub longs {
	my ($sig) = @_;
	my $nr = $sig =~ /^\((.*)\)/ ? $1 =~ tr/-.a-zA-Z// : $sig;
	my $strings = () = $sig =~ /[*#]/g;

	return pack('Q*', map { $_ * 0x0102030405060708 + 0xffffff00 } 1 .. $nr) .
		pack('S/a*x![8]', "a\n\"\377") x $strings;
}

# The flags of fuzz.c, and their meaning for the lines
my ($stream, $no_sigs, $up, $random, $options, $narrow, $no_input) = map { 1 << $_ } 0 .. 6;

# The line of an event. A leaf is an entry with its exit. Stock code shows no values, and with
# its options other texts.
sub line {
	my ($flags, $event, $leaf) = @_;
	my ($kind, $depth, $parent, $name) = @$event{qw(kind depth parent name)};

	return @{$event->{lines}} if !defined $name;
	if ($flags & ($no_sigs | $narrow)) {
		my $arrow = { 0 => '-->', 1 => '<--', 3 => '-->', 6 => '---' }->{$kind};

		return " $event->{symbol} <-- $$parent[1]" if $kind == 2;
		return "$arrow $event->{symbol} ($depth)" . ($parent ? " <- $$parent[1]" : '');
	}
	my ($args, $ret, $after) = $flags & $options ? ('', '', defined $depth ? " ($depth)" : '') :
						       (@$event{qw(args ret)}, '');
	if ($kind == 2) {
		my $before = $event->{before} // '';

		return "$before$name($args) <-- $$parent[1]" if !($flags & $options);
		return "$before$event->{symbol}$event->{offset}  <-- $$parent[1]" .
		       ($$parent[2] ? "$$parent[2] " : '');
	}
	my $start = '|' . '  ' x ($depth + 1);
	my $late = "  1.345 us   $start";
	my @comment = $parent ? "<-$$parent[1]" . ($$parent[2] || '+0x0') : ();

	if ($kind == 6) {
		return "             $start$name($args) ...$after" if $event->{open};
		return "$late$name($args)" . ($ret eq '' ? ';' : " = $ret") . $after;
	}
	if ($kind == 1) {
		@comment = $ret ne '' ? "$name ret=$ret" :
			   $flags & $options || !$event->{begun} ? $name : ();
		return join(' ', "$late}", map { "/* $_ */" } @comment) . $after;
	}
	push(@comment, "ret=$leaf->{ret}") if $leaf && $leaf->{ret} ne '' && !($flags & $options);
	return join(' ', $leaf ? "$late$name($args);" : "             $start$name($args) {",
		    @comment ? "/* @comment */" : ()) . $after;
}

# The lines that fuzz.c prints
sub lines {
	my ($flags, @events) = @_;
	my ($seed, @lines, @order) = 1;
	# The exit of a leaf has no line of its own if the events are read in their order
	my $skips = !($flags & ($up | $random));

	@order = $flags & $up ? reverse(0 .. $#events) : 0 .. $#events;
	for my $i ($flags & $random ? 0 .. $#events : ()) {
		$seed = ($seed * 1103515245 + 12345) & 0xffffffff;
		$order[$i] = ($seed >> 16) % @events;
	}
	while (defined(my $i = shift(@order))) {
		my ($event, $next) = @events[$i, $i + 1];
		my $leaf = !($flags & ($stream | $no_input | $no_sigs | $narrow)) &&
			   $event->{kind} =~ /[03]/ && $next && $next->{kind} == 1 &&
			   $next->{addr} == $event->{addr} && $next->{depth} == $event->{depth};

		push(@lines, line($flags, $event, $leaf ? $next : undef));
		shift(@order) if $leaf && $skips;
	}
	return @lines;
}

my @expected;

# Write a seed: NAME, the flags of fuzz.c, the signatures and the events. Keep the expected lines.
sub seed {
	my ($name, $flags, $text, @events) = @_;

	open(my $out, '>:raw', "$dir/seed-$name") or die "$name: $!\n";
	print $out pack('CC', $flags, 0), $text, "\n", map { $_->{bytes} } @events;
	close($out) or die "$name: $!\n";
	push(@expected, [$name, lines($flags, @events)]);
}

sub signatures {
	my ($first, $second, $state) = @_;

	# Only version 1 has the state r
	return 'arg_sigs ' . ($state eq 'r' ? 1 : 2) . ';g3;GFP_KERNEL=cc0;__GFP_IO=40;__GFP_ZERO=100;' .
		table(0, $first, $second) . "${state}7;module;" .
		table(1, $first, $second) . '..';
}

my @caller = ($base + 0x18, 'one', '+0x8');
my @seeds;

for my $i (0 .. $#sigs) {
	my ($first, $second) = ($sigs[$i], $sigs[($i + 1) % @sigs]);
	my $state = ('m', 'r', 'g')[$i % 3];
	my @funcs = (func($base + 0x10, 'one', 0, 'one', longs($$first[0]), '', $first),
		     func($base + 0x20, 'other', 0, 'other', longs($$second[0]), '', $second),
		     func($module, 'of_module', 0, 'of_module [module]', longs($$first[0]), pack('L', 7),
			  $first),
		     func($module, 'of_module', 0, $state eq 'g' ? 'of_module' : 'of_module [module]',
			  longs($$first[0]), ''),
		     func($base + 0x30, 'other', 10, sprintf('%#x', $base + 0x30), '', ''),
		     func($module + 0x10, 'last', 0, sprintf('%#x', $module + 0x10), '', pack('L', 9)));
	my @events;

	for my $func (@funcs) {
		push(@events, entry($func, 1), entry($func, 2), leave($func, 2, ''),
		     leave($func, 1, pack('Q', 5) . $func->{set}, begun => 1, ret => $func->{second}),
		     leave($func, 3, $func->{set}), function($func, \@caller));
	}
	push(@events, (map { single($_, 2, 0) } @funcs),
	     single($funcs[0], 1, 2 | 16), single($funcs[2], 1, 1 | 8));
	# A caller in a module, and a caller at any address
	push(@events, function($funcs[0], [$module + 8, 'of_module', '+0x8'], before => '   '),
	     function($funcs[1], [$module + 0x123456, sprintf('%#x', $module + 0x123456), '']),
	     retaddr_entry($funcs[0], 3, [$base + 0x28, 'other', '+0x8']),
	     retaddr_entry($funcs[1], 3, [$module, 'of_module', '']), leave($funcs[1], 3, ''),
	     branches(0, 3, 0), branches(3, 2, 13, 'BRANCHES DROPPED BY THE CPU', 'PAUSED BY THE BUDGET',
		      'GAP'),
	     branches(9, 1, 0, '4 BRANCHES NOT SHOWN'),
	     event(5, common() . pack('L', 7), lines => ['7']));
	push(@seeds, [signatures($first, $second, $state), @events]);
	seed($i, 0, @{$seeds[$i]});
}

# The functions of the signatures below, which return an int and nothing
my $one = func($base + 0x10, 'one', 0, 'one', '', '', $sigs[0]);
my $in_module = func($module, 'of_module', 0, 'of_module [module]', '', pack('L', 7), $sigs[0]);
my $nothing = func($base + 0x20, 'other', 0, 'other', '', '', $sigs[6]);

# A call of the function, and its return at once
sub leaf {
	my ($func, $words, $args, $results, $ret) = @_;

	return (entry($func, 1, tail => $words . $func->{set}, args => $args),
		leave($func, 1, $results, begun => 1, ret => $ret // $func->{ret}));
}

# Each event of a call that has arguments, with the recorded words
sub each_event {
	my ($words, $args, $module_args) = @_;
	my %call = (tail => $words, args => $args);

	return leaf($one, $words, $args, ''),
	       leaf($in_module, $words, $module_args // $args, '', $module_args),
	       function($one, \@caller, %call), single($one, 1, 8 | 16, %call);
}

# The targets of pointers to numbers. A recording writes signatures like "(a*bc)" for these.
sub reads {
	my ($longs, $header, @values) = @_;
	my $tail = pack('Q*', @$longs) . $header;

	while (my ($head, $bytes) = splice(@values, 0, 2)) {
		$tail .= pack('C', $head) . $bytes;
	}
	return $tail . "\0" x (-length($tail) % 8);
}

{
	my @longs = (7, $base, $base + 8);
	my $unread = pack('S', 0x7fff);
	my $pos = pack('q', -6);
	my $addresses = 'n=7, pos=0xffffffff81000000, val=0xffffffff81000008';
	my @calls = ([reads(\@longs, $unread, 0x0c, $pos, 0x13, pack('L', 1)), 'n=7, pos=&-6, val=&A'],
		     # One target could not be read, both could not be read, one is recorded
		     [reads(\@longs, $unread, 0x0d, '', 0x13, pack('L', 77)), 'n=7, pos=&?, val=&0x4d'],
		     [reads(\@longs, $unread, 0x0d, '', 0x15, ''), 'n=7, pos=&?, val=&?'],
		     [reads([7, 0, $base], $unread, 0x13, pack('L', 2)), 'n=7, pos=NULL, val=&2'],
		     # Nothing was recorded; NULL and an error
		     [reads(\@longs, ''), $addresses],
		     [reads([7, 0, -2 & ~0], $unread), 'n=7, pos=NULL, val=ERR_PTR(-ENOENT)'],
		     # Other sizes, an unknown kind, an end within a value
		     [reads(\@longs, $unread, 0x0b, pack('L', 1), 0x14, $pos), $addresses],
		     [reads(\@longs, $unread, 0x0e, "\0" x 32, 0x13, pack('L', 1)), $addresses],
		     [pack('Q*', @longs) . $unread . pack('CCLC', 0x13, 1, 0, 0x0c),
		      'n=7, pos=0xffffffff81000000, val=&A', '?']);
	my @events = map { each_event(@$_) } @calls;

	# What a call returned besides the registers, as in version 2 and as in version 1
	my $results = pack('Q', 0) . pack('C', 0x0c) . pack('q', 4711) . "\0" x 7;
	for my $tail ($results, "$results\0\0\0\0\0\0\0\0" . pack('Q', 0)) {
		push(@events, leaf($one, @{$calls[0]}, $tail, '-2 (-ENOENT) pos=&4711'),
		     leave($in_module, 1, $tail . pack('L', 7), ret => '-2 (-ENOENT) pos=&4711'));
	}
	for ([pack('S/a*', 'text'), '"text"'], [$unread, '0xffffffff81000000']) {
		push(@events, leaf($nothing, reads([$base, $base], $$_[0], 0x0a, pack('s', -2)),
				   "name=$$_[1], flags=&0xfffe", ''));
	}
	seed('reads', 0, signatures(['(a*bc)', 'i', 'in;PDloff_t;xpos;PKEjenumAAAAval;'],
				    ['(*ab)', 'v', 'PKcname;PKsflags;'], 'm'), @events);
}

# A module that is unloaded, whose calls were recorded without arguments: only an exit has the set
seed('set-of-exit', 0, signatures($sigs[0], $sigs[6], 'g'), single($one, 1, 0, tail => longs(2)),
     entry($in_module, 1, tail => '', args => 'a=?, b=?'),
     leave($in_module, 1, pack('L', 7), begun => 1, ret => '-2 (-ENOENT)'));

# The values of expressions: the header of a string, then for each line: 7, the number of
# bytes, the number of the description, and the values
sub exprs {
	my ($longs, $header, @lines) = @_;
	my $tail = pack('Q*', @$longs) . $header;

	while (my ($nr, $values) = splice(@lines, 0, 2)) {
		$tail .= pack('CSS', 7, length($values) + 2, $nr) . $values;
	}
	return $tail . "\0" x (-length($tail) % 8);
}

{
	my @longs = ($base, 7);
	my $unread = pack('S', 0x7fff);
	my $descriptions = 'Du64;mino;Pc+0(+8(p));Ds32;in;PFv_fn;~jx;~broken~A3_Du16;ta;A16_hb;~';
	my $text = signatures(['2', 'i', 'PSs;p;in;'], ['(*ab)', 'v', 'PKcname;PSs;s;'], 'm');
	my $values = pack('CQ', 4, 4711) . pack('S/a*', "a b") . pack('Cl', 3, -5) .
		     pack('CQ', 4, $base + 0x20);
	my $shown = 'ino=4711, +0(+8(p))="a b", n=-5, fn=other';
	my $ten = pack('CL', 3, 10);
	my $array = pack('S/a*', pack('S*', 1, 2, 65535));
	my $call = 'p=0xffffffff81000000, n=7';
	my @events;

	$text =~ s/\.\.$/'.d0;e' . length($descriptions) . ";$descriptions.."/e;
	for ([exprs(\@longs, $unread, 0, $values), "$call, $shown"],
	     [exprs(\@longs, $unread, 1, $ten), "$call, x=0xa"],
	     # Two lines; NULL and an unreadable value; a text that was cut
	     [exprs(\@longs, $unread, 1, $ten, 0, $values), "$call, x=0xa, $shown"],
	     [exprs(\@longs, $unread, 0, pack('CSCC', 7, 0x7ffe, 7, 5)),
	      "$call, ino=NULL, +0(+8(p))=NULL, n=NULL, fn=?"],
	     [exprs(\@longs, $unread, 0, pack('CSCC', 5, 0x7fff, 5, 7)),
	      "$call, ino=?, +0(+8(p))=?, n=?, fn=NULL"],
	     [exprs(\@longs, $unread, 0, pack('CQSa2', 4, 1, 0x8002, 'ab')),
	      "$call, ino=1, +0(+8(p))=\"ab\"..., n=?, fn=?"],
	     # Arrays: whole, cut, not readable, with a bad size
	     [exprs(\@longs, $unread, 3, $array . pack('S/a*', pack('C*', 1 .. 16))),
	      "$call, a={1, 2, 65535}, b={" .
	      join(', ', 1 .. 9, map { sprintf('0x%x', $_) } 10 .. 16) . '}'],
	     [exprs(\@longs, $unread, 3, $array . pack('Sa9', 0x8009, pack('C*', 1 .. 9))),
	      "$call, a={1, 2, 65535}, b={" . join(', ', 1 .. 8) . ', ?...}'],
	     [exprs(\@longs, $unread, 3, pack('SS', 0x7fff, 0x7ffe)), "$call, a=?, b=NULL"],
	     [exprs(\@longs, $unread, 3, pack('S/a*', 'x' x 65)), "$call, a=?, b=?"],
	     [exprs(\@longs, $unread, 3, $array . pack('Sx', 8)), "$call, a={1, 2, 65535}, b=?"],
	     [exprs(\@longs, $unread, 3, pack('S/a*', 'xx') . pack('S/a*', 'x' x 16)),
	      "$call, a=?, b=?"],
	     # Nothing was recorded; a description that does not exist, or that is malformed
	     [pack('Q*', @longs), $call], [exprs(\@longs, $unread, 9, $values), "$call, ?"],
	     [exprs(\@longs, $unread, 77, $values, 1, $ten), "$call, ?, x=0xa"],
	     [exprs(\@longs, $unread, 2, $values), $call],
	     # Other kinds and sizes, an end within a value, no header, too few bytes
	     [exprs(\@longs, $unread, 1, pack('CQ', 4, 10)), "$call, x=?"],
	     [exprs(\@longs, $unread, 1, "\0"), "$call, x=?"],
	     [exprs(\@longs, $unread, 0, pack('CQS', 4, 1, 100)),
	      "$call, ino=1, +0(+8(p))=?, n=?, fn=?"],
	     [exprs(\@longs, $unread, 1, ''), "$call, x=?"], [exprs(\@longs, '', 1, $ten), 'p=?, n=?'],
	     [pack('Q*', @longs) . $unread . pack('CSSx', 7, 100, 0), $call],
	     [pack('Q*', @longs) . $unread . pack('CSx3', 7, 1), $call]) {
		push(@events, each_event(@$_));
	}
	for ([pack('S/a*', 'text'), '"text"'], [$unread, '0xffffffff81000000']) {
		push(@events, leaf($nothing, exprs([$base, $base], $$_[0], 1, $ten),
				   "name=$$_[1], s=0xffffffff81000000, x=0xa", ''));
	}
	seed('exprs', 0, $text, @events);
}

# Read the same events with other flags
seed('up', $up, @{$seeds[0]});
seed('random', $random, @{$seeds[1]});
seed('stream', $stream, @{$seeds[2]});
seed('stock', $no_sigs, @{$seeds[0]});
seed('options', $options, @{$seeds[0]});
seed('stock-options', $no_sigs | $options, @{$seeds[0]});
seed('narrow', $narrow, @{$seeds[0]});
seed('no-input', $no_input, @{$seeds[1]});
# As many signatures as in a distribution's kernel
seed('large', 0, 'arg_sigs 1;g0;0;' . text('(ab)vPKcname;Dsize_t;msize;~') . '50000;' .
	varint(0x20) . varint(0) . (varint(32) . varint(0)) x 49999 . '.',
	entry($one, 0, tail => pack('QQ', $base, 6), args => '?'));

# The shell sorts the names of the seeds, too
open(my $out, '>', "$dir/expected") or die "expected: $!\n";
print $out map { "$_\n" } map { @$_[1 .. $#$_] } sort { "seed-$$a[0]" cmp "seed-$$b[0]" } @expected;
close($out) or die "expected: $!\n";

# The events: the number, the print format after its first quote, then type, name and size of
# each field
my %events = (
	arg_sigs => [9, '."'],
	funcgraph_entry => [10, '--> %ps (%d)", (void *)REC->func, REC->depth',
		'unsigned long func', 8, 'int depth', 4, 'unsigned long args[]', 0],
	funcgraph_exit => [11, '<-- %ps (%d)", (void *)REC->func, REC->depth',
		'unsigned long func', 8, 'unsigned long retval', 8, 'int depth', 4,
		'unsigned int overrun', 4, 'unsigned long long calltime', 8,
		'unsigned long long rettime', 8, 'unsigned long retval2[]', 0],
	function => [12, ' %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip',
		'unsigned long ip', 8, 'unsigned long parent_ip', 8, 'unsigned long args[]', 0],
	fgraph_retaddr_entry => [13, '--> %ps (%d) <- %ps", (void *)REC->func, REC->depth, ' .
		'(void *)REC->retaddr', 'unsigned long func', 8, 'int depth', 4,
		'unsigned long retaddr', 8, 'unsigned long args[]', 0],
	bts => [14, '%u branches", REC->nr', 'u64 first', 8, 'unsigned int nr', 4,
		'unsigned int marks', 4, 'u8 data[]', 0],
	other => [15, '%d", REC->val', 'int val', 4],
	funcgraph_call => [16, '--- %ps (%u)", (void *)REC->func, REC->depth',
		'unsigned long func', 8, 'unsigned long retval', 8,
		'unsigned int length', 4, 'unsigned short depth', 2, 'unsigned short flags', 2, 'u32 args[]', 0],
);

sub formats {
	return map { format_of($_, @{$events{$_}}) } @_;
}

# Write the formats for fuzz.c, by the kinds of the events
sub c_text {
	my ($text) = @_;
	my %escapes = ('"' => '\\"', "\n" => '\n', "\t" => '\t');

	return '"' . $text =~ s/(["\n\t])/$escapes{$1}/gr . '"';
}

open(my $header, '>', "$dir/formats.h") or die "formats.h: $!\n";
print $header 'static const char header_page[] = ', c_text($Dat::header_page), ";\n",
	'static const char carrier_format[] = ', map({ c_text($_) } formats('arg_sigs')), ";\n",
	"static const char * const formats[] = {\n",
	map({ c_text($_) . ",\n" } formats(sort { $events{$a}[0] <=> $events{$b}[0] }
					    grep { $_ ne 'arg_sigs' } keys %events)), "};\n";
close($header) or die "formats.h: $!\n";

# The formats of a file with these signatures
sub formats_with {
	my ($text) = @_;

	return (formats(qw(funcgraph_entry funcgraph_exit function other)),
		$text ? format_of('arg_sigs', $events{arg_sigs}[0], "$text\"") : ());
}

sub bytes {
	my ($id, $pid, $data) = @_;

	return pack('SCCl', $id, 0, 0, $pid) . $data;
}

# Random calls on two CPUs. A task may end its calls on the other CPU.
sub calls {
	my ($nr, @funcs) = @_;
	my @events = ([], []);
	my @open = ([], []);
	my $time = 1000000;

	for (1 .. $nr) {
		my $cpu = int(rand(2));
		my ($addr, $tail) = @{$funcs[rand(@funcs)]};
		my $stack = $open[$cpu];
		my $depth = @$stack;
		my $what = rand();
		my $leave = sub {
			my ($func, $deep) = @_;

			push(@{$events[$cpu]}, [$time, bytes(11, 42 + $cpu,
				pack('QQLLQQ', $func, 0xfffffff6, $deep, 0, $time - 345, $time))]);
		};

		$time += 1 + int(rand(2000));
		if ($what < 0.3 && $depth < 20) {
			push(@{$events[$cpu]}, [$time, bytes(10, 42 + $cpu, pack('QL', $addr, $depth) . $tail)]);
			push(@$stack, $addr);
		} elsif ($what < 0.6) {
			push(@{$events[$cpu]}, [$time, bytes(10, 42 + $cpu, pack('QL', $addr, $depth) . $tail)]);
			$leave->($addr, $depth);
		} elsif ($what < 0.85 && $depth) {
			$leave->(pop(@$stack), $depth - 1);
		} elsif ($what < 0.9) {
			# The begin is missing
			$leave->($addr, $depth);
		} elsif ($what < 0.93) {
			@open = reverse(@open);
		} elsif ($what < 0.95) {
			push(@{$events[$cpu]}, [$time, bytes(15, 42, pack('l', $time))]);
		} else {
			push(@{$events[$cpu]}, [$time, bytes(12, 42, pack('QQ', $addr, ${$funcs[rand(@funcs)]}[0] + 4) . $tail)]);
		}
	}
	return map { pages(@$_) } @events;
}

# Random calls with one event each. Most calls begin and end at the time of other events, as
# with a clock of low precision, or because tasks change the CPU. Tasks may also sleep.
# Calls then seem to return earlier by the time of the sleep, as without sleep-time.
sub whole_calls {
	my ($coarse, $sleep, $nr, @funcs) = @_;
	my @events = ([], []);
	my @tasks = map { { pid => $_, calls => [] } } 42, 43;
	my $time = 1000000;
	my @lost = (0, 0);
	my $write = sub {
		my ($cpu, $call, $depth, $flags) = @_;
		my ($begin, $slept, $addr, $tail, $second) = @$call;

		$slept = 0 if $flags & 1;
		$flags |= 2 if $second && !$flags;
		push(@{$events[$cpu]}, [$time, bytes(16, $tasks[$cpu]{pid},
			pack('QQQQSS', $addr, $flags & 1 ? 0 : 0xfffffff6, $begin, $time - $slept, $depth, $flags) .
			($flags & 2 ? pack('Q', $second) : '') . $tail), $lost[$cpu] || undef]);
		$lost[$cpu] = 0;
	};

	for (1 .. $nr) {
		my $cpu = int(rand(2));
		my $task = $tasks[$cpu];
		my $calls = $task->{calls};
		my $depth = @$calls;
		my $what = rand();

		$time += 1 + int(rand(2000)) if !$coarse || rand() < 0.3;
		$time += 1 << 30 if rand() < 0.001;
		if ($what < 0.45 && $depth < 20) {
			push(@$calls, [$time, 0, @{$funcs[rand(@funcs)]}]);
		} elsif ($what < 0.9 && $depth) {
			$write->($cpu, pop(@$calls), $depth - 1, 0);
		} elsif ($what < 0.94) {
			push(@{$events[$cpu]}, [$time, bytes(15, $task->{pid}, pack('l', $time & 0xffff))]);
		} elsif ($what < 0.97) {
			# This looks as if there was no room to keep the call
			push(@{$events[$cpu]},
			     [$time, bytes(10, $task->{pid}, pack('QL', $funcs[0][0], $depth) . $funcs[0][1])],
			     [$time, bytes(11, $task->{pid}, pack('QQLLQQ', $funcs[0][0], 0, $depth, 0, $time, $time))]);
		} elsif ($what < 0.98) {
			@tasks = reverse(@tasks) if !$coarse;
		} elsif ($what < 0.985 && $sleep && $depth) {
			# Let the innermost call sleep and end, maybe on another CPU
			$_->[1] += 50000 for @$calls;
			$time += 51000;
			@tasks = reverse(@tasks) if rand() < 0.3;
			($cpu) = grep { $tasks[$_] == $task } 0, 1;
			$write->($cpu, pop(@$calls), $depth - 1, 0);
		} elsif (!$depth) {
			$lost[$cpu] = 1 + int(rand(100));
			$time++;
		}
	}
	for my $cpu (0, 1) {
		my $depth = 0;

		$write->($cpu, $_, $depth++, 1) for @{$tasks[$cpu]{calls}};
	}
	return map { pages(@$_) } @events;
}

# Calls that are decided at the entry or at the return.  At the return, the entries of the
# call and of its callers are written late, but not the callers of an interrupt.  With $single, a call has one event.  With $lossy,
# runs of events are lost.  With $fails, calls return errors, which their callers may return as
# well, and there are other events.  Adds a line for each call to @$truth: buffer, process, depth,
# begin, duration, the time of the entry event, and the end; -1 stands for what is not recorded, and
# for the end of a call that has not returned.
my $fails = 0;
my @errors = (2, 3);
my $start = 1000000;

sub decided_calls {
	my ($truth, $buffer, $single, $lossy, $nr, @funcs) = @_;
	my @events = ([], []);
	my @tasks = map { { pid => $_, calls => [] } } 42, 43;
	my ($time, @lost, @left) = ($start, 0, 0);
	my $write = sub {
		my ($cpu, $id, $data) = @_;
		my $left = $left[$cpu] // 0;

		$time += int(rand(60));
		$left[$cpu] = $left - 1 if $left;
		$left[$cpu] = int(rand(20)) if $lossy && rand() < 0.02;
		if ($left) {
			$lost[$cpu]++;
			return -1;
		}
		$data = $data->() if ref($data);
		push(@{$events[$cpu]}, [$time, bytes($id, $tasks[$cpu]{pid}, $data), $lost[$cpu] || undef]);
		$lost[$cpu] = 0;
		return $time;
	};
	my $enter = sub {
		my ($cpu, $calls) = @_;
		my $first = (grep { !$_ || $calls->[$_]{interrupts} } 0 .. $#$calls)[-1];

		for my $depth (grep { !$calls->[$_]{written} } $first .. $#$calls) {
			my $call = $calls->[$depth];

			$call->{written} = 1;
			$call->{entry} = $write->($cpu, 10, pack('QL', $call->{addr}, $depth) . $call->{tail});
		}
	};
	my $tell = sub {
		my ($task, $call, $depth, $duration, $end) = @_;

		push(@$truth, join(' ', $buffer, $task->{pid}, $depth, $call->{begin}, $duration,
				   $call->{entry}, $end)) if $duration >= 0 || $call->{entry} >= 0;
	};

	for (1 .. $nr) {
		my $cpu = int(rand(2));
		my $task = $tasks[$cpu];
		my $calls = $task->{calls};
		my $depth = @$calls;
		my $what = rand();

		$time += 1 + int(rand(2000));
		if ($what < 0.48 && $depth < 12) {
			my ($addr, $tail) = @{$funcs[rand(@funcs)]};
			push(@$calls, { begin => $time, addr => $addr, tail => $tail, entry => -1,
					interrupts => rand() < 0.1 });
			$enter->($cpu, $calls) if !$single && rand() < 0.2;
		} elsif ($what < 0.96 && $depth) {
			my $call = $calls->[-1];
			my $end = $time;
			my $duration = $end - $call->{begin};
			my $exit = -1;
			my $ret = 5;

			if ($fails) {
				$ret = $call->{failed} // -$errors[rand(@errors)] if rand() < ($call->{failed} ? 0.7 : 0.2);
				$calls->[-2]{failed} = $ret if $depth > 1 && $ret < 0;
				$ret &= 0xffffffff;
			}
			if ($single) {
				# The call ends at the time of the event, or the event has the times
				my $times = $time % 3 == 0;

				$exit = $write->($cpu, 16, sub {
					$duration = $time - $call->{begin} if !$times;
					return pack('QQLSS', $call->{addr}, $ret, $times ? 0 : $duration,
						    $depth - 1, $times ? 8 : 0) .
					       ($times ? pack('QQ', $call->{begin}, $end) : '') . $call->{tail};
				});
				$call->{entry} = $exit;
			} elsif ($call->{written} || rand() < 0.3) {
				$enter->($cpu, $calls);
				$exit = $write->($cpu, 11, pack('QQLLQQ', $call->{addr}, $ret, $depth - 1, 0,
								$call->{begin}, $end));
			}
			$tell->($task, $call, $depth - 1, $exit < 0 ? -1 : $duration, $end);
			pop(@$calls);
		} elsif ($what < 0.98) {
			@tasks = reverse(@tasks);
		} elsif ($fails) {
			$write->($cpu, 15, pack('l', $time));
		}
	}
	for my $task (@tasks) {
		my $depth = 0;

		$tell->($task, $_, $depth++, -1, -1) for @{$task->{calls}};
	}
	# The losses before the end are marked, too
	$lossy = 0;
	@left = (0, 0);
	$write->($_, 15, pack('l', 0)) for 0, 1;
	return map { pages(@$_) } @events;
}

# Write a file: the formats, and for each of three buffers the pages of the CPUs
my $clock = '';
my ($machine, $date) = ('host 6.12.57', 0);
my $tasks = "42 task\n43 other\n";

sub recording {
	my ($name, $formats, @cpus) = @_;
	my $option = $clock eq '' ? '' : pack('S', 4) . sized('L', "local [$clock]\n") .
				      pack('S', 5) . sized('L', "Linux $machine x86_64\0");
	my $symbols = join('', map { sprintf("%x t %s\n", @$_) }
			   [$base, '_text'], [$base + 0x10, 'one'], [$base + 0x20, 'another'],
			   [$module, "of_module\t[module]"], [$module + 0x10, "last\t[module]"]);

	$option .= pack('S', 1) . sized('L', sprintf("0x%x\0", $date)) if $date;
	write_dat($name, $formats, $symbols, $tasks, $option, ['', @cpus[0, 1]], ['two', @cpus[2, 3]],
		  ['six', @cpus[4, 5]]);
}

# The first function is void, the second function returns an int
my ($void, $int) = @sigs[6, 0];
my @args = (longs($$void[0]), longs($$int[0]));
srand(15);
recording("$dir/calls.dat", [formats_with(signatures($void, $int, 'm'))],
	  map { calls(3000, [$base + 0x10, $args[0]], [$base + 0x20, $args[1]], [$base + 0x30, ''],
		      [$module, $args[0] . pack('L', 7)], [$module + 0x10, $args[1] . pack('L', 7)],
		      [$module + 0x10, pack('L', 9)]) } 1, 2, 3);
recording("$dir/plain.dat", [formats_with()],
	  map { calls(3000, map { [$_, ''] } $base + 0x10, $base + 0x20, $base + 0x30, $module) } 1, 2, 3);

# Three ends without a begin, the innermost first. The delay between a call's end and its
# event grows from event to event, as if an interrupt came between. According to the events'
# times, the calls begin in the opposite order.
recording("$dir/ends.dat", [formats_with()],
	  map { my $pid = 41 + $_;
		pages(map { [$$_[0], bytes(11, $pid, pack('QQLLQQ', $base + 0x10, 0, $$_[1], 0,
							  $$_[0] - $$_[2] - 10, $$_[0] - 10))] }
			  [2000000, 2, 500000], [2000100, 1, 500050], [2000300, 0, 500200]) } 1 .. 6);

my ($format) = formats('funcgraph_call');

# The first function returns an int. The calls of late.dat have two events, those of early.dat
# have one event. Events of lossy.dat are lost.
for ([late => 0, 0], [lossy => 0, 1], [early => 1, 0]) {
	my ($name, $single, $lossy) = @$_;
	my (@truth, @cpus);

	for my $buffer ('-', 'two', 'six') {
		push(@cpus, decided_calls(\@truth, $buffer, $single, $lossy, 3000, [$base + 0x10, $args[1]],
					  [$base + 0x20, $args[1]], [$module, $args[1] . pack('L', 7)]));
	}
	recording("$dir/$name.dat", [formats_with(signatures($int, $int, 'm')), $format], @cpus);
	open(my $out, '>', "$dir/$name.truth") or die "$name.truth: $!\n";
	print $out "$_\n" for sort @truth;
	close($out) or die "$name.truth: $!\n";
}

# Machines of two kernels. Only the newer kernel has the error 28.
$fails = 1;
for my $nr (1 .. $machines) {
	my $newer = $nr % 2;

	srand($nr);
	$clock = 'local';
	($machine, $date) = (sprintf('m%03d ', $nr) . ($newer ? '7.3.0' : '6.12.57'),
			     1750000000000000 + $nr % 4 * 86400 * 1000000);
	@errors = $newer ? (2, 3, 28) : (2, 3);
	recording(sprintf("$dir/m%03d.dat", $nr), [formats_with(signatures($int, $int, 'm')), $format],
		  map { decided_calls([], '-', $nr % 3 == 0, 0, 300, [$base + 0x20, $args[1]],
				      map { [$base + 0x10, pack('Q*', $_, 1)] } 1 .. 5) } 1, 2, 3);
}
exit if $machines;

# Calls that fail, with two events and with one event
for my $single (0, 1) {
	recording("$dir/errors-" . ($single ? 'one' : 'two') . '.dat',
		  [formats_with(signatures($int, $int, 'm')), $format],
		  map { decided_calls([], '-', $single, 0, 3000, [$base + 0x10, $args[1]],
				      [$base + 0x20, $args[1]], [$module, $args[1] . pack('L', 7)]) } 1, 2, 3);
}
$fails = 0;

# Other clocks, of which one has no nanoseconds, with the kernel's release; and no calls
for my $name (qw(mono counter)) {
	$clock = $name;
	recording("$dir/$name.dat", [formats_with(signatures($int, $int, 'm')), $format],
		  map { decided_calls([], '-', 0, 0, 1000, [$base + 0x10, $args[1]]) } 1, 2, 3);
}
$clock = '';
recording("$dir/none.dat", [formats_with(signatures($int, $int, 'm'))],
	  map { pages([1000000, bytes(15, 42, pack('l', $_))]) } 1 .. 6);

# Strings and names of tasks with bytes that are not UTF-8, and large numbers
$tasks = "42 t\xc3\xa4sk\n43 \xc3\xa4\xc3\\\n";
recording("$dir/strings.dat", [formats_with(signatures($sigs[1], $int, 'm'))],
	  map { calls(300, [$base + 0x10, longs($sigs[1][0])]) } 1, 2, 3);
$tasks = "42 task\n43 other\n";

# Pages with a wrong length or time.  The kernel writes none of them.
my %damages = (
	'event-long'	=> sub { substr($_[0], 16, 8) = pack('LL', 0, 0x40000000) },
	'event-wraps'	=> sub { substr($_[0], 16, 8) = pack('LL', 0, 0xfffffff8) },
	'event-zero'	=> sub { substr($_[0], 16, 8) = pack('LL', 0, 0) },
	'padding-back'	=> sub { substr($_[0], 16, 8) = pack('LL', 29 | 1 << 5, 0xfffffffc) },
	'padding-zero'	=> sub { substr($_[0], 16, 8) = pack('LL', 29 | 1 << 5, 0) },
	'page-long'	=> sub { substr($_[0], 8, 4) = pack('L', 4090) },
	'page-longer'	=> sub { substr($_[0], 8, 4) = pack('L', 0x7fffff0) },
	'page-early'	=> sub { substr($_[0], 0, 8) = pack('Q', 0) },
);
for my $name (sort keys %damages) {
	srand(15);
	my @cpus = map { calls(3000, [$base + 0x10, $args[0]], [$base + 0x20, $args[1]]) } 1, 2, 3;

	for my $cpu (@cpus[0, 3]) {
		my $page = substr($cpu, 8 * 4096, 4096);

		$damages{$name}->($page);
		substr($cpu, 8 * 4096, 4096) = $page;
	}
	recording("$dir/$name.dat", [formats_with(signatures($void, $int, 'm'))], @cpus);
}

# A page with one record that is longer than the page
my $long = pack('LL', 0, 0x100000) .
	   bytes(11, 42, pack('QQLLQQ', $base + 0x20, 0xfffffff6, 0, 0, 1000, 2000));
recording("$dir/record-long.dat", [formats_with(signatures($void, $int, 'm'))],
	  map { pack('QQ', 1000000, length($long)) . $long . "\0" x (4080 - length($long)) } 1 .. 6);

# The same with a block of branches
$long = pack('LL', 0, 0x100000) . bytes(14, 42, pack('QLL', 1, 1, 0) . "\0" x 16);
recording("$dir/block-long.dat", [formats('bts')],
	  map { pack('QQ', 1000000, length($long)) . $long . "\0" x (4080 - length($long)) } 1 .. 6);

# The second function returns two registers
my $two = $sigs[2];
recording("$dir/whole.dat",
	  [formats_with(signatures($void, $two, 'm')), $format],
	  map { whole_calls($_ == 1, $_ == 3, 3000, [$base + 0x10, $args[0]],
			    [$base + 0x20, longs($$two[0]), 0x0123456789], [$base + 0x30, ''],
			    [$module, $args[0] . pack('L', 7)],
			    [$base + 0x10, $args[0] . pack('Q*', 1 .. 20)]) } 1, 2, 3);

# Times that a double does not have exactly
$clock = 'tai';
$start = 1700000000000000001;
recording("$dir/tai.dat", [formats_with(signatures($int, $int, 'm')), $format],
	  map { decided_calls([], '-', 0, 0, 1000, [$base + 0x10, $args[1]]) } 1, 2, 3);

# Many records on each CPU of the first buffer
$clock = '';
recording("$dir/long.dat", [formats_with(signatures($int, $int, 'm'))],
	  map { calls($_, [$base + 0x10, $args[1]], [$base + 0x20, $args[1]]) } 30000, 300, 300);

# Arguments with the names of other values of a call
my $named = ['3', 'i', 'ierrno;iret;ilost;'];
recording("$dir/named.dat", [formats_with(signatures($named, $int, 'm'))],
	  map { calls(300, [$base + 0x10, longs($$named[0])]) } 1, 2, 3);

# Values of one name, as expressions may have them: another text, the same text, no name
my $twice = ['6', 'i', 'ia;ia;ia;ia;iarg5;i;'];
recording("$dir/twice.dat", [formats_with(signatures($twice, $int, 'm'))],
	  map { calls(300, [$base + 0x10, pack('Q*', 1, 2, 1, 3, 4, 5)]) } 1, 2, 3);
# Two strings whose bytes are not UTF-8, and two numbers
my $texts = ['(*a*b*cde)', 'i', 'PKcname;PKcname;PKcname;ia;ia;'];
recording("$dir/texts.dat", [formats_with(signatures($texts, $int, 'm'))],
	  map { calls(300, [$base + 0x10, pack('Q*', 1 .. 5) .
					  pack('(S/a*)3x![8]', "a\377", "b\377", "a\377")]) } 1, 2, 3);

# An argument that is 0 or 1
recording("$dir/bit.dat", [formats_with(signatures(['1', 'i', 'ia;'], $int, 'm'))],
	  map { calls(300, map { [$base + 0x10, pack('Q', $_)] } 0, 1) } 1, 2, 3);

# Numbers that lines with a type compare; the last two stand for expressions
my $typed = ['6', 'i', 'ia;B__be16;tport;hb;Ggfp_t;jgfp;j+8(p);tp->x;'];
recording("$dir/typed.dat", [formats_with(signatures($typed, $int, 'm'))],
	  map { calls(300, [$base + 0x10, pack('Q*', 0xdeadbeef00000000 | (-5 & 0xffffffff), 0x6712,
					       0xff00 | 200, 0, 92, 0x1234)]) } 1, 2, 3);

# NULL: a pointer, a text, a pointer on the way to an expression's text, and such a text
my $nulls = signatures(['(*a*b)', 'i', 'PKcnone;PKctext;'], $int, 'm');
my $null_exprs = 'Pcway;Pcword;~';
$nulls =~ s/\.\.$/'.d0;e' . length($null_exprs) . ";$null_exprs.."/e;
recording("$dir/nulls.dat", [formats_with($nulls)],
	  map { calls(300, [$base + 0x10, exprs([0, $base], pack('SS/a*', 0x7fff, 'NULL'), 0,
						pack('SS/a*', 0x7ffe, 'NULL'))]) } 1, 2, 3);
