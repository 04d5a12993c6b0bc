# SPDX-License-Identifier: GPL-2.0
#
# What the checks of branches read: the symbols of a recording, and the code of the image

package Branches;

use strict;
use warnings;
no warnings 'portable';		# addresses have 64 bits
use parent 'Exporter';

our @EXPORT = qw(read_symbols first_address addresses_of read_code);

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

1;
