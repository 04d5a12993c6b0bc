#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Host tests for scripts/gen_arg_sigs and scripts/recordmcount_args.pl
#
# Argument: [GEN_ARG_SIGS]
# Environment: SEED of the random functions, FUZZ: number of damaged objects
#
# Compiles the samples with gcc, and with clang where it is there, and holds the
# signatures against the expected ones: samples/NAME.sigs, or where compilers
# or their options differ NAME.gcc.sigs, NAME.O0.sigs, NAME.clang.O0.sigs or
# NAME.gcc.notrack.sigs. Then random functions are called with random values, and
# what the registers and the stack have at their entry is held against the signatures
# (oracle/). Without an argument the tool is built first. Prints one line for each
# check, then 'N passed, N failed'.

# Most functions are called by check()
# shellcheck disable=SC2317

set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
script=$top/scripts/recordmcount_args.pl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

passed=0
failed=0

# What the kernel has in its headers, the samples get here
common=(-pg -mfentry -fno-pie -w '-Dnoinline=__attribute__((noinline))'
	'-D__packed=__attribute__((packed))' '-D__weak=__attribute__((weak))'
	'-D__section(s)=__attribute__((section(s)))')

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

build_tool()
{
	# shellcheck disable=SC2046
	"${HOSTCC:-cc}" -O2 -Wall -Werror -o "$work/gen_arg_sigs" \
		"$top"/scripts/gen_arg_sigs/*.c \
		$(pkg-config --cflags --libs libdw libelf)
}

# cc_for COMPILER FLAGS... -c FILE -o OBJECT, as Kbuild compiles for ftrace
cc_for()
{
	local cc=$1

	shift
	case $cc in
	gcc)	gcc "${common[@]}" -mrecord-mcount "$@" ;;
	clang)	clang "${common[@]}" "$@" ;;
	esac
}

# What is expected of a sample
expected()
{
	local name=$1 cc=$2 opt=$3 variant=$4 file

	for file in "$name.$cc$opt" "$name.$cc.$variant" "$name$opt" "$name.$cc" "$name"; do
		file=${file/-/.}.sigs
		if [ -e "$here/samples/$file" ]; then
			cat "$here/samples/$file"
			return
		fi
	done
}

# Signatures of a file, without offsets if all of them are as they should be.
# Static functions that are only called have no ENDBR: none of the clones does.
dump()
{
	local file=$1 offset=$2

	"$tool" --dump "$file" >"$work/dump" || return 1
	sed -i '/^\(clones_[^c]\|clones_constant\|pieces_[^c]\)/s/+0x0\t/\t/' "$work/dump"
	sed -i "s/+0x$offset\t/\t/" "$work/dump"
	if grep -F '+0x' "$work/dump"; then
		echo 'the site of this one is not where it should be'
		return 1
	fi
	sort -u "$work/dump"
}

check_dump()
{
	local file=$1 name=$2 cc=$3 opt=$4 variant=$5 offset=$6

	dump "$file" "$offset" >"$work/got" || { cat "$work/got"; return 1; }
	expected "$name" "$cc" "$opt" "$variant" | sort >"$work/want"
	[ -s "$work/want" ] && diff "$work/want" "$work/got"
}

# Sound for binutils, before and after a link
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

# One sample, compiled in one way
sample()
{
	local name=$1 cc=$2 opt=$3 variant=$4 offset=0 gflag=-g what
	local -a flags=()

	case $variant in
	ibt)	flags=(-fcf-protection=branch); offset=4 ;;
	pad)	flags=('-fpatchable-function-entry=16,16') ;;
	dwarf4)	gflag=-gdwarf-4 ;;
	gz)	flags=(-gz=zlib) ;;
	split)	flags=(-ffunction-sections) ;;
	notrack) flags=(-fno-var-tracking) ;;
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
		check "$what: script" perl "$script" "$tool" --strip objcopy "$work/a.o"
		check "$what: stripped" no_debug "$work/a.o"
	else
		check "$what: script" perl "$script" "$tool" "$work/a.o"
	fi
	check "$what: written" check_dump "$work/a.o" "$name" "$cc" "$opt" "$variant" "$offset"
	check "$what: object" check_object "$work/a.o"
	check "$what: linked" check_dump "$work/linked.o" "$name" "$cc" "$opt" "$variant" "$offset"

	cp "$work/a.o" "$work/b.o"
	check "$what: again" perl "$script" "$tool" "$work/a.o"
	check "$what: again, the same" cmp "$work/a.o" "$work/b.o"
}

no_debug()
{
	! readelf -SW "$1" | grep -F .debug_
}

# An independent reader of the same DWARF. It shows nothing for 'others_old',
# which has parameters but no prototype, and does not know of aliases.
cross_check()
{
	local name=$1

	cc_for gcc -O2 -g -c "$here/samples/$name.c" -o "$work/p.o" || return 1
	"$tool" --dump "$work/p.o" | perl "$here/sig2c.pl" >"$work/ours" || return 1
	pfunct -P "$work/p.o" | perl "$here/sig2c.pl" --normalize | sort -u >"$work/theirs"
	grep -v ' others_old(\| __x64_sys_getpid(' "$work/ours" | sort -u >"$work/ours.sorted"
	[ -s "$work/ours.sorted" ] && [ -z "$(comm -23 "$work/ours.sorted" "$work/theirs" |
					      tee /dev/stderr)" ]
}

# Equal names in two objects, equal strings in one image
link_check()
{
	local count

	cat >"$work/one.c" <<-'EOF'
		static int noinline same(int a) { return a; }
		int (*one_pointer)(int) = same;
		int one(const char *equal) { return *equal; }
	EOF
	cat >"$work/two.c" <<-'EOF'
		static long noinline same(void *b, long c) { return !b + c; }
		long (*two_pointer)(void *, long) = same;
		int two(const char *equal) { return *equal; }
	EOF
	for file in one two; do
		cc_for gcc -O2 -g -c "$work/$file.c" -o "$work/$file.o" &&
		"$tool" "$work/$file.o" >/dev/null || return 1
	done
	cat >"$work/lds" <<-'EOF'
		SECTIONS {
			. = 0x100000;
			.text : { *(.text) }
			__arg_sigs : { *(__arg_sigs) }
			__arg_sigs_str : { *(__arg_sigs_str) }
			__arg_sigs_types : { *(__arg_sigs_types) }
			.data : { *(.data*) *(__mcount_loc) }
		}
	EOF
	ld -r -o "$work/both.o" "$work/one.o" "$work/two.o" &&
	ld -T "$work/lds" -e 0 --unresolved-symbols=ignore-all -z noexecstack \
	   --no-warn-rwx-segments -o "$work/image" "$work/both.o" || return 1

	printf '%s\t%s\n' same+0x0 1iia\; same+0x0 '2lPvb;lc;' one+0x0 '(*a)iPKcequal;' \
		two+0x0 '(*a)iPKcequal;' | sort >"$work/want"
	for file in both.o image; do
		"$tool" --dump "$work/$file" | sort | diff "$work/want" - || return 1
	done
	count=$(strings -a "$work/image" | grep -cxF '(*a)iPKcequal;')
	[ "$count" = 1 ]
}

# What an image and files with nothing but debug info are read as: the same as the
# objects that they were made of, with the functions that cannot be traced
linked_files()
{
	local file

	cat >"$work/three.c" <<-'EOF'
		struct pair { int a, b; };
		static int noinline same(struct pair p) { return p.a + p.b; }
		int (*three_pointer)(struct pair) = same;
		int __attribute__((no_instrument_function)) quiet(unsigned char c) { return c; }
	EOF
	cc_for gcc -O2 -g -c "$work/three.c" -o "$work/three.o" &&
	cc_for gcc -O2 -g -c "$work/one.c" -o "$work/four.o" || return 1
	for file in three four; do
		"$tool" --dump "$work/$file.o"
	done | sort -u >"$work/want"
	grep -q '^quiet+0x0	1ihc;$' "$work/want" || return 1

	ld -r -o "$work/module" "$work/three.o" "$work/four.o" &&
	ld -e 0 -Ttext=0x100000 --unresolved-symbols=ignore-all -z noexecstack \
	   --no-warn-rwx-segments --defsym=__start_mcount_loc=__start___mcount_loc \
	   --defsym=__stop_mcount_loc=__stop___mcount_loc -o "$work/image" \
	   "$work/three.o" "$work/four.o" || return 1
	for file in module image; do
		objcopy --only-keep-debug "$work/$file" "$work/$file.debug" &&
		objcopy --compress-debug-sections=zlib "$work/$file.debug" \
			"$work/$file.debug.gz" || return 1
	done
	for file in module{,.debug{,.gz}} image{,.debug{,.gz}}; do
		"$tool" --dump "$work/$file" | sort -u | diff "$work/want" - || return 1
	done

	# Two of one name are told apart, and nothing else is written or changed
	[ "$("$tool" --dump --addresses "$work/image" | grep -c '^0x.*	same+0x0	')" = 2 ] &&
	"$tool" --dump --stats "$work/image" | grep -q '^#ARGSIGS_COST ms=[0-9]* kb=[0-9]*$' &&
	! "$tool" "$work/image" 2>/dev/null
}

# bad NAME FILE REASON [ARG...]: the object stays as it is, and the reason is said
bad()
{
	local name=$1 file=$2 reason=$3

	cp "$file" "$work/bad.copy"
	if ! perl "$script" "$tool" "$file" >"$work/out" 2>"$work/err"; then
		fail "$name: the build would fail"
		return
	fi
	if cmp -s "$file" "$work/bad.copy"; then
		pass "$name: unchanged"
	else
		fail "$name: changed"
	fi
	if [ "$(grep -c '^#ARGSIGS ' "$work/out")" = 1 ] &&
	   cat "$work/out" "$work/err" | grep -q -e "$reason"; then
		pass "$name: $reason"
	else
		fail "$name: no '$reason'"
		sed 's/^/  /' "$work/out" "$work/err"
	fi
	if find "$work" -name '.tmp_*' | grep .; then
		fail "$name: left a temporary file"
	fi
}

# Random functions, and what is really passed to them
oracle()
{
	rm -rf "$work/oracle"
	bash "$here/oracle/run.sh" "$tool" "$work/oracle" "$@"
}

oracles()
{
	local seed=${SEED:-1} cc family float options boundary

	echo "# random functions: SEED=$seed"
	for cc in gcc clang; do
		command -v $cc >/dev/null || continue
		# The kernel's own options, an option that moves the frame base, and others
		boundary=-mpreferred-stack-boundary=3
		[ $cc = gcc ] || boundary=-mstack-alignment=8
		for family in abi clones; do
			for options in "-O2 -mno-sse -mno-mmx $boundary" '-O2 --float' \
				       '-Os -fno-omit-frame-pointer' '-O1 -gdwarf-4' \
				       '-O0 -fcf-protection=branch'; do
				float=
				[[ $options != *--float* ]] || float=--float
				# shellcheck disable=SC2086
				check "random $family: $cc $options" oracle $family "$seed" \
					"${FUNCTIONS:-60}" $float $cc ${options/--float/}
			done
		done
	done
}

# Offset and size of a section
section()
{
	readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\]//' |
	awk -v name="$2" '$1 == name { print "0x" $4, "0x" $5 }'
}

bad_objects()
{
	local size part offset length seed

	cc_for gcc -O2 -g -c "$here/samples/structs.c" -o "$work/good.o" || return
	size=$(stat -c %s "$work/good.o")

	cc_for gcc -O2 -c "$here/samples/structs.c" -o "$work/bad.o"
	bad 'no DWARF' "$work/bad.o" 'sites=11 sigs=0 no-dwarf=11'

	printf 'int x;\n' >"$work/bad.c"
	cc_for gcc -O2 -g -c "$work/bad.c" -o "$work/bad.o"
	bad 'no functions' "$work/bad.o" 'sites=0 sigs=0'

	printf '%s\n' '.globl f' '.type f,@function' 'f: call __fentry__' ret '.size f,.-f' \
		>"$work/bad.s"
	gcc -c "$work/bad.s" -o "$work/bad.o"
	bad 'assembler' "$work/bad.o" 'no-dwarf=1'
	gcc -g -c "$work/bad.s" -o "$work/bad.o"
	bad 'assembler with DWARF' "$work/bad.o" 'no-function=1'
	bad 'assembler names the function' "$work/bad.o" '#ARGSIGS_NONE f no-function'

	if command -v clang >/dev/null; then
		clang "${common[@]}" -O2 -g -flto -c "$here/samples/structs.c" -o "$work/bad.o"
		bad 'bitcode' "$work/bad.o" 'not an ELF file'
		clang --target=aarch64-linux-gnu -O2 -g -c "$work/bad.c" -o "$work/bad.o"
		bad 'other machine' "$work/bad.o" 'not an x86-64 ELF file'
	fi

	: >"$work/bad.o"
	bad 'empty' "$work/bad.o" 'not an ELF file'
	echo 'int main(void) { return 0; }' >"$work/bad.o"
	bad 'text' "$work/bad.o" 'not an ELF file'

	for part in 1 10 100 1000 $((size / 2)) $((size - 100)); do
		head -c "$part" "$work/good.o" >"$work/bad.o"
		bad "truncated to $part" "$work/bad.o" 'error=\|malformed'
	done

	for name in .debug_info .debug_abbrev .symtab; do
		read -r offset length <<<"$(section "$work/good.o" "$name")"
		cp "$work/good.o" "$work/bad.o"
		perl -e 'srand(1); print chr(int(rand(255)) + 1) for 1 .. $ARGV[0]' \
			$((length)) |
		dd of="$work/bad.o" bs=1 seek=$((offset)) conv=notrunc status=none
		bad "garbage in $name" "$work/bad.o" 'error=\|malformed\|no-function\|sites=0'
	done

	perl "$script" "$work/none" "$work/good.o" >"$work/out" 2>/dev/null
	check 'tool missing' grep '^#ARGSIGS sites=? sigs=0 error=cannot-run' "$work/out"

	cp "$work/good.o" "$work/bad.o"
	chmod 640 "$work/bad.o"
	"$tool" "$work/bad.o" >/dev/null
	check 'mode kept' test "$(stat -c %a "$work/bad.o")" = 640
}

# fuzz SEED: some bytes of an object at random; refused or written, never a crash
fuzz()
{
	local status

	perl -e '
		srand($ARGV[0]);
		open(my $f, "<:raw", $ARGV[1]) or die;
		local $/;
		my $object = <$f>;
		# The last ones hit the section headers
		my $tail = $ARGV[0] % 2 ? 0 : length($object) - 3000;
		for (1 .. 1 + rand(20)) {
			my $at = $tail + int(rand(length($object) - $tail));
			substr($object, $at, 1) = chr(int(rand(256)));
		}
		print $object;
	' "$1" "$work/good.o" >"$work/fuzz.o"
	cp "$work/fuzz.o" "$work/fuzz.copy"
	timeout 10 "$tool" "$work/fuzz.o" >"$work/out" 2>&1
	status=$?
	case $status in
	0)	return 0 ;;
	1)	cmp "$work/fuzz.o" "$work/fuzz.copy" ;;
	*)	echo "seed $1: exit status $status"
		return 1 ;;
	esac
}

fuzz_all()
{
	local seed

	for seed in $(seq 1 "${FUZZ:-200}"); do
		fuzz "$seed" || return 1
	done
}

if [ $# -gt 0 ]; then
	tool=$1
	check "tool: $tool runs" "$tool" --help
else
	tool=$work/gen_arg_sigs
	check 'tool: compiles without a warning' build_tool
fi
[ "$failed" = 0 ] || finish

for cc in gcc clang; do
	if ! command -v $cc >/dev/null; then
		echo "# $cc is not there: its checks are left out"
		continue
	fi
	for opt in -O0 -O2 -Os; do
		for variant in plain nodebug ibt pad dwarf4 gz split notrack; do
			# What makes no difference to code is tried once
			case $opt-$variant in
			-O2-* | *-plain | -Os-ibt) ;;
			*) continue ;;
			esac
			# Where clang pads, it does not call the tracer
			case $cc-$variant in
			clang-pad | clang-notrack) continue ;;
			esac
			for file in "$here"/samples/*.c; do
				sample "$(basename "$file" .c)" $cc $opt $variant
			done
		done
	done
done

if command -v pfunct >/dev/null; then
	for file in "$here"/samples/*.c; do
		check "pfunct agrees: $(basename "$file")" \
			cross_check "$(basename "$file" .c)"
	done
else
	echo '# pfunct is not there (package dwarves): its checks are left out'
fi

check 'same names, merged strings' link_check
check 'linked files, nothing but debug info' linked_files
oracles
bad_objects
check "${FUZZ:-200} objects with random bytes" fuzz_all
finish
