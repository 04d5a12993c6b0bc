#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# monitor.pl SOCKET COMMAND...: run commands in QEMU's monitor, one after the other

use strict;
use warnings;
use IO::Socket::UNIX;

my ($path, @commands) = @ARGV;
my $socket = IO::Socket::UNIX->new(Peer => $path) or die "$path: $!\n";

# Read up to the next prompt, or to the end
sub prompt {
	my $got = '';

	while ($got !~ /\(qemu\) $/) {
		sysread($socket, $got, 65536, length($got)) or return;
	}
}

prompt();
for my $command (@commands) {
	syswrite($socket, "$command\n") or die "$path: $!\n";
	prompt();
}
