#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Makes recordings for trace-calls in the guest.  known.dat has calls of a module with known
# arguments. events.dat has other events as well. instance.dat has two instances.
# single.dat, whole.dat and overrun.dat have one event for a call. both.dat has the same
# calls with two events, and in an instance with one event. deref.dat has the targets of
# pointers. lost.dat and overrun.dat have overrun. other.dat has another load. plain.dat has
# no arguments.  If a recorder is traced itself while events are lost, it may not end.  So
# only ls is traced in this case (-F).  If a recorder has not begun to read when the command ends,
# it records nothing.  So each short command ends a second later.
set -e
options='-p function_graph -O funcgraph-args -O funcgraph-retval'
tracing=/sys/kernel/tracing

# record ARGUMENT...: run trace-cmd record, and show its messages if it fails
record()
{
	trace-cmd record "$@" >record.log 2>&1 && return
	echo "trace-cmd: status $?"
	tail -n 5 record.log
	df .
	exit 1
}

# record_while COMMAND NAME OPTION...: save what is traced while COMMAND runs
record_while()
{
	command=$1
	name=$2
	shift 2
	# shellcheck disable=SC2086 # splitting into words is intended
	trace-cmd start $options "$@" >/dev/null
	$command >/dev/null
	trace-cmd stop
	trace-cmd extract -o "$name.dat" >/dev/null
	trace-cmd reset >/dev/null
}

echo 'sample_*:mod:arg_sample' >$tracing/set_ftrace_filter
record_while 'insmod ./arg_sample.ko' known
rmmod arg_sample

echo 'sample_*:mod:arg_sample' >$tracing/set_ftrace_filter
record_while 'insmod ./arg_sample.ko' single -O funcgraph-single
echo >$tracing/set_ftrace_filter

record_while 'ls -lR /usr/bin' whole -b 20000 -O funcgraph-single -O funcgraph-deref
echo 0 >$tracing/options/funcgraph-single

# Interrupts may come between the two tracers. A busy machine has more of them
# shellcheck disable=SC2086
trace-cmd record -b 20000 $options -O funcgraph-deref -O nofuncgraph-irqs -g path_openat \
	-g vfs_write -B single -b 20000 $options -O funcgraph-single -O funcgraph-deref \
	-O nofuncgraph-irqs -g path_openat -g vfs_write -e sched \
	-o both.dat sh -c 'echo "some text" >/tmp/one; ls -lR /proc/self;
		cat /no/such/file; sleep 1' \
	>/dev/null 2>&1 || :
echo 0 >$tracing/options/funcgraph-deref
echo 1 >$tracing/options/funcgraph-irqs
# shellcheck disable=SC2086
record -F $options -O funcgraph-single -b 64 -o overrun.dat ls -lR /usr
echo 0 >$tracing/options/funcgraph-single

# shellcheck disable=SC2086
trace-cmd record -b 20000 $options -g vfs_write -g vfs_read -g path_openat -e sched \
	-e syscalls -o events.dat sh -c 'echo "some text" >/tmp/one; ls -lR /proc/self;
		cat /no/such/file; sleep 1' >/dev/null 2>&1 || :
echo 'vfs_write: n=count:u32' >$tracing/func_args_expr
# shellcheck disable=SC2086
record -b 20000 $options -O funcgraph-deref -g vfs_write -g vfs_read -g path_openat \
	-o deref.dat sh -c 'echo "some text" >/tmp/one; echo "more" >>/tmp/one;
		ls -lR /proc/self; sleep 1'
echo 0 >$tracing/options/funcgraph-deref
echo >$tracing/func_args_expr
# shellcheck disable=SC2086
record -b 20000 $options -g vfs_write -o other.dat sh -c 'ls -lR /usr/bin; sleep 1'
# shellcheck disable=SC2086
trace-cmd record $options -B one $options -l path_openat -B two $options \
	-l vfs_write -o instance.dat sh -c \
	'echo "some text" >/tmp/written; cat /no/such/file; sleep 1' >/dev/null 2>&1 || :
# shellcheck disable=SC2086
record -F $options -b 64 -o lost.dat ls -lR /usr
record -p function_graph -O nofuncgraph-args -O nofuncgraph-retval -g vfs_write \
	-o plain.dat sh -c 'ls -l /usr/bin >/tmp/list; cat /tmp/list >/tmp/one; sleep 1'
for file in known single whole overrun both events other instance lost plain; do
	[ -s $file.dat ] || { echo "no $file.dat"; exit 1; }
done
