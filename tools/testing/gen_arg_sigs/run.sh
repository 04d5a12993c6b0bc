#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Host tests for scripts/gen_arg_sigs and scripts/recordmcount_args.pl
#
# Argument: [GEN_ARG_SIGS]
# Environment: SEED of the random functions, FUZZ: number of damaged objects
#
# Compiles the samples with gcc, and with clang if it is installed, and compares the
# signatures with the expected ones: samples/NAME.sigs, or if compilers or their options
# differ, NAME.gcc.sigs, NAME.O0.sigs, NAME.clang.O0.sigs or NAME.gcc.notrack.sigs. A
# function has several lines there if versions of a compiler differ: each line is right
# for one of them. Then random functions are called with random values, and the registers
# and the stack at their entry are compared with the signatures (oracle/). Without an
# argument the tool is built first. Prints one line for each check, then
# 'N passed, N failed'.

# Most functions are called by check()
# shellcheck disable=SC2317,SC2329

set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
script=$top/scripts/recordmcount_args.pl
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

passed=0
failed=0

# The kernel's version of C, and macros that the kernel has in its headers.
common=(-std=gnu11 -pg -mfentry -fno-pie -w '-Dnoinline=__attribute__((noinline))'
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

# Print the expected signatures of a sample
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

# Print the signatures of a file, without offsets if all offsets are right.
# Static functions that are only called have no ENDBR, as all clones here.
dump()
{
	local file=$1 offset=$2

	"$tool" --dump "$file" >"$work/dump" || return 1
	sed -i -e '/^\(clones_[^c]\|clones_constant\|pieces_[^c]\)/s/+0x0\t/\t/' \
		-e '/^conventions_clone/s/+0x0\t/\t/' "$work/dump"
	sed -i "s/+0x$offset\t/\t/" "$work/dump"
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
	if comm -13 "$work/want" "$work/got" | grep . ||
	   ! cmp -s <(names <"$work/want") <(names <"$work/got") || missing_types | grep .; then
		diff "$work/want" "$work/got"
		return 1
	fi
}

# Functions that must have one of their lines: names without the part of a clone
names()
{
	sed -E '/^type\t/d; s/[.\t].*//' | sort -u
}

# Print types that are referred to and missing. Each type begins with its eight letters.
missing_types()
{
	awk '
		NR == FNR { got = got $0 "\n"; lines[$0]; next }
		/^type\t/ && index(got, substr($0, 6, 8)) && !($0 in lines)
		' "$work/got" "$work/want"
}

# An object is sound for binutils, before and after a link
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

# Check one sample, compiled in one way
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
		check "$what: recorded" "$tool" --werror "$work/a.o"
	fi
	check "$what: written" check_dump "$work/a.o" "$name" "$cc" "$opt" "$variant" "$offset"
	check "$what: object" check_object "$work/a.o"
	check "$what: linked" check_dump "$work/linked.o" "$name" "$cc" "$opt" "$variant" "$offset"

	cp "$work/a.o" "$work/b.o"
	check "$what: again" "$tool" "$work/a.o"
	check "$what: again, the same" cmp "$work/a.o" "$work/b.o"
}

# Print an object's content, without the order and the numbers of its sections
content()
{
	# The section of names may or may not have the names of sections
	objdump -sr "$1" | sed '1,/^$/d' &&
	readelf -gW "$1" | sed -n 's/^ *\[ *[0-9]*\] //p' &&
	nm "$1"
}

# An object without its debug sections is the same as objcopy makes of the whole object
strip_debug()
{
	local file=$1

	cp "$file" "$work/whole.o"
	"$tool" "$work/whole.o" >"$work/want" &&
	"$tool" --strip-debug --werror "$file" >"$work/got" &&
	diff "$work/want" "$work/got" &&
	objcopy --strip-debug --keep-file-symbols "$work/whole.o" || return 1
	if readelf -SW "$file" | grep -F .debug_; then
		return 1
	fi
	content "$work/whole.o" >"$work/want" &&
	content "$file" >"$work/got" &&
	[ -s "$work/want" ] && diff "$work/want" "$work/got" &&
	check_object "$file"
}

# pfunct is an independent reader of the same DWARF. pfunct shows nothing for
# 'others_old', which has parameters but no prototype, and does not know aliases.
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

# Two objects have functions of the same name, and an image has equal strings once
link_check()
{
	local between count

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
	# The kernel's image has the table behind other data, between two symbols
	between='__start_arg_sigs = .; *(__arg_sigs) __stop_arg_sigs = .;'
	sed -e '/__arg_sigs :/d' -e "s/(__mcount_loc)/& $between LONG(1)/" \
		"$work/lds" >"$work/lds.init"
	ld -r -o "$work/both.o" "$work/one.o" "$work/two.o" &&
	ld -T "$work/lds" -e 0 --unresolved-symbols=ignore-all -z noexecstack \
	   --no-warn-rwx-segments -o "$work/image" "$work/both.o" &&
	ld -T "$work/lds.init" -e 0 --unresolved-symbols=ignore-all -z noexecstack \
	   --no-warn-rwx-segments -o "$work/linked.init" "$work/both.o" || return 1

	printf '%s\t%s\n' same+0x0 1iia\; same+0x0 '2lPvb;lc;' one+0x0 '(*a)iPKcequal;' \
		two+0x0 '(*a)iPKcequal;' | sort >"$work/want"
	for file in both.o image linked.init; do
		"$tool" --dump "$work/$file" | sort | diff "$work/want" - || return 1
	done
	count=$(strings -a "$work/image" | grep -cxF '(*a)iPKcequal;')
	[ "$count" = 1 ]
}

# An image, and files with nothing but debug info, have the same signatures as the objects
# that they were made of, and those of functions that cannot be traced
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

	# Addresses tell two functions of one name apart; the tool does not change the image
	[ "$("$tool" --dump --addresses "$work/image" | grep -c '^0x.*	same+0x0	')" = 2 ] &&
	"$tool" --dump --stats "$work/image" | grep -q '^#ARGSIGS_COST ms=[0-9]* kb=[0-9]*$' &&
	! "$tool" "$work/image" 2>/dev/null
}

# bad NAME FILE REASON [STATUS]: the object is unchanged, and the tool prints the reason
bad()
{
	local name=$1 file=$2 reason=$3 want=${4:-0} status=0

	cp "$file" "$work/bad.copy"
	"$tool" "$file" >"$work/out" 2>"$work/err" || status=$?
	if [ "$status" = "$want" ]; then
		pass "$name: status $want"
	else
		fail "$name: status $status instead of $want"
	fi
	if cmp -s "$file" "$work/bad.copy"; then
		pass "$name: unchanged"
	else
		fail "$name: changed"
	fi
	if [ "$(grep -c '^#ARGSIGS ' "$work/out")" = $((1 - want)) ] &&
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

# Compare signatures of random functions with the values that are really passed
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
		# The kernel's options, among them one that moves the frame base, and other options
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

# Print offset and size of a section
section()
{
	readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\]//' |
	awk -v name="$2" '$1 == name { print "0x" $4, "0x" $5 }'
}

bad_objects()
{
	local size part offset length name status

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
		bad 'bitcode' "$work/bad.o" 'not an ELF file' 1
		clang --target=aarch64-linux-gnu -O2 -g -c "$work/bad.c" -o "$work/bad.o"
		bad 'other machine' "$work/bad.o" 'not an x86-64 ELF file' 1
	fi

	: >"$work/bad.o"
	bad 'empty' "$work/bad.o" 'not an ELF file' 1
	echo 'int main(void) { return 0; }' >"$work/bad.o"
	bad 'text' "$work/bad.o" 'not an ELF file' 1

	for part in 1 10 100 1000 $((size / 2)) $((size - 100)); do
		head -c "$part" "$work/good.o" >"$work/bad.o"
		bad "truncated to $part" "$work/bad.o" 'not an ELF file\|malformed' 1
	done

	for name in .debug_info .debug_abbrev .symtab; do
		status=0
		[ $name != .symtab ] || status=1
		read -r offset length <<<"$(section "$work/good.o" "$name")"
		cp "$work/good.o" "$work/bad.o"
		perl -e 'srand(1); print chr(int(rand(255)) + 1) for 1 .. $ARGV[0]' \
			$((length)) |
		dd of="$work/bad.o" bs=1 seek=$((offset)) conv=notrunc status=none
		bad "garbage in $name" "$work/bad.o" 'malformed\|no-function' $status
	done

	cp "$work/good.o" "$work/bad.o"
	chmod 640 "$work/bad.o"
	"$tool" "$work/bad.o" >/dev/null
	check 'mode kept' test "$(stat -c %a "$work/bad.o")" = 640
}

# Groups with macros have only debug sections, so stripping leaves no member; members of
# other groups get new numbers
stripped_groups()
{
	printf '%s\n' '.section .debug_info,"",@progbits' '.long 0' \
		'.section .data.one,"awG",@progbits,one,comdat' '.globl one' 'one: .long 1' \
		'.section .data.two,"awG",@progbits,one,comdat' '.long one' >"$work/a.s"
	gcc -c "$work/a.s" -o "$work/a.o" && strip_debug "$work/a.o" || return 1
	cc_for gcc -O2 -g3 -gdwarf-5 -c "$here/samples/structs.c" -o "$work/a.o" &&
	readelf -gW "$work/a.o" | grep -q debug_macro && strip_debug "$work/a.o" &&
	! readelf -gW "$work/a.o" | grep debug_macro
}

# An object without functions to record is stripped nevertheless
stripped_only()
{
	printf 'int x;\n' >"$work/a.c"
	cc_for gcc -O2 -g -c "$work/a.c" -o "$work/a.o" && strip_debug "$work/a.o" || return 1
	cc_for gcc -O2 -g -c "$here/samples/structs.c" -o "$work/a.o" &&
	"$tool" "$work/a.o" >"$work/out" && "$tool" -g "$work/a.o" >"$work/out" &&
	grep -q '^#ARGSIGS already$' "$work/out" && ! readelf -SW "$work/a.o" | grep -F .debug_ &&
	check_dump "$work/a.o" structs gcc -O2 plain 0
}

# The linker has made one object of several that had no signatures yet
composite()
{
	local name

	for name in structs ints; do
		cc_for gcc -O2 -g -c "$here/samples/$name.c" -o "$work/$name.o" || return 1
		expected "$name" gcc -O2 plain
	done | sort -u >"$work/both"
	ld -r -o "$work/a.o" "$work/structs.o" "$work/ints.o" && strip_debug "$work/a.o" &&
	dump "$work/a.o" 0 >"$work/got" && [ -s "$work/both" ] && diff "$work/both" "$work/got"
}

# Too many sections for a symbol's bits: the tool refuses the object, objcopy strips it
too_many_sections()
{
	perl -e 'printf(".section .text.f%d,\"ax\"\ncall __fentry__\n", $_) for 1 .. 33000' \
		>"$work/many.s"
	gcc -c "$work/many.s" -o "$work/many.o" && cp "$work/many.o" "$work/many.copy" || return 1
	! "$tool" --strip-debug "$work/many.o" >"$work/out" 2>"$work/err" &&
	grep -q 'too many sections' "$work/err" && [ ! -s "$work/out" ] &&
	cmp "$work/many.o" "$work/many.copy" && objcopy --strip-debug "$work/many.o"
}

# The tool reads sections that libelf can decompress, and names those that libelf cannot
compressed()
{
	cc_for gcc -O2 -g -c "$here/samples/structs.c" -o "$work/a.o" &&
	objcopy --compress-debug-sections=zstd "$work/a.o" "$work/b.o" &&
	readelf -tW "$work/b.o" | grep -q ZSTD || return 1
	cp "$work/b.o" "$work/c.o"
	if pkg-config --print-requires-private libelf | grep -q zstd; then
		"$tool" --werror "$work/b.o" >"$work/out" &&
		check_dump "$work/b.o" structs gcc -O2 plain 0
		return
	fi
	! "$tool" --werror "$work/b.o" >"$work/out" 2>"$work/err" &&
	grep -q '^#ARGSIGS sites=11 sigs=0 malformed=11$' "$work/out" &&
	grep -q 'compressed by zstd' "$work/err" && cmp "$work/b.o" "$work/c.o" &&
	"$tool" --strip-debug "$work/b.o" >"$work/out" 2>"$work/err" &&
	grep -q 'compressed by zstd' "$work/err" &&
	! readelf -SW "$work/b.o" | grep -F .debug_
}

profile_symbols()
{
	readelf -rW "$work/a.o" | sed -n '/rel.llvm.call-graph-profile/,/^$/s/.* //p'
}

# With AutoFDO, clang refers to callers and callees by relocations without a place
call_graph_profile()
{
	cat >"$work/a.c" <<-'EOF'
		int to_one(int), to_two(int);
		int one(int a) { return to_one(a) + to_two(a); }
		int two(int a) { return one(a) + one(a + 1); }
	EOF
	printf '%s\n' one:1000:100 ' 0: 100 to_one:60 to_two:40' \
		two:500:50 ' 0: 50 one:100' >"$work/a.prof"
	cc_for clang -O2 -g -fprofile-sample-use="$work/a.prof" -fdebug-info-for-profiling \
		-c "$work/a.c" -o "$work/a.o" &&
	profile_symbols >"$work/before" && grep -q to_two "$work/before" &&
	strip_debug "$work/a.o" && profile_symbols >"$work/after" &&
	diff "$work/before" "$work/after" &&
	"$tool" --dump "$work/a.o" | grep -q '^two+0x0	1iia;$'
}

# Print Kbuild's commands, from the tree of this script or from the series' patch
# shellcheck disable=SC2016 # make expands it
kbuild_line()
{
	local makefile=$top/scripts/Makefile.build

	if [ -e "$makefile" ]; then
		sed -n '/^gen_arg_sigs = /,/>> \$(dot-target)/p' "$makefile"
	else
		sed -n 's/^+//; /^gen_arg_sigs = /,/>> \$(dot-target)/p' "$1"
	fi
}

# shellcheck disable=SC2016 # make expands it
# kbuild PATCH TOOL CC_FLAGS WERROR: runs Kbuild's commands on good.o, as a.o
kbuild()
{
	rm -rf "$work/kbuild"
	mkdir -p "$work/kbuild/scripts/gen_arg_sigs"
	[ -z "$2" ] || cp "$2" "$work/kbuild/scripts/gen_arg_sigs/gen_arg_sigs"
	cp "$work/good.o" "$work/kbuild/a.o"
	echo 'savedcmd_a.o := cc' >"$work/kbuild/.a.o.cmd"
	{
		printf '%s\n' 'pound := \#' 'objtree := .' 'OBJCOPY := objcopy' 'dot-target = .$@' \
			'has_arg_sigs := y' "arg_sigs_flags := $3" \
			"CONFIG_FUNCTION_ARG_SIGS_WERROR := $4" 'all: a.o' '.PHONY: all a.o'
		kbuild_line "$1"
		printf 'a.o:\n\t@set -e; $(cmd_arg_sigs)\n'
	} >"$work/kbuild/Makefile"
	make -s -C "$work/kbuild" >"$work/out" 2>&1
}

# A crash or a missing program loses no object, and is reported
kbuild_failures()
{
	local patch=$1 tool_is crash='^#ARGSIGS sites=? sigs=0 error=status-1[23][79]$'

	cc_for gcc -O2 -g -c "$here/samples/structs.c" -o "$work/good.o" || return 1
	kbuild "$patch" "$tool" '' '' && [ ! -s "$work/out" ] &&
	grep -q '^#ARGSIGS sites=11 sigs=11 ' "$work/kbuild/.a.o.cmd" &&
	readelf -SW "$work/kbuild/a.o" | grep -q -F .debug_info &&
	kbuild "$patch" "$tool" -g y &&
	! readelf -SW "$work/kbuild/a.o" | grep -F .debug_ || return 1

	printf '%s\n' '#!/bin/sh' 'kill -SEGV $$' >"$work/crash"
	chmod +x "$work/crash"
	for tool_is in "$work/crash" ''; do
		kbuild "$patch" "$tool_is" '' '' && cmp "$work/good.o" "$work/kbuild/a.o" &&
		grep -q "$crash" "$work/kbuild/.a.o.cmd" &&
		grep -q 'a.o: gen_arg_sigs failed' "$work/out" &&
		kbuild "$patch" "$tool_is" -g '' &&
		! readelf -SW "$work/kbuild/a.o" | grep -F .debug_ &&
		! kbuild "$patch" "$tool_is" -g y && ! kbuild "$patch" "$tool_is" '' y || return 1
	done
	# Only an object that cannot be stripped either ends the build
	echo text >"$work/good.o"
	kbuild "$patch" "$tool" '' '' && ! kbuild "$patch" "$tool" -g ''
}

kbuild_lines()
{
	local patch

	if [ -e "$top/scripts/Makefile.build" ]; then
		check "Kbuild's line" kbuild_failures ''
		return
	fi
	for patch in "$top"/patches/linux-*/*-kbuild-Record-the-signatures-*.patch; do
		check "Kbuild's line: $(basename "${patch%/*}")" kbuild_failures "$patch"
	done
}

# Make objects, an archive with two members of one name and a text, and a thin archive
make_tree()
{
	local dir=$work/tree file

	rm -rf "$dir"
	mkdir -p "$dir/sub/same" "$dir/thin"
	for file in structs ints enums; do
		cc_for gcc -O2 -g -c "$here/samples/$file.c" -o "$dir/sub/$file.o" || return 1
	done
	mv "$dir/sub/enums.o" "$dir/sub/same/structs.o"
	echo 'text, odd' >"$dir/sub/text"
	(cd "$dir" && ar rc whole.a sub/structs.o sub/text &&
	 ar q whole.a sub/same/structs.o 2>/dev/null &&
	 ar rcT thin/thin.a sub/ints.o && rm sub/text) || return 1
	gcc -O2 -g -c "$here/oracle/record.c" -o "$dir/host.o"
}

script_records()
{
	local dir=$work/tree run

	make_tree || return 1
	cp "$dir/host.o" "$work/host.copy"
	run=(perl "$script" --gen "$tool")
	"${run[@]}" "$dir" >"$work/out" 2>"$work/err" || { cat "$work/err"; return 1; }
	cmp "$work/host.copy" "$dir/host.o" &&
	check_dump "$dir/sub/structs.o" structs gcc -O2 plain 0 &&
	check_dump "$dir/sub/ints.o" ints gcc -O2 plain 0 || return 1

	# The archive has both members of one name, an unchanged text, and an index of symbols
	(cd "$work" && ar xN 1 "$dir/whole.a" structs.o && mv structs.o one.o &&
	 ar xN 2 "$dir/whole.a" structs.o && ar p "$dir/whole.a" text >text.out) || return 1
	check_dump "$work/one.o" structs gcc -O2 plain 0 &&
	check_dump "$work/structs.o" enums gcc -O2 plain 0 &&
	[ "$(cat "$work/text.out")" = 'text, odd' ] &&
	nm -s "$dir/whole.a" | grep -q '^structs_.* in structs.o' &&
	ld -r -u structs_registers -o "$work/linked.o" "$dir/whole.a" &&
	ld -r --whole-archive -o "$work/linked.o" "$dir/thin/thin.a" || return 1
	grep -q '^ *6  objects$' "$work/out" || { cat "$work/out"; return 1; }

	# A second run changes nothing
	cp "$dir/whole.a" "$work/whole.copy"
	"${run[@]}" --strip-debug "$dir/sub" "$dir/whole.a" >"$work/out" &&
	grep -q '^ *5  had signatures already$' "$work/out" &&
	! readelf -SW "$dir/sub/ints.o" | grep -F .debug_ || return 1

	# A file that is no object is an error, and so is a folder without objects
	echo text >"$work/text.o"
	"${run[@]}" "$work/text.o" >"$work/out" 2>/dev/null
	[ $? = 1 ] && grep -q 'text.o: status-1$' "$work/out" || return 1
	"${run[@]}" "$here/samples" >/dev/null 2>&1
	[ $? = 2 ]
}

script_reports()
{
	local dir=$work/cmds

	mkdir -p "$dir/sub"
	printf '%s\n' 'savedcmd_a.o := cc' \
		'#ARGSIGS sites=5 sigs=3 no-function=2 unknown-stack=1 params=100 constants=1' \
		'#ARGSIGS_NONE one no-function' '#ARGSIGS_NONE two no-function' >"$dir/.a.o.cmd"
	printf '%s\n' '#ARGSIGS sites=7 sigs=7 params=100 removed=4 unknown-returns=1' \
		>"$dir/sub/.b.o.cmd"
	printf '%s\n' 'savedcmd_c.o := as' >"$dir/.c.o.cmd"
	cat >"$work/want" <<-'EOF'
		      2  objects
		     12  sites
		     10  signatures
		      2  sites without
		      2      no-function
		    200  parameters
		      4  removed by the compiler
		      1  constants
		      1  shown as "?" (0.500 %)
		      1      stack
		      1  return values shown as "?"
		      0  objects not read
		Missing most:
		      3      a.o
	EOF
	perl "$script" --report --limit 0.6 "$dir" >"$work/got" && diff "$work/want" "$work/got" &&
	! perl "$script" --report --limit 0.5 "$dir" >/dev/null &&
	printf '%s\n' 'a.o: one no-function' 'a.o: two no-function' >"$work/want" &&
	perl "$script" -r --functions "$dir" | diff "$work/want" - &&
	perl "$script" --help | grep -q '^Usage: recordmcount_args.pl' || return 1
	printf '%s\n' '#ARGSIGS sites=? sigs=0 error=status-139' >"$dir/.d.o.cmd"
	perl "$script" -r "$dir" >"$work/got"
	[ $? = 1 ] && grep -q '^ *1  objects not read$' "$work/got" &&
	grep -q ' d.o: status-139$' "$work/got" || return 1
	perl "$script" -r "$here/samples" >/dev/null 2>&1
	[ $? = 2 ] || return 1
	perl "$script" --frob "$dir" >/dev/null 2>&1
	[ $? = 2 ]
}

# fuzz SEED: the tool refuses or writes an object with random bytes, and never crashes
fuzz()
{
	local status

	perl -e '
		srand($ARGV[0]);
		open(my $f, "<:raw", $ARGV[1]) or die;
		local $/;
		my $object = <$f>;
		# The last bytes are those of the section headers
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
		for variant in plain nodebug ibt pad dwarf4 gz split notrack lean; do
			# Variants with the same code are tried once
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
check 'groups of debug sections' stripped_groups
check 'stripped, though nothing is recorded' stripped_only
check 'an object of several' composite
check 'more sections than can be read' too_many_sections
check 'DWARF that is compressed by zstd' compressed
! command -v clang >/dev/null || check 'a profile of calls' call_graph_profile
kbuild_lines
check 'recordmcount_args.pl: objects, archives and trees' script_records
check 'recordmcount_args.pl: the report of a build' script_reports
oracles
bad_objects
check "${FUZZ:-200} objects with random bytes" fuzz_all
finish
