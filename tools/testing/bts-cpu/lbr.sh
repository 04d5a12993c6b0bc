#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The test of the emulated CPU's last branch records runs this script in the guest. Each
# file in out has "mark NUMBER" and the records of a CPU. The marks NUMBER and NUMBER + 1
# enclose the branches in the CPU's log.

number=0
test=/sys/kernel/debug/lbr_test
bts=/sys/kernel/debug/bts_test
last=$(($(nproc) - 1))
mkdir -p out

fail()
{
	echo "not ok: $*"
	exit 1
}

# on_cpu CPU: move this shell and its programs to a CPU
on_cpu()
{
	cpu=$1
	taskset -p $((1 << cpu)) $$ >/dev/null || fail "CPU $cpu"
}

ctl()
{
	echo "$@" >$test/ctl || fail "CPU $cpu: $*"
}

mark()
{
	number=$((number + 1))
	bts-mark $number || fail "CPU $cpu: no mark"
}

# ring FILE: save the records between the last two marks
ring()
{
	{
		echo mark $((number - 1))
		cat $test/ring
	} >"out/$1.$cpu"
}

address()
{
	sed -n "s/^\([0-9a-f]*\) [tT] $1\$/0x\1/p" /proc/kallsyms
}

insmod ./lbr_test.ko || exit 1
insmod ./bts_test.ko start="$(address _stext)" end="$(address _etext)" records=1000000 || exit 1
address _stext >out/kernel.start
cat $bts/text >out/kernel.text
cat $test/start >out/module.start
cat $test/text >out/module.text

# All branches; no kind of branches; only one kind; one privilege level; and few branches
selects="0 1 2 1fc"
for bit in 4 8 10 20 40 80 100; do
	selects="$selects $bit $(printf %x $((0x1fc & ~0x$bit)))"
done
for i in $(seq 0 $last); do
	on_cpu "$i"
	for select in $selects; do
		for turns in 2 50; do
			mark
			ctl loop "$select" "$turns"
			mark
			ring "loop$turns.$select"
		done
	done

	# The records stay when LBR is off
	ctl idle 50
	tail -n +2 "out/loop50.$select.$cpu" | cmp - $test/ring ||
		fail "CPU $cpu: records of branches while LBR was off"

	# Kernel and user branches; kinds of branches in the kernel
	for select in 0 1 $(for s in $selects; do printf "%x " $((0x$s | 2)); done); do
		mark
		ctl on "$select"
		for file in uptime self/stat self/maps; do
			read -r line <"/proc/$file" || fail "$file: $line"
		done
		ctl off
		mark
		ring "kernel.$select"
	done
done

# Test with BTS, and when BTS is off again. bts_test sets LBR, and does not clear LBR.
for i in $(seq 0 $last); do
	on_cpu "$i"
	ctl reset 0
	mark
	eval "both$i=$number"
done
echo on 1 >$bts/ctl
for i in $(seq 0 $last); do
	on_cpu "$i"
	./bts-loop 1000
done
echo off >$bts/ctl
for i in $(seq 0 $last); do
	on_cpu "$i"
	ctl off
	eval "number=\$both$i"
	mark
	ring both
	cat "$bts/records$i" >"out/bts$i"
done
cmp $bts/text out/kernel.text || fail "the kernel's code has changed"
rmmod lbr_test bts_test

# perf reads the records when LBR freezes
for event in cycles cycles:u; do
	mark
	echo "$number" >"out/$event.mark"
	./perf/ld-linux-x86-64.so.2 --library-path perf perf/perf record -b -e "$event" \
		-c 20011 -o "out/$event.data" ./bts-loop 20000 >out/perf.log 2>&1 ||
		fail "$(cat out/perf.log)"
	mark
done
dmesg | grep -o '[0-9]*-deep LBR' >out/dmesg
