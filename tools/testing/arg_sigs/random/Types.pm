# SPDX-License-Identifier: GPL-2.0
#
# Random C types, laid out by the psABI
#
# A type is a hash:
#   kind    int, bool, char, enum, ptr, fn, str, i128, rec or arr
#   decl    the declaration in C, "%s" stands for the name
#   size, align
#   sign    int, enum: whether the type is signed
#   how     int: decimal, octal, dev, gfp or be, if the int is shown in this form
#   names   enum: [name, value] in the order of declaration; bits: the enum is an enum of bits
#   members rec: [type, name, width]; width is undef unless it is a bit-field; a member
#           without a type is an unnamed bit-field, without a name an anonymous record
#   at      rec: the places of the members, in bits
#   union, packed, aligned
#           rec: properties of the record
#   cover   union: the name of a member that has all of its bits
#   elem, count
#           arr
#   piece   ptr: the type that a parameter points to, for the second family
#   number  ptr: the type that the pointer points to, if a parameter is read through it

package Types;

use strict;
use warnings FATAL => 'all';
no warnings 'portable';		# numbers have 64 bits, as in the kernel

use Exporter 'import';

our @EXPORT = qw(chance pick mask signed swapped is_ulong declare simple_type param_type size_type return_type
		 pointer_to record_type record_of_longs new_definitions definitions);

sub chance
{
	return rand() < $_[0];
}

sub pick
{
	return $_[int(rand(@_))];
}

sub mask
{
	my ($width) = @_;

	return $width >= 64 ? ~0 : (1 << $width) - 1;
}

# The number of a big-endian type
sub swapped
{
	my ($bits, $size) = @_;

	return unpack('Q', scalar reverse(pack('Q', $bits))) >> 8 * (8 - $size);
}

sub signed
{
	my ($bits, $width) = @_;

	if ($width < 64 && $bits >> ($width - 1)) {
		$bits |= ~mask($width);
	}
	return unpack('q', pack('Q', $bits));
}

sub declare
{
	my ($type, $name) = @_;

	return sprintf($type->{decl}, $name) =~ s/ $//r;
}

# Whether a type is unsigned long itself, not a typedef of it
sub is_ulong
{
	my ($decl) = ($_[0]{decl} // '') =~ /^(.*)%s$/;

	return join(' ', grep { !/^(?:const|volatile)$/ } split(' ', $decl // '')) eq 'unsigned long';
}

my @integers = (
	# C, size, signed, how
	['signed char', 1, 1], ['s8', 1, 1],
	['unsigned char', 1, 0], ['u8', 1, 0],
	['short', 2, 1], ['s16', 2, 1], ['unsigned short', 2, 0], ['__le16', 2, 0],
	['int', 4, 1], ['signed', 4, 1], ['s32', 4, 1],
	['unsigned int', 4, 0], ['u32', 4, 0], ['fmode_t', 4, 0], ['unsigned', 4, 0],
	['long', 8, 1], ['long int', 8, 1], ['unsigned long', 8, 0], ['uintptr_t', 8, 0],
	['long long', 8, 1], ['s64', 8, 1], ['ktime_t', 8, 1],
	['unsigned long long', 8, 0], ['u64', 8, 0], ['__le64', 8, 0],
);
my @named_integers = (
	['size_t', 8, 0, 'decimal'], ['ssize_t', 8, 1, 'decimal'], ['loff_t', 8, 1, 'decimal'],
	['pid_t', 4, 1, 'decimal'], ['uid_t', 4, 0, 'decimal'], ['gid_t', 4, 0, 'decimal'],
	['umode_t', 2, 0, 'octal'], ['dev_t', 4, 0, 'dev'], ['gfp_t', 4, 0, 'gfp'],
	['__be16', 2, 0, 'be'], ['__be32', 4, 0, 'be'], ['__be64', 8, 0, 'be'],
);
my @pointers = (
	'void *%s', 'const void *%s', 'struct file *%s', 'const struct file *%s',
	'struct arg_random_unknown *%s', 'int **%s',
	'char **%s', 'const char *const *%s', 'int (*%s)[4]',
	'void **%s', '__int128 *%s', 'union arg_random_unknown2 *%s', 'list_t *%s',
	'void *const %s', 'struct file *volatile %s',
);
my @array_params = ('struct file *%s[]', 'long %s[][3]');
my @number_arrays = (['int', 4, 1], ['u8', 1, 0]);
my @functions = (
	'int (*%s)(int)', 'void (*%s)(void)', 'void *(*%s)(const char *, ...)',
	'rnd_fn_t %s', 'rnd_fn_t const %s', 'rnd_function_t *%s',
	'struct list_head (*%s)(struct list_head, int (*)(int))',
);
my @strings = ('char *%s', 'const char *%s', 'char const *const %s', 'rnd_string_t %s',
	       'const rnd_char_t *%s', 'const volatile char *%s');

sub integer_type
{
	my ($c, $size, $sign, $how) = @{$_[0]};

	return { kind => 'int', decl => "$c %s", size => $size, align => $size,
		 sign => $sign, how => $how // '', is_size => $c eq 'size_t' };
}

# A type of a size. A pointer to char before it becomes a buffer of this size.
sub size_type
{
	my $type = integer_type($named_integers[0]);

	return qualified(chance(0.2) ? typedef_of($type) : $type);
}

# A pointer to const char or to char
sub string_type
{
	my $decl = pick(@strings);

	return { %{scalar_type('str', 8, $decl)}, const => $decl ne 'char *%s' };
}

sub scalar_type
{
	my ($kind, $size, $decl) = @_;

	return { kind => $kind, decl => $decl, size => $size, align => $size };
}

# Whether the pointer of a type is not a string, and the value is shown after the pointer
sub is_read
{
	my ($type) = @_;

	return $type->{kind} =~ /^(?:int|bool|enum)$/;
}

# A pointer to a number
sub number_pointer_type
{
	my $which = rand();
	my $elem;

	if ($which < 0.5) {
		$elem = integer_type(pick(@integers));
	} elsif ($which < 0.7) {
		$elem = integer_type(pick(@named_integers));
	} elsif ($which < 0.8) {
		$elem = scalar_type('bool', 1, pick('bool %s', '_Bool %s'));
	} else {
		$elem = enum_type();
	}
	$elem = typedef_of($elem) if chance(0.2);
	return { %{scalar_type('ptr', 8, pick('', '', 'const ', 'volatile ') .
					 sprintf($elem->{decl}, pick('*%s', '*%s', '*const %s')))},
		 number => $elem };
}

# The C definitions of the types since new_definitions()
my @definitions;
my $defined = 0;

sub new_definitions
{
	@definitions = ();
}

sub definitions
{
	return join("\n", @definitions);
}

sub new_name
{
	return "rnd_$_[0]" . $defined++;
}

sub typedef_of
{
	my ($type) = @_;
	my $name = new_name('t');

	$type->{decl} =~ s/(const|volatile) %s$/%s/;
	push @definitions, 'typedef ' . declare($type, $name) . ';';
	# The tracer does not look at the target of a pointer in a typedef
	return { %$type, decl => "$name %s", number => undef };
}

my @enums = (
	# first value, largest step, packed
	{ first => 0, step => 1 }, { first => 0, step => 40 }, { first => 3, step => 1000000 },
	{ first => -5, step => 3 }, { first => -2147483648, step => 0x30000000 },
	{ first => 0, step => 50, packed => 1 }, { first => -60, step => 20, packed => 1 },
	{ first => 200, step => 9000, packed => 1 },
	{ first => 0xffffff00, step => 0x1000 }, { first => -2, step => 0x123456789abc },
	{ bits => 8, packed => 1 }, { bits => 5 }, { bits => 31 }, { bits => 32 },
	{ bits => 64 },
);

sub enum_values
{
	my ($how) = @_;
	my $nr = 1 + int(rand(7));
	my ($val, @values);

	if ($how->{bits}) {
		my %bits = map { int(rand($how->{bits})) => 1 } 1..$nr;

		# Use the highest bit, so that the compiler does not choose a narrower enum
		$bits{$how->{bits} - 1} = 1;
		@values = map { 1 << $_ } sort { $a <=> $b } keys %bits;
		@values = reverse @values if chance(0.2);
		# An enum of 0, 1 and 2 is not an enum of bits
		unshift @values, 0 if chance(0.4) && grep { $_ > 2 } @values;
		push @values, $values[-1] if chance(0.1);
	} else {
		$val = $how->{first};
		for (1..$nr) {
			push @values, $val;
			$val += int(rand($how->{step} + 1)) + ($how->{step} == 1 ? 0 : 1);
			$val = 127 if $how->{first} < 0 && $how->{packed} && $val > 127;
			$val = 2147483647 if $how->{step} == 0x30000000 && $val > 2147483647;
		}
	}
	return @values;
}

# Whether the enum is shown as bits, according to Documentation/trace/arg-sigs-format.rst
sub is_enum_of_bits
{
	my @values = @_;

	return 0 if grep { $_ < 0 || $_ & ($_ - 1) } @values;
	return 0 if !grep { $_ } @values;
	return !(grep { $_ == 0 } @values) || (grep { $_ > 2 } @values) > 0;
}

sub enum_size
{
	my ($packed, $low, $high) = @_;

	if ($low < 0) {
		for my $size ($packed ? (1, 2) : (), 4) {
			return $size if $low >= -(1 << ($size * 8 - 1)) &&
					$high < 1 << ($size * 8 - 1);
		}
	} else {
		for my $size ($packed ? (1, 2) : (), 4) {
			return $size if $high <= mask($size * 8);
		}
	}
	return 8;
}

sub enum_type
{
	my $how = pick(@enums);
	my @values = enum_values($how);
	my ($low, $high) = (sort { $a <=> $b } @values)[0, -1];
	my $size = enum_size($how->{packed}, $low, $high);
	my $name = new_name('e');
	my $packed = $how->{packed} ? ' __packed' : '';
	my ($expect, @names, @c) = (0);

	for my $val (@values) {
		my $each = uc($name) . '_' . chr(65 + @names);

		push @names, [$each, $val];
		push @c, $each . ($val == $expect && chance(0.7) ? '' :
			$val < 0 ? ' = ' . sprintf('-%dLL - 1', -($val + 1)) :
			sprintf(' = 0x%x', $val) . ($val > 0x7fffffff ? 'ULL' : ''));
		# The next implicit value must fit the type of this value
		$expect = $val >= 0x7fffffff || $val < -2147483648 ? -1 : $val + 1;
		$expect = 0.5 if $expect == -1;
	}
	my $body = '{ ' . join(', ', @c) . " }$packed";
	my $type = { kind => 'enum', size => $size, align => $size, sign => $low < 0,
		     names => \@names, bits => is_enum_of_bits(@values),
		     low => $low, high => $high };

	if (chance(0.2)) {
		push @definitions, "typedef enum $body $name;";
		$type->{decl} = "$name %s";
	} else {
		push @definitions, "enum $name $body;";
		$type->{decl} = "enum $name %s";
	}
	return $type;
}

# A type that fits a register, for parameters and members
sub simple_type
{
	my $type;
	my $which = rand();

	if ($which < 0.40) {
		$type = integer_type(pick(@integers));
	} elsif ($which < 0.52) {
		$type = integer_type(pick(@named_integers));
	} elsif ($which < 0.59) {
		$type = scalar_type('bool', 1, pick('bool %s', '_Bool %s'));
	} elsif ($which < 0.66) {
		$type = scalar_type('char', 1, 'char %s');
	} elsif ($which < 0.80) {
		$type = enum_type();
	} elsif ($which < 0.87) {
		$type = scalar_type('ptr', 8, pick(@pointers));
	} elsif ($which < 0.92) {
		# The number is read only for a parameter. Elsewhere, the type is a plain
		# pointer.
		$type = number_pointer_type();
	} elsif ($which < 0.97) {
		$type = scalar_type('fn', 8, pick(@functions));
	} else {
		# The type is a string only for a parameter. Elsewhere, the type is a plain
		# pointer.
		$type = string_type();
	}
	return chance(0.08) ? typedef_of($type) : $type;
}

sub i128_type
{
	return { kind => 'i128', size => 16, align => 16,
		 decl => pick('__int128 %s', 'unsigned __int128 %s', 's128 %s', 'u128 %s') };
}

sub array_of
{
	my ($elem, $count) = @_;

	return { kind => 'arr', elem => $elem, count => $count, align => $elem->{align},
		 size => $elem->{size} * $count,
		 decl => sprintf($elem->{decl}, $count ? "%s[$count]" : '%s[]') };
}

sub round_up
{
	my ($num, $to) = @_;

	return int(($num + $to - 1) / $to) * $to;
}

sub widest
{
	my ($align, $type) = @_;

	return $type->{align} > $align ? $type->{align} : $align;
}

# Set size and alignment in bytes, and the members' places in bits
sub lay_out
{
	my ($rec) = @_;
	my ($pos, $align, $end) = (0, 1, 0);

	$rec->{at} = [];
	for my $member (@{$rec->{members}}) {
		my ($type, $name, $width) = @$member;

		$pos = 0 if $rec->{union};
		if (defined $width) {
			my $unit = ($type ? $type->{size} : 4) * 8;

			if (!$width) {
				$pos = round_up($pos, $unit);
			} elsif (!$rec->{packed} &&
				 int($pos / $unit) != int(($pos + $width - 1) / $unit)) {
				$pos = round_up($pos, $unit);
			}
			$align = widest($align, $type) if $type && !$rec->{packed};
			# On arm64, a bit-field without a name aligns the record, too, and one of
			# no width even a packed record
			$align = 4 if $Passing::arm64 && !$type && $align < 4 &&
				      (!$rec->{packed} || !$width);
			push @{$rec->{at}}, $pos;
			$pos += $width;
		} else {
			$pos = round_up($pos, $rec->{packed} ? 8 : $type->{align} * 8);
			$align = widest($align, $type) if !$rec->{packed};
			push @{$rec->{at}}, $pos;
			$pos += $type->{size} * 8;
		}
		$end = $pos if $pos > $end;
	}
	$align = $rec->{aligned} if $rec->{aligned} && $rec->{aligned} > $align;
	$rec->{align} = $align;
	$rec->{size} = round_up($end, $align * 8) / 8;
}

# A member of a record of the kernel
sub member
{
	my ($name, @type) = @_;

	return [@type > 1 ? integer_type(\@type) : scalar_type('ptr', 8, $type[0]), $name];
}

my @known_records = (
	['atomic_t %s', member('counter', 'int', 4, 1)],
	['kuid_t %s', member('val', 'uid_t', 4, 0, 'decimal')],
	['swp_entry_t %s', member('val', 'unsigned long', 8, 0)],
	['struct list_head %s', member('next', 'void *%s'), member('prev', 'void *%s')],
	['struct timespec64 %s', member('tv_sec', 's64', 8, 1), member('tv_nsec', 'long', 8, 1)],
	['struct qstr %s', [{ kind => 'rec', union => 1, decl => '', members => [
		[{ kind => 'rec', decl => '', members => [
			member('hash', 'u32', 4, 0), member('len', 'u32', 4, 0)] }, undef],
		member('hash_len', 'u64', 8, 0)], cover => 'hash_len' }, undef],
	 member('name', 'unsigned char *%s')],
);

sub known_record
{
	my ($decl, @members) = @{pick(@known_records)};
	my $rec = { kind => 'rec', decl => $decl, members => \@members };

	for my $outer (grep { $_->[0]{members} } @members) {
		lay_out($_->[0]) for grep { $_->[0]{members} } @{$outer->[0]{members}};
		lay_out($outer->[0]);
	}
	lay_out($rec);
	return $rec;
}

# Make types until a test accepts a type. The definitions of rejected types are dropped.
sub type_that
{
	my ($make, $accepts) = @_;

	for (1..20) {
		my $defined_before = @definitions;
		my $type = $make->();

		return $type if $accepts->($type);
		splice(@definitions, $defined_before);
	}
	return integer_type(['u8', 1, 0]);
}

sub bit_field
{
	my ($room) = @_;
	my ($type, $width);

	return [undef, undef, int(rand(8))] if chance(0.15);
	$type = type_that(\&simple_type, sub {
		$_[0]{kind} =~ /^(int|bool|enum|char)$/ && $_[0]{size} <= $room &&
			($_[0]{how} // '') !~ /dev|gfp/
	});
	$width = 1 + int(rand($type->{size} * 8));
	if ($type->{kind} eq 'bool') {
		$width = 1;
	} elsif ($type->{kind} eq 'char') {
		$width = 8;
	} elsif ($type->{kind} eq 'enum') {
		# gcc warns about a bit-field that is too narrow for an enumerator
		my $least = $type->{sign} ? $type->{size} * 8 :
					    length(sprintf('%b', $type->{high}));

		$width = $least if $width < $least;
	}
	return [$type, undef, $width];
}

sub has_flags
{
	my ($type) = @_;

	$type = $type->{elem} while $type->{kind} eq 'arr';
	return ($type->{how} // '') eq 'gfp';
}

sub any_member_type
{
	my ($room, $depth, $in_union) = @_;
	my $which = rand();

	return record_body($depth + 1, $room, $in_union) if $which < 0.12 && $depth < 3;
	return i128_type() if $which < 0.14;
	if ($which < 0.30) {
		my $elem = $depth < 3 && $room > 1 && chance(0.15) ?
			record_body($depth + 1, int($room / 2), $in_union) : simple_type();
		my $type = array_of($elem, 1 + int(rand(4)));

		return chance(0.1) ? array_of($type, 2) : $type;
	}
	return simple_type();
}

# The type of a record's member, of at most $room bytes
sub member_type
{
	my ($room, $depth, $in_union) = @_;

	# Exclude flags in a union, because some bits of the flags would have no names
	return type_that(sub { any_member_type($room, $depth, $in_union) },
			 sub { $_[0]{size} <= $room && !($in_union && has_flags($_[0])) });
}

my $members = 0;

# Names of members are unique, because the members of an anonymous record belong to the
# outer record
sub record_body
{
	my ($depth, $room, $in_union) = @_;
	my $rec = { kind => 'rec', decl => '', size => 0, align => 1, members => [],
		    union => chance(0.2), packed => chance(0.12) };
	my $nr = 1 + int(rand($rec->{union} ? 3 : 7));

	$rec->{aligned} = 16 if $room >= 16 && chance(0.03);
	for (1..$nr) {
		my $before = $rec->{size};
		my ($new, $anonymous);

		if (chance(0.2)) {
			$new = bit_field($room);
			# Skip an unnamed bit-field in a union, because its bits would
			# belong to no member
			next if !$new->[0] && $rec->{union};
		} else {
			$new = [member_type($room, $depth, $in_union || $rec->{union})];
		}
		$anonymous = $new->[0] && $new->[0]{members} && !$new->[0]{outside} &&
			     !defined $new->[2] && chance(0.5);
		$new->[1] = sprintf('%s%d%s', chr(97 + int(rand(26))), $members++,
				    chance(0.1) ? pick('flags', '_mask', '_bits') : '')
			if $new->[0] && !$anonymous;
		# clang misreads a member with the name of a type in an unnamed record
		$new->[1] .= 'x' if ($new->[1] // '') =~ /^[us](?:8|16|32|64)$/;
		push @{$rec->{members}}, $new;
		lay_out($rec);
		if ($rec->{size} > $room) {
			pop @{$rec->{members}};
			lay_out($rec);
		}
	}
	# gcc warns about a record without a named member
	if (!grep { $_->[0] && $_->[1] } @{$rec->{members}}) {
		push @{$rec->{members}}, [integer_type(['u8', 1, 0]), 'x' . $members++];
		lay_out($rec);
	}
	if ($rec->{union}) {
		$rec->{cover} = 'raw' . $members++;
		push @{$rec->{members}},
			[array_of(integer_type(['u8', 1, 0]), $rec->{size}), $rec->{cover}];
		lay_out($rec);
	}
	$rec->{decl} = record_in_c($rec, '') . ' %s';
	return $rec;
}

sub record_in_c
{
	my ($rec, $tag) = @_;
	my $c = $rec->{union} ? "union$tag {" : "struct$tag {";

	for my $member (@{$rec->{members}}) {
		my ($type, $name, $width) = @$member;
		my $bits = defined $width ? ": $width" : '';

		$c .= ' ' . ($type ? declare($type, $name // '') : 'int') . "$bits;";
	}
	$c .= ' }';
	$c .= ' __packed' if $rec->{packed};
	$c .= " __aligned($rec->{aligned})" if $rec->{aligned};
	return $c;
}

# A record of $nr longs
sub record_of_longs
{
	my ($nr) = @_;
	my $rec = { kind => 'rec', decl => '', members => [
		[array_of(integer_type(['long', 8, 1]), $nr), 'v']] };

	lay_out($rec);
	return name_record($rec);
}

sub name_record
{
	my ($rec) = @_;
	my $name = new_name('s');

	$rec->{outside} = 1;
	if (chance(0.15)) {
		push @definitions, 'typedef ' . record_in_c($rec, '') . " $name;";
		$rec->{decl} = "$name %s";
	} else {
		push @definitions, record_in_c($rec, " $name") . ';';
		$rec->{decl} = ($rec->{union} ? 'union' : 'struct') . " $name %s";
	}
	push @definitions, "static_assert(sizeof(" . declare($rec, '') . ") == $rec->{size});";
	return $rec;
}

sub record_type
{
	my ($room, $use) = @_;
	my $rec;

	return known_record() if chance(0.08);
	$members = 0;
	$rec = record_body(0, $room, 0);
	# Some parameters end with an array without elements. No return value does, because
	# gcc and clang return such records in different ways
	push @{$rec->{members}}, [array_of(simple_type(), 0), 'last']
		if !$rec->{union} && ($use // '') eq 'arg' && chance(0.03);
	lay_out($rec);
	return name_record($rec);
}

sub qualified
{
	my ($type) = @_;

	return $type if chance(0.9) || $type->{decl} !~ /^\w[\w ]* %s$/ ||
			$type->{decl} =~ /const|volatile/;
	return { %$type, decl => pick('const ', 'volatile ') . $type->{decl}, qualified => 1 };
}

sub param_type
{
	my $which = rand();
	my $type;

	if ($which < 0.06) {
		$type = i128_type();
	} elsif ($which < 0.32) {
		$type = record_type(pick(4, 8, 8, 12, 16, 16, 24, 40, 64), 'arg');
	} elsif ($which < 0.42) {
		$type = string_type();
	} elsif ($which < 0.44) {
		return scalar_type('ptr', 8, pick(@array_params));
	} elsif ($which < 0.46) {
		my $elem = integer_type(pick(@number_arrays));

		return { %{scalar_type('ptr', 8, sprintf($elem->{decl}, '%s[]'))}, number => $elem };
	} elsif ($which < 0.51) {
		$type = number_pointer_type();
	} else {
		$type = simple_type();
	}
	$type = typedef_of($type) if chance(0.04);
	return qualified($type);
}

sub return_type
{
	my $which = rand();
	my $type;

	return undef if $which < 0.12;
	return i128_type() if $which < 0.20;
	return record_type(pick(3, 8, 8, 16, 16, 16, 40), 'return') if $which < 0.45;
	$type = simple_type();
	# Compilers warn about a qualified return type
	$type->{decl} =~ s/(const|volatile) %s$/%s/;
	return $type;
}

sub pointer_to
{
	my ($type) = @_;

	return { kind => 'ptr', size => 8, align => 8, piece => $type,
		 number => is_read($type) ? $type : undef,
		 decl => sprintf($type->{decl}, '*%s') };
}

1;
