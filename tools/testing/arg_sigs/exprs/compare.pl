#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# compare.pl LINES TRACE...: check that each expression "A=..." has the value of "A_=..."
# in the same call, and a known value in at least one call. Check that a call has the
# values that follow the expressions in LINES.
use strict;
use warnings;

my (%wanted, %known, %values);
my ($calls, $pairs, $wrong) = (0, 0, 0);
my $value = qr/"(?:[^"\\]|\\.)*"(?:\.\.\.)?|\{[^}]*\}|[^,)]+/;

sub wrong
{
	print "@_\n" if $wrong++ < 20;
}

open(my $lines, '<', shift) or die "no lines";
while (<$lines>) {
	next if /^#/;
	my ($object, $func, $exprs, $known) = /^(\S+) (\S+) (.*?)(?: # (.*))?$/ or die $_;
	push @{$wanted{$func}}, $1 while $exprs =~ /\b([A-Z])=/g;
	push @{$values{$func}}, $1 while ($known // '') =~ /([A-Z]=$value)/g;
}
while (<>) {
	my ($func) = /^[^|]*\|\s+(\w+)(?: \[\w+\])?\(.* [A-Z]=/ or next;
	my (%is, %has);
	while (/ ([A-Z])(_?)=($value)/g) {
		$is{"$1$2"} = $3;
		$has{"$1=$3"} = 1 if !$2;
	}
	$calls++;
	for my $name (grep { /^[A-Y]$/ } keys %is) {
		$pairs++;
		wrong("$func: $name=$is{$name}, not " . ($is{"${name}_"} // 'compared') . ": $_")
			if ($is{"${name}_"} // '') ne $is{$name};
	}
	for my $name (keys %is) {
		$known{$func}{$name} = 1 if $is{$name} !~ /^(?:\?|NULL)$/;
	}
	@{$values{$func}} = grep { !$has{$_} } @{$values{$func} // []};
}
for my $func (sort keys %wanted) {
	$known{$func}{$_} or wrong("$func: $_ has no known value") for @{$wanted{$func}};
}
for my $func (sort keys %values) {
	wrong("$func: no call has $_") for @{$values{$func}};
}
print "$calls calls, $pairs values by names equal those by offsets\n" if !$wrong;
exit($wrong ? 1 : 0);
