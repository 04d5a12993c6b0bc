#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh VMLINUX TRACE-CALLS PLUGINS
#
# In a folder with "shown", the output of guest.sh, and QEMU's dumps "plain", "paging" and "zlib",
# or kdump's dumps "plain" and "compressed": the recording of each dump has to be shown as the guest
# has shown the trace. Damaged dumps must not end trace-calls without a message.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
vmlinux=$1
calls=$2
plugins=$3
failed=0

wrong()
{
	echo "vmcore: $*"
	failed=1
}

sed '/^== other/,$d' shown | sed -n 's/^ [0-9]*) [^|]*|  //p' | sort >expected
others='sched_switch\|rcu_utilization'
sed -n "/^== other/,/^== sleep/s/^.*: \\($others\\): /\\1: /p" shown | sort >expected.other
# The call of "sleep 100000", as its entry shows it
under_way=$(sed -n 's/^.*| *\(hrtimer_nanosleep(rqtp=100000000000000, .*)\) {$/\1/p' shown)
[ -n "$under_way" ] || wrong "no call is under way"
sleeper=$(sed -n 's/^== sleep //p' shown)
{ [ "$(wc -l <expected)" -gt 30 ] && grep -q ^sched_switch: expected.other &&
	grep -q '^rcu_utilization: Start ' expected.other; } || wrong "the guest has no trace"

export FTRACE_ARG_SIGS=
[ ! -e zlib ] || perl "$here/unflatten.pl" zlib compressed
for dump in plain paging compressed; do
	[ -e "$dump" ] || continue
	"$calls" vmcore -o "$dump.dat" "$vmlinux" "$dump" 2>messages || wrong "$dump: status $?"
	[ ! -s messages ] || wrong "$dump: $(cat messages)"
	TRACEEVENT_PLUGIN_DIR=$plugins trace-cmd report -i "$dump.dat" >report.text ||
		wrong "$dump: trace-cmd: status $?"
	grep -v '^ *\(other\|kept\):' report.text | sed -n 's/^[^|]*|  //p' | sort >found
	diff expected found || wrong "$dump: trace-cmd report shows other calls"
	"$calls" graph "$dump.dat" >graph.text || wrong "$dump: graph: status $?"
	grep -v '^ *\(other\|kept\):' graph.text | sed -n 's/^[^|]*|  //p' | sort >found
	diff expected found || wrong "$dump: graph shows other calls"
	sed -n "s,^other: .*/\\* \\(\\($others\\): .*\\) \\*/\$,\\1,p" graph.text | sort |
		diff expected.other - ||
		wrong "$dump: other events of the instance"
	"$calls" vmcore --under-way "$vmlinux" "$dump" >way || wrong "$dump: --under-way: status $?"
	grep -A 1 -x "sleep-$sleeper:" way >found || wrong "$dump: no call of sleep: $(cat way)"
	grep -qF "  $under_way <- " found || wrong "$dump: not $under_way: $(cat found)"
	grep -q '^  hrtimer_nanosleep(.*) <- [a-z_]*nsleep+0x' found || wrong "$dump: $(cat found)"
	"$calls" json "$dump.dat" >json.text || wrong "$dump: json: status $?"
	[ "$(wc -l <json.text)" -gt 30 ] || wrong "$dump: no objects"
done

# Another kernel, and files that are not dumps
said()
{
	local status=0

	"$calls" vmcore -o out "${@:2}" 2>messages || status=$?
	[ "$status" = 1 ] || wrong "status $status: ${*:2}"
	[ ! -e out ] || wrong "a failure left a file: ${*:2}"
	grep -q "$1" messages || wrong "no message '$1': $(cat messages)"
}
cp "$vmlinux" other
LC_ALL=C grep -abo 'Linux version [0-9]' "$vmlinux" | cut -d: -f1 | while read -r banner; do
	printf X | dd of=other bs=1 seek=$((banner + 6)) conv=notrunc status=none
done
said 'is not the kernel of the dump' other compressed
strip -o other "$vmlinux"
said 'has no debug info' other compressed
said 'not a dump' "$vmlinux" "$here/run.sh"
said 'No such file' "$vmlinux" none
head -c 100000 compressed >short
said '' "$vmlinux" short

# Damage: each run ends with a message or with the whole recording, and the recording can be read
cc -O2 -Wall -Wextra -Werror -fPIC -shared -o damage.so "$here/damage.c"
LD_PRELOAD=$PWD/damage.so "$calls" vmcore -o out "$vmlinux" compressed 2>reads || wrong "status $?"
reads=$(sed -n 's/^reads: //p' reads)
: >said
for ((i = 1; i <= 38; i++)); do
	for sign in '' -; do
		# The first reads find the kernel, modules and ring buffers
		at=$((i <= 30 ? i * 20 + i % 7 : reads * (i - 30) / 8))
		status=0
		DAMAGE=$sign$at LD_PRELOAD=$PWD/damage.so timeout 60 "$calls" vmcore -o out \
			"$vmlinux" compressed 2>messages || status=$?
		case $status in
		0)	[ ! -s messages ] || wrong "read $sign$at: $(cat messages)" ;;
		1)	[ -s messages ] || wrong "read $sign$at: no message" ;;
		3)	[ -s messages ] || wrong "read $sign$at: no message"
			timeout 60 "$calls" json out >/dev/null 2>json.messages || status=$?
			[ "$status" -le 3 ] || wrong "read $sign$at: json: status $status" ;;
		*)	wrong "read $sign$at: status $status: $(cat messages)" ;;
		esac
		cat messages >>said
	done
done
grep -q 'instance ".*", CPU [0-9]*: .*0x' said || wrong "no message about a ring buffer"
[ "$failed" = 0 ] || exit 1
echo "$(wc -l <expected) calls and $(wc -l <expected.other) events, each as the guest has shown"
echo "$(sort -u said | wc -l) messages about damage"
