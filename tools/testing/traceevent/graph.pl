#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# graph.pl JSON TEXT [OPTION...] [SELECTED]
#
# Checks that TEXT, the output of trace-calls graph, has the calls of JSON, the output of
# trace-calls json, with their callers and in the order of their begins.  SELECTED is an
# expression of Perl that is true for the selected calls, which have $pid, $cpu, $function,
# $begin and $errno.  The OPTIONs are those of trace-calls graph: --callees, --callers,
# --depth=N, --errors.  The times of --stamps have to be in their order for each task.

use strict;
use warnings;
no strict 'refs';

my ($json, $text) = splice(@ARGV, 0, 2);
my %option = map { /^--(\w+)(?:=(.*))?$/ ? ($1 => $2 // 1) : () } @ARGV;
my ($selected) = grep { !/^--/ } @ARGV;
my (%tasks, %expected, %shown, %within, %times, $wrong, $nr);
my $events = 0;
our ($pid, $cpu, $function, $begin, $errno);
my $selects = $option{errors} || defined $selected;
my $test = eval('sub { ' . ($selected // 1) . ' }') or die $@;

sub wrong {
	print "$_[0]\n" if $wrong++ < 10;
}

$wrong = 0;
open(my $in, '<', $json) or die "$json: $!\n";
while (<$in>) {
	my %call;

	($function) = /"function":"([^"]+)"/ or next;
	($begin, $cpu, $pid) = /"begin":(\d+),"cpu":(\d+),"pid":(\d+)/ or die "malformed: $_";
	($errno) = /"errno":"(\w+)"/ or $errno = '';
	%call = (begin => $begin, depth => /"depth":(\d+)/, callees => [], errno => $errno,
		 end => /"duration":(\d+)/ ? $begin + $1 : 9e18, selected => $test->());
	$call{name} = $function . (/"function":"[^"]+","module":"([^"]+)"/ ? " [$1]" : '');
	push(@{$tasks{(/"instance":"([^"]+)"/ ? "$1: " : '') . $pid}}, \%call);
}
close($in);

# Find the calls that are shown, with their level
sub show {
	my ($task, $call, $level, $inside) = @_;
	my $shown = $call->{selected} || $option{callers} && $call->{below} ||
		    $option{callees} && $inside;
	my $lines = $expected{$task} //= [];
	my ($at, $name) = (scalar(@$lines), $call->{name});

	return if $shown && $option{depth} && $level >= $option{depth};
	$inside ||= $call->{selected};
	my $depth = $selects && !$option{callers} ? $level : $call->{depth};
	show($task, $_, $level + ($shown ? 1 : 0), $inside) for @{$call->{callees}};
	return unless $shown;
	$nr++;
	if ($call->{end} == 9e18) {
		splice(@$lines, $at, 0, "$depth $name {");
	} elsif (@$lines > $at) {
		splice(@$lines, $at, 0, "$depth $name {");
		push(@$lines, "$depth }");
	} else {
		push(@$lines, "$depth $name;");
	}
}

# A call through which an error has reached the outermost call
sub chain {
	my ($call) = @_;
	my ($from) = grep { $_->{errno} eq $call->{errno} } reverse(@{$call->{callees}});

	$call->{chained} = 1;
	chain($from) if $from;
}

sub below {
	my ($call) = @_;

	$call->{selected} &&= $call->{chained} if $option{errors};
	below($_) for @{$call->{callees}};
	$call->{below} = grep { $_->{selected} || $_->{below} } @{$call->{callees}};
}

for my $task (keys %tasks) {
	my (@open, @outer);

	for my $call (sort { $a->{begin} <=> $b->{begin} || $a->{depth} <=> $b->{depth} } @{$tasks{$task}}) {
		pop(@open) while @open && ($open[-1]{depth} >= $call->{depth} || $open[-1]{end} < $call->{end});
		push(@{@open ? $open[-1]{callees} : \@outer}, $call);
		push(@open, $call);
	}
	for my $call (@outer) {
		chain($call) if $call->{errno} ne '' && !$call->{depth};
		below($call);
		show($task, $call, 0, 0);
	}
}

open($in, '<', $text) or die "$text: $!\n";
while (<$in>) {
	my $time = s/^((?:\w+: )?) *(\d+\.\d+) \|/$1/ ? $2 : undef;

	next if /LOST/;
	my ($instance, $of, $indent, $line) = /^(\w+: )? *\d+\) +\S+-(\d+) [^|]*\|  ( *)(.*)$/
		or die "malformed: $_";
	my $depth = length($indent) / 2;

	my $task = ($instance // '') . $of;

	if (defined $time) {
		wrong("task $task: $time comes after $times{$task}") if $time < ($times{$task} // 0);
		$times{$task} = $time;
	}
	# JSON does not have the other events, so a call with no callees but events is a line
	if ($line =~ m{^/\*}) {
		$events++;
		$within{$task} = 1;
		next;
	}
	$line = $line =~ /^\}/ ? '}' : $line =~ /^([^(]+)\(.*\{$/ ? "$1 {" :
		$line =~ /^([^(]+)\(.*\);/ ? "$1;" : $line;
	if ($line eq '}' && $within{$task} && $shown{$task} && $shown{$task}[-1] =~ s/^($depth .*) \{$/$1;/) {
		next;
	}
	$within{$task} = 0;
	push(@{$shown{$task}}, "$depth $line");
}
for my $task (keys %expected) {
	my ($is, $want) = ($shown{$task} // [], $expected{$task});

	for my $i (0 .. ($#$is > $#$want ? $#$is : $#$want)) {
		next if ($is->[$i] // '') eq ($want->[$i] // '');
		wrong("task $task, line $i: " . ($is->[$i] // '(none)') . ', not ' . ($want->[$i] // '(none)'));
		last;
	}
	delete($shown{$task});
}
wrong("task $_ is shown") for keys %shown;
print +($nr // 0) . " calls and $events events in the graph, $wrong tasks wrong\n";
exit($wrong || !$nr ? 1 : 0);
