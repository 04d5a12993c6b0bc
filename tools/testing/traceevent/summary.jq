# SPDX-License-Identifier: GPL-2.0
#
# From the objects of trace-calls json: for each function a line with tabs between the calls, the
# errors, the total, the self time, the mean, the median, the 99th percentile, the maximum, in
# nanoseconds, and the name. The total is the time in which at least one call of the function was
# open in a task. A call whose end was lost has no time.

def place(part): sort | .[((length * part) | ceil) - 1];
def total: sort_by(.begin) | reduce .[] as $call ({last: 0, sum: 0};
	{last: ([.last, $call.end] | max),
	 sum: (.sum + ([$call.end - ([.last, $call.begin] | max), 0] | max))}) | .sum;

map(select(.function)) | group_by([.function, .module])[] |
	map(select(.lost != "end")) as $ended | ($ended | map(.duration)) as $times |
	[length, (map(select(.errno)) | length),
	 # An idle task never leaves its CPU
	 ($ended | group_by([.instance, .pid, (if .pid == 0 then .cpu else null end)]) | map(total) |
	  add), (map(.self // 0) | add),
	 ($times | if length > 0 then add / length, place(0.5), place(0.99), max else 0, 0, 0, 0 end),
	 (.[0] | .function + (if .module then " [" + .module + "]" else "" end))] | map(. // 0) | @tsv
