#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# calls-user.pl CALL NUMBER <TEXT
#
# Writes the tree of user space in the text of trace-calls branches --calls as lines of the text
# without --calls, with the task and the CPU.  Each call of the function CALL, a system call, has
# to be between the lines of an entry to the kernel and of the return.  There have to be NUMBER such
# calls.

use strict;
use warnings;

my ($call, $number) = @ARGV;
my ($cpu, $inside, $last, $after, $nr, @tasks) = (0, 0, '', 0, 0);

while (<STDIN>) {
	$cpu = $1 if /^ *(\d+)\) /;
	if (/^ *\d+\) \[(?:TASK|SWITCH .* =>) (.*-\d+)\]$/) {
		$tasks[$cpu] = $1;
	} elsif (/^ *\d+\) [^|]*\|  ( *)(.*)/) {
		my ($indent, $text) = ($1, $2);

		if ($text =~ /^\Q$call\E\(/ && $last =~ /\(\) \{ \/\* syscall /) {
			$after = 1;
			$nr++;
		}
		$inside = $text =~ /\{$/ || $indent ne '';
	} elsif (!$inside && /^ {18}\|  (.*)/) {
		$last = $1;
		die "$call() does not return to: $last\n" if $after && $last !~ /^ *\} \/\* (sysret|iret)/;
		$after = 0;
		print "$tasks[$cpu] [$cpu] 0.0: $last\n";
	}
}
die "$nr calls of $call(), not $number\n" if $nr != $number;
