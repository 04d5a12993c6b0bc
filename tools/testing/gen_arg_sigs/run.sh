#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Host tests for scripts/gen_arg_sigs and scripts/recordmcount_args.pl
#
# Argument: [GEN_ARG_SIGS]
# Environment: SEED of the random functions, FUZZ: number of damaged objects
#
# The folder checks/ has a file for each group of checks.
#
# Compiles the samples with gcc, and with clang if it is installed, and compares the
# signatures with the expected ones: samples/NAME.sigs, or if compilers or their options
# differ, NAME.gcc.sigs, NAME.O0.sigs, NAME.clang.O0.sigs or NAME.gcc.notrack.sigs. A
# function has several lines there if versions of a compiler differ: each line is right
# for one of them. Then random functions are called with random values, and the registers
# and the stack at their entry are compared with the signatures (oracle/). Without an
# argument the tool is built first. Prints one line for each check, then
# 'N passed, N failed'.

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

# check NAME COMMAND...: the command's output is shown only if it fails
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

# signatures.sh has what the other files use. Each of the others has a group of checks.
for file in signatures samples linked strip kbuild recordmcount_args random malformed; do
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

sample_checks
linked_checks
strip_checks
kbuild_checks
recordmcount_args_checks
random_checks
malformed_checks
finish
