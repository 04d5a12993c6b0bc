#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-range-tree.pl [-C] TREE RANGED REGEX
#
# Compares the text of "trace-calls branches --range" with the whole tree.  The code is the
# functions whose names match REGEX.  RANGED has to have each branch of TREE that begins or ends in
# the code, and the begin and the end of each call around such a branch, in the order of TREE and
# with its depth.  With -C, RANGED is of --calls-only.  Loops and calls of one line are compared
# branch by branch.  Prints the counts.

use strict;
use warnings;

my $only = $ARGV[0] eq '-C' && shift;
my ($tree, $ranged, $regex) = @ARGV;
my ($errors, %count) = (0);

sub wrong
{
	print "@_\n" if $errors++ < 20;
}

sub symbol
{
	my ($text) = @_;
	return $text =~ /^(?!0x)([^+]+)/ ? $1 : undef;
}

sub full
{
	my ($text, $func) = @_;
	return $text =~ /^\+/ ? ($func // '?') . $text : $text;
}

sub is_in
{
	return scalar(grep { (symbol($_) // '') =~ /^(?:$regex)$/ } @_);
}

my $kind = qr/(?:mispredicted )?\w+\??/;

# Pass the parts of a text to a function, in their order: notes, begins and ends of calls, and
# jumps.  An end may have no branch.  An offset without a name belongs in TREE to the function that
# runs, and in RANGED to the function whose line opened the call.
sub each_part
{
	my ($file, $visit) = @_;
	# The function of each open call, by CPU, and of the tasks that do not run.  If branches of a task
	# come from two CPUs in turn, each CPU has calls of its own.
	my (%funcs, %kept);

	open(my $in, '<', $file) or die "$file: $!\n";
	while (my $line = <$in>) {
		my ($pid, $cpu, $indent, $text) =
			$line =~ /^ *.*-(\d+) +\[(\d+)\] +\d+\.\d{6}: ( *)(.*)$/ or die "not a line: $line";
		my $depth = length($indent) / 2;
		my $open = $funcs{$cpu} //= [];
		my $func = $depth ? $open->[$depth - 1] : undef;
		my $put = sub {
			my ($what, @branch) = @_;
			$visit->({ cpu => $cpu, pid => $pid || "0.$cpu", depth => $depth, what => $what, branch => "@branch",
				   in => @branch ? is_in(@branch[1, 2]) : 0, line => $. });
		};
		if ($text =~ /^\[/) {
			$put->($text);
			if ($text =~ /^\[SWITCH .*-(\d+) => .*-(\d+)\]$/) {
				my ($old, $new) = map { $_ || "0.$cpu" } $1, $2;
				$kept{$old} = $open;
				$funcs{$cpu} = delete $kept{$new} // [];
			}
		} elsif ($text =~ m{^(\S+)\(\) \{ /\* ($kind) (\S+)}) {
			$put->('{', $2, full($3, $func), $1);
			$open->[$depth] = symbol($1);
		} elsif ($text =~ m{^\} /\* ($kind) (\S+) -> (\S+)}) {
			$put->('}', $1, $2, $3);
		} elsif ($text eq '}') {
			$put->('}');
		} else {
			my $turns = $text =~ s/^(\d+) x (\[ )?// ? $1 : 1;
			my @found;
			while ($text =~ m{\G(?:, )?(.*?) /\* ($kind)(.*?) \*/}g) {
				my ($what, $begun, $comment) = ($1, $2, $3);
				if ($what =~ /^(\S+)\(\);$/) {
					my $name = $1;
					my ($from, $ended, $end, $to) = $comment =~ /^ ([^\s,]+).*, ($kind) (\S+) -> (\S+)$/ or
						wrong("$file:$.: no call: $comment");
					$from = full($from, $func);
					push @found, ['{', $begun, $from, $name],
						['}', $ended, full($end, symbol($name)), full($to, symbol($from))];
				} elsif ($what =~ /^(\S+) -> (\S+)$/) {
					my $from = full($1, $func);
					my $to = full($2, symbol($from));
					push @found, ['', $begun, $from, $to];
					$func = symbol($to) // $func if $file eq $tree;
				} else {
					wrong("$file:$.: not an item: $what");
				}
			}
			$open->[$depth - 1] = $func if $depth;
			for (1 .. $turns) {
				$put->(@$_) for @found;
			}
		}
	}
}

# The open calls of each CPU, and of the tasks that do not run; the parts that have to be shown
my (%open, %kept, %expected, %found);

# Expect a part, unless it was expected before
sub expect
{
	my ($cpu, $part) = @_;

	return if $part->{shown}++ || ($only && $part->{what} eq '');
	push @{$expected{$cpu}}, $part;
}

each_part($tree, sub {
	my ($part) = @_;
	my $cpu = $part->{cpu};
	my $open = $open{$cpu} //= [];

	if ($part->{what} =~ /^\[/) {
		expect($cpu, $part);
		$open{$cpu} = [];
		if ($part->{what} =~ /^\[SWITCH .*-(\d+) => .*-(\d+)\]$/) {
			my ($old, $new) = map { $_ || "0.$cpu" } $1, $2;
			$kept{$old} = $open;
			$open{$cpu} = delete $kept{$new} // [];
		}
		return;
	}
	# Calls that have begun before the text, or on another CPU, are not known
	$#$open = $part->{depth} - ($part->{what} eq '}' ? 0 : 1);
	# A call is shown from the first branch in the code on
	expect($cpu, $_) for grep { defined } $part->{in} ? @$open : ();
	if ($part->{what} eq '}') {
		my $begin = pop @$open;
		expect($cpu, $part) if $begin ? $begin->{shown} : $part->{in} && !$only;
		return;
	}
	expect($cpu, $part) if $part->{in};
	push @$open, $part if $part->{what} eq '{';
});
each_part($ranged, sub {
	my ($part) = @_;
	push @{$found{$part->{cpu}}}, $part;
});
for my $cpu (sort keys %expected) {
	my ($all, $mine) = ($expected{$cpu}, $found{$cpu} // []);

	wrong("CPU $cpu: " . @$mine . ' parts, not ' . @$all) if @$mine != @$all;
	for my $n (0 .. ($#$all < $#$mine ? $#$all : $#$mine)) {
		my ($want, $is) = ($all->[$n], $mine->[$n]);

		# If a branch ends several calls, it is at the brace of the first one that is shown
		wrong("$ranged:$is->{line}: $is->{depth} $is->{what} $is->{branch}, not $want->{depth} " .
		      "$want->{what} $want->{branch} of $tree:$want->{line}")
			if "$is->{depth} $is->{what}" ne "$want->{depth} $want->{what}" ||
			   ($is->{branch} ne $want->{branch} && ($want->{what} ne '}' || $want->{branch} ne ''));
		$count{$is->{what} =~ /^\[/ ? 'notes' : { '{' => 'begins', '}' => 'ends', '' => 'jumps' }->{$is->{what}}}++;
		$count{'around the code'}++ if $want->{what} eq '{' && !$want->{in};
	}
}
print "$regex: ", join(', ', map { "$count{$_} $_" } sort keys %count), "\n";
exit($errors > 0 || !$count{begins} || !$count{'around the code'});
