#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# perfetto-branches.pl PACKETS TREE
#
# Compares the slices of branches in the output of trace-calls perfetto, decoded by
# "protoc --decode", with the text of trace-calls branches.  The slices of each task
# are the calls of the text, in the same order, with the same depth, kind and source line.
# A task has a track for each stack of its calls.  No two events of a track have the same
# time, no event is before the time of its block, and each slice ends.

use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Branches;

my ($packets, $tree) = @ARGV;
my ($errors, %tasks, %parents, %events) = (0);

sub wrong
{
	print "@_\n" if $errors++ < 20;
}

open(my $in, '<', $packets) or die "$packets: $!\n";
{
	local $/ = "\npacket {\n";

	while (<$in>) {
		if (/^  track_descriptor \{\n    uuid: (\d+)\n(.*?)^  \}/ms) {
			my ($uuid, $text) = ($1, $2);

			$tasks{$uuid} = $1 if $text =~ /^ +tid: (\d+)$/m;
			$tasks{$uuid} = "0.$1" if $text =~ /name: ".* on CPU (\d+)"/;
			# The track of an instance is below the task's track
			$tasks{$uuid} //= $tasks{$1} if $text =~ /parent_uuid: (\d+)/;
			$parents{$uuid} = $1 if $text =~ /name: "branches"/ && $text =~ /parent_uuid: (\d+)/;
		}
		my ($track) = /^    track_uuid: (\d+)$/m or next;
		next unless $parents{$track};
		my ($time) = /^  timestamp: (\d+)$/m;
		my ($type) = /^    type: TYPE_SLICE_(BEGIN|END)$/m or wrong("no slice: $_");
		my %notes = map { /^ +string_value: "(.*)"\n +name: "(.*)"$/m ? ($2, $1) : () } split /debug_annotations/;
		my ($name) = /^    name: "(.*)"$/m;
		push @{$events{$tasks{$parents{$track}}}}, [$track, $time, $type, $name, \%notes];
	}
}
close($in);

# The calls of the text, for each task: the name, the depth, the time, the kind, the source
my (%calls, $nr);
read_tree($tree, sub {
	my ($part) = @_;

	push @{$calls{$part->{task}}}, [@$part{qw(to depth)}, $part->{time} =~ tr/.//dr,
					@$part{qw(kind source)}] if $part->{what} eq '{';
});

for my $task (sort keys %calls) {
	my ($list, %last, %depth, $n) = ($calls{$task});

	$n = 0;
	for my $event (@{$events{$task} // []}) {
		my ($track, $time, $type, $name, $notes) = @$event;
		my $last = $last{$track} // -1;

		wrong("task $task: $time is not behind $last") if $time <= $last;
		$last{$track} = $time;
		$depth{$track} //= 0;
		if ($type eq 'END') {
			wrong("task $task: an end without a begin at $time") if --$depth{$track} < 0;
			next;
		}
		my $call = $list->[$n++] or do { wrong("task $task: no call is $name"); last };
		wrong("task $task, call $n: $name, not $call->[0]") if $name ne $call->[0];
		wrong("task $task, call $n: in $depth{$track} slices, not $call->[1]") if $depth{$track} != $call->[1];
		wrong("task $task, call $n: at $time, before $call->[2] us") if ($time + 500) / 1000 < $call->[2] - 1;
		wrong("task $task, call $n: from nowhere") unless $notes->{from} =~ /\+0x|^0x/;
		wrong("task $task, call $n: $notes->{kind}, not $call->[3]") if $notes->{kind} ne $call->[3];
		wrong("task $task, call $n: another line than " . ($call->[4] // 'none'))
			if ($notes->{source} // '') ne ($call->[4] // '');
		$depth{$track}++;
		$nr++;
	}
	wrong("task $task: $_ slices have no end") for grep { $_ } values %depth;
	wrong("task $task: $n slices, not " . @$list) if $n != @$list;
}
wrong("task $_ has no branches") for grep { !$calls{$_} } keys %events;
print(($nr // 0) . " slices of " . keys(%events) . " tasks\n");
exit($errors || !$nr ? 1 : 0);
