# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets here, work and tool
#
# Compile objects, and compare their signatures with the expected signatures. The checks
# in the other files use these functions.

# The kernel's version of C, and macros from the kernel's headers
common=(-std=gnu11 -pg -mfentry -fno-pie -w '-Dnoinline=__attribute__((noinline))'
	'-D__packed=__attribute__((packed))' '-D__weak=__attribute__((weak))'
	'-D__cold=__attribute__((cold))' '-D__section(s)=__attribute__((section(s)))')

# A key may have gcc's version: "gcc16-notrack". No key has a version of clang
gcc_major=$(gcc -dumpversion)
gcc_major=${gcc_major%%.*}

# cc_for COMPILER FLAGS... -c FILE -o OBJECT: compile as Kbuild does for ftrace
cc_for()
{
	local cc=$1

	shift
	case $cc in
	gcc)	gcc "${common[@]}" -mrecord-mcount "$@" ;;
	clang)	clang "${common[@]}" "$@" ;;
	esac
}

# Print the expected signatures of a sample: the lines of its file without "[KEY...]", and those
# with the first key that the file has
expected()
{
	local name=$1 cc=$2 opt=$3 variant=$4

	awk -v keys="$cc$gcc_major-$variant $cc$opt $cc-$variant ${opt#-} $cc others" '
		{
			if (match($0, /^\[[^]]*\] /))
				of[NR] = " " substr($0, 2, RLENGTH - 3) " "
			line[NR] = of[NR] == "" ? $0 : substr($0, RLENGTH + 1)
			all = all of[NR]
		}
		END {
			last = split(keys, key, " ")
			for (k = 1; k < last && !index(all, " " key[k] " "); k++)
				;
			for (i = 1; i <= NR; i++)
				if (of[i] == "" || index(of[i], " " key[k] " "))
					print line[i]
		}' "$here/samples/$name.sigs"
}

# Print the signatures of a file, without offsets if all offsets are right. Static
# functions whose address is not taken have no ENDBR. This applies to all clones in the
# samples.
dump()
{
	local file=$1 offset=$2

	"$tool" --dump --unpromoted "$file" >"$work/raw" || return 1
	sed -e '/^\(clones_[^c]\|clones_constant\|pieces_[^c]\)/s/+0x0\t/\t/' \
		-e '/^\(assigned_[^ck]\|frames_r\|twins_[ep]\)/s/+0x0\t/\t/' \
		-e '/^\(conventions_clone\|untracked_constant\)/s/+0x0\t/\t/' \
		-e "s/+0x$offset\t/\t/" "$work/raw" >"$work/dump"
	if grep -F '+0x' "$work/dump"; then
		echo 'the site of this function is at a wrong place'
		return 1
	fi
	sort -u "$work/dump"
}

check_dump()
{
	local file=$1 name=$2 cc=$3 opt=$4 variant=$5 offset=$6

	dump "$file" "$offset" >"$work/got" || { cat "$work/got"; return 1; }
	expected "$name" "$cc" "$opt" "$variant" | sort >"$work/want"
	[ -s "$work/want" ] && [ -s "$work/got" ] || return 1
	! cmp -s "$work/want" "$work/got" || return 0
	if comm -13 "$work/want" "$work/got" | grep . ||
	   ! cmp -s <(names <"$work/want") <(names <"$work/got") || missing_types | grep .; then
		diff "$work/want" "$work/got"
		return 1
	fi
}

# Check that another file has the same signatures as the file of the last dump()
check_same()
{
	"$tool" --dump --unpromoted "$1" >"$work/same" && diff "$work/raw" "$work/same"
}

# Print the functions that must have one of their lines: names without the suffix of a
# clone
names()
{
	sed -E '/^type\t/d; s/[.\t].*//' | sort -u
}

# Print types that signatures refer to and that are missing. A type begins with the eight
# letters of its id.
missing_types()
{
	awk '
		NR == FNR { got = got $0 "\n"; lines[$0]; next }
		/^type\t/ && index(got, substr($0, 6, 8)) && !($0 in lines)
		' "$work/got" "$work/want"
}

# Check that an object is valid for binutils, before and after a link
check_object()
{
	local file=$1

	readelf -aW "$file" >/dev/null 2>"$work/err" || return 1
	if [ -s "$work/err" ]; then
		cat "$work/err"
		return 1
	fi
	ld -r -o "$work/linked.o" "$file"
}
