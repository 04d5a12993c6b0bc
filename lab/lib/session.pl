#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Run the commands of a page, and compare their output with the page
#
# Usage: session.pl script PAGE VERSION
#        session.pl compare|compare-text PAGE VERSION OUTPUT
#        session.pl script-pages VERSION PAGE...
#        session.pl compare-pages|compare-pages-text VERSION OUTPUT PAGE...
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

# "script-pages" and "compare-pages" are for pages with one or several sessions: README.md,
# reStructuredText, Markdown and man pages. A session is an indented block that begins with
# "# COMMAND" or "$ COMMAND". All commands of all pages run in one guest, in their order. Before
# each page, tracefs is reset. The lines that the page shows have to be in the output, in their
# order. Indentation, addresses, offsets, times, tasks, suffixes of clones, numbers of inodes, and
# the numbers of lines that are no calls are not compared. Other lines may be between the lines.
# A message about an error has to be in the page. A comment of the page before a session has an
# effect on the session:
#
#   session: not run: REASON
#   session: first: COMMAND         run COMMAND before the session
#   session: only VERSION           compare the output only on kernel VERSION
#   session: not compared: REASON   run the commands only
#   session: needs FILE             not run if the guest has no FILE

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
		$line =~ s/ *[-+!#*@\$]? *\d+\.\d+ us +\|/|/;
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

# Whether a line of a block is a command. Heads of a trace begin with "# ", too.
sub is_command
{
	return $_[0] =~ /^[#\$] (?![^ ]*:(?: |$))[^ ]+(?: (?! )|$)/ && $_[0] !~ /^[#\$] +[|_]/;
}

# Read the sessions of the pages: file, line, the comments before the session, and the commands,
# each with the lines that the page shows
sub read_sessions
{
	my @sessions;

	for my $page (@_) {
		my ($session, $indent, %comment);

		open(my $file, '<', $page) or die "$0: $page: $!\n";
		while (my $line = <$file>) {
			chomp($line);
			# Man pages
			$line =~ s/\\-/-/g if $page =~ /\.\d$/;
			if ($line =~ /session: (not run|first|only|not compared|needs)(?::| ) *(.*?)(?: *-->)?$/) {
				push(@{$comment{$1}}, $2);
				next;
			}
			next if $line eq '';
			if ($line =~ /^(?:\s+)/ || ($page =~ /\.\d$/ && is_command($line))) {
				if (!defined $session) {
					($indent) = $line =~ /^(\s*)/;
					my $text = substr($line, length($indent));

					$session = { page => $page, at => $., comment => { %comment }, steps => [] };
					%comment = ();
					push(@sessions, $session) if is_command($text);
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

	$line =~ s/^\s*\d+\) +(?:\S+-\d+ *)?(?:[-+!#*@\$]? *\d+\.\d+ us *)?\|?//;
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

sub script_pages
{
	my ($version, @pages) = @_;
	my @sessions = read_sessions(@pages);
	my ($last, $n) = ('', 0);

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

sub compare_pages
{
	my ($act, $version, $name, @pages) = @_;
	my @sessions = read_sessions(@pages);
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
			next if $act eq 'compare-pages-text' && grep { /\w\(/ } @shown;
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
	exit($status // 0);
}

if (@ARGV >= 3 && $ARGV[0] eq 'script-pages') {
	script_pages(@ARGV[1 .. $#ARGV]);
	exit(0);
}
compare_pages(@ARGV) if @ARGV >= 4 && $ARGV[0] =~ /^compare-pages(-text)?$/;
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
