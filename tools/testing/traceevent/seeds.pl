#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# seeds.pl DIR [MACHINES]
#
# Writes inputs for fuzz.c: whole recordings, which the fuzzer damages.  Writes calls.dat
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

# Signatures of functions: longs, return, parameters
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

# An event, see fuzz.c: entry, exit, function tracer, entry with the caller, branches, whole
# call
sub event {
	my ($kind, $data) = @_;

	return pack('CS', $kind, length($data)) . $data;
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

	return event(2, common() . pack('QQ', $func, $parent) . $tail);
}

sub retaddr_entry {
	my ($func, $depth, $parent, $tail) = @_;

	return event(3, common() . pack('QLQ', $func, $depth, $parent) . $tail);
}

# Branches. Each branch begins after the target of the previous branch.
sub branches {
	my ($first, $nr, $marks) = @_;

	return event(4, common() . pack('QLL', $first, $nr, $marks) .
			pack('CQC', 31, $base + 0x11, 15) . pack('CC', 3, 0xf0) x ($nr - 1));
}

sub single {
	my ($func, $depth, $flags, $tail) = @_;

	return event(6, common() . pack('QQQQSS', $func, 0xfffffffffffffffe, 1000, 2345,
					 $depth, $flags) . $tail);
}

sub longs {
	my ($sig) = @_;
	my $nr = $sig =~ /^\((.*)\)/ ? $1 =~ tr/-.a-zA-Z// : $sig;
	my $strings = () = $sig =~ /[*#]/g;

	return pack('Q*', map { $_ * 0x0102030405060708 + 0xffffff00 } 1 .. $nr) .
		pack('S/a*x![8]', "a\n\"\377") x $strings;
}

my @texts;

# Write a seed: NAME, the flags of fuzz.c, the signatures and the events
sub seed {
	my ($name, $flags, $text) = @_;

	open(my $out, '>:raw', "$dir/seed-$name") or die "$name: $!\n";
	print $out pack('CC', $flags, 0), $text;
	close($out) or die "$name: $!\n";
}

sub signatures {
	my ($first, $second, $state) = @_;

	# Only version 1 has the state r
	return 'arg_sigs ' . ($state eq 'r' ? 1 : 2) . ';g3;GFP_KERNEL=cc0;__GFP_IO=40;__GFP_ZERO=100;' .
		table(0, $first, $second) . "${state}7;module;" .
		table(1, $first, $second) . '..';
}

for my $i (0 .. $#sigs) {
	my ($first, $second) = ($sigs[$i], $sigs[($i + 1) % @sigs]);
	my @funcs = ([$base + 0x10, longs($$first[0]), ''],
		     [$base + 0x20, longs($$second[0]), ''],
		     [$module, longs($$first[0]), pack('L', 7)],
		     [$module, longs($$first[0]), ''],
		     [$base + 0x30, '', ''],
		     [$module + 0x10, '', pack('L', 9)]);

	my $text = signatures($first, $second, ('m', 'r', 'g')[$i % 3]) . "\n";
	for my $func (@funcs) {
		my ($addr, $tail, $set) = @$func;

		$text .= entry($addr, 1, $tail . $set);
		$text .= entry($addr, 2, $tail . $set);
		$text .= leave($addr, 2, '');
		$text .= leave($addr, 1, pack('Q', 5) . $set);
		$text .= leave($addr, 3, $set);
		$text .= function($addr, $base + 0x18, $tail . $set);
	}
	# Whole calls: returned, with a second register, still open
	$text .= single($$_[0], 2, 0, $$_[1] . $$_[2]) for @funcs;
	$text .= single($funcs[0][0], 1, 2, pack('Q', 5) . $funcs[0][1]);
	$text .= single($funcs[2][0], 1, 1, $funcs[2][1] . $funcs[2][2]);
	# A caller in a module, and a caller at any address
	$text .= function($base + 0x10, $module + 8, $funcs[0][1]);
	$text .= function($base + 0x20, $module + 0x123456, $funcs[1][1]);
	$text .= retaddr_entry($base + 0x10, 3, $base + 0x28, $funcs[0][1]);
	$text .= retaddr_entry($base + 0x20, 3, $module, $funcs[1][1]) . leave($base + 0x20, 3, '');
	$text .= branches(0, 3, 0) . branches(3, 2, 5) . branches(9, 1, 0) . event(5, common() . pack('L', 7));
	seed($i, 0, $text);
	push(@texts, $text);
}

# Each event of a call that has arguments, with the recorded words
sub each_event {
	my ($tail) = @_;

	return entry($base + 0x10, 1, $tail) . leave($base + 0x10, 1, '') .
	       entry($module, 1, $tail . pack('L', 7)) . leave($module, 1, '') .
	       function($base + 0x10, $base + 0x18, $tail) . single($base + 0x10, 1, 0, $tail);
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
	my $text = signatures(['(a*bc)', 'i', 'in;PDloff_t;xpos;PKEjenumAAAAval;'],
			      ['(*ab)', 'v', 'PKcname;PKsflags;'], 'm') . "\n";
	my @tails = (reads(\@longs, $unread, 0x0c, $pos, 0x13, pack('L', 1)),
		     # One target could not be read, both could not be read, one is recorded
		     reads(\@longs, $unread, 0x0d, '', 0x13, pack('L', 77)),
		     reads(\@longs, $unread, 0x0d, '', 0x15, ''),
		     reads([7, 0, $base], $unread, 0x13, pack('L', 2)),
		     # Nothing was recorded; NULL and an error
		     reads(\@longs, ''), reads([7, 0, -2 & ~0], $unread),
		     # Other sizes, an unknown kind, an end within a value
		     reads(\@longs, $unread, 0x0b, pack('L', 1), 0x14, $pos),
		     reads(\@longs, $unread, 0x0e, "\0" x 32, 0x13, pack('L', 1)),
		     pack('Q*', @longs) . $unread . pack('CCLC', 0x13, 1, 0, 0x0c));

	$text .= each_event($_) for @tails;
	# What a call returned besides the registers, as in version 2 and as in version 1
	my $results = pack('Q', 0) . pack('C', 0x0c) . pack('q', 4711) . "\0" x 7;
	for my $tail ($results, "$results\0\0\0\0\0\0\0\0" . pack('Q', 0)) {
		$text .= entry($base + 0x10, 1, $tails[0]) . leave($base + 0x10, 1, $tail);
		$text .= leave($module, 1, $tail . pack('L', 7));
	}
	for my $string (pack('S/a*', 'text'), $unread) {
		$text .= entry($base + 0x20, 1, reads([$base, $base], $string, 0x0a, pack('s', -2))) .
			 leave($base + 0x20, 1, '');
	}
	seed('reads', 0, $text);
}

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
	my $descriptions = 'Du64;mino;Pc+0(+8(p));Ds32;in;PFv_fn;~jx;~broken~';
	my $text = signatures(['2', 'i', 'PSs;p;in;'], ['(*ab)', 'v', 'PKcname;PSs;s;'], 'm') . "\n";
	my $values = pack('CQ', 4, 4711) . pack('S/a*', "a b") . pack('Cl', 3, -5) .
		     pack('CQ', 4, $base + 0x20);

	$text =~ s/\.\.\n$/'.d0;e' . length($descriptions) . ";$descriptions..\n"/e;
	my @tails = (exprs(\@longs, $unread, 0, $values), exprs(\@longs, $unread, 1, pack('CL', 3, 10)),
		     # Two lines; NULL and an unreadable value; a text that was cut
		     exprs(\@longs, $unread, 1, pack('CL', 3, 10), 0, $values),
		     exprs(\@longs, $unread, 0, pack('CSCC', 7, 0x7ffe, 7, 5)),
		     exprs(\@longs, $unread, 0, pack('CSCC', 5, 0x7fff, 5, 7)),
		     exprs(\@longs, $unread, 0, pack('CQSa2', 4, 1, 0x8002, 'ab')),
		     # Nothing was recorded; a description that does not exist, or that is
		     # malformed
		     pack('Q*', @longs), exprs(\@longs, $unread, 3, $values),
		     exprs(\@longs, $unread, 77, $values, 1, pack('CL', 3, 10)),
		     exprs(\@longs, $unread, 2, $values),
		     # Other kinds and sizes, an end within a value, no header, too few bytes
		     exprs(\@longs, $unread, 1, pack('CQ', 4, 10)), exprs(\@longs, $unread, 1, "\0"),
		     exprs(\@longs, $unread, 0, pack('CQS', 4, 1, 100)), exprs(\@longs, $unread, 1, ''),
		     exprs(\@longs, '', 1, pack('CL', 3, 10)),
		     pack('Q*', @longs) . $unread . pack('CSSx', 7, 100, 0),
		     pack('Q*', @longs) . $unread . pack('CSx3', 7, 1));

	$text .= each_event($_) for @tails;
	for my $string (pack('S/a*', 'text'), $unread) {
		$text .= entry($base + 0x20, 1, exprs([$base, $base], $string, 1, pack('CL', 3, 10))) .
			 leave($base + 0x20, 1, '');
	}
	seed('exprs', 0, $text);
}

# Read the same events with other flags
seed('up', 4, $texts[0]);
seed('random', 8, $texts[1]);
seed('stream', 1, $texts[2]);
seed('stock', 2, $texts[0]);
seed('options', 16, $texts[0]);
seed('stock-options', 2 | 16, $texts[0]);
seed('narrow', 32, $texts[0]);
seed('no-input', 64, $texts[1]);
# As many signatures as in a distribution's kernel
seed('large', 0, 'arg_sigs 1;g0;0;' . text('(ab)vPKcname;Dsize_t;msize;~') . '50000;' .
	varint(0x20) . varint(0) . (varint(32) . varint(0)) x 49999 . ".\n" .
	entry($base + 0x10, 0, pack('QQ', $base, 6)));


my @common = ('unsigned short common_type', 2, 'unsigned char common_flags', 1,
	      'unsigned char common_preempt_count', 1, 'int common_pid', 4);

# A format: NAME, ID, PRINT FORMAT, then type, name and size of each field
sub format_of {
	my ($name, $id, $print, @fields) = @_;
	my $text = "name: $name\nID: $id\nformat:\n";
	my $offset = 0;

	@fields = (@common, @fields);
	while (my ($field, $size) = splice(@fields, 0, 2)) {
		my $signed = $field =~ /^int/ ? 1 : 0;

		$text .= "\tfield:$field;\toffset:$offset;\tsize:$size;\tsigned:$signed;\n";
		$text .= "\n" if $field =~ /common_pid/;
		$offset += $size;
	}
	return "$text\nprint fmt: \"$print\n";
}

sub formats {
	my ($text) = @_;

	return (format_of('funcgraph_entry', 10, '--> %ps (%d)", (void *)REC->func, REC->depth',
			  'unsigned long func', 8, 'int depth', 4, 'unsigned long args[]', 0),
		format_of('funcgraph_exit', 11, '<-- %ps (%d)", (void *)REC->func, REC->depth',
			  'unsigned long func', 8, 'unsigned long retval', 8, 'int depth', 4,
			  'unsigned int overrun', 4, 'unsigned long long calltime', 8,
			  'unsigned long long rettime', 8, 'unsigned long retval2[]', 0),
		format_of('function', 13, ' %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip',
			  'unsigned long ip', 8, 'unsigned long parent_ip', 8,
			  'unsigned long args[]', 0),
		format_of('other', 14, '%d", REC->val', 'int val', 4),
		$text ? format_of('arg_sigs', 12, "$text\"") : ());
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
			push(@{$events[$cpu]}, [$time, bytes(14, 42, pack('l', $time))]);
		} else {
			push(@{$events[$cpu]}, [$time, bytes(13, 42, pack('QQ', $addr, ${$funcs[rand(@funcs)]}[0] + 4) . $tail)]);
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
		push(@{$events[$cpu]}, [$time, bytes(15, $tasks[$cpu]{pid},
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
			push(@{$events[$cpu]}, [$time, bytes(14, $task->{pid}, pack('l', $time & 0xffff))]);
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
# begin, duration, and the time of the entry event; -1 stands for what is not recorded.
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
		my ($task, $call, $depth, $duration) = @_;

		push(@$truth, join(' ', $buffer, $task->{pid}, $depth, $call->{begin}, $duration,
				   $call->{entry})) if $duration >= 0 || $call->{entry} >= 0;
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
				$exit = $write->($cpu, 15, pack('QQQQSS', $call->{addr}, $ret, $call->{begin}, $end,
								$depth - 1, 0) . $call->{tail});
				$call->{entry} = $exit;
			} elsif ($call->{written} || rand() < 0.3) {
				$enter->($cpu, $calls);
				$exit = $write->($cpu, 11, pack('QQLLQQ', $call->{addr}, $ret, $depth - 1, 0,
								$call->{begin}, $end));
			}
			$tell->($task, $call, $depth - 1, $exit < 0 ? -1 : $duration);
			pop(@$calls);
		} elsif ($what < 0.98) {
			@tasks = reverse(@tasks);
		} elsif ($fails) {
			$write->($cpu, 14, pack('l', $time));
		}
	}
	for my $task (@tasks) {
		my $depth = 0;

		$tell->($task, $_, $depth++, -1) for @{$task->{calls}};
	}
	# The losses before the end are marked, too
	$lossy = 0;
	@left = (0, 0);
	$write->($_, 14, pack('l', 0)) for 0, 1;
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
	my $table = '';
	my $file = dat_head($formats, $symbols, $tasks, 2);
	my $at;

	$option .= pack('S', 1) . sized('L', sprintf("0x%x\0", $date)) if $date;
	# The table of the first buffer follows the options, and has no head
	$file .= $option;
	$at = length($file) + 2 * 18 + 2;
	$file .= pack('SLQa4', 3, 12, $at + 10 + 32, 'two') .
		pack('SLQa4', 3, 12, $at + 10 + 32 + 10 + 32, 'six') . pack('S', 0);
	# The pages follow the tables
	$at = ($at + 3 * (10 + 32) + 4095) & ~4095;
	for my $n (0 .. $#cpus) {
		$table .= "flyrecord\0" if $n % 2 == 0;
		$table .= pack('QQ', $at, length($cpus[$n]));
		$at += length($cpus[$n]);
	}
	$file .= $table;
	$file .= "\0" x (-length($file) & 4095);
	open(my $out, '>:raw', $name) or die "$name: $!\n";
	print $out $file, @cpus;
	close($out) or die "$name: $!\n";
}

# The first function is void, the second function returns an int
my ($void, $int) = @sigs[6, 0];
my @args = (longs($$void[0]), longs($$int[0]));
srand(15);
recording("$dir/calls.dat", [formats(signatures($void, $int, 'm'))],
	  map { calls(3000, [$base + 0x10, $args[0]], [$base + 0x20, $args[1]], [$base + 0x30, ''],
		      [$module, $args[0] . pack('L', 7)], [$module + 0x10, $args[1] . pack('L', 7)],
		      [$module + 0x10, pack('L', 9)]) } 1, 2, 3);
recording("$dir/plain.dat", [formats()],
	  map { calls(3000, map { [$_, ''] } $base + 0x10, $base + 0x20, $base + 0x30, $module) } 1, 2, 3);

# Three ends without a begin, the innermost first. The delay between a call's end and its
# event grows from event to event, as if an interrupt came between. According to the events'
# times, the calls begin in the opposite order.
recording("$dir/ends.dat", [formats()],
	  map { my $pid = 41 + $_;
		pages(map { [$$_[0], bytes(11, $pid, pack('QQLLQQ', $base + 0x10, 0, $$_[1], 0,
							  $$_[0] - $$_[2] - 10, $$_[0] - 10))] }
			  [2000000, 2, 500000], [2000100, 1, 500050], [2000300, 0, 500200]) } 1 .. 6);

my $format = format_of('funcgraph_call', 15, '--- %ps (%d)", (void *)REC->func, REC->depth',
		       'unsigned long func', 8, 'unsigned long retval', 8,
		       'unsigned long long calltime', 8, 'unsigned long long rettime', 8,
		       'unsigned short depth', 2, 'unsigned short flags', 2, 'u32 args[]', 0);

# The first function returns an int. The calls of late.dat have two events, those of early.dat
# have one event. Events of lossy.dat are lost.
for ([late => 0, 0], [lossy => 0, 1], [early => 1, 0]) {
	my ($name, $single, $lossy) = @$_;
	my (@truth, @cpus);

	for my $buffer ('-', 'two', 'six') {
		push(@cpus, decided_calls(\@truth, $buffer, $single, $lossy, 3000, [$base + 0x10, $args[1]],
					  [$base + 0x20, $args[1]], [$module, $args[1] . pack('L', 7)]));
	}
	recording("$dir/$name.dat", [formats(signatures($int, $int, 'm')), $format], @cpus);
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
	recording(sprintf("$dir/m%03d.dat", $nr), [formats(signatures($int, $int, 'm')), $format],
		  map { decided_calls([], '-', $nr % 3 == 0, 0, 300, [$base + 0x20, $args[1]],
				      map { [$base + 0x10, pack('Q*', $_, 1)] } 1 .. 5) } 1, 2, 3);
}
exit if $machines;

# Calls that fail, with two events and with one event
for my $single (0, 1) {
	recording("$dir/errors-" . ($single ? 'one' : 'two') . '.dat',
		  [formats(signatures($int, $int, 'm')), $format],
		  map { decided_calls([], '-', $single, 0, 3000, [$base + 0x10, $args[1]],
				      [$base + 0x20, $args[1]], [$module, $args[1] . pack('L', 7)]) } 1, 2, 3);
}
$fails = 0;

# Other clocks, of which one has no nanoseconds, with the kernel's release; and no calls
for my $name (qw(mono counter)) {
	$clock = $name;
	recording("$dir/$name.dat", [formats(signatures($int, $int, 'm')), $format],
		  map { decided_calls([], '-', 0, 0, 1000, [$base + 0x10, $args[1]]) } 1, 2, 3);
}
$clock = '';
recording("$dir/none.dat", [formats(signatures($int, $int, 'm'))],
	  map { pages([1000000, bytes(14, 42, pack('l', $_))]) } 1 .. 6);

# Strings and names of tasks with bytes that are not UTF-8, and large numbers
$tasks = "42 t\xc3\xa4sk\n43 \xc3\xa4\xc3\\\n";
recording("$dir/strings.dat", [formats(signatures($sigs[1], $int, 'm'))],
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
	recording("$dir/$name.dat", [formats(signatures($void, $int, 'm'))], @cpus);
}

# A page with one record that is longer than the page
my $long = pack('LL', 0, 0x100000) .
	   bytes(11, 42, pack('QQLLQQ', $base + 0x20, 0xfffffff6, 0, 0, 1000, 2000));
recording("$dir/record-long.dat", [formats(signatures($void, $int, 'm'))],
	  map { pack('QQ', 1000000, length($long)) . $long . "\0" x (4080 - length($long)) } 1 .. 6);

# The second function returns two registers
my $two = $sigs[2];
recording("$dir/whole.dat",
	  [formats(signatures($void, $two, 'm')), $format],
	  map { whole_calls($_ == 1, $_ == 3, 3000, [$base + 0x10, $args[0]],
			    [$base + 0x20, longs($$two[0]), 0x0123456789], [$base + 0x30, ''],
			    [$module, $args[0] . pack('L', 7)],
			    [$base + 0x10, $args[0] . pack('Q*', 1 .. 20)]) } 1, 2, 3);

# Times that a double does not have exactly
$clock = 'tai';
$start = 1700000000000000001;
recording("$dir/tai.dat", [formats(signatures($int, $int, 'm')), $format],
	  map { decided_calls([], '-', 0, 0, 1000, [$base + 0x10, $args[1]]) } 1, 2, 3);

# Many records on each CPU of the first buffer
$clock = '';
recording("$dir/long.dat", [formats(signatures($int, $int, 'm'))],
	  map { calls($_, [$base + 0x10, $args[1]], [$base + 0x20, $args[1]]) } 30000, 300, 300);
