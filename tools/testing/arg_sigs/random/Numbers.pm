# SPDX-License-Identifier: GPL-2.0
#
# The numbers that probe events have to show for the parameters of a call
#
# The kernel's code is not used. A number is written as its bits, the lowest bit first. "?"
# stands for a bit that is not known: padding of a structure, or a value that only C knows.

package Numbers;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

use Passing;
use Types;
use Values;

our @EXPORT = qw(expect_numbers probe_args);

sub image
{
	my ($type, $val, $width) = @_;
	my $kind = $type->{kind};
	my $all;

	$width //= $type->{size} * 8;
	return join('', map { image($type->{elem}, $_) } @{$val->{list}}) if $kind eq 'arr';
	return $val->{raw} if $kind eq 'rec' && $type->{union};
	if ($kind eq 'rec') {
		$all = '?' x $width;
		for my $i (0..$#{$type->{members}}) {
			my ($of, $name, $bits) = @{$type->{members}[$i]};
			my $part = $of ? image($of, $val->{list}[$i], $bits) : '';

			substr($all, $type->{at}[$i], length($part)) = $part;
		}
		return $all;
	}
	return unpack('b64', pack('Q', $val->{lo})) . unpack('b64', pack('Q', $val->{hi}))
		if $kind eq 'i128';
	return '?' x $width if !defined $val->{bits};
	return substr(unpack('b64', pack($val->{bits} < 0 ? 'q' : 'Q', $val->{bits})), 0, $width);
}

# "s", "u" or "x": a signed number, an unsigned number, or bits
sub form
{
	my ($type) = @_;

	return 'x' if $type->{kind} =~ /^(?:ptr|fn|str|rec)$/;
	return $type->{sign} ? 's' : 'u';
}

sub is_number
{
	my ($type) = @_;

	return $type->{kind} ne 'i128' && $type->{size} =~ /^[1248]$/;
}

# The fetch type of the number that a pointer leads to; undef if there is no such number
sub target_type
{
	my ($type) = @_;
	my $number = $type->{kind} eq 'ptr' ? $type->{number} : undef;

	return undef if !$number || $number->{kind} eq 'rec' || !is_number($number);
	return form($number) . $number->{size} * 8;
}

# The lines of a parameter, or of the returned value, $retval:
#   number NAME FORM BITS    or an address instead of the bits
#   none NAME                the value is no number
#   target NAME FORM BITS    the number that the parameter points to
#   string NAME HEX          the string that the parameter points to
sub expect_numbers
{
	my ($func, $values, $result) = @_;
	my @params = @{$func->{params}};
	my @values = @$values;
	my @lines;

	if ($result) {
		my $memory = in_memory($func->{ret}) && !$Passing::arm64;

		push @params, [$memory ? { kind => 'ptr', size => 8 } : $func->{ret}, '$retval'];
		push @values, $memory ? { text => '@rnd_buffer@' } : $result;
	}
	for my $i (0..$#values) {
		my ($type, $name) = @{$params[$i]};
		my $val = $values[$i];
		my $form = form($type);
		my $symbol = ($val->{text} // '') =~ /^(?:@(\w+)@|(\w+)( \[arg_random\])?)$/ &&
			     $type->{kind} =~ /^(?:ptr|fn)$/ ? $1 // $2 : undef;

		if (!is_number($type)) {
			push @lines, "none $name";
			next;
		}
		push @lines, "number $name $form " . ($symbol ? "\@$symbol@" : image($type, $val));
		# A buffer has more characters than its size says
		push @lines, "string $name " . unpack('H*', $val->{string})
			if defined $val->{string} && !$val->{buffer};
		push @lines, "target $name " . form($val->{target}[0]) . ' ' . image(@{$val->{target}})
			if $val->{target} && target_type($type);
	}
	return @lines;
}

# A line of the file "probes": the function, its parameters, and further fetch arguments.
# The compiler may change the interface of a clone, so a clone has no further arguments.
sub probe_args
{
	my ($func) = @_;
	my @params = @{$func->{params}};
	my @more;

	for (@params) {
		my ($type, $name) = @$_;
		my $target = target_type($type);

		next if $func->{clone};
		push @more, "t_$name=+0($name):$target" if $target;
		push @more, "s_$name=$name:string" if $type->{kind} eq 'str';
	}
	return join(' ', $func->{name}, map({ $_->[1] } @params), '|', @more);
}

1;
