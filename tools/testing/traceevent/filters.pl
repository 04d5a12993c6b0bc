#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Prints lines of set_graph_filter for the functions of arg_sample.c: the lines after __DATA__,
# and NR random lines. The values of the random lines are those of the comments in the sample.
#
# Usage: filters.pl NR SEED <arg_sample.c
use strict;
use warnings;

my ($nr, $seed) = @ARGV;
my (%values, @functions);

srand($seed);
while (<STDIN>) {
	my ($function, $args, $ret) = m{/\* (sample_\w+)\((.*?)\);? ?(?:\{ |ret=(.*) )?\*/$} or next;
	# Members of records, and text that may have ", " and ")", are left out
	next if $args =~ /["{]|ADDRESS/;
	push @functions, $function;
	for (split(/, /, $args), defined $ret ? "ret=$ret" : ()) {
		my ($name, $value) = /^(\w+)=(.+)$/ or next;
		push @{$values{$function}{$name}}, $value;
	}
}
die "no functions\n" if !@functions;

sub pick
{
	return $_[rand @_];
}

# The text of a value as a line has it, undef if a line cannot name the value
sub operand
{
	my ($value) = @_;

	return $1 if $value =~ /^ERR_PTR\((.*)\)$/;
	return pick($1, $2) if $value =~ /^(-\d+) \((.*)\)$/;
	return undef if $value =~ /[' \[]|^\{/;
	return $value;
}

# comparison FUNCTION: a random comparison of one of the function's values
sub comparison
{
	my ($function) = @_;
	my @names = sort keys %{$values{$function}};
	my $name = @names ? pick(@names) : 'ret';
	my $value = operand(pick(@{$values{pick($function, $function, pick(@functions))}{$name} // [0]}));

	return pick('error', '!error', 'PID > 0', 'COMM == "insmod"', 'duration >= 0', "!$name", $name)
		if !defined $value || rand() < 0.2;
	return "$name & $value" if rand() < 0.2;
	return pick('any == ', "$name == ", "$name != ", "$name < ", "$name <= ", "$name > ",
		    "$name >= ") . $value;
}

while (<DATA>) {
	print;
}
for (1 .. $nr) {
	my $function = pick(@functions);
	my $line = comparison($function);

	for (1 .. rand 3) {
		my $more = comparison($function);

		$line = pick("$line && $more", "$line || $more", "!($line) && $more",
			     "($line || !($more))");
	}
	# The bits of a pointer to a text differ from load to load
	next if $line =~ / & / && $function =~ /text|str|buffer|bytes|variadic|fn/;
	print $line =~ / & / ? $function : pick('sample_*', $function, substr($function, 0, 9) . '*'),
	      ": $line\n";
}
__DATA__
sample_*: error
sample_*: !error
sample_*: ret
sample_*: ret < 0
sample_*: ret == -EIO || ret == -ENOENT
sample_*: a
sample_*: !a
sample_*: a == NULL
sample_*: a == true
sample_*: a == 5
sample_*: a == -5
sample_*: a == 0xffffffffffffffff
sample_*: b > 100 && a < 1
sample_*: b > 100 || a < 1
sample_*: !(b > 100 || a < 1)
sample_*: any == 0x1234
sample_*: any == -5
sample_*: any == 5
sample_*: COMM == "insmod" && a == 1
sample_*: COMM ~ "in*" && CPU >= 0 && a == 1
sample_*: duration < 1000s && a
sample_*:mod:arg_sample: a == 1
sample_*:mod:arg_s*: a == 1
sample_*:mod:*: a == 1
sample_enum, sample_level: a
sample_fl*,sample_enum ,sample_wide:mod:arg_s*: a
sample_flags: a == F_READ|F_EXEC
sample_flags: a & F_WRITE|F_EXEC
sample_flags: b == F_SYNC|8
sample_flags: b & F_READ|8
sample_enum: b == GREEN|6
sample_enum: b == RED || a > GREEN
sample_level: a < MID
sample_wide: a == WIDE_HIGH
sample_wide: b & WIDE_LOW
sample_mode: a == 0100644 && b == 8:1 && c == GFP_KERNEL
sample_mode: b == 8:2
sample_mode: c & __GFP_IO|__GFP_ZERO
sample_mode: c != none && b == 8:1
sample_mode: c == none || c == none|GFP_KERNEL
sample_mode: a == none || c
sample_mode: c & __GFP_ZERO
sample_net: port == 4711 && addr == 0x7f000001 && id == 5
sample_net: port > 4710 && port < 4712
sample_ulong: ret == -EOPNOTSUPP
sample_ulong: error
sample_ulong: b == -EOPNOTSUPP
sample_ptr: b == -ENOENT
sample_ptr: b > 4096
sample_ptr: a == NULL && d == NULL
sample_str: a > 0x1000
sample_struct: a.x == 1 && a.y != 1
sample_outer: a.p.x == -1 && a.u == 0x1ffff
sample_outer: a.p.x > 0
sample_text: a == "text"
sample_text: a != "text"
sample_text: a ~ "t*"
sample_text: a ~ "*t"
sample_text: b ~ "*stack"
sample_text: a ~ "0123*" && b ~ "0123*"
sample_text: c == ""
sample_text: a ~ "\\e*"
sample_text: a ~ "*[e]dge*"
sample_text: !(a == "text")
sample_text: a == "text" || c == "12345678"
sample_buffer: a == "some text" || b > 5
sample_buffer: a ~ "some*"
sample_buffer: b == 5 && d < 3
sample_s8: a == -128
sample_*: a == 1 && nosuch == 1
sample_*: g == 7 || f == 6
sample_six: a == 120 && e == true
sample_nested: ret == 4
sample_errno: a == -4095
sample_errno: error
sample_pid: b == 4294967295
sample_bits: b == 17
sample_variadic: fmt == 0x42
sample_s8: a:u8 == 128
sample_s8: a:s32 == -128 || a:u8 > 200
sample_s8: a:u8 == 256 || PID > 0
sample_s8: a:u8 == "x"
sample_net: port:x16 == 0x6712
sample_net: $arg1:x16 == 0x6712 && addr:u8 == 127
sample_net: $arg1 == 4711 || PID:u8 == 300
sample_six: c:b4@4/32 || e:u8 == 1
sample_six: $arg3 == -1
sample_text: a:string == "text"
sample_str: a:string == 5
