#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compare signatures with the passed values, with many compilers
#
# Usage: compilers.sh GEN_ARG_SIGS NAME=CC... Environment: SEED: the first seed, by
# default from the clock; SEEDS (20); FUNCTIONS (250) for each seed; FAMILIES (abi
# clones); OPTS (-O2 -Os); JOBS: number of parallel jobs; KEEP: a folder that keeps the
# compiled files
#
# Each compiler builds random functions (run.sh) with the kernel's flags. Prints the wrong
# values with their seeds, then a table. Fails if a value was wrong, if too many of the
# values are unknown, or if something was not compared. The limit is 1 % for gcc, 4 % for
# clang and functions that keep their interface, and 45 % for functions that clang changes.
# It is 55 % at -O3, where clang may replace a pointer by what it points to without a mark.
# Of arm64, whose code gen_arg_sigs does not read, it is 2 % for gcc, and 6 % and 55 % for
# clang.
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

# arm64_flags CC SEED: as kernel_flags, for arm64
arm64_flags()
{
	echo -mgeneral-regs-only -ffixed-x18 -mno-outline-atomics -fno-jump-tables \
		-fno-strict-aliasing -fno-strict-overflow -fno-delete-null-pointer-checks \
		-fno-common -fno-asynchronous-unwind-tables -fno-omit-frame-pointer
	[[ $("$1" --version) == *clang* ]] || echo -fconserve-stack
	[ $(($2 % 2)) != 0 ] || echo -fpatchable-function-entry=4,2
	case $(($2 % 3)) in
	0)	echo -mbranch-protection=pac-ret ;;
	1)	echo -mbranch-protection=pac-ret+bti ;;
	esac
	[ $(($2 % 5)) != 0 ] || echo -fstack-protector-strong
	[ $(($2 % 7)) != 0 ] || echo -gdwarf-4
}

# kernel_flags CC SEED: print Kbuild's flags. The seed adds flags of some configs: IBT,
# retpolines, call padding, kCFI.
kernel_flags()
{
	if [[ $("$1" -dumpmachine) == aarch64* ]]; then
		arm64_flags "$1" "$2"
		return
	fi
	echo -mno-sse -mno-mmx -mno-80387 -mno-red-zone -fno-jump-tables \
		-fno-strict-aliasing -fno-strict-overflow -fno-delete-null-pointer-checks \
		-fno-common -fno-asynchronous-unwind-tables -falign-functions=16
	if [[ $("$1" --version) == *clang* ]]; then
		echo -mstack-alignment=8
		[ $(($2 % 8)) = 3 ] || echo -mretpoline-external-thunk
	else
		echo -mpreferred-stack-boundary=3 -mskip-rax-setup -fconserve-stack
		[ $(($2 % 8)) = 3 ] || echo -mindirect-branch=thunk-extern \
			-mindirect-branch-register -mfunction-return=thunk-extern
		[ $(($2 % 2)) != 0 ] || echo -gno-variable-location-views
	fi
	[ $(($2 % 8)) = 4 ] || echo -fcf-protection=branch
	case $(($2 % 4)) in
	1)	echo -fpatchable-function-entry=16,16 ;;
	2)	if "$1" -fsanitize=kcfi -x c -c -o /dev/null - </dev/null 2>/dev/null; then
			echo -fsanitize=kcfi -fpatchable-function-entry=11,11
		fi ;;
	esac
	[ $(($2 % 3)) != 0 ] || echo -fno-omit-frame-pointer
	[ $(($2 % 5)) != 0 ] || echo -fstack-protector-strong
	[ $(($2 % 7)) != 0 ] || echo -gdwarf-4
}

# one NAME CC FAMILY SEED: write a line "NAME FAMILY OPT SUM" for each of opts
one()
{
	local name=$1 cc=$2 family=$3 seed=$4 dir=$work/$1-$3-$4 opt flags status

	rm -rf "$dir"
	read -rd '' -a flags < <(kernel_flags "$cc" "$seed")
	for opt in $opts; do
		status=0
		bash "$here/run.sh" "$tool" "$dir" "$family" "$seed" "$functions" "$cc" "$opt" \
			"${flags[@]}" >"$dir.log" 2>&1 || status=$?
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
jobs=$(($# * seeds * $(wc -w <<<"$families")))

awk -v sums=$((jobs * $(wc -w <<<"$opts"))) '
	function row(name, family, opt) {
		printf "%-9s %-6s %-4s", name, family, opt
		for (c = 1; c <= columns; c++)
			printf "%" (length(column[c]) > 5 ? length(column[c]) + 2 : 7) "s", cell[c]
		print "  " result
	}
	BEGIN {
		columns = split("functions,values,right,removed,removed in part,not passed," \
				"unknown,%,wrong,elsewhere,beyond,returns," \
				"returns unknown", column, ",")
		limit["gcc"] = 1
		limit["clang"] = 4
		limit["clang clones"] = 45
		limit["clang clones -O3"] = 55
		limit["gcc-arm64 abi"] = 2
		limit["gcc-arm64 clones"] = 2
		limit["clang-arm64 abi"] = 6
		limit["clang-arm64 clones"] = 55
	}
	{
		key = $1 " " $2 " " $3
		if (!(key in compared))
			order[++keys] = key
		compared[key]++
		count[key, "functions"] += $4
		sub(/^[^:]*: /, "")
		n = split($0, parts, ", ")
		for (i = 1; i <= n; i++) {
			nr = parts[i]
			sub(/.* /, "", nr)
			sub(/ [0-9]+$/, "", parts[i])
			count[key, parts[i]] += nr
		}
	}
	END {
		for (c in column)
			cell[c] = column[c]
		row("compiler", "family", "opt")
		for (k = 1; k <= keys; k++) {
			key = order[k]
			split(key, is, "[ -]")
			split(key, name, " ")
			values = count[key, "values"]
			count[key, "%"] = values ? 100 * count[key, "unknown"] / values : 100
			result = ""
			if (count[key, "not compared"])
				result = result " not compared: " count[key, "not compared"]
			if (!values)
				result = result " nothing"
			if (count[key, "wrong"])
				result = result " wrong"
			machine = name[1]
			sub(/-newest$/, "", machine)
			most = limit[machine " " name[2]]
			most = most ? most : limit[is[1] " " name[2] " " name[3]]
			most = most ? most : limit[is[1] " " name[2]]
			if (count[key, "%"] > (most ? most : limit[is[1]]))
				result = result " unknown"
			failed = failed || result != ""
			result = result == "" ? "ok" : "FAILED:" result
			count[key, "%"] = sprintf("%.2f", count[key, "%"])
			for (c in column)
				cell[c] = count[key, column[c]] == "" ? 0 : count[key, column[c]]
			row(name[1], name[2], name[3])
		}
		if (!keys)
			print "nothing was compared"
		if (NR != sums)
			print NR " sums, not " sums ": a job has ended early"
		exit !keys || NR != sums || failed
	}
' <(sort -V "$work/sums")
