# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Every command of the lab sources this file first. It has messages, the cache, locks and
# cleaning up. lib/packages.sh installs packages. lib/debian.sh fetches and unpacks
# packages of newer suites than the machine's suite. lib/arch.sh has what differs between
# architectures. lib/compilers.sh gets other compilers
# in this way. lib/suites.sh makes minimal roots of suites. lib/source.sh unpacks the
# kernel's source and puts the series on it. lib/kernel.sh builds kernels, lib/guest.sh
# boots guests, and lib/bts.sh has the emulated CPU with Branch Trace Store.
# lib/calls.sh builds trace-calls.  lib/failed-logs.sh runs in guests.

set -euo pipefail
shopt -s nullglob
umask 022
export LC_ALL=C
# What changes the output of cd, the files of tar, or the repository of git. git sets its
# variables for hooks and aliases.
unset CDPATH TAR_OPTIONS GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_OBJECT_DIRECTORY

# Commands change their folder, and start others in other folders
for LAB_FOLDER in TMPDIR XDG_CACHE_HOME CCACHE_DIR KSRC; do
	[[ ${!LAB_FOLDER:-/} = /* ]] || export "$LAB_FOLDER=$PWD/${!LAB_FOLDER}"
done
# Without links, as git prints it
LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
LAB_TOP=${LAB%/*}
LAB_CACHE=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ftrace-args
LAB_DEFAULT=6.12
LAB_VERSION=${LAB_VERSION:-$LAB_DEFAULT}	# the version without -k
LAB_NAME=lab/${0##*/}
LAB_TMP=
declare -A LAB_PIDS=()		# processes that run in the background, and end with this command
# 124: the guest failed; 125: the guest did not run (git bisect skips this status)
LAB_GUEST_FAILED=124
LAB_CANNOT=125

lab_say()
{
	printf '%s\n' "$LAB_NAME: $*" >&2
}

lab_die()
{
	lab_say "$@"
	exit "$LAB_CANNOT"
}

# If a test ends because a command failed, print the command
if [[ $0 == "$LAB"/tests/* ]]; then
	trap 'lab_say "$0, line $LINENO: status $?: $BASH_COMMAND"' ERR
fi

# Print the help, which is the comment at the head of the command
lab_help()
{
	sed -n '/^# lab\//,/^[^#]/{ /^#/!q; s/^# \{0,1\}//; p }' "$0"
}

lab_usage()
{
	[ $# -eq 0 ] || lab_say "$@"
	lab_help >&2
	exit "$LAB_CANNOT"
}

# lab_option OPTION: handle an option of getopts that several commands have, or a wrong one.
# Sets version to the value of -k, and variant to that of -v.
version=
variant=
lab_option()
{
	case $1 in
	a)	lab_arch "$OPTARG" ;;
	k)	version=$OPTARG ;;
	v)	variant=$OPTARG ;;
	h)	lab_help; exit 0 ;;
	:)	lab_usage "-$OPTARG needs a value" ;;
	*)	lab_usage "no such option: -$OPTARG" ;;
	esac
}

lab_cleanup()
{
	local status=$? pid

	trap - EXIT INT TERM HUP
	for pid in "${!LAB_PIDS[@]}"; do
		kill -- "-$pid" 2>/dev/null || kill "$pid" 2>/dev/null || :
	done
	lab_progress_end
	[ -z "$LAB_TMP" ] || rm -rf "$LAB_TMP"
	exit "$status"
}
trap lab_cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# Make a temporary folder, which is removed when the command ends
lab_tmp()
{
	[ -n "$LAB_TMP" ] || LAB_TMP=$(mktemp -d "${TMPDIR:-/tmp}/lab.XXXXXX")
}

# lab_lock NAME [shared]: take a lock.  If another command holds the lock, print a message
# and wait. Commands that change nothing share the lock. The lock is held until lab_unlock
# or the end of the command.
lab_lock()
{
	local how=(${2:+--shared})

	mkdir -p "$LAB_CACHE"
	exec {LAB_LOCK_FD}>"$LAB_CACHE/.$1.lock"
	if ! flock "${how[@]}" -n "$LAB_LOCK_FD"; then
		lab_say "waiting for another lab command ($1)"
		flock "${how[@]}" "$LAB_LOCK_FD"
	fi
}

lab_unlock()
{
	exec {LAB_LOCK_FD}>&-
}

# lab_progress TEXT, then lab_progress_end: show the progress. On a terminal this is one
# line that is overwritten, elsewhere one line every 20 seconds.
LAB_PROGRESS_AT=-100
LAB_PROGRESS_OPEN=

lab_progress()
{
	if [ -t 2 ]; then
		printf '\r\033[K%s: %s' "$LAB_NAME" "$*" >&2
		LAB_PROGRESS_OPEN=1
	elif [ $((SECONDS - LAB_PROGRESS_AT)) -ge 20 ]; then
		lab_say "$*"
		LAB_PROGRESS_AT=$SECONDS
	fi
}

lab_progress_end()
{
	[ -z "$LAB_PROGRESS_OPEN" ] || printf '\r\033[K' >&2
	LAB_PROGRESS_OPEN=
	LAB_PROGRESS_AT=-100
}

# lab_clock: set LAB_CLOCK to the milliseconds since the first call, as on an idle machine:
# if more tasks run than the machine has CPUs, less time counts. Limits are in this time, so
# that no command reaches its limit because of other commands.
LAB_CLOCK=0
LAB_CLOCK_AT=
LAB_CPUS=$(nproc)

lab_clock()
{
	local now=${EPOCHREALTIME/./} running

	# This task is one of the running tasks
	read -r _ _ _ running _ </proc/loadavg
	running=$((${running%/*} - 1))
	[ "$running" -ge "$LAB_CPUS" ] || running=$LAB_CPUS
	LAB_CLOCK=$((LAB_CLOCK + (now - ${LAB_CLOCK_AT:-now}) * LAB_CPUS / running / 1000))
	LAB_CLOCK_AT=$now
}

# lab_limit SECONDS COMMAND...: run a command, and end it if it takes more seconds of a CPU.
# The time of other commands on the machine does not count.
lab_limit()
{
	(ulimit -t "$1" && shift && exec "$@")
}

# lab_start COMMAND...: run a command in the background, as process group LAB_PID
lab_start()
{
	set -m
	"$@" &
	LAB_PID=$!
	set +m
	LAB_PIDS[$LAB_PID]=1
}

# lab_ended PID: wait for a process, and return its status
lab_ended()
{
	local status=0

	wait "$1" 2>/dev/null || status=$?
	unset "LAB_PIDS[$1]"
	return "$status"
}

# lab_try TEXT LOG COMMAND...: run a command with its output in LOG. Shows the time, and
# the text that the function LAB_COUNT makes from LOG. Returns the command's status.
lab_try()
{
	local text=$1 log=$2 pid begin=$SECONDS took

	shift 2
	lab_start "$@" >"$log" 2>&1 </dev/null
	pid=$LAB_PID
	while kill -0 "$pid" 2>/dev/null; do
		took=$((SECONDS - begin))
		[ "$took" -ne 0 ] && took=", $took s" || took=
		lab_progress "$text$([ -z "$took" ] || ${LAB_COUNT:-:} "$log")$took"
		sleep 0.3
	done
	lab_progress_end
	lab_ended "$pid"
}

# As lab_try, for a command that has to succeed
lab_step()
{
	lab_try "$@" || lab_failed "$1: failed" "$2"
}

# lab_failed TEXT LOG: print the end of a log and its path, and exit
lab_failed()
{
	tail -n 25 "$2" | sed 's/^/    /' >&2
	lab_say "$1"
	lab_die "the whole log is in $2"
}

# shellcheck source=lab/lib/packages.sh
. "$LAB/lib/packages.sh"
# shellcheck source=lab/lib/debian.sh
. "$LAB/lib/debian.sh"
# shellcheck source=lab/lib/arch.sh
. "$LAB/lib/arch.sh"
# shellcheck source=lab/lib/compilers.sh
. "$LAB/lib/compilers.sh"
# shellcheck source=lab/lib/suites.sh
. "$LAB/lib/suites.sh"
# shellcheck source=lab/lib/source.sh
. "$LAB/lib/source.sh"
# shellcheck source=lab/lib/kernel.sh
. "$LAB/lib/kernel.sh"
# shellcheck source=lab/lib/guest.sh
. "$LAB/lib/guest.sh"
# shellcheck source=lab/lib/bts.sh
. "$LAB/lib/bts.sh"
# shellcheck source=lab/lib/calls.sh
. "$LAB/lib/calls.sh"
