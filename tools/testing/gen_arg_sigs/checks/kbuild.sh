# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets here, top, work and tool
#
# Check that Kbuild's commands record signatures, and survive a tool that crashes or
# is missing

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
# kbuild PATCH TOOL CC_FLAGS WERROR: run Kbuild's commands on a copy of good.o, a.o
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

# If the program crashes or is missing, the object is kept and an error is reported
kbuild_failures()
{
	local patch=$1 tool_is crash='^#ARGSIGS sites=? sigs=0 error=status-1[23][79]$'

	cc_for gcc -O2 -g -c "$here/samples/structs.c" -o "$work/good.o" || return 1
	kbuild "$patch" "$tool" '' '' && [ ! -s "$work/out" ] &&
	grep -q '^#ARGSIGS sites=13 sigs=13 ' "$work/kbuild/.a.o.cmd" &&
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
	# The build ends only if the object cannot be stripped, either
	echo text >"$work/good.o"
	kbuild "$patch" "$tool" '' '' && ! kbuild "$patch" "$tool" -g ''
}

kbuild_checks()
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
