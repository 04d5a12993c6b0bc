#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# perfetto.pl PACKETS CALLS
#
# Checks that the output of trace-calls perfetto, decoded by "protoc --decode", follows
# Perfetto's rules.  If packets are sorted by time, and packets with the same time are in
# the order of the file, each end of a slice ends the slice that began last on its track.
# No two begins and ends of a track have the same time, each track has a descriptor,
# parents exist, and all strings are UTF-8.

use strict;
use warnings;

my ($packets, $calls) = @ARGV;
my (%tracks, %parents, %events, %begin, %slices, $wrong, $nr);

sub wrong {
	print "$_[0]\n" if $wrong++ < 20;
}

$wrong = 0;
open(my $in, '<', $packets) or die "$packets: $!\n";
local $/ = "\npacket {\n";
while (<$in>) {
	if (/^  track_descriptor \{\n    uuid: (\d+)\n(.*?)^  \}/ms) {
		my ($uuid, $text) = ($1, $2);

		$tracks{$uuid} = 1;
		$parents{$1} = 1 if $text =~ /parent_uuid: (\d+)/;
		wrong("track $uuid has no name") unless $text =~ /name: ".+"/;
	}
	next unless /^  track_event \{/m;
	my ($time) = /^  timestamp: (\d+)$/m or wrong("no time: $_");
	my ($type) = /^    type: TYPE_(\w+)$/m or wrong("no type: $_");
	my ($track) = /^    track_uuid: (\d+)$/m or wrong("no track: $_");
	my ($name) = /^    name: "(.*)"$/m;

	wrong("no sequence") unless /^  trusted_packet_sequence_id: 1$/m;
	wrong("no name at $time") if !defined $name && $type ne 'SLICE_END';
	push(@{$events{$track}}, [$time, $type]);
	if ($type eq 'SLICE_BEGIN') {
		$begin{$track} = $time;
		$nr++;
	} elsif ($type eq 'SLICE_END') {
		push(@{$slices{$track}}, [$begin{$track}, $time]);
	}
}
close($in);

for my $track (keys %events) {
	my ($depth, $last) = (0, -1);

	wrong("track $track has no descriptor") unless $tracks{$track};
	for my $event (sort { $a->[0] <=> $b->[0] } @{$events{$track}}) {
		my ($time, $type) = @$event;

		next if $type eq 'INSTANT';
		wrong("two events at $time on track $track") if $time == $last;
		$last = $time;
		$depth++ if $type eq 'SLICE_BEGIN';
		wrong("an end without a begin at $time") if $type eq 'SLICE_END' && --$depth < 0;
	}
	wrong("$depth slices of track $track have no end") if $depth;
}
wrong("track $_ is missing") for grep { !$tracks{$_} } keys %parents;
wrong(($nr // 0) . " slices, not $calls") if ($nr // 0) != $calls;
print "$nr slices on " . keys(%events) . " tracks\n";

# Check that slices are nested: each end ends the slice that was written with it
for my $track (keys %slices) {
	my @stack;

	for my $slice (sort { $a->[0] <=> $b->[0] } @{$slices{$track}}) {
		pop(@stack) while @stack && $stack[-1] <= $slice->[0];
		wrong("a slice at $slice->[0] on track $track goes beyond the one that it is in")
			if @stack && $stack[-1] < $slice->[1];
		wrong("a slice at $slice->[0] ends before it begins") if $slice->[1] <= $slice->[0];
		push(@stack, $slice->[1]);
	}
}
exit($wrong || !$nr ? 1 : 0);
