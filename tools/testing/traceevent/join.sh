#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Makes recordings of function_graph and, in an instance, of bts for trace-calls branches
# --calls, in a guest on the emulated CPU.  The log of the emulated CPU has marks around the
# branches of each recording. all.dat has all functions. filter.dat has the functions of a
# filter. depth.dat has calls that are not deep. lost.dat has overrun. cond.dat has failing
# calls.  The symbols are in kallsyms.  If there is a file "long", the recordings other than
# all.dat have longer commands, and open.dat and error.dat have one task.
set -e
# shellcheck source=tools/testing/traceevent/bts-record.sh
. ./bts-record.sh
branches=$tracing/instances/branches

# record NAME MARK KB KB COMMAND...: record all tasks while a command runs
record()
{
	local name=$1 mark=$2

	mkdir -p $branches
	echo 0 >$tracing/tracing_on
	echo 0 >$branches/tracing_on
	echo "$3" >$tracing/buffer_size_kb
	echo "$4" >$branches/buffer_size_kb
	shift 4
	echo function_graph >$tracing/current_tracer
	echo bts >$branches/current_tracer
	mark "$mark"
	echo 1 >$tracing/tracing_on
	echo 1 >$branches/tracing_on
	"$@" >/dev/null 2>&1 || :
	echo 0 >$branches/tracing_on
	echo 0 >$tracing/tracing_on
	mark $((mark + 1))
	trace-cmd extract -t -B branches -o "$name.dat" >/dev/null
	echo "recorded $name, ${SECONDS} s"
	# trace-cmd may have removed the instance
	[ ! -d $branches ] || rmdir $branches
	echo nop >$tracing/current_tracer
	# A change of the size empties the buffer
	echo 8 >$tracing/buffer_size_kb
}

# Make a few calls of each kind, without exec
small()
{
	(read -r <"$1")
}

# A task that changes the CPU has branches in buffers that are drained at different times
taskset -p -c $((cpus - 1)) $$ >/dev/null
lost_kb=64
# The commands for filter, depth, lost and cond
commands=('small /proc/version' 'small /proc/version' 'small /proc/version' 'small /no/such/file')
if [ -e long ]; then
	lost_kb=512
	commands=('sh -c "ls -l /usr/bin /proc/self; md5sum /proc/meminfo"' 'ls -l /usr'
		  'ls -l /proc/self' 'cat /no/such/file')
fi

echo 1 >$tracing/options/funcgraph-args
echo 1 >$tracing/options/funcgraph-retval
cat /proc/kallsyms >kallsyms

record all 0 16384 16384 cat /proc/version
# Not every kernel has all of these functions
for function in 'vfs_*' do_sys_openat2 'link_path_walk*' do_filp_open do_file_open \
		handle_mm_fault schedule 'tick_*'; do
	echo "$function" >>$tracing/set_ftrace_filter || :
done 2>/dev/null
record filter 2 16384 16384 eval "${commands[0]}"
echo >$tracing/set_ftrace_filter
echo 3 >$tracing/max_graph_depth
record depth 4 16384 16384 eval "${commands[1]}"
echo 0 >$tracing/max_graph_depth
record lost 6 $lost_kb 64 eval "${commands[2]}"
echo '*: error' >$tracing/set_graph_filter
record cond 8 16384 16384 eval "${commands[3]}"
echo >$tracing/set_graph_filter

# Record one command, as a user does. Another task on its CPU interrupts the command.
record_task()
{
	local name=$1 mark=$2 other

	shift 2
	taskset -c 1 sh -c 'while :; do :; done' &
	other=$!
	mark "$mark"
	trace-cmd record -F -p function_graph -O funcgraph-args -O funcgraph-retval "$@" \
		-B branches -p bts -o "$name.dat" taskset -c 1 cat /no/such/file \
		>/dev/null 2>&1 || :
	mark $((mark + 1))
	kill $other
	echo "recorded $name, ${SECONDS} s"
}
[ -e long ] || exit 0
record_task open 10 -g do_sys_openat2
echo '*: error' >$tracing/set_graph_filter
record_task error 12
