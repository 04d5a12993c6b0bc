#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# calls.pl REPORT RAW JSON
#
# Checks that the objects of trace-calls json are the calls in a report of "trace-cmd
# report -t" with the plugin.  The script parses each line of the report, and combines
# lines to calls by task and indentation.  The expected JSON of a value follows from its
# text.  RAW is the output of "trace-cmd report -t -R", which shows when calls began.

use strict;
use warnings;
no warnings 'portable';

use FindBin;
use lib $FindBin::Bin;
use ArgText;
use Encode;
use JSON::PP;

my ($report, $raw, $json) = @ARGV;
my $wrong = 0;

sub wrong {
	print "$_[0]\n" if $wrong++ < 20;
}

sub unescape {
	my ($text) = @_;
	my %other = (n => "\n", t => "\t");

	$text =~ s/\\(?:x([0-9a-f]{2})|(.))/defined $1 ? chr(hex($1)) : $other{$2} \/\/ $2/ge;
	return $text;
}

# Whether a value of JSON is the value of the text
sub same {
	my ($text, $value) = @_;

	# The target of a pointer replaces the pointer
	$text =~ s/^&//;
	return !defined $value if $text =~ /^(\?(\.\.\.)?|<optimized out>)$/;
	return 0 unless defined $value;
	if ($text =~ /^\{(.*)\}$/s) {
		my @parts = split_args($1);

		return 0 unless ref($value);
		if (ref($value) eq 'ARRAY') {
			return @parts == @$value &&
				!grep { !same($parts[$_], $value->[$_]) } 0 .. $#parts;
		}
		return 0 unless @parts == keys %$value;
		for my $part (@parts) {
			return 0 unless $part =~ /^\.([^=]*)=(.*)$/s && exists $value->{$1} &&
				same($2, $value->{$1});
		}
		return 1;
	}
	return 0 if ref($value) && !JSON::PP::is_bool($value);
	return JSON::PP::is_bool($value) && ($text eq ($value ? 'true' : 'false'))
		if $text =~ /^(true|false)$/;
	if ($text =~ /^"(.*)"(\.\.\.)?$/s) {
		my $bytes = unescape($1);
		my $expected = $bytes;

		# Bytes that are not UTF-8 are written as \xNN
		if (!utf8::decode($expected)) {
			$expected =~ s/\\/\\\\/g;
			$expected = Encode::decode('UTF-8', $expected, sub {
				join('', map { sprintf('\x%02x', $_) } @_);
			});
		}
		return $value eq $expected;
	}
	return $value eq ord(unescape($1)) if $text =~ /^'(.*)'$/s;
	return 1 if $value eq $text;
	return sprintf('%u', hex($1)) eq $value if $text =~ /^0x([0-9a-f]{1,16})$/;
	return 0;
}

# A number that a call has changed, or a buffer that it has filled
my $result = qr/(?!ret=)[\w>.\[\]-]+=(?:&[^ ]+|"(?:[^"\\]|\\.)*"(?:\.\.\.)?|\?)/s;

# The calls of the report, by task, function, begin and CPU
my (%calls, %open);
# The number of losses: in all, by buffer, by buffer and CPU
my ($losses, %losses, %lost) = (0);
# The times of losses: from the last event before to the next event of the CPU and buffer
my (%last, @gaps, $gap);

# The begins of calls, by task, and CPU and time of the entry event. An exit ends the call of
# its function and depth whose entry was not written before the call began.
my (%begins, %entries);

open(my $in, '<', $raw) or die "$raw: $!\n";
while (<$in>) {
	my ($buffer, $pid, $cpu, $sec, $frac, $type, $func, $depth, $begin) =
		/^(?:(\S+):\s)?\s*.*-(\d+)\s+\[(\d+)\].*?\s(\d+)\.(\d+): (funcgraph_entry|funcgraph_exit|fgraph_retaddr_entry):\s+func=(\S+).* depth=(\d+)(?:.* calltime=0x([0-9a-f]+))?/
		or next;
	my $time = $sec * 1000000000 + $frac;
	my $task = join(' ', $buffer // '', $pid, $pid ? '' : $cpu + 0);

	if ($type ne 'funcgraph_exit') {
		$entries{$task}{$depth} = [$time, join(' ', $task, $time, $cpu + 0), $func];
		next;
	}
	my $entry = $entries{$task}{$depth} // next;
	$begins{$entry->[1]} = hex($begin) if $entry->[2] eq $func && $entry->[0] >= hex($begin);
}
close($in);

open($in, '<', $report) or die "$report: $!\n";
while (<$in>) {
	# Lines are indented if there are several buffers
	if (/^\s*(?:\S+:\s*)?CPU:\d+ \[.*EVENTS DROPPED\]/) {
		$losses++;
		$gap = 1;
		next;
	}
	if (/^(?:(\S+):\s)?\s*.*-\d+\s+\[(\d+)\].*?\s(\d+)\.(\d+): /) {
		my ($name, $now) = ($1 // '', $3 * 1000000000 + $4);
		my $from = join(' ', $name, $2 + 0);

		if ($gap) {
			push @gaps, [$last{$from} // 0, $now];
			$losses{$name}++;
			$lost{$from}++;
			$gap = 0;
		}
		$last{$from} = $now;
	}
	my ($buffer, $comm, $pid, $cpu, $sec, $frac, $type, $text) =
		/^(?:(\S+):\s)?\s*(.*)-(\d+)\s+\[(\d+)\].*?\s(\d+)\.(\d+): (funcgraph_entry|funcgraph_exit|fgraph_retaddr_entry): (.*)$/
		or next;
	my ($duration, $indent, $line) = $text =~ /^[^|]*?([\d.]+)?(?: us)? *\|  ( *)(.*)$/ or next;
	my $time = $sec * 1000000000 + $frac;
	my $from = join(' ', $buffer // '', $cpu + 0);
	my $in_buffer = $losses{$buffer // ''} // 0;
	my $task = join(' ', $buffer // '', $pid, $pid ? '' : $cpu + 0);
	my $depth = length($indent) / 2;
	my $changed = $line =~ s/((?: $result)+) \*\/$/ *\// ? $1 : '';
	my $ret = $line =~ s/^(.*) \/\* (?:.* )?ret=(.*) \*\/$/$1/ ? $2 : undef;

	if ($line =~ /^\}/) {
		my $call = $open{$task}{$depth};

		delete $open{$task}{$_} for grep { $_ >= $depth } keys %{$open{$task}};
		next if !$call;
		# If events of the call's CPU were lost since its begin, this may be the
		# end of another call
		my $unsure = $call->{lost} != ($lost{$call->{from}} // 0) ||
			($call->{from} ne $from && $call->{losses} != $in_buffer);
		next if $unsure && !defined $begins{$call->{entry}};
		$call->{unsure} = $unsure;
		@$call{qw(ret changed duration end)} = ($ret, $changed, $duration, $time);
	} elsif ($line =~ /^([^(\s]+)( \[[^\]]*\])?\((.*)\)( \{|;)/s) {
		my $call = { function => $1, args => $3, time => $time, cpu => $cpu + 0,
			     comm => $comm, pid => $pid, depth => $depth,
			     instance => $buffer, from => $from, losses => $in_buffer,
			     lost => $lost{$from} // 0, entry => join(' ', $task, $time, $cpu + 0) };

		delete $open{$task}{$_} for grep { $_ >= $depth } keys %{$open{$task}};
		if ($4 eq ';') {
			@$call{qw(ret changed duration end)} = ($ret, $changed, $duration, $time);
		} else {
			$open{$task}{$depth} = $call;
		}
		$calls{join(' ', $task, $1, $begins{$call->{entry}} // $time, $cpu + 0)} = $call;
	}
}
close($in);

# Whether a value of JSON is a part of an object's digest
sub same_part {
	my ($text, $value) = @_;

	$text =~ s/^\w+=//;
	$text =~ s/\.\.\.$// if $text !~ /^"/;
	return same($text, $value);
}

# Remove an object's digest from the text of its pointer, and the parts of the digest from
# the values
sub take_digest {
	my ($place, $name, $text, $values) = @_;

	return if $$text !~ s/^(0x[0-9a-f]+)\{(.*)\}$/$1/s;
	for my $part (split_args($2)) {
		my ($key) = grep { /^\Q$name\E->/ && same_part($part, $values->{$_}) } sort keys %$values;

		wrong("$place: $name has no $part") unless $key;
		delete $values->{$key} if $key;
	}
}

sub compare {
	my ($call, $object, $line) = @_;
	my $args = $call->{args};

	for my $key (qw(depth pid comm)) {
		wrong("line $line: $key is $object->{$key}, not $call->{$key}")
			if $object->{$key} ne $call->{$key};
	}
	if ($object->{args}) {
		my %left = %{$object->{args}};
		my $number = 0;

		for my $arg (split_args($args)) {
			# Variable arguments are not known
			next if $arg eq '...';
			my ($name, $text) = $arg =~ /^([\w>.\[\]-]+)=(.*)$/s ? ($1, $2) : ("arg$number", $arg);

			take_digest("line $line: $call->{function}", $name, \$text, \%left);
			wrong("line $line: $call->{function}: $name is not $text")
				unless exists $left{$name} && same($text, $left{$name});
			delete $left{$name};
			$number++;
		}
		wrong("line $line: $call->{function}: more arguments: " . join(' ', keys %left)) if %left;
	} elsif ($args ne '' && $args ne '?' && $args =~ /[^?=, ]=[^?]/) {
		wrong("line $line: $call->{function}: no arguments, not $args");
	}
	if (defined $object->{lost}) {
		# If another CPU lost events meanwhile, the task may have run on that CPU
		wrong("line $line: $call->{function}: the report has its end")
			if defined $call->{duration} && !$call->{unsure} &&
			   !grep { $_->[0] <= $call->{end} && $_->[1] >= $call->{time} } @gaps;
		return;
	}
	wrong("line $line: $call->{function}: no end in the report") unless defined $call->{duration};
	return unless defined $call->{duration};
	wrong("line $line: $call->{function}: duration is $object->{duration}, not $call->{duration} us")
		if abs($object->{duration} / 1000 - $call->{duration}) > 0.0015 + $call->{duration} * 0.0011;
	my %changed = %{$object->{changed} // {}};
	while ($call->{changed} =~ /($result)/g) {
		my ($name, $text) = $1 =~ /^(.*?)=(.*)$/s;
		wrong("line $line: $call->{function}: changed $name is not $text")
			unless exists $changed{$name} && same($text, delete $changed{$name});
	}
	my $ret = $call->{ret};
	take_digest("line $line: $call->{function}", 'ret', \$ret, \%changed) if defined($ret);
	wrong("line $line: $call->{function}: more is changed: " . join(' ', keys %changed)) if %changed;

	if (!defined $ret) {
		wrong("line $line: $call->{function}: no return in the report") if exists $object->{ret};
		return;
	}
	# The return value is a number followed by the error's name, or an error pointer
	my $error = $ret =~ s/^(-\d+) \(-(\w+)\)$/$1/ ? $2 : $ret =~ /^ERR_PTR\(-(E\w+)\)$/ ? $1 : undef;

	wrong("line $line: $call->{function}: ret is not $ret")
		unless same($ret, $object->{ret});
	wrong("line $line: $call->{function}: errno is not " . ($error // 'missing'))
		if ($error // '') ne ($object->{errno} // '');
}

my ($seen, $marks, $begins, $ends) = (0, 0, 0, 0);
my $parser = JSON::PP->new->utf8;

open($in, '<', $json) or die "$json: $!\n";
while (<$in>) {
	my $object = eval { $parser->decode($_) };

	if (!$object) {
		wrong("line $.: no JSON: $@");
		next;
	}
	if (!defined $object->{function}) {
		$marks++ if $object->{type} eq 'lost';
		next;
	}
	if (($object->{lost} // '') eq 'begin') {
		wrong("line $.: arguments without a begin") if $object->{args};
		$begins++;
		next;
	}
	$ends++ if defined $object->{lost};
	my $task = join(' ', $object->{instance} // '', $object->{pid},
			$object->{pid} ? '' : $object->{cpu});
	my $call = delete($calls{join(' ', $task, @$object{qw(function begin cpu)})});

	if (!$call) {
		wrong("line $.: no such call in the report: $object->{function} at $object->{begin}");
		next;
	}
	$seen++;
	compare($call, $object, $.);
}
close($in);
my @left = sort keys %calls;
wrong(@left . ' calls are missing, as ' . $left[0]) if @left;
wrong("events were lost $losses times, not $marks") if $losses != $marks;
print "$seen calls, $begins without a begin, $ends without an end, $marks losses\n";
exit($wrong || !$seen ? 1 : 0);
