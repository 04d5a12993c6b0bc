# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The emulated CPU with Branch Trace Store: a newer QEMU than the system's,
# unpacked under the cache with the libraries it needs, and the plugin and the
# tools of tools/testing/bts-cpu.  Nothing is installed; the mirror is the one
# that apt has in its sources, the lists and the state are the lab's own.

LAB_BTS=			# set: guests get the emulated CPU
LAB_BTS_PACKAGES=(gcc binutils libc6-dev make debian-archive-keyring)
# Where QEMU may come from, the first that has it: the suites of one system
LAB_BTS_SUITES=("trixie trixie-backports" "sid")
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

# The mirror of Debian's main archive, as apt has it
lab_bts_mirror()
{
	# shellcheck disable=SC2016 # apt expands them
	apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 2>/dev/null |
		awk '$3 == "main" && $2 ~ /^(bookworm|trixie|stable|oldstable)$/ { print $1; exit }'
}

# What makes the unpacked QEMU what it is
lab_bts_key()
{
	printf '%s\n' "${LAB_BTS_SUITES[@]}" "$LAB_BTS_MINIMUM"
	declare -f lab_bts_unpack lab_bts_from
}

# lab_bts_unpack DIR: DIR/qemu, unless it is there
lab_bts_unpack()
{
	local dir=$1 log=$LAB_CACHE/log/bts-qemu mirror suites why='' key

	key=$(lab_bts_key | sha256sum)
	[ "$(cat "$dir/qemu/key" 2>/dev/null)" != "$key" ] || return 0
	mirror=$(lab_bts_mirror)
	[ -n "$mirror" ] ||
		lab_die "QEMU for -b: apt's sources name no mirror of Debian 12 or 13's main archive"
	lab_space "$dir" 500 "QEMU for -b"
	rm -rf "$dir/qemu"
	for suites in "${LAB_BTS_SUITES[@]}"; do
		rm -rf "$dir/apt" "$dir/new"
		lab_bts_from "$mirror" "$suites" "$dir" "$log" || continue
		echo "$key" >"$dir/new/key"
		mv "$dir/new" "$dir/qemu"
		rm -rf "$dir/apt"
		return 0
	done
	rm -rf "$dir/apt" "$dir/new"
	why=$(lab_apt_why "$log")
	lab_failed "QEMU $LAB_BTS_MINIMUM or newer could not be had from ${LAB_BTS_SUITES[*]}${why:+: $why}" "$log"
}

# lab_bts_from MIRROR SUITES DIR LOG: unpacks QEMU and what it needs into DIR/new
lab_bts_from()
{
	local mirror=$1 suites=$2 dir=$3 log=$4 suite version file
	local apt=$3/apt get

	mkdir -p "$apt"/{lists/partial,archives/partial} "$dir/new"
	: >"$apt/status"
	for suite in $suites; do
		echo "deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
	done >"$apt/sources.list"
	# The machine's proxies and the like hold, but not what it does afterwards.
	# That a Release has expired is no matter: its signature is what counts.
	cat >"$apt/conf" <<-END
		#clear APT::Architectures;
		#clear APT::Update;
		#clear DPkg;
		#clear Acquire::IndexTargets::deb::DEP-11;
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; };
		APT::Default-Release "${suites##* }";
		APT::Install-Recommends "false";
		APT::Sandbox::User "";
		Acquire::Check-Valid-Until "false";
		Acquire::Languages "none";
		Acquire::Retries "2";
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::State "$apt";
		Dir::State::lists "$apt/lists";
		Dir::State::status "$apt/status";
		Dir::State::extended_states "$apt/extended_states";
		Dir::Cache "$apt";
		Dir::Cache::archives "$apt/archives";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
	END
	get=(apt-get -q -y -c "$apt/conf")
	lab_try "reading the lists of $suites" "$log" "${get[@]}" --error-on=any update || return 1
	version=$(apt-get -q -c "$apt/conf" --print-uris install qemu-system-x86 2>>"$log" |
		sed -n 's/^.* qemu-system-x86_[0-9]*%3a\([^_]*\)_.*/\1/p')
	if ! dpkg --compare-versions "${version:-0}" ge "$LAB_BTS_MINIMUM"; then
		echo "$suites: QEMU ${version:-is not there}" >>"$log"
		return 1
	fi
	lab_try "fetching QEMU $version of ${suites##* }" "$log" \
		"${get[@]}" --download-only install qemu-system-x86 || return 1
	for file in "$apt/archives/"*.deb; do
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
