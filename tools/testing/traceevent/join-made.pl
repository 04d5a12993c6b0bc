#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# join-made.pl DIR [CALLS]
#
# Writes rare recordings of function_graph and bts for trace-calls branches --calls
# (trace.dat of version 6), which a guest seldom makes:
#
# drained.dat	the CPU's buffer is drained while a call returns
# lost.dat	branches are lost, and events are not
# gap.dat	branches are lost while ftrace runs, at a return and at an entry
# nested.dat	nested interrupts come while events are reserved, and the buffer
#		is drained in them
# nmi.dat	an NMI has events but no branches; late entries are written after it
# filter.dat	records are left out, because they lead to user space
# early.dat	a block begins with records that are left out
# moved.dat	late entries of two CPUs are written on one of them
# idle.dat	a late entry belongs to a time when the CPU did not record branches
# tail.dat	calls without events call late ones, and end with or before their callers
# begin.dat	recording begins while the CPU switches to another task
# back.dat	a task is preempted in an interrupt, and other tasks are not recorded
# missed.dat	the same, and the task may have run meanwhile
# plain.dat	events and blocks have no numbers
# big.dat	with CALLS: this number of calls of 100 tasks, each with 41,020 branches

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use Dat;

my $dir = shift // die "usage: join-made.pl DIR [CALLS]\n";
my $calls = shift // 0;
my $base = 0xffffffff81000000;
my $size = 0x100;
my @names = qw(_text outer middle inner leaf work tick asm_sysvec_apic_timer_interrupt
	       native_irq_return_iret ftrace_caller return_to_handler tracer
	       ring_buffer_lock_reserve ring_buffer_unlock_commit __schedule __switch_to ftrace_graph_func
	       trace_graph_entry ftrace_return_to_handler trace_graph_return _etext);
my %addr = map { $names[$_] => $base + $_ * $size } 0 .. $#names;
my ($time, $nr, $count, $numbered, $pid, $missed, @branches, @events, @blocks);

sub recording {
	my ($name) = @_;
	my @number = $numbered ? ('unsigned long long number', 8) : ();
	my @formats = (format_of('funcgraph_entry', 10, '"', 'unsigned long func', 8, 'int depth', 4,
				 @number),
		       format_of('funcgraph_exit', 11, '"', 'unsigned long func', 8, 'int depth', 4,
				 'unsigned int overrun', 4, 'unsigned long long calltime', 8,
				 'unsigned long long rettime', 8, @number),
		       format_of('bts', 12, '"', 'unsigned long long first', 8, @number,
				 'unsigned int nr', 4, 'unsigned int marks', 4, 'unsigned int missed', 4,
				 'unsigned char data[]', 0));

	write_dat("$dir/$name.dat", \@formats,
		  join('', map { sprintf("%x t %s\n", $addr{$_}, $_) } @names), "42 task\n", '',
		  ['', pages(@events)], ['branches', pages(@blocks)]);
	($time, $nr, $count, $numbered, $pid, $missed) = (1000000, 0, 0, 1, 42, 0);
	@events = @branches = @blocks = ();
}
($time, $nr, $count, $numbered, $pid, $missed) = (1000000, 0, 0, 1, 42, 0);

# The number of the CPU's next branch. $count records were taken before @branches.
sub number { return $count + @branches / 2 + 1 }

# The address of a place, which is the name of a function, or the name and an offset
sub place {
	my ($name, $distance) = $_[0] =~ /^([^+]*)(?:\+(.*))?$/;

	return $addr{$name} + hex($distance // 0);
}

sub branch {
	push(@branches, map { place($_) } @_);
	$time += 10;
}

# Drain the CPU's buffer. Records that lead to user space are left out. With $early, the block
# also tells of those before its first branch, which the kernel does not do. The last branch is
# taken $turns * 32 more times. With $gap, branches were not recorded before the block.
sub drain {
	my ($early, $task, $turns, $gap) = @_;
	my ($last, $begin, $left, $wanted, $data) = (0, undef, 0, 0, '');

	$count++;
	$begin = $count if $early;
	for (; my ($from, $to) = splice(@branches, 0, 2); $count++) {
		if (!($to >> 63)) {
			$left++;
			next;
		}
		$data .= pack('C', 6 << 5 | $left) if $left && defined $begin;
		$begin //= $count;
		use integer;
		$data .= pack('Cqq', 5 << 5 | 31, $from - $last, $to - $from);
		$last = $to;
		$left = 0;
		$wanted++;
	}
	$data .= pack('C', 7 << 5 | 31) x $turns if $turns;
	$wanted += 32 * ($turns // 0);
	$count += 32 * ($turns // 0) - 1;
	push(@blocks, [$time, pack('SCCl', 12, 0, 0, $task // $pid) .
		       pack($numbered ? 'QQ' : 'Q', $nr, $begin) . pack('LLL', $wanted, $gap ? 1 : 0, $missed) . $data]);
	$nr += $wanted;
	$time += 100;
}

sub lose {
	$nr += $_[0];
	$count += $_[0];
}

sub write_event {
	my ($func, $depth, $is_exit, $flags, $number) = @_;

	push(@events, [$time, pack('SCCl', $is_exit ? 11 : 10, $flags, 0, $pid) .
		       pack('Ql', place($func), $depth) .
		       ($is_exit ? pack('LQQ', 0, $time - 1000, $time) : '') .
		       ($numbered ? pack('Q', $number) : '')]);
}

# ftrace writes an event. $reserving runs during the reservation, and the event follows the
# events of $reserving.
sub event {
	my ($func, $depth, $is_exit, $number, $reserving) = @_;

	branch('tracer+8', 'ring_buffer_lock_reserve');
	$reserving->('ring_buffer_lock_reserve+20') if $reserving;
	write_event($func, $depth, $is_exit, 0, $number);
	branch('ring_buffer_lock_reserve+40', 'tracer+d');
	branch('tracer+18', 'ring_buffer_unlock_commit');
	branch('ring_buffer_unlock_commit+10', 'tracer+1d');
}

# A call of a function from a place, and its return to the place. Calls without a depth have
# no events. $reserving runs as in event(). Returns the number of the event.
sub enter {
	my ($from, $func, $depth, $reserving) = @_;

	branch($from, $func);
	branch($func, 'ftrace_caller');
	branch('ftrace_caller+10', 'tracer');
	my $number = number();
	event($func, $depth, 0, $number, $reserving) if defined $depth;
	branch('tracer+40', 'ftrace_caller+15');
	branch('ftrace_caller+20', "$func+5");
	return $number;
}

# A function returns to a place. $tracer runs in the tracer.
sub return_by {
	my ($func, $to, $tracer) = @_;

	branch("$func+80", 'return_to_handler');
	branch('return_to_handler+10', 'tracer');
	$tracer->(number());
	branch('tracer+40', 'return_to_handler+15');
	branch('return_to_handler+20', $to);
}

# A function returns to a place. $reserving runs as in event(). If the call has no event,
# $reserving runs in ftrace.
sub leave {
	my ($func, $to, $depth, $reserving) = @_;

	return_by($func, $to, sub {
		if (defined $depth) {
			event($func, $depth, 1, shift, $reserving);
		} elsif ($reserving) {
			$reserving->('tracer+8');
		}
	});
}

sub leaf_call {
	my ($from, $to, $depth, $func) = @_;

	enter($from, $func // 'leaf', $depth);
	branch(($func // 'leaf') . '+10', ($func // 'leaf') . '+20');
	leave($func // 'leaf', $to, $depth);
}

# An interrupt, which runs some code before the code that returns from the interrupt
sub interrupt {
	my ($at, $does) = @_;

	branch($at, 'asm_sysvec_apic_timer_interrupt');
	$does->();
	branch('native_irq_return_iret', $at);
}
my $irq = 'asm_sysvec_apic_timer_interrupt';

# The event of the interrupt is after the drain
enter('_text+10', 'outer', 0);
enter('outer+10', 'middle');
enter('middle+10', 'inner');
leave('inner', 'middle+15', undef, sub {
	drain();
	interrupt(shift, sub { leaf_call("$irq+10", "$irq+15", 1, 'tick') });
});
leaf_call('middle+20', 'middle+25');
leave('middle', 'outer+15');
leave('outer', '_text+15', 0);
drain();
recording('drained');

# A call goes on behind lost branches
enter('_text+10', 'outer', 0);
enter('outer+10', 'middle');
branch('middle+10', 'middle+20');
drain();
lose(1000);
branch('middle+30', 'middle+40');
drain();
leave('middle', 'outer+15');
leaf_call('outer+20', 'outer+25', 1);
leave('outer', '_text+15', 0);
drain();
recording('lost');

# Branches are lost in a visit of ftrace, which ends with a return to another return_to_handler(),
# and in a visit at an entry, in which an interrupt comes
enter('_text+10', 'outer', 0);
drain();
lose(1000);
branch('ring_buffer_unlock_commit+10', 'trace_graph_return+1d');
branch('trace_graph_return+40', 'ftrace_return_to_handler+15');
branch('ftrace_return_to_handler+20', 'return_to_handler+15');
branch('return_to_handler+20', 'return_to_handler');
branch('return_to_handler+10', 'ftrace_return_to_handler');
branch('ftrace_return_to_handler+8', 'tracer');
branch('tracer+40', 'ftrace_return_to_handler+d');
branch('ftrace_return_to_handler+20', 'return_to_handler+15');
branch('return_to_handler+20', 'outer+15');
branch('outer+20', 'outer+30');
drain();
lose(1000);
branch('tracer+8', 'ring_buffer_unlock_commit');
branch('ring_buffer_unlock_commit+10', 'tracer+d');
branch('tracer+40', 'trace_graph_entry+15');
interrupt('trace_graph_entry+20', sub { branch("$irq+10", "$irq+20") });
branch('trace_graph_entry+30', 'ftrace_graph_func+15');
branch('ftrace_graph_func+20', 'ftrace_caller+15');
branch('ftrace_caller+20', 'leaf+5');
branch('leaf+10', 'leaf+20');
leave('leaf', 'outer+45');
branch('outer+50', 'outer+60');
leave('outer', '_text+15', 0);
drain();
recording('gap');

# The interrupts' events are before the interrupted events
enter('_text+10', 'outer', 0, sub {
	interrupt(shift, sub {
		leaf_call("$irq+10", "$irq+15", 1, 'leaf');
		drain();
		enter("$irq+20", 'work', 1, sub {
			interrupt(shift, sub { leaf_call("$irq+10", "$irq+15", 2, 'tick') });
		});
		branch('work+10', 'work+20');
		leave('work', "$irq+25", 1);
		drain();
		leaf_call("$irq+30", "$irq+35", 1, 'inner');
	});
});
branch('outer+8', 'outer+c');
leaf_call('outer+10', 'outer+15', 1, 'middle');
leave('outer', '_text+15', 0);
drain();
recording('nested');

# A call that meets a condition at its return, where ftrace writes late entries. Each late
# entry is a function, its depth and its number. Bit 62 of the number means late.
sub leave_late {
	my ($to, @begins) = @_;
	my ($func, $depth) = @begins[-3, -2];

	return_by($func, $to, sub {
		my ($number) = @_;
		while (my ($begin, $at, $of) = splice(@begins, 0, 3)) {
			event($begin, $at, 0, $of | 1 << 62);
		}
		event($func, $depth, 1, $number);
	});
}

leaf_call('_text+10', '_text+15', 0);
drain();
my $outer = enter('_text+20', 'outer');
my $inner = enter('outer+10', 'inner');
drain();
leave_late('outer+15', 'outer', 0, $outer, 'inner', 1, $inner);
write_event('tick', 1, 0, 0x40, number());
write_event('tick', 1, 1, 0x40, number());
my $middle = enter('outer+20', 'middle');
leaf_call('middle+10', 'middle+15');
leave_late('outer+25', 'middle', 1, $middle);
leave('outer', '_text+25', 0);
drain();
recording('nmi');

$addr{user} = 0x401000;
enter('_text+10', 'outer', 0);
branch('outer+10', 'user', ('user+10', 'user') x 20, 'user+10', 'outer+11', 'outer+20', 'outer+30');
leaf_call('outer+40', 'outer+45', 1);
branch('outer+50', 'user', ('user+20', 'user') x 20, 'user+30', 'outer+50');
leaf_call('outer+60', 'outer+65', 1, 'work');
leave('outer', '_text+15', 0);
drain();
recording('filter');

branch('outer', 'user', 'user', 'user');
leaf_call('_text+10', '_text+15', 0);
drain(1);
recording('early');

# The outer call began on another CPU
$outer = number();
$inner = enter('outer+10', 'inner');
leave_late('outer+15', 'outer', 0, $outer | 1 << 48, 'inner', 1, $inner);
leave('outer', '_text+25', 0);
drain();
recording('moved');

# Recording of branches began after outer()
$outer = number() | 1 << 63;
$inner = enter('outer+10', 'inner');
branch('inner+10', 'inner+20');
leave_late('outer+15', 'outer', 0, $outer, 'inner', 1, $inner);
branch('outer+20', 'outer+30');
leave('outer', '_text+25', 0);
drain();
recording('idle');

# middle() has no event: it is called and returns, and it is jumped to and ends with outer()
for my $end ('return', 'tail') {
	$outer = enter('_text+20', 'outer');
	branch('outer+10', 'middle');
	$inner = enter('middle+10', 'inner');
	leave_late('middle+15', 'outer', 0, $outer, 'inner', 1, $inner);
	branch('middle+20', 'middle+30');
	if ($end eq 'return') {
		branch('middle+40', 'outer+15');
		branch('outer+20', 'outer+30');
		branch('outer+40', 'leaf');
		branch('leaf+10', 'leaf+20');
	}
	return_by($end eq 'return' ? 'leaf' : 'middle', '_text+25', sub { event('outer', 0, 1, shift) });
}
drain();
recording('tail');

leaf_call('_text+10', '_text+15', 0);
drain(0, 43);
recording('begin');

# A task leaves the CPU in an interrupt, and other tasks are not recorded
for my $missing (0, 1) {
	$missed = 1;
	enter('_text+10', 'outer', 0);
	branch('outer+10', $irq);
	branch("$irq+10", 'work');
	branch('work+10', '__schedule');
	branch('__schedule+10', 'tracer');
	drain();
	$missed += $missing;
	branch('tracer+10', '__schedule+15');
	branch('__schedule+20', '__switch_to');
	branch('__switch_to+10', '__schedule+25');
	branch('__schedule+30', 'work+15');
	branch('work+20', 'work+30');
	branch('work+40', "$irq+15");
	branch('native_irq_return_iret', 'outer+10');
	branch('outer+10', 'outer+20');
	leaf_call('outer+30', 'outer+35', 1);
	leave('outer', '_text+15', 0);
	drain(0, undef, 0, 1);
	recording($missing ? 'missed' : 'back');
}

$numbered = 0;
leaf_call('_text+10', '_text+15', 0);
drain();
recording('plain');

exit unless $calls;
for my $call (1 .. $calls) {
	$pid = 1000 + $call % 100;
	enter('_text+10', 'leaf', 0);
	branch('leaf+20', 'leaf+10') for 1 .. 2;
	drain(0, undef, 1281);
	leave('leaf', '_text+15', 0);
	drain();
}
recording('big');
