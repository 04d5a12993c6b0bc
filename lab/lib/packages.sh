# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Debian packages, installed by name.

# The packages for booting a guest, for building a kernel, and for tests
LAB_PACKAGES_GUEST=(qemu-system-x86 busybox-static trace-cmd kmod e2fsprogs mount procps)
LAB_PACKAGES_BUILD=(gcc libc6-dev make binutils flex bison bc perl patch
		    xz-utils ccache kmod libelf-dev libdw-dev pkgconf)
LAB_PACKAGES_CLANG=(clang lld llvm)
LAB_PACKAGES_BTF=(dwarves zlib1g-dev)
LAB_PACKAGES_CALLS=(libtraceevent-dev libtracecmd-dev libtracefs-dev libjson-c-dev libprotobuf-c-dev
		    protobuf-c-compiler libdw-dev libcapstone-dev zlib1g-dev libzstd-dev
		    libncurses-dev libkdumpfile-dev libdebuginfod-dev)
LAB_PACKAGES_TEST=(shellcheck dwarves)
LAB_PACKAGES_ARM64=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user qemu-system-arm clang)

lab_installed()
{
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# lab_apt ARGUMENT...: run apt-get, and wait while another apt has one of apt's locks.
# DPkg::Lock::Timeout applies only to dpkg's locks, not to those of the lists and of the
# downloaded packages.
lab_apt()
{
	local errors status

	while :; do
		status=0
		{ errors=$(apt-get -q -y -o Dpkg::Use-Pty=0 -o Acquire::Retries=2 "$@" 2>&1 >&3) || status=$?; } 3>&1
		printf '%s' "${errors:+$errors$'\n'}"
		[ "$status" -ne 0 ] && [[ $errors = *"$LAB_APT_LOCKED"* ]] || return "$status"
		sleep 1
	done
}

LAB_APT_LOCKED='Could not get lock'

# Print what lab_apt waits for
# shellcheck disable=SC2317,SC2329 # lab_try calls it
lab_apt_count()
{
	! tail -n 3 "$1" | grep -q "$LAB_APT_LOCKED" || printf ' (another apt is running)'
}

# lab_apt_try ARGUMENT...: run apt-get with its output in the log
lab_apt_try()
{
	mkdir -p "$LAB_CACHE/log"
	LAB_COUNT=lab_apt_count lab_try "apt-get $1" "$LAB_CACHE/log/apt" lab_apt "$@"
}

# lab_need PACKAGE...: install missing packages
lab_need()
{
	local package installed missing=() log=$LAB_CACHE/log/apt install=(install --no-install-recommends)

	[ "$(uname -m)" = x86_64 ] || lab_die "the lab needs an x86-64 machine, this is $(uname -m)"
	[ -x "$(command -v apt-get)" ] || lab_die "the lab needs Debian 12 or 13 (apt-get)"
	# One process for all packages, because most commands of the lab call this
	installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || :)
	for package; do
		[[ $'\n'$installed$'\n' = *$'\n'"$package installed"$'\n'* ]] || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" -eq 0 ] ||
		lab_die "missing; as root: apt-get install --no-install-recommends ${missing[*]}"

	lab_lock apt
	export DEBIAN_FRONTEND=noninteractive
	# Without the lists of packages, apt does not know the packages. With old lists, it
	# does not find the files.
	lab_say "installing ${missing[*]}"
	if ! lab_apt "${install[@]}" -s "${missing[@]}" >/dev/null; then
		lab_apt_try update
	fi
	if ! lab_apt_try "${install[@]}" "${missing[@]}"; then
		lab_apt_try update
		lab_apt_try "${install[@]}" "${missing[@]}" || lab_apt_failed "$log" "${missing[@]}"
	fi
	lab_unlock
}

# lab_offered PACKAGE: whether apt's sources have a package
lab_offered()
{
	local LAB_LOCK_FD

	apt-cache show "$1" >/dev/null 2>&1 && return 0
	# Update the lists of packages, because apt needs them
	[ "$(id -u)" -eq 0 ] || return 1
	lab_lock apt
	lab_apt_try update
	lab_unlock
	apt-cache show "$1" >/dev/null 2>&1
}

# lab_commands COMMAND[=PACKAGE]...: as lab_need, for scripts that work on any
# distribution. Packages are installed only if a command is missing and apt is
# available.
lab_commands()
{
	local command missing=() packages=()

	for command; do
		[ -z "$(command -v "${command%%=*}")" ] || continue
		missing+=("${command%%=*}")
		packages+=("${command#*=}")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	[ -x "$(command -v apt-get)" ] || lab_die "these commands are missing: ${missing[*]}"
	lab_need "${packages[@]}"
}

lab_apt_failed()
{
	local why

	why=$(lab_apt_why "$1")
	lab_failed "apt-get could not install ${*:2}${why:+: $why}" "$1"
}

# lab_apt_why LOG: print the reason why apt failed, if it is known
lab_apt_why()
{
	if grep -qE 'No space left|enough free space' "$1"; then
		echo "no space left"
	elif grep -qE 'Temporary failure resolving|Could not connect|Could not resolve|Failed to fetch|Network is unreachable' "$1"; then
		echo "no network, or the mirror does not answer"
	elif grep -q 'NO_PUBKEY' "$1"; then
		echo "the package debian-archive-keyring is too old"
	elif grep -q 'Unable to locate package' "$1"; then
		echo "its sources do not have them (Debian 12 with its security updates, or Debian 13?)"
	fi
}

# lab_space DIR MEGABYTES WHAT: fail if DIR has not enough free space for WHAT
lab_space()
{
	local free

	mkdir -p "$1"
	free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$2" ] ||
		lab_die "$3 takes $2 MB, and there are $free MB free in $1 (XDG_CACHE_HOME is where else it may go)"
}
