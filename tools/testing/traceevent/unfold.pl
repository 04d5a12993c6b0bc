#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# unfold.pl IN OUT [times]
#
# Compares the report of a recording with the report of the output of "trace-calls unfold"
# for the recording.  In OUT the calls of each task are nested, and no call has one event.
# IN and OUT have the same calls: task, depth, function, arguments, return value and
# duration.  All other lines are the same.  Each call in OUT ends before the next call of
# its task begins.  Calls that had not returned in IN are an exception, because recording is
# turned off a little after these calls are written.  With "times" each end is later than
# its begin by the duration and by the time until the event was written.  This time is
# short, except for interrupts.  Calls that were recorded with two events or without
# sleep-time do not fulfil "times".

use strict;
use warnings;

my $times = ($ARGV[2] // '') eq 'times';
my $wrong = 0;
my ($nr_times, $nr_late) = (0, 0);

sub wrong {
	print "@_\n" if $wrong++ < 10;
}

# The return value and the results of a call, in the form of a call with one event
sub returned {
	my ($text) = @_;

	return '' if !defined($text);
	return $text =~ s/^ret=(?!&)// ? $text : "void $text";
}

# Read a report: the calls, and all other lines with their counts. $nested is undef or the
# calls of IN.  With $nested, the calls have to be nested.
sub calls {
	my ($name, $nested) = @_;
	my (%calls, %others, %stacks, $nr_calls, $nr_single);
	my $instance = '';
	my $add = sub {
		$calls{join(' | ', @_)}++;
		$nr_calls++;
	};

	open(my $in, '<', $name) or die "$name: $!\n";
	while (my $line = <$in>) {
		# A line after lost events has no instance, and fewer blanks before the task
		$line =~ s/^((?:\w+:)?) +/$1 /;
		$line = $instance . $line if $instance ne '';
		$instance = $line =~ /^(\w+:) CPU:\d+ \[/ ? $1 : '';
		# Newer versions of trace-cmd show the flags of the context before the time
		if ($line !~ /^(.*-\d+)\s+\[(\d+)\]\s+(?:[^\s\d]\S*\s+)?([\d.]+):\s+funcgraph_(entry|exit|call):(.*)\|( +)(.*)$/) {
			$others{$line}++;
			next;
		}
		my ($task, $cpu, $time, $kind, $duration, $depth, $text) = ($1, $2, $3, $4, $5, $6, $7);

		# Each CPU has an idle task
		$task .= " of CPU $cpu" if $task =~ /-0$/;
		my $stack = $stacks{$task} //= [];
		my $place = "$name, line $.";

		$duration =~ s/[^\d.]//g;
		$depth = length($depth) / 2 - 1;
		if ($kind eq 'call') {
			$nr_single++;
			$text =~ /^(.*?\))(;| \.\.\.| = .*)$/ or wrong("$place: $text");
			my ($call, $ret) = ($1, $2);

			if ($ret eq ' ...') {
				$add->($task, $depth, $call, 'open');
			} else {
				$add->($task, $depth, $call, $ret =~ s/^;$|^ = //r, $duration);
			}
			next;
		}
		# A call of the task that was in another call has ended without an event
		while (@$stack && ($stack->[-1][0] > $depth || ($kind eq 'entry' && $stack->[-1][0] == $depth))) {
			my @open = ($task, @{pop(@$stack)}[0, 1], 'open');

			wrong("$place: the end of $open[2] is not before")
				if $nested && !$nested->{join(' | ', @open)};
			$add->(@open);
		}
		if ($kind eq 'exit') {
			my ($ret) = $text =~ /^\} \/\* \S+(?: \[\S+\])? (.*=.*) \*\/$/;

			$ret = returned($ret);
			my $call = @$stack && $stack->[-1][0] == $depth ? pop(@$stack) : undef;

			if (!$call) {
				wrong("$place: an end without a begin") if $nested;
			} elsif ($nested && $times) {
				my $late = ($time - $call->[2]) * 1e6 - $duration;

				wrong("$place: $late us late") if $late < -0.01 - $duration / 1e4;
				$nr_times++;
				$nr_late++ if $late > 1000 + $duration / 1e4;
			}
			$add->($task, $depth, $call ? $call->[1] : "lost $text", $ret, $duration);
		} elsif ($text =~ s/ \{$//) {
			push(@$stack, [$depth, $text, $time]);
		} elsif ($text =~ /^(.*);(?: \/\* (.*) \*\/)?$/) {
			$add->($task, $depth, $1, returned($2), $duration);
		} else {
			wrong("$place: $text");
		}
	}
	for my $task (keys %stacks) {
		$add->($task, @$_[0, 1], 'open') for @{$stacks{$task}};
	}
	return (\%calls, \%others, $nr_calls // 0, $nr_single // 0);
}

sub compare {
	my ($in, $out) = @_;

	for my $line (sort keys %$in) {
		wrong("IN has $in->{$line}, OUT has ", $out->{$line} // 0, ": $line")
			if $in->{$line} != ($out->{$line} // 0);
	}
	for my $line (sort keys %$out) {
		wrong("only OUT has: $line") if !$in->{$line};
	}
}

my ($in, $in_others, $nr, $nr_single) = calls($ARGV[0]);
my ($out, $out_others, $out_nr, $out_single) = calls($ARGV[1], $in);

wrong("$ARGV[0] has no call with one event") if !$nr_single;
wrong("$ARGV[1] has $out_single calls with one event") if $out_single;
wrong("$nr_late of $nr_times ends are late") if $nr_late > $nr_times / 100;
compare($in, $out);
compare($in_others, $out_others);
print "$nr calls, $nr_single with one event: ", $wrong ? "$wrong wrong\n" : "right\n";
exit($wrong != 0);
