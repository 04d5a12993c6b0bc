# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds of the kernel's source.  For each version the cache has:
#
#   build[-VARIANT] the objects, from src with lab/config.VARIANT; the variants
#                   "pristine" and "pristine-VARIANT" are built from pristine. Of another
#                   architecture than x86 it is build-ARCH[-VARIANT].
#
# A line "# lab NAME=VALUE" in lab/config.VARIANT sets a property that is not an option of
# the kernel:
#
#   compiler        clang is the machine's clang; clang-newest, gcc-newest and so on are
#                   unpacked (lib/compilers.sh).  Default: the machine's gcc.
#   base            the make goal whose config gets the variant's options.  Default:
#                   allnoconfig, which gets the options of lab/config first.
#   make            an argument for make; there may be several such lines
#   append          words for the guest's command line
#   qemu            further arguments for QEMU, before those of LAB_QEMU. QEMU is that of
#                   Debian's newest suite then.
#   optional        an option that a version may lack; there may be several such lines

LAB_OBJECTS=1150		# estimated objects of a first build
LAB_CC=$LAB_ARCH_CC		# the default without a variant
LAB_CC_MAKE=(CC="ccache $LAB_CC" HOSTCC="ccache gcc" ${LAB_ARCH_MAKE[@]+"${LAB_ARCH_MAKE[@]}"})
LAB_VARIANT_APPEND=
LAB_VARIANT_QEMU=

lab_pristine()
{
	[ "${1%%-*}" = pristine ]
}

# lab_variant VARIANT NAME: print the value of NAME in the variant's file
lab_variant()
{
	local variant=${1#pristine}

	[ -z "${variant#-}" ] || sed -n "s/^# lab $2=//p" "$LAB/config.${variant#-}"
}

# lab_config VERSION VARIANT: print the kernel's options. Later options override earlier
# options.
lab_config()
{
	local variant=${2#pristine} file
	local files=("$LAB/config" "$LAB_TOP/patches/linux-$1/config" "$LAB/config-$LAB_ARCH")

	[ -z "$(lab_variant "$2" base)" ] || files=()
	for file in ${files[@]+"${files[@]}"} "$LAB/config.${variant#-}"; do
		[ ! -f "$file" ] || cat "$file"
	done
}

# lab_variant_compiler VARIANT: set LAB_CC to the command of the variant's compiler, and
# LAB_CC_MAKE to make's arguments for the compiler
lab_variant_compiler()
{
	local name

	name=$(lab_variant "$1" compiler)
	LAB_CC=${name:-$LAB_ARCH_CC}
	LAB_CC_MAKE=(CC="ccache $LAB_CC" HOSTCC="ccache gcc")
	case $name in
	'')	;;
	clang)	LAB_CC_MAKE+=(LLVM=1) ;;
	*)	lab_compiler "$name" ;;
	esac
	# The compiler's own binutils take the place of the machine's
	LAB_CC_MAKE=(${LAB_ARCH_MAKE[@]+"${LAB_ARCH_MAKE[@]}"} "${LAB_CC_MAKE[@]}")
	readarray -t -O ${#LAB_CC_MAKE[@]} LAB_CC_MAKE < <(lab_variant "$1" make)
}

# Print a hash of all inputs of a build
lab_key()
{
	local version=$1 variant=$2

	{
		echo "$version $variant"
		cat "$LAB_VERSION_DIR/unpacked"
		dpkg-query -W -f '${Package} ${Version}\n' libelf-dev libdw-dev
		gcc --version
		"$LAB_CC" --version
		lab_config "$version" "$variant"
		cat "$LAB/lib/kernel.sh" "$LAB/lib/source.sh"
		lab_pristine "$variant" || cat "$LAB_VERSION_DIR/src.key"
	} | sha256sum | cut -d' ' -f1
}

# lab_make ARGUMENT...: run make for LAB_BUILD. To calibrate the timer of the local APIC, x86
# executes pause for 200 ms of the guest's time. At each pause, QEMU looks for another CPU to
# run, which takes most of the time of a boot. In lab_build's kernels, apic.o has hlt instead.
# The timer's interrupts end both loops.
lab_make()
{
	local halt=()

	export CCACHE_DIR=${CCACHE_DIR:-$LAB_CACHE/ccache}
	[ ! -f "$LAB_BUILD/lab.halt.h" ] || halt=(CFLAGS_apic.o='-include lab.halt.h')
	make -C "$LAB_TREE" O="$LAB_BUILD" -j"$(nproc)" "${LAB_CC_MAKE[@]}" ${halt[@]+"${halt[@]}"} \
		KBUILD_BUILD_USER=lab KBUILD_BUILD_HOST=lab "$@"
}

# lab_kernel_ready VERSION VARIANT: whether the kernel is built from the current source and
# the current series. The caller holds the lock, or shares it.
lab_kernel_ready()
{
	[ -f "$LAB_BUILD/lab.key" ] || return 1
	# In this subshell, a source that has to be unpacked again is not
	(
		# shellcheck disable=SC2317,SC2329 # lab_source calls it
		lab_source_renew()
		{
			exit 1
		}
		lab_source "$1"
	) 2>/dev/null || return 1
	lab_pristine "$2" || [ "$(cat "$LAB_VERSION_DIR/src.key" 2>/dev/null)" = "$(lab_series_key "$1")" ] || return 1
	[ "$(cat "$LAB_BUILD/lab.key")" = "$(lab_key "$1" "$2")" ]
}

# lab_kernel VERSION [VARIANT]: build the kernel if it is not built.  Sets LAB_TREE (its
# source), LAB_BUILD (its objects), LAB_IMAGE, LAB_RELEASE, LAB_MODULES (an initramfs with
# its modules), LAB_CC, LAB_CC_MAKE, LAB_VARIANT_APPEND and LAB_VARIANT_QEMU.  If LAB_BUILD is
# in the environment, this build is used without a change, with the machine's gcc, and the
# folder around the build is LAB_VERSION_DIR.
lab_kernel()
{
	local version=$1 variant=${2:-} key
	local packages=("${LAB_PACKAGES_BUILD[@]}" "${LAB_PACKAGES_GUEST[@]}")

	[ -z "$variant" ] || [ "$variant" = pristine ] || [ -f "$LAB/config.${variant#pristine-}" ] ||
		lab_die "no such variant: $variant (there is no lab/config.${variant#pristine-})"
	LAB_MODULES=
	LAB_VARIANT_APPEND=$(lab_variant "$variant" append)
	LAB_VARIANT_QEMU=$(lab_variant "$variant" qemu)
	if [ -n "${LAB_BUILD:-}" ]; then
		LAB_IMAGE=$LAB_BUILD/$LAB_ARCH_IMAGE
		[ -f "$LAB_IMAGE" ] || lab_die "LAB_BUILD: there is no kernel in $LAB_BUILD"
		LAB_RELEASE=$(cat "$LAB_BUILD/include/config/kernel.release")
		LAB_TREE=$(cd "$LAB_BUILD/source" 2>/dev/null && pwd) || LAB_TREE=$LAB_BUILD
		LAB_VERSION_DIR=${LAB_BUILD%/*}
		[ ! -f "$LAB_BUILD/lab.cpio" ] || LAB_MODULES=$LAB_BUILD/lab.cpio
		return 0
	fi
	lab_arch_version "$version"
	[[ $version =~ ^[0-9]+\.[0-9]+$ ]] || lab_die "a version is two numbers, such as $LAB_VERSION, not $version"
	[ -d "$LAB_TOP/patches/linux-$version" ] || lab_pristine "$variant" ||
		lab_die "there is no series for Linux $version, only for: $(cd "$LAB_TOP/patches" && echo linux-*)"
	# Need all packages at once, for a user who has to ask an administrator to install
	# them
	! lab_source_installs "$version" || packages+=("linux-source-$version")
	case ${variant#pristine-} in
	clang)	packages+=("${LAB_PACKAGES_CLANG[@]}") ;;
	btf|peers) packages+=("${LAB_PACKAGES_BTF[@]}") ;;
	esac
	[ "$LAB_ARCH" != arm64 ] || packages+=("${LAB_PACKAGES_ARM64[@]}")
	lab_need "${packages[@]}"
	lab_variant_compiler "$variant"
	lab_tmp

	LAB_VERSION_DIR=$LAB_CACHE/linux-$version${KSRC:+-ksrc}
	LAB_BUILD=$LAB_VERSION_DIR/build$LAB_ARCH_BUILD${variant:+-$variant}
	LAB_TREE=$LAB_VERSION_DIR/src
	! lab_pristine "$variant" || LAB_TREE=$LAB_VERSION_DIR/pristine
	lab_lock "linux-$version${KSRC:+-ksrc}" shared
	if ! lab_kernel_ready "$version" "$variant"; then
		lab_unlock
		lab_lock "linux-$version${KSRC:+-ksrc}"
		lab_source "$version"
		# Update even if nothing has to be built, because src may have got another
		# series since then, for another variant
		lab_pristine "$variant" || lab_source_update "$version"
		key=$(lab_key "$version" "$variant")
		if [ "$(cat "$LAB_BUILD/lab.key" 2>/dev/null)" != "$key" ]; then
			lab_build "$version" "$variant"
			echo "$key" >"$LAB_BUILD/lab.key"
		fi
	fi
	LAB_RELEASE=$(cat "$LAB_BUILD/include/config/kernel.release")
	# Use copies, because the next build does not wait until this kernel has booted
	LAB_IMAGE=$LAB_TMP/${LAB_ARCH_IMAGE##*/}
	LAB_MODULES=$LAB_TMP/modules.cpio
	cp "$LAB_BUILD/$LAB_ARCH_IMAGE" "$LAB_IMAGE"
	cp "$LAB_BUILD/lab.cpio" "$LAB_MODULES"
	lab_unlock
}

# Prints the major version of the clang that built the kernel, 0 if gcc built it
lab_clang()
{
	echo $(($(sed -n 's/^CONFIG_CLANG_VERSION=//p' "$LAB_BUILD/.config") / 10000))
}

# Print the progress of a build. If some objects are already built, or if this kernel has more
# objects than estimated, the total is not known.
lab_build_count()
{
	local built total

	built=$(grep -cE '^  (CC|AS)' "$1") || :
	total=$(cat "$LAB_BUILD/lab.objects" 2>/dev/null || echo "$LAB_OBJECTS")
	printf ': %s ' "$built"
	[ -f "$LAB_BUILD/vmlinux" ] || [ "$built" -gt "$total" ] || printf 'of about %s ' "$total"
	printf 'objects'
}

lab_build()
{
	local version=$1 variant=$2 log=$LAB_CACHE/log/build$LAB_ARCH_BUILD${2:+-$2}-$1${KSRC:+-ksrc}
	local status=0 begin=$SECONDS base

	mkdir -p "$LAB_CACHE/log" "$LAB_BUILD"
	rm -f "$LAB_BUILD/lab.key"
	lab_space "$LAB_BUILD" 1000 "building a kernel"
	[ "$LAB_ARCH" != x86 ] || [ -f "$LAB_BUILD/lab.halt.h" ] ||
		printf '%s\n' '#include <asm/processor.h>' '#include <asm/irqflags.h>' \
			'#define cpu_relax() native_halt()' >"$LAB_BUILD/lab.halt.h"

	lab_config "$version" "$variant" >"$LAB_BUILD/lab.config"
	base=$(lab_variant "$variant" base)
	if [ -z "$base" ]; then
		lab_step "configuring Linux $version" "$log" lab_make KCONFIG_ALLCONFIG="$LAB_BUILD/lab.config" allnoconfig
	else
		lab_step "configuring Linux $version" "$log" lab_make "$base"
		cat "$LAB_BUILD/lab.config" >>"$LAB_BUILD/.config"
		lab_step "configuring Linux $version" "$log" lab_make olddefconfig
	fi
	lab_config_check

	LAB_COUNT=lab_build_count lab_try "building Linux $version${variant:+ ($variant)}" "$log" lab_make || status=$?
	if [ "$status" -ne 0 ]; then
		# Print the errors, because with -j the error is seldom at the end of the
		# log
		grep -E '(error|Error|ERROR|undefined reference|No space left)' "$log" | head -n 20 | sed 's/^/    /' >&2 || :
		lab_failed "building Linux $version failed" "$log"
	fi
	[ -f "$LAB_BUILD/lab.objects" ] || grep -cE '^  (CC|AS)' "$log" >"$LAB_BUILD/lab.objects" || :

	rm -rf "$LAB_BUILD/lab.root"
	mkdir -p "$LAB_BUILD/lab.root"
	lab_step "installing its modules" "$log.modules" \
		lab_make INSTALL_MOD_PATH="$LAB_BUILD/lab.root" modules_install
	rm -f "$LAB_BUILD/lab.root/lib/modules/"*/build
	# /lib is a link in the guest, because / and /usr are merged
	mkdir -p "$LAB_BUILD/lab.root/usr"
	mv "$LAB_BUILD/lab.root/lib" "$LAB_BUILD/lab.root/usr/lib"
	lab_cpio "$LAB_BUILD/lab.root" >"$LAB_BUILD/lab.cpio"
	lab_say "built Linux $version${variant:+ ($variant)} in $((SECONDS - begin)) s"
}

# Fail if this kernel does not have an option of lab/config. The pristine kernel and a
# user's own tree may lack options, so print these.
lab_config_check()
{
	local lost

	lost=$(awk -F= '/^CONFIG_/ { last[$1] = $0 } END { for (i in last) if (last[i] !~ /=n$/) print last[i] }' \
			"$LAB_BUILD/lab.config" |
		grep -vxFf "$LAB_BUILD/.config" |
		grep -vxFf <(lab_variant "$variant" optional | sed 's/$/=y/') |
		{ [ "$LAB_TREE" != "$LAB_VERSION_DIR/pristine" ] && cat || grep -v FUNCTION_ARG_SIGS; } | sort | tr '\n' ' ' || :)
	[ -n "$lost" ] || return 0
	# Fail, because a test of a kernel without the option could pass for another reason
	[ -n "${KSRC:-}" ] || lab_pristine "$variant" || lab_die "options that this kernel does not have: $lost"
	lab_say "not in this kernel: $lost"
}
