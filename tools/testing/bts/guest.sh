#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The test of the bts tracer runs this script in a guest on the emulated CPU. The script
# runs sessions. The marks 2 N and 2 N + 1 in the CPU's log enclose session N. A session
# writes
#
#	raw.N.CPU[.INSTANCE]	the data of trace_pipe_raw
#	sessions		a line "N NAME [SIDE]", and "N.INSTANCE NAME SIDE" for
#				another instance, whose options select the recorded SIDE
#	pids.N			the PIDs of the tasks, if the session records only some tasks
#	ranges.N[.INSTANCE]	the code that the instance records, if this is not all code:
#				lines "BEGIN END NAME" with addresses of 16 digits
#
# guest.sh TURNS SESSION...: runs these sessions. TURNS is the number of times that some
# sessions run their load or their steps. The variable "loop" has the addresses "BEGIN END" of
# the instruction in bts-loop that branches.

turns=$1
shift
loop=${loop:-}
work=$PWD
cpus=$(nproc)
session=0
cd /sys/kernel/tracing || exit 1

# Set the entry of NMIs for the emulated CPU, which forgets the entry at a reset
mark_nmi()
{
	bts-mark nmi "$(sed -n 's/ T asm_exc_nmi$//p' /proc/kallsyms)" || exit 1
}

perf()
{
	"$work/perf/ld-linux-x86-64.so.2" --library-path "$work/perf" "$work/perf/perf" "$@"
}

on_each_cpu()
{
	local cpu

	for cpu in $(seq 0 $((cpus - 1))); do
		taskset -c "$cpu" "$@" || exit 1
	done
}

# begin NAME KILOBYTES [OPTION=VALUE]...: prepare a session, except for the tracer
begin()
{
	local option side=kernel

	name=$1
	echo "$2" >buffer_size_kb
	shift 2
	session=$((session + 1))
	# Only the wanted side of the log is compared. With toggled options both sides are
	# compared.
	case $name,$* in
	toggle*)	side= ;;
	*bts-user=1*bts-kernel=0*)	side=user ;;
	*bts-user=1*)	side= ;;
	esac
	echo "$session $name $side" >>"$work/sessions"
	on_each_cpu bts-mark $((2 * session))
	for option in bts-hold=0 bts-kernel=1 bts-user=0 "$@"; do
		echo "${option#*=}" >"options/${option%=*}" || exit 1
	done
	echo 1 >tracing_on
}

start()
{
	echo bts >current_tracer || { cat error_log; exit 1; }
}

# save INSTANCE: save the instance's buffers; '' is the top instance
save()
{
	local dir=${1:+instances/$1/}per_cpu cpu

	for cpu in $(seq 0 $((cpus - 1))); do
		dd if="$dir/cpu$cpu/trace_pipe_raw" bs=4096 iflag=nonblock 2>/dev/null \
			>>"$work/raw.$session.$cpu${1:+.$1}"
		grep -q '^overrun: 0$' "$dir/cpu$cpu/stats" || echo "$name: CPU $cpu: an overrun"
	done
}

end()
{
	echo 0 >tracing_on
	save ''
	echo nop >current_tracer
	on_each_cpu bts-mark $((2 * session + 1))
}

# load: use files, processes, pipes and memory, while interrupts come
load()
{
	local cpu i

	for cpu in $(seq 0 $((cpus - 1))); do
		(for ((i = 0; i < turns; i++)); do
			taskset -c "$cpu" ls -l /usr/bin /proc/self >/dev/null
			cat /proc/interrupts /proc/kallsyms | head -n 2000 | md5sum
		done >/dev/null) &
	done
	wait
}

# builtins TURNS: run commands of the shell that need no other process
builtins()
{
	local line i

	for ((i = 0; i < $1; i++)); do
		while read -r line; do
			echo "$line" >/dev/null
		done </proc/meminfo
	done
}

session_kernel()
{
	begin kernel $((turns * 16384))
	start
	load
	end
}

# Run the load while perf samples with interrupts of counters. What perf does before that
# would be ten times the branches.
session_counters()
{
	local begin ms nr

	begin counters $((turns * 65536))
	export -f start load
	begin=${EPOCHREALTIME/./}
	turns=$turns cpus=$cpus perf record -B -N -a -g -e instructions -c 100000 \
		-o /tmp/perf.data bash -c 'start && load && echo 0 >tracing_on' \
		>"$work/perf.log" 2>&1
	ms=$(((${EPOCHREALTIME/./} - begin) / 1000))
	end
	nr=$(perf report -D -i /tmp/perf.data 2>/dev/null | grep -c PERF_RECORD_SAMPLE)
	echo "counters: $nr samples in $ms ms"
	[ "$nr" -gt 100 ] || { cat "$work/perf.log"; exit 1; }
}

# perf multiplexes more events than the CPU has counters. The PMU driver unmasks LVTPC at
# each change.
session_multiplexed()
{
	local events

	begin multiplexed $((turns * 65536))
	echo 1 >/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms || exit 1
	start
	export -f load
	events=$(printf 'r%x00c0,' {0..9})
	turns=$turns cpus=$cpus perf stat -a -o /tmp/perf.stat -e "${events%,}" bash -c load
	end
	! grep -F '(100.00%)' /tmp/perf.stat && grep -q r900c0 /tmp/perf.stat || exit 1
}

session_user()
{
	begin user $((turns * 16384)) bts-user=1 bts-kernel=0
	start
	load
	end
}

session_both()
{
	begin both $((turns * 24576)) bts-user=1
	start
	load
	end
}

# Options and tracing_on change while the tracer records
session_toggled()
{
	begin toggled 16384
	start
	load &
	for ((i = 0; i < 10; i++)); do
		echo 1 >options/bts-user
		echo 0 >options/bts-kernel
		ls / >/dev/null
		echo 1 >options/bts-kernel
		echo 0 >tracing_on
		echo 0 >options/bts-user
		echo 1 >tracing_on
		ls / >/dev/null
	done
	wait
	end
}

# Record only one task and its children
session_pid()
{
	begin pid 8192 function-fork=1
	(
		echo "$BASHPID" >set_ftrace_pid
		echo "$BASHPID" >"$work/pids.$session"
		start
		builtins 5
		(
			echo "$BASHPID" >>"$work/pids.$session"
			builtins 5
		)
	)
	builtins 5
	end
	echo >set_ftrace_pid
	echo 0 >options/function-fork
}

session_cpumask()
{
	begin cpumask 8192
	echo 1 >tracing_cpumask
	start
	on_each_cpu ls / >/dev/null
	echo 2 >tracing_cpumask
	on_each_cpu ls / >/dev/null
	echo 3 >tracing_cpumask
	on_each_cpu ls / >/dev/null
	end
}

# Record a task from its call of one function to its call of another function
session_command()
{
	begin command 8192
	echo '__x64_sys_umask:bts_on' >set_ftrace_filter
	echo '__x64_sys_prlimit64:bts_off' >>set_ftrace_filter
	start
	load &
	echo "$BASHPID" >>"$work/pids.$session"
	for ((i = 0; i < 3; i++)); do
		umask 022
		builtins 2
		ulimit -c 0
		builtins 2
	done
	wait
	end
	echo '!__x64_sys_umask:bts_on' >set_ftrace_filter
	echo '!__x64_sys_prlimit64:bts_off' >set_ftrace_filter
}

# A CPU that loses DEBUGCTL records again from the next task on
session_lose()
{
	local i

	begin lose 16384 bts-user=1
	start
	for ((i = 0; i < 5; i++)); do
		on_each_cpu bts-mark lose
		on_each_cpu "$work/bts-loop" 1000
	done
	end
}

# Suspend the machine to RAM, which resets the CPUs. The clock's alarm wakes the machine.
session_suspend()
{
	begin suspend 65536 bts-user=1
	start
	on_each_cpu "$work/bts-loop" 1000
	echo deep >/sys/power/mem_sleep || exit 1
	echo +3 >/sys/class/rtc/rtc0/wakealarm || exit 1
	echo mem >/sys/power/state || exit 1
	mark_nmi
	on_each_cpu "$work/bts-loop" 1000
	end
}

# Changes in one instance leave no gap in another instance
session_others()
{
	local i

	mkdir instances/other
	begin others 65536
	echo 65536 >instances/other/buffer_size_kb
	echo "$session.other others kernel" >>"$work/sessions"
	echo 1 >instances/other/options/bts-kernel
	echo 0 >instances/other/options/bts-user
	echo bts >instances/other/current_tracer || exit 1
	start
	load &
	for ((i = 0; i < 5; i++)); do
		echo 1 >options/bts-user
		head -n 20 trace >/dev/null
		echo 0 >options/bts-kernel
		echo 0 >tracing_on
		echo 1 >options/bts-kernel
		echo 1 >tracing_on
		echo 0 >options/bts-user
		modprobe dummy && rmmod dummy
	done
	wait
	echo 0 >instances/other/tracing_on
	save other
	echo 0 >tracing_on
	echo nop >instances/other/current_tracer
	end
	rmdir instances/other
}

# Write many functions at once
session_glob()
{
	begin glob 65536
	start
	echo 'ext4_*:bts_on' >set_ftrace_filter
	functions=$(grep -c :bts_on set_ftrace_filter)
	echo "glob: $functions functions"
	[ "$functions" -gt 100 ] || exit 1
	echo '!ext4_*:bts_on' >set_ftrace_filter
	builtins 5
	end
}

# Arm a thread that is not the leader of its process, and let it execute another program
session_exec()
{
	begin exec 16384 bts-user=1 bts-kernel=0
	echo '__x64_sys_umask:bts_on' >set_ftrace_filter
	start
	"$work/bts-exec" "$work/bts-loop" 100000 &
	echo $! >"$work/pids.leader"
	wait
	echo 0 >tracing_on
	echo '!__x64_sys_umask:bts_on' >set_ftrace_filter
	end
}

# Arm the tasks that execute a program, by its name
session_comm()
{
	local i

	begin comm 16384 bts-user=1 bts-kernel=0
	! echo 'setup_new_exec:bts_on::' 2>/dev/null >set_ftrace_filter || exit 1
	! echo 'setup_new_exec:bts_on::sixteen-letters-' 2>/dev/null >set_ftrace_filter || exit 1
	echo 'setup_new_exec:bts_on:2:bts-l??p' >set_ftrace_filter || exit 1
	grep -q '^setup_new_exec:bts_on:count=2:comm=bts-l??p$' set_ftrace_filter || exit 1
	start
	for i in 50000 50001 100; do
		ls / >/dev/null
		"$work/bts-loop" "$i" &
		[ "$i" -eq 100 ] || echo $! >>"$work/pids.$session"
		wait
	done
	echo 0 >tracing_on
	echo '!setup_new_exec:bts_on' >set_ftrace_filter
	end
}

# Drains of one CPU use up the budget again and again
session_budget()
{
	local cpu=$((cpus - 1)) pid budget=/sys/module/trace_bts/parameters/budget

	begin budget 32768
	! echo 0 >$budget 2>/dev/null && ! echo 101 >$budget 2>/dev/null || exit 1
	echo 2 >$budget || exit 1
	start
	# shellcheck disable=SC2016 # sh expands it
	taskset -c "$cpu" sh -c 'while :; do umask 022; done' &
	pid=$!
	sleep 2
	kill "$pid"
	wait
	end
	echo 100 >$budget
}

# Run traceoff on one CPU, while another CPU has branches that were not drained, or holds them
session_traceoff()
{
	local cpu=$((cpus - 1)) hold records=/sys/module/trace_bts/parameters/hold

	! echo 65537 >$records 2>/dev/null && echo 65536 >$records || exit 1
	for hold in 0 1; do
		begin traceoff 16384 bts-user=1 bts-kernel=0 bts-hold=$hold
		start
		# shellcheck disable=SC2016 # sh expands it
		taskset -c "$cpu" sh -c 'umask 022; echo on; exec "$0" 2000' "$work/bts-loop"
		echo '__x64_sys_umask:traceoff:1' >set_ftrace_filter
		taskset -c 0 sh -c 'umask 022'
		[ "$(cat tracing_on)" = 0 ] || exit 1
		echo '!__x64_sys_umask:traceoff:1' >set_ftrace_filter
		end
	done
	echo 8192 >$records
}

# The CPUs hold their last branches, until recording goes off
session_hold()
{
	begin hold 16384 bts-user=1 bts-hold=1
	start
	load
	end
}

# Readers ask for the held branches, and an instance that does not hold branches comes and goes
session_held()
{
	local i other=instances/other

	mkdir $other
	begin held 65536 bts-user=1 bts-hold=1
	start
	load &
	for ((i = 0; i < 5; i++)); do
		head -n 20 trace >/dev/null
		builtins 20
		echo bts >$other/current_tracer || exit 1
		builtins 5
		echo nop >$other/current_tracer
		echo 0 >options/bts-hold
		builtins 5
		echo 1 >options/bts-hold
	done
	wait
	end
	rmdir $other
}

# Two instances record, each of them one side
session_instances()
{
	mkdir instances/other
	begin instances $((turns * 16384))
	echo $((turns * 16384)) >instances/other/buffer_size_kb
	echo "$session.other instances user" >>"$work/sessions"
	echo 1 >instances/other/options/bts-user
	echo 0 >instances/other/options/bts-kernel
	start
	echo bts >instances/other/current_tracer || exit 1
	load
	echo 0 >instances/other/tracing_on
	echo 0 >tracing_on
	save other
	echo nop >instances/other/current_tracer
	end
	rmdir instances/other
}

# symbols REGEX: print the addresses of the kernel's functions, each up to the next symbol
symbols()
{
	sort /proc/kallsyms | awk -v name="^$1\$" '
		begin && $1 != begin { print begin, $1, func; begin = "" }
		$2 ~ /[tT]/ && $3 ~ name && NF == 3 { begin = $1; func = $3 }'
}

# An instance records the code of its lines, beside an instance that records all code. A module
# of the lines is loaded twice.
session_range()
{
	local page section i other=instances/other

	mkdir $other
	begin range 32768 bts-user=1
	echo 16384 >$other/buffer_size_kb
	echo "$session.other range" >>"$work/sessions"
	echo 1 >$other/options/bts-user
	echo 1 >$other/options/bts-kernel
	{
		symbols 'vfs_.*'
		symbols ksys_read
	} >"$work/ranges.$session.other"
	printf '%s\n' 'vfs_*' ksys_read '*:mod:dummy' >$other/bts_range ||
		{ cat error_log; exit 1; }
	echo bts >$other/current_tracer || exit 1
	start
	builtins 20
	for ((i = 0; i < 2; i++)); do
		modprobe dummy || exit 1
		# No other code is on the pages of the module's code
		for section in text exit.text init.text; do
			read -r page <"/sys/module/dummy/sections/.$section" || exit 1
			page=$((page & ~4095))
			printf '%016x %016x %s\n' "$page" $((page + 4096)) "$section"
		done >>"$work/ranges.$session.other"
		rmmod dummy || exit 1
	done
	echo 0 >$other/tracing_on
	save other
	echo 0 >tracing_on
	echo nop >$other/current_tracer
	end
	echo >$other/bts_range
	[ "$(cat $other/bts_range)" = '#### all code ####' ] || exit 1
	rmdir $other
}

# Record addresses of user space
session_addresses()
{
	begin addresses 4096 bts-user=1
	echo "$loop bts-loop" >"$work/ranges.$session"
	echo "0x${loop% *}-0x${loop#* }" >bts_range || exit 1
	start
	"$work/bts-loop" 1000
	end
	echo >bts_range
}

# CPUs go offline and online
session_hotplug()
{
	begin hotplug 16384
	start
	for ((i = 0; cpus > 1 && i < 2; i++)); do
		echo 0 >/sys/devices/system/cpu/cpu1/online || exit 1
		ls / >/dev/null
		echo 1 >/sys/devices/system/cpu/cpu1/online || exit 1
		taskset -c 1 ls / >/dev/null
	done
	end
}

# Modules are loaded and unloaded
session_module()
{
	begin module 16384
	start
	modprobe dummy && rmmod dummy || exit 1
	modprobe dummy && rmmod dummy || exit 1
	end
}

# Start readers of the raw pages, as trace-cmd does. The tracer cannot be set while the
# files are open. Each reader runs on its CPU as soon as it is woken, because the emulated
# CPUs differ in speed, and a reader on another CPU might come too late.
readers_start()
{
	local cpu

	readers=()
	for cpu in $(seq 0 $((cpus - 1))); do
		chrt -f 1 taskset -c "$cpu" cat "per_cpu/cpu$cpu/trace_pipe_raw" \
			>"$work/raw.$session.$cpu" &
		readers+=($!)
	done
}

# Stop the readers. save() saves the pages that the readers have not read.
readers_end()
{
	sleep 1
	kill "${readers[@]}" 2>/dev/null
	wait "${readers[@]}"
}

# A reader gets all branches from a buffer that is too small for all branches
session_reader()
{
	begin reader 4096
	echo 0 >tracing_on
	start
	readers_start
	(
		echo "$BASHPID" >set_ftrace_pid
		echo "$BASHPID" >"$work/pids.$session"
		echo 1 >tracing_on
		builtins 40
	)
	echo 0 >tracing_on
	readers_end
	end
	echo >set_ftrace_pid
}

# Run a program with known branches, see tools/testing/bts-cpu/bts-loop.S
session_loop()
{
	begin loop 16384 bts-user=1 bts-kernel=0
	(
		echo "$BASHPID" >set_ftrace_pid
		echo "$BASHPID" >"$work/pids.$session"
		start
		exec "$work/bts-loop" 100000
	)
	end
	echo >set_ftrace_pid
}

# Each turn toggles tracing_on and the options. Only a task that wakes now and then is
# recorded, because the log has no room for more branches.
session_toggles()
{
	local i line sleeper

	begin toggles 32768
	mkfifo "$work/fifo"
	(
		exec 3<>"$work/fifo"
		while :; do
			read -r line </proc/version
			read -r -t 0.1 -u 3 line
		done
	) &
	sleeper=$!
	echo "$sleeper" >"$work/pids.$session"
	echo 0 >tracing_on
	start
	echo "$sleeper" >set_ftrace_pid
	readers_start
	for ((i = 0; i < turns; i++)); do
		echo 1 >tracing_on
		echo 1 >options/bts-user
		echo 0 >options/bts-kernel
		echo 1 >options/bts-kernel
		echo 0 >options/bts-user
		echo 0 >tracing_on
		[ $((i % 100)) -ne 0 ] || echo "turn $i"
	done
	kill "$sleeper"
	readers_end
	end
	echo >set_ftrace_pid
}

mark_nmi
for name; do
	declare -F "session_$name" >/dev/null || { echo "there is no session $name"; exit 1; }
	"session_$name"
done
cat events/ftrace/bts/format >"$work/format"
cd "$work" || exit 1
shopt -s nullglob
tar cf pages sessions format pids.* ranges.* raw.*
