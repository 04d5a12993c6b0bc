#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# lab/bench peers runs this script in the guest.  The script measures the cost of
# tracing a call of int_pow() with its arguments and its return value, with this
# project and with its alternatives.  Prints "NAME VALUE..." lines.
here=$PWD
programs=$here/bpftrace
cd /sys/kernel/tracing || exit 1
status=0

# calls MODE: measure the cost of a call, in hundredths of an instruction
calls()
{
	dmesg -C
	insmod "$here/arg_bench.ko" 2>/dev/null
	dmesg | sed -n "s/.*arg_bench int_pow\/2 \(.*\)/call $1 \1/p"
}

# bytes MODE: print the bytes of a call and its return in the ring buffer
bytes()
{
	cat per_cpu/cpu*/stats | awk -v mode="$1" '/^entries/ { e += $2 }
		/^bytes/ { b += $2 } /^overrun/ { o += $2 } END { print "bytes", mode, b, e, o }'
}

# ring MODE: measure calls that are recorded in this ring buffer
ring()
{
	echo > trace
	echo 1 > tracing_on
	calls "$1"
	echo 0 > tracing_on
	bytes "$1"
}

# events MODE ENTER LEAVE: measure calls with two dynamic events, if this kernel has
# them
events()
{
	echo "$2" > dynamic_events && echo "$3" >> dynamic_events || return
	echo 1 > events/peers/enable
	ring "$1"
	echo 0 > events/peers/enable
	echo > dynamic_events
}

# bpftrace MODE PROGRAM
bpftrace()
{
	"$programs/ld-linux-x86-64.so.2" --library-path "$programs" "$programs/bpftrace" \
		-o "/tmp/$1" -e "$2" >"/tmp/$1.log" 2>&1 &
	pid=$!
	n=0
	while [ $((n += 1)) -le 600 ]; do
		# Wait until a trampoline traces the entry and the return
		! grep -q '^int_pow .*\(direct\|tramp\)' enabled_functions || break
		kill -0 $pid 2>/dev/null || break
		sleep 1
	done
	sleep 10
	calls "$1"
	# Wait, because bpftrace writes its buffer when it ends
	sleep 30
	kill -INT $pid
	wait $pid
	[ -s "/tmp/$1" ] || { cat "/tmp/$1.log" >&2; status=1; }
	[ "$1" != printf ] || echo "written $1 $(wc -c <"/tmp/$1") $(grep -c '(\|=' "/tmp/$1")"
}

echo 0 > tracing_on
echo 40000 > buffer_size_kb
calls none
echo int_pow > set_ftrace_filter
echo function_graph > current_tracer
ring graph
echo 1 > options/funcgraph-args
echo 1 > options/funcgraph-retval
ring args
echo 1 > options/funcgraph-single
ring single
echo 0 > options/funcgraph-single
printf '%s\n' 'int_pow: base,exp' 'int_pow: ret' > set_graph_hist
echo 1 > tracing_on
calls hist
echo 0 > tracing_on
echo > set_graph_hist
echo nop > current_tracer
echo > set_ftrace_filter

# shellcheck disable=SC2016 # the kernel expands the names
events fprobe 'f:peers/enter int_pow $arg*' 'f:peers/leave int_pow%return $retval'
# shellcheck disable=SC2016
events kprobe 'p:peers/enter int_pow base=%di:u64 exp=%si:u32' 'r:peers/leave int_pow $retval'

mount -t bpf none /sys/fs/bpf 2>/dev/null
export BPFTRACE_PERF_RB_PAGES=4096
bpftrace printf 'fentry:int_pow { printf("int_pow(%lu, %u)\n", args.base, args.exp); }
	fexit:int_pow { printf("= %lu\n", retval); }'
bpftrace maps 'fentry:int_pow { @calls[args.base, args.exp] = count(); }
	fexit:int_pow { @returns[retval] = count(); }'
exit $status
