#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Compare the probe events of the module's calls with the expected values
#
# Arguments: [-v] EXPECTED SHOWN
#
# EXPECTED is from generate.pl, and SHOWN is the output of trace-probes.sh. A parameter may be
# refused, and then must have a reason. A value that is shown has to be right. The exit status is
# 1 if a value is wrong, if a call has no event although the probe was made, or if an event has no
# call. -v shows all complaints, not only the first.
#
# The compiler may remove calls of clones, so the probe of a clone may show no event.

use strict;
use warnings FATAL => 'all';
no warnings 'portable';		# numbers have 64 bits, as in the kernel

use FindBin;
use Getopt::Std;
use lib $FindBin::Bin;
use Calls;

my $most_shown = 20;
my %opts;
my (%addresses, %events, %refused, %reasons, %count, @complaints);

# The calls of the first family by the function's name, and the calls of clones by site
my (%first, %site);

sub complain
{
	push @complaints, "wrong: @_";
}

sub bits_of
{
	my ($text) = @_;

	return unpack('b64', $text =~ /^-/ ? pack('q', $text) :
		      pack('Q', $text =~ /^0x/ ? hex($text) : $text));
}

# Return right, wrong or open
sub compare_number
{
	my ($shown, $form, $bits) = @_;
	my %texts = (s => qr/^-?\d+$/, u => qr/^\d+$/, x => qr/^0x[0-9a-f]+$/);
	my ($all, $above);

	return 'wrong' if !defined $form || $shown !~ $texts{$form};
	$bits = bits_of('0x' . ($addresses{$1} // die "$0: no address of $1\n")) if $bits =~ /^\@(\w+)\@$/;
	return 'open' if $bits !~ /[01]/;
	$all = bits_of($shown);
	$above = $form eq 's' ? substr($bits, -1) : '0';
	$bits .= $above x (64 - length($bits));
	for my $i (0..63) {
		my $bit = substr($bits, $i, 1);

		return 'wrong' if $bit ne '?' && $bit ne substr($all, $i, 1);
	}
	return 'right';
}

sub tally
{
	my ($what, $result, @complaint) = @_;

	$count{$what}{$result}++;
	complain(@complaint) if $result eq 'wrong';
}

sub compare_event
{
	my ($event, $call, $text) = @_;
	my $which = "$event->{kind} $event->{function}";
	my $clone = defined $call->{site} ? 'clones: ' : '';

	# Strings have no quotes and no line ends, see below
	while ($text =~ s/^ (\w+)=("[^"]*"|\(fault\)|\S+)//) {
		my ($name, $shown) = ($1, $2);

		if (my $number = $call->{number}{$name eq 'ret' ? '$retval' : $name}) {
			tally($clone . ($name eq 'ret' ? 'returned values' : 'parameters'),
			      compare_number($shown, @$number),
			      "$which: $name=$shown, expected @$number");
		} elsif ($name =~ /^t_(.*)/) {
			my $target = $call->{target}{$1};

			tally('targets', !$target ? 'open' : compare_number($shown, @$target),
			      "$which: $name=$shown, expected ", @{$target // []});
		} elsif ($name =~ /^s_(.*)/) {
			my $string = $call->{string}{$1} && pack('H*', $call->{string}{$1}[0] // '');

			tally('strings', !defined $string || $string =~ /["\n]/ ? 'open' :
			      $shown eq "\"$string\"" ? 'right' : 'wrong',
			      "$which: $name=$shown, expected ", $string // '');
		} elsif ($name =~ /^arg\d+$/) {
			# A part of a parameter
			tally("${clone}parameters without a name", 'open');
		} else {
			complain("$which: there is no $name");
		}
	}
	$count{events}{right}++;
}

sub reason_key
{
	my ($event, $word) = @_;

	return $word eq 'ret=$retval' ? 'returned value' : $event->{function} =~ /^rnd_c\d/ ? 'clone' : 'function';
}

getopts('v', \%opts) && @ARGV == 2 or die "Usage: $0 [-v] EXPECTED SHOWN\n";
for my $call (read_expected($ARGV[0], {})) {
	if (defined $call->{site}) {
		$site{$call->{site}} = $call;
	} else {
		push @{$first{$call->{name}}}, $call;
	}
}

my ($at, %nth);
open(my $file, '<', $ARGV[1]) or die "$0: $ARGV[1]: $!\n";
while (my $line = <$file>) {
	chomp $line;
	if ($line =~ /^\@(\w+)\@ ([0-9a-f]+)$/) {
		$addresses{$1} = $2;
	} elsif ($line =~ /^event (\d+) (\S+) (\S+)$/) {
		$events{$1} = { kind => $2, function => $3 };
	} elsif ($line =~ /^made (\d+)$/) {
		$events{$1}{made} = 1;
	} elsif ($line =~ /^refused (\d+) (\S+): (.*)$/) {
		$reasons{reason_key($events{$1}, $2)}{$3}++;
	} elsif ($line =~ /^refused/) {
		complain("without a reason: $line");
	} elsif ($line =~ /^mark: \(.*?\) nr=(\d+)$/) {
		$at = $site{$1};
	} elsif ($line =~ /^e(\d+): \(.*?\)(.*)$/) {
		my ($nr, $text) = ($1, $2);
		my $event = $events{$nr};
		my $name = $event->{function} =~ s/\..*//r;
		my $call = $at && $name eq $at->{name} ? $at : ($first{$name} // [])->[$nth{$nr}++];

		$event->{shown}++;
		if ($call) {
			compare_event($event, $call, $text);
		} else {
			complain("$event->{function} was not called here");
		}
	}
}
for my $nr (sort { $a <=> $b } keys %events) {
	my $event = $events{$nr};
	my $calls = @{$first{$event->{function}} // []};
	my $shown = $event->{shown} // 0;

	complain("$event->{kind} $event->{function}: $shown events of $calls calls")
		if $calls && $event->{made} && $shown != $calls;
	complain("$event->{kind} $event->{function}: $shown events of a probe that was not made")
		if $shown && !$event->{made};
}
for my $what (sort keys %count) {
	print "$what: ", join(', ', map { "$count{$what}{$_} $_" } sort keys %{$count{$what}}), "\n";
}
for my $key (sort keys %reasons) {
	print "refused, $key: $reasons{$key}{$_} $_\n" for sort keys %{$reasons{$key}};
}
my @nothing = grep { !$_->{shown} } values %events;
my $made = grep { $_->{made} } @nothing;
print scalar(keys %events), " functions, ", scalar(@nothing), " without an event, ",
	"$made of these have a probe\n";
my $bad = @complaints;
splice(@complaints, $most_shown) if !$opts{v} && $bad > $most_shown;
print "$_\n" for @complaints;
print "$bad not as expected\n";
exit($bad != 0 || !$count{parameters}{right});
