#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test conditions on the calls of cond_calls.ko, in the guest: calls at the maximum
# depth, tail calls, interrupts and NMIs, other users of the functions, and changes
# between a call's entry and its return. If there is a file "single", a call is one
# event.
here=$PWD
run=/sys/module/cond_calls/parameters/run
status=0
cd /sys/kernel/tracing || exit 1

# trace_run LINE CALL: print the calls of the trace, without their times
trace_run()
{
	echo "$1" > set_graph_filter || status=1
	echo > trace
	echo "$2" > "$run" || status=1
	shown
}

shown()
{
	sed -n '/^ *[0-9]*) .*|  *[c}]/ { s/^[^|]*|  //; s/ \[cond_calls\]//; p; }' trace
}

# Convert the input to the form with one event for a call: a line for each call, at its
# return
single_form()
{
	awk '
		/ \{$/ { sub(/ \{$/, ""); open[++n] = $0; next }
		/^ *}/ {
			value = ";"
			if (match($0, /ret=.* \*\/$/))
				value = " = " substr($0, RSTART + 4, RLENGTH - 7)
			print open[n--] value
			next
		}
		{ if (sub(/; \/\* ret=/, " = ")) sub(/ \*\/$/, ""); print }
		END { while (n) print open[n--] " ..." }'
}

# expect WHAT: compare the shown text with the input. Do not call this after a pipe,
# because a subshell cannot set status.
expect()
{
	if [ -e "$here/single" ]; then
		single_form
	else
		cat
	fi > "$here/expected"
	if ! diff -u "$here/expected" "$here/shown"; then
		echo "not so: $1"
		cat graph_filter_counts
		status=1
	else
		echo "$1: $(wc -l < "$here/shown") lines"
	fi
}

# check WHAT LINE CALL: compare the text that the line shows of the call with the input
check()
{
	trace_run "$2" "$3" > "$here/shown"
	expect "$1"
}

# Write the expected text of the fifty calls, each with its string
awk 'BEGIN {
	for (i = 1; i <= 50; i++) {
		text = i == 1 ? "the first" : sprintf("%-62s%2d",
			"of fifty calls within each other none may be lost: call", i)
		end = i < 50 ? " {" : "; /* ret=-5 (-EIO) */"
		printf "%*scond_deep(text=\"%s\", level=%d, wait=false)%s\n",
			2 * i - 2, "", text, i, end
	}
	for (i = 49; i; i--)
		printf "%*s} /* cond_deep ret=0 */\n", 2 * i - 2, ""
}' > "$here/deep"

insmod "$here/cond_calls.ko" || exit 1
echo 'cond_*:mod:cond_calls' > set_ftrace_filter
echo 1 > options/funcgraph-args
echo 1 > options/funcgraph-retval
[ ! -e "$here/single" ] || echo 1 > options/funcgraph-single
echo '*: error' > set_graph_filter
echo function_graph > current_tracer

check "the way to a failure, fifty calls deep" '*: error' deep < "$here/deep"
check "the same, decided at the entry and at the return" \
	'cond_deep: level == 50 && text ~ "*call*50" && ret < 0' deep < "$here/deep"
check "no call meets the condition" 'cond_deep: level == 51 && ret < 0' deep < /dev/null

check "a tail call" '*: error' tail <<END
cond_tail(a=1) {
  cond_target(a=2); /* ret=-22 (-EINVAL) */
} /* cond_tail ret=-22 (-EINVAL) */
END

# A function without parameters has the values of expressions, too
read -r comm < /proc/self/comm
echo 'cond_*: COMM' > func_args_expr || status=1
check "expressions alone" '*: error' none <<END
cond_none(COMM="$comm"); /* ret=-25 (-ENOTTY) */
END
echo > func_args_expr

# The interrupted code is not a caller of the interrupt
check "in an interrupt" '*: error' irq <<END
  cond_irq(text="interrupt"); /* ret=-16 (-EBUSY) */
END
check "in an NMI" '*: error' nmi <<END
  cond_nmi(text="NMI"); /* ret=-11 (-EAGAIN) */
END
check "what is interrupted" 'cond_around: text == "irq" && ret == 0' irq <<END
cond_around(text="irq"); /* ret=0 */
END

# The flags of a call in the image: interrupts and bottom halves, the kind of an interrupt, the
# preemption depth and the depth of migrate_disable(). The tracer may disable preemption itself,
# so the first call counts as depth 0. The interrupt may come while preemption is disabled
echo irq_set_irq_wake >> set_ftrace_filter
echo 1 > options/latency-format
echo '*: error' > set_graph_filter
echo > trace
echo flags > "$run" || status=1
sed -n 's/^ *[0-9]*) *\([^ ]*\) .*irq_set_irq_wake(.*on=\([0-9]*\)).*(-EINVAL).*/\2 \1/p' trace |
	sort | awk '{
		depth = substr($2, 4, 1) + 0
		if (!$1)
			base = depth
		print $1, substr($2, 1, 1), substr($2, 3, 1), $1 == 5 ? "-" : depth - base,
			substr($2, 5, 1) + 0
	}' > "$here/shown"
if diff -u - "$here/shown" <<END
0 . . 0 0
1 . . 1 0
2 d . 0 0
3 b . 0 0
4 . . 0 1
5 d h - 0
6 . s 0 0
END
then
	echo "flags of contexts: $(wc -l < "$here/shown") lines"
else
	echo "not so: flags of contexts"
	grep irq_set_irq_wake trace
	status=1
fi
echo 0 > options/latency-format
echo '!irq_set_irq_wake' >> set_ftrace_filter

check "recording is off at the entry" '*: error' late <<END
cond_late(text="off at the entry"); /* ret=-1 (-EPERM) */
END
check "recording is off in between" '*: error' pause <<END
cond_pause(text="off in between"); /* ret=-6 (-ENXIO) */
END

# A task ends within a call. The next task does not find this call.
trace_run '*: error' never > "$here/shown"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	sleep 0.2
	shown > "$here/shown"
	# With one event for a call, the event comes when the task is freed
	if [ ! -e "$here/single" ] || grep -q cond_never "$here/shown"; then
		break
	fi
done
expect "a call that never returns" <<END
cond_never(text="the end") {
  cond_target(a=3); /* ret=-22 (-EINVAL) */
END

# If lines change between the entry and the return of a call, the call is not shown
echo 'cond_sleep: ret == 0' > set_graph_filter
echo > trace
echo sleep > "$run" &
sleep 0.3
echo '*: error' > set_graph_filter
wait
shown > "$here/shown"
expect "other lines between entry and return" < /dev/null
check "the next such call" '*: error' sleep <<END
cond_sleep(text="a second"); /* ret=-4 (-EINTR) */
END

# The calls of many tasks are kept at the same time
trace_run '*: error' crowd | sed 's,^\(.*)\) = \(.*\)$,\1; /* ret=\2 */,' > "$here/shown"
last=$(printf '%-62s%2d' 'of fifty calls within each other none may be lost: call' 50)
awk -v last="cond_deep(text=\"$last\", level=50, " '
	index($0, last "wait=true); /* ret=-5 (-EIO) */") ||
	index($0, last "wait=false); /* ret=-5 (-EIO) */") { kept++; next }
	/ret=-5/ { print "what is this: " $0; bad = 1 }
	END { print "a crowd: " kept + 0 " calls with arguments"
	      exit bad || kept != 101 }' "$here/shown" || status=1
trace_run 'cond_deep: level == 50 && ret < 0' crowd > "$here/shown"
awk '/cond_deep:/ { print "a crowd with a condition: " $3 " of " $2 " calls met, " $4 " not known"
		    bad = $2 != 101 * 50 || $3 != 101 || $4; n++ }
     END { exit bad || !n }' graph_filter_counts || status=1
check "after the crowd" '*: error' deep < "$here/deep"

# If a task has no room left, its inner calls are not kept. Such a call has no arguments, and
# does not meet a condition on arguments, but it is traced. The arguments of kept calls are
# right.
trace_run '*: error' deeper > "$here/shown"
awk '
	/cond_deep\(text=\?, level=\?, wait=\?\)/ && /-5 \(-EIO\)/ { lost++; next }
	match($0, /call[ 0-9]+", level=/) {
		text = substr($0, RSTART + 4, RLENGTH - 4) + 0
		level = substr($0, RSTART + RLENGTH) + 0
		if (text != level || seen[level]++)
			bad = 1
		kept++
		next
	}
	/the first", level=1,/ { kept++; next }
	/cond_deep ret=0/ { next }
	{ print "what is this: " $0; bad = 1 }
	END { print "eighty calls within each other: " kept + 0 " kept"
	      exit bad || lost != 1 || kept < 50 || kept > 79 }' "$here/shown" || status=1
trace_run 'cond_deep: level == 80 && ret < 0' deeper > "$here/shown"
awk '/cond_deep:/ { print "the same with a condition: " $2 " calls seen, " $3 " met, " \
			  $4 " not known"
		    bad = $2 != 80 || $3 || $4 < 1 || $4 > 30; n++ }
     END { exit bad || !n }' graph_filter_counts || status=1

# kprobes, kretprobes and fprobes of the same functions
for event in 'p:at_entry cond_deep' 'r60:at_return cond_deep' 'f:fprobe_entry cond_deep' \
	     'f:fprobe_return cond_deep%return'; do
	echo "$event" >> dynamic_events || status=1
done
for event in events/kprobes events/fprobes; do
	echo 1 > $event/enable || status=1
done
check "probes of the same function" '*: error' deep < "$here/deep"
# Linux 6.12 handles at most four open returns of an fprobe on two CPUs
for event in at_entry:50 at_return:50 fprobe_entry:50 fprobe_return:4; do
	hits=$(grep -c "${event%:*}: " trace)
	[ "$hits" -ge "${event#*:}" ] || { echo "$event: $hits hits"; status=1; }
done
for event in events/kprobes events/fprobes; do
	echo 0 > $event/enable
done
echo > dynamic_events

# Unload the module while a line and the trace have its functions
trace_run 'cond_deep: level == 50 && ret < 0' deep > "$here/shown"
rmmod cond_calls || status=1
shown > "$here/shown"
expect "the module is gone" < "$here/deep"
echo nop > current_tracer
exit $status
