#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test in the guest: the values of a diverted function, and more different lines than can be
# set at one time
work=$PWD
status=0
cd /sys/kernel/tracing || exit 1

wrong()
{
	echo "$*"
	status=1
}

# A diverted function has the values of its expressions, before and after the diversion
insmod "$work/lines_divert.ko" || exit 1
parameters=/sys/module/lines_divert/parameters
echo lines_target >set_ftrace_filter
echo 'lines_target: e=x:s32, n=name:string' >func_args_expr || exit 1
echo 1 >options/funcgraph-args
echo function_graph >current_tracer
echo 1 >$parameters/run || wrong "another function is called"
echo 1 >$parameters/divert || exit 1
echo 1 >$parameters/run || wrong "no other function is called"
echo 0 >tracing_on
calls=$(grep -c 'lines_target \[lines_divert\](x=5, name="hello", e=5, n="hello")' trace)
[ "$calls" = 2 ] || { grep lines_ trace; wrong "$calls of 2 calls have their values"; }
echo nop >current_tracer
echo 1 >tracing_on
echo 0 >$parameters/divert
echo >func_args_expr
echo >set_ftrace_filter
echo 0 >options/funcgraph-args
rmmod lines_divert

# Lines that were removed leave room for others
grep '^vfs_[a-z]*$' available_filter_functions | head -n 12 >/tmp/functions
[ "$(wc -l </tmp/functions)" = 12 ] || wrong "not twelve functions"
n=0
while [ $n -lt 100 ]; do
	sed "s/.*/&: n${n}_&=\$arg1/" /tmp/functions >func_args_expr ||
		{ wrong "the lines are refused at write $n"; break; }
	n=$((n + 1))
done
echo "$((n * $(wc -l </tmp/functions))) different lines were set"
echo >func_args_expr
exit $status
