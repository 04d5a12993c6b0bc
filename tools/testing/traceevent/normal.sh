#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# normal.sh trace|report <TEXT
#
# Prints, for each line of a call, the CPU, the mark, the duration and the call. For the
# function tracer, prints the CPU, the process and the call. The output is the same for
# the kernel's text and for trace-cmd's. Lines that only the kernel shows in addition to
# calls are left out. Other lines stay.
case $1 in
trace)	sed -E -e '/^#/d; /^ -+$/d; /^$/d' \
		-e '/^ *[0-9]+\) [^|]* => [^|]*$/d' \
		-e '/^ *[0-9]+\) +(=+>|<=+) \|$/d' \
		-e 's/^ *([0-9]+)\) (.) *([0-9.]*)( us)? *\|  /\1 \2 \3|/' \
		-e 's/^ *.*-([0-9]+) +\[0*([0-9]+)\] [^ ]+ +[0-9.]+: /\2 \1 /' ;;
report)	event=' \[0*([0-9]+)\] +([^ ]+ +)?[0-9.]+: (funcgraph|fgraph_retaddr)_(entry|exit|call):'
	sed -E -e '/^cpus=/d; /^CPU [0-9]+ is empty/d; /^CPU:[0-9]+ \[.*EVENTS DROPPED\]/d' \
		-e "s/^.*$event +([^ 0-9|]?) *([0-9.]*)( us)? *\|  /\1 \5 \6|/" \
		-e 's/^([0-9]+)  ([0-9.]*)\|/\1   \2|/' \
		-e 's/^ *.*-([0-9]+) +\[0*([0-9]+)\] +([^ ]+ +)?[0-9.]+: function: +/\2 \1 /' \
		-e 's/^([0-9]+ [0-9]+ .*) <-- ([^ ]+)$/\1 <-\2/' ;;
*)	exit 1 ;;
esac
