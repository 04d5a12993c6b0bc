# SPDX-License-Identifier: GPL-2.0
#
# The calls of the module: as they are expected, and as a trace shows them

package Calls;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT = qw(read_expected read_shown);

# Read the calls of the file "expected". generate.pl describes its lines. %$addresses has the
# addresses that stand for @NAME@.
sub read_expected
{
	my ($name, $addresses) = @_;
	my @calls;

	open(my $file, '<', $name) or die "$0: $name: $!\n";
	local $/ = '';
	while (my $paragraph = <$file>) {
		my $call = { args => [], changed => {}, number => {}, target => {}, string => {} };

		for my $line (split(/\n/, $paragraph)) {
			my ($key, $rest) = split(/ /, $line, 2);

			$rest =~ s/(@\w+@)/$addresses->{$1} \/\/ $1/ge;
			# No name of a part contains "="
			my ($part, $text) = split(/=/, $rest, 2);

			if ($key eq 'arg') {
				my ($kind, $name) = split(/\t/, $part, 2);

				push @{$call->{args}},
					{ kind => $kind, name => $name, text => $text, pieces => {} };
			} elsif ($key eq 'stack') {
				$call->{args}[-1]{stack} = 1;
			} elsif ($key eq 'piece') {
				$call->{args}[-1]{pieces}{$part} = $text;
			} elsif ($key eq 'changed') {
				$call->{changed}{$part} = $text;
			} elsif ($key eq 'ret') {
				@{$call->{ret}}{qw(kind text)} = split(/\t/, $rest, 2);
			} elsif ($key =~ /^(?:number|target|string|none)$/) {
				my ($name, @words) = split(/ /, $rest);

				$call->{$key eq 'none' ? 'number' : $key}{$name} = \@words;
			} else {
				$call->{$key eq 'call' ? 'name' : $key} = $rest;
			}
		}
		push @calls, $call;
	}
	return @calls;
}

# Read the calls of a trace: the name, the arguments, and the text after "ret"; and the addresses
# of symbols. If the trace is complete, each line has to be a call.
sub read_shown
{
	my ($name, $complete) = @_;
	my $end = $complete ? qr/ *$/ : qr//;
	my (@shown, @open, %addresses);

	open(my $file, '<', $name) or die "$0: $name: $!\n";
	while (my $line = <$file>) {
		chomp $line;
		if ($line =~ /^(@\w+@) ([0-9a-f]+)$/) {
			$addresses{$1} = '0x' . $2 =~ s/^0+//r;
		} elsif ($line =~ m,^(\S+) \[arg_random\]\((.*)\) \{$end,) {
			push @open, { name => $1, args => $2 };
			push @shown, $open[-1];
		} elsif ($line =~ m,^\}(?: /\* (\S+) \[arg_random\](.*?) \*/$end)?,) {
			my $call = pop @open;

			if ($call && $call->{name} eq ($1 // '')) {
				$call->{ret} = $2;
			} elsif ($complete) {
				die "$0: $name:$.: a return of no call: $line\n";
			}
		} elsif ($line =~ m,^(\S+) \[arg_random\]\((.*)\);(?: /\*(.*?) \*/)?$end,) {
			push @shown, { name => $1, args => $2, ret => $3 // '' };
		} elsif ($complete && $line =~ /\S/) {
			die "$0: $name:$.: not a call: $line\n";
		}
	}
	die "$0: $name: no trace in the file\n" if $complete && !@shown;
	return (\%addresses, @shown);
}

1;
