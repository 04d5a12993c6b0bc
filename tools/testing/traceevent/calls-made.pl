#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# calls-made.pl DIR
#
# Writes small recordings of function_graph for trace-calls (trace.dat of version 6), one for
# each case:
#
# global.dat	the clock of the events is earlier than the clock of the calls
# perf.dat	this clock is later
# *-later.dat	the same as trace-cmd 2.9 wrote it, with the clock after the first table
# mono.dat	the clock is mono, which trace-cmd convert does not keep in its buffers
# counter.dat	the clock counts the events, and has no nanoseconds
# uptime*.dat	a call returns on another CPU within a tick
# one.dat	a call of one()
# three.dat	calls of one() and three()
# slept-*.dat	a call sleeps between two callees, without sleep-time
# recursive-*	exits of one() in one() without entries; the outer call sleeps after the inner one
# nested.dat	a call of one() in a call of one()
# alternate.dat	calls of one() at two depths in a call of one()
# callers.dat	calls of one() in other calls, and in a call of one()
# interrupt.dat	an interrupt calls one() between the end of one() in two() and the event of this end
# late.dat	exits of one() in one(), whose events have a later time than the call's end
# open.dat	calls that have not returned
# wide.dat	a call with 140,000 callees
# wider.dat	a call with 300,000 callees, whose entries are not recorded
# many.dat	calls of many functions, and ends of calls that began before all of these
# moved-*.dat	a call returns on another CPU, with and without a callee there
# short.dat	calls of one() that take 1 ns, and calls of two() of which one takes no time
# lost-*.dat	a task may have been on a CPU whose events were lost: a call came back from the CPU,
#		the loss is noticed later, the task's CPU has no more events, another call was on
#		the CPU that the task had left, or events were lost again before the callee's exit.
#		In lost-kept.dat the call returns later, and the idle task of lost-idle.dat never
#		leaves its CPU.
# names.dat	tasks of two buffers, whose names are the same text with that of the buffer

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use Dat;

my $dir = shift // die "usage: calls-made.pl DIR\n";
my $base = 0xffffffff81000000;
my ($one, $two, $three) = map { $base + 0x10 * $_ } 1 .. 3;
my $start = 5000000000;

my @formats = (
	format_of('funcgraph_entry', 10, '"', 'unsigned long func', 8, 'int depth', 4),
	format_of('funcgraph_exit', 11, '"', 'unsigned long func', 8, 'unsigned long retval', 8,
		  'int depth', 4, 'unsigned int overrun', 4, 'unsigned long long calltime', 8,
		  'unsigned long long rettime', 8),
	format_of('other', 15, '%d", REC->val', 'int val', 4),
);

# Write a recording: the name, the clock, the names of the tasks, and the buffers of write_dat()
sub recording {
	my ($name, $clock, $tasks, @buffers) = @_;
	my $options = pack('S', 4) . sized('L', $clock ? "local [$clock]\n" : '') .
		      pack('S', 5) . sized('L', "Linux host 6.12.57 x86_64\0");
	my $symbols = join('', map { sprintf("%x t %s\n", @$_) }
			   [$base, '_text'], [$one, 'one'], [$two, 'two'], [$three, 'three']);

	write_dat("$dir/$name.dat", \@formats, $symbols, $tasks, $options, @buffers);
}

sub bytes {
	my ($id, $pid, $data) = @_;

	return pack('SCCl', $id, 0, 0, $pid) . $data;
}

# The events of task 42, or of task 43 with $pid.  Times are nanoseconds after $start.
sub entry {
	my ($time, $func, $depth, $pid) = @_;

	return [$start + $time, bytes(10, $pid // 42, pack('QL', $func, $depth))];
}

# The call began at $begin, ended at $end, and the event is written at $time
sub late_leave {
	my ($begin, $end, $time, $func, $depth, $pid) = @_;

	return [$start + $time, bytes(11, $pid // 42, pack('QQLLQQ', $func, 0, $depth, 0,
							   $start + $begin, $start + $end))];
}

# The call began at $begin, and the event is written at its end
sub leave {
	my ($begin, $end, @rest) = @_;

	return late_leave($begin, $end, $end, @rest);
}

# An event of another task, before which @_ events were lost
sub other {
	my ($time, @lost) = @_;

	return [$start + $time, bytes(15, 43, pack('l', 0)), @lost];
}

# The clock is before or after that of the calls.  The exit after the loss directly follows its
# entry.
for (['global', -24705285], ['perf', 24705285]) {
	my ($clock, $offset) = @$_;
	my @events = (entry(0, $one, 0), entry(1000, $two, 1), leave(1000, 3000, $two, 1),
		      leave(0, 6000, $one, 0), entry(20000, $one, 0), leave(20000, 21000, $one, 0));
	my @others = (other(10000), other(22000, 5));

	push(@{$events[4]}, 3);
	$_->[0] += $offset for @events, @others;
	my @cpus = (pages(@events), pages(@others));

	recording($clock, $clock, "42 task\n43 other\n", ['', @cpus]);
	recording("$clock-later", '', "42 task\n43 other\n",
		  [sized('Q', "local [$clock]\n"), @cpus], ['two', '', '']);
}

recording('mono', 'mono', "42 task\n",
	  ['', pages(entry(1000000, $one, 0), leave(0, 1006000, $one, 0))], ['two', '']);

my @counted = (entry(0, $one, 0), entry(0, $two, 1), late_leave(1000, 2000, 0, $two, 1),
	       late_leave(0, 3000, 0, $one, 0), entry(0, $three, 0), other(0),
	       late_leave(5000, 9000, 0, $three, 0));
$counted[$_][0] = $_ + 1 for 0 .. $#counted;
recording('counter', 'counter', "42 task\n43 other\n", ['', pages(@counted)]);

recording('uptime', 'uptime', "42 task\n",
	  ['', pages([7, entry(0, $one, 0)->[1]]), pages([7, leave(0, 5000, $one, 0)->[1]])]);
recording('uptime-back', 'uptime', "42 task\n",
	  ['', pages([7, leave(0, 5000, $one, 0)->[1]]), pages([7, entry(0, $one, 0)->[1]])]);

my @calls = (entry(0, $one, 0), leave(0, 1000, $one, 0));
recording('one', 'local', "42 task\n", ['', pages(@calls)]);
recording('three', 'local', "42 task\n",
	  ['', pages(@calls, entry(2000, $three, 0), leave(2000, 3000, $three, 0))]);

recording('names', 'local', "42 sh\n43 shtwo\n",
	  ['', pages(entry(0, $one, 0, 43), leave(0, 1000, $one, 0, 43))],
	  ['two', pages(entry(0, $two, 0), leave(0, 5000, $two, 0))]);

# Without sleep-time, the kernel adds the time of the sleep to the begin of the call in the exit
recording("slept-$_", $_, "42 task\n",
	  ['', pages(entry(0, $one, 0), entry(1000, $two, 1), leave(1000, 2000, $two, 1),
		     entry(50003000, $three, 1), leave(50003000, 50004000, $three, 1),
		     leave(50000000, 50005000, $one, 0))]) for 'local', 'mono';

# As with tracing_thresh, no entry is recorded
recording("recursive-$_", $_, "42 task\n",
	  ['', pages(leave(1000, 9000, $one, 1), late_leave(50000000, 50010000, 50010000, $one, 0))])
	for 'local', 'mono';

recording('nested', 'local', "42 task\n",
	  ['', pages(entry(0, $one, 0), entry(1000, $one, 1), leave(1000, 9000, $one, 1),
		     leave(0, 10000, $one, 0))]);

# Pairs of calls in a call of one(), 200 ns each: one() at depth 1, and one() in two()
recording('alternate', 'local', "42 task\n",
	  ['', pages(entry(0, $one, 0),
		     (map { my $t = 400 * $_;
			    (entry($t, $one, 1), leave($t, $t + 100, $one, 1),
			     entry($t + 200, $two, 1), entry($t + 210, $one, 2),
			     leave($t + 210, $t + 310, $one, 2), leave($t + 200, $t + 350, $two, 1)) } 1 .. 2000),
		     leave(0, 802000, $one, 0))]);
# Calls of one() at one depth, before and in another call of one()
recording('callers', 'local', "42 task\n",
	  ['', pages(entry(0, $two, 0),
		     (map { my $t = 200 * $_;
			    (entry($t, $three, 1), entry($t + 10, $one, 2), leave($t + 10, $t + 110, $one, 2),
			     leave($t, $t + 150, $three, 1)) } 1 .. 1023),
		     entry(300000, $one, 1),
		     (map { my $t = 300000 + 200 * $_;
			    (entry($t, $one, 2), leave($t, $t + 100, $one, 2)) } 1 .. 5),
		     leave(300000, 310000, $one, 1), leave(0, 400000, $two, 0))]);
recording('short', 'local', "42 task\n",
	  ['', pages(map { my ($t, $time) = (100 * $_, $_ % 3 > 0);
			   (entry($t, $one, 0), leave($t, $t + 1, $one, 0),
			    entry($t + 50, $two, 0), leave($t + 50, $t + 50 + $time, $two, 0)) } 0 .. 2)]);
recording('interrupt', 'local', "42 task\n",
	  ['', pages(entry(0, $two, 0), entry(1000, $one, 1), entry(5100, $one, 2),
		     leave(5100, 5888, $one, 2), late_leave(1000, 5000, 6000, $one, 1),
		     leave(0, 10000, $two, 0))]);
# Exits without entries, whose events are late
recording('late', 'global', "42 task\n",
	  ['', pages(late_leave(50, 900, 905, $one, 1), late_leave(0, 1000, 1300, $one, 0))]);

# Calls that have not returned
recording('open', 'local', "42 task\n43 other\n",
	  ['', pages(entry(0, $one, 0), entry(10, $three, 1), leave(10, 20, $three, 1),
		     entry(2000000000, $two, 1), other(3000000000))]);
# A call of two() and more callees than trace-calls graph keeps, in one() of two() of three()
recording('wide', 'local', "42 task\n",
	  ['', pages(entry(0, $three, 0), entry(1, $two, 1), entry(2, $one, 2),
		     entry(3, $two, 3), leave(3, 4, $two, 3),
		     (map { (entry(10 * $_, $three, 3), leave(10 * $_, 10 * $_ + 5, $three, 3)) } 1 .. 140000),
		     leave(2, 2000000, $one, 2), leave(1, 2000001, $two, 1), leave(0, 2000002, $three, 0))]);

recording('wider', 'local', "42 task\n",
	  ['', pages(entry(0, $one, 0), entry(1, $two, 1),
		     (map { leave(10 * $_, 10 * $_ + 5, $three, 2) } 1 .. 300000),
		     leave(1, 4000001, $two, 1), leave(0, 4000002, $one, 0))]);

my $many = 30000;

recording('many', 'local', "42 task\n",
	  ['', pages(entry(0, $one, 0),
		     (map { leave(10 * $_ - 5, 10 * $_, $base + 0x1000 + 16 * $_, 2) } 1 .. $many),
		     map { leave(-10, 10 * ($many + $_), $one, 1) } 1 .. 400)]);

recording('moved-leaf', 'local', "42 task\n43 other\n",
	  ['', pages(entry(0, $one, 0)),
	       pages(entry(100, $three, 0, 43), leave(0, 5000, $one, 0), entry(6000, $two, 0),
		     leave(6000, 7000, $two, 0), leave(100, 8000, $three, 0, 43))]);
recording('moved-caller', 'local', "42 task\n",
	  ['', pages(entry(0, $one, 0)),
	       pages(entry(5000, $two, 1), leave(5000, 6000, $two, 1), leave(0, 7000, $one, 0))]);
# The entry of the callee is not in the recording
recording('moved-exit', 'local', "42 task\n",
	  ['', pages(entry(0, $one, 0)), pages(leave(5000, 6000, $two, 1), leave(0, 7000, $one, 0))]);

# Calls of one() return and calls of three() begin in the lost events of another CPU
my @lost_begin = (entry(0, $one, 0));
my @lost_end = (entry(6000, $two, 1), leave(6000, 7000, $two, 1), leave(4000, 8000, $three, 0));
my @lost_idle = (entry(0, $one, 0, 0), entry(6000, $two, 1, 0), leave(6000, 7000, $two, 1, 0));
my $names = "42 task\n43 other\n";

recording('lost-back', 'local', $names,
	  ['', pages(@lost_begin, @lost_end), pages(other(500), other(5000, 4))]);
recording('lost-later', 'local', $names,
	  ['', pages(@lost_begin, @lost_end), pages(other(500), other(9000, 4))]);
recording('lost-ended', 'local', $names,
	  ['', pages(@lost_begin), pages(other(500), other(5000, 4), @lost_end)]);
recording('lost-left', 'local', $names,
	  ['', pages(@lost_begin, other(9000, 6)),
	       pages(entry(2000, $one, 1), entry(6000, $two, 2), leave(6000, 7000, $two, 2),
		     leave(4000, 8000, $three, 1))]);
recording('lost-twice', 'local', $names,
	  ['', pages(@lost_begin, [@{$lost_end[0]}, 3], [@{$lost_end[1]}, 2], $lost_end[2])]);
recording('lost-kept', 'local', $names,
	  ['', pages(@lost_begin, @lost_end[0, 1], leave(0, 8000, $one, 0)),
	       pages(other(500), other(5000, 4))]);
recording('lost-idle', 'local', $names, ['', pages(@lost_idle), pages(other(500), other(5000, 4))]);
