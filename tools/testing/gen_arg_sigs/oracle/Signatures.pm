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
my %description;

# Remove a type from the text. Returns its size, its longs, and [path, bit, bits, letter] of
# its parts.
sub type {
	my ($text) = @_;

	$$text =~ s/^[KV]+//;
	if ($$text =~ s/^([vbcahstijlmxynofde])//) {
		return { size => $bytes{$1}, leaves => [['', 0, 8 * $bytes{$1}, $1]] };
	} elsif ($$text =~ s/^P//) {
		behind($text);
		return { size => 8, leaves => [['', 0, 64, 'm']] };
	} elsif ($$text =~ s/^[TDGOMB][^;]*;//) {
		return type($text);
	} elsif ($$text =~ s/^E(.).{8}//) {
		return { size => $bytes{$1}, leaves => [['', 0, 8 * $bytes{$1}, $1]] };
	} elsif ($$text =~ s/^A(\d+)_//) {
		my $nr = $1;
		my $each = type($text);
		my @leaves;
		for my $i (0 .. $nr - 1) {
			push(@leaves, map { ["[$i]" . dot($_->[0]), $_->[1] + 8 * $i * $each->{size},
					     $_->[2], $_->[3]] } @{$each->{leaves}});
		}
		return { size => $nr * $each->{size}, leaves => \@leaves };
	} elsif ($$text =~ s/^R(.{8})(\d+);//) {
		my $longs = $2;
		my $record = { %{record($1)} };
		$record->{longs} = $longs;
		return $record;
	} elsif ($$text =~ s/^X[^;]*;(\d+);//) {
		return { size => 8 * $1, longs => $1, leaves => [] };
	}
	die "no type: $$text\n";
}

sub dot { return $_[0] eq '' || $_[0] =~ /^\[/ ? $_[0] : ".$_[0]" }

# The type after a pointer has only names
sub behind {
	my ($text) = @_;

	$$text =~ s/^[KV]+//;
	return if $$text =~ s/^[vbcahstijlmxynofde]// || $$text =~ s/^[SUN][^;]*;//;
	return behind($text) if $$text =~ s/^[TDGOMB][^;]*;//;
	return behind($text) if $$text =~ s/^P// || $$text =~ s/^A\d*_//;
	return if $$text =~ s/^E.{9}//;
	if ($$text =~ s/^F//) {
		behind($text) while $$text !~ s/^z?_//;
		return;
	}
	return if $$text =~ s/^X[^;]*;\d+;//;
	die "no type behind a pointer: $$text\n";
}

sub record {
	my ($id) = @_;
	my $text = $description{$id} // die "no description of $id\n";

	$text =~ s/^[su](\d+);[^;]*;// or die "no record: $text\n";
	my ($size, @leaves) = $1;
	while ($text ne '') {
		$text =~ s/^(\d+)(?::(\d+))?// or die "no member: $text\n";
		my ($at, $bits) = ($1, $2);
		my $type = type(\$text);
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
	$sig{ret} = type(\$text);
	my @left = @{$sig{slots}};
	my $reads = '';
	while ($text ne '' && $text ne 'z') {
		$reads .= read_of($text, @{$sig{slots}} - @left, $left[0] // '-');
		my $type = type(\$text);
		$text =~ s/^([^;=]*)(?:=(-?)([0-9a-f]+))?;// or die "no name: $text\n";
		my $param = { name => $1, type => $type };
		$param->{constant} = ($2 ? -1 : 1) * hex($3) if defined $3;
		my $longs = $type->{longs} // int(($type->{size} + 7) / 8) || 1;
		$param->{longs} = $longs;
		$param->{slots} = [splice(@left, 0, $longs)];
		push(@{$sig{params}}, $param);
	}
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
		next if /^type\t/ || !/^([^\t+]*)\+0x([0-9a-f]+)\t(.*)$/;
		my $is = { name => $1, offset => hex($2) };
		$is->{sig} = eval { signature($3) };
		$is->{error} = $@;
		push(@functions, $is);
	}
	return @functions;
}

1;
