#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Measure what the branches that led to an error cost, in a guest whose clock counts
# instructions: lines of a name, a call that fails, and a call that succeeds
here=$PWD
cd /sys/kernel/tracing || exit 1
echo 0 > tracing_on
"$here/lbr-loop" none
echo __x64_sys_kill __x64_sys_getpgid > set_ftrace_filter
echo function_graph > current_tracer
echo 1 > options/funcgraph-args
echo 1 > options/funcgraph-retval
echo '*: error' > set_graph_filter
echo 1 > tracing_on
"$here/lbr-loop" off
echo 1 > options/funcgraph-lbr || exit
"$here/lbr-loop" error
grep -q '__x64_sys_kill.* -> return_to_handler' trace || exit
echo '*: ret == 77' >> set_graph_filter
"$here/lbr-loop" other
