#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# lab/bench peers runs this script in the guest.  The script measures the cost of
# tracing a call of int_pow() with its arguments and its return value, with this
# project and with its alternatives, the cost of a call that does not fail if only
# failing calls are traced, and the time until functions are traced and until they are
# not.  Prints "NAME VALUE..." lines.
here=$PWD
programs=$here/bpftrace
cd /sys/kernel/tracing || exit 1
status=0

# calls MODE: measure the cost of a call, in hundredths of an instruction
calls()
{
	dmesg -C
	insmod "$here/arg_bench.ko" 2>/dev/null
	result "$1"
}

# result MODE: print what the module has measured
result()
{
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

# run_bpftrace ARGUMENT...: take the place of a subshell, so that bpftrace gets its signals
run_bpftrace()
{
	exec "$programs/ld-linux-x86-64.so.2" --library-path "$programs" "$programs/bpftrace" "$@"
}

multi()
{
	LD_LIBRARY_PATH="$here/multi" "$here/multi/tracing-multi" "$@"
}

# bpftrace MODE PROGRAM
bpftrace()
{
	run_bpftrace -o "/tmp/$1" -e "$2" >"/tmp/$1.log" 2>&1 &
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

# filter COUNT: have function_graph trace the first functions that tracing-multi can trace
filter()
{
	head -n "$1" "$here/functions" | awk 'NR == FNR { wanted[$3]; next }
		NF == 1 && $1 in wanted { print FNR }' - available_filter_functions > /tmp/numbers
	cat /tmp/numbers > set_ftrace_filter
}

# put FILE TEXT...: write texts to files, and print the nanoseconds, which are instructions
# shellcheck disable=SC2317,SC2329 # attach calls it
put()
{
	sum=0
	while [ $# -gt 0 ]; do
		sum=$((sum + $(multi write "$1" "$2")))
		shift 2
	done
	echo "$sum"
}

# attach MODE BEGIN END: print how long the commands take that begin and end the tracing,
# and the number of traced functions
attach()
{
	echo > trace
	echo 1 > tracing_on
	begin=$(eval "$2")
	echo 0 > tracing_on
	number=$(wc -l < enabled_functions)
	echo "attach $1 $number $begin $(eval "$3")"
}

# attach_bpftrace MODE PROBE: the same for bpftrace, from its start to its end.  bpftrace runs
# the command of -c when the probes are attached.
attach_bpftrace()
{
	printf '%s\n' 'date +%s%N' 'wc -l < enabled_functions' 'date +%s%N' > /tmp/attached
	begin=$(date +%s%N)
	# shellcheck disable=SC2046 # three numbers
	set -- "$1" $(run_bpftrace -o "/tmp/$1" -c "/bin/sh /tmp/attached" \
		-e "$2 /$failing/ { @[func] = count(); }" 2>"/tmp/$1.log")
	end=$(date +%s%N)
	[ $# -eq 4 ] || { cat "/tmp/$1.log" >&2; status=1; return; }
	echo "attach $1 $3 $(($2 - begin)) $((end - $4))"
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
export BPFTRACE_PERF_RB_PAGES=4096 BPFTRACE_MAX_PROBES=100000
bpftrace printf 'fentry:int_pow { printf("int_pow(%lu, %u)\n", args.base, args.exp); }
	fexit:int_pow { printf("= %lu\n", retval); }'
bpftrace maps 'fentry:int_pow { @calls[args.base, args.exp] = count(); }
	fexit:int_pow { @returns[retval] = count(); }'

# Record only failing calls. int_pow() does not fail.
multi list > "$here/list" || exit
{ grep ' int_pow$' "$here/list"; grep -v ' int_pow$' "$here/list"; } > "$here/functions"
all=$(wc -l < "$here/functions")
failing='(int64)retval < 0 && (int64)retval >= -4095'
dmesg -C
multi trace "$here/functions" 1000 sh -c "insmod '$here/arg_bench.ko' 2>/dev/null" >/dev/null ||
	status=1
result multi
filter 1000
echo '*: error' > set_graph_filter
echo function_graph > current_tracer
ring error
echo nop > current_tracer
echo > set_graph_filter
# shellcheck disable=SC2016
echo 'f:peers/failing int_pow%return ret=$retval:s64' > dynamic_events
echo 'ret < 0 && ret >= -4095' > events/peers/failing/filter
echo 1 > events/peers/failing/enable
ring fprobe-failing
echo 0 > events/peers/failing/enable
echo > dynamic_events
bpftrace failing "fexit:int_pow /$failing/ { printf(\"= %ld\n\", retval); }
	end { printf(\"end\n\"); }"

for count in 100 1000 5000 ''; do
	if [ -n "$count" ]; then
		filter $count
	else
		echo > set_ftrace_filter
	fi
	echo 0 > options/funcgraph-args
	echo 0 > options/funcgraph-retval
	attach graph 'put current_tracer function_graph' 'put current_tracer nop'
	echo 1 > options/funcgraph-args
	echo 1 > options/funcgraph-retval
	attach error "put set_graph_filter '*: error' current_tracer function_graph" \
		"put current_tracer nop set_graph_filter ''"
	# The command fails, so there have to be records of failing calls if all functions
	# are traced
	multi trace "$here/functions" "${count:-$all}" cat /no/such/file 2>/dev/null > /tmp/multi ||
		status=1
	read -r number begin end records < /tmp/multi
	[ -n "$count" ] || [ "$records" -gt 0 ] || status=1
	echo "attach multi $number $begin $end"
done
# An event has a pattern of functions, and no list
# shellcheck disable=SC2016
attach fprobe 'put dynamic_events "f:peers/all *%return ret=\$retval:s64" \
		events/peers/all/filter "ret < 0 && ret >= -4095" events/peers/all/enable 1' \
	'put events/peers/all/enable 0 dynamic_events ""'
attach_bpftrace bpftrace-one 'kretprobe:int_po*'
attach_bpftrace bpftrace 'kretprobe:*'
exit $status
