# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Packages of another Debian than the machine's, unpacked under the cache with the
# libraries they need.  Nothing is installed; the mirror is the one that apt has in
# its sources, the lists and the state are the lab's own.

# lab_suite SUITE NAME PACKAGE...: unpacks them in LAB_SUITE; NAME is that folder's
lab_suite()
{
	local suite=$1 dir=$LAB_CACHE/suites/$1-$2 log=$LAB_CACHE/log/suite-$1-$2
	local mirror key why

	shift 2
	lab_need debian-archive-keyring
	LAB_SUITE=$dir
	key=$({ echo "$suite" "$@"; declare -f lab_suite_unpack; } | sha256sum)
	[ "$(cat "$dir/key" 2>/dev/null)" != "$key" ] || return 0
	lab_lock suites
	mkdir -p "$LAB_CACHE/log"
	mirror=$(lab_bts_mirror)
	[ -n "$mirror" ] ||
		lab_die "$1 of $suite: apt's sources name no mirror of Debian 12 or 13's main archive"
	lab_space "$LAB_CACHE/suites" 300 "$1 of $suite"
	rm -rf "$dir" "$dir.new" "$dir.apt"
	if ! lab_suite_unpack "$mirror" "$suite" "$dir" "$log" "$@"; then
		rm -rf "$dir.new" "$dir.apt"
		why=$(lab_apt_why "$log")
		lab_failed "$1 could not be had from $suite${why:+: $why}" "$log"
	fi
	echo "$key" >"$dir.new/key"
	mv "$dir.new" "$dir"
	rm -rf "$dir.apt"
	lab_unlock
}

# lab_suite_unpack MIRROR SUITE DIR LOG PACKAGE...: unpacks into DIR.new
lab_suite_unpack()
{
	local mirror=$1 suite=$2 dir=$3 log=$4 apt=$3.apt get file

	shift 4
	mkdir -p "$apt"/{lists/partial,archives/partial} "$dir.new"
	: >"$apt/status"
	echo "deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" \
		>"$apt/sources.list"
	# The machine's proxies and the like hold, but not what it does afterwards.
	# That a Release has expired is no matter: its signature is what counts.
	cat >"$apt/conf" <<-END
		#clear APT::Architectures;
		#clear APT::Update;
		#clear DPkg;
		#clear Acquire::IndexTargets::deb::DEP-11;
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; };
		APT::Default-Release "$suite";
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
	lab_try "reading the lists of $suite" "$log" "${get[@]}" --error-on=any update || return 1
	lab_try "fetching $1 of $suite" "$log" "${get[@]}" --download-only install "$@" || return 1
	for file in "$apt/archives/"*.deb; do
		dpkg-deb --fsys-tarfile "$file" 2>>"$log" | tar -C "$dir.new" -xf - --no-same-owner \
			--wildcards --exclude '*.a' --exclude './usr/share/*' --exclude '*/gconv/*' \
			'./usr/*' './lib*' 2>>"$log" || :
	done
	lab_say "$(dpkg-deb -f "$apt/archives/$1"_*.deb Package Version | sed 's/^[^:]*: //' | tr '\n' ' ')is in $dir"
}
