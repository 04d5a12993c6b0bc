#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Write functions with random signatures, and callers that print the passed values
#
# Usage: generate.pl SEED COUNT abi|clones DIR [--float]
#
# Writes types.h, traced.c and other.c to DIR. With "abi" the functions in traced.c keep
# their interface. They have all kinds of parameters, and other calling conventions. With
# "clones" their callers are in traced.c as well, and most functions are static. The
# following features make a compiler change their interface: constants, unused parameters
# and results, partly used structs, parameters that are assigned to, and addresses that are
# taken. other.c has the rest: code that chooses and prints the values, and copies of the
# functions that print their return values. Without --float no value needs a vector
# register.

use strict;
use warnings;

my ($seed, $count, $family, $dir, @options) = @ARGV;
die "Usage: $0 SEED COUNT abi|clones DIR [--float]\n"
	if !defined $dir || $family !~ /^(abi|clones)$/;
my $float = grep { $_ eq '--float' } @options;
srand($seed);

my %addresses = ('void *' => ['object', '(void *)(object + 8)', '(void *)mix'],
		 'const char *' => ['object', '"text"', '"other text" + 6']);
# Calling conventions that pass arguments as usual, and other calling conventions
my @conventions = ('sysv_abi', 'preserve_most', 'ms_abi', 'preserve_none', 'regcall');
my %usual = (sysv_abi => 1, preserve_most => 1);
my @widths = (2, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 37, 48, 63, 64, 65, 100, 127, 128,
	      129, 192, 256);
my @ints = ('char', 'signed char', 'unsigned char', 'short', 'unsigned short',
	    'int', 'unsigned int', 'long', 'unsigned long', 'long long',
	    'unsigned long long', '_Bool', 'void *', 'const char *',
	    'struct other *', 'enum number', 'enum bits', 'size_t', 'small_t');
my @floats = ('float', 'double', 'long double');
my @fields = ('unsigned int', 'int', 'unsigned long', 'long', '_Bool',
	      'enum bits', 'unsigned char', 'unsigned short');
my %width = ('unsigned int' => 32, int => 32, 'unsigned long' => 64, long => 64,
	     _Bool => 1, 'enum bits' => 32, 'unsigned char' => 8,
	     'unsigned short' => 16);
my @records;
my $types = '';

sub pick { return $_[int(rand(@_))] }
sub chance { return rand() < $_[0] }

sub scalar_type {
	return { c => pick(@floats), leaf => 'float' } if $float && chance(0.12);
	return { c => chance(0.5) ? '__int128' : 'unsigned __int128', leaf => 'wide' }
		if chance(0.05);
	return bit_int() if chance(0.04);
	return { c => 'aligned_long', leaf => 'int' } if chance(0.01);
	return { c => pick(@ints), leaf => 'int' };
}

sub bit_int {
	return { c => (chance(0.5) ? 'unsigned ' : '') . 'BITINT_' . pick(@widths), leaf => 'bitint' };
}

# Members as text, and their leaves as [path, C type, kind]
sub members {
	my ($depth, $union, $name) = @_;
	my ($text, @leaves) = ('');
	my $n = 1 + int(rand($depth ? 3 : 5));
	my $chosen = int(rand($n));

	for my $i (0 .. $n - 1) {
		my $member = $name . "m$i";
		my @mine;

		# A member without a name is not part of the value
		if (chance(0.06)) {
			my $c = pick(@fields);
			$text .= "$c :" . int(rand($width{$c} + 1)) . '; ';
		}
		if (chance(0.2)) {
			my $c = pick(@fields);
			my $bits = 1 + int(rand($width{$c}));
			$text .= "$c $member:$bits; ";
			@mine = ([$member, $c, 'field']);
		} elsif ($depth < 2 && chance(0.15)) {
			# Put records into records, with and without a name
			my $inner = chance(0.3);
			my $anonymous = chance(0.5);
			my ($t, $l) = members($depth + 1, $inner,
					      $anonymous ? "${member}_" : '');
			$text .= ($inner ? 'union' : 'struct') . " { $t} " .
				 ($anonymous ? '' : $member) . '; ';
			@mine = map { [$anonymous ? $_->[0] : "$member.$_->[0]",
				       $_->[1], $_->[2]] } @$l;
		} elsif (chance(0.15)) {
			my $size = 1 + int(rand(3));
			my $type = scalar_type();
			# The distance of an array's elements has to be their size
			$type->{c} = 'long' if $type->{c} eq 'aligned_long';
			$text .= "$type->{c} $member\[$size]; ";
			@mine = map { ["$member\[$_]", $type->{c}, $type->{leaf}] }
				    0 .. $size - 1;
		} elsif (@records && $depth < 2 && chance(0.1)) {
			my $record = pick(@records);
			$text .= "$record->{c} $member; ";
			@mine = map { ["$member.$_->[0]", $_->[1], $_->[2]] }
				    @{$record->{leaves}};
		} else {
			my $type = scalar_type();
			my $align = chance(0.04) ? ' __attribute__((aligned(16)))' : '';
			$text .= "$type->{c} $member$align; ";
			@mine = ([$member, $type->{c}, $type->{leaf}]);
		}
		push(@leaves, @mine) if !$union || $i == $chosen;
	}
	return ($text, \@leaves);
}

sub new_record {
	my $nr = @records;
	my $union = chance(0.15);
	my ($text, $leaves) = chance(0.03) ? ('', []) : members(0, $union, '');
	my $kind = $union ? 'union' : 'struct';
	my $attr = '';

	$text .= 'int tail[]; ' if !$union && @$leaves && chance(0.04);
	$attr = ' __attribute__((packed))' if chance(0.07);
	$attr = ' __attribute__((aligned(' . pick(16, 16, 32) . ')))' if chance(0.06);
	$types .= "$kind r$nr { $text}$attr;\n";
	$types .= "typedef $kind r$nr r${nr}_t;\n";
	push(@records, { c => chance(0.7) ? "$kind r$nr" : "r${nr}_t", leaf => 'record',
			 leaves => $leaves, nr => $nr });
}

sub declare {
	my ($type, $name) = @_;
	return $type->{c} =~ /\*$/ ? "$type->{c}$name" : "$type->{c} $name";
}

# Statements that give a variable a random value, and mark its bits
sub set {
	my ($type, $v, $mask_only) = @_;
	my @text = ("memset(&${v}_mask, 0, sizeof($v));");
	my @leaves = ['', $type->{c}, $type->{leaf}];

	if ($type->{leaf} eq 'record') {
		push(@text, "memset(&$v, 0, sizeof($v));") if !$mask_only;
		@leaves = map { [".$_->[0]", $_->[1], $_->[2]] } @{$type->{leaves}};
	}
	for my $leaf (@leaves) {
		my ($path, $c, $kind) = @$leaf;
		my $size = $c eq 'long double' ? 10 : "sizeof($v$path)";
		my $value = $kind eq 'float' ? '(long)random_long()' :
			    $kind eq 'wide' ? "($c)random_long() << 64 | random_long()" :
			    $c =~ /^((?:unsigned )?)BITINT_(\d+)/ && $2 > 64 ?
			    "(($c)random_long() << 33 ^ random_long()) << 31 ^ random_long()" :
			    $c eq '_Bool' ? 'random_long() & 1' : "($c)random_long()";

		push(@text, "$v$path = $value;") if !$mask_only;
		push(@text, $c eq '_Bool' ? "${v}_mask$path = 1;" :
			    $kind eq 'field' ? "${v}_mask$path = -1l;" :
			    $c =~ /BITINT_(\d+)/ ? "mask_bits(&${v}_mask$path, BITS_$1);" :
			    "memset(&${v}_mask$path, 255, $size);");
	}
	return join('', map { "\t$_\n" } @text);
}

sub expect {
	my ($type, $what, $v) = @_;
	my $text = "\texpect_value(\"$what\", &$v, &${v}_mask, sizeof($v));\n";

	if ($type->{leaf} eq 'record') {
		for (@{$type->{leaves}}) {
			next if $_->[2] eq 'float';
			$text .= "\texpect_member(\"$_->[0]\", (unsigned long)$v.$_->[0]);\n";
		}
	}
	return $text;
}

# A statement that uses a value for the result
sub mix {
	my ($type, $v) = @_;
	my @leaves = $type->{leaf} eq 'record' ? map { ".$_->[0]" } @{$type->{leaves}} : ('');

	@leaves = grep { chance(0.7) } @leaves;
	return join('', map { "\th = mix(h, (unsigned long)$v$_);\n" } @leaves);
}

sub make_return {
	my ($type) = @_;

	return '' if $type->{c} eq 'void';
	my $text = '';
	if ($type->{leaf} eq 'record') {
		$text = "\t" . declare($type, 'ret') . ";\n\tmemset(&ret, 0, sizeof(ret));\n";
		$text .= "\tret.$_->[0] = ($_->[1])h; h = h * 7 + 3;\n" for @{$type->{leaves}};
		return "$text\treturn ret;\n";
	}
	return "\treturn ($type->{c})h;\n";
}

sub any_type { return @records && chance(0.3) ? pick(@records) : scalar_type() }

# Parameters where longs fill all but one or two registers, and a value follows that may
# need two registers
sub tight {
	my @params = map { { c => pick('long', 'int', 'void *'), leaf => 'int' } } 1 .. pick(3, 4, 5, 5, 5);

	push(@params, pick({ c => '__int128', leaf => 'wide' }, bit_int(), pick(@records)));
	push(@params, chance(0.5) ? pick(@records) : { c => 'unsigned __int128', leaf => 'wide' });
	push(@params, any_type()) if chance(0.7);
	return @params;
}

# The calling convention of a function is a macro, because some compilers lack it
sub convention {
	my ($chance, @types) = @_;
	my $convention = chance($chance) ? pick(@conventions) : '';

	# clang 14 to 19 crash on an empty struct with regcall
	return '' if $convention eq 'regcall' &&
		     grep { $_->{leaf} eq 'record' && !@{$_->{leaves}} } @types;
	return $convention;
}

my (@traced, @other, @calls);

sub variables {
	my ($type, $v) = @_;
	return "\tstatic " . declare($type, $v) . ', ' .
	       ($type->{c} =~ /\*$/ ? '*' : '') . "${v}_mask;\n";
}

sub say_call {
	my ($nr, $convention) = @_;
	my $where = $convention eq '' || $usual{$convention} ? '""' : "ELSEWHERE_$convention";
	return "\texpect_call(\"f$nr\" $where);\n";
}

sub abi_function {
	my ($nr) = @_;
	my @params = chance(0.05) ? tight() : map { any_type() } 1 .. int(rand(13));
	my $ret = chance(0.1) ? { c => 'void', leaf => 'void' } : any_type();
	my $list = join(', ', map { declare($params[$_], "p$_") } 0 .. $#params) || 'void';
	my $convention = convention(0.08, $ret, @params);
	my $head = ($convention ? "CC_$convention " : '') . declare($ret, "f$nr") . "($list)";

	push(@traced, "$head\n{\n\tunsigned long h = $nr;\n",
	     (map { mix($params[$_], "p$_") } 0 .. $#params), make_return($ret), "}\n");

	$types .= "$head;\n";
	my $args = join(', ', map { "a$_" } 0 .. $#params);
	push(@other, "void call$nr(void)\n{\n",
	     (map { variables($params[$_], "a$_") } 0 .. $#params),
	     $ret->{c} eq 'void' ? () : (variables($ret, 'r'), set($ret, 'r', 1)),
	     (map { set($params[$_], "a$_") } 0 .. $#params),
	     say_call($nr, $convention),
	     (map { expect($params[$_], 'arg', "a$_") } 0 .. $#params),
	     $ret->{c} eq 'void' ? "\tf$nr($args);\n" :
	     "\tr = f$nr($args);\n" . expect($ret, 'ret', 'r'), "}\n");
	push(@calls, "call$nr");
}

# The body of a function of the second family
sub clone_body {
	my ($nr, $params, $ret) = @_;
	my $body = "\tunsigned long h = $nr;\n\tint i;\n";
	my @numbers = grep { $params->[$_]{leaf} eq 'int' && $params->[$_]{c} !~ /\*$/ }
			   0 .. $#$params;

	# Assign to the parameter first, always or under a condition
	for my $i (0 .. $#$params) {
		my $param = $params->[$i];

		next if $param->{leaf} =~ /float|record/ || $param->{to} || !chance(0.08);
		my $if = @numbers && chance(0.4) ? 'if (p' . pick(@numbers) . ' > 3)' . "\n\t\t" : '';
		$body .= "\t${if}p$i = ($param->{c})" . pick(0, 7, 'h') . ";\n";
	}
	# An early return makes the compiler split the function
	if (@numbers && chance(0.3)) {
		my $v = 'p' . pick(@numbers);
		$body .= $ret->{c} eq 'void' ? "\tif ($v == 3)\n\t\treturn;\n" :
			 $ret->{leaf} ne 'record' ? "\tif ($v == 3)\n\t\treturn ($ret->{c})5;\n" : '';
	}
	# Assign to the parameter at the start, or between other statements
	for (@numbers) {
		if (chance(0.1)) {
			my $other = 'p' . pick(@numbers);
			$body .= "\th = mix(h, p$_);\n" if chance(0.5);
			$body .= chance(0.5) ? "\tp$_ = 7;\n" : "\tp$_ = $other;\n";
		}
	}
	for my $i (0 .. $#$params) {
		my $param = $params->[$i];
		my $to = $param->{to};

		next if $param->{unused};
		if ($to) {
			my @leaves = grep { $_->[2] ne 'float' } @{$to->{leaves}};
			next if !@leaves;
			my $n = chance(0.7) ? 1 : 2;
			for (1 .. $n) {
				my $leaf = pick(@leaves);
				$body .= "\th = mix(h, (unsigned long)p$i->$leaf->[0]);\n";
			}
		} elsif ($param->{leaf} eq 'record') {
			my @leaves = @{$param->{leaves}};
			next if !@leaves;
			my $leaf = pick(@leaves);
			$body .= "\th = mix(h, (unsigned long)p$i.$leaf->[0]);\n";
		} else {
			$body .= "\th = mix(h, (unsigned long)p$i);\n";
		}
	}
	if (@numbers && chance(0.5)) {
		my $v = 'p' . pick(@numbers);
		$body .= "\tfor (i = 0; i < ((int)$v & 3); i++)\n\t\th = mix(h, i + (long)$v);\n";
	}
	$body .= "\tif (h == 77) {\n" . "\t\th = mix(h, h);\n" x 12 . "\t}\n" if chance(0.3);
	return $body . make_return($ret);
}

sub clone_param {
	my $roll = rand();

	if ($roll < 0.3) {
		my $to = pick(@records);
		return { c => "struct r$to->{nr} *", leaf => 'int', to => $to }
			if $to->{c} !~ /union/ && $types =~ /^struct r$to->{nr} /m;
	}
	my $type = { %{any_type()} };
	$type->{unused} = chance(0.2);
	if ($type->{leaf} eq 'int' && chance(0.3)) {
		$type->{constant} = pick(@{$addresses{$type->{c}}}) if $addresses{$type->{c}};
		$type->{constant} = int(rand(200)) - 50 if $type->{c} !~ /\*$|enum|Bool/;
	}
	return $type;
}

sub clone_function {
	my ($nr) = @_;
	my @params = chance(0.05) ? tight() : map { clone_param() } 1 .. 1 + int(rand(9));
	my $ret = chance(0.2) ? { c => 'void', leaf => 'void' } :
		  chance(0.7) ? { c => pick('int', 'long', 'unsigned char', '_Bool', 'short'),
				  leaf => 'int' } : any_type();
	# The function is called by name, by its address, or by both. With both, a compiler
	# may leave an unused parameter unset in only one kind of call, and the DWARF does
	# not show it. So only a few functions are called by both.
	my $how = chance(0.04) ? 'both' : chance(0.3) ? 'address' : 'name';
	my $convention = convention(0.04, $ret, @params);
	my $list = join(', ', map { declare($params[$_], "p$_") } 0 .. $#params);

	# A callback may have parameters that it does not need
	if ($how ne 'name') {
		for (@params) {
			$_ = { %$_, unused => 1 } if chance(0.2);
		}
	}
	my $body = clone_body($nr, \@params, $ret);
	my $inline = $how eq 'name' && chance(0.3) ? '' : '__attribute__((noinline)) ';
	my $static = chance(0.97) ? 'static ' : '';
	my $head = $inline . ($convention ? "CC_$convention " : '') . declare($ret, "f$nr") . "($list)";

	push(@other, declare($ret, "ref$nr") . "($list)\n{\n$body}\n");
	$types .= declare($ret, "ref$nr") . "($list);\n";
	push(@traced, "$static$head\n{\n$body}\n");

	my $used = chance(0.7);
	for my $call (1 .. 2 + int(rand(2))) {
		my $c = "${nr}_$call";
		my ($sets, $expects) = ('', say_call($nr, $convention));
		my (@args, @constants);

		for my $i (0 .. $#params) {
			my $param = $params[$i];
			my $v = "a${c}_$i";

			if (!$param->{to} && defined $param->{constant} && ($call == 1 || chance(0.9))) {
				$expects .= "\t{\n\t\t" . declare($param, 't') . " = ($param->{c})constants[" .
					    @constants . "];\n\t\t" .
					    declare($param, 'm') . " = ($param->{c})-1l;\n" .
					    "\t\texpect_value(\"arg\", &t, &m, sizeof(t));\n\t}\n";
				push(@constants, "(unsigned long)($param->{constant})");
				push(@args, $param->{constant});
				next;
			}
			push(@args, $v);
			$types .= 'extern ' . declare($param, $v) . ";\n";
			push(@other, declare($param, $v) . ', ' . ($param->{c} =~ /\*$/ ? '*' : '') . "${v}_mask;\n");
			if ($param->{to}) {
				push(@other, 'static ' . declare($param->{to}, "o${c}_$i") . ", o${c}_${i}_mask;\n");
				$sets .= set($param->{to}, "o${c}_$i") .
					 "\t$v = &o${c}_$i;\n\t${v}_mask = (void *)-1l;\n";
				$expects .= "\texpect_value(\"arg\", &$v, &${v}_mask, 8);\n";
				$expects .= "\texpect_member(\"->$_->[0]\", (unsigned long)o${c}_$i.$_->[0]);\n"
					for grep { $_->[2] ne 'float' } @{$param->{to}{leaves}};
			} else {
				$sets .= set($param, $v);
				$expects .= expect($param, 'arg', $v);
			}
		}
		my $args = join(', ', @args);
		my $function = $how eq 'name' || ($how eq 'both' && $call == 1) ? "f$nr" :
			       "((__typeof__(&f$nr))pass(f$nr))";
		my $text = "void call$c(void)\n{\n";

		$types .= "void before$c(const unsigned long *constants);\nvoid after$c(const unsigned long *constants);\n";
		$text .= "\tunsigned long constants[] = { " . join(', ', @constants, 0) . " };\n\n";
		$text .= "\tbefore$c(constants);\n";
		if ($ret->{c} ne 'void' && $used) {
			$text .= "\t{\n\t\t" . declare($ret, 'r') . " = $function($args);\n\n\t\tuse(&r);\n\t}\n";
		} else {
			$text .= "\t$function($args);\n";
		}
		push(@traced, "$text\tafter$c(constants);\n}\n");
		push(@other, "void before$c(const unsigned long *constants)\n{\n$sets$expects}\n",
		     "void after$c(const unsigned long *constants)\n{\n");
		if ($ret->{c} ne 'void') {
			my $nr_of = 0;
			my @same = map { /^a${c}_/ ? $_ : 'constants[' . $nr_of++ . ']' } @args;
			@same = map { $same[$_] =~ /^c/ ? "($params[$_]{c})$same[$_]" : $same[$_] } 0 .. $#same;
			push(@other, variables($ret, 'r'), set($ret, 'r', 1),
			     "\tr = ref$nr(" . join(', ', @same) . ");\n", expect($ret, 'ret', 'r'));
		}
		push(@other, "}\n");
		$types .= "void call$c(void);\n";
		push(@calls, "call$c");
	}
}

sub put {
	my ($name, @text) = @_;
	open(my $file, '>', "$dir/$name") or die "$dir/$name: $!\n";
	print $file @text;
	close($file) or die "$dir/$name: $!\n";
}

$types = <<'EOF';
#include <string.h>
#include "record.h"
typedef unsigned char small_t;
typedef long aligned_long __attribute__((aligned(16)));
struct other;
enum number { NUMBER_A = -1, NUMBER_B, NUMBER_C = 5 };
enum bits { BITS_A = 1, BITS_B = 2, BITS_C = 0x80000000u };
extern char object[16];
unsigned long mix(unsigned long h, unsigned long value);
void *pass(void *p);
void use(void *p);
EOF
# If a compiler lacks an attribute or a type, the attribute is empty, and another type is
# used. clang 14 restores RAX in preserve_most functions, so the callers do not get the
# return value.
for (@conventions) {
	my $broken = $_ eq 'preserve_most' ? ' && __clang_major__ != 14' : '';

	$types .= "#if __has_attribute($_)$broken\n#define CC_$_ __attribute__(($_))\n" .
		  "#define ELSEWHERE_$_ \" elsewhere\"\n#else\n#define CC_$_\n#define ELSEWHERE_$_\n#endif\n";
}
for (@widths) {
	my $none = $_ > 64 ? '__int128' : 'long';
	my $bits = $_ > 64 ? 128 : 64;
	$types .= "#if defined(__BITINT_MAXWIDTH__) && __BITINT_MAXWIDTH__ >= $_\n" .
		  "#define BITINT_$_ _BitInt($_)\n#define BITS_$_ $_\n" .
		  "#else\n#define BITINT_$_ $none\n#define BITS_$_ $bits\n#endif\n";
}

new_record() for 1 .. 2 + $count / 2;
for my $nr (0 .. $count - 1) {
	$family eq 'abi' ? abi_function($nr) : clone_function($nr);
}

put('types.h', $types);
put('traced.c', "#include \"types.h\"\n", @traced);
put('other.c', "#include \"types.h\"\n", <<'EOF', @other, "void run(void)\n{\n", (map { "\t$_();\n" } @calls), "}\n");
char object[16];

unsigned long mix(unsigned long h, unsigned long value)
{
	return (h ^ value) * 0x9e3779b97f4a7c15ul + (h >> 32);
}

void *pass(void *p)
{
	return p;
}

void use(void *p)
{
	__asm__ volatile("" : : "r" (p) : "memory");
}
EOF
