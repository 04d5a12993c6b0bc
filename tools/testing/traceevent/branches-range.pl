#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-range.pl ALL RANGED SYMBOLS ROOT LINE RAW...
#
# Compares the text of "trace-calls branches --range LINE" with the branches whose addresses are in
# the code of LINE.  RANGED is the text with --every 1, or with --calls --all.  ALL is the text
# without --range, of which the lines have to be the same.  SYMBOLS is kallsyms.  The addresses are
# those in RAW, the output of "bts-log -b -r" for each CPU.
#
# If LINE is FILE:SYMBOL, SYMBOLS is the program's own copy of /proc/self/maps, whose files are in
# the folder ROOT, and have nm's symbols.  RAW is the text without the files of user space, so it has
# addresses.  A branch that is equal in both texts is in another program, which may have had the
# same addresses before.
#
# Prints the number of branches.

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use Branches;

my ($all, $ranged, $symbols, $root, $line, @raw) = @ARGV;
my $errors = 0;
my @ranges;

sub wrong
{
	print "@_\n" if $errors++ < 20;
}

# The branches of a text
sub branches
{
	my ($name) = @_;

	open(my $in, '<', $name) or die "$name: $!\n";
	return grep { / -> \S+ \/\* / } <$in>;
}

# Find the ranges of functions of the kernel, which end with the next symbol
sub find_kernel
{
	my ($glob) = @_;
	my %names;

	open(my $in, '<', $symbols) or die "$symbols: $!\n";
	while (<$in>) {
		push @{$names{hex($1)}}, $2 if /^([0-9a-f]{16}) [tTwW] (\S+)/;
	}
	my @addresses = sort { $a <=> $b } keys %names;
	for my $i (0 .. $#addresses - 1) {
		push @ranges, [@addresses[$i, $i + 1]] if grep { /$glob/ } @{$names{$addresses[$i]}};
	}
}

# Find the ranges of functions of a file, which the first mapping of its code moves
sub find_user
{
	my ($file, $glob) = @_;

	open(my $in, '<', $symbols) or die "$symbols: $!\n";
	while (<$in>) {
		my ($first, $offset, $path) = m{^([0-9a-f]+)-\S+ r-xp ([0-9a-f]+) \S+ \d+ +(/.*)$} or next;
		next unless $path =~ /$file/ || $path =~ m{/([^/]*)$} && $1 =~ /$file/;
		my $code;
		for (qx(readelf -lW '$root$path')) {
			$code = hex($2) - hex($1) if /^ +LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) .* R E / && hex($1) == hex($offset);
		}
		my ($id, $rest) = qx(readelf -n '$root$path') =~ /Build ID: (..)([0-9a-f]+)/;
		for (map { qx(nm -S $_ 2>/dev/null) } "'$root$path'", "-D '$root$path'",
		     defined $id ? "/usr/lib/debug/.build-id/$id/$rest.debug" : ()) {
			my ($addr, $size, $name) = /^([0-9a-f]+) ([0-9a-f]+) [tTwW] ([^@\s]+)/ or next;
			my $begin = hex($first) - hex($offset) - $code + hex($addr);
			push @ranges, [$begin, $begin + hex($size)] if $name =~ /$glob/;
		}
	}
}

# Make a regular expression of a glob
sub regex
{
	my %signs = ('*' => '.*', '?' => '.', '[' => '[', ']' => ']', '-' => '-');
	my $text = join('', map { $signs{$_} // quotemeta($_) } split(//, $_[0]));
	return qr/^$text$/;
}

# Whether one of some addresses is in the code
my %in;
sub is_in
{
	for my $addr (@_) {
		$in{$addr} //= grep { $addr >= $_->[0] && $addr < $_->[1] } @ranges;
	}
	return grep { $in{$_} } @_;
}

my @expected;
my @lines = branches($all);
if ($line =~ /^(.+):(.+)$/) {
	my @plain = branches($raw[0]);
	my $known;

	find_user(regex($1), regex($2));
	wrong(@lines . ' branches, not ' . @plain) if @lines != @plain;
	for my $i (0 .. $#plain) {
		# The indentation may differ before the program, too
		$known = $lines[$i] =~ s/ +/ /gr ne $plain[$i] =~ s/ +/ /gr;
		my @addresses = map { /^0x/ ? hex($_) : () } $plain[$i] =~ m{(\S+) -> (\S+)};
		push @expected, $lines[$i] if $known && is_in(@addresses);
	}
} else {
	my @next;

	if ($line =~ /^0x([0-9a-f]+)-0x([0-9a-f]+)$/) {
		@ranges = [hex($1), hex($2)];
	} else {
		find_kernel(regex($line));
	}
	for my $cpu (0 .. $#raw) {
		open(my $in, '<', $raw[$cpu]) or die "$raw[$cpu]: $!\n";
		while (<$in>) {
			my ($from, $to) = /^\d+ ([0-9a-f]+) ([0-9a-f]+)/ or die $_;
			push @{$next[$cpu]}, [hex($from), hex($to)];
		}
	}
	for (@lines) {
		my ($cpu) = /\[(\d+)\]/;
		my $branch = shift @{$next[$cpu]} or do { wrong("not in the log: $_"); last };
		push @expected, $_ if is_in(@$branch);
	}
}
my @found = branches($ranged);
wrong(@found . ' branches, not ' . @expected) if @found != @expected;
for my $i (0 .. ($#found < $#expected ? $#found : $#expected)) {
	wrong("$found[$i]is not $expected[$i]") if $found[$i] ne $expected[$i];
}
print "$line: ", scalar(@ranges), ' ranges, ', scalar(@found), ' of ', scalar(@lines), " branches\n";
exit($errors > 0 || !@found || @found == @lines);
