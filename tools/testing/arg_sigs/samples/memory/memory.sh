#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Trace the calls of arg_memory.ko and of memory, in the guest, and print one call a line,
# in the form of the comments in both sources. Then print the other results, and trace
# interrupted.
here=$PWD
cd /sys/kernel/tracing || exit 1
faults='*bad_area* *addr_fault* *fixup_exception* *fixup_or_oops* spurious_kernel_fault* search_*tables'
status=0

begin() # functions
{
	echo 0 > tracing_on
	echo 20000 > buffer_size_kb
	echo > set_ftrace_filter
	for func in $1 $faults; do
		echo "$func" >> set_ftrace_filter 2>/dev/null
	done
	echo function_graph > current_tracer
	echo 1 > options/funcgraph-args
	echo 1 > options/funcgraph-deref
	echo > trace
}

# Check that callees follow their caller: the depth of a line is the number of open calls
check_order()
{
	awk -F '|' '/^#/ || !/ [|] / { next }
		{ cpu = $1 + 0; line = $2; for (i = 3; i <= NF; i++) line = line "|" $i
		  depth = (match(line, /[^ ]/) - 3) / 2 }
		line ~ /^ *}/ { open[cpu] = depth; next }
		depth > open[cpu] + 0 { print "before its caller: " line; bad = 1 }
		line ~ /[{]$/ { open[cpu] = depth + 1; next }
		{ open[cpu] = depth }
		END { exit bad }' trace || status=1
}

show() # begin of the lines
{
	sed -n -e "s/.*|  *\($1\)/\1/; t found; d" \
		-e ':found; s/ \[arg_memory\]//; s/[;{ ]*$//; s/$/;/' \
		-e 's/\([a-z]*\)=0x[0-9a-f]\{4,\}/\1=ADDRESS/g; p' trace
}

# Print values that are neither the text nor an address. The text has to occur.
check_race() # function, expected text
{
	show "$1" | sort | uniq -c |
		awk -v text="$2" '{ n = $1; sub(/^ *[0-9]+ /, "") }
			index($0, text) { seen += n; next }
			/=ADDRESS[,)]/ || index($0, "\"\\x00\\x00\\x00\\x00\"") { next }
			{ print "race: " $0; bad = 1 }
			END { if (!seen) print "race: never read"; exit bad || !seen }' || status=1
}

begin 'memory_*:mod:arg_memory'
dmesg -C
echo 1 > options/funcgraph-retval
echo 1 > tracing_on
insmod "$here/arg_memory.ko" 2>/dev/null
echo 0 > tracing_on
show 'memory_[cfknots][a-z]*' | sed 's|; /\* \(.*\) \*/;$|; -> \1;|'
echo 0 > options/funcgraph-retval
check_race memory_race '(a="mapped")'
check_order
dmesg | sed -n 's/.*arg_memory: \(register\|a word\)/\1/p'

system=$(sed -n 's/.* \(__[a-z0-9]*_sys\)_getresuid$/\1/p' /proc/kallsyms)
begin "ksys_read ksys_write ${system}_pwrite64 ${system}_sendfile64 ${system}_getresuid"
echo 1 > options/funcgraph-retval
for resource in /sys/bus/pci/devices/*; do
	[ "$(cat "$resource/device")" != 0x100e ] || break
done
echo 1 > "$resource/enable"
dd if=/dev/zero of=/tmp/swap bs=1M count=4 2>/dev/null
losetup /dev/loop0 /tmp/swap && mkswap /dev/loop0 >/dev/null && swapon /dev/loop0 || status=1
read -r address rest < "$resource/resource"
"$here/memory" tracing_on "$resource/resource0" "$address" || status=1
# A reader of the trace that is traced itself would never reach the end
echo 0 > tracing_on
show "\\(ksys_[rw][a-z]*\\|${system}_sendfile64\\|${system}_getresuid\\)" |
	sed 's/.*fd=[^,]*, //; s/.*getresuid(\(.*\)); .* ret=0 \(.*\) \*.*/\1 -> \2/; s/.*getresuid(//; s/);.*//'
check_race "${system}_pwrite64" 'buf="text"'
check_order

# ftrace records irq_enter_rcu() before the kernel counts the interrupt, as if the interrupted
# function called it. So if a capture kept ftrace from recording such functions, irq_enter_rcu()
# would be missing, and irq_exit_rcu() would not.
echo nop > current_tracer
size=$(cat func_args_string_size)
echo 512 > func_args_string_size
echo irq_enter_rcu irq_exit_rcu 'link_path_walk*' > set_ftrace_filter
echo function > current_tracer
echo 1 > options/func-args
echo > trace
echo 1 > tracing_on
"$here/interrupted" || status=1
echo 0 > tracing_on
grep -q 'link_path_walk.*(name="/*none/x*' trace || { echo "no path"; status=1; }
entered=$(grep -c ': irq_enter_rcu' trace)
left=$(grep -c ': irq_exit_rcu' trace)
# Recording may begin within an interrupt
if [ "$left" -gt 1000 ] && [ $((left - entered)) -le 5 ]; then
	echo "interrupts: all are entered"
else
	echo "interrupts: $left, $entered of them entered"
fi
echo 0 > options/func-args
echo "$size" > func_args_string_size
exit $status
