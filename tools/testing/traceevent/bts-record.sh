#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Records branches in a guest on the emulated CPU, with marks around them in the CPU's log

tracing=/sys/kernel/tracing

mark()
{
	local cpu

	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		taskset -c $cpu bts-mark "$1"
	done
}

# record_all MARK COMMAND...: record all tasks while a command runs
record_all()
{
	local mark=$1

	shift
	echo 0 >$tracing/tracing_on
	echo 16384 >$tracing/buffer_size_kb
	echo bts >$tracing/current_tracer
	mark "$mark"
	echo 1 >$tracing/tracing_on
	"$@" >/dev/null || :
	echo 0 >$tracing/tracing_on
	mark $((mark + 1))
}

# extract NAME: write what was recorded to NAME.dat
extract()
{
	trace-cmd extract -o "$1.dat" >/dev/null
	trace-cmd reset >/dev/null
}
