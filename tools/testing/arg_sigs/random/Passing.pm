# SPDX-License-Identifier: GPL-2.0
#
# How the psABI, or AAPCS64 on arm64, passes and returns a value of a type
#
# Types.pm describes the hash of a type.

package Passing;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT = qw(longs in_memory undecidable narrow);

# Version of the clang that compiles the module, 0 for gcc
our $clang = 0;
# Whether the module is for arm64
our $arm64 = 0;

sub longs
{
	my ($type) = @_;

	return $type->{size} > 8 ? int(($type->{size} + 7) / 8) : 1;
}

# The scalars of a type with their places in bits. Each scalar has %how: the width of a
# bit-field, in_union for a member of a union, later for an array element after the first
sub scalars
{
	my ($type, $at, %how) = @_;
	my @all;

	if ($type->{kind} eq 'arr') {
		for my $i (0..$type->{count} - 1) {
			push @all, scalars($type->{elem}, $at + $i * $type->{elem}{size} * 8,
					   later => $how{later} || $i > 0);
		}
	} elsif ($type->{kind} eq 'rec') {
		for my $i (0..$#{$type->{members}}) {
			my ($of, $name, $width) = @{$type->{members}[$i]};

			push @all, scalars($of, $at + $type->{at}[$i], later => $how{later},
					   width => $width, in_union => $type->{union}) if $of;
		}
	} else {
		push @all, { type => $type, at => $at, %how };
	}
	return @all;
}

sub unaligned
{
	my ($scalar) = @_;

	return !defined $scalar->{width} && $scalar->{at} % ($scalar->{type}{align} * 8);
}

# Whether the ABI passes and returns a value in memory. arm64 passes its address.
sub in_memory
{
	my ($type) = @_;

	return 0 if $type->{kind} ne 'rec';
	return 1 if $type->{size} > 16;
	return 0 if $arm64;
	return scalar grep { unaligned($_) && !$_->{later} } scalars($type, 0);
}

# Whether some member may be a bit-field that is not marked. Before clang 19, the DWARF has
# only the byte of a bit-field that is as wide as its type. So a member may be such a
# bit-field if the record has bits without a member, or if the member is not aligned.
sub unmarked
{
	my ($type) = @_;
	my %named;

	return 0 if $type->{kind} ne 'rec' || !$clang || $clang >= 19;
	for my $scalar (scalars($type, 0)) {
		my ($at, $size) = ($scalar->{at}, $scalar->{type}{size} * 8);

		return 1 if unaligned($scalar) || ($scalar->{width} // 0) == $size && $at % 8;
		$named{$_} = 1 for $at..$at + ($scalar->{width} // $size) - 1;
	}
	return keys(%named) < $type->{size} * 8;
}

# Whether it is not known how a record is passed. There are two cases. In the first case, a
# register has only unnamed parts of the record. Unnamed bit-fields are not in the DWARF,
# and gcc passes unnamed bit-fields but not padding. In the second case, compilers do not
# agree: gcc wants bit-fields of unions to be aligned, and clang wants all elements of an
# array to be aligned.
sub undecidable
{
	my ($type) = @_;
	my %named;

	return 1 if unmarked($type);
	return 0 if $type->{kind} ne 'rec' || in_memory($type);
	for my $scalar (scalars($type, 0)) {
		my $bits = $scalar->{width} // $scalar->{type}{size} * 8;
		my $unit = 8;

		$named{int($_ / 64)} = 1 for $scalar->{at}, $scalar->{at} + $bits - 1;
		$unit *= 2 while $unit < $bits;
		return 1 if unaligned($scalar) ||
			    defined $scalar->{width} && $scalar->{in_union} && $scalar->{at} % $unit;
	}
	return keys(%named) < longs($type);
}

# Whether a caller may leave junk in the bits above a value
sub narrow
{
	my ($type) = @_;

	return $type->{kind} =~ /^(int|bool|char|enum)$/ && $type->{size} <= 4;
}

1;
