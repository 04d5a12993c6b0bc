#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# join.pl [exact] [task] CALLS KALLSYMS DISASSEMBLY LOG...
#
# Writes the begin and the end of each call in the log to CALLS.ends, for join-tree.pl.
#
# Compares the text of "trace-calls branches --calls --all" with the emulated CPU's log of
# branches, and with objdump's disassembly of vmlinux. LOG is the output of "bts-log -b -r"
# for one CPU. DISASSEMBLY begins with nm's line for _text. The script checks:
#
# - The branches are the branches of the log, in the same order.
# - The script makes a stack for each task from the log's calls and returns, which
#   objdump's instructions show.  A line of the graph is bound to the call on this stack
#   that took its first branch.  Each later branch below the line has to belong to the
#   same call, and not to a callee that has its own line.
# - If a branch belongs to no call, or to ftrace or an interrupt, the stack shows the same.
#   After lost branches, a branch in a function that only ftrace runs belongs to ftrace.
#
# exact: nothing was lost, and there are no late entries.  So the calls for which ftrace
# wrote an entry have a line, and no other calls.  Calls that are too deep have no line, and
# ftrace leaves out some calls of interrupts that come in ftrace itself.  task: one task was
# recorded.  The log's records of each CPU begin at the begin of the text.  After a gap the
# task comes back: the branches belong to the task that leaves the CPU, until __switch_to()
# returns.  Branches of calls that began before the log are not checked.  Prints the counts.

use strict;
use warnings;
no warnings "portable";

use FindBin;
use lib $FindBin::Bin;
use Branches;

my %opt;
while (@ARGV && $ARGV[0] =~ /^(exact|task)$/) {
	$opt{$1} = 1;
	shift;
}
my ($calls, $kallsyms, $disassembly, @logs) = @ARGV;
my $errors = 0;
my %count = map { $_ => 0 } qw(branches call bound unknown unwritten);
my $number = 0;

sub wrong
{
	print "line $number: @_\n" if $errors++ < 20;
	exit(1) if $errors > 200;
}

my $symbols = read_symbols($kallsyms);
my ($insns) = read_code($disassembly);
my $delta = first_address($kallsyms) - first_address($disassembly);

# The names of the functions by address
my %begins;
for my $name (keys %$symbols) {
	push(@{$begins{$_}}, $name) for @{$symbols->{$name}};
}
my ($switch) = @{$symbols->{__switch_to}};
my ($schedule) = @{$symbols->{preempt_schedule_notrace}};
my ($end) = @{$symbols->{_end}};
my ($commit) = @{$symbols->{ring_buffer_unlock_commit}};
my ($handler) = @{$symbols->{return_to_handler}};
my ($fork) = @{$symbols->{ret_from_fork_asm} // $symbols->{ret_from_fork}};
my %tramps = map { $_ => 1 } map { @{$symbols->{$_} // []} } qw(ftrace_caller ftrace_regs_caller);

# The ended calls: the branches that began and ended them, as in the text
my ($this, $ends) = ('');
open($ends, '>', "$calls.ends") or die "$calls.ends: $!\n";

sub note_end
{
	my ($frame) = @_;
	print $ends "$frame->{begin} | $this\n" if $frame->{begin};
}

# For each CPU: its log, and the records that were read ahead
my (@log, @record);
for my $cpu (0 .. $#logs) {
	open($log[$cpu], '<', $logs[$cpu]) or die "$logs[$cpu]: $!\n";
}

# Functions that only ftrace runs, for the calls of function_graph
my $own = qr/(?:return_to_handler|ftrace_return_to_handler|function_graph_enter\w*|ftrace_graph_func|
		trace_graph_(?:entry|return)\w*)/x;

# The branches to compare when the text and the log begin at different places
my $ahead_max = 64;

# For each task: its stack, and its open lines by depth.  For each CPU: its task.
# %forgotten has the stacks whose outer frames are not known.
my (%stack, %epoch, %forgotten, %open, @task, @ran, %where);
# The lines that were read ahead.  For each CPU: whether it has begun, and whether it runs
# on another task's stack.
my ($in, @ahead, @begun, @foreign, @events_lost);
# For each CPU: the calls since the last switch, with those of lost branches, after a loss
my @through;
my $cpu = 0;

sub is_kernel { return $_[0] >> 63 }
sub is_code { return exists $insns->{$_[0] - $delta} }

# A cache for the check whether a text belongs to an address, because texts repeat
my %texts;
sub is_at
{
	my ($text, $addr) = @_;
	$texts{$text} //= { map { $_ => 1 } addresses_of($symbols, $text) };
	return $texts{$text}{$addr};
}

# Add a frame: what (call, gate, ftrace), its return address, its function, whether ftrace
# saw it, and the line to which it is bound
sub push_frame
{
	my ($stack, $what, $ret, $func) = @_;
	push @$stack, { what => $what, ret => $ret, func => $func, id => ++$count{frames},
			begin => $this };
}

sub ret_matches
{
	my ($frame, $to) = @_;
	return $frame->{what} eq 'sched' ? $frame->{ret} == $to :
	       $frame->{what} eq 'maybe' ? $to > $frame->{ret} && $to <= $frame->{ret} + 8 :
	       $frame->{what} eq 'call' && $frame->{ret} == $to;
}

sub pop_to
{
	my ($stack, $to) = @_;
	for (my $i = $#$stack; $i >= 0 && $stack->[$i]{what} !~ /gate|ftrace/; $i--) {
		next unless ret_matches($stack->[$i], $to);
		note_end($_) for grep { !$_->{returned} } splice(@$stack, $i);
		return 1;
	}
	return 0;
}

# Handle a return. If its call was not seen, all calls that were seen since have ended.
sub leave
{
	my ($stack, $to) = @_;
	return if pop_to($stack, $to);
	pop @$stack while @$stack && $stack->[-1]{what} !~ /gate|ftrace|sched/;
}

# Update the stack of a task for a branch
sub go
{
	my ($stack, $from, $to, $event) = @_;
	my $insn = $insns->{$from - $delta};
	my $kind = $insn ? $insn->[0] : '';
	my $top = @$stack ? $stack->[-1] : undef;

	if ($to == $fork) {
		@$stack = ();
		return;
	}
	if ($event || !is_kernel($from)) {
		unless (is_kernel($from)) {
			@$stack = ();
			delete $forgotten{key_of($task[$cpu])} if defined $task[$cpu];
		}
		push_frame($stack, 'gate', $from, $to);
		return;
	}
	if (!is_kernel($to)) {
		@$stack = ();
		return;
	}
	if ($kind eq 'iret') {
		return if $top && $to > $from && $to <= $from + 15;
		pop @$stack while @$stack && $stack->[-1]{what} ne 'gate';
		my $gate = pop @$stack;
		# The task was interrupted at another address, so it was on another CPU
		# meanwhile
		forget($task[$cpu]) if $opt{task} && $gate && $gate->{ret} != $to;
		return;
	}
	# In ftrace only the exits matter
	if ($top && $top->{what} eq 'ftrace') {
		# ftrace also calls the scheduler
		if ($to == $schedule) {
			push_frame($stack, 'sched', $insn->[2] + $delta, $to);
			return;
		}
		# A function that ftrace calls may be traced, too
		if ($to == $handler && ($from < $handler || $from >= $handler + 128)) {
			push @$stack, { what => 'ftrace' };
			return;
		}
		$top->{wrote} = 1 if $to == $commit;
		if ($top->{site}) {
			if ($to == $top->{site} + 5) {
				pop @$stack;
				if (@$stack && ($stack->[-1]{visit} // 0) == $top->{site}) {
					$stack->[-1]{wrote} = $top->{wrote};
					$count{unwritten}++ if !$top->{wrote};
				}
			} elsif ($begins{$from} || $begins{$from - 4}) {
				push @$stack, { what => 'ftrace', site => $from }
					if $from != $top->{site} && ftrace_begins($from, $to);
			}
		} elsif ($from >= $handler && $from < $handler + 128 && $kind eq 'return') {
			pop @$stack;
			if ($to == $handler) {
				push @$stack, { what => 'ftrace' };
				returns($stack);
			} else {
				leave($stack, $to);
			}
		}
		return;
	}
	if (ftrace_begins($from, $to)) {
		if ($top && $top->{visit}) {
			push @$stack, { %$top, what => 'tail', line => undef, id => ++$count{frames} };
			$top = $stack->[-1];
		} elsif (!$top || $top->{what} eq 'gate' ||
			 ($top->{func} != $from && $top->{func} != $from - 4)) {
			push_frame($stack, 'tail', 0, $from);
			$top = $stack->[-1];
		}
		$top->{visit} = $from;
		delete $top->{returned};
		delete $top->{wrote};
		push @$stack, { what => 'ftrace', site => $from };
		return;
	}
	if ($to == $handler) {
		push @$stack, { what => 'ftrace' };
		returns($stack);
		return;
	}
	if ($kind eq 'call') {
		push_frame($stack, 'call', $insn->[2] + $delta, $to)
			if $begins{$to} || $begins{$to - 4} || !is_code($to) && !same($from, $to);
		return;
	}
	return if !$insn && pop_to($stack, $to);
	if ($kind eq 'return' && !$begins{$to}) {
		leave($stack, $to);
		return;
	}
	if ($begins{$to} && !same($from, $to)) {
		# This is a tail call, or a call that the kernel has patched in
		if ($kind =~ /^(jump|conditional)$/) {
			push_frame($stack, 'tail', 0, $to);
		} else {
			push_frame($stack, 'maybe', $from, $to);
		}
	}
}

# Update the calls with those of lost branches. They are not written to CALLS.ends.
sub go_through
{
	my ($from, $to, $event) = @_;
	my $stack = $through[$cpu];
	$this = '';

	if (begin_of($from) == $switch && begin_of($to) != $switch && !($begins{$to} && $to != $fork)) {
		@$stack = ();
	} else {
		go($stack, $from, $to, $event);
	}
}

sub returns
{
	my ($stack) = @_;
	for (my $i = $#$stack - 1; $i >= 0 && $stack->[$i]{what} !~ /gate|ftrace/; $i--) {
		my $frame = $stack->[$i];
		if ($frame->{visit} && !$frame->{returned}) {
			$frame->{returned} = 1;
			# If the call is a tail call, its callers end with the same branch
			for (my $j = $#$stack - 1; $j >= 0 && $stack->[$j]{what} !~ /gate|ftrace/; $j--) {
				note_end($stack->[$j]);
				last if $j <= $i && $stack->[$j]{what} eq 'call';
			}
			return;
		}
		return if $frame->{what} eq 'call';
	}
}

sub ftrace_begins
{
	my ($from, $to) = @_;
	return 0 unless $begins{$from} || $begins{$from - 4};
	return 1 if $tramps{$to};
	return $to > $end;
}

my @sorted = sort { $a <=> $b } keys %begins;

# Find the begin of the function that contains an address
sub begin_of
{
	my ($addr) = @_;
	my ($low, $high) = (0, scalar @sorted);
	while ($high - $low > 1) {
		my $mid = int(($low + $high) / 2);
		if ($sorted[$mid] <= $addr) {
			$low = $mid;
		} else {
			$high = $mid;
		}
	}
	return $sorted[$low];
}
sub same { return begin_of($_[0]) == begin_of($_[1]) }

sub next_record
{
	my ($cpu) = @_;
	my $handle = $log[$cpu];
	my $record = $record[$cpu] && @{$record[$cpu]} ? shift(@{$record[$cpu]}) : <$handle>;
	return wrong("more branches than in the log of CPU $cpu") unless defined $record;
	my ($from, $to, $flags) = $record =~ /^\d+ ([0-9a-f]+) ([0-9a-f]+)(.*)/ or die $record;
	return (hex($from), hex($to), $flags =~ /event/);
}

sub next_line
{
	return @ahead ? shift(@ahead) : <$in>;
}

sub same_branch
{
	my ($text, $record) = @_;
	my ($from, $to) = $text =~ /^ {18}\|  +(\S+) -> (\S+) / or die $text;
	my ($log_from, $log_to) = $record =~ /^\d+ ([0-9a-f]+) ([0-9a-f]+)/ or die $record;
	return is_at($from, hex($log_from)) && is_at($to, hex($log_to));
}

# Skip the log of a CPU before the first branch of the text
sub begin
{
	my ($cpu, $line) = @_;
	my @texts = ($line);
	my $handle = $log[$cpu];
	my @records;
	for (my $i = 0; @texts < $ahead_max; $i++) {
		$ahead[$i] //= <$in> // last;
		last if $ahead[$i] =~ /^ *(\d+)\) / && $1 != $cpu;
		push @texts, $ahead[$i] if $ahead[$i] =~ /^ {18}\|  +\S+ -> /;
	}
	while (<$handle>) {
		push @records, $_;
		next if @records < @texts;
		unless (grep { !same_branch($texts[$_], $records[$_]) } 0 .. $#texts) {
			$record[$cpu] = \@records;
			return;
		}
		shift @records;
		$count{before}++;
	}
	wrong("the branches of CPU $cpu are not in its log: $line");
}

# Handle a task that is back. It left the CPU in the function in which it continues.
sub resume
{
	my ($task, $to) = @_;
	my $stack = $stack{key_of($task)};
	for (my $i = $#$stack; $i >= 0 && $stack->[$i]{what} !~ /gate|ftrace/; $i--) {
		next unless begin_of($stack->[$i]{func}) == begin_of($to);
		splice(@$stack, $i + 1);
		$count{back}++;
		return;
	}
	forget($task);
}

# Find the innermost call that ftrace saw, and whether an interrupt or ftrace is above it
sub where
{
	my ($stack) = @_;
	my ($gate, $ftrace) = (0, @$stack && $stack->[-1]{what} eq 'ftrace');
	for (my $i = $#$stack; $i >= 0; $i--) {
		return ($stack->[$i], $gate, $ftrace) if $stack->[$i]{visit};
		$gate = 1 if $stack->[$i]{what} =~ /gate|sched/;
	}
	return (undef, $gate, $ftrace);
}

# Whether an interrupt came in the innermost call that has a line
sub interrupted
{
	my ($stack) = @_;
	for my $frame (reverse @$stack) {
		return 1 if $frame->{what} =~ /gate|sched/;
		return 0 if $frame->{line};
	}
	return 0;
}

# Forget the stack of a task
sub forget
{
	my $key = key_of(@_);
	$stack{$key} = [];
	$epoch{$key}++;
	$forgotten{$key} = 1;
}

# The key of a stack. A task that was recorded alone has a stack on each CPU, because the
# order of the CPUs is not known.
sub key_of
{
	my ($task) = @_;
	return $opt{task} ? "$task/$cpu" : $task;
}

# Find a call with the name of an open line, in which the other calls have no lines, because
# events were lost
sub without_lines
{
	my ($stack, $line) = @_;
	for my $frame (reverse @$stack) {
		return if $frame->{what} =~ /gate|sched/;
		next unless $frame->{visit};
		return if $frame->{line};
		return $frame if grep { $_ eq $line->{name} } @{$begins{begin_of($frame->{visit})}};
	}
	return;
}

# Check a branch that the text shows below an open line
sub claim
{
	my ($stack, $line, $text) = @_;
	my ($innermost, $gate, $ftrace) = where($stack);

	$count{call}++;
	return wrong("ftrace's branch: $text") if $ftrace;
	if (!$line->{frame}) {
		return $count{unknown}++ if !$innermost;
		return wrong("an interrupt's branch: $text") if $gate;
		$innermost = without_lines($stack, $line) // $innermost if $events_lost[$cpu];
		unless (grep { $_ eq $line->{name} } @{$begins{begin_of($innermost->{visit})}}) {
			# The log does not have the begin of the call
			return $count{unknown}++ if $line->{before};
			return wrong("$line->{name}(), but this is in $begins{begin_of($innermost->{visit})}[0](): $text");
		}
		return wrong("$line->{name}() has a line already, $innermost->{line}{number}: $text")
			if $innermost->{line};
		return wrong("$line->{name}() was part of another line: $text") if $innermost->{part};
		return wrong("$line->{name}() has a line, but no event of its begin: $text")
			if $opt{exact} && !$innermost->{wrote};
		$line->{frame} = $innermost;
		$line->{key} = key_of($task[$cpu]);
		$line->{epoch} = $epoch{$line->{key}};
		$innermost->{line} = $line;
		$count{bound}++;
	}
	for (my $i = $#$stack; $i >= 0; $i--) {
		my $frame = $stack->[$i];
		return if $frame == $line->{frame};
		return wrong("an interrupt in $line->{name}(): $text")
			if $frame->{what} =~ /gate|sched/;
		next unless $frame->{visit};
		return wrong("$line->{name}(), but this is in a call of line $frame->{line}{number}: $text")
			if $frame->{line};
		$frame->{part} = 1;
		wrong("$line->{name}(), but this is in $begins{begin_of($frame->{visit})}[0](): $text")
			if $opt{exact} && $frame->{wrote};
	}
	# The stack was forgotten meanwhile
	return $count{unknown}++ if $line->{key} ne key_of($task[$cpu]) ||
		($line->{epoch} // 0) != ($epoch{$line->{key}} // 0);
	wrong("not in $line->{name}() of line $line->{number}: $text");
}

open($in, '<', $calls) or die "$calls: $!\n";
while (defined(my $line = next_line())) {
	chomp $line;
	$number++;
	if ($line =~ /^ {18}\|  ( *)(\S+) -> (\S+) \/\* (call|no call|ftrace|interrupt)/) {
		my ($indent, $from_text, $to_text, $kind) = (length($1) / 2, $2, $3, $4);
		my $task = $task[$cpu];
		if ($opt{task} && !$begun[$cpu]) {
			# The task may come from another CPU
			$foreign[$cpu] = grep { $_ } @begun;
			begin($cpu, $line);
			$begun[$cpu] = 1;
		}
		my ($from, $to, $event) = next_record($cpu);
		last unless defined $from;
		my $stack = $stack{key_of($task)} //= [];
		my $visit = $through[$cpu] && @{$through[$cpu]} && $through[$cpu][-1]{what} eq 'ftrace';
		wrong("ftrace's own branch: $line")
			if $visit && $kind ne 'ftrace' && $from_text =~ /^$own\+/;
		go_through($from, $to, $event) if $through[$cpu];
		# A task's stack is in use until __switch_to() returns
		wrong("task $task goes on behind task $ran[$cpu]: $line")
			if ($ran[$cpu] // $task) ne $task && begin_of($from) != $switch;
		$ran[$cpu] = $task;
		wrong(sprintf("CPU %d: %s -> %s is not %x -> %x", $cpu, $from_text, $to_text, $from, $to))
			unless is_at($from_text, $from) && is_at($to_text, $to);
		$count{branches}++;
		if ($foreign[$cpu]) {
			$count{foreign}++;
			if (begin_of($from) != $switch || begin_of($to) == $switch ||
			    $begins{$to} && $to != $fork) {
				wrong("another task's branch: $line") if $kind eq 'call';
				next;
			}
			# The return of __switch_to() is a branch of the task that is back
			$foreign[$cpu] = 0;
			resume($task, $to);
			my $open = $kind eq 'call' ? $open{$task}[$indent - 1] : undef;
			claim($stack{key_of($task)}, $open, $line) if $open;
			next;
		}
		if ($kind eq 'ftrace' && @$stack && $stack->[-1]{what} eq 'ftrace') {
			$count{ftrace}++;
		} elsif ($kind eq 'call') {
			my $open = $open{$task}[$indent - 1];
			if (!$open) {
				wrong("no line is $indent deep: $line");
			} else {
				claim($stack, $open, $line);
			}
		} else {
			my ($innermost, $gate, $ftrace) = where($stack);
			$count{$kind}++;
			wrong("not ftrace: $line") if $kind eq 'ftrace' && !$ftrace && !$visit &&
				@$stack && !ftrace_begins($from, $to);
			wrong("ftrace: $line") if $kind ne 'ftrace' && $ftrace;
			wrong("no interrupt: $line") if $kind eq 'interrupt' && !$event &&
				!interrupted($stack) && !$forgotten{key_of($task)};
			if ($kind eq 'no call' && $innermost && $innermost->{line} && !$gate) {
				$count{missed}++;
				wrong("of line $innermost->{line}{number}: $line")
					if $opt{exact} || $opt{task};
			}
		}
		$this = "$from_text -> $to_text";
		go($stack, $from, $to, $event);
	} elsif ($line =~ /^ *(\d+)\) \[(.*)\]$/) {
		my $note = $2;
		$cpu = $1;
		if ($note =~ /^(?:TASK|SWITCH .* =>) .*-(\d+)$/) {
			$task[$cpu] = $1 || "0.$cpu";
			# The CPUs' buffers are drained at different times
			forget($task[$cpu]) if ($where{$task[$cpu]} // $cpu) != $cpu && !$opt{task};
			$where{$task[$cpu]} = $cpu;
		} elsif ($note =~ /^(?:LOST )?(\d+) BRANCHES/) {
			my $nr = $1;
			$through[$cpu] //= [] unless $opt{task};
			for (1 .. $nr) {
				my @record = next_record($cpu);
				go_through(@record) if $through[$cpu];
			}
			$count{lost} += $nr;
			undef $ran[$cpu];
			for my $task (keys %where) {
				forget($task) if $where{$task} == $cpu;
			}
		} elsif ($note eq 'GAP') {
			$foreign[$cpu] = 1;
			$count{gaps}++;
			wrong($note) unless $opt{task};
		} else {
			$events_lost[$cpu] = 1 if $note =~ /LOST.* EVENTS/;
			$count{notes}++;
		}
	} elsif ($line =~ /^ *(\d+)\) (?: {13}|. [0-9.]+ us *)\|  ( *)(.*)$/) {
		my ($text, $depth) = ($3, length($2) / 2);
		$cpu = $1;
		my $open = $open{$task[$cpu]} //= [];
		$#$open = $depth - 1 if $#$open >= $depth;
		if ($text =~ /^([^( ]+)(?: \[\S+\])?\(.*( \{|;( \/\*.*)?)$/) {
			$open->[$depth] = { name => $1, number => $number, depth => $depth,
					    before => !$count{branches} }
				if $2 eq ' {';
			$count{lines}++;
		} elsif ($text !~ /^\}/) {
			wrong("not a line of the graph: $line");
		}
	} else {
		wrong("not a line: $line");
	}
}
for my $nr (0 .. $#logs) {
	my $handle = $log[$nr];
	my $left = () = <$handle>;
	wrong("CPU $nr: $left branches are not in the text") if $left && !$opt{task};
}
# The log does not show in which calls the tasks are after lost branches
my $part = $count{lost} ? 2 : 10;
wrong("$count{unknown} branches could not be checked")
	if $count{unknown} * $part > $count{call};
print join(', ', map { "$count{$_} $_" } sort keys %count), "\n";
exit($errors > 0);
