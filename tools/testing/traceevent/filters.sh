#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Records the calls of arg_sample.ko in all.dat, and writes to counts how many of the same calls
# met each line of the file lines: the number and the line, "-" for a line that is refused.
# Several instances take a line each while the module is loaded once.
set -e
cd /sys/kernel/tracing
work=$OLDPWD
functions='sample_*:mod:arg_sample'
instances=$(seq 16)
# One call has an address of insmod's stack
echo 0 >/proc/sys/kernel/randomize_va_space

trace-cmd record -q -b 16384 -o "$work/all.dat" -p function_graph -O funcgraph-args \
	-O funcgraph-retval -l "$functions" insmod "$work/arg_sample.ko" >/dev/null 2>&1
rmmod arg_sample
for i in $instances; do
	mkdir "instances/$i"
	# Without a function, all functions are traced while the module is not loaded
	echo cpuinfo_open >"instances/$i/set_ftrace_filter"
	echo function_graph >"instances/$i/current_tracer"
done

: >"$work/counts"
more=yes
while [ "$more" ]; do
	for i in $instances; do
		echo >"instances/$i/set_graph_filter"
		read -r line || { more=; line=; }
		echo "$line" >"/tmp/line.$i"
		rm -f "/tmp/refused.$i"
	done
	# A line is refused if it applies to no function, so the module has to be there
	insmod "$work/arg_sample.ko"
	for i in $instances; do
		cat "/tmp/line.$i" >"instances/$i/set_graph_filter" 2>/dev/null ||
			touch "/tmp/refused.$i"
	done
	rmmod arg_sample
	# The filter of a module is removed with the module
	for i in $instances; do
		echo "$functions" >>"instances/$i/set_ftrace_filter"
	done
	insmod "$work/arg_sample.ko"
	rmmod arg_sample
	for i in $instances; do
		line=$(cat "/tmp/line.$i")
		[ "$line" ] || continue
		count=$(awk 'NR == 2 { print $3 }' "instances/$i/graph_filter_counts")
		[ ! -e "/tmp/refused.$i" ] || count=-
		echo "$count $line" >>"$work/counts"
	done
done <"$work/lines"
