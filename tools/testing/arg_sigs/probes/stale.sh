#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Probe events on a module show right values, or none, after another build of the module is
# loaded. one.ko and two.ko are builds of arg_swap.c. bare.ko has its function without a signature.
set -e
here=$PWD
cd /sys/kernel/tracing

fail()
{
	echo "FAILED: $*"
	cat dynamic_events trace
	dmesg | tail -n 5
	exit 1
}

# shellcheck disable=SC2016 # the kernel knows $arg*
make_events()
{
	{
		echo 'f:probes/f swap_call $arg*'
		echo 'f:probes/fr swap_call%return second $retval'
		echo 'f:probes/g swap_cal[l] $arg*'
		echo 'p:probes/p arg_swap:swap_call $arg*'
		echo 'r:probes/r arg_swap:swap_call first $retval'
		echo 't:probes/t swap $arg*'
	} >> dynamic_events
}

enable_events()
{
	for event in f fr g p r t; do
		echo 1 > events/probes/$event/enable || fail "enable $event"
	done
}

# expect WHAT EVENT...: call the functions. The events have the right values, and no other
# event is there
expect()
{
	what=$1
	shift
	echo > trace
	echo 1 > /sys/module/arg_swap/parameters/run
	for event; do
		grep -q " $event: .*\(first=1\|second=2\|second=0x2\|first=0x1\)" trace ||
			fail "$what: no $event"
	done
	[ "$(grep -c '^[^#].*=' trace)" = $# ] || fail "$what: other events than $*"
	! grep -q 'first=\(0x\)\?2\|second=\(0x\)\?1\>' trace || fail "$what: wrong value"
}

# refused EVENT: the event cannot be enabled
refused()
{
	# dash does not print the error
	if error=$(echo 1 | tee "events/probes/$1/enable" 2>&1); then
		fail "stale $1 is enabled"
	fi
	case $error in
	*"Stale file handle"*)	;;
	*)	fail "$1: $error" ;;
	esac
}

# The events on tracepoints and kprobes stay in place, those of fprobe are disabled
replace_module()
{
	echo 0 > events/probes/f/enable
	echo 0 > events/probes/fr/enable
	echo 0 > events/probes/g/enable
	rmmod arg_swap
	insmod "$here/two.ko"
}

insmod "$here/one.ko"
make_events
enable_events
expect "first build" f fr g p r t

replace_module
refused f
refused fr
refused g
expect "stale events"
[ "$(dmesg | grep -c 'Failed to re-register probe [pr] on arg_swap: -116')" = 2 ] ||
	fail "no message about kprobes"
dmesg | grep -q 'Tracepoint swap has other parameters than before' ||
	fail "no message about the tracepoint"

# The events of the new build stay right when it is loaded again
echo 0 > events/probes/enable
echo > dynamic_events
make_events
enable_events
expect "second build" f fr g p r t
replace_module
expect "second build again" p r t
echo 0 > events/probes/enable
echo > dynamic_events

# members WHEN: m shows the members of the structure that swap_members() gets
members()
{
	echo 1 > events/probes/m/enable || fail "$1: m is not enabled"
	echo > trace
	echo 1 > /sys/module/arg_swap/parameters/run
	echo 0 > events/probes/m/enable
	grep -q ' m: .* first=1 second=2$' trace || fail "$1: wrong members"
}

# load BUILD: replace the module
load()
{
	rmmod arg_swap
	insmod "$here/$1.ko"
}

# The parameters are the same in both builds, but not the places of the structure's members
if [ -e /sys/kernel/btf/arg_swap ]; then
	echo 'f:probes/m swap_members first=pair->first second=pair->second' > dynamic_events
	members "second build"
	load one
	refused m
	load two
	members "second build again"
	echo > dynamic_events
else
	echo "the module has no BTF"
fi

# refused_pattern EVENT: the event cannot be made
refused_pattern()
{
	if echo "$1" 2>/dev/null >> dynamic_events; then
		fail "'$1' is made"
	fi
}

# The functions of the pattern have other types, and one function returns nothing
# shellcheck disable=SC2016
{
	refused_pattern 'f:probes/other swap_* $arg1'
	refused_pattern 'f:probes/void kfre[e] $retval'
}

# Another function of the same name without a signature: nobody knows what it passes
make_events
insmod "$here/bare.ko"
for event in f g; do
	if echo 1 2>/dev/null > events/probes/$event/enable; then
		fail "$event is enabled for a function without a signature"
	fi
done
rmmod arg_bare
echo 1 > events/probes/f/enable || fail "f is not enabled without the other function"
expect "one function again" f
echo 0 > events/probes/f/enable
rmmod arg_swap
echo > dynamic_events
echo "all events are right"
