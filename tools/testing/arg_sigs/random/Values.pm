# SPDX-License-Identifier: GPL-2.0
#
# Random values of random types, and their text in C
#
# A value is a hash:
#   bits    the bits, as an unsigned number of the type's width
#   c, text instead of bits: the expression in C, the expected text
#   string  instead of text: the characters
#   target  instead of text: the type and the value that a pointer points to
#   lo, hi  i128
#   list    rec, arr: the values of members or elements
#   raw     union: the bits as a string of 0 and 1, the lowest bit first
#   object  ptr: the value that the pointer points to, for the second family

package Values;

use strict;
use warnings FATAL => 'all';
no warnings 'portable';		# numbers have 64 bits, as in the kernel

use Exporter 'import';

use Types;

our @EXPORT = qw(value member_values in_c);

# The tracer's func_args_string_size. string_value() prefers lengths around this size.
our $string_size = 64;

sub random_bits
{
	my ($width) = @_;
	my $bits = 0;

	$bits = $bits << 16 | int(rand(1 << 16)) for 1..4;
	return $bits & mask($width);
}

my @errors = (1, 2, 5, 11, 12, 14, 16, 22, 35, 40, 41, 95, 110, 128, 133, 134, 500, 512, 516, 517,
	      520, 524, 530, 531, 600, 4094, 4095, 4096, 4097);

sub number_value
{
	my ($type, $width) = @_;
	my $sign = $type->{sign};
	my @edges = (0, 1, 2, mask($width), 1 << ($width - 1), (1 << ($width - 1)) - 1);

	return { bits => pick(@edges) & mask($width) } if chance(0.4);
	return { bits => -pick(@errors) & mask($width) } if ($sign || $width == 64) && chance(0.3);
	return { bits => int(rand(300)) & mask($width) } if chance(0.3);
	return { bits => random_bits($width) };
}

sub enum_value
{
	my ($type, $width) = @_;
	my @values = map { $_->[1] } @{$type->{names}};
	my $bits = 0;

	if (chance(0.2)) {
		my $off = pick(@values) + pick(-1, 1);

		return { bits => unpack('Q', pack('q', $off)) & mask($width) };
	}
	if ($type->{bits} && chance(0.6)) {
		chance(0.5) and $bits |= $_ for @values;
		$bits |= random_bits($width) & random_bits($width) if chance(0.2);
	} else {
		$bits = pick(@values);
		$bits = unpack('Q', pack('q', $bits)) if $bits < 0;
	}
	return { bits => $bits & mask($width) };
}

my @flags = (
	['GFP_KERNEL'], ['GFP_ATOMIC'], ['GFP_NOWAIT'], ['GFP_NOFS'], ['GFP_NOIO'],
	['GFP_USER'], ['GFP_KERNEL_ACCOUNT'], ['GFP_DMA'], ['GFP_DMA32'], ['__GFP_ZERO'],
	['GFP_HIGHUSER'], ['__GFP_NOWARN'], ['0', 'none'],
	['GFP_KERNEL | __GFP_ZERO', 'GFP_KERNEL|__GFP_ZERO'],
	['__GFP_COMP | GFP_ATOMIC | __GFP_NOWARN', 'GFP_ATOMIC|__GFP_NOWARN|__GFP_COMP'],
	['GFP_NOFS | __GFP_NOFAIL | __GFP_THISNODE', 'GFP_NOFS|__GFP_NOFAIL|__GFP_THISNODE'],
);

sub flags_value
{
	my ($c, $text) = @{pick(@flags)};

	return { c => $c, text => $text // $c };
}

sub pointer_value
{
	return { bits => 0 } if chance(0.15);
	return { bits => -pick(@errors) } if chance(0.25);
	return { c => '(void *)rnd_buffer', text => '@rnd_buffer@' } if chance(0.2);
	return { bits => pick(1, 0x10, 4095, 4096, 0x7ffc12345678, 0x8000000000000000, 1 << 63 | 1,
			      ~0 - 4095, 0xffff888000000000 | random_bits(36)) };
}

my @targets = (['rnd_target0', ' [arg_random]'], ['rnd_target1', ' [arg_random]'],
	       ['schedule_timeout', ''], ['msleep', '']);

sub function_value
{
	my ($name, $of) = @{pick(@targets)};

	return { bits => 0 } if chance(0.1);
	return { bits => -pick(@errors) } if chance(0.1);
	return { bits => pick(0x10, 0x7ffc12345678, 0xffff888000000000 | random_bits(36)) }
		if chance(0.1);
	return { c => "(void *)$name", text => "$name$of" };
}

# A string in C. Escapes are octal with three digits, so the next letter is not part of an
# escape.
sub c_string
{
	my ($string) = @_;

	return '"' . join('', map { /[ !#-<>-\[\]-~=]/ ? $_ : sprintf('\%03o', ord($_)) }
			  split(//, $string)) . '"';
}

sub string_value
{
	my @letters = (map(chr, 32..126), "\n", "\t", '"', '\\', "\x01", "\x7f", "\xc3", "\xff");
	my $length = pick(0, 1, 2, 5, 8, 15, 30, 150, map { $string_size + $_ } -1..1);
	my $string;

	return pointer_value_unreadable() if chance(0.25);
	$string = join('', map { pick(@letters) } 1..$length);
	$string = substr('/proc/self/mounts and all the rest of it ' x 5, 0, $length)
		if chance(0.4);
	return { c => '(void *)' . c_string($string), string => $string };
}

# These addresses cannot be read, because low addresses and addresses that are not canonical
# are not mapped
sub pointer_value_unreadable
{
	return { bits => pick(0, -2, -4095, 1, 16, 0x1234, 0x8000000000000000, 0x7fffffffffffffff,
			      0x0dead00000000001) };
}

# A pointer to a number that is on the stack of the caller, or in the module's data
sub number_at
{
	my ($elem) = @_;
	my ($val, $addr, $c);

	if (chance(0.25)) {
		$val = pointer_value_unreadable();
		$addr = $val->{bits} & ~0;
		# The top byte of an address of user space is a tag on arm64
		$addr &= ~(0xff << 56) if $Passing::arm64 && !($addr & 1 << 55);
		# The tracer does not read an address that looks like user space, because it
		# may be a pointer to a per-CPU variable
		$val->{text} = '&?' if $addr >= 0x7ffffffff000 && $addr < ~0 - 4094;
		return $val;
	}
	$val = value($elem, 'member');
	$c = in_c($elem, $val, 1);
	$c = chance(0.5) ? '&(' . declare($elem, '') =~ s/const |volatile //r . "){ $c }" :
			   '({ static ' . declare($elem, 'number') . " = $c; &number; })";
	return { c => "(void *)$c", target => [$elem, $val] };
}

# A random value of a type; $use is "arg" for a parameter, "member", or "return"
sub value
{
	my ($type, $use, $width) = @_;
	my $kind = $type->{kind};

	$width //= $type->{size} * 8;
	return { lo => number_value({}, 64)->{bits}, hi => number_value({}, 64)->{bits} }
		if $kind eq 'i128';
	return { list => [map { value($type->{elem}, 'member') } 1..$type->{count}] }
		if $kind eq 'arr';
	return { raw => join('', map { union_bits() } 1..$type->{size}) } if $type->{union};
	return { list => [map { $_->[0] && value($_->[0], 'member', $_->[2]) }
			  @{$type->{members}}] } if $kind eq 'rec';
	return enum_value($type, $width) if $kind eq 'enum';
	return { bits => int(rand(2)) } if $kind eq 'bool';
	return { bits => pick(32..126, 0, 10, 39, 92, 127, 128, 255) } if $kind eq 'char';
	return string_value() if $kind eq 'str' && $use eq 'arg';
	return function_value() if $kind eq 'fn';
	return number_at($type->{number}) if $kind eq 'ptr' && $type->{number} && $use eq 'arg';
	return pointer_value() if $kind eq 'ptr' || $kind eq 'str';
	return flags_value() if $type->{how} eq 'gfp';
	return number_value($type, $width);
}

sub union_bits
{
	return unpack('b8', chr(pick(0, 0, 1, 65, 127, 128, 255, 255, int(rand(256)))));
}

# The value of a union's member, from the union's bits
sub value_of_bits
{
	my ($type, $bits) = @_;
	my $kind = $type->{kind};

	return { lo => number_of(substr($bits, 0, 64)), hi => number_of(substr($bits, 64, 64)) }
		if $kind eq 'i128';
	if ($kind eq 'arr') {
		my $each = $type->{elem}{size} * 8;

		return { list => [map { value_of_bits($type->{elem}, $_) }
				  unpack("(a$each)*", $bits)] };
	}
	return { raw => $bits } if $type->{union};
	if ($kind eq 'rec') {
		my @list;

		for my $i (0..$#{$type->{members}}) {
			my ($of, $name, $width) = @{$type->{members}[$i]};

			$width //= $of->{size} * 8;
			push @list, $of && value_of_bits($of, substr($bits, $type->{at}[$i], $width));
		}
		return { list => \@list };
	}
	return { bits => number_of($bits) };
}

sub number_of
{
	my ($bits) = @_;

	return oct('0b' . reverse($bits));
}

sub member_values
{
	my ($type, $val) = @_;

	return @{$val->{list}} if !$type->{union};
	return map { value_of_bits($_->[0], substr($val->{raw}, 0, $_->[2] // $_->[0]{size} * 8)) }
		@{$type->{members}};
}

sub bits_in_c
{
	my ($type, $val, $width) = @_;
	my $kind = $type->{kind};
	my $cast = '(' . declare($type, '') . ')';

	return $val->{bits} ? 'true' : 'false' if $kind eq 'bool';
	# Do not write a cast, because compilers compare a cast with the width of the
	# bit-field
	return sprintf('%s%d', $kind eq 'enum' ? $cast : '', signed($val->{bits}, $width))
		if $width < $type->{size} * 8 && $type->{sign};
	return sprintf('(void *)0x%xUL', $val->{bits}) if $kind =~ /^(ptr|fn|str)$/;
	return sprintf('%s0x%xULL', $cast, $val->{bits});
}

sub braces
{
	return '{ ' . join(', ', @_) . ' }';
}

# The text of a value in C. With $inner, a record has no type before its braces.
sub in_c
{
	my ($type, $val, $inner, $width) = @_;
	my $kind = $type->{kind};

	if ($kind eq 'i128') {
		return sprintf('((%s)0x%xULL << 64 | 0x%xULL)',
			       'unsigned __int128', $val->{hi}, $val->{lo});
	} elsif ($kind eq 'arr') {
		return braces(map { in_c($type->{elem}, $_, 1) } @{$val->{list}});
	} elsif ($kind eq 'rec') {
		my @inits = record_inits($type, $val);

		return braces(@inits) if $inner;
		return '(' . declare($type, '') =~ s/const |volatile //r . ')' . braces(@inits);
	}
	return $val->{c} if defined $val->{c};
	return bits_in_c($type, $val, $width // $type->{size} * 8);
}

sub record_inits
{
	my ($type, $val) = @_;
	my @inits;

	if ($type->{union}) {
		my ($cover) = grep { ($_->[1] // '') eq $type->{cover} } @{$type->{members}};

		return ".$type->{cover} = " .
		       in_c($cover->[0], value_of_bits($cover->[0], $val->{raw}), 1);
	}
	for my $i (0..$#{$type->{members}}) {
		my ($of, $name, $width) = @{$type->{members}[$i]};

		next if !$of || !$of->{size};
		push @inits, defined $name ?
			".$name = " . in_c($of, $val->{list}[$i], 1, $width) :
			record_inits($of, $val->{list}[$i]);
	}
	return @inits;
}

1;
