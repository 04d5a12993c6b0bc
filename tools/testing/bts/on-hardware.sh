#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# on-hardware.sh [-s] [REPORT]
#
# Tries the bts tracer on a machine that has BTS, as root, in some minutes. Writes its
# findings to REPORT (bts-report.txt). Please send the report to the tracer's
# maintainers. Nothing is changed permanently, except for the contents of the trace.
#
#   -s	suspend the machine to RAM as well, for five seconds
#
# A line of the report is "ok", "not ok" or "skipped", followed by the name of a check.
# The status is 1 if a check is "not ok".

# shellcheck disable=SC2317,SC2329 # check() and the trap call these

suspend=
while getopts :s option; do
	case $option in
	s)	suspend=1 ;;
	*)	sed -n 's/^# \{0,1\}//; /^on-hardware.sh/,/^$/p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
report=$(realpath "${1:-bts-report.txt}") || exit 2
here=$(cd "$(dirname "$0")" && pwd)
tracing=/sys/kernel/tracing
instance=$tracing/instances/bts-on-hardware
expose=/sys/module/trace_bts/parameters/expose_kernel
work=$(mktemp -d) || exit 2
cpus=$(nproc --all)
status=0
size=
exposed=

say()
{
	echo "$*" | tee -a "$report"
}

# check WHAT COMMAND...: report whether the command succeeds, and its output if it fails
check()
{
	local what=$1

	shift
	if "$@" >"$work/out" 2>&1; then
		say "ok $what"
	else
		say "not ok $what"
		head -n 10 "$work/out" | sed 's/^/    /' | tee -a "$report"
		status=1
	fi
}

off()
{
	echo 0 >tracing_on
	echo nop >current_tracer
	echo >set_ftrace_pid
	echo 1 >options/bts-kernel
	echo 0 >options/bts-user
	echo 1 >tracing_on
}

cleanup()
{
	cd "$tracing" && off
	[ -z "$size" ] || echo "$size" >buffer_size_kb
	[ -z "$exposed" ] || echo "$exposed" >"$expose"
	[ ! -d "$instance" ] || { echo nop >"$instance/current_tracer"; rmdir "$instance"; }
	rm -rf "$work"
} 2>/dev/null

# on KERNEL USER: record the kernel, user space or both. Each argument is 0 or 1.
on()
{
	off
	echo 1 >options/bts-kernel
	echo "$2" >options/bts-user
	echo "$1" >options/bts-kernel
	echo bts >current_tracer
}

load()
{
	find /etc /usr/lib -ls 2>/dev/null | head -n 20000 >"$work/files"
	md5sum "$work/files"
}

# Check that the kernel has not logged bad messages
quiet()
{
	dmesg | tail -n "+$((messages + 1))" |
		grep -E 'WARNING|BUG:|Uhhuh|Dazed|unchecked MSR|loop stuck|LOCKUP' && return 1
	return 0
}

# From the target of a branch the code runs straight on, so the next branch has a source
# at or after this target. If only one side is recorded, a branch to the other side is
# missing.
straight()
{
	echo raw >trace_options
	awk -v sides="$(cat options/bts-kernel options/bts-user | grep -c 1)" '
		function kernel(wide) { return wide ~ /^[89a-f]/ }
		function wide(hex) { return substr("0000000000000000", 1, 16 - length(hex)) hex }
		/^#/ { next }
		/^CPU:/ { delete last; next }
		NF < 2 { next }
		{
			sub(/ \(mispredicted\)$/, "")
			from = wide($(NF - 1))
			if ($2 in last && from < last[$2] &&
			    (sides == 2 || kernel(from) == kernel(last[$2])) && bad++ < 5)
				print "after a branch to " last[$2] ": " $0
			last[$2] = wide($NF)
			n++
		}
		END {
			print n + 0, "branches,", bad + 0, "from before where the last one led"
			exit bad || n < 1000
		}' trace
	local ret=$?
	echo noraw >trace_options
	return "$ret"
}

# Check the branches of bts-loop: each turn except the last takes LOOPNZ back
loop_known()
{
	local address turns

	address=$(objdump -d "$work/bts-loop" |
		sed -n 's/^ *\([0-9a-f]*\):.*loopne.*/\1/p')
	on 0 1
	(echo "$BASHPID" >set_ftrace_pid; exec "$work/bts-loop" 20000)
	echo 0 >tracing_on
	turns=$(grep -c "0x$address -> " trace)
	echo "$turns turns of 19999"
	[ "$turns" -eq 19999 ]
}

both_sides()
{
	local end='( \(mispredicted\))?$'

	on 1 0
	ls / >/dev/null
	echo 0 >tracing_on
	grep -qE -- '-> [a-z_]' trace || return 1
	! grep -E -- "-> 0x[0-7]?[0-9a-f]{1,14}$end" trace || return 1
	on 0 1
	ls / >/dev/null
	echo 0 >tracing_on
	grep -qE -- "-> 0x[0-9a-f]{1,14}$end" trace && ! grep -E -- '-> [a-z_]' trace
}

# Check that the CPU predicts most branches of a load. A CPU that does not write the flag of a
# record seems to predict none.
predicts()
{
	local branches wrong

	on 1 1
	load >/dev/null
	echo 0 >tracing_on
	branches=$(grep -c -- ' -> ' trace)
	wrong=$(grep -c '(mispredicted)$' trace)
	echo "$wrong of $branches branches are mispredicted"
	[ "$wrong" -gt 0 ] && [ "$wrong" -lt $((branches / 2)) ]
}

# Check that no CPU has dropped a record
all_cpus()
{
	local cpu

	on 1 1
	for cpu in $(seq 0 $((cpus - 1))); do
		taskset -c "$cpu" ls -l /proc/self >/dev/null 2>&1
	done
	load >/dev/null
	echo 0 >tracing_on
	! grep -m 3 'DROPPED BY THE CPU' trace || return 1
	straight
}

beside_perf()
{
	on 1 0
	load >/dev/null &
	perf record -a -g -F 1000 -o "$work/perf.data" sleep 2 || return 1
	wait
	echo 0 >tracing_on
	! grep -m 3 'DROPPED BY THE CPU' trace || return 1
	straight
}

other_instance()
{
	mkdir "$instance" || return 1
	echo 512 >"$instance/buffer_size_kb"
	on 1 0
	echo bts >"$instance/current_tracer" || return 1
	echo 0 >tracing_on
	taskset -c 0 ls / >/dev/null
	echo 1 >tracing_on
	echo 1 >options/bts-user
	head -n 5 trace >/dev/null
	echo 0 >options/bts-user
	taskset -c 0 ls / >/dev/null
	echo 0 >"$instance/tracing_on"
	! grep -m 3 '\[GAP\]' "$instance/trace"
}

backtraces()
{
	on 1 0
	echo l >/proc/sysrq-trigger
	load >/dev/null
	echo 0 >tracing_on
	straight
}

hotplug()
{
	local cpu=$((cpus - 1))

	on 1 0
	echo 0 >"/sys/devices/system/cpu/cpu$cpu/online" || return 1
	echo 1 >"/sys/devices/system/cpu/cpu$cpu/online" || return 1
	echo >trace
	taskset -c "$cpu" ls / >/dev/null
	echo 0 >tracing_on
	grep -q "\[$(printf %03d "$cpu")\]" trace
}

resumed()
{
	on 1 0
	rtcwake -m mem -s 5 || return 1
	echo >trace
	taskset -c 0 ls / >/dev/null
	echo 0 >tracing_on
	grep -q '\[000\]' trace
}

if [ ! -w $tracing/current_tracer ]; then
	echo "on-hardware.sh: $tracing cannot be written to: not root, or it is not mounted" >&2
	exit 2
fi
trap cleanup EXIT
: >"$report"
cd $tracing || exit 2
say "kernel: $(uname -r)"
say "machine: $(grep -m 1 '^model name' /proc/cpuinfo | cut -d: -f2-), $cpus CPUs," \
	"family $(awk '/^cpu family/ { print $4; exit }' /proc/cpuinfo)" \
	"model $(awk '/^model\t/ { print $3; exit }' /proc/cpuinfo)" \
	"stepping $(awk '/^stepping/ { print $3; exit }' /proc/cpuinfo)" \
	"microcode $(awk '/^microcode/ { print $3; exit }' /proc/cpuinfo)"
say "flags: $(grep -m 1 '^flags' /proc/cpuinfo | tr ' ' '\n' |
	grep -xE 'bts|dtes64|ds_cpl|hypervisor|pti|fred|hybrid_cpu' | xargs)"
say "PMU: $(dmesg | grep -m 1 'Performance Events' | sed 's/^\[[^]]*\] //')"
say "NMI watchdog: $(cat /proc/sys/kernel/nmi_watchdog 2>/dev/null)"
messages=$(dmesg | wc -l)

# Under page-table isolation the tracer refuses the kernel's branches by default
exposed=$(cat "$expose")
echo Y >"$expose"
check "the tracer can be set" on 1 0
if [ $status -ne 0 ]; then
	say "$(cat error_log)"
	exit 1
fi
size=$(cut -d' ' -f1 buffer_size_kb)
echo 512 >buffer_size_kb
gcc -nostdlib -static -o "$work/bts-loop" "$here/../bts-cpu/bts-loop.S" 2>/dev/null
if [ -x "$work/bts-loop" ] && command -v objdump >/dev/null; then
	check "each branch of a loop is there" loop_known
else
	say "skipped: a loop of known branches: there is no gcc, or no objdump"
fi
check "kernel only, user space only" both_sides
check "the CPU tells what it has predicted" predicts
check "each CPU records, and drops nothing" all_cpus
if command -v perf >/dev/null; then
	check "perf record -g beside it" beside_perf
else
	say "skipped: perf record -g beside it: there is no perf"
fi
check "another instance has no gaps" other_instance
if [ -w /proc/sysrq-trigger ]; then
	check "backtraces of all CPUs meanwhile" backtraces
else
	say "skipped: backtraces: there is no sysrq"
fi
if [ -w "/sys/devices/system/cpu/cpu$((cpus - 1))/online" ] && [ "$cpus" -gt 1 ]; then
	check "a CPU goes and comes" hotplug
else
	say "skipped: a CPU goes and comes: the last one cannot"
fi
if [ -n "$suspend" ]; then
	check "it goes on after a suspend to RAM" resumed
else
	say "skipped: a suspend to RAM (-s)"
fi
check "the kernel says nothing against it" quiet
off
exit $status
