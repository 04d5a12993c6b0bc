#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Compare a trace of random functions with the expected text
#
# Arguments: [-v] [-c] [-u NR] EXPECTED SHOWN
#
# EXPECTED is from generate.pl, SHOWN is from trace-module.sh. Prints for each kind the
# number of values that are right, unknown ("?", in whole or in part), removed by the
# compiler, and wrong. Prints the first values that differ, or with -v all values that
# differ.
#
# Ends with 0 only if all values of the first family are right and no value of the second
# family is wrong. With -u, NR of a thousand values of the first family may be unknown,
# because the DWARF lacks facts. With -c, the trace has to show the
# numbers that calls have changed. Without -c, it must not show any changed number.

use strict;
use warnings FATAL => 'all';

use FindBin;
use Getopt::Std;
use lib $FindBin::Bin, "$FindBin::Bin/../../traceevent";
use ArgText;
use Calls;

my %opts;
my $most_shown = 20;
my @columns = qw(right part unknown removed wrong);
my (%count, %times);
my @complaints;
my $bad = 0;
my ($unknown, $known) = (0, 0);

sub complain
{
	my ($call, $text) = @_;

	$bad++ if $text !~ /^(?:unknown|part):/;
	push @complaints, "$text\n    $call->{proto}";
}

# Return right, unknown, removed, part or wrong
sub compare_value
{
	my ($shown, $expected) = @_;
	my (@shown, @expected, %part);

	return 'right' if $shown eq $expected;
	return 'unknown' if $shown eq '?';
	# The compiler does not pass the value, as clang does with a half of a structure
	return 'removed' if $shown eq '<optimized out>';
	return 'wrong' if $shown !~ /^\{.*\}$/s || $expected !~ /^\{.*\}$/s;
	@shown = split_args(substr($shown, 1, -1));
	@expected = split_args(substr($expected, 1, -1));
	# The elements after an unknown element of an array are unknown, too
	splice(@shown, -1, 1, ('?') x (@expected - $#shown))
		if @shown && $shown[-1] eq '?...' && @shown < @expected;
	return 'wrong' if @shown != @expected;
	for my $i (0..$#shown) {
		if ($expected[$i] =~ /^(\.\w+=)/) {
			return 'wrong' if index($shown[$i], $1);
			$_ = substr($_, length($1)) for $shown[$i], $expected[$i];
		}
		$part{compare_value($shown[$i], $expected[$i])}++;
	}
	return 'wrong' if $part{wrong};
	return !%part ? 'right' : keys(%part) == 1 ? (keys %part)[0] : 'part';
}

sub tally
{
	my ($call, $kind, $shown, $expected, $what) = @_;
	my $result = compare_value($shown, $expected);

	$count{$call->{family}}{$kind}{$result}++;
	if ($call->{family} eq 'functions') {
		$known++ if $result eq 'right';
		$unknown++ if $result =~ /^(?:unknown|part)$/;
	}
	complain($call, "$result: $call->{name}: $what$shown, expected $expected")
		if $result eq 'wrong' || $call->{family} eq 'functions' && $result ne 'right';
}

sub compare_args
{
	my ($call, $text) = @_;
	my @shown = split_args($text);

	for my $arg (@{$call->{args}}) {
		my $name = $arg->{name};
		my $at = $shown[0] // '';

		if ($at =~ s/^\Q$name\E=//) {
			tally($call, $arg->{kind}, $at, $arg->{text}, "$name=");
			shift @shown;
			next;
		}
		# The trace may have parts of the value instead of the whole value
		if ($at !~ /^(\*|\(\*)?\Q$name\E(\W.*?)?=/s || !defined $call->{site}) {
			complain($call, "wrong: $call->{name}: there is no $name in ($text)");
			$count{$call->{family}}{$arg->{kind}}{wrong}++;
			next;
		}
		while (@shown && $shown[0] =~ /^((?:\*|\(\*)?\Q$name\E(?:[^\w=][^=]*)?)=(.*)$/s) {
			my ($part, $shown) = ($1, $2);

			shift @shown;
			if (defined $arg->{pieces}{$part}) {
				tally($call, 'part of a parameter', $shown, $arg->{pieces}{$part},
				      "$part=");
			} else {
				complain($call, "wrong: $call->{name}: there is no part $part");
			}
		}
	}
	if ($call->{variadic} && (shift(@shown) // '') ne '...') {
		complain($call, "wrong: $call->{name}: no ... at the end of ($text)");
	}
	complain($call, "wrong: $call->{name}: more than was expected: @shown") if @shown;
}

sub compare_return
{
	my ($call, $text) = @_;
	my $ret = $call->{ret};
	my %changed = $opts{c} ? %{$call->{changed}} : ();

	while ($text =~ s/ (\w+)=(&\S+)$//) {
		my ($name, $shown) = ($1, $2);

		tally($call, 'changed number', $shown, delete $changed{$name} // 'nothing', "$name=");
	}
	complain($call, "wrong: $call->{name}: not shown as changed: $_") for sort keys %changed;
	if (!$ret) {
		complain($call, "wrong: $call->{name}: is void, but$text") if $text ne '';
	} elsif ($text !~ s/^ ret=//) {
		complain($call, "wrong: $call->{name}: no ret= in '$text'");
	} else {
		tally($call, "ret $ret->{kind}", $text, $ret->{text}, 'ret=');
	}
}

sub base_name
{
	return $_[0] =~ s/\.(isra|constprop|part|cold|llvm)(\.\d+)?//gr;
}

sub compare_call
{
	my ($call, $shown) = @_;

	compare_args($call, $shown->{args});
	compare_return($call, $shown->{ret} // ' without a return');
}

sub print_row
{
	my ($name, @cells) = @_;

	printf("%-34s%s\n", $name, join('', map { sprintf('%9s', $_) } @cells));
}

getopts('vcu:', \%opts) && @ARGV == 2 or die "Usage: $0 [-v] [-c] [-u NR] EXPECTED SHOWN\n";
my ($addresses, @shown) = read_shown($ARGV[1], 1);
my (%first, %site);

for my $call (read_expected($ARGV[0], $addresses)) {
	$call->{family} = defined $call->{site} ? 'clones' : 'functions';
	$call->{family} .= ' with hidden parts' if $call->{undecidable};
	if (defined $call->{site}) {
		$site{$call->{site}} = $call;
	} else {
		push @{$first{$call->{name}}}, $call;
	}
}

my $at;
for my $shown (@shown) {
	my $name = base_name($shown->{name});

	if ($name eq 'rnd_mark') {
		$at = $shown->{args} =~ /^nr=(\d+)$/ ? $site{$1} : undef;
		complain({ proto => 'void rnd_mark(int nr)' }, "wrong: rnd_mark($shown->{args})")
			if !$at;
		$times{sites}++;
	} elsif ($at && $name eq $at->{name}) {
		$times{$name ne $shown->{name} ? 'clones called' : 'others called'}++;
		compare_call($at, $shown);
	} elsif ($first{$shown->{name}} && @{$first{$shown->{name}}}) {
		$times{'calls of the first family'}++;
		compare_call(shift @{$first{$shown->{name}}}, $shown);
	} else {
		complain({ proto => '' }, "wrong: $shown->{name} was not called here");
	}
}
for my $call (map { @$_ } values %first) {
	complain($call, "wrong: $call->{name}: its call is not shown");
}
complain({ proto => '' }, 'wrong: ' . keys(%site) . " sites, $times{sites} shown")
	if keys(%site) != ($times{sites} //= 0);

for my $family (sort keys %count) {
	my %sum;

	print_row($family, @columns);
	for my $kind (sort keys %{$count{$family}}) {
		my $row = $count{$family}{$kind};

		print_row("  $kind", map { $row->{$_} // 0 } @columns);
		$sum{$_} += $row->{$_} // 0 for @columns;
	}
	print_row('  all', map { $sum{$_} } @columns);
}
print join(', ', map { "$_: $times{$_}" } sort keys %times), "\n";
splice(@complaints, $most_shown) if !$opts{v} && @complaints > $most_shown;
print "$_\n" for @complaints;
$bad += $unknown if $unknown * 1000 > ($opts{u} // 0) * ($known + $unknown);
print "$bad not as expected\n";
exit($bad != 0);
