# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets work and tool
#
# Check the signatures of linked objects, and of files that have only debug info

# Link two objects with functions of the same name. The image has equal strings once.
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
	# In the kernel's image, the table follows other data, and is between two symbols
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

# An image and files that have only debug info have the signatures of their objects, and
# also the signatures of functions that cannot be traced
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
	for file in module image; do
		"$tool" --dump "$work/$file" | sort -u | diff "$work/want" - || return 1
	done
	# Without code, nothing proves the calling convention of functions that gcc need not track
	sed -i 's/\t1i/\t(-)i/; s/\t(\*a)i/\t(-)i/' "$work/want"
	for file in {module,image}.debug{,.gz}; do
		"$tool" --dump "$work/$file" | sort -u | diff <(sort -u "$work/want") - || return 1
	done

	# Addresses distinguish two functions with the same name. The tool does not change
	# the image.
	[ "$("$tool" --dump --addresses "$work/image" | grep -c '^0x.*	same+0x0	')" = 2 ] &&
	"$tool" --dump --stats "$work/image" | grep -q '^#ARGSIGS_COST ms=[0-9]* kb=[0-9]*$' &&
	! "$tool" "$work/image" 2>/dev/null
}

linked_checks()
{
	check 'same names, merged strings' link_check
	check 'linked files, nothing but debug info' linked_files
}
