#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# lab/bench runs this script in the guest to measure costs.  Prints "NAME VALUE..." lines.
# If there is a file "calls-only", the script measures only the calls.
here=$PWD
cd /sys/kernel/tracing || exit 1

# calls MODE: measure the cost of a call, in hundredths of an instruction
calls()
{
	# A loaded module removes its line from the list
	[ "$1" = none ] || echo '*bench*:mod:arg_bench' >> set_ftrace_filter
	dmesg -C
	insmod "$here/arg_bench.ko" 2>/dev/null
	dmesg | sed -n "s/.*arg_bench \(.*\)/call $1 \1/p"
}

workload()
{
	for i in 1 2 3 4 5 6 7 8; do
		ls -lR /sys/kernel/slab /proc/self /etc >/dev/null
		cat /proc/interrupts /proc/meminfo >/dev/null
		cp /bin/true /tmp/true.$i && /tmp/true.$i
	done
}

# work MODE: print the nanoseconds, which are instructions, that the workload takes
work()
{
	a=$(date +%s%N)
	workload
	echo "work $1 $(($(date +%s%N) - a))"
}

# Print the bytes and the entries of all CPUs' buffers
stats()
{
	cat per_cpu/cpu*/stats | awk -v mode="$1" '/^entries/ { e += $2 }
		/^bytes/ { b += $2 } /^overrun/ { o += $2 } END { print "buffer", mode, b, e, o }'
}

# record NAME: run the workload with all functions traced
record()
{
	echo > set_ftrace_filter
	echo > trace
	echo 1 > tracing_on
	workload
	echo 0 > tracing_on
	stats "$1"
}

# render MODE: print the nanoseconds, which are instructions, and the lines
render()
{
	a=$(date +%s%N); b=$(date +%s%N)
	cat trace >/dev/null
	c=$(date +%s%N)
	echo "render $1 $((c - b - (b - a))) $(wc -l <trace)"
}

# load MODE: print the nanoseconds, which are instructions, that a load of a module takes
load()
{
	for _ in 1 2 3; do
		a=$(date +%s%N)
		insmod "$here/arg_sample.ko"
		b=$(date +%s%N)
		rmmod arg_sample
	done
	echo "load $1 $((b - a))"
}

option()
{
	[ ! -e "options/$1" ] || echo "$2" > "options/$1"
}

dmesg | sed -n 's/^\[ *\([0-9.]*\)\] Run \/init as init process.*/boot \1/p'
echo 0 > tracing_on
calls none
echo ktime_get_seconds int_sqrt int_pow set_normalized_timespec64 mktime64 > set_ftrace_filter
echo function_graph > current_tracer
echo 1 > tracing_on
calls graph
if [ -e options/funcgraph-args ]; then
	echo > trace
	echo 1 > options/funcgraph-args
	calls args
	if [ -e options/funcgraph-deref ]; then
		echo 1 > options/funcgraph-deref
		calls deref
		echo 0 > options/funcgraph-deref
	fi
	option funcgraph-retval 1
	calls args-retval
	if [ -e options/funcgraph-deref ]; then
		echo 1 > options/funcgraph-deref
		calls results
		echo 0 > options/funcgraph-deref
	fi
	if [ -e options/funcgraph-single ]; then
		echo 1 > options/funcgraph-single
		calls single
		echo 0 > options/funcgraph-single
	fi
	if [ -e set_graph_filter ]; then
		# None of these calls meets a condition
		echo '*: error' > set_graph_filter
		calls error
		printf '%s\n' 'int_sqrt: x == 0x123456789' 'int_pow: exp == 77' \
			'set_normalized_timespec64: nsec < 0 && sec == 5' \
			'mktime64: year0 == 3 || hour == 77' > set_graph_filter
		calls entry
		echo > set_graph_filter
	fi
	if [ -e set_graph_hist ]; then
		# Count calls by a parameter, then by a parameter and the return value
		printf '%s\n' 'int_sqrt: x' 'int_pow: exp' 'mktime64: year0' \
			'set_normalized_timespec64: sec' > set_graph_hist
		calls hist
		printf '%s\n' 'int_sqrt: x,ret' 'int_pow: exp,ret' 'mktime64: year0,ret' \
			> set_graph_hist
		calls hist-ret
		echo > set_graph_hist
	fi
	option funcgraph-args 0
	calls retval
	option funcgraph-retval 0
	echo function > current_tracer
	calls function
	option func-args 1
	calls func-args
	option func-args 0
	echo function_graph > current_tracer
fi
echo 0 > tracing_on
if [ -e set_graph_filter ] && [ -e "$here/arg_sample.ko" ]; then
	echo nop > current_tracer
	load none
	for name in a b c d e; do
		mkdir "instances/$name"
		echo '*: error' > "instances/$name/set_graph_filter"
	done
	load lines
	rmdir instances/*
fi
echo nop > current_tracer
echo > set_ftrace_filter
work none
if [ -e set_graph_filter ]; then
	option funcgraph-args 1
	option funcgraph-retval 1
	echo '*: error' > set_graph_filter
	echo 1 > tracing_on
	echo function_graph > current_tracer
	work error
	echo nop > current_tracer
	echo 0 > tracing_on
	echo > set_graph_filter
fi
[ ! -e "$here/calls-only" ] || exit 0
echo function_graph > current_tracer
echo 40000 > buffer_size_kb

# Upstream shows recorded arguments even if the option is not set
for args in 0 1; do
	[ $args = 0 ] || [ -e options/funcgraph-args ] || break
	# Do not trace the reader of the trace
	option funcgraph-retval 0
	option funcgraph-args $args
	record $args
	echo panic > set_ftrace_filter
	set -- plain retval-only
	[ $args = 0 ] || set -- args retval
	render "$1"
	option funcgraph-retval 1
	render "$2"
done

# Run the workload with one event for a call
if [ -e options/funcgraph-single ]; then
	option funcgraph-retval 1
	option funcgraph-args 1
	echo 1 > options/funcgraph-single
	record single
	echo 0 > options/funcgraph-single
fi

# Run the workload with conditions: the failing calls of any function, then the failing
# calls with a rare error
if [ -e set_graph_filter ]; then
	option funcgraph-retval 1
	option funcgraph-args 1
	for name in error rare; do
		line='*: error'
		if [ $name = rare ]; then
			for error in ENODATA ECHILD EOPNOTSUPP; do
				line="$line && ret != -$error"
			done
		fi
		echo "$line" > set_graph_filter
		record $name
		awk -v name=$name -v line="$line" \
			'END { print "condition", name, $2, $3, line }' graph_filter_counts
		echo > set_graph_filter
	done
fi
