#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Arguments: BRANCHES SYMBOLS DISASSEMBLY...
#
# Follows the branches of one CPU through the code, in the order of the branches. In
# this way the script finds each branch that is wrong, missing or invented:
#
#   - from the target of a branch, the code runs straight on to the source of the next
#     branch, and no instruction on the way always branches;
#   - the source of a branch is an instruction that branches, and a direct branch leads
#     to its operand;
#   - any other branch is an interrupt or an exception, and leads to an entry.
#
# BRANCHES has a line FROM TO for each branch, SYMBOLS is /proc/kallsyms or output of
# nm, DISASSEMBLY is output of objdump -dw or -Dw. Code that is in no DISASSEMBLY is
# not followed. Prints the number of branches of each sort, and how many of them could
# be followed. Status 1 if something was wrong.

use strict;
use warnings;

use constant PAGE_SHIFT => 12;

my ($branches, $symbols, @disassembly) = @ARGV;
die "usage: $0 BRANCHES SYMBOLS DISASSEMBLY...\n" if (!@disassembly);
no warnings 'portable';

# The entries of interrupts, exceptions and system calls to the kernel
my (%entry, $irq_first, $irq_last);
open(my $file, '<', $symbols) or die "$symbols: $!\n";
while (<$file>) {
	my ($addr, undef, $name) = split;
	$addr = hex($addr);
	$entry{$addr} = $name if ($name =~ /^(asm_(exc|sysvec|int80|load_gs|fred)_?\w*)$/);
	$irq_first = $addr if ($name eq 'irq_entries_start');
	$irq_last = $addr if ($name eq 'spurious_entries_start');
}
close($file);

sub is_entry
{
	my ($addr) = @_;

	return 1 if ($entry{$addr});
	# Both tables have stubs of at most 16 bytes, and at most 256 stubs
	return defined($irq_first) && $addr >= $irq_first &&
	       $addr < (defined($irq_last) ? $irq_last : $irq_first) + 256 * 16;
}

# Read only pages with branches, because the whole code would need too much memory
my (@from, @to, %page);
open($file, '<', $branches) or die "$branches: $!\n";
while (<$file>) {
	my ($from, $to) = split;
	push(@from, hex($from));
	push(@to, hex($to));
	$page{$from[-1] >> PAGE_SHIFT} = 1;
	$page{$to[-1] >> PAGE_SHIFT} = 1;
}
close($file);

# address => [length, sort, target]; sort: 0 none, 1 may branch, 2 always does
my %insn;
for my $name (@disassembly) {
	my ($last);

	open($file, '<', $name) or die "$name: $!\n";
	while (<$file>) {
		next if (!/^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t?(.*)/);
		my ($addr, $bytes, $text) = (hex($1), $2, $3);
		next if (!$page{$addr >> PAGE_SHIFT});
		my $length = length($bytes) / 3;
		my ($sort, $target) = (0);

		$text =~ s/^(?:(?:repz?|repnz|bnd|notrack|data16|addr32|[c-g]s|rex(?:\.\w+)?) )+//;
		if ($text =~ /^(jmp|call|ret|iret|sysret|syscall|sysexit|sysenter|ljmp|lcall|lret)/) {
			$sort = 2;
		} elsif ($text =~ /^(j\w+|loop\w*)(,p[nt])? /) {
			$sort = 1;
		}
		if ($sort && $text =~ /^[\w,]+ +(?:0x)?([0-9a-f]+)\b/) {
			$target = hex($1);
		}
		$insn{$addr} = [$length, $sort, $target];
	}
	close($file);
}

my %count = map { $_ => 0 } qw(direct indirect event unknown followed);
my $wrong = 0;

sub wrong
{
	my ($i, $why) = @_;

	$wrong++;
	return if ($wrong > 20);
	printf("branch %d, %x -> %x, after %s: %s\n", $i, $from[$i], $to[$i],
	       $i ? sprintf('%x -> %x', $from[$i - 1], $to[$i - 1]) : 'none', $why);
}

sub follow
{
	my ($i) = @_;
	my $at = $to[$i - 1];

	# A branch to the side that was not recorded is missing between the two
	# branches
	return if ($at >> 63 != $from[$i] >> 63);
	for (my $steps = 0; $at != $from[$i]; $steps++) {
		my $insn = $insn{$at};

		return if (!$insn);
		if ($insn->[1] == 2) {
			wrong($i, sprintf('the branch at %x is missing', $at));
			return;
		}
		if ($steps > 10000 || $at > $from[$i]) {
			wrong($i, 'no code leads to its source');
			return;
		}
		$at += $insn->[0];
	}
	$count{followed}++;
}

for my $i (0 .. $#from) {
	my $insn = $insn{$from[$i]};

	follow($i) if ($i);
	if (!$insn) {
		$count{unknown}++;
	} elsif ($insn->[1] && (!defined($insn->[2]) || $insn->[2] == $to[$i])) {
		$count{defined($insn->[2]) ? 'direct' : 'indirect'}++;
	} elsif (is_entry($to[$i])) {
		$count{event}++;
	} else {
		wrong($i, $insn->[1] ? sprintf('its code goes to %x', $insn->[2]) : 'no instruction that branches');
	}
}
print(join(' ', 'branches=' . @from, map { "$_=$count{$_}" } sort keys %count), " wrong=$wrong\n");
exit($wrong || !@from ? 1 : 0);
