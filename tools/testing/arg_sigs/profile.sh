#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What lab/bench profile counts, in the guest: each part is a function's calls in a mode.
# Prints "part FUNCTION MODE" lines, and leaves the symbols of all modes in "symbols".
here=$PWD
cd /sys/kernel/tracing || exit 1

# part FUNCTION MODE
part()
{
	insmod "$here/arg_bench.ko" "only=$1" 2>/dev/null
	grep ' [tTwW] ' /proc/kallsyms >> "$here/symbols"
	echo "part $1 $2"
	# A module that was loaded takes its line out of the list
	[ "$1" = "${1#bench}" ] || echo "${1%/*}:mod:arg_bench" > set_ftrace_filter
}

option()
{
	[ ! -e "options/$1" ] || echo "$2" > "options/$1"
}

for function in int_pow/2 ktime_get_seconds/0 bench_text_user/1; do
	echo nop > current_tracer
	part $function none
	[ $function != "${function#bench}" ] || echo "${function%/*}" > set_ftrace_filter
	echo function_graph > current_tracer
	part $function graph
	option funcgraph-args 1
	option funcgraph-retval 1
	part $function args
	if [ -e set_graph_filter ]; then
		echo '*: error' > set_graph_filter
		part $function error
		echo > set_graph_filter
	fi
	option funcgraph-args 0
	option funcgraph-retval 0
done
