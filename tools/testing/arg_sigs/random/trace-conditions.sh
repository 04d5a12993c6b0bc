#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Trace those calls of arg_random.ko that meet the lines of the file "conditions",
# in the guest. Prints what trace.sh prints.
set -e
tracing=/sys/kernel/tracing
# Lines are for functions that are there; then they are for those that come
insmod ./arg_random.ko
cat conditions >$tracing/set_graph_filter
rmmod arg_random
cd $tracing
echo 0 > tracing_on
echo 16384 > buffer_size_kb
echo > trace
echo '*:mod:arg_random' > set_ftrace_filter
echo function_graph > current_tracer
echo 1 > options/funcgraph-args
echo 1 > options/funcgraph-retval
echo 1 > tracing_on
insmod "$OLDPWD/arg_random.ko"
echo 0 > tracing_on
sed -n 's/^\([0-9a-f]*\) . \(rnd_\(buffer\|object\)[0-9_]*\)\t\[arg_random\]$/@\2@ \1/p' \
	/proc/kallsyms
sed -n -e '/^#/d' -e 's/^[^|]*| *//p' trace
