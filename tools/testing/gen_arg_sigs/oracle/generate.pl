#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Write functions with random signatures, and callers that say what they pass
#
# Usage: generate.pl SEED COUNT abi|clones DIR [--float]
#
# In DIR: types.h, callee.c, caller.c. With "abi" the functions are in callee.c
# and keep their interface: every kind of parameter there is. With "clones" they
# are static, in caller.c, with what invites a compiler to change the interface:
# constants, parameters and results that nobody uses, structs of which a part is
# used, and parameters that are assigned to; callee.c has copies of them that tell
# what they return. Without --float there is nothing that needs a vector register.

use strict;
use warnings;

my ($seed, $count, $family, $dir, @options) = @ARGV;
die "Usage: $0 SEED COUNT abi|clones DIR [--float]\n"
	if !defined $dir || $family !~ /^(abi|clones)$/;
my $float = grep { $_ eq '--float' } @options;
srand($seed);

my %addresses = ('void *' => ['object', '(void *)(object + 8)', '(void *)mix'],
		 'const char *' => ['object', '"text"', '"other text" + 6']);
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
	return { c => pick(@ints), leaf => 'int' };
}

# Members as text, and the leaves below them as [path, C type, kind]
sub members {
	my ($depth, $union, $name) = @_;
	my ($text, @leaves) = ('');
	my $n = 1 + int(rand($depth ? 3 : 5));
	my $chosen = int(rand($n));

	for my $i (0 .. $n - 1) {
		my $member = $name . "m$i";
		my @mine;

		if (chance(0.2)) {
			my $c = pick(@fields);
			my $bits = 1 + int(rand($width{$c}));
			$text .= "$c $member:$bits; ";
			@mine = ([$member, $c, 'field']);
			$text .= 'int :' . int(rand(20)) . '; ' if chance(0.1);
		} elsif ($depth < 2 && chance(0.15)) {
			# Records in records, with and without a name
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
	$attr = ' __attribute__((aligned(' . pick(16, 32) . ')))' if chance(0.05);
	$types .= "$kind r$nr { $text}$attr;\n";
	$types .= "typedef $kind r$nr r${nr}_t;\n";
	push(@records, { c => chance(0.7) ? "$kind r$nr" : "r${nr}_t", leaf => 'record',
			 leaves => $leaves, nr => $nr });
}

sub declare {
	my ($type, $name) = @_;
	return $type->{c} =~ /\*$/ ? "$type->{c}$name" : "$type->{c} $name";
}

# Statements that give a variable a random value, and mark the bits it has
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
			    $c eq '_Bool' ? 'random_long() & 1' : "($c)random_long()";

		push(@text, "$v$path = $value;") if !$mask_only;
		push(@text, $c eq '_Bool' ? "${v}_mask$path = 1;" :
			    $kind eq 'field' ? "${v}_mask$path = -1l;" :
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

# Take a value into account
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

my (@callee, @caller, @calls);

sub variables {
	my ($type, $v) = @_;
	return "\tstatic " . declare($type, $v) . ', ' .
	       ($type->{c} =~ /\*$/ ? '*' : '') . "${v}_mask;\n";
}

sub abi_function {
	my ($nr) = @_;
	my @params = map { any_type() } 1 .. int(rand(13));
	my $ret = chance(0.1) ? { c => 'void', leaf => 'void' } : any_type();
	my $list = join(', ', map { declare($params[$_], "p$_") } 0 .. $#params) || 'void';
	my $head = declare($ret, "f$nr") . "($list)";

	push(@callee, "$head\n{\n\tunsigned long h = $nr;\n",
	     (map { mix($params[$_], "p$_") } 0 .. $#params), make_return($ret), "}\n");

	$types .= "$head;\n";
	my $args = join(', ', map { "a$_" } 0 .. $#params);
	push(@caller, "void call$nr(void)\n{\n",
	     (map { variables($params[$_], "a$_") } 0 .. $#params),
	     $ret->{c} eq 'void' ? () : (variables($ret, 'r'), set($ret, 'r', 1)),
	     (map { set($params[$_], "a$_") } 0 .. $#params),
	     "\texpect_call(\"f$nr\");\n",
	     (map { expect($params[$_], 'arg', "a$_") } 0 .. $#params),
	     $ret->{c} eq 'void' ? "\tf$nr($args);\n" :
	     "\tr = f$nr($args);\n" . expect($ret, 'ret', 'r'), "}\n");
	push(@calls, "call$nr");
}

# What is done to a parameter of the second family
sub clone_body {
	my ($nr, $params, $ret) = @_;
	my $body = "\tunsigned long h = $nr;\n\tint i;\n";
	my @numbers = grep { $params->[$_]{leaf} eq 'int' && $params->[$_]{c} !~ /\*$/ }
			   0 .. $#$params;

	# A cheap way out invites to split the function
	if (@numbers && chance(0.3)) {
		my $v = 'p' . pick(@numbers);
		$body .= $ret->{c} eq 'void' ? "\tif ($v == 3)\n\t\treturn;\n" :
			 $ret->{leaf} ne 'record' ? "\tif ($v == 3)\n\t\treturn ($ret->{c})5;\n" : '';
	}
	# Assigned to at the begin, or between
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
	my @params = map { clone_param() } 1 .. 1 + int(rand(9));
	my $ret = chance(0.2) ? { c => 'void', leaf => 'void' } :
		  chance(0.7) ? { c => pick('int', 'long', 'unsigned char', '_Bool', 'short'),
				  leaf => 'int' } : any_type();
	my $list = join(', ', map { declare($params[$_], "p$_") } 0 .. $#params);
	my $body = clone_body($nr, \@params, $ret);
	my $inline = chance(0.7) ? '__attribute__((noinline)) ' : '';

	push(@callee, declare($ret, "ref$nr") . "($list)\n{\n$body}\n");
	$types .= declare($ret, "ref$nr") . "($list);\n";
	push(@caller, "static $inline" . declare($ret, "f$nr") . "($list)\n{\n$body}\n");

	my $used = chance(0.7);
	for my $call (1 .. 2 + int(rand(2))) {
		my $args = '';
		my $text = "void call${nr}_$call(void)\n{\n";
		my $sets = '';
		my $expects = "\texpect_call(\"f$nr\");\n";

		for my $i (0 .. $#params) {
			my $param = $params[$i];
			my $v = "a$i";

			if ($param->{to}) {
				$text .= "\tstatic " . declare($param->{to}, "o$i") . ", o${i}_mask;\n";
				$sets .= set($param->{to}, "o$i");
				$text .= "\t" . declare($param, $v) . ", *${v}_mask;\n";
				$sets .= "\t$v = pass(&o$i); ${v}_mask = (void *)-1l;\n";
				$expects .= "\t{\n\t\t" . declare($param, 't') . " = $v;\n" .
					    "\t\texpect_value(\"arg\", &t, &${v}_mask, 8);\n\t}\n";
				$expects .= "\texpect_member(\"->$_->[0]\", (unsigned long)o$i.$_->[0]);\n"
					for grep { $_->[2] ne 'float' } @{$param->{to}{leaves}};
				$args .= ", $v";
			} elsif (defined $param->{constant} && ($call == 1 || chance(0.9))) {
				$expects .= "\t{\n\t\t" . declare($param, 't') . " = $param->{constant};\n\t\t" .
					    declare($param, 'm') . " = ($param->{c})-1l;\n" .
					    "\t\texpect_value(\"arg\", &t, &m, sizeof(t));\n\t}\n";
				$args .= ", $param->{constant}";
			} else {
				$text .= variables($param, $v);
				$sets .= set($param, $v);
				$expects .= expect($param, 'arg', $v);
				$args .= ", $v";
			}
		}
		$args =~ s/^, //;
		$text .= variables($ret, 'r') . set($ret, 'r', 1) if $ret->{c} ne 'void';
		$text .= $sets . $expects;
		if ($ret->{c} eq 'void') {
			$text .= "\tf$nr($args);\n";
		} else {
			$text .= $used ? "\tr = f$nr($args);\n\tuse(&r);\n" : "\tf$nr($args);\n";
			$text .= "\tr = ref$nr($args);\n" . expect($ret, 'ret', 'r');
		}
		push(@caller, "$text}\n");
		push(@calls, "call${nr}_$call");
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
struct other;
enum number { NUMBER_A = -1, NUMBER_B, NUMBER_C = 5 };
static char object[16] __attribute__((unused));
enum bits { BITS_A = 1, BITS_B = 2, BITS_C = 0x80000000u };
unsigned long mix(unsigned long h, unsigned long value);
void *pass(void *p);
void use(void *p);
EOF

new_record() for 1 .. 2 + $count / 2;
for my $nr (0 .. $count - 1) {
	$family eq 'abi' ? abi_function($nr) : clone_function($nr);
}

put('types.h', $types);
put('callee.c', "#include \"types.h\"\n", <<'EOF', @callee);
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
put('caller.c', "#include \"types.h\"\n", @caller, "void run(void)\n{\n",
    (map { "\t$_();\n" } @calls), "}\n");
