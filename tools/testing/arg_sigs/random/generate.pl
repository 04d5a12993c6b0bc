#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# Make a module of random functions, and the expected text of their calls
#
# Arguments: [-s SEED] [-n FUNCTIONS] [-c CLONES] DIR
#
# Leaves in DIR the source of arg_random.ko and the file "expected". Loading the
# module calls each function with values that the file has as text, in the order
# of the calls. There are two families:
#
#   FUNCTIONS (1000) keep the interface that they are declared with: each
#   argument and each return value has to be shown, and has to be right.
#
#   CLONES (300) are static, called from a few places with values, some of them
#   the same everywhere, so that the compiler splits them, drops parameters and
#   passes parts instead. Values that are shown have to be right. A call of rnd_mark()
#   goes before each call, because the compiler may remove the call itself.
#
# "conditions" has lines for set_graph_filter, one or two for each function of the
# first family that has a value to compare. "met" has the paragraphs of "expected" whose
# calls meet a line of their function.
#
# "expected" has a paragraph for each call; compare.pl reads it:
#
#   call NAME               or "site NUMBER" and then this
#   undecidable 1           if a missing value is no failure: see Types.pm
#   proto PROTOTYPE
#   arg KIND<tab>NAME=TEXT  for each parameter
#   piece EXPRESSION=TEXT   a part of the parameter before it
#   ret KIND<tab>TEXT       not for void
#   changed NAME=TEXT       a number behind a parameter that the call has changed

use strict;
use warnings FATAL => 'all';
no warnings 'portable';		# this is 64 bits wide, as the kernel is

use FindBin;
use Getopt::Std;
use lib $FindBin::Bin;
use Conditions;
use Shown;
use Types;
use Values;

my $per_file = 50;
my %opts = (n => 1000, c => 300);
my $dir;
my @expected;
my @objects = ('main');
my @runs;
my @calls;
my $nr_sites = 0;

sub usage
{
	die "Usage: $0 [-s SEED] [-n FUNCTIONS] [-c CLONES] DIR\n";
}

sub write_file
{
	my ($name, @text) = @_;

	open(my $file, '>', "$dir/$name") or die "$0: $dir/$name: $!\n";
	print $file @text;
	close($file) or die "$0: $dir/$name: $!\n";
}

sub c_file
{
	my ($name, @text) = @_;

	push @objects, $name;
	write_file("$name.c", "// SPDX-License-Identifier: GPL-2.0\n", @text);
}

# Names that static functions of the kernel have as well
my @names_of_others = qw(do_exit_common path_lookupat handle_pte_fault do_anonymous_page
			 link_path_walk show_stat pick_next_task_other rnd_twin rnd_other_twin);

sub prototype_c
{
	my ($func, $name) = @_;
	my @params = map { declare(@$_) } @{$func->{params}};

	push @params, '...' if $func->{variadic};
	return declare($func->{ret} // { decl => 'void %s' },
		       "$name(" . (join(', ', @params) || 'void') . ')');
}

sub param_name
{
	# Some names tell that the parameter holds bits
	return "v$_[0]" . pick('flags', '_mask', 'bits', '_gfp_mask') if chance(0.15);
	return pick('a'..'k', 'x', 'len', 'flags', 'buf', 'state') . $_[0];
}

sub random_function
{
	my ($nr, $taken) = @_;
	my $func = { nr => $nr, name => "rnd_f$nr", params => [], ret => return_type() };
	my $nr_params = chance(0.5) ? int(rand(7)) : int(rand(13));
	my $room = 26;
	my $name;

	for my $i (0..$nr_params - 1) {
		my $text = $i && $func->{params}[-1][0]{kind} eq 'str';
		my $type = $text && chance(0.3) ? size_type() : param_type();

		# A parameter with a larger alignment may take a long more
		$room -= longs($type) + ($type->{align} > 8);
		last if $room < 0;
		push @{$func->{params}}, [$type, param_name($i)];
	}
	if (chance(0.08)) {
		$func->{static} = 1;
		$name = pick(@names_of_others);
		$func->{name} = $name if !$taken->{$name}++;
	} elsif (chance(0.05)) {
		$func->{weak} = 1;
	}
	$func->{variadic} = 1 if @{$func->{params}} && chance(0.04);
	return $func;
}

# Tell whether a parameter is a buffer: the next parameter is its size
sub is_buffer
{
	my ($func, $i) = @_;
	my $params = $func->{params};

	return $i < $#$params && $params->[$i][0]{kind} eq 'str' &&
	       $params->[$i + 1][0]{is_size};
}

# Remove the buffers of a function whose sizes may be removed, or may be above a limit
sub without_buffers
{
	my ($func) = @_;

	for my $i (0..$#{$func->{params}} - 1) {
		$func->{params}[$i + 1][0] = simple_type() while is_buffer($func, $i);
	}
	return $func;
}

# Choose matching values for buffers and their sizes
sub size_buffers
{
	my ($func, $values) = @_;

	for my $i (grep { is_buffer($func, $_) } 0..$#$values) {
		my $string = $values->[$i]{string};
		my $size = defined $string ? pick(0..length($string) + 1) : pick(1, 5, 100);

		if (!$func->{params}[$i][0]{const}) {
			$values->[$i] = value({ kind => 'ptr', size => 8 });
			next;
		}
		$values->[$i + 1] = { bits => $size };
		$values->[$i]{string} = substr("$string\0", 0, $size) if defined $string;
	}
}

# Parameters above the limits of include/linux/arg_sigs.h have to be shown as unknown.
# Each number is that of a parameter's longs, 0 is an int
my $most_longs = 32;
my $most_words = 26;
my @large = (
	[(0) x 40], [40], [40, 0], [0, 26, (0) x 5], [(0) x 6, 20, 0, 5, 0], [3, 26, 0],
	[(0) x 12, 24], [30, (0) x 3], [0, 2, 31],
);

sub large_function
{
	my ($nr) = @_;
	my $func = { nr => 1000000 + $nr, name => "rnd_large$nr", large => 1 };
	my $i = 0;

	$func->{ret} = return_type();
	$func->{params} = [map { [$_ ? record_of_longs($_) : simple_type(), param_name($i++)] }
			   @{$large[$nr]}];
	return without_buffers($func);
}

sub elements_shown
{
	my ($type, $val, @known) = @_;
	my $elem = $type->{members}[0][0]{elem};
	my $list = $val->{list}[0]{list};

	return '{.v={' . join(', ', map { $known[$_] ? shown($elem, $list->[$_]) : '?' }
			      0..$#known) . '}}';
}

# The text of each parameter, with "?" for values above the limits
sub large_shown
{
	my ($func, @values) = @_;
	# The first register has the address of a value that is returned in memory
	my ($reg, $word, $long) = ($func->{ret} && in_memory($func->{ret}) ? 1 : 0, 0, 0);
	my @texts;

	for my $i (0..$#values) {
		my ($type, $name) = @{$func->{params}[$i]};
		my $nr = longs($type);
		my $in_regs = $nr <= 2 && $reg + $nr <= 6;
		my @known;

		for (1..$nr) {
			push @known, $long++ < $most_longs && ($in_regs || $word < $most_words);
			$in_regs ? $reg++ : $word++;
		}
		push @texts, !(grep { $_ } @known) ? '?' :
			     $type->{kind} ne 'rec' ? shown($type, $values[$i], undef, $name) :
						      elements_shown($type, $values[$i], @known);
	}
	return @texts;
}

#
# Bodies: only the registers at the entry matter; the rest gives the compiler reasons to
# keep the values elsewhere
#

sub braces_c
{
	return "\n{\n" . join("", map { $_ eq "" ? "\n" : "\t$_\n" } @_) . "}\n\n";
}

# Static functions are called from another file as well
sub pointer_c
{
	my ($func) = @_;

	return prototype_c($func, "(*const $func->{pointer})");
}

sub use_param
{
	my ($type, $name) = @_;
	my $use = pick('nothing', ('use') x 3, 'store', 'change', 'escape');
	my $record = $type->{kind} =~ /^(rec|i128)$/;

	return () if $use eq 'nothing';
	return "rnd_escape(&$name);" if $use eq 'escape';
	return "USE_MEMORY($name);" if $record;
	return "rnd_sink = (u64)(unsigned long)$name;" if $use eq 'store';
	return "$name += 3;", "USE($name);"
		if $use eq 'change' && $type->{kind} eq 'int' && !$type->{qualified};
	return "USE($name);";
}

sub junk
{
	my ($type) = @_;

	return sprintf('0x%xUL', (0xdeadbeefcafef00d << 8 * $type->{size}) & 0xffffffffffffffff);
}

# A narrow value with the bits above it that callers and callees may leave
sub with_junk
{
	my ($type, $val) = @_;
	my $unsigned = { 1 => 'u8', 2 => 'u16', 4 => 'u32' }->{$type->{size}};

	return sprintf('(%s | (__force %s)%s)', junk($type), $unsigned, in_c($type, $val));
}

sub return_body
{
	my ($func, @values) = @_;
	my $ret = $func->{ret};
	my $type;

	return () if !$ret;
	if ($func->{returns} eq 'table') {
		my $table = declare($ret, 'table[' . @values . ']');

		return "static $table = { " . join(', ', map { in_c($ret, $_, 1) } @values) . ' };',
		       'static unsigned int calls;', '',
		       "return table[calls++ % ARRAY_SIZE(table)];";
	}
	$type = declare($ret, '');
	return 'unsigned long ret = ' . with_junk($ret, $values[0]) . ';', '',
	       'OPTIMIZER_HIDE_VAR(ret);', "return ($type)ret;"
		if $func->{returns} eq 'junk';
	return 'return ' . in_c($ret, $values[0]) . ';';
}

# Choose the numbers that a function changes, and their new values. The tracer looks at the
# first four numbers of a call that are not const.
sub changes
{
	my ($func) = @_;
	my @params = map { $_->[0] } @{$func->{params}};
	my @numbers = grep { $params[$_]{number} && $params[$_]{decl} !~ /^[^*]*\bconst\b/ } 0..$#params;

	return {} if @numbers > 4 || $func->{large};
	return { map { $_ => value($params[$_]{number}, 'member') } grep { chance(0.7) } @numbers };
}

sub changes_c
{
	my ($func) = @_;

	return map {
		my ($type, $name) = @{$func->{params}[$_]};

		"CHANGE($name, " . in_c($type->{number}, $func->{changes}{$_}) . ');';
	} sort { $a <=> $b } keys %{$func->{changes}};
}

# What a call changes: numbers that are there, and that get another value
sub expect_changes
{
	my ($func, $values) = @_;

	return map {
		my ($type, $name) = @{$func->{params}[$_]};
		my $target = $values->[$_]{target};
		my $text = '&' . shown($type->{number}, $func->{changes}{$_}, undef, $name);

		$target && shown($type, $values->[$_], undef, $name) ne $text ? "changed $name=$text" : ();
	} sort { $a <=> $b } keys %{$func->{changes} // {}};
}

sub function_c
{
	my ($func, @values) = @_;
	my $how = $func->{static} ? 'static noinline __noclone ' :
		  $func->{weak} ? '__weak noinline ' : 'noinline __noclone ';
	my @body = map { use_param(@$_) } @{$func->{params}};

	if (chance(0.15)) {
		# A function with a frame, and with a frame pointer if compilers keep one
		push @body, '{', 'u8 room[64];', '', 'rnd_escape(room);', '}';
	}
	push @body, changes_c($func);
	# The compiler must not merge two functions
	unshift @body, "UNIQUE($func->{nr});";
	push @body, '{', return_body($func, @values), '}';
	return $how . prototype_c($func, $func->{name}) . braces_c(@body) .
	       ($func->{static} ? pointer_c($func) . " = $func->{name};\n\n" : '');
}

#
# Calls
#

sub dirty_value
{
	my ($type) = @_;

	# A value that is no bool is shown as its number
	return { bits => pick(0, 1, 2, 7, 128, 255) } if $type->{kind} eq 'bool';
	return value($type, 'arg');
}

sub dirty_in_c
{
	my ($type, $val) = @_;

	return sprintf('(%s | 0x%xUL)', junk($type), $val->{bits}) if $type->{kind} eq 'bool';
	return with_junk($type, $val);
}

# A call through another type of the function that the ABI passes in the same way: narrow
# integers are longs, and the address of a value that is returned in memory is a parameter
sub call_cast
{
	my ($func, $target, $dirty, @values) = @_;
	my $memory = $func->{ret} && in_memory($func->{ret});
	my (@types, @args);

	if ($memory) {
		push @types, 'void *';
		push @args, 'rnd_buffer';
	}
	for my $i (0..$#values) {
		my $type = $func->{params}[$i][0];
		my $is_dirty = $dirty && narrow($type);

		push @types, $is_dirty ? 'unsigned long' : declare($type, '');
		push @args, $is_dirty ? dirty_in_c($type, $values[$i]) : in_c($type, $values[$i]);
	}
	push @types, '...' if $func->{variadic};
	return declare($memory ? { decl => 'void *%s' } : $func->{ret} // { decl => 'void %s' },
		       '(*call)(' . (join(', ', @types) || 'void') . ')') . " = (void *)$target;",
	       '', 'OPTIMIZER_HIDE_VAR(call);', 'call(' . join(', ', @args) . ');';
}

sub call_c
{
	my ($func, $which, $dirty, @values) = @_;
	my $target = $func->{static} ? $func->{pointer} : $func->{name};
	my $nocfi = '';
	my @body;

	if ($dirty || $func->{ret} && in_memory($func->{ret}) || chance(0.1)) {
		@body = call_cast($func, $target, $dirty, @values);
		# kCFI refuses a call through a type that is not the function's own
		$nocfi = '__nocfi ';
	} else {
		my @args = map { in_c($func->{params}[$_][0], $values[$_]) } 0..$#values;

		push @args, '1', '2L' if $func->{variadic} && chance(0.5);
		@body = "$target(" . join(', ', @args) . ');';
	}
	return "static noinline notrace ${nocfi}void call_$func->{nr}_$which(void)" . braces_c(@body);
}

sub expect_call
{
	my ($func, $values, $ret) = @_;
	my @lines = ("call $func->{name}", 'proto ' . prototype_c($func, $func->{name}));
	my @texts = map { shown($func->{params}[$_][0], $values->[$_], undef, $func->{params}[$_][1]) }
		    0..$#$values;

	@texts = large_shown($func, @$values) if $func->{large};
	push @lines, 'undecidable 1'
		if grep { undecidable($_) } map({ $_->[0] } @{$func->{params}}), $func->{ret} // ();
	for my $i (0..$#$values) {
		my ($type, $name) = @{$func->{params}[$i]};

		my $kind = $func->{large} ? 'of many longs' : category($type);

		push @lines, "arg $kind\t$name=$texts[$i]";
		push @lines, pieces($type, $values->[$i], $name) if $func->{clone};
	}
	if ($func->{ret}) {
		push @lines, 'ret ' . category($func->{ret}) . "\t" .
			     (in_memory($func->{ret}) && !$func->{clone} ? '@rnd_buffer@' :
			      defined $ret ? $ret : '?');
	}
	return @lines, expect_changes($func, $values);
}

sub expect
{
	push @expected, join('', map { "$_\n" } @_) . "\n";
}

# Write the source of these functions, and of their calls, to separate files
sub functions
{
	my ($file, @funcs) = @_;
	my ($source, $calls, $run, $protos) = ('', '', '', '');

	for my $func (@funcs) {
		my @rets;

		$func->{pointer} = "ptr_$func->{nr}";
		$protos .= 'extern ' . ($func->{static} ? pointer_c($func) :
				prototype_c($func, $func->{name})) . ";\n";
		if ($func->{ret}) {
			@rets = map { value($func->{ret}, 'return') } 0..1;
			$func->{returns} = pick('table', 'const', 'const');
			$func->{returns} = 'junk'
				if narrow($func->{ret}) && $func->{ret}{kind} ne 'bool' && chance(0.6);
			$rets[1] = $rets[0] if $func->{returns} ne 'table';
		}
		$func->{changes} = changes($func);
		$source .= function_c($func, @rets);
		for my $which (0..1) {
			my $dirty = chance(0.3) && !$func->{variadic};
			my @values = map {
				my $type = $_->[0];

				$dirty && narrow($type) ? dirty_value($type) : value($type, 'arg')
			} @{$func->{params}};

			size_buffers($func, \@values);
			$calls .= call_c($func, $which, $dirty, @values);
			$run .= "\tcall_$func->{nr}_$which();\n";
			expect(expect_call($func, \@values,
					   $func->{ret} && shown_return($func->{ret}, $rets[$which])));
			push @{$calls[$func->{nr}]}, { func => $func, values => \@values,
						       ret => $rets[$which],
						       expected => $expected[-1] }
				if !$func->{large};
		}
	}
	write_file("$file.h", "/* SPDX-License-Identifier: GPL-2.0 */\n",
		   "#include \"arg_random.h\"\n\n", definitions(), "\n\n$protos");
	c_file($file, "#include \"$file.h\"\n\n$source");
	push @runs, "run_$file";
	c_file("call_$file", "#include \"$file.h\"\n\n$calls",
	       "notrace void run_$file(void)\n{\n$run}\n");
}

#
# The second family
#

sub pieces
{
	my ($type, $val, $name) = @_;
	my @leaves;

	if ($type->{piece}) {
		return () if !$val->{object};
		@leaves = leaves($type->{piece}, $val->{object}, $name);
		for my $leaf (@leaves) {
			# For a pointer, p.x is written p->x, and p is written *p
			$leaf->[0] =~ s/^\Q$name\E\./$name->/ or
				$leaf->[0] =~ s/^\Q$name\E(?=$|\[)/*$name/;
		}
	} elsif ($type->{kind} eq 'rec') {
		@leaves = grep { $_->[0] ne $name } leaves($type, $val, $name);
	}
	return map { "piece $_->[0]=$_->[1]" } @leaves;
}

# A type whose pointer is no string
sub scalar_type
{
	my $type;

	do {
		$type = simple_type();
	} while ($type->{kind} eq 'char');
	return $type;
}

sub clone_param
{
	my ($i) = @_;
	my $which = rand();
	my $name = param_name($i);

	return [pointer_to(record_type(pick(8, 16, 24, 40))), $name, 'read'] if $which < 0.25;
	return [pointer_to(scalar_type()), $name, 'read'] if $which < 0.32;
	return [record_type(pick(8, 16, 16, 24)), $name, 'read'] if $which < 0.42;
	return [param_type(), $name, 'unused'] if $which < 0.57;
	return [simple_type(), $name, 'same'] if $which < 0.75;
	return [simple_type(), $name, 'varied'];
}

# Expressions that a body reads: a whole scalar, or one or two parts of a record
sub reads
{
	my ($type, $name, $role) = @{$_[0]};
	my (@parts, $val);

	return () if $role eq 'unused';
	return "(unsigned long)$name" if $role ne 'read';
	$val = { object => value($type->{piece} // $type, 'member') };
	@parts = grep { $_->[2] } leaves($type->{piece} // $type, $val->{object}, $name);
	@parts = map { $_->[0] } @parts;
	if ($type->{piece}) {
		s/^\Q$name\E\./$name->/ or s/^\Q$name\E$/*$name/ for @parts;
	}
	@parts = @parts[sort { $a <=> $b } map { int(rand(@parts)) } 1..pick(1, 1, 2)];
	return map { "(unsigned long)($_)" } @parts;
}

sub clone_function
{
	my ($nr) = @_;
	my $func = { nr => $nr, name => "rnd_c$nr", clone => 1,
		     how => pick(('noinline') x 3, 'part', 'plain') };

	$func->{params} = [map { clone_param($_) } 0..int(rand(8))];
	if ($func->{how} eq 'part') {
		# The part that returns early is inlined, the rest is not
		unshift @{$func->{params}}, [pointer_to(record_type(16)), 'early', 'read'];
	}
	$func->{ret} = return_type() if chance(0.7);
	$func->{ret} = undef if $func->{ret} && in_memory($func->{ret});
	$func->{result} = $func->{ret} && value($func->{ret}, 'return');
	$func->{early_result} = $func->{ret} && value($func->{ret}, 'return');
	# Hide from the compiler the values that the callers' pointers point to
	$func->{hide} = chance(0.6);
	$func->{use_result} = pick('never', 'always', 'always', 'at times');
	return without_buffers($func);
}

sub clone_body
{
	my ($func) = @_;
	my @reads = map { reads($_) } @{$func->{params}};
	my $call = "rnd_consume($func->{nr}, ";
	my @body;

	if ($func->{how} eq 'part') {
		my $result = $func->{ret} ? ' ' . in_c($func->{ret}, $func->{early_result}) : '';

		push @body, 'if (!early)', "\treturn$result;";
	}
	if (chance(0.6)) {
		# The reads come before any store, so the compiler may move them into the caller
		push @body, '{', map { "unsigned long v$_ = $reads[$_];" } 0..$#reads;
		push @body, '';
		push @body, map { "${call}v$_);" } 0..$#reads;
		push @body, '}';
	} else {
		push @body, map { "$call$_);" } @reads;
	}
	push @body, 'for (int i = 0; i < rnd_times; i++)', "\t${call}i);"
		if chance(0.3) || $func->{how} ne 'noinline';
	push @body, map { "$call$_);" } 1..6 if $func->{how} ne 'noinline';
	push @body, "${call}0);";
	push @body, 'return ' . in_c($func->{ret}, $func->{result}) . ';' if $func->{ret};
	return @body;
}

sub object_c
{
	my ($type, $val, $name) = @_;

	return pick('', 'static ') . declare($type, $name) . ' = ' .
	       in_c($type, $val, 1) . ";\n\n";
}

# The values of one call, with the objects that its pointers point to
sub site_values
{
	my ($func, $objects) = @_;
	my @values;

	for my $i (0..$#{$func->{params}}) {
		my ($type, $name, $role) = @{$func->{params}[$i]};
		my $val;

		if ($role eq 'same' && $func->{same}[$i]) {
			$val = $func->{same}[$i];
		} elsif ($type->{piece} && $name eq 'early' && chance(0.3)) {
			$val = { bits => 0 };
		} elsif ($type->{piece}) {
			my $object = "rnd_object_${nr_sites}_$i";
			my $inner = value($type->{piece}, 'member');

			$$objects .= object_c($type->{piece}, $inner, $object);
			$val = { c => "&$object", object => $inner };
			if ($type->{number}) {
				$val->{target} = [$type->{number}, $inner];
			} else {
				$val->{text} = "\@$object@";
			}
		} else {
			# An address that is the same in all calls may be removed, and is shown then
			do {
				$val = value($type, 'arg');
			} while (($val->{text} // '') eq '&?');
		}
		$func->{same}[$i] = $val;
		push @values, $val;
	}
	return @values;
}

sub site_c
{
	my ($func, @values) = @_;
	my $use = chance({ never => 0, always => 1, 'at times' => 0.5 }->{$func->{use_result}});
	my (@args, @hidden, @body);
	my $call;

	for my $i (0..$#values) {
		my ($type, $name) = @{$func->{params}[$i]};

		push @args, in_c($type, $values[$i]);
		if ($type->{piece} && $func->{hide}) {
			push @body, declare($type, $name) . " = $args[$i];";
			push @hidden, "OPTIMIZER_HIDE_VAR($name);";
			$args[$i] = $name;
		}
	}
	push @body, '', @hidden if @hidden;
	push @body, "rnd_mark($nr_sites);";
	$call = "$func->{name}(" . join(', ', @args) . ')';

	if ($use && $func->{ret}) {
		push @body, '{', declare($func->{ret}, 'ret') . " = $call;", '',
			    'rnd_escape(&ret);', '}';
	} else {
		push @body, "$call;";
	}
	return "static noinline notrace void site_$nr_sites(void)" . braces_c(@body);
}

sub clones
{
	my ($file, @funcs) = @_;
	my ($source, $run) = ('', '');

	for my $func (@funcs) {
		my $how = $func->{how} eq 'noinline' ? 'static noinline ' : 'static ';

		$source .= $how . prototype_c($func, $func->{name}) . braces_c(clone_body($func));
		for (1..pick(2, 2, 3, 4)) {
			my $objects = '';
			my @values = site_values($func, \$objects);
			my $early = $func->{how} eq 'part' && defined $values[0]{bits};
			my $ret = $func->{ret} &&
				  shown_return($func->{ret}, $early ? $func->{early_result} : $func->{result});

			$source .= $objects . site_c($func, @values);
			$run .= "\tsite_$nr_sites();\n";
			expect("site $nr_sites", expect_call($func, \@values, $ret));
			$nr_sites++;
		}
	}
	push @runs, "run_$file";
	c_file($file, "#include \"arg_random.h\"\n\n", definitions(), "\n\n$source",
	       "notrace void run_$file(void)\n{\n$run}\n");
}

sub common
{
	write_file('arg_random.h', <<'END', map { "void $_(void);\n" } @runs);
/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/atomic.h>
#include <linux/dcache.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include <linux/time64.h>
#include <linux/uidgid.h>

#define USE(x)		asm volatile("" : : "g" (x))
#define USE_MEMORY(x)	asm volatile("" : : "m" (x))
#define UNIQUE(nr)	asm volatile("# %0" : : "i" (nr))
/* Some of the pointers point nowhere */
#define CHANGE(p, val)	do {						\
	if ((unsigned long)(p) >= 0xffff800000000000UL &&		\
	    !IS_ERR_VALUE((unsigned long)(p)))				\
		*(p) = (val);						\
} while (0)

struct arg_random_unknown;
union arg_random_unknown2;
typedef struct list_head list_t;
typedef int (*rnd_fn_t)(int);
typedef long rnd_function_t(const char *, int (*)(void));
typedef char rnd_char_t;
typedef const char *rnd_string_t;

extern volatile u64 rnd_sink;
extern int rnd_times;
extern u64 rnd_buffer[];

void rnd_escape(const volatile void *at);
void rnd_consume(int nr, unsigned long val);
void rnd_mark(int nr);
int rnd_target0(int nr);
int rnd_target1(int nr);
END
	write_file('main.c', <<'END', map({ "\t$_();\n" } @runs), <<'END2');
// SPDX-License-Identifier: GPL-2.0
#include "arg_random.h"

volatile u64 rnd_sink;
int rnd_times = 2;
u64 rnd_buffer[64];

noinline notrace void rnd_escape(const volatile void *at)
{
	rnd_sink = (unsigned long)at;
	barrier();
}

noinline notrace void rnd_consume(int nr, unsigned long val)
{
	rnd_sink = nr + val;
}

noinline void rnd_mark(int nr)
{
	rnd_sink = nr;
}

noinline int rnd_target0(int nr)
{
	return nr;
}

noinline int rnd_target1(int nr)
{
	return nr + 1;
}

static notrace int __init arg_random_init(void)
{
END
	return 0;
}

static notrace void __exit arg_random_exit(void)
{
}

module_init(arg_random_init);
module_exit(arg_random_exit);
MODULE_DESCRIPTION("Random functions with known arguments");
MODULE_LICENSE("GPL");
END2
	write_file('Makefile', "# SPDX-License-Identifier: GPL-2.0\n", "obj-m += arg_random.o\n",
		   "ccflags-y += \$(call cc-disable-warning,packed-bitfield-compat)\n",
		   "ccflags-y += \$(call cc-disable-warning,psabi)\n",
		   map { "arg_random-y += $_.o\n" } @objects);
	write_file('expected', @expected);
}

# Write a condition for each function, and a second condition for some functions, up to a
# thousand in all. A call has to meet one of its function's conditions. The random numbers
# have a seed of their own.
sub conditions
{
	my (@lines, @met, @conditions);

	srand($opts{s} + 1);
	for my $round (0, 1) {
		for my $nr (0..$#calls) {
			my $calls = $calls[$nr] or next;
			my $func = $calls->[0]{func};
			my $condition;

			# A line would apply to all functions of that name
			next if $func->{name} !~ /^rnd_f\d+$/;
			next if grep { undecidable($_) } map({ $_->[0] } @{$func->{params}}), $func->{ret} // ();
			next if $round && @lines >= 1000;
			$condition = random_condition(@$calls);
			next if !$condition;
			push @lines, "$func->{name}: $condition->{text}\n";
			push @{$conditions[$nr]}, $condition;
		}
	}
	for my $nr (0..$#calls) {
		for my $i (0..$#{$calls[$nr] // []}) {
			push @met, $calls[$nr][$i]{expected} if grep { $_->{met}[$i] } @{$conditions[$nr] // []};
		}
	}
	write_file('conditions', @lines);
	write_file('met', @met);
}

getopts('s:n:c:', \%opts) && @ARGV == 1 or usage();
$dir = $ARGV[0];
-d $dir or mkdir $dir or die "$0: $dir: $!\n";
$opts{s} //= int(rand(1 << 31));
srand($opts{s});
print "seed $opts{s}\n";

for (my $nr = 0; $nr < $opts{n}; $nr += $per_file) {
	my $last = ($nr + $per_file < $opts{n} ? $nr + $per_file : $opts{n}) - 1;
	my %names;

	new_definitions();
	functions('rnd' . int($nr / $per_file), map { random_function($_, \%names) } $nr..$last);
}
new_definitions();
functions('large', map { large_function($_) } 0..$#large);
for (my $nr = 0; $nr < $opts{c}; $nr += $per_file) {
	my $last = ($nr + $per_file < $opts{c} ? $nr + $per_file : $opts{c}) - 1;

	new_definitions();
	clones('clone' . int($nr / $per_file), map { clone_function($_) } $nr..$last);
}
common();
conditions();
