#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# log.pl SHOWN RECORDING LOG BTS-LOG BTS-RAW
#
# Compare the recording of a dump with the log of the emulated CPUs. SHOWN is the output of
# branches.sh. For each CPU, the last calls of the recording have to be the last branches to the
# begins of the functions, and the last branches in the recording have to be in the log, one after
# the other.

use strict;
use warnings FATAL => 'all';

my ($shown, $recording, $log, $bts_log, $bts_raw) = @ARGV;
die "usage: log.pl SHOWN RECORDING LOG BTS-LOG BTS-RAW\n" if !defined $bts_raw;
my $last_calls = 40;
my $last_branches = 5000;
# A CPU has this many branches in its debug store before they are in the ring buffer
my $store = 65536 / 24;
my ($type, %function, %calls);
my $failed = 0;

sub wrong {
	print "log: @_\n";
	$failed = 1;
}

open(my $in, '<', $shown) or die "$shown: $!\n";
while (<$in>) {
	$type = $1 if /^type (\d+)$/;
	$function{$1} = $2 if /^function (\w+) (\S+)$/;
}
close($in);
die "$shown: no functions\n" if !defined $type || !%function;

# The calls of each CPU
$ENV{TRACEEVENT_PLUGIN_DIR} = '/none';
open($in, '-|', 'trace-cmd', 'report', '-R', '-i', $recording) or die "trace-cmd: $!\n";
while (<$in>) {
	push @{$calls{$1 + 0}}, $2 if /^ .*\[(\d+)\].* funcgraph_entry: .*\bfunc=(\S+)/;
}
close($in);

# The pages of the instance
open($in, '<:raw', $recording) or die "$recording: $!\n";
my $file = do { local $/; <$in> };
close($in);
$file =~ /\x03\x00.{4}(.{8})branches\0/s or die "$recording: no instance\n";
my $table = unpack('Q', $1) + length("flyrecord\0");

# Read the branches that a command prints
sub branches {
	my ($command) = @_;

	open(my $from, '-|', $command) or die "$command: $!\n";
	my @all = grep { !/^#/ } <$from>;
	close($from) or die "$command failed\n";
	return map { (split)[1] . ' ' . (split)[2] . "\n" } @all;
}

for my $cpu (0 .. 1) {
	my ($at, $size) = unpack('QQ', substr($file, $table + 16 * $cpu, 16));

	# The CPU was writing the last page, which may end with a part of an event
	$size -= 4096;
	my @log = branches("$bts_log -b -c $cpu $log");
	my @called = map { $function{(split)[1]} // () } @log;
	my @last = @{$calls{$cpu} // []};
	my ($expected, $after);

	@last = splice(@last, -$last_calls) if @last > $last_calls;
	# The CPU may have been stopped between a branch and the event
	pop @called if @called && @last && $called[-1] ne $last[-1];
	@called = splice(@called, -@last) if @last && @called > @last;
	wrong("CPU $cpu: " . @last . " calls: @last, not @called")
		if @last < 10 || "@last" ne "@called";

	open(my $out, '>:raw', 'pages') or die "pages: $!\n";
	print $out substr($file, $at, $size);
	close($out) or die "pages: $!\n";
	my @branches = branches("$bts_raw $type $cpu pages");
	@branches = @branches[-$last_branches .. -1] if @branches > $last_branches;
	$expected = join('', branches("$bts_log -b -r -c $cpu $log"));
	$after = rindex($expected, join('', @branches));
	wrong("CPU $cpu: the branches are not in the log") if $after < 0 || @branches < 100;
	$after = () = substr($expected, $after + length(join('', @branches))) =~ /\n/g if $after >= 0;
	wrong("CPU $cpu: $after branches follow in the log") if $after > $store;
	print "CPU $cpu: ", scalar(@last), ' calls and ', scalar(@branches), " branches as in the log\n";
}
exit $failed;
