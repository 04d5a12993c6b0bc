#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# sofar.pl FILE OPTION...
#
# Prints what FILE, the Makefile or the Kconfig of a folder of kernel/trace, has in a mail of
# the series. The working folder is the tree of this mail. A Makefile has the objects whose
# sources are there, and a Kconfig has the options that are named.
use strict;
use warnings;

my ($file, @options) = @ARGV;
my ($dir, $name) = $file =~ m{(kernel/trace/\w+)/(Makefile|Kconfig)$}
	or die "$file: not the Makefile or the Kconfig of a folder of kernel/trace\n";
open my $in, '<', $file or die "$file: $!\n";
my @lines = <$in>;

# The text without the options that are not named. An option has the comment above it.
sub kconfig
{
	my %named = map { $_ => 1 } @options;
	my ($text, $comment, $there) = ('', '', 1);

	foreach (@lines) {
		if (/^#/) {
			$comment .= $_;
			next;
		}
		$there = $named{$1} if /^config (\w+)$/;
		$text .= "$comment$_" if $there;
		$comment = '';
	}
	$text =~ s/\n+\z/\n/;
	return $text;
}

# The text without the objects that cannot be built, and without the lines that name no other.
# An object has its source, or the line "NAME-y", which stands below the line of the object.
sub makefile
{
	my ($text, %there) = ('');

	foreach (reverse @lines) {
		if (/^(?:CFLAGS_)?(\S+)\.o = /) {
			next if !-e "$dir/$1.c";
		} elsif (/^(\w+)-(\S+ [:+]?=) (.*\.o)$/) {
			my @objects = grep { /(.*)\.o$/ && (-e "$dir/$1.c" || $there{$1}) } split ' ', $3;

			next if !@objects;
			$there{$1} = 1;
			$_ = "$1-$2 @objects\n";
		}
		$text = $_ . $text;
	}
	return $text;
}

print $name eq 'Kconfig' ? kconfig() : makefile();
