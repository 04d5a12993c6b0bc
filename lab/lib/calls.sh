# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# trace-calls on this machine, for commands that show recordings, and in guests

# lab_calls_folder NAME: set LAB_FOLDER to the cache's folder for objects of this checkout.
# make compares times only, so objects that another checkout has built later would count as
# new. The caller holds the lock.
lab_calls_folder()
{
	local checkout

	checkout=$(cksum <<<"$LAB_TOP")
	LAB_FOLDER=$LAB_CACHE/$1/${checkout%% *}
	mkdir -p "$LAB_FOLDER"
	# Those of checkouts that may be gone
	find "$LAB_CACHE/$1" -mindepth 1 -maxdepth 1 ! -path "$LAB_FOLDER" -mtime +7 -exec rm -rf {} +
}

# Build trace-calls, and set LAB_CALLS to its path
lab_trace_calls()
{
	lab_commands gcc make pkg-config=pkgconf protoc-c=protobuf-c-compiler
	if ! pkg-config --exists libtraceevent libtracecmd json-c libprotobuf-c libdw capstone; then
		[ -x "$(command -v apt-get)" ] ||
			lab_die "headers of libtraceevent, libtracecmd, json-c, protobuf-c, elfutils or capstone are missing"
		lab_need libc6-dev "${LAB_PACKAGES_CALLS[@]}"
	fi
	# Tests beside each other have one build
	lab_lock calls
	lab_calls_folder calls
	make -s -C "$LAB_TOP/tools/tracing/calls" O="$LAB_FOLDER" >&2 || lab_die "trace-calls cannot be built"
	lab_unlock
	# shellcheck disable=SC2034 # the commands of the lab use it
	LAB_CALLS=$LAB_FOLDER/trace-calls
}

# lab_guest_calls: give the guest trace-calls, its libraries and the plugins of trace-cmd.  The
# caller has called lab_guest_work.
lab_guest_calls()
{
	local root=$LAB_TMP/in file

	lab_trace_calls
	install -D "$LAB_CALLS" "$root/usr/bin/trace-calls"
	# /lib is a link in the guest
	lab_libraries "$LAB_CALLS" | while read -r file; do
		install -D "$file" "$root/usr/${file#/usr/}"
	done
	lab_lock calls
	lab_calls_folder plugin
	make -s -C "$LAB_TOP/tools/tracing/traceevent" O="$LAB_FOLDER" DESTDIR="$root" \
		install-system >&2 || lab_die "the plugins for trace-cmd cannot be built"
	lab_unlock
}
