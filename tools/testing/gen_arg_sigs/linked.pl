#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Compare the functions that gen_arg_sigs finds in linked files with the functions of
# readelf
#
# Arguments: GEN_ARG_SIGS LIST DIR
#
# Reads every vmlinux and module with debug info in DIR. readelf has its own reader of
# DWARF. Each function that has code in the DWARF, and is not from the assembler, needs a
# line of gen_arg_sigs at its address. Functions without a line are written to LIST, as
# lines 'FILE FUNCTION REASON':
#
#   lost       a function with code: a defect
#   unread     the file could not be read: a defect
#   merged     gcc has merged it with an equal function: the DWARF has no code
#              for it, and it cannot be traced
#   assembler  a symbol that no C function of the file has
#   other      gen_arg_sigs' reason why the site has no signature. Without a symbol,
#              '?', the site is in a weak function that the linker has replaced.
#              ftrace does not treat it as a function, so this is not a defect
#
# Prints 'FILE FUNCTIONS' for each file, then the sums. Exit status: 1 if there was a
# defect.

use strict;
use warnings;
no warnings 'portable';
use File::Find;

die "Usage: $0 GEN_ARG_SIGS LIST DIR\n" if @ARGV != 3;
my ($gen, $list_name, $dir) = @ARGV;

# The counts of this script, and of gen_arg_sigs: sites, sigs, reasons
my %count = map { $_ => 0 } qw(files functions lost unread merged assembler
			       replaced ms);
my %found = map { $_ => 0 } qw(sites sigs params removed constants
				  unknown-returns);
my ($peak, $peak_file) = (0, '');
my $list;

# Counts of parameters that point to char, by the next parameter; names of sizes
my %text = map { $_ => 0 } qw(buffer filled const other);
my %sizes;

# Counts of parameters that do not point to text, by their target; and the number of these
# parameters that point to a type with a digest
my %objects;
my ($pointers, $digests) = (0, 0);

# A type in a signature; see Documentation/trace/arg-sigs-format.rst
my $type = qr/(?<type>[PKV](?&type)|[SUN][^;]*;|F(?&type)+_|A\d*_(?&type)|E[a-z].{8}|
	       R.{8}\d+;|X[^;]*;\d+;|[TDGOMB][^;]*;(?&type)|[a-z])/x;
my $as = qr/(?:[KV]|T[^;]*;)*/;

sub note {
	my ($file, $name, $reason) = @_;

	print $list "$file $name $reason\n";
	$count{$reason}++ if exists $count{$reason};
}

sub run {
	open(my $in, '-|', @_) or die "cannot run $_[0]: $!\n";
	return $in;
}

# Read the functions of readelf: the number of functions that begin at an address, or at
# an offset of any section; the names of functions without code; the number of functions
# in several pieces
sub read_dwarf {
	my ($file) = @_;
	my (%entries, %names, $c, $name, $declared);
	my ($tag, $ranges) = ('', 0);
	my $in = run('readelf', '--debug-dump=info', '--dwarf-depth=2', $file);

	while (<$in>) {
		if (/^ <.*\(DW_TAG_(\w+)\)$/) {
			$names{$name} = 1 if defined $name && !$declared;
			($tag, $name, $declared) = ($1);
			$c = 1 if $tag eq 'compile_unit';
		} elsif ($tag eq 'compile_unit') {
			$c = 0 if /DW_AT_language .*assembler/;
		} elsif (!$c || $tag ne 'subprogram') {
			next;
		} elsif (/DW_AT_low_pc +: 0x([0-9a-f]+)$/) {
			$entries{hex($1)}++;
		} elsif (/DW_AT_ranges /) {
			$ranges++;
		} elsif (/DW_AT_declaration /) {
			$declared = 1;
		} elsif (/DW_AT_name .* (\S+)$/) {
			$name = $1;
		}
	}
	$names{$name} = 1 if defined $name && !$declared;
	close($in) or note($file, '?', 'unread');
	return (\%entries, \%names, $ranges);
}

# Read the symbols of functions: [section, address, name]
sub read_symbols {
	my ($file) = @_;
	my $in = run('readelf', '-sW', $file);
	my @symbols;

	while (<$in>) {
		my @word = split;

		next if @word < 8 || $word[3] ne 'FUNC' || $word[6] !~ /^\d+$/;
		# A symbol in front of a function is not a function
		push @symbols, [$word[6], hex($word[1]), $word[7]]
			if $word[7] !~ /^__(?:pfx|cfi)_/;
	}
	close($in) or note($file, '?', 'unread');
	return @symbols;
}

# Count the parameters of a signature that are pointers
sub count_pointers {
	my ($sig) = @_;
	my @params;

	$sig =~ /^(?:\d|\([^)]*\)((?:\*..)*)(?:\$.)?(?:#.)?)[?&2]?$type/g or die "cannot read $sig\n";
	my @digests = grep { !/^[a-dA-D]$/ } ($1 // '') =~ /\*.(.)/g;

	$digests += @digests;
	while ($sig =~ /\G(?:(@?)$type([^;=]*)(?:=[^;]*)?;|[z|])/gc) {
		push @params, [$+{type} // '', $3 // ''] if !$1;
	}
	die "cannot read all of $sig\n" if (pos($sig) // length($sig)) < length($sig);
	for my $i (0 .. $#params) {
		my $next = $params[$i + 1];
		my $size = $next && $next->[0] =~ /^${as}Dsize_t;/;

		if ($params[$i][0] =~ /^${as}P$as(?!c$)([SU]([^;]*)|.)/) {
			$pointers++;
			$objects{$2}++ if defined $2;
		}
		next if $params[$i][0] !~ /^${as}P($as)c$/;
		if ($1 =~ /K/) {
			$text{$size ? 'buffer' : 'const'}++;
			$sizes{$next->[1]}++ if $size;
		} else {
			$text{$size ? 'filled' : 'other'}++;
		}
	}
}

# Read the functions in gen_arg_sigs' lines: the number of functions that begin at an
# address, or at an offset, for modules also by section
sub read_dump {
	my ($file) = @_;
	my $in = run($gen, '--dump', '--addresses', '--stats', $file);
	my (%entries, %places);

	while (<$in>) {
		if (/^(?:(\d+):)?0x([0-9a-f]+)\t(?:\S+\+0x([0-9a-f]+))?[^\t]*\t(.*)/) {
			my $entry = hex($2) - hex($3 // 0);

			count_pointers($4) if $4 ne '?';

			$entries{$entry}++;
			$places{($1 // '') . ":$entry"} = 1;
			# A site without a symbol may follow an ENDBR
			$entries{$entry - 4}++ if !defined $3;
		} elsif (/^#ARGSIGS_COST ms=(\d+) kb=(\d+)/) {
			$count{ms} += $1;
			($peak, $peak_file) = ($2, $file) if $2 > $peak;
		} elsif (/^#ARGSIGS_NONE (\S+) (\S+)/) {
			note($file, $1, $2);
			$count{replaced}++ if $1 eq '?';
		} elsif (/^#ARGSIGS /) {
			$found{$1} += $2 while /(\S+)=(\d+)/g;
		}
	}
	close($in) or note($file, '?', 'unread');
	return (\%entries, \%places);
}

sub check {
	my ($file) = @_;
	my ($entries, $places) = read_dump($file);
	my ($wanted, $names, $functions) = read_dwarf($file);
	my %seen;

	for my $entry (keys %$wanted) {
		$functions += $wanted->{$entry};
		note($file, sprintf('0x%x', $entry), 'lost')
			for ($entries->{$entry} // 0) + 1 .. $wanted->{$entry};
	}

	for my $symbol (read_symbols($file)) {
		my ($section, $address, $name) = @$symbol;

		next if exists $places->{":$address"} ||
			exists $places->{"$section:$address"} ||
			$seen{"$section:$address"}++;
		note($file, $name, exists $names->{$name =~ s/\..*//r} ?
				   'merged' : 'assembler');
	}

	print "$file $functions\n";
	$count{files}++;
	$count{functions} += $functions;
}

sub percent {
	my ($part, $all) = @_;

	return sprintf('%.3f %%', $all ? 100 * $part / $all : 0);
}

sub line {
	my ($value, $text) = @_;

	printf "%9s  %s\n", $value, $text;
}

my @files;
find({ no_chdir => 1, wanted => sub {
	push @files, $_ if -f && !-l && m,/vmlinux[^/]*$|\.ko(?:\.debug)?$,;
} }, $dir);
open($list, '>', $list_name) or die "$list_name: $!\n";
$| = 1;
check($_) for sort @files;
close($list) or die "$list_name: $!\n";

print "\n";
line($count{files}, 'files, of them not read: ' . $count{unread});
line($count{functions}, 'functions with code by readelf, of them lost: ' . $count{lost});
line($found{sites}, 'functions and other sites by gen_arg_sigs');
line($found{sigs}, '    with a signature, ' . percent($found{sigs}, $found{sites}));
line($found{$_}, "    $_") for sort grep {
	!/^(?:sites|sigs|params|removed|constants|unknown-.*)$/
} keys %found;
line($count{replaced}, '        in code without a symbol');
line($found{'unknown-returns'}, '    that are not known to return what they are declared to');
line($count{merged}, 'symbols without a line, of functions equal to others');
line($count{assembler}, 'symbols without a line, of the assembler');

my @unknown = sort grep { /^unknown-(?!returns)/ } keys %found;
my $unknown = 0;
$unknown += $found{$_} for @unknown;
line($found{params}, 'parameters');
line($found{removed}, '    removed by the compiler');
line($found{constants}, '    constants');
line($unknown, '    unknown, ' . percent($unknown, $found{params}));
line($found{$_}, '        ' . s/^unknown-//r) for @unknown;
line($text{buffer}, 'const char * followed by a size_t');
my @sizes = sort { $sizes{$b} <=> $sizes{$a} || $a cmp $b } keys %sizes;
line($sizes{$_}, "    which is called $_") for splice(@sizes, 0, 3);
line($text{filled}, 'char * followed by a size_t');
line($text{const}, 'const char * followed by something else');
line($text{other}, 'char * followed by something else');
line($pointers, 'pointers to anything but text');
line($digests, '    to a type with a digest, ' . percent($digests, $pointers));
my @objects = sort { $objects{$b} <=> $objects{$a} || $a cmp $b } keys %objects;
line($objects{$_}, "    to $_") for splice(@objects, 0, $ENV{LAB_OBJECTS} // 10);
line(sprintf('%.1f', $count{ms} / 1000), 'seconds that gen_arg_sigs took for all of them');
line(int($peak / 1024), 'MB that it had at most, for ' . $peak_file =~ s,.*/,,r);

exit(1) if $count{lost} || $count{unread} || !$count{functions};
exit($found{sites} - $found{sigs} > $count{replaced});
