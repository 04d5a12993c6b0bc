# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The tests of the bts tracer that compare its trace with the emulated CPU's log
# read this, behind the lab's functions. Their last command is finish.

here=$LAB_TOP/tools/testing/bts
gcc -O2 -Wall -Wextra -Werror -I"$LAB_TOP/kernel/trace" -o bts-raw "$here/bts-raw.c"
top=$PWD
status=0
total=0

not_ok()
{
	echo "not ok: $*"
	status=1
}

# compare WHAT TYPE FIRST:LAST SIDE CPU FILE: its pages and the log
compare()
{
	local what="$1, CPU $5" nr

	"$top/bts-raw" "$2" "$5" "$6" >trace || not_ok "$what: the pages"
	"$LAB_BTS_TOOLS/bts-log" -b -r -c "$5" -m "$3" log |
		awk -v side="$4" '{ is = length($3) == 16 && $3 ~ /^f/ ? "kernel" : "user" }
			!side || side == is { print $1, $2, $3 }' >expected
	grep -v '^#' trace >branches || :
	nr=$(wc -l <expected)
	total=$((total + nr))
	if cmp branches expected; then
		echo "$what: $nr branches, $("$top/bts-raw" -s "$2" "$5" "$6")"
	else
		not_ok "$what: $(wc -l <branches) branches in the trace, $nr in the log"
		diff branches expected | head -n 10 || :
	fi
	! grep -E '^# [0-9]+ (lost|dropped)' trace || not_ok "$what: branches were lost"
}

# The branches back of bts-loop's 100000 turns
loop_address=$(objdump -d "$LAB_BTS_TOOLS/bts-loop" | sed -n 's/^ *\([0-9a-f]*\):.*loopne.*/\1/p')

# check PART: the sessions that the guest has left
check()
{
	local part=$1 type session marks name side raw rest cpu of nr loops=0

	tar xf pages
	type=$(sed -n 's/^ID: //p' format)
	"$LAB_BTS_TOOLS/bts-log" -s log
	! "$LAB_BTS_TOOLS/bts-log" -s log | grep -v ' faults=0$' ||
		not_ok "$part: a debug store that is not mapped"
	while read -r session name side; do
		of=${session#"${session%%.*}"}
		session=${session%%.*}
		marks=$((2 * session)):$((2 * session + 1))
		# Both are in the log where there is another instance
		[ "$name" != instances ] || side=${side:-kernel}
		nr=0
		for raw in "raw.$session."[0-9]*; do
			rest=${raw#raw."$session".}
			cpu=${rest%%.*}
			[ "${rest#"$cpu"}" = "$of" ] || continue
			compare "$part: $name$of" "$type" "$marks" "$side" "$cpu" "$raw"
			nr=$((nr + $(wc -l <expected)))
			[ "$name" != loop ] ||
				loops=$((loops + $(grep -c "^$cpu $loop_address " branches || :)))
			# Tasks that are not recorded
			if [ -f "pids.$session" ] && sed -n 's/^# [0-9]* pid //p' trace | sort -u |
				grep -vxFf "pids.$session" >others; then
				not_ok "$part: $name, CPU $cpu: branches of other tasks:"
				cat others
			fi
		done
		[ "$name" != loop ] || [ "$loops" -eq 99999 ] ||
			not_ok "$part: bts-loop took its branch back $loops times, not 99999 times"
		[ "$nr" -gt 1000 ] || not_ok "$part: $name$of: only $nr branches"
	done <sessions
}

# run PART VARIANT TURNS SESSION...: boots, has guest.sh run them, and compares
run()
{
	local part=$1 variant=${2:+-v $2}

	shift 2
	mkdir "$part"
	cd "$part" || exit
	echo "bash ./guest.sh $*" >script
	# shellcheck disable=SC2086 # words are what is wanted
	LAB_BTS_LOG=$PWD/log LAB_TIMEOUT=${LAB_TIMEOUT:-900} "$LAB/run" -b $variant \
		-f "$here/guest.sh" -f "$LAB_BTS_TOOLS/bts-loop" -o pages script || exit 1
	check "$part"
	cd "$top" || exit
	rm -rf "$part"
}

finish()
{
	echo "$total branches"
	exit "$status"
}
