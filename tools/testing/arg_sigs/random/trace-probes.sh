#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Make a probe event for each function of arg_random.ko and trace the module's calls, in the
# guest. Each event reads all parameters that the kernel lets it read. Print the addresses of
# symbols as in trace-module.sh, then
#
#   event NUMBER KIND FUNCTION		KIND: f, p, f-return or r
#   refused NUMBER ARGUMENT: REASON
#   made NUMBER			if the kernel has made the event
#
# and the events of the calls.
set -e
here=$PWD
insmod ./arg_random.ko run=0
cd /sys/kernel/tracing
echo 0 > tracing_on
echo 16384 > buffer_size_kb
awk '$3 ~ /^(rnd_(buffer|object_.*|target.)|msleep|schedule_timeout)$/ { print "@" $3 "@ " $1 }' \
	/proc/kallsyms

# Print the argument and the reason of the last error
last_error()
{
	tail -n 3 error_log | awk '
		/ error: / { sub(/.* error: /, ""); reason = $0 }
		/^  Command: / { command = $0 }
		/^ *\^$/ {
			for (first = index($0, "^"); substr(command, first - 1, 1) != " "; first--)
				;
			command = substr(command, first)
			sub(/ .*/, "", command)
			print command ": " reason
		}'
}

# make_event NUMBER PROBE ALL MORE: ALL replaces $arg* if a parameter is refused. An event that
# has no parameter left, or whose place is refused, is not made.
make_event()
{
	args="\$arg* $4"
	until echo "$2 $args" >> dynamic_events; do
		error=$(last_error)
		echo "refused $1 $error"
		case $args in
		"\$arg* "*)
			before="$3 $4 " ;;
		*)
			before=$args ;;
		esac
		args=
		for arg in $before; do
			[ "$arg" = "${error%%: *}" ] || args="$args$arg "
		done
		[ -n "$args" ] || return 0
		[ "$args" != "$before" ] || return 0
	done 2>/dev/null
}

nr=0
echo "f:probes/mark rnd_mark \$arg*" >> dynamic_events
sed -n 's/ \[arg_random\].*//p' available_filter_functions >"$here/functions"
while read -r function; do
	case $function in
	rnd_mark | rnd_target?)	continue ;;
	esac
	nr=$((nr + 1))
	# To make an fprobe, the kernel looks at all symbols, which takes most of the time
	kind=$((nr % 8))
	# fprobe probes all functions of the name, also of the kernel
	case $function in
	rnd_*)	;;
	*)	kind=$((kind | 1)) ;;
	esac
	line=$(grep "^${function%%.*} " "$here/probes")
	params=${line#* }
	more=${params#*|}
	params=${params%%|*}
	case $function in
	*.*)	more= ;;
	esac
	# For a pattern, the kernel looks at all symbols more often. This pattern has one function
	case $((nr % 32)) in
	0 | 4)	pattern="[${function%"${function#?}"}]${function#?}" ;;
	*)	pattern=$function ;;
	esac
	case $kind in
	0)	kind=f probe="f:probes/e$nr $pattern" ;;
	[123])	kind=p probe="p:probes/e$nr arg_random:$function" ;;
	4)	kind=f-return probe="f:probes/e$nr $pattern%return" more="ret=\$retval" ;;
	*)	kind=r probe="r:probes/e$nr arg_random:$function" more="ret=\$retval" ;;
	esac
	echo "event $nr $kind $function"
	make_event $nr "$probe" "$params" "$more"
done <"$here/functions"
sed -n 's,^[^:]*:probes/e\([0-9]*\) .*,made \1,p' dynamic_events
echo 1 > events/probes/enable
echo > trace
echo 1 > tracing_on
echo 1 > /sys/module/arg_random/parameters/run
echo 0 > tracing_on
sed -n 's/^[^#].*: \(mark\|e[0-9]*\): (/\1: (/p' trace
