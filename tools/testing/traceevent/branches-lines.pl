#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-lines.pl TREE IMAGE SECTION SYMBOLS MINIMUM
#
# Compares the source lines in the text of trace-calls branches with addr2line, which
# reads IMAGE.  The addresses of a module are in its SECTION.  The file SYMBOLS has the
# output of nm.  There have to be at least MINIMUM addresses.  Prints the number of
# addresses.  If addr2line knows another line, gdb decides: for code of a macro from an
# included file, addr2line 2.40 knows the line, but not its file.

use strict;
use warnings;
no warnings 'portable';

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

my @addresses = sort { $a <=> $b } keys %sources;
open(my $list, '>', 'addresses') or die "addresses: $!\n";
printf $list "%x\n", $_ for @addresses;
close($list);
my @section = $section ne '' ? ('-j', $section) : ();
open(my $lines, '-|', 'addr2line', '-a', '-f', '-i', '-e', $image, @section, '@addresses') or die;
my ($address, %known);
while (<$lines>) {
	chomp;
	if (/^0x([0-9a-f]+)$/) {
		$address = hex($1);
		next;
	}
	my $line = <$lines>;
	$line =~ s/ \(discriminator \d+\)//;
	chomp $line;
	push @{$known{$address}}, [$_, $line];
}
close($lines);

# Whether gdb knows the line of an address of IMAGE. Reading IMAGE takes gdb seconds
my $asked = 0;
sub known_to_gdb
{
	my ($address, $line) = @_;

	return 0 if $section ne '' || $asked++ >= 20;
	open(my $gdb, '-|', 'gdb', '-batch', '-ex', sprintf('info line *%#x', $address), $image) or die;
	my ($number, $path) = join('', <$gdb>) =~ /^Line (\d+) of "([^"]+)"/;
	close($gdb);
	return defined $path && "$path:$number" =~ m{(^|/)\Q$line\E$};
}

my ($wrong, $inlined) = (0, 0);
for $address (@addresses) {
	my @mine = split / < /, $sources{$address};
	my @theirs = @{$known{$address} // []};
	my $same = @mine == @theirs;
	for my $i (0 .. $#mine) {
		last unless $same;
		my ($line, $func) = $mine[$i] =~ /^(\S+)(?: (\S+)\(\))?$/ or $same = 0;
		my ($name, $path) = @{$theirs[$i]};
		1 while $path =~ s{/[^/]+/\.\./}{/};
		$path =~ s{/\./}{/}g;
		$same = 0 unless $same && $path =~ m{(^|/)\Q$line\E$} &&
			($i == $#mine ? !defined $func : $func eq $name);
	}
	$inlined++ if @mine > 1;
	next if $same || (@mine == 1 && @theirs == 1 && known_to_gdb($address, $mine[0]));
	printf "%x: %s, not %s\n", $address, $sources{$address},
		join(' < ', map { "$_->[1] $_->[0]" } @theirs) if $wrong++ < 10;
}
print scalar(@addresses), " addresses, $inlined in inlined functions, $asked asked of gdb, $wrong wrong\n";
exit($wrong || @addresses < $minimum);
