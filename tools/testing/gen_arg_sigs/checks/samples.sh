# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets here, work and tool
#
# Check that the samples have their expected signatures with several compilers and
# options, and that pfunct agrees

# Check one sample with one compiler and its options
sample()
{
	local name=$1 cc=$2 opt=$3 variant=$4 offset=0 gflag=-g what
	local -a flags=()

	case $variant in
	ibt)	flags=(-fcf-protection=branch); offset=4 ;;
	pad)	flags=('-fpatchable-function-entry=16,16') ;;
	dwarf4)	gflag=-gdwarf-4
		# clang 19 writes no _Atomic into DWARF 4
		[ "$cc $name" != 'clang atomics' ] || return ;;
	gz)	flags=(-gz=zlib) ;;
	split)	flags=(-ffunction-sections) ;;
	notrack) flags=(-fno-var-tracking) ;;
	# Kbuild's flags if the config has no DWARF
	lean)	flags=(-gno-column-info -gno-variable-location-views
		       -gno-statement-frontiers -fno-merge-debug-strings) ;;
	esac

	what="$cc $opt $variant $name"
	if ! cc_for "$cc" "$opt" "$gflag" "${flags[@]}" -c "$here/samples/$name.c" \
	     -o "$work/a.o" 2>"$work/log"; then
		fail "$what: compile"
		sed 's/^/  /' "$work/log"
		return
	fi
	check "$what: computed" check_dump "$work/a.o" "$name" "$cc" "$opt" "$variant" "$offset"

	if [ "$variant" = nodebug ]; then
		check "$what: stripped" strip_debug "$work/a.o"
	else
		check "$what: recorded" "$tool" --unpromoted --werror "$work/a.o"
	fi
	check "$what: written" check_same "$work/a.o"
	check "$what: object" check_object "$work/a.o"
	check "$what: linked" check_same "$work/linked.o"

	cp "$work/a.o" "$work/b.o"
	check "$what: again" "$tool" --unpromoted "$work/a.o"
	check "$what: again, the same" cmp "$work/a.o" "$work/b.o"
}

# pfunct is an independent reader of the same DWARF. pfunct shows nothing for
# 'others_old', which has parameters but no prototype, and does not know aliases, SIMD clones
# and functions with the same code. pfunct does not write the type behind _Atomic.
cross_check()
{
	local name=$1

	cc_for gcc -O2 -g -c "$here/samples/$name.c" -o "$work/p.o" || return 1
	"$tool" --dump "$work/p.o" | perl "$here/sig2c.pl" >"$work/ours" || return 1
	pfunct -P "$work/p.o" | perl "$here/sig2c.pl" --normalize | sort -u >"$work/theirs"
	grep -v -e ' others_old(\| __x64_sys_getpid(\| twins_[aepw]\| _ZGV' \
		-e ' atomics_\(half\|half_returned\|scalar\)(' "$work/ours" |
		sort -u >"$work/ours.sorted"
	[ -s "$work/ours.sorted" ] && [ -z "$(comm -23 "$work/ours.sorted" "$work/theirs" |
					      tee /dev/stderr)" ]
}

# Compare the places with what the compiler says that it passes
passed()
{
	local name=$1 cc=$2 flags=(-O2 -g -c "$here/samples/$1.c") unpromoted=

	rm -f "$work"/p.*
	if [ "$cc" = gcc ]; then
		cc_for gcc -fdump-tree-optimized "${flags[@]}" -o "$work/p.o" || return 1
	else
		unpromoted=--unpromoted
		cc_for clang "${flags[@]}" -o "$work/p.o" &&
		cc_for clang -fno-discard-value-names "${flags[@]}" -S -emit-llvm \
			-o "$work/p.optimized" || return 1
	fi
	"$tool" --dump $unpromoted "$work/p.o" >"$work/p.dump" &&
	perl "$here/oracle/passed.pl" "$work/p.dump" "$work"/p.*optimized
}

# Before version 4, clang's DWARF does not say that the code is optimized
old_dwarf()
{
	cc_for clang -O2 -gdwarf-3 -c "$here/samples/clones.c" -o "$work/p.o" &&
	"$tool" --dump --unpromoted "$work/p.o" |
		grep -qx 'clones_constant+0x0	(---)?iia;ialways;ic;'
}

# At -O3, clang may pass members instead of a pointer, so nothing is known
promoted()
{
	cc_for clang -O3 -g -c "$here/samples/assigned.c" -o "$work/p.o" &&
	"$tool" --dump "$work/p.o" | grep -qx 'assigned_next+0x0	(--)lPSnode;cur;lv;'
}

# The same for a wide _BitInt(), which clang passes by a pointer. clang 14 has none.
promoted_bit_int()
{
	echo '_BitInt(192) wide;' >"$work/p.c"
	cc_for clang -c "$work/p.c" -o "$work/p.o" 2>/dev/null || return 0
	cat >"$work/p.c" <<-'END'
	static noinline long low(long n, long constant, unsigned _BitInt(192) wide)
	{
		asm volatile("" : : "r"(n), "r"(constant));
		return (unsigned long)wide * 3;
	}
	long call_low(long n, unsigned _BitInt(192) *wide)
	{
		return low(n, 53, *wide) + low(n + 1, 53, *wide);
	}
	END
	cc_for clang -O3 -g -c "$work/p.c" -o "$work/p.o" &&
	"$tool" --dump "$work/p.o" | grep -q '^low+0x0	(-----)'
}

# The place of a vector depends on options, which clang's DWARF does not show
vectors()
{
	cat >"$work/p.c" <<-'END'
	typedef int four __attribute__((vector_size(16)));
	struct eight { int v __attribute__((vector_size(32))); };
	long vectors_other(long a);
	#ifdef __AVX__
	long vectors_wide(struct eight unused, long a) { return vectors_other(a); }
	#else
	long vectors_none(four unused, long unused_too) { return vectors_other(1); }
	#endif
	END
	cc_for "$1" -O2 -g -mavx -c "$work/p.c" -o "$work/p.o" &&
	"$tool" --dump "$work/p.o" | grep -q '^vectors_wide+0x0	(----[a-])l' || return 1
	[ "$1" != clang ] || {
		cc_for clang -O2 -g -mno-sse -c "$work/p.c" -o "$work/p.o" &&
		"$tool" --dump "$work/p.o" | grep -q '^vectors_none+0x0	(---)l'
	}
}

# gcc pushes the static chain of a nested function before the call of the tracer, so the words
# of the stack are not where they are at the entry
nested()
{
	cat >"$work/p.c" <<-'END'
	long nested_other(long a, long b);
	struct triple { long a, b, c; };
	long nested(long n)
	{
		noinline long inner(struct triple t, long a)
		{
			return nested_other(t.a + a, t.b + n + t.c);
		}
		struct triple t = { n, n, 3 };

		n += inner(t, 5);
		return inner(t, n);
	}
	END
	cc_for gcc -O2 -g -c "$work/p.c" -o "$work/p.o" &&
	"$tool" --dump "$work/p.o" | grep -q '^inner[^ ]*+0x2	(---a)l'
}

# clang merges no functions
merged()
{
	cc_for gcc -O2 -g -c "$here/samples/gcc/merged.c" -o "$work/p.o" &&
	"$tool" --dump "$work/p.o" | diff -u "$here/samples/gcc/merged.sigs" -
}

sample_checks()
{
	local cc opt variant file

	for cc in gcc clang; do
		if ! command -v $cc >/dev/null; then
			echo "# $cc is not there: its checks are left out"
			continue
		fi
		for opt in -O0 -O2 -Os; do
			for variant in plain nodebug ibt pad dwarf4 gz split notrack lean; do
				# Try variants with the same code only once
				case $opt-$variant in
				-O2-* | *-plain | -Os-ibt) ;;
				*) continue ;;
				esac
				# With padding, clang emits no call of the tracer
				case $cc-$variant in
				clang-pad | clang-notrack | clang-lean) continue ;;
				esac
				for file in "$here"/samples/*.c; do
					sample "$(basename "$file" .c)" $cc $opt $variant
				done
			done
		done
	done

	for cc in gcc clang; do
		command -v $cc >/dev/null || continue
		check "$cc: vectors" vectors $cc
		for file in "$here"/samples/*.c; do
			check "$cc passes: $(basename "$file")" passed "$(basename "$file" .c)" $cc
		done
	done

	check 'gcc: nested functions' nested
	check 'gcc: merged functions' merged
	if command -v clang >/dev/null; then
		check 'clang: DWARF 3' old_dwarf
		check 'clang -O3: promoted' promoted
		check 'clang -O3: promoted _BitInt()' promoted_bit_int
	fi
	if command -v pfunct >/dev/null; then
		for file in "$here"/samples/*.c; do
			check "pfunct agrees: $(basename "$file")" \
				cross_check "$(basename "$file" .c)"
		done
	else
		echo '# pfunct is not there (package dwarves): its checks are left out'
	fi
}
