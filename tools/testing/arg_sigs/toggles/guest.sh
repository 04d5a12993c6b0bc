#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2086,SC2317 # the names have no spaces; act() calls the actions by name
#
# Traces known calls on CPU 1 in the instance "seen", while settings of other instances and
# lines for other functions change on CPU 0. Each call of the instance "seen" has to have
# all its values. The third CPU goes offline and comes back. The file "calls" has the least
# number of calls.

work=$PWD
least=$(cat calls)
calls=20000
failed=0
insmod "$work/toggle_calls.ko" || exit 1
run=/sys/module/toggle_calls/parameters/run
cd /sys/kernel/tracing || exit 1
mkdir instances/seen instances/other
seen=instances/seen
other=instances/other

# The buffer of CPU 1 has room for all calls
echo 128 >$seen/buffer_size_kb
echo $((calls * 700 / 1024)) >$seen/per_cpu/cpu1/buffer_size_kb
echo 128 >$other/buffer_size_kb
line='toggle_call: n=nr:s64, at=+0(twice):u64, t=text:string'

set_seen() {
	echo nop >$seen/current_tracer
	echo 'toggle_call int_pow' >$seen/set_ftrace_filter
	for option in funcgraph-args funcgraph-retval funcgraph-deref; do
		echo 1 >$seen/options/$option || exit 1
	done
	echo "$line" >$seen/func_args_expr || exit 1
	echo function_graph >$seen/current_tracer || exit 1
}
set_seen
echo 'toggle_call int_pow vfs_read' >$other/set_ftrace_filter
echo function_graph >$other/current_tracer

# Each action makes one round of changes, and puts everything back
act_deref() {
	echo 1 >$other/options/funcgraph-deref
	echo 0 >$other/options/funcgraph-deref
}
act_options() {
	for option in funcgraph-args funcgraph-retval funcgraph-single sleep-time funcgraph-irqs; do
		echo $((1 - $(cat $other/options/$option))) >$other/options/$option
	done
	echo $((rounds % 3 * 40)) >$other/func_args_string_size
}
act_exprs() {
	echo 'vfs_read: count' >>$seen/func_args_expr
	echo 'toggle_call: +0(twice):u8' >$other/func_args_expr
	echo '!vfs_read: count' >>$seen/func_args_expr
	echo >$other/func_args_expr
}
act_lines() {
	echo 'toggle_call: text == "call 5" && ret > 5' >$other/set_graph_filter
	echo >$other/set_graph_filter
	echo 'toggle_call: ret' >$other/set_graph_hist
	echo >$other/set_graph_hist
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
act_modules() {
	insmod "$work/toggle_other.ko" && rmmod toggle_other
}
act_tracers() {
	for tracer in function nop function_graph; do
		echo $tracer >$other/current_tracer
	done
	echo $((128 + rounds % 2 * 128)) >$other/buffer_size_kb
}
act_cpus() {
	echo 0 >/sys/devices/system/cpu/cpu2/online
	echo 1 >/sys/devices/system/cpu/cpu2/online
}

# check PID: compare the calls in the trace with what toggle_calls.c has called
check() {
	awk -v calls="$calls" -v pid="$1" '
		function bad(text) {
			if (errors++ < 5)
				print text ": " $0
		}
		BEGIN {
			n = m = 0
		}
		/ toggle_call \[toggle_calls\]\(/ {
			args = "nr=" n ", text=\"call " n "\", twice=&" hex(n) \
			       ", task=0x[0-9a-f]+\\{sh, " pid "\\}, n=" n ", at=" n \
			       ", t=\"call " n "\"\\); /\\* ret=" n + 1 " twice=&" hex(2 * n) \
			       " \\*/"
			if (n == 0)
				sub(" twice=&0 ", " ", args)
			n++
			if ($0 !~ args)
				bad("not " args)
		}
		/ int_pow\(/ {
			base = hex(10 * m++)
			args = "int_pow\\(base=" base ", exp=1\\); /\\* ret=" base " \\*/"
			if ($0 !~ args)
				bad("not " args)
		}
		function hex(x) {
			return x < 10 ? x : sprintf("0x%x", x)
		}
		END {
			if (n != calls || m != calls / 10)
				print n + 0 " and " m + 0 " calls, not " calls
			exit errors || n != calls || m != calls / 10
		}' $seen/per_cpu/cpu1/trace
}

# act ACTION: repeat an action until the file "stop" is there, and count how often
act() {
	rounds=0
	while [ ! -e /tmp/stop ]; do
		act_$1 || echo "$1 fails" >>/tmp/failed
		rounds=$((rounds + 1))
		echo $rounds >/tmp/rounds.$1
	done
}

# Whether each action was made three times
all_done() {
	for action in $actions; do
		[ "$(cat /tmp/rounds.$action)" -ge 3 ] || return 1
	done
}

actions='deref options exprs lines instances modules tracers cpus'
taskset -p 1 $$ >/dev/null
for action in $actions; do
	echo 0 >/tmp/rounds.$action
	act $action &
done
passes=0
while [ $((passes * calls)) -lt $least ] || ! all_done; do
	echo >$seen/trace
	taskset 2 sh -c "echo \$\$ >/tmp/pid; echo $calls >$run" || failed=1
	check "$(cat /tmp/pid)" || failed=1
	grep '^overrun: [1-9]' $seen/per_cpu/cpu1/stats && failed=1
	passes=$((passes + 1))
	[ $failed = 0 ] || break
done
: >/tmp/stop
wait
echo "$((passes * calls)) calls"
grep . /tmp/rounds.*
[ ! -e /tmp/failed ] || { cat /tmp/failed; failed=1; }
exit $failed
