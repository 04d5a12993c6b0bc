#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# branches-user.pl KNOWN PLAIN MAPS ROOT LOG...
#
# Compares the symbols and kinds of user space in the text of trace-calls branches --every 1, or of
# --calls --all, with nm, objdump and addr2line.  KNOWN is the text, and PLAIN is the text without the
# files of user space.  MAPS is the program's own copy of /proc/self/maps, whose files are in the folder
# ROOT.  LOG is the output of "bts-log -b -r" for one CPU.  The script checks:
#
# - The addresses in PLAIN are branches of the log, in the same order.
# - Before the kernel started the program, both texts are equal. (A CPU that the task had left may
#   be drained later. So on other CPUs, branches may be equal in both texts.)
# - After that, a kind in the code of a file is that of objdump's instruction, which leads to
#   the branch's target.
# - A symbol is one that nm has at this address, and which contains the address in the text.
#   An address without a symbol is in no symbol with a size.
# - What belongs to the kernel is equal in both texts.
# - The line of source at a branch's origin is that of addr2line, if the file has debug info. There are
#   at least 20.
# - With --instructions, a number in the code of a file is the number of objdump's instructions from
#   the target of the CPU's last branch on. Other numbers are not known. The sum is right.
# - The profiles in the files KNOWN.NAME.autofdo and KNOWN.NAME.profgen, if there are such, have the
#   ranges between these branches, and the branches, of the file NAME. The file KNOWN.said has the number
#   of branches from other code of user space to user space.
#
# Prints the counts.

use strict;
use warnings;
no warnings "portable";

use FindBin;
use lib $FindBin::Bin;
use Branches;

my ($known, $plain, $maps, $root, @logs) = @ARGV;
my ($errors, $nr) = (0, 0);
my (%count, %files);

sub wrong
{
	print "line $nr: @_\n" if $errors++ < 20;
}

# Lines of a program's output
sub lines
{
	open(my $in, '-|', @_) or die "$_[0]: $!\n";
	my @lines = <$in>;
	close($in);
	return @lines;
}

# Read a file's segments, symbols and branches, with the addresses in the file
sub read_file
{
	my ($path) = @_;
	my $file = { path => $path, segments => [], symbols => {}, sized => [], insns => {}, numbers => {},
		     sources => {}, ranges => {}, taken => {} };

	for (lines('readelf', '-hlW', "$root$path")) {
		$file->{entry} = hex($1) if /Entry point address: +0x([0-9a-f]+)/;
		# The kernel starts the interpreter instead
		$file->{entry} = -1 if /^ +INTERP /;
		push @{$file->{segments}}, [map { hex } $1, $2, $3]
			if /^ +LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+) /;
	}
	# A file without symbols may have a file of debug information
	my ($id, $rest) = join('', lines('readelf', '-n', "$root$path")) =~ /Build ID: (..)([0-9a-f]+)/;
	my $debug = defined $id ? "/usr/lib/debug/.build-id/$id/$rest.debug" : '';
	for (map { lines("nm -S $_ 2>/dev/null") } "'$root$path'", "-D '$root$path'", "'$debug'") {
		my ($addr, $size, $type, $name) = /^([0-9a-f]+) (?:([0-9a-f]+) )?(\S) ([^@\s]+)/ or next;
		next unless $type =~ /[tTwWi]/;
		($addr, $size) = (hex($addr), hex($size // '0'));
		$file->{symbols}{$name}{$addr} = $size;
		push @{$file->{sized}}, [$addr, $addr + $size, $name] if $size;
	}
	my $last;
	for (lines('objdump', '-d', '--no-show-raw-insn', "$root$path")) {
		my ($addr, $insn) = /^ *([0-9a-f]+):\t(.*)/ or next;
		$file->{numbers}{hex($addr)} = keys %{$file->{numbers}};
		$insn =~ s/^((bnd|notrack|cs|ds|es|ss|repz|rex\S*|data16|addr32) )+//;
		my $kind = $insn =~ /^call/ ? 'call' : $insn =~ /^l?ret/ ? 'return' :
			   $insn =~ /^l?jmp/ ? 'jump' : $insn =~ /^(j|loop)/ ? 'conditional' :
			   $insn =~ /^syscall/ ? 'syscall' : next;
		my ($target) = $kind ne 'syscall' ? $insn =~ /^\S+ +([0-9a-f]+)\b(?! *\()/ : ();
		undef $target if $kind eq 'return' || $insn =~ /\*/;
		$file->{insns}{hex($addr)} = [$kind, defined($target) ? hex($target) : undef];
	}
	$file->{lines} = grep { /\.debug_line/ } lines('readelf', '-SW', "$root$path");
	return $file;
}

# The mapped code: first and last address, the file, and how the file's addresses were moved
my @code;
open(my $in, '<', $maps) or die "$maps: $!\n";
while (<$in>) {
	my ($first, $end, $perms, $offset, $path) =
		m{^([0-9a-f]+)-([0-9a-f]+) (\S+) ([0-9a-f]+) \S+ \d+ +(/.*)$} or next;
	next unless $perms =~ /x/;
	my $file = $files{$path} //= read_file($path);
	$offset = hex($offset);
	my ($segment) = grep { $offset < $_->[0] + $_->[2] && $offset + 4096 > $_->[0] } @{$file->{segments}};
	push @code, [hex($first), hex($end), $file, hex($first) - $segment->[1] + $segment->[0] - $offset];
}
close($in);
die "$maps: no code\n" unless @code;

sub code { my ($addr) = @_; return (grep { $addr >= $_->[0] && $addr < $_->[1] } @code)[0] }

# The user address in PLAIN's text of a place, undef for the kernel
sub address { return $_[0] =~ /^0x([0-7][0-9a-f]*)$/ && length($1) < 16 ? hex($1) : undef }

# Check the text of an address in the code of a file
sub check_symbol
{
	my ($text, $addr) = @_;
	my $code = code($addr);
	if (!$code) {
		$count{'without a file'}++;
		return wrong("$text has no file") if $text !~ /^0x/;
		return;
	}
	my $inside = $addr - $code->[3];
	if ($text =~ /^0x([0-9a-f]+)$/) {
		wrong("$text is not the address") if hex($1) != $addr;
		my ($has) = grep { $inside >= $_->[0] && $inside < $_->[1] } @{$code->[2]{sized}};
		wrong("$text is in $has->[2]") if $has;
		$count{'without a symbol'}++;
		return;
	}
	# Debug information may have the version of a symbol
	my ($name, $offset) = $text =~ /^([^+@]+)(?:@[^+]*)?\+0x([0-9a-f]+)$/ or return wrong("no symbol: $text");
	my $size = $code->[2]{symbols}{$name}{$inside - hex($offset)};
	return wrong(sprintf("no symbol $name at %#x", $inside - hex($offset))) unless defined $size;
	wrong("$text is behind the symbol") if $size && hex($offset) >= $size;
	$count{symbols}++;
}

# The branches of the logs that follow, by CPU
my @log;
for my $cpu (0 .. $#logs) {
	open($log[$cpu], '<', $logs[$cpu]) or die "$logs[$cpu]: $!\n";
}
sub in_log
{
	my ($cpu, $from, $to) = @_;
	my $handle = $log[$cpu] or return 1;
	while (<$handle>) {
		my ($f, $t) = /^\d+ ([0-9a-f]+) ([0-9a-f]+)/ or next;
		return 1 if hex($f) == $from && hex($t) == $to;
	}
	return 0;
}

# The sum of the numbers of instructions, and how many numbers are missing
my $sum;

# Read a text. The lines of --calls --all become lines of --every 1.
sub read_text
{
	my ($name) = @_;
	my ($cpu, @lines);

	open(my $in, '<', $name) or die "$name: $!\n";
	while (<$in>) {
		if (/^\[(\d+) INSTRUCTIONS(?:, WITHOUT THOSE BEFORE (\d+) OF \d+ BRANCHES)?\]$/) {
			$sum = [$1, $2 // 0];
			next;
		}
		$cpu = $1 if /^ *(\d+)\) /;
		s{^ {18}\| +(\S+ -> \S+ /\*) (?:user )?}{[$cpu] $1 };
		# Only branches with an address of user space may have another kind
		s{/\* no call}{/* jump?};
		push @lines, $_;
	}
	return @lines;
}

my @known = read_text($known);
my @plain = read_text($plain);
wrong(@known . " lines, not " . @plain) if @known != @plain;

# The last start of a file by the kernel
my ($start, $start_cpu);
for my $i (0 .. $#plain) {
	my ($to) = $plain[$i] =~ m{ (?!0x[0-7])\S+ -> (0x[0-7][0-9a-f]*) /\*} or next;
	my $addr = address($to) // next;
	my $code = code($addr) or next;
	($start, $start_cpu) = ($i, $plain[$i] =~ /\[(\d+)\] /) if $addr - $code->[3] == $code->[2]{entry};
}
die "the kernel does not start the program\n" unless defined $start;

# Where the last branch of each CPU has led: the code and the address
my (%last, @total);
my $others = grep { m{ (0x\S+) -> (0x\S+) } && defined address($1) && defined address($2) } @plain;

for my $i (0 .. $#plain) {
	$nr = $i + 1;
	my ($text, $was) = ($known[$i] // '', $plain[$i]);
	my ($cpu, $from, $to, $old) = $was =~ m{\[(\d+)\] (?:.* )?(\S+) -> (\S+) /\* (\S+)} or do {
		wrong("not equal: $text") if $text ne $was;
		# A note is about its own CPU
		delete $last{$1} if $was !~ /\[SWITCH / && $was =~ /\[(\d+)\] /;
		next;
	};
	my ($from_addr, $to_addr) = (address($from), address($to));
	my ($last, $number) = (delete $last{$cpu}, $text =~ s{( /\* [a-z]+\??)\[(\d+|\?)\]}{$1} ? $2 : undef);
	$total[$number eq '?'] += $number eq '?' ? 1 : $number if defined $number;
	my $want = '?';
	wrong("not in the log: $from -> $to")
		if defined $from_addr && defined $to_addr && !in_log($cpu, $from_addr, $to_addr);
	if ($i < $start || (!defined $from_addr && !defined $to_addr)) {
		$text =~ s/^(.*: ) *(.*)/$1$2/;
		$was =~ s/^(.*: ) *(.*)/$1$2/;
		wrong("not equal: $text") if $text ne $was;
		wrong("a number of unknown instructions: $number") if ($number // '?') ne '?';
		next;
	}
	if ($cpu ne $start_cpu && $text eq $was) {
		$count{'of another CPU'}++;
		wrong("a number of unknown instructions: $number") if ($number // '?') ne '?';
		next;
	}
	my ($new_from, $new_to, $kind) = $text =~ m{ (\S+) -> (\S+) /\* (\S+)} or do { wrong("not a branch: $text"); next };
	if (defined $from_addr) {
		check_symbol($new_from, $from_addr);
	} else {
		wrong("$new_from, not $from") if $new_from ne $from;
	}
	if (defined $to_addr) {
		check_symbol($new_to, $to_addr);
	} else {
		wrong("$new_to, not $to") if $new_to ne $to;
	}
	my $code = defined $from_addr ? code($from_addr) : undef;
	my $target = defined $to_addr ? code($to_addr) : undef;
	$last{$cpu} = [$target, $to_addr - $target->[3]] if $target;
	if ($code) {
		my ($file, $inside) = ($code->[2], $from_addr - $code->[3]);
		# Interrupts and exceptions come before the instruction at their origin
		my $event = !defined $to_addr && ($file->{insns}{$inside}[0] // '') ne 'syscall';
		my ($source) = $text =~ m{ /\* \S+ (.*) \*/$};

		$file->{sources}{$inside} = $source;
		$others-- if defined $to_addr;
		if ($last && $last->[0] == $code && $last->[1] <= $inside) {
			$want = $file->{numbers}{$inside} - $file->{numbers}{$last->[1]} + ($event ? 0 : 1);
			my $end = $inside - ($event ? 1 : 0);
			$file->{ranges}{"$last->[1] $end"}++ if $end >= $last->[1];
		}
		$file->{taken}{"$inside " . ($to_addr - $code->[3])}++ if $target && $target->[2] == $file;
	}
	wrong("$number instructions, not $want: $text") if defined $number && $number ne $want;
	if (!$code || !defined $to_addr) {
		wrong("$kind, not $old") if $kind ne $old && $old !~ /\?/;
		$count{$kind =~ /\?$/ ? 'of user space with ?' : 'of one side'}++;
		next;
	}
	my $insn = $code->[2]{insns}{$from_addr - $code->[3]};
	if (!$insn) {
		wrong("no branch: $text");
	} elsif (defined $insn->[1] && $insn->[1] + $code->[3] != $to_addr) {
		wrong("not the target: $text");
	} else {
		wrong("$kind, not $insn->[0]: $text") if $kind ne $insn->[0];
		$count{$kind}++;
	}
}
print join(', ', map { "$count{$_} $_" } sort keys %count), "\n";
if ($sum) {
	print 'instructions: ', $total[0] // 0, "\n";
	wrong("a sum of @$sum, not of @total") if "@$sum" ne join(' ', map { $_ // 0 } @total[0, 1]);
	wrong('too few instructions') if ($total[0] // 0) < 10000;
}
if (open($in, '<', "$known.said")) {
	my $said = join('', <$in>) =~ s/^trace-calls: \S+: //r;
	my $want = $others ? "branches of unknown code of user space: $others: they are not counted\n" : '';
	wrong("$said, not $want") if $said ne $want;
}
my $sources = 0;
for my $file (values %files) {
	if ($file->{lines}) {
		$errors += compare_lines("$root$file->{path}", '', $file->{sources});
		$sources += grep { defined } values %{$file->{sources}};
	}
	my ($name) = $file->{path} =~ m{([^/]+)$};
	next unless -e "$known.$name.autofdo";
	print "$name:\n";
	$errors += compare_profile("$known.$name.profgen", 0, $file->{ranges}, $file->{taken}, sub { $_[0] });
	$errors += compare_profile("$known.$name.autofdo", 1, $file->{ranges}, $file->{taken}, sub {
		my ($addr) = @_;
		my ($segment) = grep { $addr >= $_->[1] && $addr < $_->[1] + $_->[2] } @{$file->{segments}};
		return $addr - $segment->[1] + $segment->[0];
	});
}
wrong("only $sources lines of source") if $sources < 20;
exit($errors > 0 || ($count{call} // 0) < 20);
