#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# order.pl GRAPH TASK SKIP
#
# Checks that the calls of TASK are in the same order in the two parts of GRAPH, the output of
# trace-calls graph for a buffer and the instance "single", which have recorded the same calls.  An
# interrupt may come between the two tracers, and other functions run on its way back, so only
# functions are compared that no interrupt calls.  These have to be the same functions with the same
# depths.  Up to a tenth may have other values, because the two tracers read memory at two times.
# With SKIP, the second tracer begins within the first of its outermost calls, and up to SKIP
# earlier calls are missing.

use strict;
use warnings;

my ($graph, $task, $skip) = @ARGV;
my $compared = qr/^(?!.*(?:free|rcu))
	(?:(?:path|link_path_walk|walk|step_into|pick_link|lookup(?!_address)|open_last_lookups|
	      try_to_unlazy|complete_walk|terminate_walk|may|vfs|proc|simple|shmem|ramfs|d|mnt)(?:_|\b)|
	   do_open\b|do_dentry_open\b|inode_permission\b|generic_(?:permission|file|perform)|
	   security_(?:file_open|file_permission|inode_permission)|pid_revalidate\b|alloc_empty_file\b)/x;
# The outermost calls of each process and part: lists of calls.  A call has a depth, a name and
# values.
my (%parts, %open);

open(my $in, '<', $graph) or die "$graph: $!\n";
while (<$in>) {
	my ($part, $pid, $indent, $text) =
		/^(single: )? *\d+\) +\Q$task\E-(\d+) [^|]*\|  ( *)(.*)$/ or next;
	my $depth = length($indent) / 2;
	my $ret = $text =~ s{ /\* (?:.* )?(ret=.*) \*/$}{} ? $1 : '';

	$part = $part ? 'single' : 'both';
	if ($text =~ /^\}/) {
		my $call = delete($open{$part}{$pid}{$depth}) or next;

		$call->[2] .= " $ret";
	} elsif ($text =~ /^(\w[^(\s]*)(.*?)(;| \{)$/) {
		my $call = [$depth, $1, "$2 $ret"];

		$open{$part}{$pid}{$depth} = $3 eq ';' ? undef : $call;
		next if $1 !~ $compared;
		push(@{$parts{$pid}{$part}}, []) if !$depth || !$parts{$pid}{$part};
		push(@{$parts{$pid}{$part}[-1]}, $call);
	}
}
close($in);

my ($nr, $differ, $wrong) = (0, 0, 0);

for my $pid (sort keys %parts) {
	my ($two, $one) = map { $_ // [] } @{$parts{$pid}}{qw(both single)};

	if (@$two < @$one || @$two > @$one + $skip) {
		print "$task-$pid: " . @$two . ' and ' . @$one . " outermost calls\n";
		$wrong++;
		next;
	}
	# Compare from the end, because both parts have the last call
	for my $back (1 .. @$one - !!$skip) {
		my ($want, $is) = ($two->[-$back], $one->[-$back]);

		for my $i (0 .. ($#$is > $#$want ? $#$is : $#$want)) {
			my ($call, $same) = map { $_ // [0, '(none)', ''] } $is->[$i], $want->[$i];

			$nr++;
			$differ++ if $call->[2] =~ s/ +$//r ne $same->[2] =~ s/ +$//r;
			next if $call->[0] == $same->[0] && $call->[1] eq $same->[1];
			print "$task-$pid, call $back from the end: $call->[0] $call->[1], not $same->[0] $same->[1]\n"
				if $wrong++ < 3;
			last;
		}
	}
}
print "$task: $nr calls, $differ have other values, $wrong wrong\n";
exit($wrong || $nr < 20 || $differ * 10 >= $nr ? 1 : 0);
