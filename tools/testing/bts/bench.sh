#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lab/bench runs this script to measure the bts tracer, in a guest with one emulated
# CPU whose clock counts instructions. Prints lines
#
#	time WORKLOAD MODE NANOSECONDS
#	events WORKLOAD NUMBER BYTES	of the function tracer
#
# and writes the raw pages of WORKLOAD and MODE to raw.WORKLOAD.MODE, and perf's
# recording of the user space of "calls" to perf.data.

work=$PWD
perf=("$work/perf/ld-linux-x86-64.so.2" --library-path "$work/perf" "$work/perf/perf")
cd /sys/kernel/tracing || exit 1

# These system calls do next to nothing
calls=(dd if=/dev/zero of=/dev/null bs=1 count=20000)

# This workload uses programs, files and folders
files()
{
	ls -lR /proc/self /etc /usr/lib
	cat /proc/interrupts /proc/meminfo
	cp /bin/true /tmp/true && /tmp/true
} >/dev/null

# copied MODE: print the time that dd prints
copied()
{
	awk -v mode="$1" '/copied/ { printf "time calls %s %d\n", mode, $(NF - 3) * 1000000000 }'
}

# ran WORKLOAD MODE: run a workload and print its time. dd prints its time itself.
ran()
{
	local a b

	case $1 in
	calls)	"${calls[@]}" 2>&1 | copied "$2" ;;
	files)	a=$(date +%s%N)
		files 2>/dev/null
		b=$(date +%s%N)
		echo "time files $2 $((b - a))" ;;
	esac
}

# mode KERNEL USER HOLD: set the options. Each argument is 0 or 1.
mode()
{
	echo 1 >options/bts-kernel
	echo "$2" >options/bts-user
	echo "$1" >options/bts-kernel
	echo "$3" >options/bts-hold
}

echo 65536 >buffer_size_kb
for load in calls files; do
	ran $load warm >/dev/null
	ran $load off
	for what in 'kernel 1 0 0' 'user 0 1 0' 'both 1 1 0' 'held 1 0 1'; do
		# shellcheck disable=SC2086 # splitting into words is intended
		mode ${what#* }
		what=${what%% *}
		echo bts >current_tracer || { cat error_log; exit 1; }
		ran $load "$what"
		echo 0 >tracing_on
		cat per_cpu/cpu0/trace_pipe_raw >"$work/raw.$load.$what" &
		reader=$!
		sleep 1
		kill $reader
		if ! grep -q '^overrun: 0$' per_cpu/cpu0/stats; then
			echo "$load $what: an overrun"
			exit 1
		fi
		echo nop >current_tracer
		echo 1 >tracing_on
	done
	mode 1 0 0
	echo function >current_tracer
	ran $load function
	echo 0 >tracing_on
	awk -v load=$load '/^entries/ { n = $2 } /^bytes/ { bytes = $2 } /^overrun/ { lost = $2 }
		END { if (!lost) print "events", load, n, bytes }' per_cpu/cpu0/stats
	echo nop >current_tracer
	echo 1 >tracing_on
done

cat events/ftrace/bts/format >"$work/format"
cd "$work" || exit 1
"${perf[@]}" record --per-thread -m 16,8192 -e intel_bts//u -o perf.data "${calls[@]}" 2>&1 |
	copied perf
tar cf pages format raw.* perf.data
