# SPDX-License-Identifier: GPL-2.0
#
# The first family: functions that keep their declared interface
#
# Each function is called twice, from another file.

package Functions;

use strict;
use warnings FATAL => 'all';
no warnings 'portable';		# numbers have 64 bits, as in the kernel

use Exporter 'import';

use Expected;
use Files;
use Passing;
use Prototypes;
use Shown;
use Types;
use Values;

our @EXPORT = qw(random_function large_functions functions);

# Names of static functions in the kernel
my @names_of_others = qw(do_exit_common path_lookupat handle_pte_fault do_anonymous_page
			 link_path_walk show_stat pick_next_task_other rnd_twin rnd_other_twin);

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

		# A parameter with a larger alignment may take one more long
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

# Functions above the limits of include/linux/arg_sigs.h. Each number is the number of a
# parameter's longs; 0 is an int
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

sub large_functions
{
	return map { large_function($_) } 0..$#large;
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
		$values->[$i]{buffer} = 1;
		$values->[$i]{string} = substr("$string\0", 0, $size) if defined $string;
	}
}

#
# Bodies: only the registers at the entry matter. The rest makes the compiler keep the
# values in other places.
#

# Another file calls static functions through these pointers
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

# A narrow value, with junk in the bits above it, which callers and callees may leave
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

# Choose the numbers that a function changes, and their new values. The tracer compares the
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

sub function_c
{
	my ($func, @values) = @_;
	my $how = $func->{static} ? 'static noinline __noclone ' :
		  $func->{weak} ? '__weak noinline ' : 'noinline __noclone ';
	my @body = map { use_param(@$_) } @{$func->{params}};

	if (chance(0.15)) {
		# This function has a frame, and a frame pointer if compilers keep frame
		# pointers
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

	# A value that is not a valid bool is shown as its number
	return { bits => pick(0, 1, 2, 7, 128, 255) } if $type->{kind} eq 'bool';
	return value($type, 'arg');
}

sub dirty_in_c
{
	my ($type, $val) = @_;

	return sprintf('(%s | 0x%xUL)', junk($type), $val->{bits}) if $type->{kind} eq 'bool';
	return with_junk($type, $val);
}

# A call through another type of the function, with the same places in the ABI: narrow
# integers become longs, and the address of a value that is returned in memory becomes a
# parameter, which on arm64 it is not
sub call_cast
{
	my ($func, $target, $dirty, @values) = @_;
	my $memory = $func->{ret} && in_memory($func->{ret}) && !$Passing::arm64;
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
		# kCFI refuses a call through another type than the function's own type
		$nocfi = '__nocfi ';
	} else {
		my @args = map { in_c($func->{params}[$_][0], $values[$_]) } 0..$#values;

		push @args, '1', '2L' if $func->{variadic} && chance(0.5);
		@body = "$target(" . join(', ', @args) . ');';
	}
	return "static noinline notrace ${nocfi}void call_$func->{nr}_$which(void)" . braces_c(@body);
}

# Write the source of these functions, and of their calls, to separate files. Returns the
# calls of each function.
sub functions
{
	my ($file, @funcs) = @_;
	my ($source, $calls, $run, $protos) = ('', '', '', '');
	my @all;

	for my $func (@funcs) {
		my (@rets, @own);

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
			my $ret = $func->{ret} && shown_return($func->{ret}, $rets[$which]);

			size_buffers($func, \@values);
			$calls .= call_c($func, $which, $dirty, @values);
			$run .= "\tcall_$func->{nr}_$which();\n";
			push @own, { func => $func, values => \@values, ret => $rets[$which],
				     expected => expect(expect_call($func, \@values, $ret, $rets[$which])) };
		}
		push @all, \@own;
	}
	write_file("$file.h", "/* SPDX-License-Identifier: GPL-2.0 */\n",
		   "#include \"arg_random.h\"\n\n", definitions(), "\n\n$protos");
	c_file($file, "#include \"$file.h\"\n\n$source");
	c_file("call_$file", "#include \"$file.h\"\n\n$calls", run_c($file, $run));
	return @all;
}

1;
