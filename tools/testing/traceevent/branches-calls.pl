#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-calls.pl NAME TREE
#
# Prints the first complete call of NAME in the text of trace-calls branches as a line: the names
# of the functions whose names begin with the begin of NAME, with their callees in parentheses.
# Consecutive equal calls are one call with their number before it.

use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Branches;

my ($root, $tree) = @ARGV;
my ($prefix) = $root =~ /^([^_]*_)/;
my ($first, @open);

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

read_tree($tree, sub {
	my ($part) = @_;
	my $what = $part->{what};

	$first //= $part if $what eq '{' && $part->{to} eq $root;
	return if !$first || $part->{cpu} ne $first->{cpu} || $part->{task} ne $first->{task};
	my $depth = $part->{depth} - $first->{depth};
	if ($what =~ /^\[/) {
		undef $first;
	} elsif ($what eq '{') {
		$open[$depth] = [symbol_of($part->{to}) // '', []];
	} elsif ($what eq '}') {
		my ($name, $calls) = @{$open[$depth]};
		my $made = joined(@$calls);
		my $call = $made eq '' ? $name : "$name($made)";

		if (!$depth) {
			print "$call\n";
			exit(0);
		}
		push @{$open[$depth - 1][1]}, $call if $name =~ /^\Q$prefix/;
	}
});
die "no call of $root\n";
