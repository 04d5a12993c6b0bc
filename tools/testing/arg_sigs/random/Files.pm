# SPDX-License-Identifier: GPL-2.0
#
# The files of the module: the files of its functions, and the files that all
# functions share

package Files;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT = qw(use_dir write_file c_file run_c common);

my $dir;
my @objects = ('main');
my @runs;

# Write all files to this folder
sub use_dir
{
	$dir = $_[0];
	-d $dir or mkdir $dir or die "$0: $dir: $!\n";
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

# A function that makes the calls of a file. Loading the module calls this function.
sub run_c
{
	my ($file, $calls) = @_;

	push @runs, "run_$file";
	return "notrace void run_$file(void)\n{\n$calls}\n";
}

# Write the files that all functions share
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

static notrace void make_calls(void)
{
END
}

static bool run_at_init = true;

/*
 * Probe events need the module before the calls are made. With run=0, loading the module makes
 * no calls, and a write to the parameter makes them.
 */
static notrace int set_run(const char *val, const struct kernel_param *kp)
{
	if (*val == '0')
		run_at_init = false;
	else
		make_calls();
	return 0;
}

static const struct kernel_param_ops run_ops = {
	.set = set_run,
};
module_param_cb(run, &run_ops, NULL, 0200);

static notrace int __init arg_random_init(void)
{
	if (run_at_init)
		make_calls();
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
}

1;
