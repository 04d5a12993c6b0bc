#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Record the signatures of an object's traceable functions
#
# Arguments: GEN_ARG_SIGS [--strip OBJCOPY] OBJECT
#
# Kbuild runs this on each object that is compiled with the flags of ftrace, and
# appends the output to the object's .cmd file: one line "#ARGSIGS ..." that says
# what GEN_ARG_SIGS found, and one for each function without a signature.
#
# Signatures are an addition: where they cannot be had the object stays as the
# compiler made it, the reason is printed, and the build goes on. With --strip
# the object was compiled with -g only to be read here, so it is stripped even
# if it could not be read; only if that fails does the build, for the image would
# grow unnoticed.

use strict;
use warnings;

my $gen = shift @ARGV;
my @strip;
@strip = splice(@ARGV, 0, 2) if @ARGV == 3 && $ARGV[0] eq '--strip';

die "Usage: $0 GEN_ARG_SIGS [--strip OBJCOPY] OBJECT\n"
	if !defined $gen || @ARGV != 1;

my $object = $ARGV[0];
my $out = '';
my $reason = 'cannot-run';

if (open(my $pipe, '-|', $gen, $object)) {
	local $/;
	$out = <$pipe> // '';
	close($pipe);
	$reason = $? & 127 ? 'signal-' . ($? & 127) : 'exit-' . ($? >> 8);
}
$out = "#ARGSIGS sites=? sigs=0 error=$reason\n" if $out !~ /^#ARGSIGS .*\n\z/s;
$| = 1;
print $out or die "$object: cannot write: $!\n";

# OBJCOPY may be a command with arguments
exit(0) if !@strip;
exec(split(' ', $strip[1]), '--strip-debug', $object)
	or die "$object: cannot run $strip[1]: $!\n";
