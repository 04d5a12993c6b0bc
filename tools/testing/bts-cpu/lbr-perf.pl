#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Arguments: LOG SAMPLES EVENT
#
# Compares the branches of perf's samples with the log of the CPU. LOG is output of
# bts-log. SAMPLES is output of perf script -F ip,brstack. The CPU clears LBR when the
# counter requests its interrupt (FREEZE_LBRS_ON_PMI). Each sample has the last branches
# before one of these times, in their order. If EVENT is of user space (cycles:u), the kernel
# leaves out the returns to user space: their source is in the kernel
# (intel_pmu_lbr_filter()).
#
# Prints the number of samples. Status 1 if something was wrong.

use strict;
use warnings;
no warnings 'portable';

use constant {
	RECORDS	=> 32,
	LBR	=> 1 << 0,	# bits of IA32_DEBUGCTL
	FREEZE	=> 1 << 11,
};

die "usage: $0 LOG SAMPLES EVENT\n" if (@ARGV != 3);
my $user = $ARGV[2] =~ /:u$/;

# The last branches at each time when LBR froze, the latest branch first
my (@last, @frozen);
open(my $log, '<', $ARGV[0]) or die "$ARGV[0]: $!\n";
while (<$log>) {
	my (undef, $what, $value, @flags) = split;

	if ($what eq 'debugctl') {
		next if ((hex($value) & (LBR | FREEZE)) != FREEZE);
		push(@frozen, join('', map { "$_ " } grep { !$user || !/^ffff/ } @last));
	} elsif (grep { $_ eq 'lbr' } @flags) {
		unshift(@last, "$what/$value");
		pop(@last) if (@last > RECORDS);
	}
}
close($log);

my ($samples, $full, $at) = (0, 0, 0);
open(my $file, '<', $ARGV[1]) or die "$ARGV[1]: $!\n";
while (<$file>) {
	my @branches = m{\b0x([0-9a-f]+/)0x([0-9a-f]+)/}g;
	my $text = '';

	$text .= shift(@branches) . shift(@branches) . ' ' while (@branches);
	next if ($text eq '');
	$samples++;
	$full++ if ($text =~ tr/ // == RECORDS);
	# The kernel may drop a sample
	$at++ while ($at < @frozen && substr($frozen[$at], 0, length($text)) ne $text);
	if ($at++ == @frozen) {
		print("not ok: sample $samples: LBR did not freeze with: $text\n");
		exit(1);
	}
}
close($file);
print("samples=$samples full=$full frozen=" . @frozen . "\n");
exit($full ? 0 : 1);
