#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-lines.pl TREE IMAGE SECTION SYMBOLS MINIMUM
#
# Compares the source lines in the text of trace-calls branches with addr2line, which
# reads IMAGE.  The addresses of a module are in its SECTION.  The file SYMBOLS has the
# output of nm.  There have to be at least MINIMUM addresses.  Prints the number of
# addresses.

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use Branches;

my ($tree, $image, $section, $nm, $minimum) = @ARGV;
my (%symbols, %sources, %open);

open(my $in, '<', $nm) or die "$nm: $!\n";
while (<$in>) {
	push @{$symbols{$3}}, hex($1) if /^([0-9a-f]+) ([tTwW]) (\S+)$/;
}
close($in);

# Store a source. @_ is the text of the address, the function that contains it, and the
# source.
sub note
{
	my ($text, $func, $source) = @_;
	my ($name, $offset) = $text =~ /^([^+]*)\+(0x[0-9a-f]+)$/ or return;
	$name = $func // '' if $name eq '';
	my $all = $symbols{$name} or return;
	return if @$all > 1 || !defined $source;
	$sources{$all->[0] + hex($offset)} = $source;
}

open($in, '<', $tree) or die "$tree: $!\n";
while (<$in>) {
	my ($pid, $cpu, $indent, $text) = /^ *.*-(\d+) +\[(\d+)\] +[\d.]+: ( *)(.*)$/ or next;
	my $open = $open{$pid || "0.$cpu"} //= [];
	my $depth = length($indent) / 2;
	my $func = $depth ? \$open->[$depth - 1] : \my $none;

	if ($text =~ m{^([^+( ]+)\S*\(\) \{ /\* \S+ (\S+)(?: (.*))? \*/$}) {
		note($2, $$func, $3);
		$open->[$depth] = $1;
	} elsif ($text =~ m{^\} /\* \S+ (\S+) -> \S+(?: (.*))? \*/$}) {
		note($1, undef, $2);
	} else {
		$text =~ s/^\d+ x (\[ )?//;
		while ($text =~ m{\G(?:, )?(.*?) /\* (.*?) \*/}g) {
			my ($what, $comment) = ($1, $2);
			if ($what =~ /^(\S+) -> ([^+]*)/) {
				my ($from, $to) = ($1, $2);
				note($from, $$func, $comment =~ /^\S+ (.*)$/ ? $1 : undef);
				$$func = $1 if $from =~ /^([^+0]+)\+/;
				$$func = $to if $to ne '' && $to !~ /^0x/;
			} elsif ($comment =~ /^\S+ (\S+?),? /) {
				note($1, $$func, $comment =~ /^\S+ [^ ,]+ (.*), \S+ \S+ -> / ? $1 : undef);
			}
		}
	}
}
close($in);

my $wrong = compare_lines($image, $section, \%sources);
exit($wrong || keys(%sources) < $minimum);
