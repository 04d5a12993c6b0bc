# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Minimal roots of Debian's suites, in which commands of the lab run. The cache has a root
# for each suite, and the packages that were fetched for the root.

LAB_SUITE_ROOTS=$LAB_CACHE/suites

# lab_suite_lock SUITE: have a suite's root for this command only
lab_suite_lock()
{
	[ "$(id -u)" -eq 0 ] || lab_die "a root of $1 needs chroot, which needs root"
	lab_need mmdebstrap debian-archive-keyring git
	lab_lock "suite-$1"
}

# lab_suite_make SUITE: install the essential packages and apt, from this machine's mirror
lab_suite_make()
{
	local suite=$1 root=$LAB_SUITE_ROOTS/$1 mirror security lines include=()
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg

	mirror=$(lab_debian_mirror '')
	security=$(lab_debian_mirror -security)
	[ -n "$mirror" ] || lab_die "apt's sources name no mirror of Debian's main archive"
	lines=("deb [signed-by=$keyring] $mirror $suite main")
	[ "$suite" = sid ] || [ -z "$security" ] ||
		lines+=("deb [signed-by=$keyring] $security $suite-security main")
	[[ $mirror$security != *https:* ]] || include=(--include=ca-certificates)
	# The machine's proxies apply in the root too
	lab_tmp
	apt-config dump | grep '^Acquire::\(https\?::\|Check-\)' >"$LAB_TMP/apt.conf" || :
	mkdir -p "$LAB_SUITE_ROOTS" "$LAB_CACHE/log"
	rm -rf --one-file-system "$root" "$root.new"
	lab_step "making a root of $suite" "$LAB_CACHE/log/suite-$suite" mmdebstrap --mode=root \
		--variant=apt --architectures=amd64 --keyring="$keyring" --aptopt="$LAB_TMP/apt.conf" \
		${include[@]+"${include[@]}"} "$suite" "$root.new" "${lines[@]}"
	mv "$root.new" "$root"
}

# lab_suite_remove SUITE: remove a root
lab_suite_remove()
{
	rm -rf --one-file-system "${LAB_SUITE_ROOTS:?}/$1"
}

# lab_suite_project SUITE: copy the repository's files, without the repository
lab_suite_project()
{
	rm -rf "$LAB_SUITE_ROOTS/$1/project"
	lab_files | lab_copy "$LAB_TOP" "$LAB_SUITE_ROOTS/$1/project"
}

# lab_suite_run SUITE COMMAND...: run a command in a root. The command has its own mounts,
# which end with the command. All its processes end with this process, because unshare
# ignores SIGTERM, and kills the processes when it is killed. Packages and ccache's files
# are outside of the root, so the next root uses them too. LAB_TEST_TIMEOUT, LAB_TIMEOUT
# and LAB_SILENCE apply in the root. If LAB_BUILD is set, the root has this machine's build
# of a kernel, which the commands use and cannot change.  The root's own cache is in another
# folder, because a build has the paths of its source.
lab_suite_run()
{
	local packages=$LAB_SUITE_ROOTS/packages-$1 ccache=${CCACHE_DIR:-$LAB_CACHE/ccache} name
	local limits=()

	for name in LAB_TEST_TIMEOUT LAB_TIMEOUT LAB_SILENCE LAB_BUILD; do
		[ -z "${!name:-}" ] || limits+=("$name=${!name}")
	done
	mkdir -p "$packages/partial" "$ccache"
	# shellcheck disable=SC2016 # the inner shell expands them
	setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child bash -c '
		set -e
		root=$1 packages=$2 ccache=$3 kernel=$4
		shift 4
		mount --bind "$packages" "$root/var/cache/apt/archives"
		mkdir -p "$root/ccache"
		mount --bind "$ccache" "$root/ccache"
		if [ -n "$kernel" ]; then
			mkdir -p "$root$kernel"
			mount --bind "$kernel" "$root$kernel"
			mount -o remount,bind,ro "$root$kernel"
		fi
		mount --rbind /dev "$root/dev"
		mount --rbind /sys "$root/sys"
		mount -t proc proc "$root/proc"
		cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
		exec chroot "$root" env -i HOME=/root TERM=dumb CCACHE_DIR=/ccache \
			XDG_CACHE_HOME=/var/cache PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			bash -c "cd /project && exec env \"\$@\"" bash "$@"
		' bash "$LAB_SUITE_ROOTS/$1" "$packages" "$ccache" "${LAB_BUILD:+${LAB_BUILD%/*}}" \
		${limits[@]+"${limits[@]}"} "${@:2}"
}
