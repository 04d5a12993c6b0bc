#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016 # other shells expand what is in single quotes
# shellcheck disable=SC2086,SC2231,SC2317 # the names have no spaces; act() calls by name
#
# Traces known calls on CPU 1 in the instance "seen", while an action of CPU 0 changes
# settings all the time. The action ends before the calls are checked. The third CPU goes
# offline and comes back. The file "calls" has the least number of calls of each step.

work=$PWD
least=$(cat calls)
# Maximum calls of one pass, which the buffer has room for, and calls of one process. An
# emulated guest that sleeps takes no time of the machine, so the calls are spread over rounds.
most=$((least < 50000 ? least * 2 : 100000))
chunk=500
failed=0
insmod "$work/toggle_calls.ko" || exit 1
export run=/sys/module/toggle_calls/parameters/run
cd /sys/kernel/tracing || exit 1
mkdir instances/seen instances/other
seen=instances/seen
other=instances/other

echo 1024 >$seen/buffer_size_kb
echo $((most * 400 / 1024)) >$seen/per_cpu/cpu1/buffer_size_kb
echo 128 >$other/buffer_size_kb
line='toggle_call: n=nr:s64, at=+0(twice):u64, t=text:string'

# Set the recorded values, which an action on the instance itself may have changed
set_seen() {
	for option in $seen/options/funcgraph-*; do
		echo 0 2>/dev/null >$option
	done
	for option in args retval deref; do
		echo 1 >$seen/options/funcgraph-$option || exit 1
	done
	echo 64 >$seen/func_args_string_size
	echo "$line" >$seen/func_args_expr || exit 1
	echo >$seen/set_graph_filter
	echo >$seen/set_graph_hist
}
set_seen
echo 'toggle_call int_pow' >$seen/set_ftrace_filter
echo function_graph >$seen/current_tracer || exit 1
echo 'toggle_call int_pow vfs_read' >$other/set_ftrace_filter
echo function_graph >$other/current_tracer || exit 1

# change_options INSTANCE: switch each option, and the size of strings. The CPU may have no
# last branch records, and on 7.3 only the top instance has graph-time.
change_options() {
	for option in "$1"/options/funcgraph-* "$1"/options/sleep-time "$1"/options/graph-time; do
		if [ "${option##*-}" = lbr ] || [ ! -e "$option" ]; then
			continue
		fi
		echo $((1 - $(cat $option))) >$option || return 1
	done
	echo $((rounds % 3 * 5)) >"$1/func_args_string_size"
}

# change_lines INSTANCE FUNCTION PARAMETER: add and remove a line in each of the three files
change_lines() {
	echo "$2: $3" >>"$1/func_args_expr" &&
		echo "$2: $3 > 5 && ret >= 0" >"$1/set_graph_filter" &&
		echo >"$1/set_graph_filter" &&
		echo "$2: ret" >"$1/set_graph_hist" &&
		echo >"$1/set_graph_hist" &&
		echo "!$2: $3" >>"$1/func_args_expr"
}

# Each action makes one round of changes, and puts everything back
act_options() {
	change_options $other
}
act_lines() {
	change_lines $other toggle_call nr
}
# Lines of another function, but not conditions and counts, which all functions share
act_exprs() {
	echo 'vfs_read: count' >>$seen/func_args_expr &&
		echo '!vfs_read: count' >>$seen/func_args_expr
}
# The instance does not trace all functions. A CPU that comes online calls a few functions
# before it has an IDT. The CPU dies at the breakpoint if ftrace patches one of them then.
act_instances() {
	mkdir instances/more
	echo 'vfs_* ksys_* toggle_call' >instances/more/set_ftrace_filter
	echo 1 >instances/more/options/funcgraph-deref
	echo 'toggle_call: nr' >instances/more/func_args_expr
	echo function_graph >instances/more/current_tracer
	echo nop >instances/more/current_tracer
	rmdir instances/more
}
# Two modules get the same addresses. check.c checks their calls, too.
act_modules() {
	for module in toggle_first toggle_second; do
		insmod "$work/$module.ko" &&
			echo toggle_other >>$seen/set_ftrace_filter &&
			echo $rounds >/sys/module/$module/parameters/run &&
			cat /sys/module/$module/sections/.text >>/tmp/addresses &&
			rmmod $module || return 1
	done
}
act_tracers() {
	for tracer in function nop function_graph; do
		echo $tracer >$other/current_tracer || return 1
	done
}
act_buffers() {
	echo $((128 + rounds % 2 * 128)) >$other/buffer_size_kb
}
act_cpus() {
	echo 0 >/sys/devices/system/cpu/cpu2/online &&
		echo 1 >/sys/devices/system/cpu/cpu2/online
}
# The task of the calls forks and executes programs, see calls_fork.sh
act_fork() {
	sleep 0.1
}
# The settings of the instance itself. The kernel stops its tracer while a buffer is resized.
act_own_buffers() {
	sleep 0.1
	echo $((1024 + rounds % 2 * 64)) >$seen/per_cpu/cpu2/buffer_size_kb
}
act_own_options() {
	change_options $seen
}
act_own_lines() {
	change_lines $seen toggle_call nr
}

# act ACTION: repeat an action until the file "stop" is there, and count how often
act() {
	rounds=$(cat /tmp/rounds.$1)
	while [ ! -e /tmp/stop ]; do
		act_$1 || { echo "$1 fails" >>/tmp/failed; break; }
		rounds=$((rounds + 1))
		echo $rounds >/tmp/rounds.$1
	done
}

# calls FIRST COUNT: make calls, and note the task that makes them
cat >/tmp/calls.sh <<'END'
calls() {
	read -r comm </proc/$$/comm
	echo "$1 $$ $comm" >>/tmp/tasks
	echo "$1 $2" >$run
}
END
# The same, but the task forks and executes programs between the calls
cp "$(readlink -f /bin/sh)" /tmp/another
cat >/tmp/calls_fork.sh <<'END'
. /tmp/calls.sh
n=$1
while [ $n -lt $(($1 + $2 - 100)) ]; do
	calls $n 50
	sh -c '. /tmp/calls.sh; calls $1 50' sh $((n + 50))
	n=$((n + 100))
done
exec /tmp/another -c '. /tmp/calls.sh; calls $1 100' another $n
END

# Whether each action of the step was made twice. The file of a number is empty for a moment while
# the action writes the number.
all_done() {
	for action in $actions; do
		[ "0$(cat /tmp/rounds.$action)" -ge 2 ] || return 1
	done
}

# Whether each call of the two modules has its own function's name and values
check_modules() {
	first='first\]\(nr=([0-9]+), text="first"\); /\* ret=\2'
	second='second\]\(text="second", nr=([0-9]+)\); /\* ret=\3'
	grep 'toggle_other \[' $seen/per_cpu/cpu0/trace >/tmp/shown
	grep -vE "toggle_other \[toggle_($first|$second) \*/" /tmp/shown | head -n 4 >/tmp/wrong
	echo "$(wc -l </tmp/shown) calls of $(wc -l </tmp/addresses) modules"
	cat /tmp/wrong
	if [ -s /tmp/wrong ] || [ "$(wc -l </tmp/shown)" != "$(wc -l </tmp/addresses)" ]; then
		return 1
	fi
	if [ "$(sort -u /tmp/addresses | wc -l)" -ge "$(wc -l </tmp/addresses)" ]; then
		echo "no module has the address of another"
		return 1
	fi
}

# pass STRICT: make calls while the actions run, and check the calls after the actions
pass() {
	rm -f /tmp/stop /tmp/tasks
	: >/tmp/addresses
	for action in $actions; do
		act $action &
	done
	n=0
	while [ $n -lt $most ]; do
		case $actions in
		fork)	taskset 2 sh /tmp/calls_fork.sh $n $chunk ;;
		*)	taskset 2 sh -c '. /tmp/calls.sh; calls $1 $2' sh $n $chunk ;;
		esac || { echo "calls fail" >>/tmp/failed; break; }
		n=$((n + chunk))
		[ $((total + n)) -lt $least ] || ! all_done || break
		sleep 0.04
	done
	: >/tmp/stop
	wait
	total=$((total + n))
	[ $1 = strict ] || set_seen
	"$work/check" $1 $n /tmp/tasks <$seen/per_cpu/cpu1/trace || return 1
	! grep '^overrun: [1-9]' $seen/per_cpu/cpu1/stats || return 1
	case " $actions " in
	*" modules "*)	check_modules || return 1 ;;
	esac
	echo >$seen/trace
}

# step STRICT ACTION...: make passes until there are enough calls, and enough rounds
step() {
	strict=$1
	shift
	actions=$*
	total=0
	for action in $actions; do
		echo 0 >/tmp/rounds.$action
	done
	while [ $total -lt $least ] || ! all_done; do
		pass $strict || { echo "$actions: failed"; failed=1; break; }
		[ ! -s /tmp/failed ] || { cat /tmp/failed; failed=1; break; }
	done
	echo "$total calls, rounds of changes:"
	for action in $actions; do
		echo "  $action $(cat /tmp/rounds.$action)"
	done
	: >/tmp/failed
	set_seen
	echo >$seen/trace
}

taskset -p 1 $$ >/dev/null
: >/tmp/failed
for action in options lines exprs instances modules tracers buffers cpus fork; do
	step strict $action
done
step strict options lines exprs instances modules tracers buffers cpus
for action in own_options own_lines own_buffers; do
	step own $action
done
exit $failed
