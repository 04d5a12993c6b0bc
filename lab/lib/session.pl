#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Run the commands of a page, and compare their output with the page
#
# Usage: session.pl script PAGE VERSION
#        session.pl compare|compare-text PAGE VERSION OUTPUT
#
# The blocks of the page that begin with "# " are commands and their output in the guest.
# The last "$ lab/shell [-k VERSION]" before a block determines the kernel. "> "
# continues a command. "script" prints the commands of all blocks for the kernel VERSION
# as one script. "compare" compares the output of this script. "compare-text" leaves out
# lines in the form of a trace, for kernels whose compiler inlines other functions.
#
# "..." in the page stands for any number of lines. Durations, CPUs and PIDs are not
# compared. If two addresses are equal in the page's output of a command, they have to be
# equal in the real output. If two addresses of the same name differ, they have to
# differ. (Two addresses of different names may be equal by chance, because memory is
# used again.) The page does not show lines of the output that begin with "#", empty
# lines, and lines about a switch of the CPU to another task.

use strict;
use warnings FATAL => 'all';

my $default = '6.12';

# Read the commands of the page for a version, each with its output
sub read_page
{
	my ($page, $version) = @_;
	my ($current, $block, @steps) = ('', '');

	open(my $file, '<', $page) or die "$0: $page: $!\n";
	while (my $line = <$file>) {
		chomp($line);
		if ($line !~ s/^    //) {
			$block = '';
			next;
		}
		$block = $block || ($line =~ /^# / ? 'guest' : $line =~ /^\$ / ? 'host' : 'other');
		if ($line =~ m,^\$ lab/shell(?: -k (\S+))?, && $block eq 'host') {
			$current = $1 // $default;
		} elsif ($block ne 'guest' || $current ne $version) {
			next;
		} elsif ($line =~ s/^# //) {
			push(@steps, { at => $., command => [ $line ], shown => [] });
		} elsif ($line =~ s/^> //) {
			push(@{$steps[-1]{command}}, $line);
		} else {
			push(@{$steps[-1]{shown}}, $line);
		}
	}
	return @steps;
}

# Return a line without the parts that differ between two runs, and its addresses
sub plain
{
	my ($line) = @_;
	my @addresses;

	$line =~ s/\s+$//;
	if ($line =~ s/^ \d+\) //) {
		$line =~ s/^\s+(\S+)-\d+ +\|/$1 |/;
		$line =~ s/[-+!#*@\$]? *\d+\.\d+ us +\|/|/;
		$line =~ s/ +\|/ |/g;
	}
	$line =~ s/(\w*)=(0x[0-9a-f]{8,16})\b/push(@addresses, { name => $1, is => $2 }); "$1=ADDRESS"/eg;
	return { text => $line, addresses => \@addresses };
}

# Whether the lines of the page are the lines of the output from $at on
sub same
{
	my ($shown, $output, $at, $names) = @_;
	my %tried = %$names;

	for my $i (0 .. $#$shown) {
		my ($left, $right) = ($shown->[$i], $output->[$at + $i]);

		return 0 if !defined $right || $left->{text} ne $right->{text};
		for my $j (0 .. $#{$left->{addresses}}) {
			my $name = $left->{addresses}[$j]{name};
			my ($page, $real) = map { $_->{addresses}[$j]{is} } $left, $right;

			return 0 if ($tried{"page $page"} //= $real) ne $real ||
				    ($tried{"$name $real"} //= $page) ne $page;
		}
	}
	%$names = %tried;
	return 1;
}

# Whether the output has the lines that the page shows
sub met
{
	my ($shown, $output) = @_;
	my ($at, %names, @parts) = 0;

	# The parts between the "..."
	push(@parts, []);
	for my $line (@$shown) {
		if ($line eq '...') {
			push(@parts, []);
		} else {
			push(@{$parts[-1]}, plain($line));
		}
	}
	# The first part has to be at the beginning, and the last part at the end
	for my $i (0 .. $#parts) {
		my $part = $parts[$i];
		my $first = $i == $#parts ? @$output - @$part : $at;
		my $last = $i == 0 ? 0 : @$output - @$part;

		return 0 if $first < $at;
		$first++ while $first <= $last && !same($part, $output, $first, \%names);
		return 0 if $first > $last;
		$at = $first + @$part;
	}
	return 1;
}

my ($act, $page, $version, $name) = @ARGV;
die "Usage: $0 script PAGE VERSION | compare|compare-text PAGE VERSION OUTPUT\n"
	if ($act // '') !~ /^(script|compare|compare-text)$/ || @ARGV != ($act eq 'script' ? 3 : 4);
my $trace = qr/^ \d+\) .*\|/;

my @steps = read_page($page, $version);
die "$0: $page has no commands for $version\n" if !@steps;

if ($act eq 'script') {
	print "#!/bin/sh\nexec 2>&1\n";
	for my $i (0 .. $#steps) {
		print "echo '== $i'\n", map { "$_\n" } @{$steps[$i]{command}};
	}
	print "exit 0\n";
	exit 0;
}

my (@output, $status);
open(my $file, '<', $name) or die "$0: $name: $!\n";
while (my $line = <$file>) {
	chomp($line);
	if ($line =~ /^== (\d+)$/) {
		$output[$1] = [];
	} elsif (@output && $line !~ m,^\s*$|^#| => |^ ?-+$,) {
		push(@{$output[-1]}, $line);
	}
}
for my $i (0 .. $#steps) {
	my $step = $steps[$i];
	my $output = $output[$i] // [ 'the script did not get there' ];

	if ($act eq 'compare-text') {
		# Omitted lines between lines of a trace belong to the trace
		next if grep { /$trace/ } @{$step->{shown}};
		$output = [ grep { !/$trace/ } @$output ];
	}
	next if met($step->{shown}, [ map { plain($_) } @$output ]);
	print "$page:$step->{at}: $step->{command}[0]: the output is not as the page shows it:\n",
		map { "  $_\n" } @$output;
	$status = 1;
}
print scalar(@steps), " commands\n";
exit($status // 0);
