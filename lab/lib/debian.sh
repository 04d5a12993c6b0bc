# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Debian packages of newer suites than the machine's own, which are fetched and
# unpacked, not installed: the mirror is the one that apt has in its sources, the
# lists and the state are the lab's own.

# Where they may come from, the first that has them: the suites of one system
LAB_SUITES=("trixie trixie-backports" "sid")

# The mirror of Debian's main archive, as apt has it
lab_debian_mirror()
{
	# shellcheck disable=SC2016 # apt expands them
	apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 2>/dev/null |
		awk '$3 == "main" && $2 ~ /^(bookworm|trixie|stable|oldstable)$/ { print $1; exit }'
}

# lab_debian_conf MIRROR SUITES DIR: a configuration of apt that keeps all in DIR
lab_debian_conf()
{
	local suite apt=$3

	mkdir -p "$apt"/{lists/partial,archives/partial}
	: >"$apt/status"
	for suite in $2; do
		echo "deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $1 $suite main"
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
		Dir::Cache::archives "$apt/archives";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
	END
}

# lab_debian WHAT DIR LOG COMMAND...: has COMMAND fetch from the first suites from
# which it can: it is called with LAB_APT, the command apt-get with their lists,
# which are in DIR/apt, and LAB_SUITE, the newest of them
lab_debian()
{
	local what=$1 apt=$2/apt log=$3 mirror suites why

	shift 3
	lab_need debian-archive-keyring
	mirror=$(lab_debian_mirror)
	[ -n "$mirror" ] ||
		lab_die "$what: apt's sources name no mirror of Debian 12 or 13's main archive"
	for suites in "${LAB_SUITES[@]}"; do
		rm -rf "$apt"
		lab_debian_conf "$mirror" "$suites" "$apt"
		LAB_APT=(apt-get -q -y -c "$apt/conf")
		LAB_SUITE=${suites##* }
		if lab_try "reading the lists of $suites" "$log" "${LAB_APT[@]}" --error-on=any update &&
		   "$@"; then
			rm -rf "$apt"
			return 0
		fi
	done
	rm -rf "$apt"
	why=$(lab_apt_why "$log")
	lab_failed "$what could not be had from ${LAB_SUITES[*]}${why:+: $why}" "$log"
}
