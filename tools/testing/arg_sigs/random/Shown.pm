# SPDX-License-Identifier: GPL-2.0
#
# The expected text of the graph tracer for a value
#
# The rules come from the table in Documentation/trace/graph-args.rst. They are
# independent of the code under test, because no rule comes from a trace or from DWARF.

package Shown;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

use Types;
use Values;

our @EXPORT = qw(shown shown_return leaves);

my %escape = ("\n" => '\n', "\t" => '\t', '"' => '\"', '\\' => '\\\\');

sub string_shown
{
	my ($string) = @_;
	my $cut = length($string) > $Values::string_size ? '...' : '';

	return '"' . join('', map { $escape{$_} // (/[ -~]/ ? $_ : sprintf('\x%02x', ord($_))) }
			  split(//, substr($string, 0, $Values::string_size))) . "\"$cut";
}

# Linux's names of errors. Each run begins with the number of its first name.
my @error_names = (
	[1, qw(EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES
	       EFAULT ENOTBLK EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY
	       ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG
	       ENOLCK ENOSYS ENOTEMPTY ELOOP)],
	[42, qw(ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT EBADE EBADR
		EXFULL ENOANO EBADRQC EBADSLT)],
	[59, qw(EBFONT ENOSTR ENODATA ETIME ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV ESRMNT ECOMM
		EPROTO EMULTIHOP EDOTDOT EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD
		ELIBSCN ELIBMAX ELIBEXEC EILSEQ ERESTART ESTRPIPE EUSERS ENOTSOCK EDESTADDRREQ
		EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP
		EPFNOSUPPORT EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET
		ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT
		ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM
		ENAVAIL EISNAM EREMOTEIO EDQUOT ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY EKEYEXPIRED
		EKEYREVOKED EKEYREJECTED EOWNERDEAD ENOTRECOVERABLE ERFKILL EHWPOISON)],
	[512, qw(ERESTARTSYS ERESTARTNOINTR ERESTARTNOHAND ENOIOCTLCMD ERESTART_RESTARTBLOCK
		 EPROBE_DEFER EOPENSTALE ENOPARAM)],
	[521, qw(EBADHANDLE ENOTSYNC EBADCOOKIE ENOTSUPP ETOOSMALL ESERVERFAULT EBADTYPE EJUKEBOX
		 EIOCBQUEUED ERECALLCONFLICT)],
);
my %error_name;

for my $run (@error_names) {
	my ($first, @names) = @$run;

	$error_name{$first + $_} = $names[$_] for 0..$#names;
}

sub pointer_shown
{
	my ($bits) = @_;
	my $val = signed($bits, 64);

	return 'NULL' if !$bits;
	return sprintf('0x%x', $bits) if $val >= 0 || $val < -4095;
	return 'ERR_PTR(' . ($error_name{-$val} ? "-$error_name{-$val}" : $val) . ')';
}

sub unsigned_shown
{
	my ($bits) = @_;

	return $bits < 10 ? "$bits" : sprintf('0x%x', $bits);
}

sub enum_shown
{
	my ($type, $bits, $width) = @_;
	my $number = $type->{sign} ? signed($bits, $width) : unsigned_shown($bits);
	my @shown;

	for my $each (@{$type->{names}}) {
		my ($name, $val) = @$each;

		$val = unpack('Q', pack('q', $val)) & mask($width) if $val < 0;
		return $name if $val == $bits;
	}
	return $number if !$type->{bits};
	for my $each (@{$type->{names}}) {
		my ($name, $val) = @$each;

		next if !$val || ($bits & $val) != $val;
		push @shown, $name;
		$bits &= ~$val;
	}
	push @shown, unsigned_shown($bits) if $bits || !@shown;
	return join('|', @shown);
}

sub integer_shown
{
	my ($type, $bits, $width, $name) = @_;
	my $holds_bits = !$type->{how} && ($name // '') =~ /(flags|mask|bits)$/;

	return signed($bits, $width) if $type->{sign} && !$holds_bits;
	return $bits if $type->{how} eq 'decimal';
	return $bits ? sprintf('0%o', $bits) : '0' if $type->{how} eq 'octal';
	if ($type->{how} eq 'be' && $width == 8 * $type->{size}) {
		$bits = swapped($bits, $type->{size});
		return $bits if $type->{size} == 2;
	}
	return ($bits >> 20) . ':' . ($bits & 0xfffff) if $type->{how} eq 'dev';
	return unsigned_shown($bits);
}

sub char_shown
{
	my ($bits) = @_;
	my $char = chr($bits);

	return $bits & 0xff if $char !~ /[ -~]/;
	return $char =~ /['\\]/ ? "'\\$char'" : "'$char'";
}

sub members_shown
{
	my ($type, $val) = @_;
	my @list = member_values($type, $val);
	my @shown;

	for my $i (0..$#list) {
		my ($of, $name, $width) = @{$type->{members}[$i]};

		# An array without elements has nothing to show
		next if !$of || !$of->{size};
		push @shown, defined $name ? ".$name=" . shown($of, $list[$i], $width, $name) :
					     members_shown($of, $list[$i]);
	}
	return @shown;
}

sub in_braces
{
	return '{' . join(', ', @_) . '}';
}

sub wide_shown
{
	my ($val) = @_;

	return $val->{hi} ? sprintf('0x%x%016x', $val->{hi}, $val->{lo}) :
			    sprintf('0x%x', $val->{lo});
}

# $name is the name of the parameter or member; elements of an array have the array's name
sub shown
{
	my ($type, $val, $width, $name) = @_;
	my $kind = $type->{kind};

	$width //= ($type->{size} // 0) * 8;
	return $val->{text} if defined $val->{text};
	return string_shown($val->{string}) if defined $val->{string};
	return '&' . shown(@{$val->{target}}, undef, $name) if $val->{target};
	return wide_shown($val) if $kind eq 'i128';
	return in_braces(map { shown($type->{elem}, $_, undef, $name) } @{$val->{list}}) if $kind eq 'arr';
	return in_braces(members_shown($type, $val)) if $kind eq 'rec';
	return pointer_shown($val->{bits}) if $kind =~ /^(ptr|fn|str)$/;
	return enum_shown($type, $val->{bits}, $width) if $kind eq 'enum';
	return char_shown($val->{bits}) if $kind eq 'char';
	return ('false', 'true')[$val->{bits}] // $val->{bits} if $kind eq 'bool';
	return integer_shown($type, $val->{bits}, $width, $name);
}

sub shown_return
{
	my ($type, $val) = @_;
	my $text = shown($type, $val);

	if (is_ulong($type) && defined $val->{bits}) {
		my $number = signed($val->{bits}, 64);

		return $text if $number > -2 || $number < -4095;
		$text = $number;
	} else {
		return $text if $type->{kind} ne 'int' || !$type->{sign} || $text >= 0 || $text < -4095;
	}
	return $error_name{-$text} ? "$text (-$error_name{-$text})" : $text;
}

# The parts of a value that a compiler may pass instead of the whole value: an expression,
# its text, and whether the part is a scalar
sub leaves
{
	my ($type, $val, $name, $width) = @_;
	my @leaves;

	if ($type->{kind} eq 'arr') {
		@leaves = map { leaves($type->{elem}, $val->{list}[$_], "${name}[$_]") }
			  0..$type->{count} - 1;
	} elsif ($type->{kind} eq 'rec') {
		my @list = member_values($type, $val);

		for my $i (0..$#list) {
			my ($of, $member, $bits) = @{$type->{members}[$i]};
			my $outer = defined $member ? "$name.$member" : $name;
			my @inner;

			next if !$of;
			@inner = leaves($of, $list[$i], $outer, $bits);
			# An anonymous record has no expression
			pop @inner if !defined $member;
			push @leaves, @inner;
		}
	}
	return (@leaves, [$name, shown($type, $val, $width, $name =~ s/(\[\d+\])+$//r),
			  $type->{kind} !~ /^(arr|rec)$/]);
}

1;
