# SPDX-License-Identifier: GPL-2.0
#
# Random functions: the code that both families share
#
# A function is a hash:
#   nr, name
#   params  [type, name], and for the second family the parameter's role, see Clones.pm
#   ret     the type of the return value, undef for void
#   large   the parameters are above the limits of include/linux/arg_sigs.h
#   clone   the function is in the second family
#   changes the new values of numbers that parameters point to, by the parameter's index
# Functions.pm and Clones.pm add more keys for writing the function.

package Prototypes;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

use Types;

our @EXPORT = qw(prototype_c param_name is_buffer without_buffers braces_c);

sub prototype_c
{
	my ($func, $name) = @_;
	my @params = map { declare(@$_) } @{$func->{params}};

	push @params, '...' if $func->{variadic};
	return declare($func->{ret} // { decl => 'void %s' },
		       "$name(" . (join(', ', @params) || 'void') . ')');
}

sub param_name
{
	# Some names mean that the parameter holds bits
	return "v$_[0]" . pick('flags', '_mask', 'bits', '_gfp_mask') if chance(0.15);
	return pick('a'..'k', 'x', 'len', 'flags', 'buf', 'state') . $_[0];
}
# Whether a parameter is a buffer, because the next parameter is its size
sub is_buffer
{
	my ($func, $i) = @_;
	my $params = $func->{params};

	return $i < $#$params && $params->[$i][0]{kind} eq 'str' &&
	       $params->[$i + 1][0]{is_size};
}

# Remove the buffers of a function whose sizes may be removed, or may be above a limit
sub without_buffers
{
	my ($func) = @_;

	for my $i (0..$#{$func->{params}} - 1) {
		$func->{params}[$i + 1][0] = simple_type() while is_buffer($func, $i);
	}
	return $func;
}

sub braces_c
{
	return "\n{\n" . join("", map { $_ eq "" ? "\n" : "\t$_\n" } @_) . "}\n\n";
}

1;
