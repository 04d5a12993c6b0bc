#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-same.pl KERNEL CALLS
#
# Compares the kernel's tree of branches with the tree of trace-calls branches with
# vmlinux. branches.pl has compared both with the emulated CPU's log, so the branches of
# a CPU are the same.  This script checks the kinds, and the calls that begin and end
# with each branch:
#
# - Where the kernel has patched its code, vmlinux does not show the kind, and
#   trace-calls has a '?'.  The kernel always knows at least as much.
# - The kernel forgets the calls of a task when the CPU switches to another task.  If
#   the kind is not known, the open calls decide.  trace-calls may keep calls that have
#   ended on another CPU, whose block comes later.  The returns in it do not fit them.
# - A loop ends with its block.
#
# Prints the counts.

use strict;
use warnings;

my $errors = 0;

sub wrong
{
	print "@_\n" if $errors++ < 20;
}

# The branches of a text, for each CPU: the kind, the begun calls, the ended calls, the
# open calls after the branch, the line
sub branches
{
	my ($file) = @_;
	my (%all, %braces, %ended);

	open(my $in, '<', $file) or die "$file: $!\n";
	while (<$in>) {
		next if /^#/;
		my ($cpu, $indent, $text) = /\[(\d+)\] +\d+\.\d{6}: ( *)(.*)$/ or do { wrong("$file: $_"); next };
		my $list = $all{$cpu} //= [];
		my $depth = length($indent) / 2;

		if ($text eq '}') {
			# After the end of a call, or before the begin of another call
			if ($ended{$cpu}) {
				$list->[-1][2]++;
				$list->[-1][3] = $depth;
			} else {
				$braces{$cpu}++;
			}
			next;
		}
		delete $ended{$cpu};
		next if $text =~ /^\[/;
		my $turns = $text =~ s/^(\d+) x // ? $1 : 1;
		my @items;
		while ($text =~ m{(\{|\(\);|->) (?:\S+ (?:\[\w+\] )?)?/\* (\w+\??) ([^*]*)\*/|\} /\* (\w+\??) }g) {
			if (defined $4) {
				push @items, [$4, 0, 1, $depth];
				$ended{$cpu} = 1;
			} elsif ($1 eq '{') {
				push @items, [$2, 1, delete $braces{$cpu} // 0, $depth + 1];
			} elsif ($1 eq '();') {
				push @items, [$2, 1, 0, $depth + 1];
				$3 =~ /, (\w+\??) / or wrong("$file:$.: no return");
				push @items, [$1, 0, 1, $depth];
			} else {
				push @items, [$2, 0, 0, $depth];
			}
		}
		wrong("$file:$.: no branch: $text") unless @items;
		for (1 .. $turns) {
			push @$list, [@$_, $.] for @items;
		}
	}
	return \%all;
}

my ($kernel, $calls) = map { branches($_) } @ARGV;
my %count;
for my $cpu (sort keys %{{ %$kernel, %$calls }}) {
	my ($mine, $other) = ($kernel->{$cpu} // [], $calls->{$cpu} // []);

	wrong("CPU $cpu: " . @$mine . " branches, not " . @$other) if @$mine != @$other;
	for my $n (0 .. $#$mine) {
		my ($a, $b) = ($mine->[$n], $other->[$n] // last);
		my $where = "CPU $cpu, lines $a->[4] and $b->[4]";

		$count{branches}++;
		$count{sure}++ if $a->[0] !~ /\?/;
		if ($a->[0] ne $b->[0]) {
			wrong("$where: $a->[0], not $b->[0]") if $b->[0] !~ /\?/;
			$count{$a->[0] =~ /\?/ ? 'guessed' : 'patched'}++;
			next;
		}
		wrong("$where: another begin") if $a->[1] != $b->[1];
		next if $a->[2] == $b->[2];
		# All calls that the kernel knew have ended
		if ($a->[3] - $a->[1]) {
			wrong("$where: $a->[2] calls end, not $b->[2], and others are open");
		} else {
			$count{$a->[2] > $b->[2] ? 'stale' : 'forgotten'}++;
		}
	}
}
wrong("there are no branches") unless $count{branches};
wrong("$count{$_} of $count{branches} branches are $_")
	for grep { ($count{$_} // 0) * 20 > ($count{branches} // 0) } qw(guessed patched forgotten);
wrong("$count{stale} of $count{branches} branches are stale") if ($count{stale} // 0) * 5000 > ($count{branches} // 0);
print join(', ', map { "$count{$_} $_" } sort keys %count), "\n";
exit($errors > 0);
