#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Call random functions, and compare signatures with the passed values
#
# Usage: run.sh GEN_ARG_SIGS DIR abi|clones SEED FUNCTIONS [--float] CC FLAG...
#
# If CC makes code for arm64, an emulator runs the functions. The script works in DIR. Files
# of an earlier run are used again if it had the same seed and compiler, even with other -O
# and -g. The last line is check.pl's sum.

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
	-O*|-g*|-fpatchable-function-entry=*) ;;
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

machine=$("$cc" -dumpmachine)
case $machine in
aarch64*)
	link=(aarch64-linux-gnu-gcc -static)
	record=(-O2)
	sites=(-fpatchable-function-entry=2)
	emulator=qemu-aarch64
	;;
*)
	link=(gcc)
	record=(-O2 -mstackrealign)
	sites=(-pg -mfentry)
	emulator=
	;;
esac
assembly=$here/record.S
if [ -n "$emulator" ]; then
	assembly=$here/record_arm64.S
	# A CC with nops before the functions
	[[ " $* " != *-fpatchable-function-entry=4,2* ]] || record+=(-DBEFORE=2)
fi

mkdir -p "$dir"
cd "$dir"
if [ ! -e record.o ]; then
	perl "$here/generate.pl" "$seed" "$functions" "$family" . ${float:+"$float"}
	compile "${both[@]}" "${other[@]}" other.c -o other.o
	"${link[@]}" "${record[@]}" -c "$here/record.c" -o record.o
fi
compile "${both[@]}" -g "${sites[@]}" "$@" traced.c -o traced.o
"${link[@]}" -no-pie -o program traced.o other.o record.o "$assembly"
nm program >symbols
${emulator:+"$emulator"} ./program >record
# clang runs ArgumentPromotion only at -O3
[[ " $* " == *' -O3 '* ]] && unpromoted= || unpromoted=--unpromoted
"$tool" --dump ${unpromoted:+"$unpromoted"} traced.o >dump
is=
[[ $("$cc" --version) != *clang* ]] || is=--clang
perl "$here/check.pl" dump symbols record "$family" ${is:+"$is"} ${emulator:+--arm64}
