#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# debug-info.sh BUILD OUT: copy the vmlinux of a build without debug info, and add the debug info of
# the units whose structures "trace-calls vmcore" reads. The units are compiled again with -g.

set -euo pipefail
build=$1
out=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

units=(kernel/trace/{ring_buffer,trace,trace_events,trace_syscalls,trace_sched_switch,fgraph}
	kernel/trace/trace_printk kernel/trace/args/{carrier,digests,modules}
	kernel/trace/calls/filter kernel/module/main)
for unit in "${units[@]}"; do
	command=$(sed -n '1s/^[^=]*:= *//p' "$build/${unit%/*}/.${unit##*/}.o.cmd")
	command=${command%% ; *}
	object=$dir/${unit//\//-}.o
	command=${command/ -o $unit.o / -g -fno-eliminate-unused-debug-types -o $object }
	(cd "$build" && eval "$command")
done
ld -e 0 -z muldefs --unresolved-symbols=ignore-all --no-warn-rwx-segments -o "$dir/all" "$dir"/*.o
sections=()
while read -r section; do
	objcopy -O binary --only-section="$section" --set-section-flags "$section=alloc" \
		"$dir/all" "$dir/$section"
	sections+=(--add-section "$section=$dir/$section")
done < <(readelf -SW "$dir/all" | grep -o '\.debug_[a-z_]*' | sort -u)
objcopy "${sections[@]}" "$build/vmlinux" "$out"
