#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# join-tree.pl [-p] ALL TREE
#
# Compares the texts of "trace-calls branches --calls" with and without --all.  Below each
# line of the graph, the tree has the same branches as the lines of --all.  The tree leaves
# out branches to a call that has its own line, and branches to return_to_handler().  The
# branch that ends a call in the tree has to be the end of a call in ALL.ends with the same
# begin. join.pl writes ALL.ends.  A branch may end a call without a line together with its
# last callee, which has a line.  Then --all has the branch below the callee only.  With -p the tree has only a part of the branches.  Prints
# the counts.

use strict;
use warnings;

my $part = $ARGV[0] eq '-p' && shift(@ARGV);
my ($all, $tree) = @ARGV;
my $errors = 0;
my %count = map { $_ => 0 } qw(lines branches ends left_out);

sub wrong
{
	print "@_\n" if $errors++ < 20;
}

# The begins and ends of calls in the log
my %ends;
open(my $file, '<', "$all.ends") or die "$all.ends: $!\n";
while (<$file>) {
	chomp;
	$ends{$_} = 1;
}
close($file);

sub end_call
{
	my ($begin, $end) = @_;
	$count{ends}++;
	wrong("no call has this begin and this end: $begin | $end") unless $ends{"$begin | $end"};
}

# The branches below the lines: "from -> to" => count.  For each CPU its task.  For each
# task and depth the open calls, the innermost call last.  A call without a line has the
# depth of its callees that have a line.
# %closed has the tasks whose last line is the end of a call.
my (@below, @together, $in, $cpu, @task, %open, %closed, $nr);
my $begun = 0;

# The target of a return. The tree shows the return to the caller, without the branches of
# ftrace.
sub end_of
{
	my ($begin, $from, $to) = @_;
	return $ends{"$begin | $from -> $to"} || !$ends{"$begin | $from -> return_to_handler+0x0"} ?
		$to : 'return_to_handler+0x0';
}

sub name
{
	my ($text, $func) = @_;
	return $text =~ /^\+/ ? $func . $text : $text;
}

sub func_of
{
	my ($text) = @_;
	return $text =~ /^([^+]*)\+/ ? $1 : undef;
}

sub add
{
	my ($number, $from, $to, $nr) = @_;
	return wrong("a branch below no line: $from -> $to") unless defined $number;
	$below[$number]{"$from -> $to"} += $nr;
}

# The items of a line of the tree, and the call around them
sub items
{
	my ($text, $call, $nr) = @_;
	my $line = $call->{line};

	while ($text ne '') {
		if ($text =~ s{^(\S+)\(\); /\* \w+\?? (\S+)(?: [^,*]*)?, \w+\?? (\S+) -> (\S+) \*/}{}) {
			my ($begins, $from, $end_from, $end_to) = ($1, $2, $3, $4);
			$begins .= '+0x0' unless $begins =~ /\+0x|^0x/;
			$from = name($from, $call->{func});
			$end_to = name($end_to, func_of($from));
			add($line, $from, $begins, $nr);
			$end_from = name($end_from, func_of($begins));
			$end_to = end_of("$from -> $begins", $end_from, $end_to);
			add($line, $end_from, $end_to, $nr);
			end_call("$from -> $begins", "$end_from -> $end_to");
		} elsif ($text =~ s{^(\S+) -> (\S+) /\* \w+\??(?: [^*]*)? \*/}{}) {
			my ($from, $to) = ($1, $2);
			my $inside = $from =~ /^\+/;
			$from = name($from, $call->{func});
			$to = name($to, func_of($from));
			add($line, $from, $to, $nr);
			# A jump of another function belongs to a call that is not shown
			$call->{func} = func_of($to) // $call->{func} if $inside;
		} else {
			return wrong("not an item: $text");
		}
		$text =~ s/^, //;
	}
}

# End the innermost call at a depth, and the calls in it. If a call ends together with a
# callee that has a line, the call has no end in the text.
sub end_innermost
{
	my ($open, $depth) = @_;
	my $call = pop @{$open->[$depth]} or return;
	for my $calls (grep { $_ } @$open[$depth + 1 .. $#$open]) {
		pop @$calls while @$calls && $calls->[-1]{begun} > $call->{begun};
	}
	return $call;
}

sub read_text
{
	my ($file, $plain) = @_;
	@below = ();
	@together = ();
	%open = ();
	%closed = ();
	@task = ();
	$nr = 0;
	open($in, '<', $file) or die "$file: $!\n";
	while (<$in>) {
		chomp;
		if (/^ *(\d+)\) \[(.*)\]$/) {
			$cpu = $1;
			$task[$cpu] = $1 || "0.$cpu" if $2 =~ /^(?:TASK|SWITCH .* =>) .*-(\d+)$/;
			next;
		}
		if (/^ *(\d+)\) (?: {13}|. [0-9.]+ us *)\|  ( *)(.*)$/) {
			my ($depth, $text) = (length($2) / 2, $3);
			$cpu = $1;
			my $open = $open{$task[$cpu]} //= [];
			my $calls = $open->[$depth] //= [];
			end_innermost($open, $depth) if @$calls && $calls->[-1]{has_line};
			$closed{$task[$cpu]} = 1;
			next if $text =~ /^\}/;
			my ($func) = $text =~ /^([^( ]+)/;
			$closed{$task[$cpu]} = $text !~ /\{$/;
			push @$calls, { line => $nr, func => $func, has_line => 1, begun => ++$begun }
				if $text =~ /\{$/;
			$nr++;
			next;
		}
		my ($indent, $text) = /^ {18}\|  ( *)(.*)$/ or wrong("not a line: $_");
		my $depth = length($indent) / 2;
		next if $plain && $text !~ m{^\S+ -> \S+ /\* call};
		my $calls = $open{$task[$cpu]};
		my $call = $calls->[$depth - 1] ? $calls->[$depth - 1][-1] : undef;
		my $closed = $closed{$task[$cpu]};
		$closed{$task[$cpu]} = 0 unless $text =~ /^\}/;
		if ($text =~ m{^\} /\* \w+\?? (\S+) -> (\S+)}) {
			my ($from, $to) = ($1, $2);
			$call = end_innermost($calls, $depth);
			$to = end_of($call->{begin} // '', $from, $to);
			add($call->{line}, $from, $to, 1);
			$together[$call->{line}]{"$from -> $to"}++
				if $closed && $to eq 'return_to_handler+0x0';
			end_call($call->{begin}, "$from -> $to") if $call->{begin};
		} elsif ($text eq '}') {
			end_innermost($calls, $depth);
		} elsif (!$call) {
			wrong("below no line: $text");
		} elsif ($plain) {
			my ($from, $to) = $text =~ m{^(\S+) -> (\S+)};
			add($call->{line}, $from, $to, 1);
		} elsif ($text =~ m{^(\S+)\(\) \{ /\* \w+\?? (\S+)}) {
			my ($begins, $from) = ($1, name($2, $call->{func}));
			$begins .= '+0x0' unless $begins =~ /\+0x|^0x/;
			add($call->{line}, $from, $begins, 1);
			push @{$calls->[$depth]}, { line => $call->{line}, func => func_of($begins),
						    begin => "$from -> $begins", begun => ++$begun };
		} elsif ($text =~ s{^(\d+) x (\[ )?}{}) {
			my $turns = $1;
			$text =~ s/ \]$// if $2;
			items($text, $call, $turns);
		} else {
			items($text, $call, 1);
		}
	}
	close($in);
	return [@below];
}

my $from_all = read_text($all, 1);
my $lines = $nr;
my $from_tree = read_text($tree, 0);
wrong("$lines lines with --all, $nr without") if $lines != $nr;
for my $i (0 .. $lines - 1) {
	my ($one, $other) = ($from_all->[$i] // {}, $from_tree->[$i] // {});
	$count{lines}++;
	for my $branch (sort keys %$other) {
		$count{branches} += $other->{$branch};
		wrong("line $i: $other->{$branch} x $branch, not " . ($one->{$branch} // 0))
			if $other->{$branch} - ($together[$i]{$branch} // 0) > ($one->{$branch} // 0);
	}
	for my $branch (sort keys %$one) {
		my $left = $one->{$branch} - ($other->{$branch} // 0);
		next if $left <= 0;
		$count{left_out} += $left;
		wrong("line $i: $branch is not in the tree")
			unless $part || $branch =~ /\+0x[04]$/;
	}
}
wrong("no branches") unless $count{branches};
print join(', ', map { "$count{$_} $_" } sort keys %count), "\n";
exit($errors > 0);
