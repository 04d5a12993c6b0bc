#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Make a module of random functions, and the expected text of their calls
#
# Arguments: [-s SEED] [-n FUNCTIONS] [-c CLONES] [-C CLANG] [-a x86|arm64] DIR
#
# CLANG is the version of the clang that compiles the module. Before clang 19, calls with a
# record whose members may be bit-fields are "undecidable", see Passing.pm.
#
# Writes the source of arg_random.ko and the file "expected" to DIR. When the module is
# loaded, it calls each function with known values. The file has these values as text, in
# the order of the calls. There are two families:
#
#   FUNCTIONS (1000) keep their declared interface: the trace has to show each
#   argument and each return value, and each value has to be right.
#
#   CLONES (300) are static. A few places call each clone, with some values that are
#   the same everywhere, so the compiler splits the clones, drops parameters and
#   passes parts instead. The shown values have to be right. A call of rnd_mark()
#   goes before each call, because the compiler may remove the call itself.
#
# "conditions" has lines for set_graph_filter, one or two for each function of the
# first family that has a value to compare. "met" has the paragraphs of "expected" whose
# calls meet a line of their function.
#
# "expected" has a paragraph for each call. compare.pl reads the paragraphs:
#
#   call NAME               or "site NUMBER" before this line
#   undecidable 1           if a missing value is not a failure, see Passing.pm
#   proto PROTOTYPE
#   arg KIND<tab>NAME=TEXT  for each parameter
#   stack NAME              if the psABI passes the previous parameter on the stack
#   piece EXPRESSION=TEXT   a part of the previous parameter
#   ret KIND<tab>TEXT       not for void
#   changed NAME=TEXT       a number that a parameter points to, and that the call has changed
#
# Probe events show numbers, so there are also lines for compare-probes.pl, see Numbers.pm.
# "probes" has the arguments of a probe event for each function.

use strict;
use warnings FATAL => 'all';

use FindBin;
use Getopt::Std;
use lib $FindBin::Bin;
use Clones;
use Conditions;
use Expected;
use Files;
use Functions;
use Passing;
use Types;

my $per_file = 50;
my %opts = (n => 1000, c => 300);
my @calls;

sub usage
{
	die "Usage: $0 [-s SEED] [-n FUNCTIONS] [-c CLONES] [-C CLANG] [-a x86|arm64] DIR\n";
}

# Write a condition for each function, and a second condition for some functions, up to a
# thousand in all. A call has to meet one of its function's conditions. The random numbers
# have a separate seed.
sub conditions
{
	my (@lines, @met, @conditions);

	srand($opts{s} + 1);
	for my $round (0, 1) {
		for my $nr (0..$#calls) {
			my $calls = $calls[$nr];
			my $func = $calls->[0]{func};
			my $condition;

			# A line would apply to all functions of that name
			next if $func->{name} !~ /^rnd_f\d+$/;
			next if grep { undecidable($_) } map({ $_->[0] } @{$func->{params}}), $func->{ret} // ();
			next if $round && @lines >= 1000;
			$condition = random_condition(@$calls);
			next if !$condition;
			push @lines, "$func->{name}: $condition->{text}\n";
			push @{$conditions[$nr]}, $condition;
		}
	}
	for my $nr (0..$#calls) {
		for my $i (0..$#{$calls[$nr]}) {
			push @met, $calls[$nr][$i]{expected} if grep { $_->{met}[$i] } @{$conditions[$nr] // []};
		}
	}
	write_file('conditions', @lines);
	write_file('met', @met);
}

getopts('s:n:c:C:a:', \%opts) && @ARGV == 1 or usage();
use_dir($ARGV[0]);
$opts{s} //= int(rand(1 << 31));
$Passing::clang = $opts{C} // 0;
$Passing::arm64 = ($opts{a} // 'x86') eq 'arm64';
srand($opts{s});
print "seed $opts{s}\n";

for (my $nr = 0; $nr < $opts{n}; $nr += $per_file) {
	my $last = ($nr + $per_file < $opts{n} ? $nr + $per_file : $opts{n}) - 1;
	my %names;

	new_definitions();
	push @calls, functions('rnd' . int($nr / $per_file),
			       map { random_function($_, \%names) } $nr..$last);
}
new_definitions();
functions('large', large_functions());
for (my $nr = 0; $nr < $opts{c}; $nr += $per_file) {
	my $last = ($nr + $per_file < $opts{c} ? $nr + $per_file : $opts{c}) - 1;

	new_definitions();
	clones('clone' . int($nr / $per_file), map { clone_function($_) } $nr..$last);
}
common();
write_file('expected', expected());
write_file('probes', probes());
conditions();
