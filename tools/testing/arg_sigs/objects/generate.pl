#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# generate.pl [-s SEED] [-n CALLS] LIST DUMP DIR
#
# Write the module arg_objects and the file expected to DIR.  When the module is loaded, it
# makes CALLS calls (1000) with objects that have random values.  The file expected has the
# text of each call's object.  LIST is the list of digests.  DUMP is the output of
# "gen_arg_sigs --dump vmlinux", which has the parts that exist in the kernel.  The module
# sets the objects with the expressions of LIST, so the compiler of the module determines
# the places of the parts, and not gen_arg_sigs.
#
# Bytes that are not in a part are 0xee.  Pointers on the way to a part are sometimes NULL,
# an error pointer, or an address of user space.

use strict;
use warnings;
use Getopt::Std;
use Socket qw(inet_ntop AF_INET AF_INET6);

# No header that a module may include declares the types without an entry
my %headers = (
	address_space => 'linux/fs.h', bio => 'linux/blk_types.h', block_device => 'linux/blkdev.h',
	buffer_head => 'linux/buffer_head.h', bus_type => 'linux/device.h', cgroup => 'linux/cgroup.h',
	cgroup_subsys_state => 'linux/cgroup.h', clocksource => 'linux/clocksource.h',
	completion => 'linux/completion.h', cred => 'linux/cred.h', ctl_table => 'linux/sysctl.h',
	delayed_work => 'linux/workqueue.h', dentry => 'linux/dcache.h', device => 'linux/device.h',
	device_driver => 'linux/device.h', device_node => 'linux/of.h', file => 'linux/fs.h',
	file_system_type => 'linux/fs.h', filename => 'linux/fs.h', folio => 'linux/mm_types.h',
	gendisk => 'linux/blkdev.h', hrtimer => 'linux/hrtimer.h', inode => 'linux/fs.h',
	iov_iter => 'linux/uio.h', irqaction => 'linux/interrupt.h', irq_desc => 'linux/irq.h',
	kernfs_node => 'linux/kernfs.h', kiocb => 'linux/fs.h', kobject => 'linux/kobject.h', linux_binprm => 'linux/binfmts.h',
	mm_struct => 'linux/mm_types.h', module => 'linux/module.h', napi_struct => 'linux/netdevice.h',
	net_device => 'linux/netdevice.h', open_how => 'linux/openat2.h', path => 'linux/path.h',
	pci_dev => 'linux/pci.h', perf_event => 'linux/perf_event.h', pid => 'linux/pid.h',
	qstr => 'linux/dcache.h', request => 'linux/blk-mq.h', request_queue => 'linux/blkdev.h', seq_file => 'linux/seq_file.h',
	socket => 'net/sock.h',
	sk_buff => 'linux/skbuff.h', sock => 'net/sock.h', super_block => 'linux/fs.h',
	task_struct => 'linux/sched.h', timer_list => 'linux/timer.h', vfsmount => 'linux/mount.h', vm_area_struct => 'linux/mm_types.h',
	work_struct => 'linux/workqueue.h', device_attribute => 'linux/device.h',
	pglist_data => 'linux/mmzone.h', platform_device => 'linux/platform_device.h',
	vm_fault => 'linux/mm.h', zone => 'linux/mmzone.h', in6_addr => 'linux/in6.h',
	sockaddr => 'linux/socket.h', sockaddr_in => 'linux/in.h',
	__kernel_sockaddr_storage => 'linux/socket.h', sockaddr_unsized => 'linux/socket.h',
);
my @functions = qw(schedule vfree kfree msleep);
my %options = (s => 1, n => 1000);

getopts('s:n:', \%options) && @ARGV == 3 or
	die "usage: generate.pl [-s SEED] [-n CALLS] LIST DUMP DIR\n";
my ($list, $dump, $dir) = @ARGV;
srand($options{s});

sub read_file {
	my ($name) = @_;

	open(my $in, '<', $name) or die "$name: $!\n";
	return <$in>;
}

my (%layouts, %enumerators, %macros);
for (read_file($dump)) {
	$layouts{$1} = $2 if /^type\t.{8}d.(\w+);(.*)$/;
	# Take only enums without explicit values
	$enumerators{$1} = [split(/;/, $2)] if /^type\t(.{8})e.\w*;([^=]*);$/;
	# Of flags, take only single bits.  lab/test flags checks the values.
	$macros{$1} = [grep { /=[1248]0*$/ } split(/;/, $2)] if /^type\t(.{8})b.;(.*);$/;
}

# The types, each with its parts: the label, the expression, the type of the value, and the
# bits of a bit-field
my (%types, @names, $nr_parts, @absent);
for (read_file($list)) {
	next if !/^DIGEST\(struct (\w+), (.*)\)$/;
	my ($type, @listed) = ($1, split(/, /, $2));
	my $layout = $layouts{$type};

	for my $part (@listed) {
		$part =~ s/:u$//;
		my ($label, $expr) = $part =~ /^(?:(\w+)=)?(.*)$/;

		# An address is in several numbers
		if ($part =~ /^(\w+) address$/) {
			my $kind = $1;

			if (defined($layout) && $layout =~ s/^0T$kind;(?:\d*yaddress;)+//) {
				push(@{$types{$type}}, [undef, '', $kind]);
			} else {
				push(@absent, "$type: $part");
			}
		} elsif (defined($layout) && $layout =~ s/^[\d>]+(?::(\d+))?(.*?)\Q$part\E;//) {
			push(@{$types{$type}}, [$label, $expr, $2, $1]);
		} else {
			push(@absent, "$type: $expr");
		}
	}
	die "$dump: $type: not in the list: $layout\n" if ($layout // '') ne '';
}
print "not in this kernel: $_\n" for @absent;
for my $type (sort keys %types) {
	if ($headers{$type}) {
		push(@names, $type);
		$nr_parts += @{$types{$type}};
	} else {
		print "in no header: $type\n";
	}
}
die "only ", scalar(@names), " types\n" if @names < 40;
print scalar(@names), " types, $nr_parts parts\n";

sub pick { return $_[rand(@_)] }

# A text that is cut after $max bytes, and its shown form
sub random_text {
	my ($max) = @_;
	my @letters = ('a' .. 'z', '0' .. '9', '.', '-', '_', ':', '/');
	my $len = pick(0, 1, 3, 8, $max - 1, $max, $max + 1, int(rand($max + 4)));

	push(@letters, ' ', '"', '\\', ',', '}', "\n", "\xff") if rand() < 0.3;
	my $text = join('', map { pick(@letters) } 1 .. $len);

	# Texts that look like a NULL pointer, and like a text that was cut
	return 'NULL' if $max > 4 && rand() < 0.03;
	$text =~ s/...\z/.../s if rand() < 0.03;
	return $text;
}

sub shown_text {
	my ($text, $max) = @_;
	my $cut = length($text) > $max ? '...' : '';

	$text = substr($text, 0, $max);
	return "$text$cut" if $text =~ /^[a-zA-Z0-9._+:\/@#-]+\z/ && $text ne 'NULL' &&
		$text !~ /\.\.\.\z/;
	$text =~ s/(["\\])/\\$1/g;
	$text =~ s/\n/\\n/g;
	$text =~ s/([^ -~])/sprintf('\\x%02x', ord($1))/ge;
	return "\"$text\"$cut";
}

sub c_string {
	my ($text) = @_;

	return '"' . join('', map { sprintf('\\%03o', ord($_)) } split(//, $text)) . '"';
}

# An invalid pointer: its value in C, and the text instead of the part
sub bad_pointer {
	return @{pick(['NULL', 'NULL'], ['ERR_PTR(-EIO)', '?'], ['(void *)0x1000', '?'])};
}

# An IPv6 address, often with groups that are 0
sub random_ipv6 {
	my @groups = map { rand() < 0.5 ? 0 : int(rand(65536)) } 1 .. 8;

	@groups = (0, 0, 0, 0, 0, 0xffff, map { 1 + int(rand(65535)) } 1 .. 2) if rand() < 0.2;
	return pack('n*', @groups);
}

# Code that sets an address of the kind, and its text
sub address {
	my ($kind) = @_;
	my $port = int(rand(65536));

	if ($kind eq 'in6_addr') {
		my $host = random_ipv6();

		return 'memcpy(object, ' . c_string($host) . ', 16);', inet_ntop(AF_INET6, $host);
	}
	my $family = pick(qw(in in6 in in6 un netlink));
	if ($family eq 'in') {
		my $host = pack('N', int(rand(2 ** 32)));

		return '*(struct sockaddr_in *)object = (struct sockaddr_in){ AF_INET, ' .
		       "htons($port), { htonl(" . unpack('N', $host) . 'U) } };',
		       inet_ntop(AF_INET, $host) . ":$port";
	}
	if ($family eq 'in6') {
		my $host = random_ipv6();
		my $bytes = join(', ', unpack('C*', $host));

		return '*(struct sockaddr_in6 *)object = (struct sockaddr_in6){ AF_INET6, ' .
		       "htons($port), ~0, { { { $bytes } } }, ~0 };",
		       '[' . inet_ntop(AF_INET6, $host) . "]:$port";
	}
	# The path of a UNIX socket is not shown
	return 'SET_NUMBER(*(sa_family_t *)object, AF_UNIX);', 'family=1' if $family eq 'un';
	return 'SET_NUMBER(*(sa_family_t *)object, AF_NETLINK);', 'family=16';
}

my (@body, @expected);
sub call {
	my ($type) = @_;
	my (%pointers, @shown, @code);

	for my $part (@{$types{$type}}) {
		my ($label, $expr, $value, $bits) = @$part;
		my $place = "object->$expr";
		my $bad;

		if ($expr eq '') {
			my ($c, $text) = address($value);

			push(@code, $c);
			push(@shown, $text);
			next;
		}
		# Set each pointer on the way once
		while ($place =~ /->/g) {
			my $pointer = substr($place, 0, $-[0]);

			next if $pointer eq 'object';
			if (!exists($pointers{$pointer})) {
				$pointers{$pointer} = '';
				if (rand() < 0.08) {
					(my $c, $pointers{$pointer}) = bad_pointer();
					push(@code, "SET($pointer, $c);");
				} else {
					push(@code, "SET($pointer, new(sizeof(*$pointer)));");
				}
			}
			$bad = $pointers{$pointer};
			last if $bad ne '';
		}
		$label = defined($label) ? "$label=" : '';
		if (($bad // '') ne '') {
			push(@shown, "$label$bad");
			next;
		}
		if ($value eq 'Pc') {
			my $text = random_text(48);

			if (rand() < 0.08) {
				my ($c, $text) = bad_pointer();
				push(@code, "SET($place, $c);");
				push(@shown, "$label$text");
				next;
			}
			push(@code, "SET($place, " . c_string($text) . ');');
			push(@shown, $label . shown_text($text, 48));
		} elsif ($value =~ /^A(\d+)_c$/) {
			my $max = $1 > 48 ? 48 : $1 - 1;
			my $text = random_text($max);

			$text = substr($text, 0, $1);
			push(@code, "memcpy((void *)$place, " . c_string($text) . ', ' .
			     (length($text) < $1 ? length($text) + 1 : $1) . ');');
			push(@shown, $label . shown_text($text, $max));
		} elsif ($value eq 'PFv_') {
			my $function = pick(@functions);

			push(@code, "SET($place, (void *)$function);");
			push(@shown, "$label$function");
		} elsif ($value =~ /^E.(.{8})$/ && $enumerators{$1}) {
			my $names = $enumerators{$1};
			my $number = int(rand(@$names));

			push(@code, "SET_NUMBER($place, $number);");
			push(@shown, "$label$names->[$number]");
		} elsif ($value =~ /^T[^;]*;E.(.{8})$/ && $macros{$1}) {
			my @flags = grep { rand() < 0.2 } @{$macros{$1}};

			push(@code, "SET_NUMBER($place, 0x100000000" .
			     join('', map { ' | 0x' . s/.*=//r } @flags) . ');');
			push(@shown, $label . join('|', map({ s/=.*//r } @flags), '0x100000000'));
		} elsif ($bits) {
			my $number = int(rand($bits < 4 ? 1 << $bits : 10));

			push(@code, "$place = $number;");
			push(@shown, "$label$number");
		} else {
			my $number = int(rand(10));

			push(@code, "SET_NUMBER($place, $number);");
			push(@shown, "$label$number");
		}
	}
	push(@body, "\t{\n\t\tstruct $type *object = new(sizeof(*object));\n\n",
	     (map { "\t\t$_\n" } @code), "\t\tobject_$type(object);\n\t\tfree_objects();\n\t}\n");
	my $digest = 'ADDRESS{' . join(', ', @shown) . '}';
	push(@expected, "object_$type(object=$digest); /* ret=$digest */\n");
}

for my $i (1 .. $options{n}) {
	call($i <= @names ? $names[$i - 1] : pick(@names));
}

sub write_file {
	my ($name, @lines) = @_;

	open(my $out, '>', "$dir/$name") or die "$dir/$name: $!\n";
	print $out @lines;
	close($out) or die "$dir/$name: $!\n";
}

mkdir($dir);
my %includes = map { ("#include <$headers{$_}>\n" => 1) } @names;
# Split the calls, because one function with a thousand calls takes minutes to compile
my (@inits, @calls);
while (@body) {
	my @part = splice(@body, 0, 400);

	while (@body && $body[0] !~ /^\t\{/) {
		push(@part, shift(@body));
	}
	push(@inits, 'static noinline void calls_' . @calls . "(void)\n{\n", @part, "}\n\n");
	push(@calls, 'calls_' . @calls . "();\n");
}
write_file('arg_objects.c', <<'END', (sort keys %includes), <<'END', (map { <<END } @names), @inits, "static int __init arg_objects_init(void)\n{\n", (map { "\t$_" } @calls), <<'END');
// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
END

static void *objects[16];
static unsigned int nr_objects;

static void *new(size_t size)
{
	void *object = kmalloc(size + 256, GFP_KERNEL | __GFP_NOFAIL);

	memset(object, 0xee, size + 256);
	objects[nr_objects++] = object;
	return object;
}

static void free_objects(void)
{
	while (nr_objects)
		kfree(objects[--nr_objects]);
}

#define SET(place, pointer)						\
do {									\
	const void *__pointer = pointer;				\
									\
	BUILD_BUG_ON(sizeof(place) != sizeof(__pointer));		\
	memcpy((void *)&(place), &__pointer, sizeof(place));		\
} while (0)

#define SET_NUMBER(place, number)					\
do {									\
	u64 __number = number;						\
									\
	memcpy((void *)&(place), &__number, sizeof(place));		\
} while (0)

END
noinline __noclone const struct $_ *object_$_(const struct $_ *object);
noinline __noclone const struct $_ *object_$_(const struct $_ *object)
{
	asm volatile("" : : "r" (object) : "memory");
	return object;
}

END
	return -EAGAIN;	/* nothing is left to unload */
}
module_init(arg_objects_init);

MODULE_DESCRIPTION("Objects that digests are shown of");
MODULE_LICENSE("GPL");
END
write_file('Makefile', "# SPDX-License-Identifier: GPL-2.0\n", "obj-m += arg_objects.o\n");
write_file('expected', @expected);
