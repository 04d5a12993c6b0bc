# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The emulated CPU with Branch Trace Store: a newer QEMU than the system's,
# unpacked under the cache with the libraries it needs, and the plugin and the
# tools of tools/testing/bts-cpu.

LAB_BTS=			# set: guests get the emulated CPU
LAB_BTS_PACKAGES=(gcc binutils libc6-dev make)
LAB_BTS_MINIMUM=11.1		# of QEMU: the first with version 7 of the plugin API
# x-force-features is for ds, dtes64 and ds-cpl, and forces whatever the model has:
# TCG lacks vme, the plugin x2apic.  level is for CPUID 0x15.
LAB_BTS_CPU=Nehalem,level=0x15,x-force-features=on,+ds,+dtes64,+ds-cpl,-vme,-x2apic

# lab_bts: sets LAB_BTS_QEMU (the command), LAB_BTS_TOOLS (a folder: bts-cpu.so,
# bts-log, bts-mark) and LAB_BTS
lab_bts()
{
	local dir=$LAB_CACHE/bts tree

	lab_need "${LAB_BTS_PACKAGES[@]}"
	lab_lock bts
	mkdir -p "$dir" "$LAB_CACHE/log"
	lab_bts_unpack "$dir"
	lab_bts_build "$dir"
	lab_unlock
	tree=$dir/qemu
	LAB_BTS_QEMU=("$tree/usr/lib64/ld-linux-x86-64.so.2" --library-path "$tree/usr/lib/x86_64-linux-gnu"
		      "$tree/usr/bin/qemu-system-x86_64" -L "$tree/usr/share/qemu" -L "$tree/usr/share/seabios")
	LAB_BTS=1
}

# What makes the unpacked QEMU what it is
lab_bts_key()
{
	printf '%s\n' "${LAB_SUITES[@]}" "$LAB_BTS_MINIMUM"
	declare -f lab_bts_unpack lab_bts_fetch
}

# lab_bts_unpack DIR: DIR/qemu, unless it is there
lab_bts_unpack()
{
	local dir=$1 log=$LAB_CACHE/log/bts-qemu key

	key=$(lab_bts_key | sha256sum)
	[ "$(cat "$dir/qemu/key" 2>/dev/null)" != "$key" ] || return 0
	lab_space "$dir" 500 "QEMU for -b"
	rm -rf "$dir/qemu"
	lab_debian "QEMU $LAB_BTS_MINIMUM or newer, for -b," "$dir" "$log" lab_bts_fetch "$dir" "$log"
	echo "$key" >"$dir/new/key"
	mv "$dir/new" "$dir/qemu"
}

# lab_bts_fetch DIR LOG: unpacks QEMU and what it needs into DIR/new
lab_bts_fetch()
{
	local dir=$1 log=$2 version file

	rm -rf "$dir/new"
	mkdir -p "$dir/new"
	version=$("${LAB_APT[@]}" --print-uris install qemu-system-x86 2>>"$log" |
		sed -n 's/^.* qemu-system-x86_[0-9]*%3a\([^_]*\)_.*/\1/p')
	if ! dpkg --compare-versions "${version:-0}" ge "$LAB_BTS_MINIMUM"; then
		echo "$LAB_SUITE: QEMU ${version:-is not there}" >>"$log"
		return 1
	fi
	lab_try "fetching QEMU $version of $LAB_SUITE" "$log" \
		"${LAB_APT[@]}" --download-only install qemu-system-x86 || return 1
	for file in "$dir/apt/archives/"*.deb; do
		dpkg-deb --fsys-tarfile "$file" 2>>"$log" | tar -C "$dir/new" -xf - --no-same-owner \
			--wildcards './usr/bin/qemu-system-x86_64' './usr/lib*' './usr/share/qemu*' \
			'./usr/share/seabios*' './lib*' 2>>"$log.tar" || :
	done
	rm -f "$log.tar"
	lab_say "QEMU $version is in $dir"
	[ -x "$dir/new/usr/bin/qemu-system-x86_64" ] && [ -e "$dir/new/usr/lib64/ld-linux-x86-64.so.2" ]
}

# lab_bts_build DIR: the plugin and the tools; sets LAB_BTS_TOOLS
lab_bts_build()
{
	local source=$LAB_TOP/tools/testing/bts-cpu key log=$LAB_CACHE/log/bts-cpu

	key=$({ gcc --version; cat "$source"/*.[ch] "$source/Makefile"; } | sha256sum)
	LAB_BTS_TOOLS=$1/tools-${key:0:16}
	[ ! -d "$LAB_BTS_TOOLS" ] || return 0
	rm -rf "$1/tools.new"
	mkdir -p "$1/tools.new"
	make -s -C "$source" O="$1/tools.new" >"$log" 2>&1 || lab_failed "building the plugin failed" "$log"
	mv "$1/tools.new" "$LAB_BTS_TOOLS"
}

# lab_bts_args CPUS ICOUNT: QEMU's arguments beside those of any guest.  With
# LAB_BTS_LOG=FILE every branch is there afterwards; see bts-log.  A plugin is
# told the right CPU only if each has its thread, and then there is no -icount.
lab_bts_args()
{
	local plugin=$LAB_BTS_TOOLS/bts-cpu.so

	[ -z "${LAB_BTS_LOG:-}" ] || plugin+=,log=${LAB_BTS_LOG//,/,,}
	if [ "$1" -gt 1 ] || [ "$2" = off ]; then
		printf '%s\n' -accel tcg,thread=multi
	else
		printf '%s\n' -accel tcg,thread=single -icount "$2"
		plugin+=,tsc=1000000
	fi
	printf '%s\n' -object "memory-backend-memfd,id=ram,size=${LAB_MEM:-1G}" \
		-machine memory-backend=ram -plugin "$plugin"
}

# lab_bts_perf DIR: perf with its libraries, for a guest
lab_bts_perf()
{
	local file

	lab_need linux-perf
	mkdir -p "$1"
	cp -L "$(command -v perf)" "$1/perf"
	ldd "$(command -v perf)" | sed -nE 's,^[^/]*(/[^ ]+) \(0x.*,\1,p' | while read -r file; do
		cp -L "$file" "$1/"
	done
}
