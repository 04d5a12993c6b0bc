#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Test in the guest how long a write of a line for all functions holds up tasks that wait for
# trace_types_lock, and that lines which are too many are refused early
cd /sys/kernel/tracing || exit 1
status=0

# lines N: lines for all functions
lines()
{
	i=0
	while [ $i -lt "$1" ]; do
		echo "*: ret == $i && \$arg1 > $i"
		i=$((i + 1))
	done
}

# took FILE: write the lines of FILE, and print the milliseconds that the write took
took()
{
	begin=$(date +%s%N)
	cat "$1" > set_graph_filter 2> /dev/null
	echo $((($(date +%s%N) - begin) / 1000000))
}

lines 10 > /tmp/ten
lines 50 > /tmp/fifty
mkdir instances/times
echo mono > instances/times/trace_clock
echo 1 > instances/times/events/lock/enable || exit 1
# Waits for a mutex are recorded: the task that waits for the kernel's next message holds the
# mutex of the open file, and the other task waits for the mutex
exec 3< /dev/kmsg
cat <&3 > /dev/null &
first=$!
cat <&3 > /dev/null &
second=$!
until grep -qE -- "-($first|$second) .*contention_begin:.*MUTEX" instances/times/trace; do
	sleep 0.1
done
kill "$first" "$second"
wait
exec 3<&-
# This task takes trace_types_lock all the time
(while [ ! -e /tmp/stop ]; do read -r _ < current_tracer; done) &
reader=$!
accepted=$(took /tmp/ten)
[ "$(wc -l < set_graph_filter)" = 10 ] || { echo "10 lines are not set"; status=1; }
echo 0 > instances/times/events/lock/enable
refused=$(took /tmp/fifty)
[ "$(wc -l < set_graph_filter)" = 10 ] || { echo "50 lines are set"; status=1; }
tail -n 3 error_log | grep -q 'Too many lines' || status=1
: > /tmp/stop
wait
echo "$(wc -l < available_filter_functions) functions: 10 lines take $accepted ms"
echo "50 lines are refused in $refused ms"
[ "$refused" -lt "$accepted" ] || { echo "50 lines are refused late"; status=1; }

# The longest wait of the reader for a mutex
awk -v reader="$reader" '
	$0 !~ "-" reader " " { next }
	{ match($0, /[0-9]+\.[0-9]+:/); time = substr($0, RSTART, RLENGTH - 1) }
	/contention_begin:.*MUTEX/ { begin = time }
	/contention_end:/ && begin {
		wait = (time - begin) * 1000
		if (wait > longest)
			longest = wait
		n++
		begin = 0
	}
	END { printf "%d waits for a mutex, the longest %.1f ms\n", n, longest; exit longest > 10 }
' instances/times/trace || { echo "too long"; status=1; }
echo > set_graph_filter
rmdir instances/times
exit $status
