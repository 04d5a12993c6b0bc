#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# lab/bench profile runs this script in the guest to count instructions. Each part is the
# calls of one function in one mode. Prints "part FUNCTION MODE" lines, and writes the
# symbols of all modes to "symbols".
here=$PWD
cd /sys/kernel/tracing || exit 1

# part FUNCTION MODE: run the calls of a part
part()
{
	# A loaded module removes its line from the list
	case $1 in
	bench*)	echo "${1%/*}:mod:arg_bench" > set_ftrace_filter ;;
	*)	echo "${1%/*}" > set_ftrace_filter ;;
	esac
	insmod "$here/arg_bench.ko" "only=$1" 2>/dev/null
	grep ' [tTwW] ' /proc/kallsyms >> "$here/symbols"
	echo "part $1 $2"
}

for function in int_pow/2 ktime_get_seconds/0 bench_text_user/1; do
	echo nop > current_tracer
	part $function none
	echo function_graph > current_tracer
	part $function graph
	echo 1 > options/funcgraph-args
	echo 1 > options/funcgraph-retval
	part $function args
	echo '*: error' > set_graph_filter
	part $function error
	echo > set_graph_filter
	echo 1 > options/funcgraph-single
	part $function single
	echo 0 > options/funcgraph-single
	echo 0 > options/funcgraph-args
	echo 0 > options/funcgraph-retval
	if [ $function = int_pow/2 ]; then
		echo 'int_pow: exp' > set_graph_hist
		part $function hist
		echo 'int_pow: exp,ret' > set_graph_hist
		part $function hist-ret
		echo > set_graph_hist
	fi
done
