#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Makes recordings in the guest. For each NAME below, NAME.dat is a recording of stock
# trace-cmd, and NAME.trace is the kernel's own text of the same buffer. arg_other.ko has
# functions of the same size and in the same order as arg_sample.ko, but with other names
# and parameters.
set -e
work=$PWD
tracing=/sys/kernel/tracing
options='-p function_graph -O funcgraph-args -O funcgraph-retval'

load()
{
	ls -lR /usr /sys/kernel/tracing/options
	cat /proc/self/maps /proc/meminfo
	cp /usr/bin/busybox /tmp/copy
	cat /no/such/file || :
	(sleep 0.01 & wait)
} >/dev/null 2>&1

# Show where the processes of trace-cmd wait
show_waiting()
{
	for task in $(pgrep -f trace-cmd); do
		echo "$task: $(tr '\0' ' ' </proc/"$task"/cmdline)"
		cat /proc/"$task"/wchan /proc/"$task"/syscall /proc/"$task"/stack || :
	done
	grep -H . $tracing/tracing_on $tracing/per_cpu/cpu*/stats
} >&2

# ends COMMAND...: run trace-cmd, which is to end in 60 seconds. Stock trace-cmd once did not
# end. Its processes are shown, and killed: a process that waits in the kernel for ever stays.
ends()
{
	timeout -s KILL 60 "$@" 2>&1 &
	task=$!
	seconds=0
	while kill -0 "$task" 2>/dev/null; do
		sleep 1
		seconds=$((seconds + 1))
		[ "$seconds" -ne 55 ] || show_waiting
	done
	wait "$task" && return
	pkill -KILL trace-cmd || return
	sleep 5
	! pgrep trace-cmd || { echo "trace-cmd cannot be killed" >&2; show_waiting; exit 1; }
	return 1
}

# record ARGUMENT...: run trace-cmd record. Its messages are in the log, in case a
# recording has no events.
record()
{
	for try in 1 2 3; do
		echo "trace-cmd record $*: try $try"
		! ends trace-cmd record "$@" || return 0
	done
	return 1
}

# finish NAME: save the recording and the kernel's text
finish()
{
	trace-cmd stop
	cat $tracing/trace >"$work/$1.trace"
	trace-cmd extract -o "$work/$1.dat" >/dev/null
	trace-cmd reset >/dev/null
	echo >$tracing/set_ftrace_filter
}

# record_load NAME OPTION...: save calls of the load
record_load()
{
	name=$1
	shift
	# shellcheck disable=SC2086 # splitting into words is intended
	trace-cmd start $options "$@" >/dev/null
	load
	finish "$name"
}

# Known calls of a module, while the module is loaded, and after the module was unloaded
echo 'sample_*:mod:arg_sample' >$tracing/set_ftrace_filter
# shellcheck disable=SC2086 # splitting into words is intended
trace-cmd start $options >/dev/null
insmod ./arg_sample.ko
finish known
rmmod arg_sample

echo 'sample_*:mod:arg_sample' >$tracing/set_ftrace_filter
# shellcheck disable=SC2086
trace-cmd start $options >/dev/null
insmod ./arg_sample.ko
rmmod arg_sample
finish gone

# Calls with their callers, which v7.2 can record as well
if [ -e $tracing/options/funcgraph-retaddr ]; then
	echo 'vfs_*' 'do_*' >$tracing/set_ftrace_filter
	record_load retaddr -O funcgraph-retaddr
	echo 0 >$tracing/options/funcgraph-retaddr
else
	: >retaddr.dat
	: >retaddr.trace
fi

# A module at the address of an unloaded module, and calls without the number of their
# module's set
text()
{
	cat "/sys/module/$1/sections/.text"
}

# The filter has the addresses of each load only
load_traced()
{
	echo "${1#arg_}_*:mod:$1" >>$tracing/set_ftrace_filter
	insmod "./$1.ko"
}
echo 'sample_*:mod:arg_sample' 'other_*:mod:arg_other' >$tracing/set_ftrace_filter
# shellcheck disable=SC2086
trace-cmd start $options >/dev/null
for _ in 1 2 3 4 5; do
	load_traced arg_sample
	was=$(text arg_sample)
	rmmod arg_sample
	load_traced arg_other
	is=$(text arg_other)
	[ "$was" != "$is" ] || break
	rmmod arg_other
done
[ "$was" = "$is" ] || { echo "no address was used again"; exit 1; }
rmmod arg_other
echo 0 >$tracing/options/funcgraph-args
load_traced arg_other
[ "$was" = "$(text arg_other)" ] || { echo "the address was not used again"; exit 1; }
echo 1 >$tracing/options/funcgraph-args
finish reused
rmmod arg_other

# All functions of the kernel
record_load all -b 100000

# A small buffer overruns
record_load overrun -b 100

# Calls that meet the lines of set_graph_filter
echo '*: error' >$tracing/set_graph_filter
record_load met -b 20000
echo >$tracing/set_graph_filter

# One event for a call
record_load single -b 50000 -O funcgraph-single -O funcgraph-deref
echo 0 >$tracing/options/funcgraph-single
echo 0 >$tracing/options/funcgraph-deref

# The targets of pointers, and the values of expressions
# shellcheck disable=SC2016 # $arg1 is a parameter of the function
printf '%s\n' 'vfs_*: first=+0($arg1), $arg2:x16' 'vfs_write: at=+0(pos):s64, n=count:u32' \
	'do_fil?_open: +0(+0(pathname)):string' >$tracing/func_args_expr
record_load deref -b 50000 -O funcgraph-deref
echo 0 >$tracing/options/funcgraph-deref
echo >$tracing/func_args_expr

# The function tracer, with arguments and without
echo 'sample_*:mod:arg_sample' >$tracing/set_ftrace_filter
trace-cmd start -p function -O func-args >/dev/null
insmod ./arg_sample.ko
finish function-known
rmmod arg_sample
trace-cmd start -b 10000 -p function -O func-args >/dev/null
load
finish function
echo 0 >$tracing/options/func-args
record -p function -l 'vfs_*' -o function-plain.dat sh -c 'cat /proc/meminfo; sleep 1' >/dev/null

# Recordings made while the load runs. If a recorder of trace-cmd has not begun to read
# when the command ends, it records nothing. So each command runs for a second longer.
# shellcheck disable=SC2086
record $options -g vfs_write -o write.dat sh -c \
	'for n in 1 2 3 4 5 6 7 8; do echo "some text" >/tmp/written; done; sleep 1'
# shellcheck disable=SC2086
record -B one $options -l path_openat -B two $options -l vfs_write -o instance.dat \
	sh -c 'echo "some text" >/tmp/written; cat /no/such/file; sleep 1'
# shellcheck disable=SC2086
record -b 64 $options -o lost.dat sh -c 'ls -lR /usr >/dev/null'
# shellcheck disable=SC2086
record $options -l 'sample_*:mod:arg_sample' -l vfs_write -o module.dat sh -c \
	'insmod ./arg_sample.ko; rmmod arg_sample; echo "some text" >/tmp/written; sleep 1'
trace-cmd split -i all.dat -o part.dat -m 100 >/dev/null 2>&1
# trace-cmd 3.1 adds a number even to the only part
[ -e part.dat ] || mv part.dat.1 part.dat

# trace-cmd fails if a format has another size when it is read again, so modules must not
# change the size. Print the size, and the number of entries of the module.
for _ in 1 2 3 4 5; do
	insmod ./arg_sample.ko
	cat $tracing/events/ftrace/arg_sigs/format >format
	rmmod arg_sample
	echo "$(wc -c <format) $(grep -oE '[mr][0-9]+;arg_sample;' format | wc -l)"
	cat $tracing/events/ftrace/arg_sigs/format >format
	echo "$(wc -c <format) $(grep -oE '[mr][0-9]+;arg_sample;' format | wc -l)"
done >sizes

# A recording over the network, in this case to the same machine. Formats are sent first.
trace-cmd listen -p 5678 -d . >listen.log 2>&1 &
listener=$!
until grep -qi ':162E ' /proc/net/tcp; do
	sleep 0.5
done
# shellcheck disable=SC2086
trace-cmd record -N 127.0.0.1:5678 $options -l 'sample_*:mod:arg_sample' -l vfs_write sh -c \
	'insmod ./arg_sample.ko; echo "some text" >/tmp/written; sleep 1' >/dev/null 2>&1
kill $listener
wait $listener || :
for file in trace.*.dat; do
	mv "$file" network.dat
done
rmmod arg_sample

TRACEEVENT_PLUGIN_DIR=$work
export TRACEEVENT_PLUGIN_DIR
# trace-cmd shows the pages that its recorders have read when the command ends, and does not
# wait for the last page of a CPU. So the command fills pages, and then runs for a second.
for try in 1 2 3; do
	echo "stream: try $try"
	# shellcheck disable=SC2016,SC2086 # the inner shell expands $(seq)
	ends trace-cmd stream -b 32 $options -l vfs_write sh -c \
		'for n in $(seq 400); do echo "some text"; done >/tmp/written; sleep 1' \
		>stream.text || :
	! grep -q funcgraph_entry stream.text || break
done
