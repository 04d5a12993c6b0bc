#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The test of the step tracer runs this script in a guest with one CPU. The guest's QEMU
# logs the instructions of user space (tools/testing/bts-cpu/steps.c). Each session writes
#
#	raw.N		the data of trace_pipe_raw; the session is part N of QEMU's log
#	sessions	a line "N DETAIL NAME"
#	DETAIL.dat	a recording by trace-cmd, and DETAIL.text, the kernel's text of the buffer
#
# guest.sh SESSION...: runs these sessions

work=$PWD
session=0
status=0
trace=/sys/kernel/tracing

not_ok()
{
	echo "not ok: $*"
	status=1
}

# same WHAT: check that the output is the same with the tracer
same()
{
	cmp plain stepped && return
	diff plain stepped | head -n 20
	not_ok "$1: other output"
}

# traced DETAIL NAME COMMAND...: run the command with the tracer and the log, and compare
# its output with the output without the tracer
traced()
{
	local detail=$1 name=$2

	shift 2
	"$work/step-run" -n "$@" >plain 2>&1
	echo "status $?" >>plain
	! grep -qE '^status 12[67]$' plain || not_ok "$name: not run"
	echo 1 >"$trace/options/step-$detail"
	echo step >"$trace/current_tracer" || { cat "$trace/error_log"; exit 1; }
	"$work/step-run" "$@" >stepped 2>&1
	echo "status $?" >>stepped
	echo 0 >"$trace/tracing_on"
	echo >"$trace/set_ftrace_pid"
	dd if="$trace/per_cpu/cpu0/trace_pipe_raw" bs=4096 iflag=nonblock 2>/dev/null \
		>"$work/raw.$session"
	grep -q '^overrun: 0$' "$trace/per_cpu/cpu0/stats" || not_ok "$name: an overrun"
	echo nop >"$trace/current_tracer"
	echo 1 >"$trace/tracing_on"
	echo "$session $detail $name" >>"$work/sessions"
	session=$((session + 1))
	same "$name"
}

# Run programs with known paths
session_path()
{
	local detail test

	for detail in instruction branch; do
		for test in pushf popf syscall own int3 int80 signals branches again compat page; do
			traced "$detail" "$test" ./step-path "$test"
		done
	done
}

# Run a 32-bit program
session_ia32()
{
	local detail

	zcat /proc/config.gz | grep -q IA32_EMULATION=y || return
	for detail in instruction branch; do
		traced "$detail" ia32 ./step-ia32
		grep -q '^vdso: no TF$' plain || not_ok "ia32: it does not run"
	done
}

# Trace children, too
session_children()
{
	local detail

	echo 1 >"$trace/options/function-fork"
	for detail in instruction branch; do
		traced "$detail" children ./step-path children
		traced "$detail" ptrace ./step-path ptrace
	done
	echo 0 >"$trace/options/function-fork"
}

# Run a whole program with its libraries. The files of these folders do not change, as
# /proc and /sys in / do.
session_ls()
{
	traced instruction list ls -l /etc /usr
	traced branch list ls -l /etc /usr
}

session_long()
{
	echo 65536 >"$trace/buffer_size_kb"
	traced instruction long ls -lR --time-style=+ /usr/bin /proc/sys "$trace/events/sched" \
		/usr/bin
}

# debugged WHAT COMMAND...: check that the command has the same output together with the
# tracer
debugged()
{
	local what=$1

	shift
	echo nop >"$trace/current_tracer"
	"$@" >plain 2>&1
	echo >"$trace/set_ftrace_pid"
	echo step >"$trace/current_tracer"
	"$@" >stepped 2>&1
	[ "$(head -n 100 "$trace/trace" | grep -c ' -> ')" -gt 50 ] ||
		not_ok "$what: nothing was traced"
	grep '\[GAP\]' "$trace/trace" >gaps
	echo nop >"$trace/current_tracer"
	echo >"$trace/set_ftrace_pid"
	same "$what"
	echo "$what: the same $(wc -l <plain) lines"
}

gdb()
{
	PYTHONHOME=$work/gdb gdb/ld-linux-x86-64.so.2 --library-path gdb gdb/gdb "$@"
}

# shellcheck disable=SC2016,SC2317 # gdb expands $; debugged calls it
in_gdb()
{
	gdb -nx -batch -ex 'set confirm off' -ex 'set startup-with-shell off' \
		-ex 'catch exec' -ex run -ex delete \
		-ex 'handle SIGUSR1 SIGSEGV SIGILL SIGALRM nostop pass' \
		-ex 'break test_branches' -ex continue -ex 'stepi 40' \
		-ex 'info registers eflags rip' -ex next -ex 'info registers eflags' \
		-ex 'watch *(int *)$rsp' -ex 'stepi 5' -ex 'p $eflags' -ex delete \
		-ex 'hbreak printf' -ex continue -ex 'info registers rip' -ex delete \
		-ex continue --args ./step-run -e ./step-path pushf popf signals branches 2>&1 |
		sed -E 's/process [0-9]+/process/' | sort
	# Sort the lines, because the program does not wait until gdb has printed a signal
}

session_gdb()
{
	debugged gdb in_gdb
	grep -q '^rip .*<printf>$' plain || not_ok "gdb: no breakpoint of the CPU was hit"
}

# shellcheck disable=SC2317 # debugged calls it
in_strace()
{
	setarch -R strace/ld-linux-x86-64.so.2 --library-path strace strace/strace -i -o straced \
		./step-run -e ./step-path pushf popf syscall own int3 int80 signals branches
	# Print only names, addresses and signals, because the rest has PIDs and random
	# numbers
	sed -E 's/\(.*//; s/si_pid=[0-9]+/si_pid/; s/.*(--- SIGALRM)/\1/' straced
}

session_strace()
{
	debugged strace in_strace
}

# unseen TEST: run a test that can be stepped only in part. Its output has to be the same,
# and the trace has to show the gap.
unseen()
{
	debugged "$1" ./step-run -e ./step-path "$1"
	grep -q 'GAP' gaps || not_ok "$1: no gap"
}

session_unseen()
{
	unseen ldt
	! zcat /proc/config.gz | grep -q PROTECTION_KEYS=y || unseen xonly
	echo 1 >"$trace/options/function-fork"
	unseen blocks
	echo 0 >"$trace/options/function-fork"
}

# uprobes execute the instructions of a traced task in another place, and emulate some
# instructions
session_uprobes()
{
	local offset

	: >"$trace/uprobe_events"
	while read -r offset; do
		echo "p:u$offset $work/step-path:$offset" >>"$trace/uprobe_events" || not_ok uprobes
	done <offsets
	echo 1 >"$trace/events/uprobes/enable"
	"$work/step-run" -n ./step-path branches signals >plain
	grep -c ': (0x' "$trace/trace" >hits.plain
	echo >"$trace/trace"
	mkdir "$trace/instances/step"
	echo step >"$trace/instances/step/current_tracer"
	sh -c "echo \$\$ >$trace/instances/step/set_ftrace_pid
		exec ./step-path branches signals" >stepped
	grep -c ': (0x' "$trace/trace" >hits.stepped
	[ "$(grep -c ' -> ' "$trace/instances/step/trace")" -gt 1000 ] ||
		not_ok "uprobes: no trace"
	echo nop >"$trace/instances/step/current_tracer"
	rmdir "$trace/instances/step"
	echo 0 >"$trace/events/uprobes/enable"
	: >"$trace/uprobe_events"
	cmp plain stepped || not_ok uprobes
	cmp hits.plain hits.stepped || not_ok uprobes
	[ "$(cat hits.plain)" -gt 0 ] || not_ok "uprobes: no hits"
	echo "uprobes: $(cat hits.plain) hits"
}

# End the tracer, remove its instance, and change options while a task is stepped
session_ends()
{
	local pid i

	sh -c 'while :; do :; done' &
	pid=$!
	for i in 1 2 3; do
		mkdir "$trace/instances/step"
		echo $pid >"$trace/instances/step/set_ftrace_pid"
		echo step >"$trace/instances/step/current_tracer"
		sleep 0.05
		echo 1 >"$trace/instances/step/options/step-instruction"
		sleep 0.05
		[ $i -ne 1 ] || echo nop >"$trace/instances/step/current_tracer"
		[ $i -ne 2 ] || echo >"$trace/instances/step/set_ftrace_pid"
		rmdir "$trace/instances/step" || not_ok "the instance cannot be removed"
		sleep 0.05
		kill -0 $pid || not_ok "the task has ended"
	done
	kill $pid
	wait $pid
	[ $? -eq 143 ] || not_ok "the task has ended in another way"
	echo "ends: the task went on"
}

# Compare trace-cmd's recordings with the kernel's text of the same buffer
session_tracecmd()
{
	local detail

	for detail in branch instruction; do
		trace-cmd start -p step -O "step-$detail" >/dev/null || not_ok "trace-cmd: start"
		"$work/step-run" ./step-path branches signals >/dev/null
		trace-cmd stop
		cat "$trace/trace" >"$detail.text"
		trace-cmd extract -o "$detail.dat" >/dev/null || not_ok "trace-cmd: extract"
		trace-cmd reset >/dev/null
		session=$((session + 1))
	done
	trace-cmd record -p step -F -o task.dat ./step-path branches signals >/dev/null 2>&1 ||
		not_ok "trace-cmd: record"
	echo 16384 >"$trace/buffer_size_kb"
	echo 1 >"$trace/tracing_on"
}

# One instance counts the events that another instance records
session_count()
{
	local dir=$trace/instances recorded branches counts

	for i in recorded counted; do
		mkdir "$dir/$i"
		echo 16384 >"$dir/$i/buffer_size_kb"
		echo step >"$dir/$i/current_tracer" || not_ok "count: no tracer"
	done
	echo 1 >"$dir/recorded/options/step-instruction"
	echo 1 >"$dir/counted/options/step-count"
	sh -c "echo \$\$ | tee $dir/*/set_ftrace_pid; exec ./step-path branches signals" >/dev/null
	recorded=$(grep -c ': 0x' "$dir/recorded/trace")
	echo 0 >"$dir/counted/tracing_on"
	counts=$(awk '/ instructions, / { i += $(NF - 3); b += $(NF - 1) } END { print i, b }' \
		"$dir/counted/trace")
	branches=${counts#* }
	echo "count: $recorded instructions recorded, $counts counted"
	rmdir "$dir/recorded" "$dir/counted"
	[ "${counts% *}" -eq "$recorded" ] || not_ok "count: another number"
	[ "$branches" -gt $((recorded / 20)) ] || not_ok "count: $branches branches"
	[ "$branches" -lt $((recorded / 2)) ] || not_ok "count: $branches branches"
}

# cost WHAT COMMAND...: print WHAT, and the additional time of the command with the tracer.
# The guest's clock counts two nanoseconds for each instruction.
cost()
{
	local what=$1 detail begin usecs plain

	shift
	begin=${EPOCHREALTIME/./}
	./step-run -n "$@" >/dev/null
	plain=$((${EPOCHREALTIME/./} - begin))
	for detail in branch instruction; do
		echo 1 >"$trace/options/step-$detail"
		echo step >"$trace/current_tracer"
		begin=${EPOCHREALTIME/./}
		./step-run "$@" >/dev/null
		usecs=$((${EPOCHREALTIME/./} - begin - plain))
		echo nop >"$trace/current_tracer"
		echo >"$trace/set_ftrace_pid"
		session=$((session + 1))
		echo "cost: $what: step-$detail: $((usecs * 500 / 1000)) thousand instructions"
	done
}

# Step half a million instructions in loops, and in a program
session_cost()
{
	cost loops ./step-path loops
	cost list ls -l /
}

# An emulated CPU with single-stepping on branches needs the address of the handler of debug
# exceptions
[ ! -x bts-mark ] ||
	./bts-mark debug "$(awk '$3 == "asm_exc_debug" { print $1 }' /proc/kallsyms)" ||
	not_ok "bts-mark"

: >sessions
echo 16384 >"$trace/buffer_size_kb"
for name; do
	declare -F "session_$name" >/dev/null || { echo "there is no session $name"; exit 1; }
	"session_$name"
done
cat "$trace/events/ftrace/bts/format" >format
shopt -s nullglob
tar cf pages sessions format raw.* ./*.dat ./*.text
[ "$status" -eq 0 ]
