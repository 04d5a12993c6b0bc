#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Trace one run of a workload twice, in the guest: all of its calls, and the calls that
# meet the lines of the file "conditions". Write the traces to "all" and "met", and print
# the counts.
set -e
here=$PWD
cd /sys/kernel/tracing
mkdir instances/all instances/met
for each in all met; do
	(
		cd instances/$each
		echo 0 > tracing_on
		echo 1 > options/funcgraph-proc
		echo 1 > options/funcgraph-args
		echo 1 > options/funcgraph-retval
		echo 1 > options/latency-format
	)
done
echo 100000 > instances/all/buffer_size_kb
echo 20000 > instances/met/buffer_size_kb
cat "$here/conditions" > instances/met/set_graph_filter
echo function_graph > instances/met/current_tracer
echo function_graph > instances/all/current_tracer
echo 1 > instances/all/tracing_on
echo 1 > instances/met/tracing_on
# Only tasks that begin after the first task and end before the last task are compared
sh -c 'echo "first $$"'
sh -c 'cat /no/such/file; ls -l /proc/self /etc/passwd; cat /etc/passwd; mkdir /proc/x; sleep 0.01
	for i in 1 2 3; do (exit 3); done; kill -0 99999
	(kill -9 $(sh -c "echo \$PPID")); echo x | cat' >/dev/null 2>&1 || :
sh -c 'echo "last $$"'
echo 0 > instances/met/tracing_on
echo 0 > instances/all/tracing_on
cat instances/met/graph_filter_counts
grep -h '^overrun' instances/*/per_cpu/cpu*/stats
cat instances/all/trace > "$here/all"
cat instances/met/trace > "$here/met"
for each in all met; do
	echo nop > instances/$each/current_tracer
	rmdir instances/$each
done
