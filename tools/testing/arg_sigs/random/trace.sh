#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Trace the calls of arg_random.ko, in the guest. Prints the addresses that the
# expected text refers to, "@NAME@ ADDRESS", and then the trace's lines.
set -e
cd /sys/kernel/tracing
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
