#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Run the commands of pages, and compare their output with the pages
#
# Usage: session.pl script VERSION PAGE...
#        session.pl compare|compare-text VERSION OUTPUT PAGE...
#
# A page has one or several sessions: README.md, reStructuredText, Markdown and man pages. A
# session is an indented block that begins with "# COMMAND" or "$ COMMAND". All commands of all
# pages run in one guest, in their order. Before each page, tracefs is reset. "script" prints the
# commands as one script. "compare" compares the output of this script. The lines that a page
# shows have to be in the output, in their order. Indentation, addresses, offsets, times, tasks,
# suffixes of clones, numbers of inodes, and the numbers of lines that are no calls are not
# compared. Other lines may be between the lines. A message about an error has to be in the page.
# "compare-text" leaves out the commands that show calls, for kernels whose compiler inlines other
# functions.
#
# After the line "$ lab/shell -k VERSION", the sessions of a page are for this kernel. A comment of
# the page before a session has an effect on the session:
#
#   session: not run: REASON
#   session: first: COMMAND         run COMMAND before the session
#   session: only VERSION           compare the output only on kernel VERSION
#   session: not compared: REASON   run the commands only
#   session: needs FILE             not run if the guest has no FILE

use strict;
use warnings FATAL => 'all';

# Whether a line of a block is a command. Heads of a trace begin with "# ", too.
sub is_command
{
	return $_[0] =~ /^[#\$] (?![^ ]*:(?: |$))[^ ]+(?: (?! )|$)/ && $_[0] !~ /^[#\$] +[|_]/;
}

# Read the sessions of the pages that are for this kernel: file, line, the comments before the
# session, and the commands, each with the lines that the page shows
sub read_sessions
{
	my ($version, @pages) = @_;
	my @sessions;

	for my $page (@pages) {
		my ($session, $indent, %comment);
		my $kernel = $version;

		open(my $file, '<', $page) or die "$0: $page: $!\n";
		while (my $line = <$file>) {
			chomp($line);
			# Man pages
			$line =~ s/\\-/-/g if $page =~ /\.\d$/;
			if ($line =~ /session: (not run|first|only|not compared|needs)(?::| ) *(.*?)(?: *-->)?$/) {
				push(@{$comment{$1}}, $2);
				next;
			}
			if ($line =~ m,^    \$ lab/shell -k (\S+)$,) {
				$kernel = $1;
				next;
			}
			next if $line eq '';
			if ($line =~ /^(?:\s+)/ || ($page =~ /\.\d$/ && is_command($line))) {
				if (!defined $session) {
					($indent) = $line =~ /^(\s*)/;
					my $text = substr($line, length($indent));

					$session = { page => $page, at => $., comment => { %comment }, steps => [] };
					%comment = ();
					push(@sessions, $session) if is_command($text) && $kernel eq $version;
				}
				$line =~ s/^$indent// or $line =~ s/^\s+//;
				if (@{$session->{steps}} && $session->{steps}[-1]{command}[-1] =~ /\\$/) {
					push(@{$session->{steps}[-1]{command}}, $line);
				} elsif (is_command($line)) {
					push(@{$session->{steps}}, { at => $., command => [ substr($line, 2) ], shown => [] });
				} elsif (@{$session->{steps}}) {
					push(@{$session->{steps}[-1]{shown}}, $line);
				}
				next;
			}
			$session = undef;
			%comment = () if $line !~ /^(?:\.\.|<!--|::)/ && $line !~ /::$/;
		}
		die "$page: a comment of a session that is not there\n" if %comment;
	}
	return @sessions;
}

# Return what matters of a line
sub matter
{
	my ($line) = @_;

	$line =~ s/^\s*\d+\) +(?:\S+-\d+ *\|? *)?(?:[-+!#*@\$]? *\d+\.\d+ us *)?\|?//;
	$line =~ s/\s+\|\s+/ /g;
	# The page has the error of an interactive bash, and the session is a script
	$line =~ s/^(?:-bash|\S+: line \d+): //;
	$line =~ s/0x[0-9a-f]{6,16}\b/ADDRESS/g;
	$line =~ s/\bino=\d+/ino=NUMBER/g;
	$line =~ s/\+0x[0-9a-f]+/+OFFSET/g;
	$line =~ s/\.(?:part|constprop|isra|cold)\.\d+//g;
	# The task, the context of a line of the function tracer, the duration in a recording
	$line =~ s/\S+-\d+ +\[\d+\](?: [.a-zA-Z0-9]{5} )?/TASK/;
	$line =~ s/(funcgraph_\w+:) +(?:[-+!#*@\$]? *\d+\.\d+ us )?/$1 /;
	$line =~ s/\d+/N/g if $line !~ /\w\(|ret=/;
	$line =~ s/\b\d+\.\d{6}\b/TIME/g;
	$line =~ s/\s+/ /g;
	$line =~ s/^ | $//g;
	return $line;
}

sub script
{
	my ($version, @pages) = @_;
	my @sessions = read_sessions($version, @pages);
	my $last = '';

	print <<'END';
#!/bin/bash
exec 2>&1
mkdir -p /tmp/pages
# Run the session of a page, and reset tracefs. A session that does not end is killed.
run()
{
	timeout -s KILL 40 bash /tmp/session </dev/null
	cd /sys/kernel/tracing || exit 1
	echo 1 >tracing_on
	for file in instances/*/; do
		rmdir "$file" 2>/dev/null
	done
	for file in set_graph_filter set_graph_hist func_args_expr set_ftrace_filter set_ftrace_pid \
			set_graph_function set_graph_notrace trace; do
		echo >"$file" 2>/dev/null
	done
	for file in args retval retval-hex deref single lbr proc; do
		echo 0 >"options/funcgraph-$file" 2>/dev/null
	done
	echo 0 >options/func-args
	echo nop >current_tracer
	echo 64 >func_args_string_size
	cd /tmp/pages
}
END
	for my $i (0 .. $#sessions) {
		my $session = $sessions[$i];

		if ($session->{page} ne $last) {
			print "SESSION_END\nrun\n" if $last ne '';
			print "cat >/tmp/session <<'SESSION_END'\ncd /tmp/pages\n";
			$last = $session->{page};
		}
		next if $session->{comment}{'not run'};
		my @needs = @{$session->{comment}{needs} // []};
		print "if true", (map { " && [ -e $_ ]" } @needs), "; then\n";
		print map { "{ $_; } >/dev/null 2>&1\n" } @{$session->{comment}{first} // []};
		for my $j (0 .. $#{$session->{steps}}) {
			print "echo '== $i $j'\n", map { "$_\n" } @{$session->{steps}[$j]{command}};
		}
		print "else\necho '== $i needs'\nfi\n";
	}
	print "SESSION_END\nrun\nexit 0\n";
}

sub compare
{
	my ($act, $version, $name, @pages) = @_;
	my @sessions = read_sessions($version, @pages);
	my ($output, %output, %skipped, $commands, $status) = ([]);

	open(my $file, '<', $name) or die "$0: $name: $!\n";
	while (my $line = <$file>) {
		chomp($line);
		if ($line =~ /^== (\d+) needs$/) {
			$skipped{$1} = 1;
		} elsif ($line =~ /^== (\d+) (\d+)$/) {
			$output = $output{$1}[$2] = [];
		} else {
			push(@$output, $line);
		}
	}
	for my $i (0 .. $#sessions) {
		my $session = $sessions[$i];
		my $comment = $session->{comment};

		if ($comment->{'not run'} || $skipped{$i}) {
			my $why = $comment->{'not run'} ? $comment->{'not run'}[0] : "needs @{$comment->{needs}}";

			print "$session->{page}:$session->{at}: not run: $why\n";
			next;
		}
		for my $j (0 .. $#{$session->{steps}}) {
			my $step = $session->{steps}[$j];
			my $is = $output{$i}[$j];
			my $at = "$session->{page}:$step->{at}: $step->{command}[0]";
			my @shown = map { matter($_) } grep { !/^\s*\.\.\.$/ } @{$step->{shown}};
			my @real = map { matter($_) } @{$is // []};
			my ($from, %known) = 0;

			if (!$is) {
				print "$at: the session did not get there\n";
				$status = 1;
				last;
			}
			$commands++;
			$known{$_} = 1 for @shown;
			for my $line (@real) {
				next if $known{$line} || $line !~ /write error|not found|[Uu]sage:|Invalid argument|cannot (?!access)/;
				print "$at: an error that the page does not show: $line\n";
				$status = 1;
			}
			next if $comment->{'not compared'} || ($comment->{only} && $comment->{only}[0] ne $version);
			next if $act eq 'compare-text' && grep { /\w\(/ } @shown;
			for my $line (@shown) {
				my $k = $from;

				$k++ while $k < @real && $real[$k] ne $line;
				if ($k == @real) {
					print "$at: the output lacks: $line\n",
						map { "  $_\n" } @real > 40 ? (@real[0 .. 39], '...') : @real;
					$status = 1;
					last;
				}
				$from = $k + 1;
			}
		}
	}
	print scalar(@sessions), " sessions, ", $commands // 0, " commands run\n";
	exit($status || !$commands);
}

my $act = shift // '';

if ($act eq 'script' && @ARGV >= 2) {
	script(@ARGV);
} elsif ($act =~ /^compare(-text)?$/ && @ARGV >= 3) {
	compare($act, @ARGV);
} else {
	die "Usage: $0 script VERSION PAGE... | compare|compare-text VERSION OUTPUT PAGE...\n";
}
