#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Write signatures as C prototypes, to compare them with pfunct's prototypes
#
# Usage: gen_arg_sigs --dump FILE | this
#        pfunct -P FILE | this --normalize
#
# The script has its own reader of Documentation/trace/arg-sigs-format.rst. The script
# removes the differences that come from pfunct: pfunct does not show dimensions of
# arrays, and writes restrict, the order of qualifiers and names of integers in another
# way.

use strict;
use warnings;

my %basic = (
	v => 'void', b => 'bool', c => 'char', a => 'signed char',
	h => 'unsigned char', s => 'short', t => 'unsigned short', i => 'int',
	j => 'unsigned int', l => 'long', m => 'unsigned long', x => 'long long',
	y => 'unsigned long long', n => '__int128', o => 'unsigned __int128',
	f => 'float', d => 'double', e => 'long double',
);
my %tag;	# of descriptions, by id

# Put a declarator after a type
sub join_decl {
	my ($type, $decl) = @_;
	return $decl eq '' ? $type : "$type $decl";
}

# Remove one type from the text. Returns the type with the declarator in its place.
sub type {
	my ($text, $decl) = @_;

	if ($$text =~ s/^([vbcahstijlmxynofde])//) {
		return join_decl($basic{$1}, $decl);
	} elsif ($$text =~ s/^P//) {
		# pfunct shows no dimensions
		return type($text, "*$decl");
	} elsif ($$text =~ s/^A\d*_//) {
		return type($text, $decl);
	} elsif ($$text =~ s/^([KV]+)//) {
		my $words = join(' ', map { $_ eq 'K' ? 'const' : 'volatile' }
				      split(//, $1));
		return type($text, "$words $decl") if $$text =~ /^P/;
		return "$words " . type($text, $decl);
	} elsif ($$text =~ s/^([SUN])([^;]*);//) {
		my $kind = { S => 'struct ', U => 'union ', N => '' }->{$1};
		return join_decl("$kind$2", $decl);
	} elsif ($$text =~ s/^F//) {
		my $ret = type($text, '');
		my @params;
		push(@params, type($text, '')) while $$text !~ /^z?_/;
		push(@params, '...') if $$text =~ s/^z//;
		$$text =~ s/^_// or die "no end of a function: $$text\n";
		return "$ret ($decl)(" . (join(', ', @params) || 'void') . ')';
	} elsif ($$text =~ s/^E.(.{8})//) {
		die "no description of $1\n" if !defined $tag{$1};
		return join_decl($tag{$1}, $decl);
	} elsif ($$text =~ s/^R(.{8})\d+;//) {
		die "no description of $1\n" if !defined $tag{$1};
		return join_decl($tag{$1}, $decl);
	} elsif ($$text =~ s/^X([^;]*);\d+;//) {
		return join_decl($1, $decl);
	} elsif ($$text =~ s/^[TDGOMB]([^;]*);//) {
		my $name = $1;
		type($text, '');
		return join_decl($name, $decl);
	}
	die "no type: $$text\n";
}

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

my @lines = <STDIN>;
for (@lines) {
	$tag{$1} = "enum $2" if /^type\t(.{8})[eb].([^;]*);/;
	$tag{$1} = ($2 eq 's' ? 'struct' : 'union') . " $3"
		if /^type\t(.{8})([su])\d+;([^;]*);/;
}
for (@lines) {
	next if /^type\t/;
	/^([^\t+]*)\+0x[0-9a-f]+\t(\([^()]*\)(?:\*..)*(?:\$.)?(?:#.)?|[0-6])[?&2]?(.*)$/ or die "malformed: $_";
	my ($name, $text) = ($1, $3);
	my @params;

	# The prototype of a system call's function lacks the parameters of the call
	$text =~ s/\|.*//;

	$name =~ s/\..*//;
	my $ret = type(\$text, '');
	while ($text ne '' && $text ne 'z') {
		# The name follows the type, so insert the name when the type has been
		# read
		my $type = type(\$text, "\001");
		$text =~ s/^([^;]*);// or die "no end of a parameter: $text\n";
		my $param = $1;
		$param =~ s/=.*//;
		$type =~ s/\001/$param/ or $type = "$type $param";
		push(@params, $type);
	}
	push(@params, '...') if $text eq 'z' && @params;
	print normalize("$ret $name(" . (join(', ', @params) || 'void') . ');'), "\n";
}
