#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Host tests for scripts/gen_arg_sigs and scripts/recordmcount_args.pl
#
# Argument: [GEN_ARG_SIGS] Environment: SEED: the seed of the random functions, FUZZ: the
# number of damaged objects
#
# The folder checks/ has a file for each group of checks.
#
# Compiles the samples with gcc, and with clang if it is installed, and compares the
# signatures with samples/NAME.sigs. If compilers or their options differ, a line begins with
# the compilers and options that it is for: gcc, O0, clang-O0, gcc-notrack or others. If
# versions of a compiler differ, a function has several lines, and one of these lines has to
# match. Then the script calls random functions with random values, and compares the registers
# and the stack at their entry with the signatures (oracle/). Without an argument the tool is
# built first. Prints one line for each check, then 'N passed, N failed'.

set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

passed=0
failed=0

pass()
{
	echo "ok $*"
	passed=$((passed + 1))
}

fail()
{
	echo "not ok $*"
	failed=$((failed + 1))
}

# check NAME COMMAND...: run a command, and show its output only if it fails
check()
{
	local name=$1

	shift
	if "$@" >"$work/log" 2>&1; then
		pass "$name"
	else
		fail "$name"
		sed 's/^/  /' "$work/log" | head -n 20
	fi
}

finish()
{
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$passed" != 0 ]
	exit
}

# shellcheck disable=SC2317,SC2329 # check() calls it
build_tool()
{
	# shellcheck disable=SC2046
	"${HOSTCC:-cc}" -O2 -Wall -Werror -o "$work/gen_arg_sigs" \
		"$top"/scripts/gen_arg_sigs/*.c \
		$(pkg-config --cflags --libs libdw libelf)
}

# The other files use signatures.sh. Each of the other files has a group of checks.
for file in signatures names units samples arm64 debug linked strip kbuild recordmcount_args \
	    random malformed; do
	# shellcheck source=/dev/null
	. "$here/checks/$file.sh" || exit 1
done

if [ $# -gt 0 ]; then
	tool=$1
	check "tool: $tool runs" "$tool" --help
else
	tool=$work/gen_arg_sigs
	check 'tool: compiles without a warning' build_tool
fi
[ "$failed" = 0 ] || finish

names_checks
units_checks
sample_checks
arm64_checks
debug_checks
linked_checks
strip_checks
kbuild_checks
recordmcount_args_checks
random_checks
malformed_checks
finish
