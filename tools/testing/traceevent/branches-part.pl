#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-part.pl [-C] TREE SHOWN [REGEX]
#
# Compares the text of "trace-calls branches --range" or "--calls-only" with the whole tree.  The
# code of the range is the functions whose names match REGEX, or all functions.  SHOWN has to have
# each branch of TREE that begins or ends in the code, and the begin and the end of each call
# around such a branch, in the order of TREE, with its function, kind, depth and places, and the
# lines in brackets.  With -C, SHOWN is of --calls-only.  Loops and calls of one line are compared
# branch by branch.  Prints the counts.

use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Branches;

my $only = $ARGV[0] eq '-C' && shift;
my ($tree, $shown, $regex) = @ARGV;
my ($errors, %count) = (0);
my %names = ('{' => 'begins', '}' => 'ends', '' => 'jumps');

sub wrong
{
	print "@_\n" if $errors++ < 20;
}

sub is_in
{
	return !defined $regex || grep { (symbol_of($_) // '') =~ /^(?:$regex)$/ } @_;
}

# The parts of each CPU that have to be shown, and those that are shown
my (%expected, %found);

# Expect a part on a CPU, unless it was expected before
sub expect
{
	my ($cpu, $part) = @_;

	return if $part->{shown}++ || ($only && $part->{what} eq '');
	push @{$expected{$cpu}}, $part;
}

read_tree($tree, sub {
	my ($part, @around) = @_;
	my ($cpu, $what, $begin) = @$part{qw(cpu what begin)};

	$part->{in} = defined $part->{kind} && is_in(@$part{qw(from to)});
	# A call is shown from the first branch in the code on
	expect($cpu, $_) for $part->{in} ? @around : ();
	if ($what eq '}') {
		# In the whole tree, returns from calls that were not seen have a brace
		expect($cpu, $part) if $begin ? $begin->{shown} :
			defined $regex ? $part->{in} && !$only : $part->{ends};
	} elsif ($what =~ /^\[/ || $part->{in}) {
		expect($cpu, $part);
	}
});
read_tree($shown, sub {
	my ($part) = @_;
	push @{$found{$part->{cpu}}}, $part;
}, 1);
for my $cpu (sort keys %{{ %expected, %found }}) {
	my ($all, $mine) = ($expected{$cpu} // [], $found{$cpu} // []);

	wrong("CPU $cpu: " . @$mine . ' parts, not ' . @$all) if @$mine != @$all;
	for my $n (0 .. ($#$all < $#$mine ? $#$all : $#$mine)) {
		my ($want, $is) = ($all->[$n], $mine->[$n]);
		my ($branch, $same) =
			map { defined $_->{kind} ? "@$_{qw(kind from to)}" : '' } $is, $want;

		# In a part, if a branch ends several calls, it is at the first brace that is shown
		wrong("$shown:$is->{line}: $is->{depth} $is->{what} $branch, not $want->{depth} " .
		      "$want->{what} $same of $tree:$want->{line}")
			if "$is->{depth} $is->{what}" ne "$want->{depth} $want->{what}" ||
			   ($branch ne $same &&
			    !(defined $regex && $want->{what} eq '}' && $same eq ''));
		$count{$names{$is->{what}} // 'notes'}++;
		$count{'around the code'}++ if $want->{what} eq '{' && !$want->{in};
		$count{'unknown functions'}++ if $branch =~ / \?\+/;
	}
}
print $regex // 'all', ': ', join(', ', map { "$count{$_} $_" } sort keys %count), "\n";
wrong('too few calls') if !$count{begins} || (defined $regex ? !$count{'around the code'} :
	$count{begins} < 1000 || ($count{'unknown functions'} // 0) * 100 > $count{begins});
exit($errors > 0);
