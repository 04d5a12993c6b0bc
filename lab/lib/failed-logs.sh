#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# failed-logs.sh LOG...
#
# In the guest: prints the ends of ftracetest's logs, and the tests' own messages,
# because a log ends with the test's cleanup.

for file; do
	echo "--- ${file##*/}"
	tail -n 30 "$file"
	echo "--- what the test says itself"
	grep -v '^+' "$file" | tail -n 5
done
