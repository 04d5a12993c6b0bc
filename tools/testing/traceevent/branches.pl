#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches.pl TREE KALLSYMS DISASSEMBLY LOG...
#
# Compares the text of trace-calls branches with the emulated CPU's log of branches, and
# with objdump's disassembly of vmlinux. LOG is the output of "bts-log -b -r" for one CPU.
# DISASSEMBLY begins with nm's line for _text. The script checks:
#
# - The branches in the lines are the branches of the log, in the same order.
# - The kind of a branch is the kind of objdump's instruction, or an interrupt or exception
#   if the log has one.  Only if the instruction does not lead to the branch's target, the
#   kind depends on the addresses, and has a '?'.
# - The open braces are the calls on the script's own stack of return addresses, and
#   the indentation is their number.  Without instructions the calls are not certain, and
#   the script checks only the indentation.
#
# Prints the counts.

use strict;
use warnings;
no warnings "portable";

use FindBin;
use lib $FindBin::Bin;
use Branches;

my ($tree, $kallsyms, $disassembly, @logs) = @ARGV;
my $errors = 0;
my %count = (lines => 0);

sub wrong
{
	print "line $count{lines}: @_\n" if $errors++ < 20;
	exit(1) if $errors > 100;
}

my $symbols = read_symbols($kallsyms);
my ($insns, $unsure) = read_code($disassembly);
my $delta = first_address($kallsyms) - first_address($disassembly);

my @expected;
for my $cpu (0 .. $#logs) {
	open($expected[$cpu], '<', $logs[$cpu]) or die "$logs[$cpu]: $!\n";
}

# For each CPU: its task, its open braces, its stack of return addresses. A task's braces and
# stack are kept when the CPU leaves the task, unless another CPU has the task by then: a CPU's
# buffer may be drained after that of the task's next CPU.
my (@task, @open, @stack, %kept, %runs);

# The addresses that a text may mean
sub addresses
{
	my ($text, $func) = @_;
	my @found = addresses_of($symbols, $text =~ s{^(?=\+|$)}{$func // ""}er);
	wrong("no symbol: $text") unless @found;
	return @found;
}

sub symbol
{
	my ($text, $func) = @_;
	return undef if $text =~ /^0x/;
	my ($name) = $text =~ /^([^+]*)/;
	return $name eq '' ? $func : $name;
}

sub is_kernel { return $_[0] >> 63 }

# Check a branch of the text, and update the stack.  Returns the kind without '?'.
sub branch
{
	my ($cpu, $kind, $from_text, $to_text, $func) = @_;
	my $handle = $expected[$cpu];
	my $line = <$handle>;
	return wrong("more branches than in the log of CPU $cpu") unless defined $line;
	my ($from, $to, $flags) = $line =~ /^\d+ ([0-9a-f]+) ([0-9a-f]+)(.*)/ or die $line;
	($from, $to) = (hex($from), hex($to));
	wrong("CPU $cpu: $from_text -> $to_text is not $line")
		unless (grep { $_ == $from } addresses($from_text, $func)) &&
		       (grep { $_ == $to } addresses($to_text, symbol($from_text, $func)));
	$count{branches}++;

	my $shape = $kind =~ s/\?$//;
	my $insn = $insns->{$from - $delta};
	my $leads = $insn && (!defined($insn->[1]) || $insn->[1] + $delta == $to);
	my $want;
	if (!$leads && grep { $from - $delta >= $_->[0] && $from - $delta < $_->[1] } @$unsure) {
		$count{unsure}++;
		$want = $kind;
		undef $insn;
		$shape = 0;
	}
	if ($flags =~ /event/) {
		$want = $to_text =~ /^asm_exc_/ ? 'exception' : 'interrupt';
	} elsif (!is_kernel($from) && is_kernel($to)) {
		$want = 'syscall' if $to_text =~ /^entry_SYSCALL_64$/;
	} elsif ($leads) {
		$want = $insn->[0];
	}
	if (defined $want) {
		wrong("$kind" . ($shape ? '?' : '') . ", not $want: $from_text -> $to_text")
			if $shape || $want ne $kind;
	} elsif (!$shape) {
		wrong("$kind without an instruction: $from_text -> $to_text");
	}
	$count{$kind . ($shape ? '?' : '')}++;

	my $stack = $stack[$cpu] //= [];
	my $same = (symbol($from_text, $func) // '') eq
		   (symbol($to_text, symbol($from_text, $func)) // '-');
	if ($kind =~ /interrupt|exception|syscall/) {
		@$stack = () unless is_kernel($from);
		push @$stack, ['gate', $from];
	} elsif ($kind eq 'call') {
		push @$stack, !$insn || $shape ? ['maybe', $from] : ["call", $insn->[2] + $delta]
			unless $same && $to_text =~ /\+0x/;
	} elsif ($kind eq 'return' || $kind eq 'jump') {
		for (my $i = $#$stack; $i >= 0 && $stack->[$i][0] ne 'gate'; $i--) {
			my ($what, $addr) = @{$stack->[$i]};
			next if $what eq 'call' ? $addr != $to : ($to <= $addr || $to > $addr + 8);
			next if $kind eq 'jump' && ($same || $leads && defined $insn->[1]);
			splice(@$stack, $i);
			$count{matched}++;
			last;
		}
	} elsif ($kind eq 'sysret' || !is_kernel($to)) {
		@$stack = ();
	} elsif ($kind eq 'iret' && !($same && $to > $from && $to <= $from + 15)) {
		pop @$stack while @$stack && $stack->[-1][0] ne 'gate';
		pop @$stack;
	}
	return $kind;
}

# Check one jump, or a call with its return. Returns the text after it.
sub item
{
	my ($cpu, $text) = @_;
	my $func = @{$open[$cpu]} ? $open[$cpu][-1][1] : undef;

	if ($text =~ s{^(\S+)\(\); /\* (\w+\??) (\S+)(?: [^,*]*)?, (\w+\??) (\S+) -> (\S+) \*/}{}) {
		my ($name, $kind, $from, $end_kind, $end_from, $end_to) = ($1, $2, $3, $4, $5, $6);
		branch($cpu, $kind, $from, $name, $func);
		my $leaf = symbol($name);
		my $caller = symbol($from, $func);
		$end_to = ($caller // '') . $end_to if $end_to =~ /^\+/;
		branch($cpu, $end_kind, $end_from, $end_to, $leaf);
		$count{leaves}++;
	} elsif ($text =~ s{^(\S+) -> (\S+) /\* (\w+\??)(?: [^*]*)? \*/}{}) {
		my ($from, $to, $kind) = ($1, $2, $3);
		branch($cpu, $kind, $from, $to, $func);
		my $now = symbol($to, symbol($from, $func));
		$open[$cpu][-1][1] = $now if defined $now && @{$open[$cpu]};
	} else {
		wrong("not an item: $text");
		return '';
	}
	return $text;
}

# Check that the braces of calls fit the stack
sub check
{
	my ($cpu) = @_;
	return unless %$insns;
	my $calls = grep { $_->[0] =~ /call|interrupt|exception|syscall/ } @{$open[$cpu]};
	wrong("$calls calls are open, " . scalar(@{$stack[$cpu] // []}) . " on the stack")
		if $calls != @{$stack[$cpu] // []};
}

my ($closing, $line) = (-1);
open(my $in, '<', $tree) or die "$tree: $!\n";
while (defined($line = <$in>)) {
	chomp $line;
	my ($comm, $pid, $cpu, $indent, $text) =
		$line =~ /^ *(.*)-(\d+) +\[(\d+)\] +\d+\.\d{6}: ( *)(.*)$/ or do { wrong("not a line: $line"); next };
	$cpu += 0;
	my $task = $pid || "0.$cpu";
	$open[$cpu] //= [];
	my $depth = length($indent) / 2;
	$count{lines}++;
	# A closing brace without a branch belongs to the previous line
	if ($closing >= 0 && $text ne '}') {
		# With only kernel branches, the next entry to the kernel shows the exit
		check($closing) unless $text =~ m{\{ /\* (interrupt|exception|syscall) 0x[0-7]};
		$closing = -1;
	}
	if ($text =~ /^\[SWITCH .* => .*-(\d+)\]$/) {
		wrong("task $task on CPU $cpu without a switch") if ($task[$cpu] // $task) ne $task;
		$task = $1 || "0.$cpu";
		if (defined $task[$cpu] && ($runs{$task[$cpu]} // -1) == $cpu) {
			$kept{$task[$cpu]} = [[@{$open[$cpu]}], [@{$stack[$cpu] // []}]];
			delete $runs{$task[$cpu]};
		}
		my $old = delete $kept{$task};
		# The calls of a task may be unknown. The indentation of the next line shows
		# this.
		$task[$cpu] = $task;
		$runs{$task} = $cpu;
		($open[$cpu], $stack[$cpu]) = $old ? @$old : ([], []);
		$count{switches}++;
		$open[$cpu][0][2] = 1 if @{$open[$cpu]};
		next;
	} elsif ($text =~ /^\[/) {
		@{$open[$cpu]} = ();
		$stack[$cpu] = [];
		$count{notes}++;
		print "$line\n" if $text =~ /OTHER/ && $count{other}++ < 5;
		next;
	}
	$runs{$task} = $cpu unless defined $task[$cpu];
	$task[$cpu] //= $task;
	wrong("task $task on CPU $cpu without a switch") if $task[$cpu] ne $task;
	if (@{$open[$cpu]} && delete $open[$cpu][0][2]) {
		my $here = @{$open[$cpu]} - ($text =~ /^\}/ ? 1 : 0);
		if ($depth != $here && !$depth) {
			$count{unknown}++;
			@{$open[$cpu]} = ();
			$stack[$cpu] = [];
		}
	}
	my $want = @{$open[$cpu]};
	$want-- if $text =~ /^\}/ && $want;
	wrong("indented $depth times, not $want: $text") if $depth != $want;

	if ($text =~ m{^(\S+)\(\) \{ /\* (\w+\??) (\S+)(?: .*)? \*/$}) {
		my ($name, $kind, $from) = ($1, $2, $3);
		my $func = @{$open[$cpu]} ? $open[$cpu][-1][1] : undef;
		branch($cpu, $kind, $from, $name, $func);
		$kind =~ s/\?//;
		push @{$open[$cpu]}, [$kind, symbol($name)];
		$count{calls}++;
	} elsif ($text =~ m{^\} /\* (\w+\??) (\S+) -> (\S+)(?: .*)? \*/$}) {
		branch($cpu, $1, $2, $3);
		$count{unmatched}++ unless @{$open[$cpu]};
		pop @{$open[$cpu]};
		$closing = $cpu;
		next;
	} elsif ($text eq '}') {
		pop @{$open[$cpu]};
		$closing = $cpu;
		next;
	} elsif ($text =~ s/^(\d+) x //) {
		my $turns = $1;
		my $list = $text =~ s/^\[ (.*) \]$/$1/;
		$count{loops}++;
		for (1 .. $turns) {
			my $left = $text;
			$left = item($cpu, $left) while $left =~ s/^(, )?(?=.)//;
		}
	} else {
		wrong("behind a line: $text") if item($cpu, $text) ne '';
	}
	check($cpu);
}
for my $cpu (0 .. $#logs) {
	my $handle = $expected[$cpu];
	my $left = () = <$handle>;
	wrong("CPU $cpu: $left branches are not in the text") if $left;
}
# A CPU's buffer is rarely drained after the task has continued on another CPU
wrong("the calls of $count{unknown} tasks are unknown after $count{switches} switches")
	if ($count{unknown} // 0) * 5 > ($count{switches} // 0);
print join(', ', map { "$count{$_} $_" } sort keys %count), "\n";
exit($errors > 0);
