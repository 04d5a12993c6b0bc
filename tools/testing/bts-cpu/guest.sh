#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The test of the emulated CPU runs this script in the guest: perf, then the module
# bts_test. The marks separate the parts of the log.

loops=100000
mkdir -p out

mark()
{
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset $((1 << cpu)) bts-mark "$1" || exit 1
	done
}

address()
{
	sed -n "s/^\([0-9a-f]*\) [tT] $1\$/0x\1/p" /proc/kallsyms
}

# perf records on all CPUs at once, with room for all branches
mark 1
for cpu in $(seq 0 $(($(nproc) - 1))); do
	taskset $((1 << cpu)) ./perf/ld-linux-x86-64.so.2 --library-path perf perf/perf record \
		--per-thread -m 16,8192 -e intel_bts//u -o "out/perf$cpu" \
		./bts-loop $((loops * (cpu + 1))) >"out/perf$cpu.log" 2>&1 &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || { cat out/perf*.log; exit 1; }
done
mark 2
# Wait, because the kernel restores perf's patched code a second after the last use
sleep 2

# The module records all branches, of the kernel and of user space
insmod ./bts_test.ko start="$(address _stext)" end="$(address _etext)" || exit 1
test=/sys/kernel/debug/bts_test
cat /proc/kallsyms >out/kallsyms
cat $test/text >out/text
mark 3
echo on 0 >$test/ctl
for cpu in $(seq 0 $(($(nproc) - 1))); do
	taskset $((1 << cpu)) ./bts-loop 2000
	ls -l /proc/self >/dev/null
	echo text | cat | cat >/tmp/text
done
sleep 0.05
echo off >$test/ctl
mark 4
for cpu in $(seq 0 $(($(nproc) - 1))); do
	cat "$test/records$cpu" >"out/all$cpu"
done

# Record one privilege level: BTS_OFF_OS, BTS_OFF_USR
for what in 5:200:user 6:400:kernel; do
	mark "${what%%:*}"
	bits=${what#*:}
	echo on "${bits%:*}" >$test/ctl
	./bts-loop 1000
	echo text | cat >/tmp/text
	echo off >$test/ctl
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		cat "$test/records$cpu" >"out/${what##*:}$cpu"
	done
done
mark 7
# The code must not have changed, because flow.pl follows the branches in this copy
cmp $test/text out/text
