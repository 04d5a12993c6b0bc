#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-every.pl TEXT N KALLSYMS LOG... <ALL
#
# Compares the text of "trace-calls branches --every N" with the emulated CPU's log of branches:
# each Nth branch of a CPU is in the text, from the first one on.  LOG is the output of "bts-log
# -b -r" for one CPU.  ALL is the text of "--every 1", of which the lines have to be the same.
# The branch after a call has one more open call.  Prints the number of branches.

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use Branches;

my ($text, $n, $kallsyms, @logs) = @ARGV;
my ($errors, $branches, $calls, @all) = (0, 0, 0);

sub wrong
{
	print "@_\n" if $errors++ < 20;
	return;
}

# The branches of a text, for each CPU
sub branches
{
	my ($in) = @_;
	my @found;
	while (<$in>) {
		my ($cpu, $branch) = /\[(\d+)\] +\d+\.\d{6}: (.*)$/ or die "not a line: $_";
		push @{$found[$cpu]}, $_ unless $branch =~ /^\[/;
	}
	return @found;
}

my $symbols = read_symbols($kallsyms);

sub is_at
{
	my ($place, $addr) = @_;
	return grep { $_ == $addr } addresses_of($symbols, $place);
}

open(my $in, '<', $text) or die "$text: $!\n";
my @shown = branches($in);
close($in);
@all = branches(\*STDIN);
for my $cpu (0 .. $#logs) {
	my ($nr, $i, $call) = (0, 0);
	open($in, '<', $logs[$cpu]) or die "$logs[$cpu]: $!\n";
	while (<$in>) {
		my ($from, $to) = /^\d+ ([0-9a-f]+) ([0-9a-f]+)/ or die $_;
		my $whole = $all[$cpu][$nr] // '';
		my ($pid, $indent, $kind) = $whole =~ m{-(\d+) +\[\d+\] +[\d.]+: ( *)\S.* /\* (\w+)};
		if ($call && $call->[0] == $pid && $whole !~ m{: +0x[0-7]}) {
			wrong("CPU $cpu, branch $nr: the indentation is not $call->[1]") if length($indent) != $call->[1];
			$calls++;
		}
		$call = $kind eq 'call' && $whole =~ m{\+0x0 /\*} ? [$pid, length($indent) + 2] : undef;
		next if $nr++ % $n;
		my $line = $shown[$cpu][$i++] // '';
		$branches++;
		my ($from_text, $to_text) = $line =~ m{: *(\S+) -> (\S+) /\* \w+\??};
		wrong("CPU $cpu, branch $nr: $line") unless defined $to_text &&
			is_at($from_text, hex($from)) && is_at($to_text, hex($to)) && $line eq $whole;
	}
	close($in);
	wrong("CPU $cpu: $i branches, not " . @{$shown[$cpu] // []}) if $i != @{$shown[$cpu] // []};
}
wrong("only $calls calls") if $calls < 1000;
print "$branches branches, $calls calls in all\n";
exit($errors > 0);
