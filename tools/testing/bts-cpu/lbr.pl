#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Arguments: LOG FOLDER RING...
#
# Compares last branch records with the log of the CPU. LOG is output of bts-log. Each
# RING begins with "mark NUMBER", followed by the file ring of lbr_test. The values of
# lbr_test before the first record are known. This script applies the filters of
# MSR_LBR_SELECT itself. objdump shows the kind of each branch. FOLDER has kernel.text,
# kernel.start, module.text and module.start: code, and its address.
#
# Prints the numbers of rings, of branches, and of branches that pass a filter of a
# kind. Status 1 if something was wrong.

use strict;
use warnings;
no warnings 'portable';

use constant {
	RECORDS	=> 32,
	TOS	=> 5,		# lbr_test writes this value and the next values
	FROM	=> 0x1000,
	TO	=> 0x2000,
	INFO	=> 0x3000,
	SLOT	=> 32,
};

use constant KINDS => qw(CPL_EQ_0 CPL_NEQ_0 JCC NEAR_REL_CALL NEAR_IND_CALL NEAR_RET
			 NEAR_IND_JMP NEAR_REL_JMP FAR_BRANCH);

my ($log, $folder, @rings) = @ARGV;
die "usage: $0 LOG FOLDER RING...\n" if (!@rings);

sub contents
{
	my ($name) = @_;

	open(my $file, '<:raw', $name) or die "$name: $!\n";
	local $/;
	return <$file>;
}

# The branches after each mark: [from, to, the log's flags]
my (%behind, %once, $mark);
my $on = 0;
for (split(/\n/, contents($log))) {
	my (undef, $what, $value, @flags) = split;

	if ($what eq 'mark') {
		$mark = $value;
		$behind{$mark} = [];
	} elsif ($what eq 'debugctl') {
		$on = hex($value) & 1;
	} elsif ($what =~ /^[0-9a-f]+$/) {
		next if (!$on || !defined($mark));
		my $branch = [hex($what), hex($value), { map { $_ => 1 } @flags }];
		push(@{$behind{$mark}}, $branch);
		$once{$branch->[0]} = 1;
	}
}

# Disassemble the source of each branch separately, followed by NOPs
my %insn;
my @addresses = sort { $a <=> $b } keys(%once);
my $code = "$folder/code";
open(my $out, '>:raw', $code) or die "$code: $!\n";
my @found;
for my $part (qw(kernel module)) {
	my $text = contents("$folder/$part.text");
	my $start = contents("$folder/$part.start");

	chomp($start);
	$start = oct($start) if ($start =~ /^0x/);
	for my $addr (@addresses) {
		next if ($addr < $start || $addr >= $start + length($text));
		print $out (substr(substr($text, $addr - $start, 15) . "\x90" x SLOT, 0, SLOT));
		push(@found, $addr);
	}
}
close($out);
open(my $dis, '-|', 'objdump', '-Dw', '-b', 'binary', '-m', 'i386:x86-64', $code) or die "objdump: $!\n";
while (<$dis>) {
	next if (!/^ *([0-9a-f]+):\t(?:[0-9a-f]{2} )+ *\t?(.*)/ || hex($1) % SLOT);
	$insn{$found[hex($1) / SLOT]} = $2;
}
close($dis);

# The bit of MSR_LBR_SELECT for the kind of a branch
sub kind
{
	my ($branch) = @_;
	my ($from, $to, $flags) = @$branch;

	# The branch changes the privilege level
	return 8 if ($flags->{event} || ($from ^ $to) >> 63);
	my $insn = $insn{$from};
	return undef if (!defined($insn));
	$insn =~ s/^(?:(?:repz?|repnz|bnd|notrack|data16|addr32|[c-g]s|rex(?:\.\w+)?) )+//;
	return 8 if ($insn =~ /^(?:lret|iret|ljmp|lcall|sysret|syscall|sysexit|sysenter)/);
	return 5 if ($insn =~ /^ret/);
	return $1 ? 4 : 3 if ($insn =~ /^call\w? +(\*)?/);
	return $1 ? 6 : 7 if ($insn =~ /^jmp\w? +(\*)?/);
	return 2 if ($insn =~ /^(?:j|loop)/);
	return undef;
}

my (@passed, $status);
my ($branches, $full, $part) = (0, 0, 0);

sub wrong
{
	print("not ok: @_\n");
	$status = 1;
}

# filter RING SELECT BRANCHES: the branches that are recorded
sub filter
{
	my ($name, $select, @branches) = @_;
	my @kept;

	for my $branch (@branches) {
		my $side = $branch->[1] >> 63 ? 1 : 2;
		my $kept = !($select & $side);

		if ($kept && $select & 0x1fc) {
			my $kind = kind($branch);

			if (!defined($kind)) {
				wrong(sprintf('%s: no branch at %x', $name, $branch->[0]));
				return;
			}
			$kept = !($select & 1 << $kind);
			$passed[$kind]++ if ($kept);
		}
		wrong(sprintf('%s: select %x, %x -> %x is %srecorded', $name, $select,
			      @$branch[0, 1], $kept ? 'not ' : ''))
			if ($kept != exists($branch->[2]{lbr}));
		push(@kept, $branch) if ($kept);
	}
	return @kept;
}

for my $name (@rings) {
	my ($of, $select, $tos, @got) = split(/\n/, contents($name));

	($of, $select, $tos) = map { (split(/ /, $_))[1] } $of, $select, $tos;
	$select = hex($select);
	my @taken = @{$behind{$of} // []};
	my @kept = filter($name, $select, @taken);
	wrong("$name: no branches in the log") if (!@taken);
	$branches += @taken;
	if (@kept >= RECORDS) {
		$full++;
	} else {
		$part++;
	}

	my @want = map { sprintf('%d %x %x %x', $_, FROM + $_, TO + $_, INFO + $_) } 0 .. RECORDS - 1;
	my $at = TOS;
	for my $branch (@kept) {
		$at = ($at + 1) % RECORDS;
		$want[$at] = sprintf('%d %x %x 0', $at, @$branch[0, 1]);
	}
	wrong("$name: the last record is $tos, not " . sprintf('%x', $at)) if (hex($tos) != $at);
	for my $i (0 .. RECORDS - 1) {
		next if (($got[$i] // '') eq $want[$i]);
		wrong("$name: record " . ($got[$i] // 'none') . ", not $want[$i]");
		last;
	}
}

wrong('no ring that is full') if (!$full);
wrong('no ring with few records') if (!$part);
for my $kind (2 .. 8) {
	wrong('no branch of the kind ' . (KINDS)[$kind]) if (!$passed[$kind]);
}
print("rings=" . @rings . " full=$full branches=$branches",
      (map { ' ' . (KINDS)[$_] . '=' . ($passed[$_] // 0) } 2 .. 8), "\n");
exit($status // 0);
