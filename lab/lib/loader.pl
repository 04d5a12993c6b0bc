#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Makes programs run by a loader and with libraries of their own
#
# Usage: loader.pl LOADER FILE...
#
# Each program among the files gets LOADER in place of the system's loader, and looks for
# libraries in .lib beside itself, a link that the caller makes. The other files are
# libraries. The libraries that they need are found by the program's path: a library's
# own path is made a DT_RPATH, which does not hide the program's path. A file that is no
# ELF file for x86-64 is not changed.
#
# Nothing moves in the file. The kernel reads the loader's name from the file, so the name
# is put behind the file's end. The place of the old name in memory is free, and near
# enough to the other strings for DT_RPATH, which takes the place of DT_DEBUG. (patchelf
# 0.18, which Debian 13 has, breaks programs that are not position-independent.)

use strict;
use warnings;

use constant { PT_LOAD => 1, PT_DYNAMIC => 2, PT_INTERP => 3,
	       DT_NULL => 0, DT_STRTAB => 5, DT_RPATH => 15, DT_DEBUG => 21, DT_RUNPATH => 29 };

my $path = "\$ORIGIN/.lib\0";
my ($loader, @files) = @ARGV;
die "Usage: $0 LOADER FILE...\n" if !defined $loader;

sub change {
	my ($name) = @_;
	my (%segment, $file, $header);

	open($file, '+<:raw', $name) or die "$name: $!\n";
	return if (read($file, $header, 64) // 0) != 64 || $header !~ /^\x7fELF\x02\x01/ ||
		  unpack('x18 v', $header) != 62;
	my ($at, $each, $nr) = unpack('x32 Q< x14 v2', $header);
	for my $i (0 .. $nr - 1) {
		my ($type, undef, @fields) = unpack('V2 Q<4', bytes($file, $name, $at + $i * $each, $each));
		push(@{$segment{$type}}, { at => $at + $i * $each, offset => $fields[0],
					   address => $fields[1], size => $fields[3] });
	}

	my ($dynamic, $interp) = map { $segment{$_} ? $segment{$_}[0] : undef } PT_DYNAMIC, PT_INTERP;
	return if !$dynamic;
	my %tag;
	for my $i (0 .. $dynamic->{size} / 16 - 1) {
		my $where = $dynamic->{offset} + 16 * $i;
		my ($tag, $value) = unpack('Q<2', bytes($file, $name, $where, 16));

		last if $tag == DT_NULL;
		$tag{$tag} = { at => $where, value => $value };
	}

	# A library
	if (!$interp || $name =~ /\.so[^\/]*$/) {
		put($file, $name, $tag{+DT_RUNPATH}{at}, pack('Q<', DT_RPATH)) if $tag{+DT_RUNPATH};
		return;
	}
	my $entry = $tag{+DT_RUNPATH} // $tag{+DT_RPATH} // $tag{+DT_DEBUG};
	die "$name: no place for the path of libraries\n"
		if !$entry || $interp->{size} < length($path);
	my ($load) = grep { $interp->{address} >= $_->{address} &&
			    $interp->{address} < $_->{address} + $_->{size} } @{$segment{+PT_LOAD}};
	die "$name: the loader's name is not in memory\n" if !$load;

	my $end = -s $file;
	put($file, $name, $end, "$loader\0");
	put($file, $name, $interp->{at} + 8, pack('Q<', $end));
	put($file, $name, $interp->{at} + 32, pack('Q<', length($loader) + 1));
	put($file, $name, $load->{offset} + $interp->{address} - $load->{address}, $path);
	{
		# An offset below the strings wraps around
		use integer;
		put($file, $name, $entry->{at},
		    pack('Q<q<', DT_RPATH, $interp->{address} - $tag{+DT_STRTAB}{value}));
	}
	close($file) or die "$name: $!\n";
}

sub bytes {
	my ($file, $name, $at, $size) = @_;
	my $bytes;

	seek($file, $at, 0) && (read($file, $bytes, $size) // 0) == $size or die "$name: cannot be read\n";
	return $bytes;
}

sub put {
	my ($file, $name, $at, $bytes) = @_;

	seek($file, $at, 0) && print($file $bytes) or die "$name: $!\n";
}

change($_) for @files;
