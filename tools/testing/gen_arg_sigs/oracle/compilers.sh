#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hold signatures against what is passed, under many compilers
#
# Usage: compilers.sh GEN_ARG_SIGS NAME=CC...
# Environment: SEED the first seed, otherwise from the clock; SEEDS (20); FUNCTIONS
# (250) for each; FAMILIES (abi clones); OPTS (-O2 -Os); JOBS at a time; KEEP a folder
# that is left with what was compiled
#
# Each compiler builds random functions (run.sh) with the kernel's flags. Prints what
# was wrong and by which seed, then a table. Fails if a value was wrong, if more than
# 1 % (gcc) or 3 % (clang) of the values are unknown, or if something was not compared.
# The columns are check.pl's counts.

set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
tool=$(realpath "$1")
shift
seed=${SEED:-$(($(date +%s) % 100000000))}
seeds=${SEEDS:-20}
functions=${FUNCTIONS:-250}
families=${FAMILIES:-abi clones}
opts=${OPTS:--O2 -Os}
keep=${KEEP:-}
if [ -n "$keep" ]; then
	work=$keep
	mkdir -p "$work"
else
	work=$(mktemp -d) || exit 1
	trap 'rm -rf "$work"' EXIT
fi

# kernel_flags CC SEED: as Kbuild has them; some kernels have more, by their config
kernel_flags()
{
	echo -mno-sse -mno-mmx -mno-80387 -mno-red-zone -fcf-protection=branch -fno-jump-tables \
		-fno-strict-aliasing -fno-strict-overflow -fno-delete-null-pointer-checks \
		-fno-common -fno-asynchronous-unwind-tables -falign-functions=16
	if [[ $("$1" --version) == *clang* ]]; then
		echo -mstack-alignment=8 -mretpoline-external-thunk
	else
		echo -mpreferred-stack-boundary=3 -mindirect-branch=thunk-extern -mindirect-branch-register \
			-mfunction-return=thunk-extern -mskip-rax-setup -fconserve-stack
		[ $(($2 % 2)) != 0 ] || echo -gno-variable-location-views
	fi
	[ $(($2 % 3)) != 0 ] || echo -fno-omit-frame-pointer
	[ $(($2 % 5)) != 0 ] || echo -fstack-protector-strong
	[ $(($2 % 7)) != 0 ] || echo -gdwarf-4
}

# one NAME CC FAMILY SEED: a line "NAME FAMILY OPT SUM" for each of opts
one()
{
	local name=$1 cc=$2 family=$3 seed=$4 dir=$work/$1-$3-$4 opt flags status

	rm -rf "$dir"
	read -rd '' -a flags < <(kernel_flags "$cc" "$seed")
	for opt in $opts; do
		status=0
		bash "$here/run.sh" "$tool" "$dir" "$family" "$seed" "$functions" "$cc" "$opt" "${flags[@]}" \
			>"$dir.log" 2>&1 || status=$?
		if ! grep -q ' functions: ' "$dir.log"; then
			echo "0 functions: not compared 1" >>"$dir.log"
		fi
		tail -n 1 "$dir.log" | sed "s/^/$name $family $opt /" >>"$work/sums"
		[ "$status" != 0 ] || continue
		{
			echo "$name $family $opt, SEED=$seed SEEDS=1 FUNCTIONS=$functions:"
			head -n -1 "$dir.log" | head -n 3 | cut -c1-200 | sed 's/^/  /'
		} >>"$work/wrong"
	done
	[ -n "$keep" ] || rm -rf "$dir"
	rm -f "$dir.log"
}

: >"$work/sums"
: >"$work/wrong"
echo "# SEED=$seed SEEDS=$seeds FUNCTIONS=$functions FAMILIES='$families' OPTS='$opts'"
running=0
for compiler; do
	for family in $families; do
		for nr in $(seq "$seed" $((seed + seeds - 1))); do
			if [ "$running" -ge "${JOBS:-$(nproc)}" ]; then
				wait -n
				running=$((running - 1))
			fi
			one "${compiler%%=*}" "${compiler#*=}" "$family" "$nr" &
			running=$((running + 1))
		done
	done
done
wait
cat "$work/wrong"

awk -v want="$*" '
	{
		key = $1 " " $2 " " $3
		if (!(key in functions))
			order[++keys] = key
		functions[key] += $4
		sub(/^[^:]*: /, "")
		n = split($0, parts, ", ")
		for (i = 1; i <= n; i++) {
			value = parts[i]
			sub(/.* /, "", value)
			sub(/ [0-9]+$/, "", parts[i])
			count[key, parts[i]] += value
		}
	}
	END {
		line = "%-9s %-6s %-3s %9s %7s %7s %7s %6s %6s %5s %9s %6s %7s %9s  %s\n"
		printf line, "compiler", "family", "opt", "functions", "values", "right", "removed", "?",
			"?, %", "wrong", "elsewhere", "beyond", "returns", "returns ?", ""
		for (i = 1; i <= keys; i++) {
			key = order[i]
			split(key, is, " ")
			unknown = count[key, "unknown"]
			values = count[key, "values"]
			share = values ? 100 * unknown / values : 100
			why = ""
			if (count[key, "not compared"])
				why = why " " count[key, "not compared"] " not compared"
			if (count[key, "wrong"])
				why = why " wrong"
			if (share > (is[1] ~ /^clang/ ? 3 : 1))
				why = why " unknown"
			if (!values)
				why = why " nothing compared"
			if (why != "")
				failed = 1
			printf line, is[1], is[2], is[3], functions[key], values, count[key, "right"] + 0,
				count[key, "removed"], unknown + 0, sprintf("%.2f", share), count[key, "wrong"],
				count[key, "elsewhere"], count[key, "beyond"], count[key, "returns"], count[key, "returns unknown"], why == "" ? "ok" : "FAILED:" why
		}
		if (!keys)
			print "nothing was compared"
		exit !keys || failed
	}
' <(sort -V "$work/sums")
