#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Compare the branches that led to errors with the log of the emulated CPU
#
# Usage: check.pl LOG KALLSYMS TRACE MINIMUM
#
# LOG is what bts-log -l prints. Each block of branches in TRACE, a trace of function_graph
# with sym-addr, has to be a part of the 32 branches that the CPU had kept when perf
# stopped it, in the order of the log. Nothing but ftrace's own branches may be missing
# before or behind the block, and the last branch is the return of the function whose end
# follows. TRACE has to have MINIMUM blocks.

use strict;
use warnings;

my ($log_name, $symbols_name, $trace_name, $minimum) = @ARGV;
die "Usage: $0 LOG KALLSYMS TRACE MINIMUM\n" if @ARGV != 4;

my ($wrong, $blocks, $branches, $without) = (0, 0, 0, 0);

sub wrong {
	print "$trace_name:$.: @_\n" if $wrong++ < 10;
}

# Addresses have 16 digits, so that they compare as text
my (@symbols, @addresses);
open(my $symbols, '<', $symbols_name) or die "$symbols_name: $!\n";
while (<$symbols>) {
	my ($address, $type, $name) = split;
	push(@symbols, [$address, $name]) if $type =~ /[tTwW]/;
}
@symbols = sort { $a->[0] cmp $b->[0] } @symbols;
@addresses = map { $_->[0] } @symbols;

sub symbol {
	my ($address) = @_;
	my ($low, $high) = (0, scalar(@addresses));

	while ($high - $low > 1) {
		my $middle = ($low + $high) >> 1;
		if ($addresses[$middle] le $address) {
			$low = $middle;
		} else {
			$high = $middle;
		}
	}
	return $symbols[$low][1];
}

# What the CPU had kept each time that IA32_DEBUGCTL.LBR was cleared
my (%kept, @last);
open(my $log, '<', $log_name) or die "$log_name: $!\n";
while (<$log>) {
	my ($cpu, $from, $to) = split;
	if ($from eq 'debugctl') {
		push(@{$kept{$cpu}}, [@last]);
		@last = ();
	} else {
		push(@last, sprintf('%016s %016s', $from, $to));
	}
}

# Branches by names
sub named {
	return join(' ', map { join('->', map { symbol($_) } split(' ', $_)) } @_);
}

# Whether a branch is of the code that calls the tracers, by its origin
sub is_ftrace {
	my ($branch) = @_;
	my $name = symbol((split(' ', $branch))[0]);

	return $name =~ /^(?:ftrace_|return_to_handler|__fentry__|.*thunk)/;
}

# Whether a block is a part of what was kept, behind a branch of ftrace if there is one
sub is_part {
	my ($kept, $block) = @_;

	for (my $i = @$kept - @$block; $i >= 0; $i--) {
		return 1 if join(',', @$kept[$i .. $i + $#$block]) eq join(',', @$block) &&
			    ($i == 0 || is_ftrace($kept->[$i - 1]));
	}
	return 0;
}

my %next;
sub check {
	my ($cpu, $block, $function) = @_;
	my $list = $kept{$cpu} // [];
	my $i = $next{$cpu} // 0;

	$blocks++;
	$branches += @$block;
	$i++ while $i < @$list && !is_part($list->[$i], $block);
	if ($i == @$list) {
		my ($near) = grep { join(',', @$_) =~ /\Q$block->[-1]\E/ } @$list;
		wrong("CPU $cpu: not kept, or not all of it: ", named(@$block), ', but ',
		      $near ? named(@$near) : 'never this return');
		return;
	}
	$next{$cpu} = $i + 1;
	my ($from, $to) = split(' ', $block->[-1]);
	wrong('the last branch is not a return to ftrace')
		if symbol($to) ne 'return_to_handler';
	($from) = split(' ', $block->[-2]) if symbol($from) =~ /thunk/ && @$block > 1;
	wrong("the branches are those of ", symbol($from), ", not of $function")
		if symbol($from) ne $function;
}

my %open;
open(my $trace, '<', $trace_name) or die "$trace_name: $!\n";
while (<$trace>) {
	my ($cpu) = /^ *(\d+)\)/ or next;
	if (m{/\* .*<([0-9a-f]+)> -> .*<([0-9a-f]+)> \*/}) {
		push(@{$open{$cpu}}, sprintf('%016s %016s', $1, $2));
	} elsif (m{\} /\* ([\w.]+).* ret=} || m{\|\s+([\w.]+)\(.*\)(?:; /\* .*ret| )=}) {
		if (@{$open{$cpu} // []}) {
			check($cpu, $open{$cpu}, $1);
		} elsif (/= ?(?:-|ERR_PTR)/) {
			$without++;
		}
		$open{$cpu} = [];
	}
}
wrong("branches without an end") if grep { @$_ } values(%open);
print "$trace_name: $blocks blocks with $branches branches, $without errors without a block\n";
wrong("$blocks blocks, not $minimum") if $blocks < $minimum;
# The CPU may have forgotten the branches of a function, because ftrace has branches too
wrong("$without errors without a block") if $minimum && $without > $blocks;
exit($wrong != 0);
