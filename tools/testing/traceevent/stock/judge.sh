#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# judge.sh [-r] EXPECTED TRACE-CALLS PLUGINS [OTHER...]
#
# In a folder with "trace.dat", the calls of a module of random functions that a kernel without
# signatures has recorded, "symbols", with the addresses in the expected text, and "signatures",
# the file of signatures: no value that trace-cmd with the plugin or trace-calls shows may be
# wrong, and 95 of a hundred values in registers have to be shown. With -r the recording has
# return values. EXPECTED is from generate.pl. Each OTHER is the text of another reader, whose
# values are only counted.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rows='registers|clones'
if [ "$1" = -r ]; then
	rows+='|register'
	shift
fi
expected=$1
calls=$2
plugins=$3
shift 3
status=0

# shown TO COMMAND...: write the symbols and the calls that COMMAND shows, in the form of a trace
shown()
{
	cp symbols "$1"
	FTRACE_ARG_SIGS=$PWD/signatures TRACEEVENT_PLUGIN_DIR=$plugins HOME=$PWD "${@:2}" |
		sed -n 's/^[^|]*| *\(.*\[arg_random\]\)/\1/p' >>"$1"
}

shown report trace-cmd report trace.dat
shown graph "$calls" graph trace.dat
for by in "$@" report graph; do
	echo "$by: right, words, wrong, not shown"
	perl "$here/../../arg_sigs/random/loose.pl" -c "$expected" "$by" >judged 2>wrong
	cat judged
	[[ " $* " != *" $by "* ]] || continue
	head -n 20 wrong
	awk -v by="$by" -v rows="^($rows)\$" '
		$1 != "functions" && ($3 || $4) {
			print by ": " $1 ": " $4 " wrong, " $3 " raw"
			bad = 1
		}
		$1 ~ rows && (!$2 || $2 < 0.95 * ($2 + $5)) {
			print by ": " $1 ": " $5 " are not shown"
			bad = 1
		}
		END { exit bad }' judged || status=1
done
exit $status
