#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Trace the calls of arg_sample.ko, in the guest, and print them one a line as
# the comments of arg_sample.c have them.
set -e
cd /sys/kernel/tracing
echo 0 > tracing_on
echo > trace
echo 'sample_*:mod:arg_sample' > set_ftrace_filter
echo function_graph > current_tracer
echo 1 > options/funcgraph-args
echo 1 > options/funcgraph-retval
echo 1 > tracing_on
insmod "$OLDPWD/arg_sample.ko"
echo 0 > tracing_on
# "0)   0.7 us   |  f [m](a=1); /* ret=2 */" becomes "f(a=1); ret=2"
sed -n -e '/^#/d' -e '/ | /!d' \
	-e 's/^[^|]*| *//' \
	-e 's/^\([a-z0-9_]*\) \[arg_sample\](/\1(/' \
	-e 's/^} \/\* \([a-z0-9_]*\) \[arg_sample\]/} \1/' \
	-e 's|/\* ||; s| \*/||; s| *$||' \
	-e 's/^\(sample_ret_big(.*ret=\)0xffff[0-9a-f]\{12\}$/\1ADDRESS/' \
	-e 's/^\(sample_text(\)a=\(0xffff[0-9a-f]*000\), b=\2,/\1a=ADDRESS, b=ADDRESS,/' \
	-e 's/^\(sample_buffer(.* c=\)0xffff[0-9a-f]\{12\},/\1ADDRESS,/' \
	-e '/^[s}]/p' trace
