#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: record the calls of some commands, and their branches in an instance. Print the
# number of the branches' event and the functions, and wait for QEMU's dump while both record.
cd /sys/kernel/tracing || exit 1
echo 'vfs_*' >set_ftrace_filter
echo hrtimer_nanosleep >>set_ftrace_filter
mkdir instances/branches
sed -n 's/^ID: /type /p' events/ftrace/bts/format
while read -r name _; do
	sed -n "s/^\([0-9a-f]*\) [tT] $name\$/function \1 $name/p" /proc/kallsyms
done <set_ftrace_filter
echo function_graph >current_tracer
echo bts >instances/branches/current_tracer || exit 1
for name in 1 2 3 4 5 6 7 8 9; do
	echo hello >"/tmp/$name"
	cat /etc/passwd /no/such/file >/dev/null 2>&1
done
sleep 100000 &
sleeper=$!
sleep 1
echo "== sleep $sleeper"
exec sleep 100000
