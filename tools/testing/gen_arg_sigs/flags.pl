#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# flags.pl TREE BUILD DUMP
#
# Compare the list of scripts/gen_arg_sigs/macros with a kernel: the values of its macros with
# the headers in TREE and BUILD, for x86-64 and arm64, and the names of functions and
# parameters with DUMP, the output of gen_arg_sigs --dump vmlinux.

use strict;
use warnings;
use File::Path 'make_path';
use File::Temp 'tempdir';
use FindBin;

my ($tree, $build, $dump) = @ARGV;
my $list = "$FindBin::Bin/../../../scripts/gen_arg_sigs/macros";
my $dir = tempdir(CLEANUP => 1);
my $bad = 0;

sub wrong {
	print "$_[0]\n";
	$bad++;
}

sub slurp {
	open(my $in, '<', $_[0]) or die "$_[0]: $!\n";
	local $/;
	return <$in>;
}

my $text = slurp($list) =~ s,/\*.*?\*/,,gsr =~ s/"\s+"//gr;
my (%macros, @params);
while ($text =~ /\b(F|X86|ARM64)\((\w+), (\S+?)\)/g) {
	$macros{x86}{$2} = $3 if $1 ne 'ARM64';
	$macros{arm64}{$2} = $3 if $1 ne 'X86';
}
while ($text =~ /\b(CALL|PARAM)\(\w+, "(\w+)",\s+"([^"]*)"\)/g) {
	my ($kind, $param, $funcs) = ($1, $2, $3);

	push(@params, map { [ $kind, $_, $param ] } split(' ', $funcs));
}
die "$list: no macros\n" if !%macros || !@params;

# Macros that are in no header for user space: those of include/linux, and access()'s in the C
# library
my $inner = join('', map { s/^\s*(?:#\s*define)?\s*(.*)/#define $1\n/r }
	map { s,/\*.*,,r =~ s/=|,\s*$/ /gr }
	grep { /^#\s*define\s+(?:AF|MSG|MNT|UMOUNT|[FRWX]_OK)(?:_\w+)?\s/ || /^\tSOCK_\w+\s*=/ }
	map { split(/^/, slurp($_)) } "$tree/include/linux/socket.h", "$tree/include/linux/net.h",
	"$tree/include/linux/fs.h", '/usr/include/unistd.h');
$inner .= "#define SOCK_CLOEXEC O_CLOEXEC\n#define SOCK_NONBLOCK O_NONBLOCK\n" .
	"#define CONFIG_COMPAT\n";

for my $arch ('x86', 'arm64') {
	my @names = sort keys %{$macros{$arch}};
	my @missing;
	my @headers = map { "#include <linux/$_.h>\n" }
		qw(fcntl fs mount mman sched wait falloc eventpoll);

	# An architecture has its own header, or the one of all architectures
	make_path("$dir/$arch/asm", "$dir/$arch/linux");
	for my $header (map { m,.*/(.*), } glob("$tree/include/uapi/asm-generic/*.h")) {
		next if -e "$tree/arch/$arch/include/uapi/asm/$header";
		open(my $out, '>', "$dir/$arch/asm/$header") or die;
		print $out "#include <asm-generic/$header>\n";
		close($out);
	}
	for my $header ('compiler.h', 'compiler_types.h') {
		open(my $out, '>', "$dir/$arch/linux/$header") or die;
		close($out);
	}
	open(my $out, '>', "$dir/$arch.c") or die;
	print $out @headers, "#include <asm/mman.h>\n#include <asm/signal.h>\n", $inner,
		map { "\n#ifdef $_\n\"$_\" = $_;\n#else\n\"$_\" = none;\n#endif\n" } @names;
	close($out);
	my $values = `gcc -E -P -w -nostdinc -D__EXPORTED_HEADERS__ \\
		      -isystem $dir/$arch \\
		      -isystem $tree/arch/$arch/include/uapi \\
		      -isystem $tree/include/uapi -isystem $build/include/generated/uapi $dir/$arch.c`;
	die "$arch: no values\n" if $?;
	for my $name (@names) {
		my $own = $macros{$arch}{$name};
		my ($value) = $values =~ /"$name" = (.*);$/m or die "$arch: $name is lost\n";

		if ($value eq 'none') {
			push(@missing, $name);
			next;
		}
		# The macros have numbers, |, << and parentheses
		$value =~ s/\b(0x[0-9a-fA-F]+|\d+)[uUlL]*\b/$1/g;
		die "$arch: $name is $value\n" if $value !~ /^[\s0-9a-fA-Fx|<()+-]*$/;
		my ($theirs, $ours) = (eval($value), eval($own));
		wrong("$arch: $name is $value, not $own")
			if !defined($theirs) || $theirs != $ours;
	}
	printf "%s: %d macros, and in no header: %s\n", $arch, @names - @missing,
		join(' ', @missing) || 'none';
	wrong('too many macros are in no header') if 20 * @missing > @names;
}

# A function that the image lacks has no such parameter in any configuration that is tested
my (%prototypes, %named);
open(my $in, '<', $dump) or die "$dump: $!\n";
while (<$in>) {
	$prototypes{$1} .= $2 if /^([^\t+.]+)[^\t]*\t(.*)/;
}
close($in);
# A system call that the kernel lacks is a weak function, without the call's parameters
open($in, '-|', 'nm', "$build/vmlinux") or die "nm: $!\n";
while (<$in>) {
	delete($prototypes{$1}) if /^\w+ W (__\w+_sys_\w+)$/;
}
close($in) or die "nm $build/vmlinux: $?\n";
for (@params) {
	my ($kind, $func, $param) = @$_;
	my @funcs = $kind eq 'PARAM' ? $func :
		    map { "__$_$func" } qw(x64_sys_ x64_compat_sys_ ia32_sys_ arm64_sys_);
	my @found = grep { defined } map { $prototypes{$_} } @funcs;

	if ($func eq '*') {
		@found = grep { /;E[ijlmxy].{8}$param;/ } values(%prototypes);
		wrong("$param: no function has it") if !@found;
	} elsif (@found && grep { !/;E[ijlmxy].{8}$param;/ } @found) {
		wrong("$func: $param is no parameter");
	}
	$named{@found ? 'found' : 'missing'}{"$func.$param"} = 1;
}
printf "%d parameters, and in no function of the image: %s\n", scalar(keys(%{$named{found}})),
	join(' ', sort keys %{$named{missing}});
wrong('too few functions are in the image')
	if 8 * keys(%{$named{missing}}) > keys(%{$named{found}});
exit($bad != 0);
