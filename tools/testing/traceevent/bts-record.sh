#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Records branches in a guest on the emulated CPU, with marks around them in the CPU's log

tracing=/sys/kernel/tracing
# Call nproc(1) now, because it reports only one CPU when the script is bound to a CPU later
cpus=$(nproc)

mark()
{
	local cpu

	for ((cpu = 0; cpu < cpus; cpu++)); do
		taskset -c $cpu bts-mark "$1"
	done
}

# record NAME MARK COMMAND...: record all tasks while a command runs. If texts is set, also write
# the kernel's text to NAME.text.
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
	[ -z "${texts:-}" ] || cat "$tracing/trace" >"$name.text"
	extract "$name"
}

# extract NAME: write what was recorded to NAME.dat
extract()
{
	trace-cmd extract -o "$1.dat" >/dev/null
	trace-cmd reset >/dev/null
}
