# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets here, work and tool
#
# Check that the samples for arm64 have their expected signatures with clang

# The offset of the sites differs, and the lines of types are the same on all machines
arm64()
{
	local name=$1 opt=$2

	clang --target=aarch64-linux-gnu -std=gnu11 -w -g "$opt" -fpatchable-function-entry=2 \
		-c "$here/samples/arm64/$name.c" -o "$work/arm64.o" &&
	"$tool" --dump --unpromoted "$work/arm64.o" >"$work/arm64.dump" || return 1
	sed -n '/^type\t/d; s/+0x[0-9a-f]*\t/\t/p' "$work/arm64.dump" | sort |
		diff "$here/samples/arm64/$name.sigs" -
}

arm64_checks()
{
	local opt file

	command -v clang >/dev/null || return
	for opt in -O0 -O2; do
		for file in "$here"/samples/arm64/*.c; do
			check "clang $opt arm64 $(basename "$file" .c)" \
				arm64 "$(basename "$file" .c)" $opt
		done
	done
}
