#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: trace the calls of a module, if there is one, and of some commands, and events in an
# instance. Print both traces, and wait for QEMU's dump. One call is under way, which another
# instance keeps with its arguments.
cd /sys/kernel/tracing || exit 1
mkdir instances/other
echo 'vfs_*' >set_ftrace_filter
echo hrtimer_nanosleep >>set_ftrace_filter
for module in "$OLDPWD"/*.ko; do
	[ ! -e "$module" ] || echo "*:mod:$(basename "$module" .ko)" >>set_ftrace_filter
done
echo 1 >options/funcgraph-args
echo 1 >options/funcgraph-retval
# Values of expressions, and what pointers point to, if the kernel has them
if [ -e func_args_expr ]; then
	echo 'vfs_write: at=+0(pos):s64, COMM' >func_args_expr
	echo 1 >options/funcgraph-deref
fi
echo 1 >instances/other/events/sched/sched_switch/enable
# This event has pointers to the strings of tracepoints
echo 1 >instances/other/events/rcu/rcu_utilization/enable
mkdir instances/kept
echo hrtimer_nanosleep >instances/kept/set_ftrace_filter
echo 1 >instances/kept/options/funcgraph-args
echo 1 >instances/kept/options/funcgraph-single
echo function_graph >instances/kept/current_tracer
echo function_graph >current_tracer
for module in "$OLDPWD"/*.ko; do
	[ ! -e "$module" ] || insmod "$module"
done
echo hello >/tmp/hello
cat /etc/passwd /no/such/file >/dev/null 2>&1
sleep 100000 &
sleeper=$!
until grep -q hrtimer_nanosleep trace; do sleep 0.1; done
echo 0 >tracing_on
echo 0 >instances/other/tracing_on
cat trace
echo "== other"
cat instances/other/trace
echo "== sleep $sleeper"
exec sleep 100000
