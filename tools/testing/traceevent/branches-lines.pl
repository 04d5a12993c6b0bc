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
my (%symbols, %sources);

open(my $in, '<', $nm) or die "$nm: $!\n";
while (<$in>) {
	push @{$symbols{$3}}, hex($1) if /^([0-9a-f]+) ([tTwW]) (\S+)$/;
}
close($in);

read_tree($tree, sub {
	my ($part) = @_;
	my ($name, $offset) = ($part->{from} // '') =~ /^([^+]+)\+0x([0-9a-f]+)$/ or return;
	my $all = $symbols{$name} // [];

	$sources{$all->[0] + hex($offset)} = $part->{source}
		if @$all == 1 && defined $part->{source};
});
my $wrong = compare_lines($image, $section, \%sources);
exit($wrong || keys(%sources) < $minimum);
