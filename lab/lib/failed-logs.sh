#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# failed-logs.sh LOG...
#
# In the guest: the ends of the logs of ftracetest, and what the tests said themselves,
# because a log ends with what the test has cleaned up.

for file; do
	echo "--- ${file##*/}"
	tail -n 30 "$file"
	echo "--- what the test says itself"
	grep -v '^+' "$file" | tail -n 5
done
