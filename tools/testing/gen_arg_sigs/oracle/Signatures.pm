# SPDX-License-Identifier: GPL-2.0
#
# A reader of the signatures that gen_arg_sigs --dump prints, independent of the tool
package Signatures;

use strict;
use warnings;
no warnings 'portable';
use Exporter 'import';

our @EXPORT = qw(signatures);

my %bytes = (v => 0, b => 1, c => 1, a => 1, h => 1, s => 2, t => 2, i => 4, j => 4,
	     l => 8, m => 8, x => 8, y => 8, n => 16, o => 16, f => 4, d => 8, e => 16);
my %basic = (
	v => 'void', b => 'bool', c => 'char', a => 'signed char',
	h => 'unsigned char', s => 'short', t => 'unsigned short', i => 'int',
	j => 'unsigned int', l => 'long', m => 'unsigned long', x => 'long long',
	y => 'unsigned long long', n => '__int128', o => 'unsigned __int128',
	f => 'float', d => 'double', e => 'long double',
);
my %description;

# A value of a basic type
sub basic {
	my ($letter, $c) = @_;

	return { size => $bytes{$letter}, c => $c,
		 leaves => [['', 0, 8 * $bytes{$letter}, $letter]] };
}

# Put a declarator after a type
sub declare {
	my ($type, $decl) = @_;

	return $decl eq '' ? $type : "$type $decl";
}

# The name of a description's type in C
sub tag {
	my ($id) = @_;
	my $text = $description{$id} // die "no description of $id\n";

	return "enum $1" if $text =~ /^[eb].([^;]*);/;
	return ($1 eq 's' ? 'struct' : 'union') . " $2" if $text =~ /^([su])\d+;([^;]*);/;
	die "no name: $text\n";
}

# Remove a type from the text. Returns its size, its longs, [path, bit, bits, letter] of its parts,
# and the declaration of $decl in C, without the dimensions of arrays, which pfunct does not show
# either. A type that has only a name after a pointer has no parts.
sub type {
	my ($text, $decl) = @_;

	if ($$text =~ s/^([KV]+)//) {
		my $words = join(' ', map { $_ eq 'K' ? 'const' : 'volatile' } split(//, $1));
		my $is_pointer = $$text =~ /^P/;
		my $type = type($text, $is_pointer ? "$words $decl" : $decl);
		return { %$type, c => $is_pointer ? $type->{c} : "$words $type->{c}" };
	} elsif ($$text =~ s/^([vbcahstijlmxynofde])//) {
		return basic($1, declare($basic{$1}, $decl));
	} elsif ($$text =~ s/^P//) {
		return basic('m', type($text, "*$decl")->{c});
	} elsif ($$text =~ s/^[TDGOMB]([^;]*);//) {
		my $name = $1;
		return { %{type($text, '')}, c => declare($name, $decl) };
	} elsif ($$text =~ s/^E(.)(.{8})//) {
		my ($letter, $id) = ($1, $2);
		return basic($letter, declare(tag($id), $decl));
	} elsif ($$text =~ s/^A(\d*)_//) {
		my $nr = $1 || 0;
		my $each = type($text, $decl);
		my @leaves;
		for my $i (0 .. $nr - 1) {
			push(@leaves, map { ["[$i]" . dot($_->[0]), $_->[1] + 8 * $i * $each->{size},
					     $_->[2], $_->[3]] } @{$each->{leaves}});
		}
		return { size => $nr * ($each->{size} // 0), leaves => \@leaves,
			 c => $each->{c} };
	} elsif ($$text =~ s/^R(.{8})(\d+);//) {
		my ($id, $longs) = ($1, $2);
		return { %{record($id)}, longs => $longs, c => declare(tag($id), $decl) };
	} elsif ($$text =~ s/^X([^;]*);(\d+);//) {
		return { size => 8 * $2, longs => $2, leaves => [], c => declare($1, $decl) };
	} elsif ($$text =~ s/^([SUN])([^;]*);//) {
		my $name = { S => 'struct ', U => 'union ', N => '' }->{$1} . $2;
		return { c => declare($name, $decl) };
	} elsif ($$text =~ s/^F//) {
		my $ret = type($text, '')->{c};
		my @params;
		push(@params, type($text, '')->{c}) while $$text !~ /^z?_/;
		push(@params, '...') if $$text =~ s/^z//;
		$$text =~ s/^_// or die "no end of a function: $$text\n";
		return { c => "$ret ($decl)(" . (join(', ', @params) || 'void') . ')' };
	}
	die "no type: $$text\n";
}

# A type of values
sub value_type {
	my ($text, $decl) = @_;
	my $type = type($text, $decl // '');

	die "no values: $type->{c}\n" if !$type->{leaves};
	return $type;
}

sub dot { return $_[0] eq '' || $_[0] =~ /^\[/ ? $_[0] : ".$_[0]" }

sub record {
	my ($id) = @_;
	my $text = $description{$id} // die "no description of $id\n";

	$text =~ s/^[su](\d+);[^;]*;// or die "no record: $text\n";
	my ($size, @leaves) = $1;
	while ($text ne '') {
		$text =~ s/^(\d+)(?::(\d+))?// or die "no member: $text\n";
		my ($at, $bits) = ($1, $2);
		my $type = value_type(\$text);
		$text =~ s/^([^;]*);// or die "no name of a member: $text\n";
		my $name = $1;
		if (!@{$type->{leaves}}) {
			# The signature does not describe the record, or the record is empty
			push(@leaves, [$name, 8 * $at, 0, '?']) if $type->{size};
		} elsif (defined $bits) {
			push(@leaves, [$name, $at, $bits, $type->{leaves}[0][3]]);
		} else {
			push(@leaves, map { [$name . dot($_->[0]), 8 * $at + $_->[1],
					     $_->[2], $_->[3]] } @{$type->{leaves}});
		}
	}
	return { size => $size, leaves => \@leaves };
}

# The expected read of a parameter: the long is captured, and points to a number that is not
# a char
sub read_of {
	my ($text, $long, $slot) = @_;

	return '' if $slot !~ /[a-hA-Z]/ ||
		     $text !~ /^[KV]*P([KV]*)(?:[TDGOMB][^;]*;)*(?:E(?=.(.{8})))?([bahstijlmxy])/ ||
		     # A declared enum without a definition may have any size
		     defined $2 && $description{$2} =~ /^..[^;]*;$/;
	my $size = { 1 => 'a', 2 => 'b', 4 => 'c', 8 => 'd' }->{$bytes{$3}};
	return '*' . ('a' .. 'z', 'A' .. 'F')[$long] . ($1 =~ /K/ ? uc($size) : $size);
}

sub signature {
	my ($text) = @_;
	my %sig = (kind => '', params => [], reads => '');

	# The parameters of a system call follow those of its stub
	$text =~ s/\|[^)]*(?=\))//;
	$text =~ s/\|.*//;

	if ($text =~ s/^(\d)//) {
		$sig{slots} = [('a' .. 'f')[0 .. $1 - 1]];
		$sig{slots} = [] if $1 == 0;
	} else {
		$text =~ s/^\(([^)]*)\)// or die "no slots: $text\n";
		(my $slots = $1) =~ s/[*#]//g;
		$sig{slots} = [$slots =~ /&?./g];
		# Digests and results follow the reads.  They have other letters.
		$sig{reads} = join('', $1 =~ /\*.[a-dA-D]/g) if $text =~ s/^((?:\*..)+)//;
		$text =~ s/^(?:\$.)?(?:#.)?//;
	}
	$sig{kind} = $1 if $text =~ s/^([?&2])//;
	$sig{ret} = value_type(\$text);
	my @left = @{$sig{slots}};
	my $reads = '';
	while ($text ne '' && $text ne 'z') {
		$reads .= read_of($text, @{$sig{slots}} - @left, $left[0] // '-');
		my $type = value_type(\$text, "\001");
		$text =~ s/^([^;=]*)(?:=(-?)([0-9a-f]+))?;// or die "no name: $text\n";
		my $param = { name => $1, type => $type };
		$param->{constant} = ($2 ? -1 : 1) * hex($3) if defined $3;
		$type->{c} =~ s/\001/$param->{name}/;
		my $longs = $type->{longs} // int(($type->{size} + 7) / 8) || 1;
		$param->{longs} = $longs;
		$param->{slots} = [splice(@left, 0, $longs)];
		push(@{$sig{params}}, $param);
	}
	$sig{varargs} = $text eq 'z';
	die "slots are left\n" if @left;
	$sig{expected_reads} = $reads;
	return \%sig;
}

# The functions of a dump, each with its name, the offset of its site, and its signature or an
# error
sub signatures {
	my ($file) = @_;
	my @functions;

	open(my $dump, '<', $file) or die "$file: $!\n";
	my @lines = <$dump>;
	chomp(@lines);
	for (@lines) {
		$description{$1} = $2 if /^type\t(.{8})(.*)$/;
	}
	for (@lines) {
		next if /^type\t/;
		my ($name, $offset, $text) = /^([^\t+]*)\+0x([0-9a-f]+)\t(.*)$/;
		my $is = { name => $name // $_, offset => hex($offset // 0) };
		$is->{sig} = eval { signature($text // die "malformed\n") };
		$is->{error} = $@;
		push(@functions, $is);
	}
	return @functions;
}

1;
