#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Count the right values in a trace of random functions, in any notation
#
# Arguments: [-c] EXPECTED SHOWN
#
# This script is for tracers with another notation than generate.pl expects, such as v6.15
# and later with BTF. A value is right if the text denotes the value: 0x0 is NULL and false,
# 3 [BLUE] is BLUE, 65 is 'A', the address of a string is the string, and any number is a
# set of flags. Hexadecimal words of a structure are not decoded, but counted as words. A
# structure with an unknown member is missing. Values that no tracer can show are not counted:
# records whose passing is not known (see Passing.pm), and calls with more longs than the
# tracer captures.
#
# Prints "WHAT RIGHT WORDS WRONG MISSING", for arguments, for returns, and for functions
# that are right as a whole. A return value of a void function is wrong. These are only
# functions whose interface the compiler kept. With -c there are more lines: "registers", for
# the arguments in registers, "register", for the returns in one register, and "clones", for
# the arguments and parts of arguments of static functions that the compiler may have cloned. A
# parameter that the compiler removed is not counted. A value that is wrong is printed to the
# error output.

use strict;
use warnings FATAL => 'all';
no warnings 'portable';		# numbers have 64 bits, as in the kernel

use Errno;
use FindBin;
use Getopt::Std;
use lib $FindBin::Bin, "$FindBin::Bin/../../traceevent";
use ArgText;
use Calls;

my (%opts, %count, %first, %site);

# The number that a text denotes, modulo 2^64; undef if the text denotes no number
sub number
{
	my ($text) = @_;

	return 0 if $text eq 'NULL' || $text eq 'false';
	return 1 if $text eq 'true';
	return unpack('Q', pack('q', $1)) if $text =~ /^(-\d+)( \(-E\w+\))?$/;
	return oct($text) if $text =~ /^0[0-7]*$/;
	return $1 if $text =~ /^(\d+)( \[\w+\])?$/;
	return oct($1) if $text =~ /^(0x[0-9a-f]{1,16})( \/\/ .*)?$/;
	return ($1 << 20) | $2 if $text =~ /^(\d+):(\d+)$/;
	return ord($1) if $text =~ /^'\\?(.)'$/;
	return undef;
}

# Judge a structure or an array by its members
sub judge_members
{
	my @shown = split_args($_[0] =~ s/^\{|\}$//gr);
	my @expected = split_args($_[1] =~ s/^\{|\}$//gr);
	my %is;

	# The elements after an unknown element of an array are unknown, too
	splice(@shown, -1, 1, ('?') x (@expected - $#shown))
		if @shown && $shown[-1] eq '?...' && @shown < @expected;
	return 'wrong' if @shown != @expected;
	for my $i (0..$#shown) {
		my ($name) = $expected[$i] =~ /^(\.\w+=|)/;

		return 'wrong' if index($shown[$i], $name);
		$is{judge_value(map { substr($_, length($name)) } $shown[$i], $expected[$i])} = 1;
	}
	return (grep { $is{$_} } qw(wrong words missing))[0] // 'right';
}

sub judge_value
{
	my ($shown, $expected) = @_;
	my ($a, $b);

	return 'missing' if !defined $shown || $shown eq '' || $shown eq '?';
	return 'right' if $shown eq $expected;
	return judge_members($shown, $expected) if $shown =~ /^\{/ && $expected =~ /^\{/;
	return 'words' if $shown =~ /^\((struct|union|UNION|STRUCT)/ || $expected =~ /^\{/;
	return 'right' if $shown =~ /^-?\d+ \[(\w+)\]$/ && $1 eq $expected;
	$a = number($shown);
	return 'wrong' if !defined $a;
	return $a >= 1 << 63 || $a > 4096 ? 'right' : 'wrong' if $expected =~ /^"/;
	if ($expected =~ /^ERR_PTR\(-(\w+)\)$/) {
		my $err = $1 =~ /^\d+$/ ? $1 : Errno->can($1) ? Errno->can($1)->() : undef;

		return 'right' if !defined $err && $a >= unpack('Q', pack('q', -4095));
		return defined $err && $a == unpack('Q', pack('q', -$err)) ? 'right' : 'wrong';
	}
	$b = number($expected);
	# The numbers of names of bits and of functions are not known here
	return 'right' if !defined $b;
	return $a == $b ? 'right' : 'wrong';
}

sub judge
{
	my ($shown, $expected, $what) = @_;
	my $is = judge_value($shown, $expected);

	print STDERR "$what=$shown, expected $expected\n" if $opts{c} && $is eq 'wrong';
	return $is;
}

# Count the parameters of a call of a function that may be a clone
sub count_clone
{
	my ($shown, $call) = @_;
	my %args = map { /^([^=]+)=(.*)$/s ? ($1 => $2) : () } split_args($shown->{args});

	for my $arg (@{$call->{args}}) {
		my $name = $arg->{name};
		my @parts = grep { /^(?:\*|\(\*)?\Q$name\E(?!\w)./s || $_ eq "*$name" } keys %args;

		if (defined $args{$name} || !@parts) {
			next if ($args{$name} // '') eq '<optimized out>';
			next if $arg->{stack} && ($args{$name} // '?') =~ /\?/;
			$count{clones}{judge($args{$name}, $arg->{text}, "$shown->{name}: $name")}++;
		}
		for my $part (grep { $args{$_} ne '<optimized out>' } @parts) {
			my $text = $arg->{pieces}{$part};

			$count{clones}{defined $text ? judge($args{$part}, $text, "$shown->{name}: $part") :
						       'wrong'}++;
		}
	}
}

# Count the parameters and the return of a call of another function
sub count_function
{
	my ($shown, $call) = @_;
	my %args = map { /^(\w+)=(.*)$/s ? ($1 => $2) : () } split_args($shown->{args} // '');
	my $ret = $shown->{ret} // '';
	my $all = 1;

	for my $arg (@{$call->{args}}) {
		my $is = judge($args{$arg->{name}}, $arg->{text}, "$call->{name}: $arg->{name}");

		$count{arguments}{$is}++;
		$count{registers}{$is}++ if !$arg->{stack};
		$all &&= $is eq 'right';
	}
	# Skip the changed numbers that funcgraph-deref shows after the return value
	1 while $ret =~ s/ \w+=&\S+$//;
	$ret = $ret =~ /^ *ret=(.*?) *$/ ? $1 : undef;
	if ($call->{ret}) {
		my $is = judge($ret, $call->{ret}{text}, "$call->{name}: ret");

		$count{returns}{$is}++;
		$count{register}{$is}++ if $call->{ret}{kind} !~ /of 9..16|int128/;
		$all &&= $is eq 'right';
	} else {
		$count{returns}{defined $ret ? 'wrong' : 'right'}++;
		$all &&= !defined $ret;
	}
	$count{functions}{$all ? 'right' : 'wrong'}++;
}

getopts('c', \%opts) && @ARGV == 2 or die "Usage: $0 [-c] EXPECTED SHOWN\n";
my ($addresses, @shown) = read_shown($ARGV[1]);
my $at;
for my $call (@shown) {
	if ($call->{name} =~ /^rnd_mark/) {
		$at = $call->{args} =~ /^(?:nr=)?(\w+)/ ? number($1) : undef;
	} elsif ($call->{name} =~ /^rnd_c\d/) {
		$site{$at} = $call if defined $at;
	} else {
		push @{$first{$call->{name}}}, $call;
	}
}
for my $call (read_expected($ARGV[0], $addresses)) {
	my $site = $call->{site};
	my $shown = defined $site ? $site{$site} : shift @{$first{$call->{name}} // []} // {};

	next if $call->{undecidable} || grep { $_->{kind} eq 'of many longs' } @{$call->{args}};
	if (!defined $site) {
		count_function($shown, $call);
	} elsif ($shown) {
		# The compiler may have removed the call
		count_clone($shown, $call);
	}
}
die "$0: $ARGV[0]: no calls\n" if !%count;
for my $what (qw(arguments returns functions), $opts{c} ? qw(registers register clones) : ()) {
	print join(' ', $what, map { $count{$what}{$_} // 0 } qw(right words wrong missing)), "\n";
}
