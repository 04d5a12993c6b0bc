#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# layers.pl TOP OBJECT...: check which files use which
#
# An OBJECT is SOURCE=FILE.o, with the path of the source from TOP. A file includes and calls
# only files of its own layer and of the layers below it; the table under "## Layers" in
# CONTRIBUTING.md has the layers. No files call each other in a circle, in any layer.
use strict;
use warnings;

die "layers.pl TOP OBJECT...\n" if @ARGV < 2;
my $top = shift;
my $status = 0;

sub wrong
{
	print "@_\n";
	$status = 1;
}

# The layers, each a pattern of paths
my @layers;
open(my $in, '<', "$top/CONTRIBUTING.md") or die "CONTRIBUTING.md: $!\n";
while (<$in>) {
	next if !(/^## Layers$/ .. /^## (?!Layers$)/);
	push @layers, [map { quotemeta } /`([^`]+)`/g] if /^\| \d+ \|/;
}
die "CONTRIBUTING.md has no layers\n" if !@layers;

sub layer_of
{
	my ($file) = @_;

	for my $nr (0 .. $#layers) {
		return $nr if grep { $file =~ /^$_/ } @{$layers[$nr]};
	}
	return undef;
}

# use_file FROM TO HOW: check that FROM may use TO
sub use_file
{
	my ($from, $to, $how) = @_;
	my ($low, $high) = (layer_of($to), layer_of($from));

	wrong("$from $how $to, which is in a layer above")
		if defined $low && defined $high && $low > $high;
}

# Remove "DIR/.." from a path
sub plain
{
	my ($path) = @_;

	1 while $path =~ s{[^/]+/\.\./}{};
	return $path;
}

my $includes = 0;
my %in_layer = map { $_ => 1 } grep { defined layer_of($_) }
	split /\n/, `cd '$top' && find kernel -name '*.[ch]' ! -path '*/kunit/*'`;
for my $file (sort keys %in_layer) {
	(my $dir = $file) =~ s{[^/]*$}{};
	open($in, '<', "$top/$file") or die "$file: $!\n";
	while (<$in>) {
		next if !/^#include "(.*)"/;
		my $to = plain("$dir$1");
		next if !$in_layer{$to};
		use_file($file, $to, "includes");
		$includes++;
	}
}

# The files that define symbols, and the symbols that files need
my (%defines, %needs);
for my $object (@ARGV) {
	my ($file, $path) = split /=/, $object, 2;

	open(my $nm, '-|', 'nm', $path) or die "nm: $!\n";
	while (<$nm>) {
		my ($symbol, $type) = (reverse split)[0, 1];

		$needs{$file}{$symbol} = 1 if $type eq 'U';
		$defines{$symbol} = $file if $type =~ /[A-TV-Z]/;
	}
	close($nm) or die "nm $path fails\n";
}
my (%calls, $calls);
for my $file (keys %needs) {
	for my $symbol (sort keys %{$needs{$file}}) {
		my $to = $defines{$symbol};

		next if !defined $to || $to eq $file;
		$calls{$file}{$to} //= $symbol;
		use_file($file, $to, "needs $symbol of");
		$calls++;
	}
}
wrong("no file includes or calls another") if !$includes || !$calls;

# Follow the calls from each file: whoever is met again while it is followed is in a circle
my %state;
sub follow
{
	my ($file, @path) = @_;

	if (($state{$file} // '') eq 'open') {
		shift @path while $path[0] ne $file;
		my @names = (@path, $file);
		my @steps = map { "$names[$_] needs $calls{$names[$_]}{$names[$_ + 1]} of" } 0 .. $#names - 1;
		wrong("a circle: @steps $file");
		return;
	}
	return if $state{$file};
	$state{$file} = 'open';
	follow($_, @path, $file) for sort keys %{$calls{$file} // {}};
	$state{$file} = 'done';
}
follow($_) for sort keys %calls;

printf "%d files in %d layers, %d includes; %d objects, %d calls\n", scalar keys %in_layer,
	scalar @layers, $includes, scalar @ARGV, $calls;
exit $status;
