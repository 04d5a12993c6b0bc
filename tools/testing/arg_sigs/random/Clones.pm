# SPDX-License-Identifier: GPL-2.0
#
# The second family: static functions that the compiler may clone
#
# A parameter has a role:
#   read    the function reads it, or a part of the record that it points to
#   unused
#   same    each call passes the same value
#   varied
# Each call site of such a function is a separate function, with a number.

package Clones;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

use Expected;
use Files;
use Passing;
use Prototypes;
use Shown;
use Types;
use Values;

our @EXPORT = qw(clone_function clones);

my $nr_sites = 0;

# A type whose pointer is not a string
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

# The expressions that a body reads: a whole scalar, or one or two parts of a record
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
		# The compiler inlines the part that returns early, but not the rest
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
			# The compiler may remove an address that is the same in all calls.
			# The trace then shows the address.
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
			my $result = $early ? $func->{early_result} : $func->{result};
			my $ret = $func->{ret} && shown_return($func->{ret}, $result);

			$source .= $objects . site_c($func, @values);
			$run .= "\tsite_$nr_sites();\n";
			expect("site $nr_sites", expect_call($func, \@values, $ret, $result));
			$nr_sites++;
		}
	}
	c_file($file, "#include \"arg_random.h\"\n\n", definitions(), "\n\n$source",
	       run_c($file, $run));
}

1;
