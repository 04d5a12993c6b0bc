#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Call random functions, and compare signatures with the passed values
#
# Usage: run.sh GEN_ARG_SIGS DIR abi|clones SEED FUNCTIONS [--float] CC FLAG...
#
# The script works in DIR. Files of an earlier run are used again if it had the same
# seed and compiler, even with other -O and -g. The last line is check.pl's sum.

set -eu -o pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tool=$1 dir=$2 family=$3 seed=$4 functions=$5
shift 5
float=
if [ "$1" = --float ]; then
	float=$1
	shift
fi
cc=$1
shift
both=(-w -Wno-psabi -fno-pie "-I$here" -c)
other=(-O0)
for flag; do
	case $flag in
	-O*|-g*) ;;
	*)	other+=("$flag") ;;
	esac
done

# compile FLAG...: compile, without retpolines if clang has no register left for a
# retpoline
compile()
{
	local flag flags=()

	"$cc" "$@" 2>errors && return
	if ! grep -q 'incompatible with retpoline' errors; then
		cat errors >&2
		return 1
	fi
	for flag; do
		[[ $flag == -mretpoline* ]] || flags+=("$flag")
	done
	"$cc" "${flags[@]}"
}

mkdir -p "$dir"
cd "$dir"
if [ ! -e record.o ]; then
	perl "$here/generate.pl" "$seed" "$functions" "$family" . ${float:+"$float"}
	compile "${both[@]}" "${other[@]}" other.c -o other.o
	gcc -O2 -mstackrealign -c "$here/record.c" -o record.o
fi
compile "${both[@]}" -g -pg -mfentry "$@" traced.c -o traced.o
gcc -no-pie -o program traced.o other.o record.o "$here/record.S"
nm program >symbols
./program >record
# clang runs ArgumentPromotion only at -O3
[[ " $* " == *' -O3 '* ]] && unpromoted= || unpromoted=--unpromoted
"$tool" --dump ${unpromoted:+"$unpromoted"} traced.o >dump
is=
[[ $("$cc" --version) != *clang* ]] || is=--clang
perl "$here/check.pl" dump symbols record "$family" ${is:+"$is"}
