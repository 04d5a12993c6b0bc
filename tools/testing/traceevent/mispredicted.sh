#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Makes recordings for trace-calls branches in a guest on the emulated CPU, which mispredicts
# branches. both.dat has the branches of all tasks and of both sides, with marks in the CPU's log
# around them, and both.text has the same branches as text. module.dat has the module bts_tree.
set -e
tracing=/sys/kernel/tracing

mark()
{
	local cpu

	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		taskset -c $cpu bts-mark "$1"
	done
}

# record NAME MARK COMMAND...: record all tasks while a command runs
record()
{
	local name=$1 mark=$2

	shift 2
	echo 0 >$tracing/tracing_on
	echo 16384 >$tracing/buffer_size_kb
	echo bts >$tracing/current_tracer
	mark "$mark"
	echo 1 >$tracing/tracing_on
	"$@" >/dev/null || :
	echo 0 >$tracing/tracing_on
	mark $((mark + 1))
	cat $tracing/trace >"$name.text"
	trace-cmd extract -o "$name.dat" >/dev/null
	trace-cmd reset >/dev/null
}

echo 1 >$tracing/options/bts-user
record both 0 cat /proc/version
echo 0 >$tracing/options/bts-user
record module 2 insmod bts_tree.ko
