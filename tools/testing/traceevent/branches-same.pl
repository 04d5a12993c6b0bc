#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-same.pl PLUGIN CALLS
#
# Compares the plugin's tree of branches with the tree of trace-calls branches without
# vmlinux: the kinds, and the calls that begin and end with each branch. A loop ends with its
# block. Prints the number of branches.

use strict;
use warnings;

my $errors = 0;

sub wrong
{
	print "@_\n" if $errors++ < 20;
}

# The branches of a text, for each CPU: the kind, the begun calls, the ended calls, the line
sub branches
{
	my ($file) = @_;
	my (%all, %braces, %ended);

	open(my $in, '<', $file) or die "$file: $!\n";
	while (<$in>) {
		my ($cpu, $text) = /\[(\d+)\] +\d+\.\d{6}: *(.*)$/ or do { wrong("$file: $_"); next };
		my $list = $all{$cpu} //= [];

		if ($text eq '}') {
			# After the end of a call, or before the begin of another call
			if ($ended{$cpu}) {
				$list->[-1][2]++;
			} else {
				$braces{$cpu}++;
			}
			next;
		}
		delete $ended{$cpu};
		next if $text =~ /^\[/;
		my $turns = $text =~ s/^(\d+) x // ? $1 : 1;
		my @items;
		while ($text =~ m{(\{|\(\);|->) (?:\S+ )?/\* (\w+\??) ([^*]*)\*/|\} /\* (\w+\??) }g) {
			if (defined $4) {
				push @items, [$4, 0, 1];
				$ended{$cpu} = 1;
			} elsif ($1 eq '{') {
				push @items, [$2, 1, delete $braces{$cpu} // 0];
			} elsif ($1 eq '();') {
				push @items, [$2, 1, 0];
				$3 =~ /, (\w+\??) / or wrong("$file:$.: no return");
				push @items, [$1, 0, 1];
			} else {
				push @items, [$2, 0, 0];
			}
		}
		wrong("$file:$.: no branch: $text") unless @items;
		for (1 .. $turns) {
			push @$list, [@$_, $.] for @items;
		}
	}
	return \%all;
}

my ($plugin, $calls) = map { branches($_) } @ARGV;
my $branches = 0;
for my $cpu (sort keys %{{ %$plugin, %$calls }}) {
	my ($mine, $other) = ($plugin->{$cpu} // [], $calls->{$cpu} // []);

	wrong("CPU $cpu: " . @$mine . " branches, not " . @$other) if @$mine != @$other;
	for my $n (0 .. $#$mine) {
		my ($a, $b) = ($mine->[$n], $other->[$n] // last);
		my $where = "CPU $cpu, lines $a->[3] and $b->[3]";

		$branches++;
		wrong("$where: $a->[0], not $b->[0]") if $a->[0] ne $b->[0];
		wrong("$where: another begin") if $a->[1] != $b->[1];
		wrong("$where: $a->[2] calls end, not $b->[2]") if $a->[2] != $b->[2];
	}
}
wrong("there are no branches") unless $branches;
print "$branches branches\n";
exit($errors > 0);
