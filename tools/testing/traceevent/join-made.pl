#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# join-made.pl DIR
#
# Writes rare recordings of function_graph and bts for trace-calls branches --calls
# (trace.dat of version 6), which a guest seldom makes:
#
# begin.dat	branches were lost; the first branches are in return_to_handler(), which returns
#		to itself
# drained.dat	the CPU's buffer is drained while a call returns
# reserved.dat	branches are missing, and the buffer is drained before an event is committed
# reserving.dat	branches are missing, and the buffer is drained before an event is reserved
# nested.dat	nested interrupts come while events are reserved, and the buffer
#		is drained in them
# overrun.dat	the event whose reservation is interrupted is lost
# nmi.dat	an NMI has events but no branches; late entries are written after it

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use Dat;

my $dir = shift // die "usage: join-made.pl DIR\n";
my $base = 0xffffffff81000000;
my $size = 0x100;
my @names = qw(_text outer middle inner leaf work tick asm_sysvec_apic_timer_interrupt
	       native_irq_return_iret ftrace_caller return_to_handler tracer
	       ring_buffer_lock_reserve ring_buffer_unlock_commit _etext);
my %addr = map { $names[$_] => $base + $_ * $size } 0 .. $#names;
my ($time, $nr, @branches, @events, @blocks);

# The format of an event: type, name and size of each field
sub format_of {
	my ($name, $id, @fields) = @_;
	my ($text, $offset) = ("name: $name\nID: $id\nformat:\n", 0);

	@fields = ('unsigned short common_type', 2, 'unsigned char common_flags', 1,
		   'unsigned char common_preempt_count', 1, 'int common_pid', 4, @fields);
	while (my ($field, $bytes) = splice(@fields, 0, 2)) {
		$text .= "\tfield:$field;\toffset:$offset;\tsize:$bytes;\tsigned:" .
			 ($field =~ /^int/ ? 1 : 0) . ";\n";
		$text .= "\n" if $field =~ /common_pid/;
		$offset += $bytes;
	}
	return "$text\nprint fmt: \"\"\n";
}

# The ring buffer's pages with events, each a time and bytes
sub pages {
	my ($data, $page, $begin, $last) = ('', '');
	my $flush = sub {
		$data .= pack('QQ', $begin, length($page)) . $page . "\0" x (4080 - length($page));
		$page = '';
	};

	for (@_) {
		my ($at, $bytes) = @$_;

		$bytes .= "\0" x (-length($bytes) & 3);
		$flush->() if length($page) + length($bytes) + 8 > 4080;
		$begin = $last = $at if $page eq '';
		$page .= pack('LL', ($at - $last) << 5, length($bytes) + 4) . $bytes;
		$last = $at;
	}
	$flush->();
	return $data;
}

sub recording {
	my ($name) = @_;
	my @formats = (format_of('funcgraph_entry', 10, 'unsigned long func', 8, 'int depth', 4),
		       format_of('funcgraph_exit', 11, 'unsigned long func', 8, 'int depth', 4,
				 'unsigned int overrun', 4, 'unsigned long long calltime', 8,
				 'unsigned long long rettime', 8),
		       format_of('bts', 12, 'unsigned long long first', 8, 'unsigned int nr', 4,
				 'unsigned int marks', 4, 'unsigned char data[]', 0));
	my @pages = (pages(@events), pages(@blocks));
	my $file = dat_head(\@formats, join('', map { sprintf("%x t %s\n", $addr{$_}, $_) } @names),
			    "42 task\n", 1);
	my $at;

	# The table of the first buffer follows the option, and has no head
	$at = length($file) + 2 + 4 + 8 + 9 + 2 + 10 + 16;
	$file .= pack('SLQZ9', 3, 17, $at, 'branches') . pack('S', 0);
	$at = ($at + 10 + 16 + 4095) & ~4095;
	for (@pages) {
		$file .= "flyrecord\0" . pack('QQ', $at, length($_));
		$at += length($_);
	}
	open(my $out, '>:raw', "$dir/$name.dat") or die "$dir/$name.dat: $!\n";
	print $out $file, "\0" x (-length($file) & 4095), @pages;
	close($out) or die "$dir/$name.dat: $!\n";
	($time, $nr) = (1000000, 0);
	@events = @branches = @blocks = ();
}
($time, $nr) = (1000000, 0);

# The address of a place, which is the name of a function, or the name and an offset
sub place {
	my ($name, $distance) = $_[0] =~ /^([^+]*)(?:\+(.*))?$/;

	return $addr{$name} + hex($distance // 0);
}

sub branch {
	push(@branches, map { place($_) } @_);
	$time += 10;
}

# Drain the CPU's buffer
sub drain {
	my ($last, $count, $data) = (0, @branches / 2, '');

	while (my ($from, $to) = splice(@branches, 0, 2)) {
		$data .= pack('CQq', 5 << 5 | 31, $from - $last, $to - $from);
		$last = $to;
	}
	push(@blocks, [$time, pack('SCCl', 12, 0, 0, 42) . pack('QLL', $nr, $count, 0) . $data]);
	$nr += $count;
	$time += 100;
}

sub write_event {
	my ($func, $depth, $is_exit, $flags) = @_;

	push(@events, [$time, pack('SCCl', $is_exit ? 11 : 10, $flags, 0, 42) .
		       pack('Ql', place($func), $depth) .
		       ($is_exit ? pack('LQQ', 0, $time - 1000, $time) : '')]);
}

# ftrace writes an event. $reserving runs during the reservation, and the event follows the
# events of $reserving. $reserved runs after the reservation.
sub event {
	my ($func, $depth, $is_exit, $reserving, $reserved) = @_;

	branch('tracer+8', 'ring_buffer_lock_reserve');
	$reserving->('ring_buffer_lock_reserve+20') if $reserving;
	write_event($func, $depth, $is_exit, 0);
	branch('ring_buffer_lock_reserve+40', 'tracer+d');
	$reserved->() if $reserved;
	branch('tracer+18', 'ring_buffer_unlock_commit');
	branch('ring_buffer_unlock_commit+10', 'tracer+1d');
}

# A call of a function from a place, and its return to the place. Calls without a depth have
# no events. $reserving and $reserved run as in event().
sub enter {
	my ($from, $func, $depth, $reserving, $reserved) = @_;

	branch($from, $func);
	branch($func, 'ftrace_caller');
	branch('ftrace_caller+10', 'tracer');
	event($func, $depth, 0, $reserving, $reserved) if defined $depth;
	branch('tracer+40', 'ftrace_caller+15');
	branch('ftrace_caller+20', "$func+5");
}

# A function returns to a place. $tracer runs in the tracer.
sub return_by {
	my ($func, $to, $tracer) = @_;

	branch("$func+80", 'return_to_handler');
	branch('return_to_handler+10', 'tracer');
	$tracer->();
	branch('tracer+40', 'return_to_handler+15');
	branch('return_to_handler+20', $to);
}

# A function returns to a place. $reserving runs as in event(). If the call has no event,
# $reserving runs in ftrace.
sub leave {
	my ($func, $to, $depth, $reserving) = @_;

	return_by($func, $to, sub {
		if (defined $depth) {
			event($func, $depth, 1, $reserving);
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

leaf_call('_text+10', '_text+15', 0);
drain();
# Lose branches, but no events
$nr += 1000;
branch('tracer+40', 'return_to_handler+15');
branch('return_to_handler+20', 'return_to_handler');
branch('return_to_handler+10', 'tracer');
event('outer', 0, 1);
branch('tracer+40', 'return_to_handler+15');
branch('return_to_handler+20', '_text+20');
leaf_call('_text+30', '_text+35', 0);
drain();
recording('begin');

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

# The event is before the drain
leaf_call('_text+10', '_text+15', 0);
drain();
$nr += 1000;
enter('_text+20', 'outer', 0);
enter('outer+10', 'outer', 1, undef, sub { drain(); });
branch('outer+10', 'outer+20');
leave('outer', 'outer+15', 1);
leave('outer', '_text+25', 0);
drain();
recording('reserved');

# The event is after the drain, and another event has no branches
leaf_call('_text+10', '_text+15', 0);
drain();
$nr += 1000;
write_event('outer', 0, 0, 0);
enter('outer+10', 'outer', 1);
enter('outer+10', 'outer', 2, sub { drain(); });
branch('outer+10', 'outer+20');
leave('outer', 'outer+15', 2);
leave('outer', 'outer+15', 1);
leave('outer', '_text+25', 0);
drain();
recording('reserving');

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
leaf_call('outer+10', 'outer+15', 1, 'middle');
leave('outer', '_text+15', 0);
drain();
recording('nested');

# The event of outer() was before the interrupt, and was lost
branch('_text+10', 'outer', 'outer', 'ftrace_caller', 'ftrace_caller+10', 'tracer',
       'tracer+8', 'ring_buffer_lock_reserve');
interrupt('ring_buffer_lock_reserve+20', sub {
	leaf_call("$irq+10", "$irq+15", 1);
	drain();
	leaf_call("$irq+20", "$irq+25", 1, 'work');
	drain();
	leaf_call("$irq+30", "$irq+35", 1, 'inner');
});
branch('ring_buffer_lock_reserve+40', 'tracer+d', 'tracer+18', 'ring_buffer_unlock_commit',
       'ring_buffer_unlock_commit+10', 'tracer+1d', 'tracer+40', 'ftrace_caller+15',
       'ftrace_caller+20', 'outer+5');
leaf_call('outer+10', 'outer+15', 1, 'middle');
leave('outer', '_text+15', 0);
drain();
leaf_call('_text+20', '_text+25', 0, 'tick');
drain();
recording('overrun');

# A call that meets a condition at its return, where ftrace writes late entries. Each late
# entry is a function and its depth.
sub leave_late {
	my ($to, @begins) = @_;
	my ($func, $depth) = @begins[-2, -1];

	return_by($func, $to, sub {
		while (my ($begin, $at) = splice(@begins, 0, 2)) {
			event($begin, $at, 0);
		}
		event($func, $depth, 1);
	});
}

leaf_call('_text+10', '_text+15', 0);
drain();
enter('_text+20', 'outer');
enter('outer+10', 'inner');
leave_late('outer+15', 'outer', 0, 'inner', 1);
write_event('tick', 1, 0, 0x40);
write_event('tick', 1, 1, 0x40);
enter('outer+20', 'middle');
leaf_call('middle+10', 'middle+15');
leave_late('outer+25', 'middle', 1);
leave('outer', '_text+25', 0);
drain();
recording('nmi');
