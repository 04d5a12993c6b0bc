#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test graph_hist in the guest: a row names the function that was called and its values,
# after the function's module is gone and another module has its address
here=$PWD
row='{ func: toggle_other [toggle_first], nr: -5 } hitcount:          2'
cd /sys/kernel/tracing || exit 1

# expect WHEN: the table has the row, and no other row
expect()
{
	[ "$(grep '^{' graph_hist)" = "$row" ] && return
	echo "$1:"
	grep '^{' graph_hist
	exit 1
}

insmod "$here/toggle_first.ko" || exit 1
address()
{
	sed -n 's/ [tT] toggle_other\t.*//p' /proc/kallsyms
}
first=$(address)
echo 'toggle_other: nr' > set_graph_hist || exit 1
echo toggle_other > set_ftrace_filter
echo function_graph > current_tracer
for _ in 1 2; do
	echo -5 > /sys/module/toggle_first/parameters/run
done
expect "called"
echo nop > current_tracer
rmmod toggle_first
expect "unloaded"
reused=0
for _ in 1 2 3 4 5 6; do
	insmod "$here/toggle_second.ko" || exit 1
	[ "$(address)" != "$first" ] || reused=$((reused + 1))
	expect "the other toggle_other() was never called"
	rmmod toggle_second
done
echo > set_graph_hist
echo > set_ftrace_filter
[ "$reused" -gt 0 ] || { echo "the address was not used again"; exit 1; }
echo "used again: $reused times of 6"
