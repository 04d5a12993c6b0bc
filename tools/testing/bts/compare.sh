# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The tests that compare the trace of the bts tracer with the log of the emulated CPU source
# this file after the lab's functions. Their last command is finish.
#
# The CPU mispredicts branches, and each branch in the trace must have the flag of its record.

here=$LAB_TOP/tools/testing/bts
gcc -O2 -Wall -Wextra -Werror -I"$LAB_TOP/kernel/trace" -o bts-raw "$here/bts-raw.c"
gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -o bts-places "$here/bts-places.c"
top=$PWD
lab_bts_perf perf
gcc -O2 -Wall -Wextra -Werror -static -pthread -o bts-exec "$here/bts-exec.c"
status=0
total=0
mispredicted=0
drops=0
lost=0

# dropped WHAT FIRST:LAST CPU: check that the trace marks dropped branches, or that the CPU
# dropped none
dropped()
{
	# A look at each session's part of the log takes long
	[ "$lost" -ne 0 ] || return 0
	"$LAB_BTS_TOOLS/bts-log" -d -c "$3" -m "$2" log >runs
	if [ -z "${LAB_BTS_DROPS:-}" ]; then
		[ ! -s runs ] || not_ok "$1: the CPU dropped branches"
		return 0
	fi
	# The number of branches before each mark has to equal the number of branches before
	# the dropped branches in the log
	awk '/^#/ { if ($3 == "dropped") print n + 0; next } { n++ }' trace | sort >marked
	sort -u runs | comm -23 - marked >unmarked
	echo "$1: the CPU dropped branches $(wc -l <runs) times"
	drops=$((drops + $(wc -l <runs)))
	# No block follows the last branch, so later drops cannot be marked
	grep -vx "$(grep -vc '^#' trace)" unmarked >unseen || return 0
	not_ok "$1: branches were dropped unseen: $(head -n 3 unseen | xargs)"
}

# in_ranges FILE: leave in "expected" the branches that begin or end in a range of FILE, and
# append the names of the ranges with branches to "ranged"
in_ranges()
{
	awk 'function find(a,    padded, i) {
			padded = substr("0000000000000000", length(a) + 1) a
			for (i = 1; i <= nr; i++)
				if (padded >= begin[i] && padded < end[i])
					return i
			return 0
		}
		function in_range(a) {
			if (!(a in found))
				found[a] = find(a)
			if (found[a])
				used[name[found[a]]]
			return found[a]
		}
		NR == FNR && seen[$0]++ { next }
		NR == FNR { begin[++nr] = $1; end[nr] = $2; name[nr] = $3; next }
		in_range($2) + in_range($3)
		END { for (i in used) print i >>"ranged" }' "$1" expected >kept
	mv kept expected
}

# compare WHAT TYPE FIRST:LAST SIDE CPU FILE: check that FILE and the log agree
compare()
{
	local what="$1, CPU $5" nr ranges

	"$top/bts-raw" "$2" "$5" "$6" >trace || not_ok "$what: the pages"
	"$LAB_BTS_TOOLS/bts-log" -b -r -w -t "${4:-both}" -c "$5" -m "$3" log >expected
	grep -v '^#' trace >branches || :
	ranges=${6#raw.*.}
	ranges=${6%%".$ranges"}${ranges#"$5"}
	ranges=ranges${ranges#raw}
	[ ! -f "$ranges" ] || in_ranges "$ranges"
	# A CPU that holds branches has the last of them
	if [ "$name" = hold ]; then
		tail -n "$(wc -l <branches)" expected >kept
		mv kept expected
		[ "$(wc -l <branches)" -ge 8192 ] || not_ok "$what: too few branches"
	fi
	# The other instance ends first. Later branches belong to the top instance.
	case $6 in
	raw.*.other)
		if [ -n "${prefix:-}" ]; then
			head -n "$(wc -l <branches)" expected >begin
			mv begin expected
		fi ;;
	esac
	nr=$(wc -l <expected)
	total=$((total + nr))
	mispredicted=$((mispredicted + $(grep -c ' mispredicted$' expected || :)))
	if cmp branches expected; then
		echo "$what: $nr branches, $("$top/bts-raw" -s "$2" "$5" "$6")"
	else
		not_ok "$what: $(wc -l <branches) branches in the trace, $nr in the log"
		diff branches expected | head -n 10 || :
	fi
	! grep -E '^# [0-9]+ lost' trace || not_ok "$what: branches were lost in the ring buffer"
	dropped "$what" "$3" "$5"
}

# compare_numbers WHAT TYPE CPU ALL SOME: check that each branch of the file SOME has the number
# that it has in the file ALL, which begins later
compare_numbers()
{
	"$top/bts-raw" -n "$2" "$3" "$5" >some
	"$top/bts-raw" -n "$2" "$3" "$4" | awk -v what="$1, CPU $3" '
		NR == FNR { is[$1] = $2 " " $3 " " $4; next }
		FNR == 1 { for (i in is) if (i + 0 >= $1) want++ }
		$1 in is { nr++; if (is[$1] != $2 " " $3 " " $4) bad++ }
		END {
			print what ": " nr + 0 " of " want + 0 " numbers found, " bad + 0 " wrong"
			exit !want || nr != want || bad
		}' some - || not_ok "$1: the numbers of the branches"
}

# check_numbers WHAT TYPE FIRST:LAST CPU FILE: check that the numbers of FILE's branches are their
# places among all records that the CPU has written, those too that the tracer cuts
check_numbers()
{
	local found

	"$top/bts-raw" -n "$2" "$4" "$5" >some
	found=$("$LAB_BTS_TOOLS/bts-log" -b -c "$4" -m "$3" log | "$top/bts-places" some) ||
		not_ok "$1: the numbers of the branches"
	echo "$1, CPU $4: $found"
}

# budget WHAT TYPE FIRST:LAST CPU FILE: check that the busy CPU has paused and resumed
budget()
{
	local pauses

	check_numbers "$@"
	pauses=$(grep -c ' paused$' trace || :)
	echo "$1, CPU $4: $pauses pauses"
	[ "$4" -eq 0 ] || [ "$pauses" -ge 3 ] || not_ok "$1: CPU $4 has paused $pauses times"
}

# The backward branches of bts-loop: each run takes one branch less than it has turns
loop_address=$(objdump -d "$LAB_BTS_TOOLS/bts-loop" | sed -n 's/^ *\([0-9a-f]*\):.*loopne.*/\1/p')

# check PART: compare the sessions of the guest
check()
{
	local part=$1 type session marks name side raw rest cpu of nr loops tasks cpus

	tar xf pages
	type=$(sed -n 's/^ID: //p' format)
	"$LAB_BTS_TOOLS/bts-log" -s log | tee counts
	cpus=$(wc -l <counts)
	lost=$(grep -vc ' lost=0 ' counts || :)
	! grep -v ' faults=0$' counts ||
		not_ok "$part: a debug store that is not mapped"
	while read -r session name side; do
		of=${session#"${session%%.*}"}
		session=${session%%.*}
		marks=$((2 * session)):$((2 * session + 1))
		nr=0
		loops=0
		tasks=0
		for raw in "raw.$session."[0-9]*; do
			rest=${raw#raw."$session".}
			cpu=${rest%%.*}
			[ "${rest#"$cpu"}" = "$of" ] || continue
			# The top instance was off for a while, so compare only the other
			# instance
			case $name$of in
			others | range)	continue ;;
			*others* | range*)	prefix=1 ;;
			*)	prefix= ;;
			esac
			if [ "$name" = held ]; then
				check_numbers "$part: held" "$type" "$marks" "$cpu" "$raw"
				"$top/bts-raw" "$type" "$cpu" "$raw" >trace
				grep -q ' gap$' trace || not_ok "$part: held, CPU $cpu: no gap"
				nr=10000
				continue
			fi
			compare "$part: $name$of" "$type" "$marks" "$side" "$cpu" "$raw"
			[ "$name" != hold ] ||
				check_numbers "$part: hold" "$type" "$marks" "$cpu" "$raw"
			[ "$name" != range ] ||
				compare_numbers "$part: $name$of" "$type" "$cpu" "${raw%"$of"}" \
					"$raw"
			[ "$name" != budget ] ||
				budget "$part: budget" "$type" "$marks" "$cpu" "$raw"
			nr=$((nr + $(wc -l <expected)))
			case $name in loop | lose | exec | comm | suspend | addresses)
				loops=$((loops + $(grep -c "^. $loop_address " branches || :))) ;;
			esac
			# The program has the leader's PID as soon as it is executed
			[ "$name" != exec ] ||
				awk -v loop="$loop_address" -v leader="$(cat pids.leader)" '
					$3 == "pid" { pid = $4 }
					$2 == loop && pid != leader { exit 1 }' trace ||
				not_ok "$part: exec, CPU $cpu: branches of another task"
			# A write of many functions must interrupt the recording only a few
			# times
			[ "$name" != glob ] || [ "$(grep -c ' gap$' trace)" -lt 50 ] ||
				not_ok "$part: glob, CPU $cpu: $(grep -c ' gap$' trace) gaps"
			# The trace must have a gap where the machine was asleep
			[ "$name" != suspend ] || grep -q ' gap$' trace ||
				not_ok "$part: suspend, CPU $cpu: no gap"
			# The other instance must not have a gap after its begin
			[ "$name$of" != others.other ] ||
				! sed "1,/^[0-9]/d" trace | grep ' gap$' >gaps ||
				not_ok "$part: others, CPU $cpu: $(wc -l <gaps) gaps"
			# No other task may be recorded
			[ ! -f "pids.$session" ] ||
				tasks=$((tasks + $(grep -c '^# [0-9]* pid ' trace || :)))
			if [ -f "pids.$session" ] && sed -n 's/^# [0-9]* pid //p' trace | sort -u |
				grep -vxFf "pids.$session" >others; then
				not_ok "$part: $name, CPU $cpu: branches of other tasks:"
				cat others
			fi
		done
		case $name in
		loop | exec | comm)	[ "$loops" -eq 99999 ] ;;
		lose)	[ "$loops" -eq $((999 * 5 * cpus)) ] ;;
		suspend) [ "$loops" -eq $((999 * 2 * cpus)) ] ;;
		addresses) [ "$loops" -eq 999 ] ;;
		esac || not_ok "$part: $name: bts-loop took its branch back $loops times"
		[ "$name$of" != range.other ] || for rest in vfs_read ksys_read init.text; do
			grep -qx "$rest" ranged || not_ok "$part: range: no branch of $rest"
		done
		[ ! -f "pids.$session" ] || [ "$tasks" -gt 0 ] ||
			not_ok "$part: $name: the trace does not name the tasks"
		case $name$of in others | range) nr=9999 ;; esac
		[ "$nr" -gt 900 ] ||
			not_ok "$part: $name$of: only $nr branches"
	done <sessions
}

# unkind SWITCHES [MODEL]: set the behaviour of the CPU in the next runs, see bts-cpu.c
unkind()
{
	export LAB_BTS_UNKIND=$1 LAB_BTS_MODEL=${2:-}
	# shellcheck disable=SC1091 # with the lab's other functions
	. "$LAB_TOP/lab/lib/bts.sh"
	lab_bts
}

# run PART VARIANT TURNS SESSION...: boot, run the sessions with guest.sh, and compare
run()
{
	local part=$1 variant=${2:+-v $2}

	shift 2
	mkdir "$part"
	cd "$part" || exit
	printf "loop='%016x %016x' bash ./guest.sh %s\n" \
		"0x$loop_address" "$((0x$loop_address + 2))" "$*" >script
	# shellcheck disable=SC2086 # splitting into words is intended
	LAB_KEEP_LOG=$PWD/messages LAB_BTS_LOG=$PWD/log LAB_TIMEOUT=${LAB_TIMEOUT:-900} \
		LAB_BTS_UNKIND=mispredict=1${LAB_BTS_UNKIND:+,$LAB_BTS_UNKIND} \
		"$LAB/run" -b $variant -f "$here/guest.sh" -f "$LAB_BTS_TOOLS/bts-loop" \
		-f "$top/perf" -f "$top/bts-exec" -o pages script || exit 1
	drops=0
	check "$part"
	[ -z "${LAB_BTS_DROPS:-}" ] || [ "$drops" -gt 0 ] ||
		not_ok "$part: the CPU dropped no branches"
	# The kernel has to claim each NMI
	! grep -E 'Uhhuh|Dazed' messages || not_ok "$part: an NMI that nobody knows of"
	cd "$top" || exit
	rm -rf "$part"
}

finish()
{
	echo "$total branches, $mispredicted mispredicted"
	{ [ "$mispredicted" -gt 0 ] && [ "$mispredicted" -lt "$total" ]; } ||
		not_ok "the branches do not have both flags"
	exit "$status"
}
