#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: for each NAME below, NAME.dat is what stock trace-cmd has
# recorded, NAME.trace what the kernel itself shows of the same buffer.
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

# finish NAME
finish()
{
	trace-cmd stop
	cat $tracing/trace >"$work/$1.trace"
	trace-cmd extract -o "$work/$1.dat" >/dev/null
	trace-cmd reset >/dev/null
	echo >$tracing/set_ftrace_filter
}

# Known calls of a module, there and gone
echo 'sample_*:mod:arg_sample' >$tracing/set_ftrace_filter
# shellcheck disable=SC2086 # words are what is wanted
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

# All that the kernel does
# shellcheck disable=SC2086
trace-cmd start -b 100000 $options >/dev/null
load
finish all

# Recorded while it happens
# shellcheck disable=SC2086
trace-cmd record $options -g vfs_write -o write.dat \
	sh -c 'echo "some text" >/tmp/written' >/dev/null 2>&1
# shellcheck disable=SC2086
trace-cmd record -B one $options -g do_filp_open -o instance.dat \
	cat /no/such/file >/dev/null 2>&1 || :
# shellcheck disable=SC2086
trace-cmd record -b 64 $options -o overrun.dat ls -lR /usr >/dev/null 2>&1
trace-cmd split -i all.dat -o part.dat -m 100 >/dev/null 2>&1
mv part.dat.1 part.dat

TRACEEVENT_PLUGIN_DIR=$work
export TRACEEVENT_PLUGIN_DIR
# With or without a plugin, stock trace-cmd may take a pipe that has nothing yet
# for one that is closed, and show nothing
for _ in 1 2 3 4 5; do
	# shellcheck disable=SC2086
	trace-cmd stream $options -g vfs_write sh -c \
		'echo "some text" >/tmp/written; sleep 2; echo "some text" >/tmp/written; sleep 1' \
		>stream.text 2>&1
	! grep -q funcgraph_entry stream.text || break
done
