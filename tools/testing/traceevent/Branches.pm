# SPDX-License-Identifier: GPL-2.0
#
# What the checks of branches share: the symbols of a recording, the code of the image, the parts
# of a tree of calls, and the comparison of lines of source and of profiles

package Branches;

use strict;
use warnings;
no warnings 'portable';		# addresses have 64 bits
use parent 'Exporter';

our @EXPORT = qw(read_symbols first_address addresses_of read_code symbol_of read_tree compare_lines
		 compare_profile);

# Read kallsyms. Returns the addresses by name
sub read_symbols {
	my ($name) = @_;
	my %symbols;

	open(my $in, '<', $name) or die "$name: $!\n";
	while (<$in>) {
		push(@{$symbols{$2}}, hex($1)) if /^([0-9a-f]{16}) \S (\S+)/;
	}
	return \%symbols;
}

# The first address of the image in kallsyms or in nm's output
sub first_address {
	my ($name) = @_;

	open(my $in, '<', $name) or die "$name: $!\n";
	while (<$in>) {
		return hex($1) if /^([0-9a-f]{16}) \S _text$/;
	}
	die "$name: no _text\n";
}

# The addresses that a text may mean: 0xADDRESS, NAME+0xOFFSET or NAME
sub addresses_of {
	my ($symbols, $text) = @_;

	return hex($1) if $text =~ /^0x([0-9a-f]+)$/;
	my ($name, $offset) = $text =~ /^([^+]*)(?:\+0x([0-9a-f]+))?$/ or return;
	return map { $_ + hex($offset // 0) } @{$symbols->{$name} // []};
}

# Read objdump's disassembly. Returns the branches by address: the kind, the target if it is
# known, and the address after the branch. After an instruction that objdump does not know,
# the rest of a function is not reliable: also returns these ranges.
sub read_code {
	my ($name) = @_;
	my (%insns, @unsure, $bad, $last);

	open(my $in, '<', $name) or die "$name: $!\n";
	while (<$in>) {
		if ($bad && /^([0-9a-f]{16}) <.*>:$/) {
			push(@unsure, [$bad, hex($1)]);
			undef $bad;
		}
		my ($addr, $insn) = /^([0-9a-f]{16}):\t(.*)/ or next;
		$addr = hex($addr);
		$bad //= $addr if $insn =~ /\(bad\)/;
		$last->[2] = $addr if $last;
		undef $last;
		$insn =~ s/^((bnd|notrack|cs|ds|es|ss|repz|rex\S*|data16|addr32) )+//;
		my $kind = $insn =~ /^call/ ? 'call' : $insn =~ /^l?ret/ ? 'return' :
			   $insn =~ /^iret/ ? 'iret' : $insn =~ /^sysret/ ? 'sysret' :
			   $insn =~ /^l?jmp/ ? 'jump' : $insn =~ /^(j|loop)/ ? 'conditional' : next;
		my ($target) = $insn =~ /^\S+ +([0-9a-f]+)\b(?! *\()/;
		undef $target if $kind eq 'return' || $insn =~ /\*/;
		$last = $insns{$addr} = [$kind, defined($target) ? hex($target) : undef, undef];
	}
	return (\%insns, \@unsure);
}

# The function in a text of an address, undef if there is none
sub symbol_of {
	my ($text) = @_;

	return $text =~ /^(?!0x)([^+]+)/ ? $1 : undef;
}

# The text of an address with its function
sub full {
	my ($text, $func) = @_;

	return $text =~ /^\+/ ? ($func // '?') . $text : $text;
}

my $any_kind = qr/(?:mispredicted )?\w+\??/;

# Pass the parts of a tree of calls to a function, in their order, each with the known begins of the
# calls around it. The call that ends is around its end. A part is the begin of a call, its end, a
# jump, or a note:
#
#   what		'{', '}', '', or the text of the note
#   cpu, task, time	the idle tasks differ by their CPUs
#   depth, line		the number of calls around the part, and of the line
#   kind, from, to	the branch, which an end may lack. Both places have their functions
#   source		the line of source, undef if there is none
#   begin, ends		of an end: the begin of the call, undef if it is not known, and whether
#			a call was open
#
# Loops and calls of one line are several parts.  An offset without a name belongs to the function
# that runs, or if $opened to the function whose line opened the call.
sub read_tree {
	my ($file, $visit, $opened) = @_;
	# The task of each CPU, and its open calls with the function and the begin of each. %kept
	# has the calls of the tasks that do not run. A task whose next CPU comes first in the text
	# has its calls there.
	my (%tasks, %open, %kept, %runs, %switched);

	open(my $in, '<', $file) or die "$file: $!\n";
	while (my $line = <$in>) {
		my ($pid, $cpu, $time, $indent, $text) =
			$line =~ /^ *.*-(\d+) +\[(\d+)\] +(\d+\.\d+): ( *)(.*)$/ or
			die "$file: not a line: $line";
		$cpu += 0;
		my $task = $pid || "0.$cpu";
		my $depth = length($indent) / 2;
		my $open = $open{$cpu} //= [];
		my $put = sub {
			my ($what, $kind, $from, $to, $source) = @_;
			my @around = @$open[0 .. ($what eq '}' ? $depth : $depth - 1)];
			my $part = { what => $what, cpu => $cpu, task => $task, time => $time,
				     depth => $depth, line => $., kind => $kind, from => $from,
				     to => $to, source => $source };

			if ($what eq '}') {
				$part->{begin} = $around[-1] && $around[-1]{begin};
				$part->{ends} = $depth || @$open;
			}
			$visit->($part, map { $_ && $_->{begin} ? $_->{begin} : () } @around);
			$#$open = $depth - 1 if $what =~ /^[{}]/;
			$open->[$depth] = { func => symbol_of($to), begin => $part } if $what eq '{';
		};
		my $note = $text =~ /^\[/;
		# A text may lack the notes of the switches
		my ($old, $new) = ($tasks{$cpu} // $task, $task);

		($old, $new) = map { $_ || "0.$cpu" } $1, $2
			if $text =~ /^\[SWITCH .*-(\d+) => .*-(\d+)\]$/;
		$put->($text) if $note;
		if ($old ne $new) {
			if (($runs{$old} // $cpu) == $cpu) {
				$kept{$old} = $open;
				delete $runs{$old};
			}
			$open = $open{$cpu} = delete $kept{$new} // [];
			$runs{$new} = $cpu;
			$switched{$cpu} = 1;
		} elsif ($note) {
			$open{$cpu} = [];
		}
		$tasks{$cpu} = $new;
		next if $note;
		$runs{$task} //= $cpu;
		# The calls of a task may be unknown after a switch
		@$open = () if delete $switched{$cpu} && $depth != @$open - ($text =~ /^\}/ ? 1 : 0);
		my $func = $depth && $open->[$depth - 1] ? $open->[$depth - 1]{func} : undef;
		if ($text =~ m{^(\S+)\(\) \{ /\* ($any_kind) (\S+)(?: (.*))? \*/$}) {
			$put->('{', $2, full($3, $func), $1, $4);
			next;
		}
		if ($text =~ m{^\}(?: /\* ($any_kind) (\S+) -> (\S+)(?: (.*))? \*/)?$}) {
			$put->('}', $1, $2, $3, $4);
			next;
		}
		my $turns = $text =~ s/^(\d+) x (\[ )?// ? $1 : 1;
		my @found;
		my $item = qr{(\S+)(?: -> (\S+)|\(\);) /\* ($any_kind)(?: (.*?))?? \*/};
		while ($text =~ /\G(?:, )?$item/gc) {
			my ($first, $to, $kind, $comment) = ($1, $2, $3, $4);

			if (defined $to) {
				my $from = full($first, $func);

				$to = full($to, symbol_of($from));
				push @found, ['', $kind, $from, $to, $comment];
				$func = symbol_of($to) // $func unless $opened;
				next;
			}
			my ($from, $source, $ended, $end_from, $end_to) =
				$comment =~ /^([^\s,]+)(?: (.*))?, ($any_kind) (\S+) -> (\S+)$/ or
				die "$file:$.: no call: $comment\n";
			$from = full($from, $func);
			push @found, ['{', $kind, $from, $first, $source],
				['}', $ended, full($end_from, symbol_of($first)),
				 full($end_to, symbol_of($from))];
		}
		die "$file:$.: not an item: $text\n"
			unless substr($text, pos($text) // 0) =~ /^(?: \])?$/;
		for (1 .. $turns) {
			$put->(@$_) for @found;
		}
		$open->[$depth - 1]{func} = $func if $depth;
	}
	close($in);
}

# Whether gdb knows the line of an address of an image. Reading the image takes gdb seconds
my $asked = 0;
sub known_to_gdb {
	my ($image, $address, $line) = @_;

	return 0 if $asked++ >= 20;
	open(my $gdb, '-|', 'gdb', '-batch', '-ex', sprintf('info line *%#x', $address), $image) or die;
	my ($number, $path) = join('', <$gdb>) =~ /^Line (\d+) of "([^"]+)"/;
	close($gdb);
	return defined $path && "$path:$number" =~ m{(^|/)\Q$line\E$};
}

# Compare the lines of source of addresses with addr2line, which reads an image. The addresses of a
# module are in its section. An address without a line has undef. Prints the numbers, and returns how
# many are wrong. If addr2line knows another line, gdb decides: for code of a macro from an included
# file, addr2line 2.40 knows the line, but not its file.
sub compare_lines {
	my ($image, $section, $sources) = @_;
	my @addresses = sort { $a <=> $b } keys %$sources;
	my ($wrong, $inlined, $address, %known) = (0, 0);

	open(my $list, '>', 'addresses') or die "addresses: $!\n";
	printf $list "%x\n", $_ for @addresses;
	close($list);
	my @section = $section ne '' ? ('-j', $section) : ();
	open(my $lines, '-|', 'addr2line', '-a', '-f', '-i', '-e', $image, @section, '@addresses') or die;
	while (<$lines>) {
		chomp;
		if (/^0x([0-9a-f]+)$/) {
			$address = hex($1);
			next;
		}
		my $line = <$lines>;
		$line =~ s/ \(discriminator \d+\)//;
		chomp $line;
		push @{$known{$address}}, [$_, $line];
	}
	close($lines);
	for $address (@addresses) {
		my @theirs = @{$known{$address} // []};
		my @mine = split / < /, $sources->{$address} // '??:0';
		my $same = @mine == @theirs;
		for my $i (0 .. $#mine) {
			last unless $same;
			my ($line, $func) = $mine[$i] =~ /^(\S+)(?: (\S+)\(\))?$/ or $same = 0;
			my ($name, $path) = @{$theirs[$i]};
			# Without debug info, the file may be known from a symbol
			$path =~ s/.*:\?$/??:0/;
			1 while $path =~ s{/[^/]+/\.\./}{/};
			$path =~ s{/\./}{/}g;
			$same = 0 unless $same && $path =~ m{(^|/)\Q$line\E$} &&
				($i == $#mine ? !defined $func : $func eq $name);
		}
		$inlined++ if @mine > 1;
		next if $same || ($section eq '' && @mine == 1 && @theirs == 1 && known_to_gdb($image, $address, $mine[0]));
		printf "%x: %s, not %s\n", $address, join(' < ', @mine),
			join(' < ', map { "$_->[1] $_->[0]" } @theirs) if $wrong++ < 10;
	}
	print scalar(@addresses), " addresses, $inlined in inlined functions, $asked asked of gdb, $wrong wrong\n";
	return $wrong;
}

# Compare a profile with the counts of ranges and branches, by "FIRST LAST" as decimal numbers.
# $text makes the text of an address. Only the profile of create_llvm_prof has a part without lines
# in the middle. Prints the numbers, and returns how much is wrong.
sub compare_profile {
	my ($profile, $autofdo, $ranges, $taken, $text) = @_;
	my %between = ('-' => $ranges, '->' => $taken);
	my %left;

	open(my $in, '<', $profile) or die "$profile: $!\n";
	chomp(my @found = <$in>);
	$left{scalar(keys %$_)}++ for $ranges, $taken;
	$left{0}++ if $autofdo;
	for my $sign (keys %between) {
		while (my ($pair, $count) = each %{$between{$sign}}) {
			$left{join($sign, map { sprintf('%x', $text->($_)) } split(/ /, $pair)) . ":$count"}++;
		}
	}
	$left{$_}-- for @found;
	my @wrong = grep { $left{$_} } sort keys %left;
	print scalar(keys %$ranges), ' ranges, ', scalar(keys %$taken), ' branches, ', scalar(@wrong), " wrong\n";
	print "$_ ($left{$_})\n" for @wrong[0 .. ($#wrong < 9 ? $#wrong : 9)];
	# Check the order of the parts of the profile
	my $parts = join(' ', map { /->/ ? 'b' : /-/ ? 'r' : 'n' } @found);
	$parts =~ s/\b(\w)( \1)+\b/$1/g;
	print "$parts\n";
	return @wrong + ($parts ne 'n r n b');
}

1;
