#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-only.pl TREE ONLY
#
# Compares the text of "trace-calls branches --calls-only" with the whole tree: each call that
# the tree begins and ends, with its function, kind, depth and places, in the same order, and
# the lines in brackets.  An offset without a name belongs in TREE to the function that runs,
# and in ONLY to the function whose line opened the call.  Prints the counts.

use strict;
use warnings;

my ($errors, %count) = (0);

sub wrong
{
	print "@_\n" if $errors++ < 20;
}

sub symbol
{
	my ($text, $func) = @_;
	return undef if $text =~ /^0x/;
	my ($name) = $text =~ /^([^+]*)/;
	return $name eq '' ? $func : $name;
}

sub full
{
	my ($text, $func) = @_;
	return $text =~ /^\+/ ? ($func // '?') . $text : $text;
}

# The begins and ends of calls of a text, for each CPU: [what, line]
sub events
{
	my ($file, $only) = @_;
	# The open calls of each CPU, and those of the tasks that do not run. A task whose next CPU
	# comes first in the text has its calls there.
	my (%all, %open, %kept, %runs, %switched);

	open(my $in, '<', $file) or die "$file: $!\n";
	while (my $line = <$in>) {
		my ($pid, $cpu, $indent, $text) =
			$line =~ /^ *.*-(\d+) +\[(\d+)\] +\d+\.\d{6}: ( *)(.*)$/ or die "not a line: $line";
		my $task = $pid || "0.$cpu";
		my $depth = length($indent) / 2;
		my $list = $all{$cpu} //= [];
		if ($text =~ /^\[(?:SWITCH .*-(\d+) => .*-(\d+)|.*)\]$/) {
			push @$list, [$text, $.];
			my ($old, $new) = map { $_ || "0.$cpu" } $1, $2;
			if (!defined $2) {
				$open{$cpu} = [];
				next;
			}
			if (($runs{$old} // $cpu) eq $cpu) {
				$kept{$old} = $open{$cpu};
				delete $runs{$old};
			}
			$open{$cpu} = delete $kept{$new} // [];
			$runs{$new} = $cpu;
			$switched{$cpu} = 1;
			next;
		}
		$runs{$task} //= $cpu;
		my $open = $open{$cpu} //= [];
		# The calls of a task may be unknown after a switch
		@$open = () if delete $switched{$cpu} && $depth != @$open - ($text =~ /^\}/ ? 1 : 0);
		# The function that an offset belongs to
		my $func = $depth ? $open->[$depth - 1] : undef;
		if ($text =~ m{^(\S+)\(\) \{ /\* (\w+\??) (\S+)}) {
			push @$list, ["$depth $1 $2 " . full($3, $func), $.];
			$#$open = $depth - 1;
			$open->[$depth] = symbol($1);
		} elsif ($text =~ m{^\}(?: /\* (\w+\??) (\S+) -> (\S+) .*)?$}) {
			# In the whole tree, returns from calls that were not seen have a brace
			next unless $only || $depth || @$open;
			push @$list, [defined $1 ? "$depth } $1 $2 -> $3" : "$depth }", $.];
			$#$open = $depth - 1;
		} else {
			my $turns = $text =~ s/^(\d+) x (\[ )?// ? $1 : 1;
			my @found;
			while ($text =~ m{\G(?:, )?(.*?) /\* (.*?) \*/}g) {
				my ($what, $comment) = ($1, $2);
				if ($what =~ /^(\S+)\(\);$/) {
					my $name = $1;
					my ($kind, $from, $end, $end_from, $to) =
						$comment =~ /^(\S+) ([^\s,]+)(?: .*?)?, (\w+\??) (\S+) -> (\S+)$/ or wrong("$file:$.: no call: $comment");
					push @found, ["$depth $name $kind " . full($from, $func), $.],
						["$depth } $end " . full($end_from, symbol($name)) . ' -> ' .
						 full($to, symbol($from, $func)), $.];
				} elsif ($what =~ /^(\S+) -> (\S+)$/) {
					wrong("$file:$.: a branch that begins no call") if $only;
					my $now = symbol($2, symbol($1, $func));
					$func = $now if defined $now;
				} else {
					wrong("$file:$.: not an item: $what");
				}
			}
			$open->[$depth - 1] = $func if $depth && !$only;
			push @$list, (@found) x $turns;
		}
	}
	close($in);
	return \%all;
}

my ($tree, $only) = @ARGV;
my ($whole, $calls) = (events($tree, 0), events($only, 1));
for my $cpu (sort keys %{{ %$whole, %$calls }}) {
	my ($all, $mine) = ($whole->{$cpu} // [], $calls->{$cpu} // []);

	wrong("CPU $cpu: " . @$mine . ' begins and ends, not ' . @$all) if @$mine != @$all;
	for my $n (0 .. ($#$all < $#$mine ? $#$all : $#$mine)) {
		my ($want, $is) = ($all->[$n], $mine->[$n]);

		wrong("$only:$is->[1]: $is->[0], not $want->[0] of $tree:$want->[1]") if $is->[0] ne $want->[0];
		$count{$is->[0] =~ /^\[/ ? 'notes' : $is->[0] =~ /\}/ ? 'ends' : 'calls'}++;
		$count{'unknown functions'}++ if $is->[0] =~ / \?\+/;
	}
}
print join(', ', map { "$count{$_} $_" } sort keys %count), "\n";
wrong('too few calls') if ($count{calls} // 0) < 1000 || ($count{'unknown functions'} // 0) * 100 > $count{calls};
exit($errors > 0);
