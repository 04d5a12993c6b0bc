#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test graph_hist in the guest: a row names the function that was called and its values,
# after the function's module is gone and another module has its address
here=$PWD
row='{ func: reuse_called [reuse_first], x: -5 } hitcount:          2'
cd /sys/kernel/tracing || exit 1

# expect WHEN: the table has the row, and no other row
expect()
{
	[ "$(grep '^{' graph_hist)" = "$row" ] && return
	echo "$1:"
	grep '^{' graph_hist
	exit 1
}

insmod "$here/reuse_first.ko" || exit 1
first=$(sed -n 's/ t reuse_called.*//p' /proc/kallsyms)
echo 'reuse_*: x' > set_graph_hist || exit 1
echo 'reuse_*' > set_ftrace_filter
echo function_graph > current_tracer
echo -5 > /sys/module/reuse_first/parameters/call
expect "called"
echo nop > current_tracer
rmmod reuse_first
expect "unloaded"
reused=0
for _ in 1 2 3 4 5 6; do
	insmod "$here/reuse_second.ko" || exit 1
	second=$(sed -n 's/ t reuse_uncalled.*//p' /proc/kallsyms)
	[ "$second" != "$first" ] || reused=$((reused + 1))
	expect "reuse_uncalled() was never called"
	rmmod reuse_second
done
echo > set_graph_hist
echo > set_ftrace_filter
[ "$reused" -gt 0 ] || { echo "the address was not used again"; exit 1; }
echo "used again: $reused times of 6"
