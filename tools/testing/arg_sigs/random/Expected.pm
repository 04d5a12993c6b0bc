# SPDX-License-Identifier: GPL-2.0
#
# The paragraphs of the file "expected", which have the expected text of each call
#
# generate.pl describes the paragraphs.

package Expected;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

use Numbers;
use Passing;
use Prototypes;
use Shown;

our @EXPORT = qw(expect_call expect expected probes);

my @expected;
my %probes;

# The limits of include/linux/arg_sigs.h. Parameters above the limits have to be shown as
# unknown.
my $most_longs = 32;
my $most_words = 26;

sub elements_shown
{
	my ($type, $val, @known) = @_;
	my $elem = $type->{members}[0][0]{elem};
	my $list = $val->{list}[0]{list};

	return '{.v={' . join(', ', map { $known[$_] ? shown($elem, $list->[$_]) : '?' }
			      0..$#known) . '}}';
}

# The text of each parameter, with "?" for values above the limits
sub large_shown
{
	my ($func, @values) = @_;
	my @in = in_registers($func);
	my ($word, $long) = (0, 0);
	my @texts;

	for my $i (0..$#values) {
		my ($type, $name) = @{$func->{params}[$i]};
		my $address = $Passing::arm64 && in_memory($type);
		my @known;

		for (1..longs($type)) {
			push @known, $long++ < $most_longs && ($in[$i] || $word < $most_words);
			$word++ if !$in[$i] && !$address;
		}
		$word++ if !$in[$i] && $address;
		push @texts, !(grep { $_ } @known) ? '?' :
			     $type->{kind} ne 'rec' ? shown($type, $values[$i], undef, $name) :
						      elements_shown($type, $values[$i], @known);
	}
	return @texts;
}

sub pieces
{
	my ($type, $val, $name) = @_;
	my @leaves;

	if ($type->{piece}) {
		return () if !$val->{object};
		@leaves = leaves($type->{piece}, $val->{object}, $name);
		for my $leaf (@leaves) {
			# For a pointer, p.x is written p->x, and p is written *p
			$leaf->[0] =~ s/^\Q$name\E\./$name->/ or
				$leaf->[0] =~ s/^\Q$name\E(?=$|\[)/*$name/;
		}
	} elsif ($type->{kind} eq 'rec') {
		@leaves = grep { $_->[0] ne $name } leaves($type, $val, $name);
	}
	return map { "piece $_->[0]=$_->[1]" } @leaves;
}

# The numbers that a call changes: numbers that exist, and that get another value
sub expect_changes
{
	my ($func, $values) = @_;

	return map {
		my ($type, $name) = @{$func->{params}[$_]};
		my $target = $values->[$_]{target};
		my $text = '&' . shown($type->{number}, $func->{changes}{$_}, undef, $name);

		$target && shown($type, $values->[$_], undef, $name) ne $text ? "changed $name=$text" : ();
	} sort { $a <=> $b } keys %{$func->{changes} // {}};
}

# The KIND of an argument or a return value
sub category
{
	my ($type) = @_;
	my $kind = $type->{kind};

	return 'void' if !$type;
	return ($type->{union} ? 'union' : 'struct') . ' of ' .
	       ($type->{size} <= 8 ? '1..8' : $type->{size} <= 16 ? '9..16' : 'more') . ' bytes'
		if $kind eq 'rec';
	return $type->{how} if $kind eq 'int' && $type->{how};
	return $type->{bits} ? 'enum of bits' : 'enum' if $kind eq 'enum';
	return 'pointer to number' if $kind eq 'ptr' && $type->{number};
	return { int => ($type->{sign} ? 'signed' : 'unsigned'), bool => 'bool', char => 'char',
		 ptr => 'pointer', fn => 'pointer to function', str => 'string',
		 i128 => '__int128' }->{$kind};
}

# For each parameter, whether the ABI passes it in registers. The compiler may change the
# interface of a clone.
sub in_registers
{
	my ($func) = @_;
	my $arm64 = $Passing::arm64;
	my $reg = $func->{ret} && in_memory($func->{ret}) && !$arm64 ? 1 : 0;
	my @in;

	for my $type (map { $_->[0] } @{$func->{params}}) {
		my $nr = $arm64 && in_memory($type) ? 1 : longs($type);

		# AAPCS64, 6.8.2, C.10: an even register; C.13: no register after the stack
		$reg += $reg % 2 if $arm64 && $nr == 2 && $type->{align} == 16;
		push @in, ($arm64 || !in_memory($type)) && $reg + $nr <= ($arm64 ? 8 : 6);
		$reg = $in[-1] ? $reg + $nr : $arm64 ? 8 : $reg;
	}
	return @in;
}

sub expect_call
{
	my ($func, $values, $ret, $result) = @_;
	my @in = in_registers($func);
	my @lines = ("call $func->{name}", 'proto ' . prototype_c($func, $func->{name}));
	my @texts = map { shown($func->{params}[$_][0], $values->[$_], undef, $func->{params}[$_][1]) }
		    0..$#$values;

	@texts = large_shown($func, @$values) if $func->{large};
	push @lines, 'variadic 1' if $func->{variadic};
	push @lines, 'undecidable 1'
		if grep { undecidable($_) } map({ $_->[0] } @{$func->{params}}), $func->{ret} // ();
	for my $i (0..$#$values) {
		my ($type, $name) = @{$func->{params}[$i]};

		my $kind = $func->{large} ? 'of many longs' : category($type);

		push @lines, "arg $kind\t$name=$texts[$i]";
		push @lines, "stack $name" if !$in[$i];
		push @lines, pieces($type, $values->[$i], $name) if $func->{clone};
	}
	if ($func->{ret}) {
		push @lines, 'ret ' . category($func->{ret}) . "\t" .
			     (in_memory($func->{ret}) && !$func->{clone} && !$Passing::arm64 ?
			      '@rnd_buffer@' :
			      defined $ret ? $ret : '?');
	}
	$probes{$func->{name}} = probe_args($func);
	return @lines, expect_changes($func, $values), expect_numbers($func, $values, $result);
}

# Add a paragraph. Returns the paragraph.
sub expect
{
	push @expected, join('', map { "$_\n" } @_) . "\n";
	return $expected[-1];
}

sub expected
{
	return @expected;
}

# For each function, the arguments of a probe event that reads all parameters
sub probes
{
	return map { "$probes{$_}\n" } sort keys %probes;
}

1;
