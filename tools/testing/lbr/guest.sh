#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Write the branches that led to errors into the files all, few, single and lbr.dat, in a
# guest whose CPUs keep their last branches
here=$PWD
status=0

wrong()
{
	echo "$*"
	status=1
}

# A kernel that checks itself takes so many branches in ftrace that others may be lost
needs()
{
	[ -e /proc/lockdep_stats ] || wrong "$*"
}

# The calls that fail, and some that do not
load()
{
	cat /no/such/file /tmp /proc/self/mem 2> /dev/null
	ls /no /etc/passwd > /dev/null 2>&1
	mkdir /proc/none 2> /dev/null
	sh -c 'kill -0 99999; exit 3' 2> /dev/null
	mount -t tmpfs size /none 2> /dev/null
	cat /etc/passwd > /dev/null
	# An interrupt behind the jump takes the place of its branches, so one try is not enough
	for _ in 1 2 3 4 5 6 7 8; do
		! echo 1 > /sys/module/lbr_jump/parameters/fail
	done
}

# save NAME: what was recorded by the load, with the addresses of the branches
save()
{
	echo 1 > tracing_on
	load 2> /dev/null
	echo 0 > tracing_on
	cat trace > "$here/$1"
	echo > trace
}

cd /sys/kernel/tracing || exit 1
dmesg | grep -q '32-deep LBR' || wrong "the CPU keeps no branches"
insmod "$here/lbr_jump.ko" || exit 1
echo 0 > tracing_on
echo 20000 > buffer_size_kb
echo 1 > options/sym-offset
echo 1 > options/sym-addr
echo 1 > options/funcgraph-retval
echo '*: error' > set_graph_filter
echo 1 > options/funcgraph-lbr || wrong "funcgraph-lbr is refused"
echo function_graph > current_tracer
# With the code that calls this tracer
cat /proc/kallsyms > "$here/kallsyms"

# All functions are traced, so a block has what follows the last traced callee
save all
# A branch is not ftrace's own only because ftrace has returned to its origin
grep -q 'lbr_jump_between+.* -> lbr_jump_between+' "$here/all" ||
	needs "no jump to which a traced function returns"
# The branches of callees that are not traced are in the block as well
printf '%s\n' do_sys_openat2 vfs_read vfs_statx do_send_specific > set_ftrace_filter ||
	wrong "not traced"
save few
echo 1 > options/funcgraph-single
save single
echo 0 > options/funcgraph-single

# No other branches than those of errors are wanted
echo 'vfs_read: ret >= 0' > set_graph_filter
save other
grep -q 'vfs_read.* -> return_to_handler' "$here/other" ||
	needs "no branches of calls without an error"
echo '*: error' > set_graph_filter
echo 0 > options/funcgraph-lbr
save off
! grep ' -> ' "$here/off" || wrong "branches without funcgraph-lbr"
grep -q 'do_sys_openat2.*ret=-2' "$here/off" || wrong "no errors without funcgraph-lbr"

# A CPU that comes again keeps its branches again
echo 1 > options/funcgraph-lbr
if [ -e /sys/devices/system/cpu/cpu1/online ]; then
	echo 0 > /sys/devices/system/cpu/cpu1/online
	echo 1 > /sys/devices/system/cpu/cpu1/online
	echo 1 > tracing_on
	taskset 2 cat /no/such/file 2> /dev/null
	echo 0 > tracing_on
	grep -q '^ 1).* -> return_to_handler' trace || needs "no branches of a CPU that came again"
	echo > trace
fi

# One of two instances ends, and the bts tracer cannot have the CPU's branches meanwhile
mkdir instances/other
echo '*: error' > instances/other/set_graph_filter
[ "$(cat instances/other/options/funcgraph-lbr)" = 0 ] || wrong "a new instance has the option"
echo 1 > instances/other/options/funcgraph-lbr || wrong "a second instance is refused"
echo function_graph > instances/other/current_tracer
# Of two instances that trace a call, only the first has its branches
echo nop > current_tracer
load 2> /dev/null
echo 0 > instances/other/tracing_on
echo function_graph > current_tracer
grep -q 'do_sys_openat2+.* -> return_to_handler' instances/other/trace ||
	needs "no branches in a second instance"
! echo bts > instances/other/current_tracer 2> /dev/null ||
	wrong "bts has the CPU's branches as well"
rmdir instances/other || wrong "an instance with funcgraph-lbr cannot be removed"
save again
grep -q 'do_sys_openat2+.* -> return_to_handler' "$here/again" ||
	needs "no branches after another instance"

# Stock trace-cmd with the plugin has them, too
cd "$here" || exit 1
echo 0 > /sys/kernel/tracing/options/sym-addr
cp /sys/kernel/tracing/set_graph_filter lines
trace-cmd start -p nop > /dev/null
mkdir /sys/kernel/tracing/instances/rec
echo '*: error' > /sys/kernel/tracing/instances/rec/set_graph_filter
# A recorder that has not begun to read when the command ends records nothing. So the command
# ends when the recorders of all CPUs have opened their files.
# shellcheck disable=SC2016 # the recorded shell expands them
trace-cmd record -q -B rec -p function_graph -l do_sys_openat2 -O funcgraph-args \
	-O funcgraph-retval -O funcgraph-lbr -o lbr.dat \
	sh -c 'cat /no/such/file
		cpus=$(nproc --all)
		until [ "$(ls -l /proc/[0-9]*/fd | grep -c trace_pipe_raw)" -ge "$cpus" ]; do
			sleep 0.1
		done' > said 2>&1
[ -s lbr.dat ] || wrong "trace-cmd record has failed: $(cat said)"
[ ! -e /proc/lockdep_stats ] || grep -q 'debug_locks: *1' /proc/lockdep_stats ||
	wrong "lockdep is switched off"
exit $status
