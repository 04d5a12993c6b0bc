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

load()
{
	insmod ./bts_test.ko start="$(address _stext)" end="$(address _etext)" "$@" || exit 1
	test=/sys/kernel/debug/bts_test
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
load records=3000000
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
cmp $test/text out/text || exit 1
rmmod bts_test

# A small buffer is a ring. With BTINT and a masked interrupt, the buffer fills up.
load records=1000
for what in 8:0:ring 9:100:full; do
	mark "${what%%:*}"
	bits=${what#*:}
	echo on "${bits%:*}" >$test/ctl
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset $((1 << cpu)) ./bts-loop 1000
	done
	echo off >$test/ctl
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		cat "$test/records$cpu" >"out/${what##*:}$cpu"
		cat "$test/buffer$cpu" >"out/${what##*:}$cpu.buffer"
	done
done
mark 10
rmmod bts_test

# The interrupt of the buffer comes in the kernel as well, and no branch is lost
load records=3000000 threshold=500
# Raise the limit of reported NMIs, because the kernel's report takes long itself
echo 10000000000 >/sys/kernel/debug/x86/nmi_longest_ns
mark 11
echo on 100 >$test/ctl
for cpu in $(seq 0 $(($(nproc) - 1))); do
	taskset $((1 << cpu)) ./bts-loop 2000
	echo text | cat | cat >/tmp/text
done
sleep 0.05
echo off >$test/ctl
mark 12
for cpu in $(seq 0 $(($(nproc) - 1))); do
	cat "$test/records$cpu" >"out/nmi$cpu"
done
rmmod bts_test
