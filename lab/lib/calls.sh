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
	pkg-config --exists libtraceevent libtracecmd json-c libprotobuf-c libdw capstone ||
		lab_need libc6-dev "${LAB_PACKAGES_CALLS[@]}"
	# Tests beside each other have one build
	lab_lock calls
	lab_calls_folder calls
	make -s -C "$LAB_TOP/tools/tracing/calls" O="$LAB_FOLDER" >&2 || lab_die "trace-calls cannot be built"
	lab_unlock
	# shellcheck disable=SC2034 # the commands of the lab use it
	LAB_CALLS=$LAB_FOLDER/trace-calls
}

# Set LAB_CALLS_DEBIAN to a folder with Debian's trace-cmd and the libraries of trace-calls, for
# arm64
lab_calls_debian()
{
	local suite packages

	lab_need "${LAB_PACKAGES_ARM64[@]}" mmdebstrap
	suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	packages=$(printf '%s,' "${LAB_PACKAGES_CALLS[@]}")libc6-dev,trace-cmd
	LAB_CALLS_DEBIAN=$LAB_CACHE/calls-arm64-debian/$suite-$(cksum <<<"$packages" | cut -d' ' -f1)
	lab_lock calls-arm64-debian
	if [ ! -d "$LAB_CALLS_DEBIAN" ]; then
		mkdir -p "$LAB_CACHE/log"
		rm -rf "$LAB_CACHE/calls-arm64-debian"
		mkdir "$LAB_CACHE/calls-arm64-debian"
		lab_step "unpacking libraries for arm64" "$LAB_CACHE/log/calls-arm64-debian" \
			mmdebstrap --variant=extract --architectures=arm64 --include="$packages" \
			"$suite" "$LAB_CALLS_DEBIAN.new" "deb $(lab_debian_mirror '') $suite main"
		mv "$LAB_CALLS_DEBIAN.new" "$LAB_CALLS_DEBIAN"
	fi
	lab_unlock
}

# lab_calls_make FOLDER OBJECTS [ARGUMENT...]: build a folder of tools/tracing for the guest.  For
# arm64, the caller has called lab_calls_debian.
lab_calls_make()
{
	local folder=$1 objects=$2
	local -a cross=()

	shift 2
	if [ "$LAB_ARCH" = arm64 ]; then
		local -x PKG_CONFIG_SYSROOT_DIR=$LAB_CALLS_DEBIAN
		local -x PKG_CONFIG_LIBDIR=$LAB_CALLS_DEBIAN/usr/lib/aarch64-linux-gnu/pkgconfig
		cross=(CC="$LAB_ARCH_CC --sysroot=$LAB_CALLS_DEBIAN" LD=aarch64-linux-gnu-ld
		       OBJCOPY=aarch64-linux-gnu-objcopy
		       PLUGIN_DIR=/usr/lib/aarch64-linux-gnu/traceevent/plugins)
	fi
	make -s -C "$LAB_TOP/tools/tracing/$folder" O="$objects" ${cross[@]+"${cross[@]}"} "$@" >&2
}

# lab_guest_calls: give the guest trace-calls, its libraries and the plugins of trace-cmd.  The
# caller has called lab_guest_work.
lab_guest_calls()
{
	local root=$LAB_TMP/in debian='' calls file
	local -a lister=()

	lab_trace_calls
	calls=$LAB_CALLS
	if [ "$LAB_ARCH" = arm64 ]; then
		lab_calls_debian
		debian=$LAB_CALLS_DEBIAN
		lister=(qemu-aarch64 -L "$debian" "$debian/lib/ld-linux-aarch64.so.1" --list)
		lab_lock calls
		lab_calls_folder calls-arm64
		lab_calls_make calls "$LAB_FOLDER" || lab_die "trace-calls cannot be built for arm64"
		lab_unlock
		calls=$LAB_FOLDER/trace-calls
	fi
	install -D "$calls" "$root/usr/bin/trace-calls"
	# /lib is a link in the guest
	lab_libraries "$calls" ${lister[@]+"${lister[@]}"} | while read -r file; do
		install -D "$debian$file" "$root/usr/${file#/usr/}"
	done
	lab_lock calls
	lab_calls_folder "plugin${LAB_ARCH_BUILD}"
	lab_calls_make traceevent "$LAB_FOLDER" DESTDIR="$root" install-system ||
		lab_die "the plugins for trace-cmd cannot be built"
	lab_unlock
}
