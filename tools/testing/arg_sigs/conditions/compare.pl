#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Compare the calls that met "*: error" with the expected calls, from a trace of all calls
#
# Arguments: ALL MET FIRST LAST
#
# ALL and MET are from the same run of trace.sh. FIRST and LAST are tasks. The tasks between
# them began and ended during the run, and are compared.
#
# The text of ALL alone determines the calls that have to be written: the calls that
# return an error, and their callers in the same context. Ends with 0 only if MET has
# exactly these calls, in this order, with the same text.

use strict;
use warnings FATAL => 'all';

my $most_shown = 20;
my @complaints;

# Read the entries and exits of each task
sub read_trace
{
	my ($name) = @_;
	my %tasks;

	open(my $file, '<', $name) or die "$0: $name: $!\n";
	while (my $line = <$file>) {
		my ($pid, $flags, $indent, $text, $where);

		next if $line !~ /^\s*\d+\)\s+\S.*?-(\d+)\s+\|\s+(\S+) \|[^|]*\|( +)(\S.*)$/;
		($pid, $flags, $indent, $text) = ($1, $2, $3, $4);
		$where = { context => substr($flags, 2, 1), depth => length($indent) / 2, line => $. };
		if ($text =~ /^(.*\)) \{$/s) {
			push @{$tasks{$pid}}, { %$where, enter => $1 };
		} elsif ($text =~ m,^\}(?: /\* (.*) \*/)?$,s) {
			push @{$tasks{$pid}}, { %$where, exit => $1 // '' };
		} elsif ($text =~ m,^(.*\));(?: /\* (ret=.*) \*/)?$,s) {
			push @{$tasks{$pid}}, { %$where, enter => $1 },
					      { %$where, exit => $2 // '', leaf => 1 };
		} elsif ($text !~ /^(?:=+>|<=+) *\|?$/) {
			die "$0: $name:$.: is no call: $text\n";
		}
	}
	return \%tasks;
}

# Find the calls of a task, each with its callees, in the order of their entries
sub calls_of
{
	my ($name, $events, $strict) = @_;
	my (@roots, @open);

	for my $event (@$events) {
		if (defined $event->{enter}) {
			# The calls that are still open never returned
			pop @open while @open && $open[-1]{depth} >= $event->{depth};
			my $call = { %$event, kids => [] };

			if (@open && $open[-1]{context} eq $call->{context} &&
			    $open[-1]{depth} == $call->{depth} - 1) {
				push @{$open[-1]{kids}}, $call;
			} else {
				push @roots, $call;
			}
			push @open, $call;
			next;
		}
		pop @open while @open && $open[-1]{depth} > $event->{depth};
		if (!@open || $open[-1]{depth} != $event->{depth}) {
			push @complaints, "$name:$event->{line}: a call ends that did not begin"
				if $strict;
			next;
		}
		my $call = pop @open;

		$call->{ret} = $event->{exit} =~ /(ret=.*)$/s ? $1 : '';
	}
	return @roots;
}

sub is_error
{
	my ($ret) = @_;

	return 1 if $ret =~ /^ret=ERR_PTR\(/;
	return $ret =~ /^ret=-(\d+)(?: \(-\w+\))?$/ && $1 <= 4095;
}

my ($calls, $errors, $written) = (0, 0, 0);

# Tell whether a call has to be written
sub judge
{
	my ($call) = @_;
	my $error = defined $call->{ret} && is_error($call->{ret});

	$calls++;
	$errors++ if $error;
	$call->{written} = $error;
	for my $kid (@{$call->{kids}}) {
		$call->{written} = 1 if judge($kid);
	}
	return $call->{written};
}

sub text_of
{
	my ($call, $all) = @_;

	return () if !$all && !$call->{written};
	return ("$call->{depth} $call->{enter}", (map { text_of($_, $all) } @{$call->{kids}}),
		"$call->{depth} } " . ($call->{ret} // 'never'));
}

@ARGV == 4 or die "Usage: $0 ALL MET FIRST LAST\n";
my ($all, $met) = map { read_trace($_) } @ARGV[0, 1];
my @pids = grep { $_ > $ARGV[2] && $_ < $ARGV[3] } sort { $a <=> $b } keys %$all;

for my $pid (@pids) {
	my @all = calls_of($ARGV[0], $all->{$pid}, 0);
	my @met = calls_of($ARGV[1], $met->{$pid} // [], 1);

	judge($_) for @all;
	# An interrupt may be written before the interrupted call, so its order is not checked
	for my $task (0, 1) {
		my @expected = map { text_of($_, 0) } grep { ($_->{context} eq '.') == $task } @all;
		my @shown = map { text_of($_, 1) } grep { ($_->{context} eq '.') == $task } @met;

		$written += grep { !/^\d+ \}/ } @shown;
		for my $i (0..($#expected > $#shown ? $#expected : $#shown)) {
			my ($expected, $shown) = map { $_ // 'nothing' } $expected[$i], $shown[$i];

			next if $expected eq $shown;
			push @complaints, "task $pid: $shown, expected $expected";
			last;
		}
	}
}
print scalar(@pids), " tasks, $calls calls, $errors return an error, $written written\n";
push @complaints, 'too few to tell' if @pids < 5 || $errors < 50;
my $bad = @complaints;
print "$_\n" for splice(@complaints, 0, $most_shown);
exit($bad != 0);
