#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Print the calls of EXPECTED, with "?" for each argument that SHOWN has as "?"
#
# Arguments: NR EXPECTED SHOWN
#
# Ends with 1 if more than NR arguments are not known.

use strict;
use warnings FATAL => 'all';
use FindBin;
use lib "$FindBin::Bin/../traceevent";
use ArgText;

my $call = qr/^(\s*\w+\()(.*)(\)(?: \{$|;.*))/;
my ($most, $expected, $file) = @ARGV;
my $unknown = 0;

open(my $in, '<', $file) or die "$file: $!\n";
chomp(my @shown = <$in>);
open(my $calls, '<', $expected) or die "$expected: $!\n";
while (<$calls>) {
	chomp;
	my @want = $_ =~ $call;
	my @is = ($shown[$. - 1] // '') =~ $call;

	if (@want && @is && $want[0] eq $is[0]) {
		my @args = split_args($want[1]);
		my @other = split_args($is[1]);

		for my $i (0 .. $#args) {
			my ($name) = ($other[$i] // '') =~ /^(\w+=)\?$/ or next;

			next if index($args[$i], $name) != 0;
			$args[$i] = "$name?";
			$unknown++;
		}
		$_ = $want[0] . join(', ', @args) . $want[2];
	}
	print "$_\n";
}
print STDERR "$unknown arguments are not known\n";
exit($unknown > $most);
