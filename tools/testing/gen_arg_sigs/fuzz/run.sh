#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fuzz scripts/gen_arg_sigs with libFuzzer
#
# Arguments: DIR [OPTION OF LIBFUZZER...]
#
# Builds the target in DIR with the address and undefined-behaviour sanitizers, and makes
# seeds from the samples with gcc and clang. Runs the target on the seeds, the former
# findings in regress/, and the inputs of earlier runs in DIR/corpus, for FUZZ_SECONDS
# (600) seconds, on FUZZ_JOBS (all) processors. With 0 seconds each input is run once. If
# there are findings, they are in DIR, and the exit status is 1.

set -eu
shopt -s nullglob
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
[ $# -ge 1 ] || { sed -n '/^# Fuzz/,/^$/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
shift

build()
{
	local flags=(-g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link
		     -fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all)
	local libs renamed=(-Dmain=gen_arg_sigs_main -Dcalloc=fuzz_calloc -Dstrdup=fuzz_strdup
		       -Dreallocarray=fuzz_reallocarray -Dfree=fuzz_free)
	local objects=() source object

	read -ra libs < <(pkg-config --cflags --libs libdw libelf)
	for source in "$top"/scripts/gen_arg_sigs/*.c; do
		object=$dir/$(basename "$source" .c).o
		clang "${flags[@]}" "${renamed[@]}" -c "$source" -o "$object"
		objects+=("$object")
	done
	clang "${flags[@]}" -Wall -Wextra -Werror -c "$here/fuzz.c" -o "$dir/fuzz.o"
	clang -fsanitize=fuzzer,address,undefined -o "$dir/fuzz" "$dir/fuzz.o" \
		"${objects[@]}" "${libs[@]}"
	# The program itself makes the seeds with signatures
	cc -O2 -o "$dir/gen_arg_sigs" "$top"/scripts/gen_arg_sigs/*.c "${libs[@]}"
}

# seed NAME COMPILER FLAGS...: make an object of each sample
seed()
{
	local name=$1 source

	shift
	for source in "$top"/tools/testing/gen_arg_sigs/samples/*.c; do
		"$@" -pg -mfentry -fno-pie -w '-Dnoinline=__attribute__((noinline))' \
			'-D__packed=__attribute__((packed))' '-D__weak=__attribute__((weak))' \
			'-D__cold=__attribute__((cold))' \
			'-D__section(s)=__attribute__((section(s)))' -c "$source" \
			-o "$dir/seeds/$(basename "$source" .c).$name"
	done
}

seeds()
{
	local object

	rm -rf "$dir/seeds"
	mkdir "$dir/seeds"
	seed plain gcc -O2 -g -mrecord-mcount
	seed dwarf4 gcc -O2 -gdwarf-4 -mrecord-mcount
	seed gz gcc -O2 -g -gz=zlib -mrecord-mcount
	seed split gcc -O2 -g -ffunction-sections -freorder-blocks-and-partition
	seed clang-O2 clang -O2 -g
	seed clang-O0 clang -O0 -gdwarf-4
	for object in "$dir"/seeds/*.plain; do
		cp "$object" "$object.sigs"
		"$dir/gen_arg_sigs" "$object.sigs" >/dev/null
		objcopy --only-keep-debug "$object" "$object.debug"
		image "$object"
		image "$object.sigs"
	done
}

# Link an object to an image with the symbols of a kernel's image
image()
{
	ld -e 0 -Ttext=0x100000 --unresolved-symbols=ignore-all -z noexecstack \
		--no-warn-rwx-segments -o "$1.image" "$1" \
		--defsym=__start_mcount_loc=__start___mcount_loc \
		--defsym=__stop_mcount_loc=__stop___mcount_loc
}

build
seeds
# Objects are read and written in memory
FUZZ_DIR=$(mktemp -d -p /dev/shm)
export FUZZ_DIR
trap 'rm -rf "$FUZZ_DIR"' EXIT
mkdir -p "$dir/corpus"

# Memory that is not freed at the end is not a leak.  A request for too much memory
# fails, as in malloc().
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2048
export UBSAN_OPTIONS=print_stacktrace=1
options=(-close_fd_mask=3 -timeout=10 -ignore_timeouts=0 -ignore_ooms=0 -rss_limit_mb=2048
	 -artifact_prefix="$dir/" "$@")
cd "$dir"
rm -f crash-* timeout-* oom-* leak-*
# Run each input once, because libFuzzer would skip a crashing input later
./fuzz "${options[@]}" seeds/* "$here"/regress/* corpus/*
if [ "${FUZZ_SECONDS:-600}" != 0 ]; then
	./fuzz "${options[@]}" -max_len=65536 -max_total_time="${FUZZ_SECONDS:-600}" \
		-fork="${FUZZ_JOBS:-$(nproc)}" corpus seeds "$here/regress"
fi
# The exit status does not always show findings
found=(crash-* timeout-* oom-* leak-*)
[ "${#found[@]}" -eq 0 ] || { echo "found: ${found[*]}"; exit 1; }
