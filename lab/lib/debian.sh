# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Debian packages of other suites than the machine's own. They are fetched and unpacked,
# but not installed. The mirror comes from apt's sources. The lists and the state are
# separate from the system's.

# The suites for packages. Each element is one system, and the first system with the
# packages is used.
LAB_SUITES=("trixie trixie-backports" "sid")
# Their architecture
LAB_DEBIAN_ARCH=amd64

# lab_debian_mirror SUFFIX: print apt's mirror for Debian's suites with this suffix. No
# suffix is the main archive, -security has the security updates.
lab_debian_mirror()
{
	local suites='bookworm|trixie|sid|oldstable|stable|testing|unstable'

	# shellcheck disable=SC2016 # apt expands them
	apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 2>/dev/null |
		awk -v suite="^($suites)$1\$" '$3 == "main" && $2 ~ suite { print $1; exit }'
}

# lab_debian_conf MIRROR SUITES DIR: write a configuration of apt that keeps all files
# in DIR
lab_debian_conf()
{
	local suite apt=$3

	mkdir -p "$apt/lists/partial"
	: >"$apt/status"
	for suite in $2; do
		echo "deb [arch=$LAB_DEBIAN_ARCH signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $1 $suite main"
	done >"$apt/sources.list"
	# The machine's proxies and similar settings apply, but not its hooks. An
	# expired Release is accepted, because only its signature matters.
	cat >"$apt/conf" <<-END
		#clear APT::Architectures;
		#clear APT::Update;
		#clear DPkg;
		#clear Acquire::IndexTargets::deb::DEP-11;
		APT::Architecture "$LAB_DEBIAN_ARCH";
		APT::Architectures { "$LAB_DEBIAN_ARCH"; };
		APT::Default-Release "${2##* }";
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
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
	END
}

# lab_debian_lists MIRROR SUITES DIR LOG: read the lists of suites, unless the lists in
# DIR are less than an hour old and from the same mirror
lab_debian_lists()
{
	local mirror=$1 suites=$2 dir=$3 log=$4

	[ "$(find "$dir/read" -mmin -60 -exec cat {} + 2>/dev/null)" != "$mirror $suites" ] || return 0
	rm -rf "$dir"
	lab_debian_conf "$mirror" "$suites" "$dir"
	lab_try "reading the lists of $suites" "$log" apt-get -q -y -c "$dir/conf" --error-on=any update || return
	echo "$mirror $suites" >"$dir/read"
}

# lab_debian WHAT DIR LOG COMMAND...: run COMMAND for each of LAB_SUITES until it
# succeeds. LAB_APT is the command apt-get with the lists of these suites, and with
# DIR/archives for downloads. LAB_SUITE is the newest of these suites.
lab_debian()
{
	local what=$1 dir=$2 log=$3 mirror suites lists why LAB_LOCK_FD

	shift 3
	lab_need debian-archive-keyring
	mirror=$(lab_debian_mirror '')
	[ -n "$mirror" ] ||
		lab_die "$what: apt's sources name no mirror of Debian's main archive"
	# Only one command at a time reads and writes the lists
	lab_lock lists
	for suites in "${LAB_SUITES[@]}"; do
		lists=$LAB_CACHE/lists/${suites// /+}
		[ "$LAB_DEBIAN_ARCH" = amd64 ] || lists+=-$LAB_DEBIAN_ARCH
		rm -rf "$dir/archives"
		mkdir -p "$dir/archives/partial"
		LAB_APT=(apt-get -q -y -o "Dir::Cache::archives=$dir/archives" -c "$lists/conf")
		LAB_SUITE=${suites##* }
		if lab_debian_lists "$mirror" "$suites" "$lists" "$log" && "$@"; then
			rm -rf "$dir/archives"
			lab_unlock
			return 0
		fi
	done
	rm -rf "$dir/archives"
	why=$(lab_apt_why "$log")
	lab_failed "$what could not be had from ${LAB_SUITES[*]}${why:+: $why}" "$log"
}

# lab_unpack NAME MEGABYTES WHAT COMMAND...: unpack the programs of packages with their
# dependencies, and set LAB_UNPACKED to their folder (with usr/bin and so on).  COMMAND
# is called as by lab_debian, and prints the packages, or fails with a message.  The
# programs run with the folder's own loader and libraries, independent of the machine's.
lab_unpack()
{
	local name=$1 megabytes=$2 what=$3 log=$LAB_CACHE/log/unpack-$1 key LAB_LOCK_FD

	shift 3
	LAB_UNPACKED=$LAB_CACHE/unpacked/$name
	key=$({ printf '%s\n' "$LAB_UNPACKED" "${LAB_SUITES[@]}" "$@"
		declare -f lab_unpack_from lab_unpack_run "$1"
		cat "$LAB/lib/loader.pl"; } | sha256sum)
	[ "$(cat "$LAB_UNPACKED/key" 2>/dev/null)" != "$key" ] || return 0
	lab_need perl-base xz-utils
	lab_lock "unpack-$name"
	# Another command may have unpacked the packages meanwhile
	if [ "$(cat "$LAB_UNPACKED/key" 2>/dev/null)" != "$key" ]; then
		mkdir -p "$LAB_CACHE/log"
		lab_space "$LAB_CACHE/unpacked" "$megabytes" "$what"
		rm -rf "$LAB_UNPACKED" "$LAB_UNPACKED.new"
		mkdir -p "$LAB_UNPACKED.new"
		lab_debian "$what" "$LAB_UNPACKED.new" "$log" lab_unpack_from "$log" "$@"
		echo "$key" >"$LAB_UNPACKED.new/key"
		mv "$LAB_UNPACKED.new" "$LAB_UNPACKED"
	fi
	lab_unlock
}

# lab_unpack_from LOG COMMAND...: fetch and unpack from LAB_SUITE
lab_unpack_from()
{
	local log=$1 new=$LAB_UNPACKED.new file dir
	local -a packages

	shift
	read -ra packages < <("$@" 2>>"$log") || return 1
	lab_try "fetching ${packages[*]} of $LAB_SUITE" "$log" \
		"${LAB_APT[@]}" --download-only install "${packages[@]}" || return 1
	# Older packages have folders like /lib outside of /usr
	mkdir -p "$new"/usr/{bin,lib,lib64}
	for dir in bin lib lib64; do
		[ -L "$new/$dir" ] || ln -s "usr/$dir" "$new/$dir"
	done
	: >"$log.tar"
	for file in "$new/archives/"*.deb; do
		dpkg-deb --fsys-tarfile "$file" 2>>"$log" | tar -C "$new" -xf - --no-same-owner \
			--keep-directory-symlink --exclude '*/gconv' --exclude '*san*.a' --wildcards \
			'./usr/bin/*' './usr/lib*' './usr/include/*' './usr/share/qemu*' \
			'./usr/share/seabios*' './lib*' 2>>"$log.tar" || :
	done
	! grep -E 'No space left|Cannot' "$log.tar" >>"$log" || return 1
	rm -f "$log.tar"
	lab_try "giving ${packages[0]} its loader" "$log" lab_unpack_run "$new" "$LAB_UNPACKED" || return 1
	lab_say "${packages[0]} of $LAB_SUITE is in $LAB_UNPACKED"
}

# lab_unpack_run NEW DIR: make the programs in NEW run from DIR, with the loader and the
# libraries in DIR
lab_unpack_run()
{
	local new=$1 libraries=$2/usr/lib/x86_64-linux-gnu dir file

	find "$new/usr" -type f \( -perm /111 -o -name '*.so*' \) -print0 |
		xargs -0 -r perl "$LAB/lib/loader.pl" "$libraries/ld-linux-x86-64.so.2" || return
	find "$new/usr" -type f -perm /111 -printf '%h\n' | sort -u | while read -r dir; do
		ln -s "$libraries" "$dir/.lib"
	done
	# gcc first looks for as and ld in the folder of its own programs, so add links
	# to them
	for file in "$new"/usr/lib*/gcc/x86_64-linux-gnu/*/cc1; do
		ln -s "$2"/usr/bin/{as,ld} "${file%/*}"
	done
}
