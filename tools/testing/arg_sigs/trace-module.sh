#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Trace the calls of the module arg_*.ko while it is loaded, in the guest. Print the
# addresses in the expected text of arg_random.ko as "@NAME@ ADDRESS", and then the
# trace's lines without their columns. If there is a file "single", a call is one event,
# and its line is written like the line of a call without callees.
set -e
cd /sys/kernel/tracing
module=$(basename "$OLDPWD"/arg_*.ko .ko)
functions='*'
# The module's other functions only make the calls
case $module in
arg_sample)	functions='sample_*' ;;
arg_objects)	functions='object_*' ;;
esac
echo 0 > tracing_on
echo 16384 > buffer_size_kb
echo > trace
echo "$functions:mod:$module" > set_ftrace_filter
echo function_graph > current_tracer
echo 1 > options/funcgraph-args
echo 1 > options/funcgraph-retval
# The expected text of the other modules has the targets of pointers
if [ "$module" != arg_sample ] && [ -e options/funcgraph-deref ]; then
	echo 1 > options/funcgraph-deref
fi
[ ! -e "$OLDPWD/single" ] || echo 1 > options/funcgraph-single
echo 1 > tracing_on
# arg_objects.ko refuses to stay loaded
insmod "$OLDPWD/$module.ko" || [ "$module" = arg_objects ]
echo 0 > tracing_on
sed -n 's/^\([0-9a-f]*\) . \(rnd_\(buffer\|object\)[0-9_]*\)\t\[arg_random\]$/@\2@ \1/p' \
	/proc/kallsyms
# arg_random.ko passes addresses as struct file that are no files, so compare only the
# address
nameless=
[ "$module" != arg_random ] || nameless='s/\(= *0x[0-9a-f]*\){[^{}]*}/\1/g'
sed -n -e '/^#/d' -e 's/^[^|]*| *//p' trace | sed "$nameless" | if [ -e "$OLDPWD/single" ]; then
	sed -e 's,^\(.*)\) = void \(.*\)$,\1; /* \2 */,' -e 's,^\(.*)\) = \(.*\)$,\1; /* ret=\2 */,'
else
	cat
fi
