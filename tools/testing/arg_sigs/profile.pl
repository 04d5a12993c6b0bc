#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# profile.pl CALLS PROFILE SYMBOLS PARTS: print the instructions for each call, by kernel
# function
#
# PROFILE is from tools/testing/bts-cpu/profile.c, SYMBOLS and PARTS are from profile.sh.
# CALLS is the number of calls in a part. The output is a table for each traced function.
# Its columns are the modes; the counts of the mode "none" are subtracted from the other
# counts.
use strict;
use warnings;
no warnings 'portable';	# addresses have 64 bits

die "profile.pl CALLS PROFILE SYMBOLS PARTS\n" if @ARGV != 4;
my ($calls, $profile, $symbols, $parts) = @ARGV;

my %name;
open(my $in, '<', $symbols) or die "$symbols: $!\n";
while (<$in>) {
	my ($address, $type, $name) = split;
	$name{hex $address} //= $name if hex $address;
}
my @address = sort { $a <=> $b } keys %name;

# Find the function that contains an address
sub function_of {
	my ($address) = @_;
	my ($low, $high) = (0, scalar @address);

	while ($low < $high) {
		my $middle = ($low + $high) >> 1;

		if ($address[$middle] <= $address) {
			$low = $middle + 1;
		} else {
			$high = $middle;
		}
	}
	return '?' if !$low || $address - $address[$low - 1] > 0x10000;
	return $name{$address[$low - 1]};
}

my @parts;
open($in, '<', $parts) or die "$parts: $!\n";
while (<$in>) {
	push @parts, { function => $1, mode => $2 } if /^part (\S+) (\S+)$/;
}

my ($part, %cache);
open($in, '<', $profile) or die "$profile: $!\n";
while (<$in>) {
	if (/^part (\d+)$/) {
		$part = $parts[$1] or die "$profile: part $1 is none of $parts\n";
	} elsif (/^([0-9a-f]+) (\d+)$/ && $part) {
		$part->{count}{$cache{$1} //= function_of(hex $1)} += $2;
	} else {
		die "$profile:$.: what is this?\n";
	}
}

my (%seen, @functions);
for (@parts) {
	die "$profile: there is no part $_->{function} $_->{mode}\n" if !$_->{count};
	push @functions, $_->{function} if !$seen{$_->{function}}++;
}
for my $traced (@functions) {
	my ($none) = grep { $_->{function} eq $traced && $_->{mode} eq 'none' } @parts;
	my @modes = grep { $_->{function} eq $traced && $_->{mode} ne 'none' } @parts;
	my (%rows, @sum);

	for my $i (0 .. $#modes) {
		my $count = $modes[$i]{count};

		for (keys %$count) {
			my $more = ($count->{$_} - ($none->{count}{$_} // 0)) / $calls;

			next if $more < 0.05;
			$rows{$_}[$i] = $more;
			$sum[$i] += $more;
		}
	}
	print "\n| instructions of a call of $traced |", (map { " $_->{mode} |" } @modes),
		"\n|---|", '---|' x @modes, "\n";
	# Sort by the second mode, which is the mode with arguments
	my $by = $#modes < 1 ? 0 : 1;
	for (sort { ($rows{$b}[$by] // 0) <=> ($rows{$a}[$by] // 0) || $a cmp $b } keys %rows) {
		my $row = $rows{$_};

		print "| `$_` |", (map { defined $row->[$_] ? sprintf(' %.1f |', $row->[$_]) : ' |' } 0 .. $#modes), "\n";
	}
	print '| all |', (map { sprintf ' %.1f |', $_ } @sum), "\n";
}
