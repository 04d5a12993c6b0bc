#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-calls.pl NAME <TREE
#
# Prints the first complete call of NAME in the text of trace-calls branches as a line: the names
# of the functions whose names begin with NAME, with their callees in parentheses.
# Consecutive equal calls are one call with their number before it.

use strict;
use warnings;

my ($root) = @ARGV;
my ($prefix) = $root =~ /^([^_]*_)/;
my ($first, $where, @open, @calls);

# Join consecutive equal texts
sub joined
{
	my @texts;
	for my $text (@_) {
		if (@texts && $texts[-1][1] eq $text) {
			$texts[-1][0]++;
		} else {
			push @texts, [1, $text];
		}
	}
	return join(' ', map { ($_->[0] > 1 ? "$_->[0]*" : '') . $_->[1] } @texts);
}

while (<STDIN>) {
	my ($before, $indent, $text) = /^(.*?\[\d+\]) +[\d.]+: ( *)(.*)$/ or die "not a line: $_";
	my $depth = length($indent) / 2;
	next unless defined $first || $text =~ /^\Q$root\E\(\) \{/;
	$first //= $depth;
	$where //= $before;
	next if $before ne $where;
	if ($text =~ /^\[/) {
		undef $first;
		undef $where;
		next;
	}
	$depth -= $first;
	if ($text =~ /^([^+( ]+)\S*\(\) \{/) {
		$open[$depth] = [$1, []];
	} elsif ($text =~ /^\}/) {
		my ($name, $calls) = @{$open[$depth]};
		my $made = joined(@$calls);
		my $call = $made eq '' ? $name : "$name($made)";
		if (!$depth) {
			print "$call\n";
			exit(0);
		}
		push @{$open[$depth - 1][1]}, $call if $name =~ /^\Q$prefix/;
	} else {
		my $turns = $text =~ s/^(\d+) x // ? $1 : 1;
		my @names = grep { /^\Q$prefix/ } $text =~ /(?:^|[ ])([^ +(]+)\(\);/g;
		push @{$open[$depth - 1][1]}, (@names) x $turns;
	}
}
die "no call of $root\n";
