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

use FindBin;
use lib $FindBin::Bin;
use Branches;

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

	read_tree($file, sub {
		my ($part) = @_;
		my ($what, $cpu, $kind) = @$part{qw(what cpu kind)};
		my $list = $all{$cpu} //= [];

		if ($what eq '}' && !defined $kind) {
			# After the end of a call, or before the begin of another call
			if ($ended{$cpu}) {
				$list->[-1][2]++;
			} else {
				$braces{$cpu}++;
			}
			return;
		}
		$ended{$cpu} = $what eq '}';
		return if $what =~ /^\[/;
		my $ends = $what eq '}' ? 1 : $what eq '{' ? delete($braces{$cpu}) // 0 : 0;
		push @$list, [$kind, $what eq '{', $ends, $part->{line}];
	});
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
		wrong("$where: another begin") if $a->[1] ne $b->[1];
		wrong("$where: $a->[2] calls end, not $b->[2]") if $a->[2] != $b->[2];
	}
}
wrong("there are no branches") unless $branches;
print "$branches branches\n";
exit($errors > 0);
