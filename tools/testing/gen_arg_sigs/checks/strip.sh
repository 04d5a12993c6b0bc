# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets here, work and tool
#
# Check that the tool strips debug sections as objcopy does, also from objects with
# unusual sections

# Print the content of an object, without the order and the numbers of its sections
content()
{
	# The section of strings may also have the names of sections
	objdump -sr "$1" | sed '1,/^$/d' &&
	readelf -gW "$1" | sed -n 's/^ *\[ *[0-9]*\] //p' &&
	nm "$1"
}

# A stripped object equals the output of objcopy for the whole object
strip_debug()
{
	local file=$1

	cp "$file" "$work/whole.o"
	"$tool" --unpromoted "$work/whole.o" >"$work/want" &&
	"$tool" --unpromoted --strip-debug --werror "$file" >"$work/got" &&
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

# Groups with macros have only debug sections, so stripping leaves no member. Members of
# other groups get new numbers.
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

# An object without traceable functions is stripped as well
stripped_only()
{
	printf 'int x;\n' >"$work/a.c"
	cc_for gcc -O2 -g -c "$work/a.c" -o "$work/a.o" && strip_debug "$work/a.o" || return 1
	cc_for gcc -O2 -g -c "$here/samples/structs.c" -o "$work/a.o" &&
	"$tool" "$work/a.o" >"$work/out" && "$tool" -g "$work/a.o" >"$work/out" &&
	grep -q '^#ARGSIGS already$' "$work/out" && ! readelf -SW "$work/a.o" | grep -F .debug_ &&
	check_dump "$work/a.o" structs gcc -O2 plain 0
}

# The linker combines several objects without signatures into one object
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

# If an object has more sections than a symbol can number, the tool refuses the object,
# and objcopy strips it
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
	grep -q '^#ARGSIGS sites=13 sigs=0 malformed=13$' "$work/out" &&
	grep -q 'compressed by zstd' "$work/err" && cmp "$work/b.o" "$work/c.o" &&
	"$tool" --strip-debug "$work/b.o" >"$work/out" 2>"$work/err" &&
	grep -q 'compressed by zstd' "$work/err" &&
	! readelf -SW "$work/b.o" | grep -F .debug_
}

profile_symbols()
{
	readelf -rW "$work/a.o" | sed -n '/rel.llvm.call-graph-profile/,/^$/s/.* //p'
}

# With AutoFDO, clang refers to callers and callees with relocations that have no place
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

strip_checks()
{
	check 'groups of debug sections' stripped_groups
	check 'stripped, though nothing is recorded' stripped_only
	check 'an object of several' composite
	check 'more sections than can be read' too_many_sections
	check 'DWARF that is compressed by zstd' compressed
	! command -v clang >/dev/null || check 'a profile of calls' call_graph_profile
}
