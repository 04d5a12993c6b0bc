#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Compare signatures with the values in the registers and on the stack
#
# Usage: check.pl SIGNATURES SYMBOLS RECORD abi|clones [--clang] [--arm64]
#
# SIGNATURES is from gen_arg_sigs --dump, SYMBOLS from nm of the program, and RECORD is the
# output of the program. The script has its own reader of the format. It prints the wrong
# values, and the numbers of right and of unknown values. With "abi" only a few values may
# be unknown: values in vector registers or beyond the limits, and values after a record
# that has an eightbyte with only unnamed members, which DWARF does not describe. clang's
# DWARF also lacks places of __int128, and some places on the stack. Some kinds of unknown
# values are counted separately: "elsewhere" are values of functions with another calling
# convention, "beyond" are values of functions with more words than signatures have letters,
# and "not passed" are values that are in no register and in no word of the stack. Exit
# status 1 if a value is wrong, or if nothing was compared.

use strict;
use warnings;
no warnings 'portable';
use FindBin;
use lib $FindBin::Bin;
use Signatures;

my ($sigs, $symbols, $record, $family, @options) = @ARGV;
die "Usage: $0 SIGNATURES SYMBOLS RECORD abi|clones [--clang] [--arm64]\n" if !defined $family;
my $clang = grep { $_ eq '--clang' } @options;
my $arm64 = grep { $_ eq '--arm64' } @options;
# Argument registers, and the size of the call of the tracer
my ($regs, $call_size) = $arm64 ? (8, 4) : (6, 5);

my (%site, %count);
# The bytes that the registers and the words of the stack point to
my @memory;
my $wrong = 0;

sub lines { open(my $file, '<', $_[0]) or die "$_[0]: $!\n"; my @l = <$file>; chomp(@l); return @l }

sub complain { $wrong++; print "WRONG: @_\n" }

# The number of a register, or of a word of the stack after all registers
sub slot_nr {
	my ($slot) = @_;

	return $slot =~ /[a-z]/ ? ord($slot) - ord('a') : $regs + ord($slot) - ord('A');
}

# The bytes of a recorded value. An unknown byte is undef.
sub captured {
	my ($param, $entry) = @_;
	my (@bytes, $record, $at);

	for my $slot (@{$param->{slots}}, ('-') x ($param->{longs} - @{$param->{slots}})) {
		my $long;
		# The words of a record that is passed by its address
		if ($slot =~ /^(?:&(.)|\+)$/) {
			($record, $at) = ($memory[slot_nr($1)], 0) if defined $1;
			push(@bytes, (map { hex } $record =~ /../g)[$at .. $at + 7]);
			$at += 8;
			next;
		}
		if ($slot =~ /[a-z]/) {
			my $nr = ord($slot) - ord('a');
			$long = $entry->[1 + $nr] if $nr < $regs;
		} elsif ($slot =~ /[A-Z]/) {
			$long = $entry->[1 + $regs + ord($slot) - ord('A')];
		}
		push(@bytes, defined $long ? reverse(map { hex } sprintf('%016s', $long) =~ /../g) :
					     (undef) x 8);
	}
	return @bytes;
}

sub bit_value {
	my ($bytes, $leaf) = @_;
	my (undef, $at, $bits, $letter) = @$leaf;
	my $value = 0;

	return undef if $letter eq '?';
	$bits = 64 if $bits > 64;
	for my $i (0 .. $bits - 1) {
		my $byte = $bytes->[($at + $i) / 8];
		return undef if !defined $byte;
		$value |= 1 << $i if $byte >> (($at + $i) % 8) & 1;
	}
	# char has no sign on arm64
	$value |= ~0 << $bits if $letter =~ ($arm64 ? qr/[asilx]/ : qr/[casilx]/) && $bits < 64 &&
				 $value >> ($bits - 1) & 1;
	return $value;
}

# Whether the bytes of the mask are the expected bytes: 1, 0, or undef if unknown
sub same {
	my ($got, $want, $mask) = @_;
	my @want = map { hex } $want =~ /../g;
	my @mask = map { hex } $mask =~ /../g;
	my $known = 1;

	for my $i (0 .. $#want) {
		next if !$mask[$i];
		if (!defined $got->[$i]) {
			$known = undef;
			next;
		}
		return 0 if ($got->[$i] ^ $want[$i]) & $mask[$i];
	}
	return $known;
}

# Whether a record in registers has an eightbyte without a named member
sub has_gap {
	my ($type) = @_;
	my $longs = int(($type->{size} + 7) / 8);
	my %named;

	return 0 if $longs > 2 || !@{$type->{leaves}};
	for (@{$type->{leaves}}) {
		my $last = $_->[3] eq '?' ? 127 : $_->[1] + $_->[2] - 1;
		$named{$_}++ for int($_->[1] / 64) .. int($last / 64);
	}
	return grep { !$named{$_} } 0 .. $longs - 1;
}

# Whether an eightbyte of a value is in no register and in no word of the stack
sub is_nowhere {
	my ($param, $entry, $want, $mask) = @_;

	for my $i (0 .. $param->{longs} - 1) {
		next if ($param->{slots}[$i] // '-') ne '-';
		my @want = map { hex } substr($want, 16 * $i, 16) =~ /../g;
		my @mask = map { hex } substr($mask, 16 * $i, 16) =~ /../g;
		my $found = !grep { $_ } @mask;
		for my $long (@$entry[1 .. $#$entry]) {
			last if $found;
			next if !defined $long || $long !~ /^[0-9a-f]+$/;
			my @is = reverse(map { hex } sprintf('%016s', $long) =~ /../g);
			$found = !grep { ($is[$_] ^ $want[$_]) & $mask[$_] } 0 .. $#want;
		}
		return 1 if !$found;
	}
	return 0;
}

sub check_param {
	my ($name, $param, $arg, $entry, $far, $elsewhere, $gap) = @_;
	my ($size, $want, $mask) = @$arg;
	my @got = captured($param, $entry);
	my $what = "$name, $param->{name}";

	if ($param->{type}{size} != $size && $param->{type}{leaves} && @{$param->{type}{leaves}}) {
		complain("$what: size $param->{type}{size}, not $size");
		return;
	}
	$count{values}++;
	if (@{$param->{slots}} && !grep { $_ ne '.' } @{$param->{slots}}) {
		if (!defined $param->{constant}) {
			$count{removed}++;
			return;
		}
		@got = map { $param->{constant} >> 8 * $_ & 255 } 0 .. 7;
		$count{constant}++;
	}
	# The parts of the value that the compiler does not pass
	my @parts = grep { ($param->{slots}[$_] // '-') eq '.' } 0 .. $param->{longs} - 1;
	if (@parts && !defined $param->{constant}) {
		$count{'removed in part'}++;
		for (@parts) {
			my $digits = length(substr($mask, 16 * $_, 16));
			substr($mask, 16 * $_, 16) = '0' x $digits;
		}
	}
	my $same = same(\@got, $want, $mask);
	if (!defined $same && ($elsewhere || $far)) {
		$count{$elsewhere ? 'elsewhere' : 'beyond'}++;
		$count{values}--;
	} elsif (!defined $same && $family eq 'clones' &&
		 is_nowhere($param, $entry, $want, $mask)) {
		$count{'not passed'}++;
	} elsif (!defined $same) {
		$count{unknown}++;
		if ($family eq 'abi' && @{$param->{slots}} == $param->{longs} && !$gap &&
		    !grep { $_->[3] =~ ($clang ? qr/[fdeno]/ : qr/[fde]/) }
			  @{$param->{type}{leaves}}) {
			$count{"unknown without a reason"}++;
			print "$what: (@{$param->{slots}}) is not known\n" if !$clang;
		}
	} elsif ($same) {
		$count{right}++;
	} else {
		complain("$what: (@{$param->{slots}}) is not $want & $mask: ",
			 join('', map { defined $_ ? sprintf('%02x', $_) : '--' } @got));
	}

	return if @{$arg->[3]} && $arg->[3][0][0] =~ /^->/;
	my %leaf = map { $_->[0] => $_ } @{$param->{type}{leaves}};
	for my $member (@{$arg->[3]}) {
		my ($path, $value) = @$member;
		if (!$leaf{$path}) {
			# An array whose elements are not described is one leaf
			(my $array = $path) =~ s/\[[^.]*$//;
			complain("$what: no member $path")
				if !$leaf{$array} || $leaf{$array}[3] ne '?';
			next;
		}
		my $bits = bit_value(\@got, $leaf{$path});
		next if !defined $bits;
		if ($bits == hex($value)) {
			$count{members}++;
		} else {
			complain(sprintf("%s: member %s is %x, not %s", $what, $path, $bits, $value));
		}
	}
}

sub check_return {
	my ($call, $ret) = @_;
	my ($sig, $exit) = @$call{qw(sig exit)};
	my ($size, $want, $mask) = @$ret;
	my @got;

	if ($sig->{kind} eq '?') {
		$count{'returns unknown'}++;
		return;
	}
	if ($sig->{kind} eq '&') {
		@got = map { hex } $exit->[3] =~ /[0-9a-f]{2}/g;
	} else {
		@got = reverse(map { hex } sprintf('%016s', $exit->[1]) =~ /../g);
		push(@got, reverse(map { hex } sprintf('%016s', $exit->[2]) =~ /../g))
			if $sig->{kind} eq '2';
	}
	if (same(\@got, $want, $mask)) {
		$count{returns}++;
	} else {
		complain("$call->{name}: '$sig->{kind}' returned (@$exit), not $want");
	}
}

my %address = map { /^([0-9a-f]+) \w (\S+)$/ ? ($2 => hex($1)) : () } lines($symbols);
for my $is (signatures($sigs)) {
	next if !defined $address{$is->{name}};
	if ($is->{sig} && $is->{sig}{reads} ne $is->{sig}{expected_reads}) {
		complain("$is->{name}: the reads are $is->{sig}{reads}, not $is->{sig}{expected_reads}");
	} elsif ($is->{sig}) {
		$site{$address{$is->{name}} + $is->{offset} + $call_size} = $is;
	} else {
		complain("$is->{name}: $is->{error}");
	}
}

my ($expected, @calls, %called, %seen);
for (lines($record)) {
	my ($what, @words) = split;
	if ($what eq 'call') {
		$called{$words[0]} = 1;
		$expected = { name => $words[0], elsewhere => $words[1], args => [] };
		@calls = ();
	} elsif ($what eq 'arg') {
		push(@{$expected->{args}}, [@words < 3 ? ($words[0], '', '') : @words, []]);
	} elsif ($what eq 'member') {
		push(@{$expected->{args}[-1][3]}, [@words]) if $expected;
	} elsif ($what eq 'memory') {
		@memory = @words;
	} elsif ($what eq 'entry') {
		my $site = $site{hex($words[0])};
		# clang adds a prefix for regcall
		(my $base = $site ? $site->{name} : '') =~ s/^__regcall\d__|\..*//g;
		next if !$site || !$expected || $base ne $expected->{name};
		my $params = $site->{sig}{params};
		if (@$params != @{$expected->{args}}) {
			complain("$site->{name}: has " . @$params . " parameters");
			next;
		}
		# Words after Z have no letter
		my $far = grep { /[T-Z]/ } @{$site->{sig}{slots}};
		my $gap = grep { has_gap($_->{type}) } @$params;
		check_param($site->{name}, $params->[$_], $expected->{args}[$_], \@words, $far,
			    $expected->{elsewhere}, $gap) for 0 .. $#$params;
		$seen{$site->{name}} = 1;
		push(@calls, { %$site, site => hex($words[0]) });
	} elsif ($what eq 'exit') {
		# The line belongs to the last call that has not returned yet
		for my $call (reverse @calls) {
			next if $call->{exit} || $call->{site} != hex($words[0]);
			$call->{exit} = [@words];
			last;
		}
	} elsif ($what eq 'ret') {
		for my $call (@calls) {
			check_return($call, [@words]) if $call->{exit};
		}
		$expected = undef;
	}
}

# gen_arg_sigs mistakes a few functions for preserve_none functions, and does not know their
# values. On arm64, the alignment of a record may be unknown, and with it the places of the
# records that are passed by their address: these are up to 1.8 % of a seed's values
my $without = $count{'unknown without a reason'} // 0;
complain("$without values are unknown without a reason")
	if !$clang && $without > ($arm64 ? 0.03 : 0.01) * ($count{values} // 0);

# A function whose clones are all inlined has no entry. This applies to up to 14 % of the
# family.
my $least = ($family eq 'abi' ? 0.98 : 0.7) * keys(%called);
complain('only ' . keys(%seen) . ' of ' . keys(%called) . ' functions have a signature')
	if keys(%seen) < $least;

print scalar(keys %seen), ' of ', scalar(keys %called), ' functions: ',
      join(', ', map { "$_ $count{$_}" } sort keys %count), ", wrong $wrong\n";
exit($wrong || !%seen);
