#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The test of the bts tracer runs this script in a guest. The script checks the memory that
# is kept while no instance has the tracer, the records that are left in the CPUs' buffers,
# missing memory, tracing_off() while the tracer is being set, tasks with a PID that was used
# before, snapshots and tracing_off() beside another CPU, a reader that waits, and NMIs that nobody
# handles, or that have a reason.
#
# edges.sh [PART]...: runs all parts, or the named parts

# shellcheck disable=SC2317,SC2329 # the script calls the parts by their names

cd /sys/kernel/tracing || exit 1
module=$OLDPWD/bts_edges.ko
work=$OLDPWD
status=0

not_ok()
{
	echo "not ok: $*"
	status=1
}

# variable NAME: print 64 bits of a variable of the kernel, read by a kprobe event
variable()
{
	echo "p:bts_edges/read __x64_sys_umask value=@$1:x64" >kprobe_events || exit 1
	echo 1 >events/bts_edges/enable
	echo >trace
	umask 022
	sed -n 's/^.* read: .* value=//p' trace | tail -n 1
	echo 0 >events/bts_edges/enable
	echo >kprobe_events
}

# While no instance uses the tracer, the CPUs have no buffers, and there is no list of
# modules
part_idle()
{
	local list turn instance=instances/edges

	list=0x$(sed -n 's/ [bdBD] bts_modules$//p' /proc/kallsyms)
	mkdir "$instance"
	for turn in before after; do
		modprobe dummy || exit 1
		[ "$(variable bts_tracer_cpus)" = 0x0 ] ||
			not_ok "idle: the CPUs have buffers $turn"
		[ "$(variable bts_modules)" = "$list" ] ||
			not_ok "idle: modules are listed $turn"
		rmmod dummy
		echo bts >"$instance"/current_tracer || exit 1
		modprobe dummy
		[ "$(variable bts_tracer_cpus)" != 0x0 ] ||
			not_ok "idle: no buffers while it is used"
		[ "$(variable bts_modules)" != "$list" ] ||
			not_ok "idle: no modules while it is used"
		echo nop >"$instance"/current_tracer
		rmmod dummy
	done
	rmdir "$instance"
}

# peek: print the number of records in all buffers of the CPUs, while the tracer is set. Fails if
# there are no buffers
peek()
{
	insmod "$module" what=peek 2>/dev/null
	dmesg | tail -n "$(nproc)" | awk '
		/bts_edges: CPU [0-9]+ has [0-9]+ records left$/ { n += $(NF - 2); cpus++ }
		END { print n + 0; exit !cpus }'
}

# A drain erases the records that it has read only with page-table isolation
part_erase()
{
	local left

	# The tracer has tried the CPUs, but never drained the buffers
	echo 0 >tracing_on
	echo bts >current_tracer || exit 1
	left=$(peek) || not_ok "erase: no CPU has been looked at"
	echo "erase: $left records are left from trying the CPUs"
	grep -qw pti /proc/cpuinfo && [ "$left" -ne 0 ] && not_ok "erase: they are not erased"
	echo 1 >tracing_on
	ls -l /proc/self >/dev/null
	echo 0 >tracing_on
	grep -q -m 1 ' -> ' trace || not_ok "erase: nothing was recorded"
	left=$(peek) || not_ok "erase: no CPU has been looked at"
	echo "erase: $left records that are left of recording"
	if grep -qw pti /proc/cpuinfo; then
		[ "$left" -eq 0 ] || not_ok "erase: they are not erased"
	else
		[ "$left" -gt 1000 ] || not_ok "erase: without isolation they are"
	fi
	echo nop >current_tracer
	echo 1 >tracing_on
}

# After a lack of memory the tracer tries again, even while perf keeps the PMU
part_nomem()
{
	local perf

	insmod "$module" what=nomem || exit 1
	"$work/perf/ld-linux-x86-64.so.2" --library-path "$work/perf" "$work/perf/perf" \
		stat -a -e instructions sh -c 'touch /tmp/counting; exec sleep 1000' \
		>/dev/null 2>&1 &
	perf=$!
	while [ ! -f /tmp/counting ]; do
		sleep 0.1
	done
	echo >error_log
	! echo bts >current_tracer || not_ok "nomem: it has got memory"
	grep 'error: There is no memory' error_log || not_ok "nomem: error_log does not say so"
	[ "$(cat current_tracer)" = nop ] || not_ok "nomem: the tracer is set"
	rmmod bts_edges
	kill -0 "$perf" || not_ok "nomem: perf has ended"
	echo bts >current_tracer || { cat error_log; not_ok "nomem: there still is no memory"; }
	ls / >/dev/null
	echo 0 >tracing_on
	[ "$(grep -c -m 2000 ' -> ' trace)" -gt 1000 ] || not_ok "nomem: nothing is recorded"
	echo nop >current_tracer
	echo 1 >tracing_on
	killall sleep
	wait
}

# The interrupt that makes a CPU record for an instance turns the instance off, before the
# tracer is the instance's current tracer. Another instance keeps BTS on. The next block has
# the number of branches that the instance was given but did not write.
part_early()
{
	local instance=instances/edges event most cpu

	mkdir "$instance"
	echo bts >current_tracer || exit 1
	for event in call_function_entry call_function_single_entry; do
		echo traceoff >"$instance/events/irq_vectors/$event/trigger" || exit 1
	done
	echo bts >"$instance"/current_tracer || exit 1
	for event in call_function_entry call_function_single_entry; do
		echo '!traceoff' >"$instance/events/irq_vectors/$event/trigger"
	done
	[ "$(cat "$instance"/tracing_on)" = 0 ] || not_ok "early: the instance was not switched off"
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset -c "$cpu" head -n 200 /proc/kallsyms >/dev/null
	done
	echo 1 >"$instance"/tracing_on
	umask 022
	echo 0 >"$instance"/tracing_on
	most=$(sed -n 's/^CPU:[0-9]* \[\([0-9]*\) BRANCHES BEFORE THIS\]$/\1/p' "$instance"/trace |
		sort -n | tail -n 1)
	echo "early: ${most:-0} branches were given to an instance that was off"
	[ "${most:-0}" -lt 5000 ] || not_ok "early: the switch was not noticed"
	grep -q -m 1 ' -> ' "$instance"/trace || not_ok "early: nothing is recorded"
	echo nop >"$instance"/current_tracer
	echo nop >current_tracer
	rmdir "$instance"
}

# calls: print the number of function call interrupts. Each change of recording needs some.
calls()
{
	awk '$1 == "CAL:" { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' \
		/proc/interrupts
}

# Ten thousand functions at once cost one change of recording, and the calls to patch them
part_glob()
{
	local sleeper functions calls

	sleep 1000 &
	sleeper=$!
	echo "$sleeper" >set_ftrace_pid
	echo bts >current_tracer || exit 1
	calls=$(calls)
	echo '*s*:bts_on' >set_ftrace_filter
	calls=$(($(calls) - calls))
	functions=$(grep -c ':bts_on' set_ftrace_filter)
	echo "glob: $functions functions, $calls calls"
	[ "$functions" -ge 10000 ] || not_ok "glob: not ten thousand functions"
	[ "$calls" -lt $((functions / 4)) ] || not_ok "glob: they interrupt the CPUs"
	echo '!*s*:bts_on' >set_ftrace_filter
	! grep -q bts_on set_ftrace_filter || not_ok "glob: they cannot be removed"
	echo nop >current_tracer
	echo >set_ftrace_pid
	kill "$sleeper"
	wait
}

# A new task is disarmed even if its PID was the PID of an armed task, and the kernel has
# created the task without a fork
part_pid()
{
	local max i

	max=$(cat /proc/sys/kernel/pid_max)
	echo 400 >/proc/sys/kernel/pid_max
	echo '__x64_sys_umask:bts_on' >set_ftrace_filter
	echo bts >current_tracer || exit 1
	# Arm a task with each PID, until the PIDs begin anew at 300
	for ((i = 0; i < 400; i++)); do
		(umask 022)
	done
	echo 0 >tracing_on
	echo >trace
	echo 1 >tracing_on
	echo 1 >events/sched/sched_wakeup_new/enable
	"$work/bts-io" || not_ok "pid: no task for io_uring"
	echo 0 >tracing_on
	echo 0 >events/sched/sched_wakeup_new/enable
	grep -q 'sched_wakeup_new: comm=bts-io' trace || not_ok "pid: no new task"
	echo "pid: $(grep -c 'iou-sqp-.* -> ' trace) branches of a task that was not armed"
	! grep -q -m 1 'iou-sqp-.* -> ' trace || not_ok "pid: the task is armed"
	echo '!__x64_sys_umask:bts_on' >set_ftrace_filter
	echo nop >current_tracer
	echo 1 >tracing_on
	echo "$max" >/proc/sys/kernel/pid_max
}

# A snapshot that a command takes on CPU 0 has the branches that CPU 1 has not drained yet. The
# buffer after the snapshot does not have these branches.
part_snapshot()
{
	local sleeper i

	taskset -pc 0 $$ >/dev/null
	mkfifo "$work/snapshot"
	echo bts >current_tracer || exit 1
	for i in 1 2 3; do
		echo '__x64_sys_umask:snapshot:1' >set_ftrace_filter
		echo >trace
		taskset -c 1 sh -c "ulimit -c 0; : >'$work/ready'; read -r line <'$work/snapshot'" &
		sleeper=$!
		while [ ! -f "$work/ready" ]; do
			:
		done
		umask 022
		kill "$sleeper"
		wait
		rm "$work/ready"
		echo 0 >tracing_on
		grep -q '\[001\].* -> __x64_sys_prlimit64+0x0$' snapshot ||
			not_ok "snapshot: CPU 1's branches are missing"
		! grep -q '\[001\].* -> __x64_sys_prlimit64+0x0$' trace ||
			not_ok "snapshot: CPU 1's branches are in the other buffer"
		grep -q '\[000\].* -> __x64_sys_umask+0x0$' snapshot ||
			not_ok "snapshot: CPU 0's branches are missing"
		echo '!__x64_sys_umask:snapshot:1' >set_ftrace_filter
		echo 0 >snapshot
		echo 1 >tracing_on
	done
	echo nop >current_tracer
	taskset -pc "0-$(($(nproc) - 1))" $$ >/dev/null
}

# tracing_off() does not wait for the drain of another CPU
part_off()
{
	local load waits instance=instances/edges

	mkdir "$instance"
	echo 'p:bts_edges/udelay __const_udelay' >kprobe_events || exit 1
	echo 'comm == "insmod"' >"$instance"/events/bts_edges/udelay/filter || exit 1
	echo 1 >"$instance"/events/bts_edges/udelay/enable || exit 1
	# A wait is seen
	taskset -c 0 insmod "$module" what=delay 2>/dev/null
	waits=$(grep -c ' udelay: ' "$instance"/trace || :)
	[ "$waits" -eq 1 ] || not_ok "off: $waits events of one wait"
	echo >"$instance"/trace
	taskset -c 1 sh -c 'while :; do umask 022; done' &
	load=$!
	echo bts >current_tracer || exit 1
	taskset -c 0 insmod "$module" what=off 2>/dev/null
	kill "$load"
	wait
	dmesg | sed -n 's/.*bts_edges: \(tracing_off: .*\)/off: \1/p' | grep us ||
		not_ok "off: no times"
	waits=$(grep -c ' udelay: ' "$instance"/trace || :)
	[ "$waits" -eq 0 ] || not_ok "off: $waits microseconds of waiting"
	echo 0 >"$instance"/events/bts_edges/udelay/enable
	echo >kprobe_events
	rmdir "$instance"
	echo nop >current_tracer
	echo 1 >tracing_on
}

# A reader gets the branches of a task that does little, although nobody asks for them
part_wait()
{
	local task reader

	mkfifo "$work/go"
	# shellcheck disable=SC2016 # sh expands it
	taskset -c 1 sh -c 'read -r line; umask 022; read -r line' <>"$work/go" &
	task=$!
	echo 1 >options/bts-user
	echo 0 >options/bts-kernel
	echo "$task" >set_ftrace_pid
	echo bts >current_tracer || exit 1
	cat trace_pipe >"$work/read" &
	reader=$!
	# Opening trace_pipe asks for the branches that there are. If the branches after it do not
	# come, the lab ends the test
	until readlink "/proc/$reader/fd/3" | grep -q trace_pipe; do
		sleep 0.1
	done
	echo go >"$work/go"
	until grep -q ' -> ' "$work/read"; do
		sleep 0.1
	done
	echo "wait: $(grep -c "^ *sh-$task .* -> " "$work/read") branches"
	kill "$task" "$reader"
	wait
	echo nop >current_tracer
	echo >set_ftrace_pid
	echo 1 >options/bts-kernel
	echo 0 >options/bts-user
	rm "$work/go" "$work/read"
}

# An NMI that nobody handles is reported, although an NMI of the tracer was merged with
# another NMI before
part_nmi()
{
	echo bts >current_tracer || exit 1
	insmod "$module" what=nmi || exit 1
	taskset -c 1 ls / >/dev/null
	# Without BTS, no interrupt of BTS can be merged with the NMI that nobody handles
	echo 0 >tracing_on
	sleep 2
	rmmod bts_edges
	dmesg | grep 'bts_edges: [1-9][0-9]* NMIs handled' || not_ok "nmi: no NMI of the tracer"
	dmesg | grep 'NMI received for unknown reason .* on CPU 1' || not_ok "nmi: not reported"
	echo nop >current_tracer
	echo 1 >tracing_on
}

# An NMI of a PCI system error is reported, although an NMI of the tracer is still expected
part_serr()
{
	echo bts >current_tracer || exit 1
	insmod "$module" what=serr || exit 1
	taskset -c 1 ls / >/dev/null
	# As in part_nmi
	echo 0 >tracing_on
	rmmod bts_edges
	dmesg | grep 'NMI: PCI system error (SERR) for reason .* on CPU 1' ||
		not_ok "serr: not reported"
	echo nop >current_tracer
	echo 1 >tracing_on
}

[ $# -gt 0 ] || set -- idle erase nomem early glob pid snapshot off wait nmi serr
for part; do
	"part_$part"
done
exit $status
