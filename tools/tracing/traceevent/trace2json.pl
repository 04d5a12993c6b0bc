#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# trace-cmd report -t ... | trace2json.pl >FILE
#
# Turns a report of the function_graph tracer, with the plugin or without, into
# the JSON that the Perfetto UI, chrome://tracing and speedscope open: a slice
# for each call, with its arguments and what it returned, on a track for each
# task and CPU.  A task that changes the CPU has its open calls on both.
#
# Readers drop or misplace a slice that is not within another one, or apart from
# it, and compute in their own way: some in doubles, Perfetto in nanoseconds that
# are cut off.  So what begins or ends together is GAP nanoseconds apart.

use strict;
use warnings;

use Encode;
use FindBin;
use lib $FindBin::Bin;
use ArgText;

use constant GAP => 2;

my %tasks;		# by buffer, name and pid: cpu, last time, open calls
my %tracks;		# by task and CPU: its number
my @threads;		# names of tracks, for the end
my $first = 1;
my ($origin, $now);

sub quote {
	my ($text) = @_;

	$text =~ s/(["\\])/\\$1/g;
	# Names of tasks are bytes, mostly UTF-8; JSON has 16 bits in an escape
	$text = decode('UTF-8', $text);
	$text =~ s/([^ -~])/join('', map { sprintf('\\u%04x', $_) } unpack('n*', encode('UTF-16BE', $1)))/ge;
	return "\"$text\"";
}

sub emit {
	my ($json) = @_;

	print $first ? "\n" : ",\n", $json;
	$first = 0;
}

# Nanoseconds, from the first one, to microseconds
sub usecs {
	my ($time) = @_;

	return sprintf('%.3f', ($time - $origin) / 1000);
}

sub properties {
	my ($call) = @_;
	my @list;

	for my $arg (split_args($call->{args})) {
		my ($name, $val) = $arg =~ /^([\w>.\[\]-]+)=(.*)$/ ? ($1, $2) : ('', $arg);

		$name = 'arg' . @list if $name eq '';
		push(@list, quote($name) . ':' . quote($val));
	}
	push(@list, '"return":' . quote($call->{ret})) if defined $call->{ret};
	return '{' . join(',', @list) . '}';
}

sub slice {
	my ($call, $track, $end) = @_;
	my $length = $end > $call->{begin} ? $end - $call->{begin} : 0;

	emit(sprintf('{"ph":"X","cat":"function","name":%s,"pid":%d,"tid":%d,"ts":%s,"dur":%.3f,"args":%s}',
		     quote($call->{name}), $track->{cpu}, $track->{tid},
		     usecs($call->{begin}), $length / 1000, properties($call)));
}

# A task's track on a CPU
sub track {
	my ($task, $cpu) = @_;

	$tracks{"$task->{name} $cpu"} //= do {
		push(@threads, { name => $task->{name}, cpu => $cpu, tid => @threads + 1 });
		$threads[-1];
	};
	return $tracks{"$task->{name} $cpu"};
}

# Calls that end together, the outermost first
sub slices {
	my ($track, $end, @calls) = @_;

	for my $call (@calls) {
		slice($call, $track, $end);
		$end -= GAP;
	}
}

# A call that has no others in it ends before what its task does next
sub end_leaf {
	my ($task, $limit) = @_;
	my $call = delete($task->{leaf}) or return;
	my $end = $call->{begin} + $call->{length};

	$end = $limit - GAP if defined $limit && $limit - GAP < $end;
	slice($call, track($task, $task->{cpu}), $end);
	$task->{last} = $end if $task->{last} < $end;
}

# All that is open ends, some of it goes on elsewhere
sub end_open {
	my ($task) = @_;
	my @open = @{$task->{open}};

	slices(track($task, $task->{cpu}), $task->{last} + GAP * @open, @open);
}

# What is open is shown on both CPUs
sub migrate {
	my ($task, $cpu) = @_;
	my $begin = $now;

	end_open($task);
	for my $call (reverse @{$task->{open}}) {
		$begin -= GAP;
		$call->{begin} = $begin;
	}
	$task->{cpu} = $cpu;
}

# Events were lost: what was open has ended, no one knows when
sub lose {
	my ($cpu) = @_;

	for my $key (sort keys %tasks) {
		my $task = $tasks{$key};

		next if $task->{cpu} != $cpu;
		end_leaf($task);
		end_open($task);
		$task->{open} = [];
	}
}

# A call's end; those that it called have ended as well, though it is not seen
sub leave {
	my ($task, $depth, $ret) = @_;
	my $open = $task->{open};
	my @ended;

	while (@$open && $open->[-1]{depth} >= $depth) {
		unshift(@ended, pop(@$open));
	}
	return unless @ended;
	$ended[0]{ret} = $ret if $ended[0]{depth} == $depth;
	slices(track($task, $task->{cpu}), $now, @ended);
}

# No displayTimeUnit: Perfetto once took it for the unit of all times
print '{"traceEvents":[';
while (<STDIN>) {
	if (/^CPU:(\d+) \[.*EVENTS DROPPED\]/) {
		lose($1);
		next;
	}
	# "BUFFER:  TASK-PID  [CPU]"; with -l the CPU is followed by the latency
	my ($buffer, $name, $cpu, $sec, $frac, $duration, $indent, $text) =
		/^(?:(\S+):\s)?\s*(.*-\d+)\s+(?|\[(\d+)\]|(\d+)[^\s\d]\S*).*?\s(\d+)\.(\d+): (?:funcgraph_(?:entry|exit)|fgraph_retaddr_entry):[^|]*?([\d.]*)(?: us)? *\|  ( *)(.*)$/
		or next;
	$name .= " in $buffer" if defined $buffer;
	# Each CPU has an idle task
	my $key = $name =~ /-0( in .*)?$/ ? "$name $cpu" : $name;
	my $task = $tasks{$key} //= { name => $name, open => [], cpu => $cpu };
	my $depth = length($indent) / 2;
	my $ret = $text =~ s/^(.*) \/\* (?:.* )?ret=(.*) \*\/$/$1/ ? $2 : undef;

	$now = $sec * 1000000000 + substr($frac . '000000000', 0, 9);
	$origin //= $now;
	$now = $task->{seen} + GAP if defined $task->{seen} && $now < $task->{seen} + GAP;
	$task->{seen} = $now;
	end_leaf($task, $now);
	migrate($task, $cpu) if $task->{cpu} != $cpu;
	$task->{last} = $now;
	if ($text =~ /^\}/) {
		leave($task, $depth, $ret);
		next;
	}
	my ($func, $args, $end) = $text =~ /^([^(]+)\((.*)\)( \{|;)/ or next;
	my $call = { name => $func, args => $args, depth => $depth,
		     begin => $now, ret => $ret };

	# Whose end was lost
	leave($task, $depth, undef);
	if ($end eq ';') {
		$call->{length} = $duration * 1000;
		$task->{leaf} = $call;
	} else {
		push(@{$task->{open}}, $call);
	}
}

for my $key (sort keys %tasks) {
	end_leaf($tasks{$key});
	end_open($tasks{$key});
}
my %cpus = map { $_->{cpu} => 1 } @threads;
for my $cpu (sort { $a <=> $b } keys %cpus) {
	emit(sprintf('{"ph":"M","name":"process_name","pid":%d,"args":{"name":"CPU %d"}}', $cpu, $cpu));
}
for my $track (@threads) {
	emit(sprintf('{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":%s}}',
		     $track->{cpu}, $track->{tid}, quote("$track->{name} on CPU " . $track->{cpu} * 1)));
}
print "\n]}\n";
