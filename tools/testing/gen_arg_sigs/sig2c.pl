#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Write signatures as C prototypes, to compare them with pfunct's prototypes
#
# Usage: gen_arg_sigs --dump FILE | this
#        pfunct -P FILE | this --normalize
#
# oracle/Signatures.pm reads the signatures. The script removes the differences that come from
# pfunct: pfunct writes restrict, the order of qualifiers and names of integers in another way.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/oracle";
use Signatures;

sub normalize {
	my $line = shift;

	$line =~ s/\brestrict\b//g;
	$line =~ s/\bvolatile const\b/const volatile/g;
	$line =~ s/\b(short|long long|long) int\b/$1/g;
	$line =~ s/\b(short|long long|long) unsigned int\b/unsigned $1/g;
	$line =~ s/\b(__int128) unsigned\b/unsigned $1/g;
	$line =~ s/\b_Complex\b/complex/g;
	$line =~ s/\b_Bool\b/bool/g;
	# pfunct puts the const of a pointer parameter before its type
	$line =~ s/\*const (\w+ ?[,)])/*$1/g;
	$line =~ s/\bconst const\b/const/g;
	$line =~ s/\s+/ /g;
	$line =~ s/ ?([*(),;]) ?/$1/g;
	$line =~ s/\{[^{}]*\}//g;
	return $line;
}

if (@ARGV && $ARGV[0] eq '--normalize') {
	print normalize($_), "\n" while defined($_ = <STDIN>) && chomp;
	exit(0);
}

for my $function (signatures('/dev/stdin')) {
	my ($name, $sig) = ($function->{name} =~ s/\..*//r, $function->{sig});
	my @params = map { $_->{type}{c} } @{($sig // die "$name: $function->{error}")->{params}};

	push(@params, '...') if $sig->{varargs} && @params;
	print normalize("$sig->{ret}{c} $name(" . (join(', ', @params) || 'void') . ');'), "\n";
}
