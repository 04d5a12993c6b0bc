# SPDX-License-Identifier: GPL-2.0
#
# Random conditions on calls with known values, and whether each call meets them
#
# A term of a condition is a hash: its text, and a function that checks whether a
# call meets the term. The code does not use the kernel's evaluation.

package Conditions;

use strict;
use warnings FATAL => 'all';
no warnings 'portable';		# numbers have 64 bits, as in the kernel

use Exporter 'import';

use Passing;
use Types;
use Values;

our @EXPORT = qw(random_condition);

my %errors = (EPERM => 1, ENOENT => 2, EIO => 5, EAGAIN => 11, ENOMEM => 12, EFAULT => 14,
	      EBUSY => 16, EINVAL => 22, ENAMETOOLONG => 36, ENOSYS => 38, ETIMEDOUT => 110,
	      ERESTARTSYS => 512);

sub is_number
{
	return $_[0]{kind} =~ /^(?:int|bool|char|enum|ptr|fn)$/;
}

sub is_pointer
{
	return $_[0]{kind} =~ /^(?:ptr|fn|str)$/;
}

# The number that the kernel compares
sub number
{
	my ($type, $bits) = @_;
	my $width = $type->{size} * 8;

	$bits &= mask($width);
	$bits = swapped($bits, $type->{size}) if ($type->{how} // '') eq 'be';
	return $type->{sign} ? signed($bits, $width) : $bits;
}

sub compare
{
	my ($val, $op, $with) = @_;

	return $val == $with if $op eq '==';
	return $val != $with if $op eq '!=';
	return $val < $with if $op eq '<';
	return $val <= $with if $op eq '<=';
	return $val > $with if $op eq '>';
	return $val >= $with if $op eq '>=';
	# Compare the bits of both numbers at 64 bits
	return (unpack('Q', pack($val < 0 ? 'q' : 'Q', $val)) &
		unpack('Q', pack($with < 0 ? 'q' : 'Q', $with))) != 0;
}

# A text that the kernel reads as the number
sub number_text
{
	my ($type, $val) = @_;

	if ($type->{kind} eq 'enum') {
		for my $each (@{$type->{names}}) {
			my ($name, $is) = @$each;

			return $name if number($type, $is < 0 ? unpack('Q', pack('q', $is)) : $is) == $val &&
					chance(0.7);
		}
	}
	return ('false', 'true')[$val] if $type->{kind} eq 'bool' && $val < 2 && chance(0.5);
	return 'NULL' if is_pointer($type) && !$val && chance(0.5);
	for my $name (sort keys %errors) {
		return "-$name" if $type->{sign} && $val == -$errors{$name} && chance(0.7);
		return "-$name" if is_pointer($type) && $val == ~0 - $errors{$name} + 1 && chance(0.9);
	}
	return "$val" if $val < 0 || chance(0.5);
	return chance(0.7) ? sprintf('0x%x', $val) : sprintf('0%o', $val);
}

# A number of one of the calls, a number close to it, or an extreme number
sub random_number
{
	my ($type, @vals) = @_;
	my $width = $type->{size} * 8;
	my $bits = unpack('Q', pack($vals[0] < 0 ? 'q' : 'Q', pick(@vals)));

	if (chance(0.2)) {
		$bits = pick(0, 1, mask($width), mask($width - 1), 1 << ($width - 1));
	} elsif (chance(0.3)) {
		$bits = $bits == ~0 ? 0 : $bits + 1;
	} elsif (chance(0.3)) {
		$bits = $bits ? $bits - 1 : ~0;
	}
	return number($type, $bits);
}

# @$values: the value in each of the calls
sub number_term
{
	my ($name, $type, $values) = @_;
	my @vals = map { number($type, $_) } @$values;
	my $op = pick('==', '!=', '<', '<=', '>', '>=', '&');
	my $with = random_number($type, @vals);

	return { text => $name . pick(" $op ", $op) . number_text($type, $with),
		 met => [map { compare($_, $op, $with) } @vals] };
}

# A pattern that matches the string, or a random pattern
sub random_pattern
{
	my ($string, $buffer) = @_;
	my $whole = $string =~ /^[A-Za-z0-9 \/_.,-]+$/ && length($string) < 200;
	my $middle = substr($string, int(length($string) / 3), 5);

	return ('==', 'no such text') if !$whole || chance(0.1);
	return (pick('==', '!='), $string) if chance(0.4);
	return ('~', substr($string, 0, int(length($string) / 2)) . '*')
		if chance(0.4) && length($string) > 1;
	return ('==', $string . 'x') if $buffer || chance(0.1);
	return ('~', "*$middle*") if chance(0.5);
	return ('~', '*' . substr($string, -3)) if chance(0.5);
	return ('~', join('?', substr($string, 0, 1), substr($string, 2)))
		if length($string) > 2 && $string !~ /^.-/;
	return ('==', substr($string, 0, -1));
}

sub meets
{
	my ($string, $op, $pattern) = @_;
	my $regex;

	# A call whose string could not be read does not meet any condition
	return 0 if !defined $string;
	$string =~ s/\0.*//s;
	return $string eq $pattern if $op eq '==';
	return $string ne $pattern if $op eq '!=';
	$regex = join('', map { $_ eq '*' ? '.*' : $_ eq '?' ? '.' : quotemeta } split(//, $pattern));
	return $string =~ /^$regex$/s ? 1 : 0;
}

sub string_term
{
	my ($name, $buffer, @strings) = @_;
	my @known = grep { defined && length } @strings;
	my ($op, $pattern) = @known ? random_pattern(pick(@known), $buffer) : ('!=', 'text');

	return { text => "$name $op \"$pattern\"",
		 met => [map { meets($_, $op, $pattern) } @strings] };
}

# The members of a record that can be compared: name, type, values
sub member_fields
{
	my ($name, $type, @values) = @_;
	my @lists = map { [member_values($type, $_)] } @values;
	my @fields;

	return () if $type->{union};
	for my $i (0..$#{$type->{members}}) {
		my ($of, $member, $width) = @{$type->{members}[$i]};

		next if !$of || !defined $member || defined $width || !$of->{size};
		# The kernel reads no string through a member
		push @fields, fields("$name.$member", $of, undef, map { $_->[$i] } @lists);
	}
	return @fields;
}

# The values of a parameter that can be compared: the parameter, or members of it
sub fields
{
	my ($name, $type, $buffer, @values) = @_;

	return member_fields($name, $type, @values) if $type->{kind} eq 'rec';
	return { name => $name, strings => [map { $_->{string} } @values], buffer => $buffer }
		if $type->{kind} eq 'str' && defined $buffer && !grep { defined $_->{c} && !defined $_->{string} } @values;
	return () if !is_number($type) || grep { !defined $_->{bits} } @values;
	return { name => $name, type => $type, bits => [map { $_->{bits} } @values] };
}

sub is_error
{
	my ($type, $bits) = @_;
	my $val = is_pointer($type) ? signed($bits, 64) : number($type, $bits);

	$val = signed($bits, 64) if is_ulong($type);
	return $val >= -4095 && $val <= (is_ulong($type) ? -2 : -1);
}

# Terms about a call that do not use parameters: the task, the duration, the return
# value
sub other_terms
{
	my ($calls) = @_;
	my $type = $calls->[0]{func}{ret};
	my @rets = map { $_->{ret}{bits} } @$calls;
	my @terms = ({ text => 'COMM == "insmod"', met => [1, 1] },
		     { text => 'COMM ~ "no such*"', met => [0, 0] },
		     { text => 'duration < 3600s', met => [1, 1] },
		     { text => 'duration>900000ms', met => [0, 0] });
	my @ret_terms;

	return \@terms if !$type || in_memory($type) || grep { !defined } @rets;
	push @ret_terms, number_term('ret', $type, \@rets) if is_number($type);
	push @ret_terms, { text => 'error', met => [map { is_error($type, $_) } @rets] }
		if is_pointer($type) || is_ulong($type) || $type->{kind} eq 'int' && $type->{sign};
	return (\@terms, @ret_terms);
}

sub negated
{
	my ($term) = @_;

	return $term if chance(0.8);
	return { text => "!($term->{text})", met => [map { !$_ } @{$term->{met}}] };
}

sub joined
{
	my ($left, $right) = @_;
	my $and = chance(0.5);
	my @met = map { $and ? $left->{met}[$_] && $right->{met}[$_] :
			       $left->{met}[$_] || $right->{met}[$_] } 0..$#{$left->{met}};
	my @texts = map { $_->{joined} ? "($_->{text})" : $_->{text} } ($left, $right);

	return { text => join(pick('&&', ' && '), @texts), met => \@met, joined => 1 } if $and;
	return { text => join(pick('||', ' || '), @texts), met => \@met, joined => 1 };
}

# A condition on the calls of a function: its text, and for each call whether the
# call meets the condition. Undef if the function has nothing to compare.
sub random_condition
{
	my @calls = @_;
	my $params = $calls[0]{func}{params};
	my ($others, @terms) = other_terms(\@calls);
	my $condition;

	for my $i (0..$#$params) {
		my ($type, $name) = @{$params->[$i]};
		my $buffer = $i < $#$params && $params->[$i + 1][0]{is_size} ? 1 : 0;

		# The kernel does not read a buffer that the call fills
		$buffer = undef if $buffer && !$type->{const};
		for my $field (fields($name, $type, $buffer, map { $_->{values}[$i] } @calls)) {
			push @terms, $field->{strings} ?
				string_term($field->{name}, $field->{buffer}, @{$field->{strings}}) :
				number_term($field->{name}, $field->{type}, $field->{bits});
		}
	}
	return undef if !@terms;
	$condition = negated(pick(@terms));
	for (1..pick(0, 0, 1, 1, 2, 3)) {
		$condition = negated(joined($condition, negated(pick(@terms, pick(@$others)))));
	}
	return $condition;
}

1;
