#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Compare signatures with what the compiler says that it passes
#
# Usage: passed.pl SIGNATURES CODE
#
# SIGNATURES is from gen_arg_sigs --dump.  CODE is what the compiler made of the same source:
# gcc's -fdump-tree-optimized, or clang's -S -emit-llvm -fno-discard-value-names.  These
# have the parameters of each function after all passes that change interfaces, with
# their names.  The ABI passes them in the order of the list.  Prints each parameter that a
# signature has in another place, or that a signature has in a place and the compiler does
# not pass, or the other way round.  Counts the values of clones separately.  Exit status 1
# if a place is wrong, or if nothing was compared.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Signatures;

my ($dump, $code) = @ARGV;
die "Usage: $0 SIGNATURES CODE\n" if !defined $code;

my (%passed, %count);
my $wrong = 0;

# Split a list at its outermost commas
sub parts {
	my ($list) = @_;
	my ($depth, @parts) = (0, '');

	for (split(//, $list)) {
		$depth++ if /[(<{[]/;
		$depth-- if /[)>}\]]/;
		if ($_ eq ',' && !$depth) {
			push(@parts, '');
		} else {
			$parts[-1] .= $_;
		}
	}
	s/^\s+|\s+$//g for @parts;
	return grep { $_ ne '' } @parts;
}

# A parameter of gcc: its name, and its longs unless it is a record
sub gcc_param {
	my ($text) = @_;

	return { name => '', varargs => 1 } if $text eq '...';
	my $name = $text =~ /([\w.\$]+)$/ ? $1 : 'unnamed';
	my $is = { name => $name };
	(my $type = $text) =~ s/[\w.\$]+$//;
	if ($type =~ /\*\s*(?:(?:const|restrict|volatile)\s*)*$|\(\*/) {
		$is->{longs} = 1;
	} elsif ($type =~ /__int128/) {
		$is->{longs} = 2;
	} elsif ($type !~ /\b(?:struct|union|float|double|vector)\b/) {
		$is->{scalar} = 1;
	}
	return $is;
}

# gcc's functions: the line with the name, and the line before the body.  A function of
# another calling convention is left out.
sub read_gcc {
	my ($declared, $name, $last);

	for (@_) {
		if (/^;; Function (\S+) \(([^,]+),/) {
			($declared, $name) = ($1, $2);
		} elsif (/^__attribute__.*\bms_abi\b/) {
			undef $name;
		} elsif (/^\{/ && defined $name) {
			# The type of the return value may have parentheses of its own
			if ($last =~ /\b\Q$declared\E \((.*)\)$/) {
				$passed{$name} = { params => [map { gcc_param($_) } parts($1)] };
			}
			undef $name;
		}
		$last = $_;
	}
}

# A parameter of clang.  The parts of a record have a suffix.
sub clang_param {
	my ($text) = @_;

	return { name => '', varargs => 1 } if $text eq '...';
	my ($name) = $text =~ /%"?([\w.\$]+)"?$/;
	my $is = { name => $name // '' };
	$is->{name} =~ s/\.coerce\d*$//;
	if ($text =~ /\bsret\(/) {
		$is->{name} = '';
		$is->{longs} = 1;
	} elsif ($text =~ /\bbyval\(/) {
		$is->{memory} = 1;
	} elsif ($text =~ /^ptr|^i(?:\d|[1-5]\d|6[0-4])\b/) {
		$is->{longs} = 1;
	} elsif ($text =~ /^i128\b/) {
		$is->{longs} = 2;
	}
	return $is;
}

sub read_clang {
	my %poison;
	# The parameters or arguments. A function's attributes may have parentheses as well
	my $list = qr/(\((?:[^()]++|(?-1))*\))/;

	for (@_) {
		# A caller leaves an argument unset that the callee does not use
		if (/\b(?:poison|undef)\b/ && /\bcall\b[^@]*\@"?([\w.\$]+)"?$list/) {
			my ($name, @args) = ($1, parts(substr($2, 1, -1)));
			$poison{$name}[$_] ||= $args[$_] =~ /\b(?:poison|undef)$/ for 0 .. $#args;
		}
		next if /^define\b[^@]* \w*(?:win64|regcall|vectorcall|preserve_none)cc /;
		if (/^define\b.*? \@"?([\w.\$]+)"?$list.*\{$/) {
			my ($name, @params) = ($1, parts(substr($2, 1, -1)));
			$passed{$name} = { params => [map { clang_param($_) } @params] };
		}
	}
	for my $name (keys %poison) {
		my $is = $passed{$name} or next;
		$is->{params}[$_]{unset} = $poison{$name}[$_] for 0 .. $#{$is->{params}};
	}
}

sub complain { $wrong++; print "WRONG: @_\n" }

# Give the registers, then the words, to what is passed.  Returns the slots of each name.  What
# follows a parameter that has no known place has no place, either.
sub places {
	my ($is, $sig) = @_;
	my %declared = map { $_->{name} => $_ } @{$sig->{params}};
	my ($regs, $words, %places) = (0, 0);

	$regs++ if $sig->{kind} eq '&' && !grep { !$_->{varargs} && $_->{name} eq '' } @{$is->{params}};
	for my $param (@{$is->{params}}) {
		my $declared = $declared{$param->{name}};
		my $longs = $param->{longs} // ($declared ? $declared->{longs} : $param->{scalar});
		my @leaves = $declared ? @{$declared->{type}{leaves}} : ['', 0, 64, 'm'];
		my $record = !$param->{longs} && !$param->{scalar} || @leaves != 1 ||
			     $leaves[0][3] =~ /[fde?]/;

		last if $param->{varargs};
		# The class of a record and its alignment on the stack are not known here. Floating
		# point numbers and vectors are in other registers.
		last if !defined $longs || $longs > 2 || $record || ($longs > 1 && $regs > 4);
		my $place = $places{$param->{name}} //= { slots => [] };
		$place->{unset}[@{$place->{slots}}] = $param->{unset};
		if ($regs + $longs > 6) {
			push(@{$place->{slots}}, chr(ord('A') + $words++));
		} else {
			push(@{$place->{slots}}, chr(ord('a') + $regs++)) for 1 .. $longs;
		}
	}
	return \%places;
}

open(my $file, '<', $code) or die "$code: $!\n";
my @lines = <$file>;
chomp(@lines);
(grep { /^define / } @lines) ? read_clang(@lines) : read_gcc(@lines);

for my $function (signatures($dump)) {
	my ($name, $sig) = @$function{qw(name sig)};
	my $is = $passed{$name};

	next if !$is;
	if (!$sig) {
		complain("$name: $function->{error}");
		next;
	}
	# clang adds a number to a name that it has already used, as "entry"
	my %declared = map { $_->{name} => 1 } @{$sig->{params}};
	for (@{$is->{params}}) {
		next if $_->{varargs} || $declared{$_->{name}};
		(my $base = $_->{name}) =~ s/\d+$//;
		$_->{name} = $base if $declared{$base};
	}
	my $unnamed = grep { $_->{name} =~ /^\d+$/ } @{$is->{params}};
	my %named = map { $_->{name} => 1 } grep { !$_->{varargs} } @{$is->{params}};
	my $places = places($is, $sig);
	my $changed = grep { !$named{$_->{name}} } @{$sig->{params}};
	$count{functions}++;
	$count{changed}++ if $changed;
	for my $param (@{$sig->{params}}) {
		my @slots = (@{$param->{slots}}, ('-') x ($param->{longs} - @{$param->{slots}}));
		my $place = $places->{$param->{name}};
		my $what = "$name, $param->{name} (@slots)";
		my @known = grep { !/[-.]/ } @slots;

		if ($param->{name} eq '' || ($unnamed && !$named{$param->{name}})) {
			$count{'not compared'}++;
		} elsif (!$named{$param->{name}}) {
			if (@known) {
				complain("$what is not passed");
			} elsif (grep { $_ eq '-' } @slots) {
				$count{'removed but ?'}++;
			} else {
				$count{defined $param->{constant} ? 'constant' : 'removed'}++;
			}
		} elsif (!$place) {
			$count{'not compared'}++;
		} elsif (grep { $slots[$_] !~ /[-.]/ && $place->{unset}[$_] } 0 .. $#slots) {
			complain("$what is unset at some call");
		} elsif (!grep { $_ ne '.' } @slots) {
			complain("$what is passed in @{$place->{slots}}");
		} elsif (grep { $slots[$_] !~ /[-.]/ &&
				$slots[$_] ne ($place->{slots}[$_] // '') } 0 .. $#slots) {
			complain("$what is in @{$place->{slots}}");
		} else {
			my $kind = (grep { $_ eq '-' } @slots) ? 'unknown' : 'right';
			$count{$kind}++;
			$count{"$kind, in changed"}++ if $changed;
		}
	}
}
print join(', ', map { "$count{$_} $_" } sort keys %count), ", $wrong wrong\n";
exit($wrong || !$count{functions});
