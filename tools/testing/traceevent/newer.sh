#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# newer.sh, in the guest: records the same calls with each trace-cmd: the system's
# trace-cmd, and the versions in the folders *-trace-cmd. Writes NAME-known.dat,
# NAME-graph.dat, NAME-plain.dat, which has no arguments, and NAME-function.dat.
set -e
options='-O funcgraph-args -O funcgraph-retval'

load='echo "some text" >/tmp/written; cat /no/such/file; mkdir /tmp/made; rmdir /tmp/made; sleep 1'

# record NAME COMMAND...: record with the trace-cmd COMMAND
record()
{
	name=$1
	shift
	# shellcheck disable=SC2086 # splitting into words is intended
	"$@" record -p function_graph $options -l 'sample_*:mod:arg_sample' -o "$name-known.dat" \
		sh -c 'insmod ./arg_sample.ko; sleep 1'
	rmmod arg_sample
	# shellcheck disable=SC2086
	"$@" record -p function_graph $options -g do_sys_openat2 -g vfs_write -g do_mkdirat \
		-g do_rmdir -o "$name-graph.dat" sh -c "$load" || :
	echo 0 >/sys/kernel/tracing/options/funcgraph-args
	"$@" record -p function_graph -g do_sys_openat2 -g vfs_write \
		-o "$name-plain.dat" sh -c "$load" || :
	"$@" record -p function -O func-args -l 'vfs_*' -o "$name-function.dat" \
		sh -c "$load" || :
}

record system trace-cmd
for dir in *-trace-cmd; do
	lib=$PWD/$dir/usr/lib/x86_64-linux-gnu
	record "${dir%-trace-cmd}" "$lib/ld-linux-x86-64.so.2" --library-path "$lib" \
		"$dir/usr/bin/trace-cmd"
done >&2
