# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernel: Debian's source, the series on it, and what is built of it.  For
# each version there is, under the cache,
#
#   pristine        the source as it was unpacked, never written to
#   src             the same with the series: hard links, but for what it changes
#   build[-VARIANT] the objects, from src (variant "pristine": from pristine)
#
# A change of the series touches only the files whose content it changes, so
# that make builds what depends on these.

LAB_OVERLAY_TOPS=(arch block certs crypto Documentation drivers fs include init
		  io_uring ipc kernel lib mm net rust samples scripts security
		  sound tools usr virt)
LAB_OBJECTS=1150		# about as many as a first build compiles

# The files that the series adds, as paths in the tree
lab_overlay()
{
	local top tops=()

	for top in "${LAB_OVERLAY_TOPS[@]}"; do
		[ ! -d "$LAB_TOP/$top" ] || tops+=("$top")
	done
	[ ${#tops[@]} -gt 0 ] || return 0
	if [ "$(git -C "$LAB_TOP" rev-parse --show-toplevel 2>/dev/null)" = "$LAB_TOP" ]; then
		git -C "$LAB_TOP" ls-files -co --exclude-standard -- "${tops[@]}"
	else
		(cd "$LAB_TOP" && find "${tops[@]}" -type f ! -name '*.[oa]' ! -name '*.ko' ! -name '*.mod' \
			! -name '*.mod.c' ! -name '.*.cmd' ! -name '*~' ! -name '.*.sw?' \
			! -name modules.order ! -name Module.symvers)
	fi | sort | while read -r top; do
		# git lists what was deleted as well
		[ ! -f "$LAB_TOP/$top" ] || printf '%s\n' "$top"
	done
}

# lab_series_files VERSION: the existing files that its patches change
lab_series_files()
{
	cat "$LAB_TOP/patches/linux-$1/"*.patch /dev/null |
		sed -nE 's,^(---|\+\+\+) [ab]/([^	]*).*,\2,p' | sort -u
}

# lab_series VERSION TREE NEW: leaves in NEW what the series makes of TREE's
# files.  Where a patch does not fit: returns 1, LAB_PATCH is the patch, and
# what patch(1) said is in NEW.log.
lab_series()
{
	local version=$1 tree=$2 new=$3 file

	mkdir -p "$new"
	while read -r file; do
		[ -f "$tree/$file" ] || continue
		mkdir -p "$new/${file%/*}"
		cp -p "$tree/$file" "$new/$file"
	done < <(lab_series_files "$version")
	for LAB_PATCH in "$LAB_TOP/patches/linux-$version/"*.patch; do
		patch -p1 -F1 -N -f -s -E --no-backup-if-mismatch -r - -d "$new" <"$LAB_PATCH" >"$new.log" 2>&1 || return 1
	done
	while read -r file; do
		mkdir -p "$new/$(dirname "$file")"
		cp "$LAB_TOP/$file" "$new/$file"
	done < <(lab_overlay)
}

# Sets LAB_VERSION_DIR; unpacks the source where it is not there yet.  The
# caller has the lock.
lab_source()
{
	local version=$1 package=linux-source-$1 is file
	local tar=/usr/src/$package.tar.xz

	LAB_VERSION_DIR=$LAB_CACHE/linux-$version
	is=$(dpkg-query -W -f '${Version}' "$package")
	[ "$(cat "$LAB_VERSION_DIR/unpacked" 2>/dev/null)" != "$is" ] || return 0

	# Another source: nothing of the old one is of use, its times are no guide
	rm -rf "$LAB_VERSION_DIR"
	lab_space "$LAB_CACHE" 4000 "a kernel tree with its objects"
	mkdir -p "$LAB_VERSION_DIR/pristine" "$LAB_CACHE/log"
	lab_step "unpacking $package $is" "$LAB_CACHE/log/unpack" \
		tar -xf "$tar" -C "$LAB_VERSION_DIR/pristine" --strip-components=1
	cp -al "$LAB_VERSION_DIR/pristine" "$LAB_VERSION_DIR/src"
	: >"$LAB_VERSION_DIR/series"
	for file in "$LAB_VERSION_DIR"/{pristine,src}; do
		[ -f "$file/Makefile" ] || lab_die "$tar is not what was expected"
	done
	echo "$is" >"$LAB_VERSION_DIR/unpacked"
}

# Brings src up to date with the series
lab_source_update()
{
	local version=$1 dir=$LAB_VERSION_DIR new=$LAB_VERSION_DIR/new file

	rm -rf "$new"
	lab_series "$version" "$dir/pristine" "$new" ||
		lab_failed "${LAB_PATCH#"$LAB_TOP/"} does not fit $(cat "$dir/unpacked")" "$new.log"
	{ lab_series_files "$version"; lab_overlay; } | sort -u >"$dir/series.new"
	# Both lists until it is done, should it be interrupted
	sort -u "$dir/series" "$dir/series.new" >"$dir/series.both"
	cp "$dir/series.both" "$dir/series"
	while read -r file; do
		if [ -f "$new/$file" ]; then
			lab_source_file "$new/$file" "$dir/src/$file"
		elif [ -f "$dir/pristine/$file" ] && ! grep -qxF "$file" "$dir/series.new"; then
			lab_source_file "$dir/pristine/$file" "$dir/src/$file"
		else
			rm -f "$dir/src/$file"
		fi
	done <"$dir/series.both"
	mv "$dir/series.new" "$dir/series"
	rm -rf "$new" "$new.log" "$dir/series.both"
}

# A copy, never through a hard link, with the time of now
lab_source_file()
{
	if ! cmp -s "$1" "$2" || [ "$(stat -c %A "$1")" != "$(stat -c %A "$2")" ]; then
		mkdir -p "${2%/*}"
		cp "$1" "$2.lab-new"
		chmod --reference="$1" "$2.lab-new"
		mv "$2.lab-new" "$2"
	fi
}

# What a build is made of, as one number
lab_key()
{
	local version=$1 variant=$2

	{
		echo "$version $variant"
		dpkg-query -W -f '${Package} ${Version}\n' "linux-source-$version" libelf-dev libdw-dev
		gcc --version
		[ "$variant" != clang ] || clang --version
		cat "$LAB/config" "$LAB/config.$variant" "$LAB/lib/kernel.sh" 2>/dev/null || :
		[ "$variant" != pristine ] || exit 0
		cd "$LAB_TOP" || exit
		lab_overlay | while read -r file; do
			stat -c '%A %n' "$file"
		done
		{ lab_overlay; ls "patches/linux-$version/"*.patch 2>/dev/null || :; } |
			xargs -r -d '\n' sha256sum
	} | sha256sum | cut -d' ' -f1
}

lab_make()
{
	export CCACHE_DIR=${CCACHE_DIR:-$LAB_CACHE/ccache}
	local cc=(CC="ccache gcc" HOSTCC="ccache gcc")

	# The variant that a compiler is the point of
	[ "${LAB_BUILD##*-}" != clang ] || cc=(LLVM=1 CC="ccache clang" HOSTCC="ccache clang")
	make -C "$LAB_TREE" O="$LAB_BUILD" -j"$(nproc)" "${cc[@]}" \
		KBUILD_BUILD_USER=lab KBUILD_BUILD_HOST=lab "$@"
}

# lab_kernel VERSION [VARIANT]: builds what is not built.  Sets LAB_TREE (its
# source), LAB_BUILD (its objects), LAB_IMAGE, LAB_RELEASE and LAB_MODULES (an
# initramfs with its modules).  With LAB_BUILD in the environment that build is
# used as it is.
lab_kernel()
{
	local version=$1 variant=${2:-} key

	LAB_MODULES=
	if [ -n "${LAB_BUILD:-}" ]; then
		LAB_IMAGE=$LAB_BUILD/arch/x86/boot/bzImage
		[ -f "$LAB_IMAGE" ] || lab_die "LAB_BUILD: there is no kernel in $LAB_BUILD"
		LAB_RELEASE=$(cat "$LAB_BUILD/include/config/kernel.release")
		LAB_TREE=$(cd "$LAB_BUILD/source" 2>/dev/null && pwd) || LAB_TREE=$LAB_BUILD
		[ ! -f "$LAB_BUILD/lab.cpio" ] || LAB_MODULES=$LAB_BUILD/lab.cpio
		return 0
	fi
	[[ $version =~ ^[0-9]+\.[0-9]+$ ]] || lab_die "a version is two numbers, such as $LAB_VERSION, not $version"
	[ -d "$LAB_TOP/patches/linux-$version" ] || [ "$variant" = pristine ] ||
		lab_die "there is no series for Linux $version, only for: $(cd "$LAB_TOP/patches" && echo linux-*)"
	[ -z "$variant" ] || [ "$variant" = pristine ] || [ -f "$LAB/config.$variant" ] ||
		lab_die "no such variant: $variant (there is no lab/config.$variant)"
	# All at once, for who has to ask for them to be installed
	lab_need "${LAB_PACKAGES_BUILD[@]}" "${LAB_PACKAGES_GUEST[@]}" "linux-source-$version"
	[ "$variant" != clang ] || lab_need "${LAB_PACKAGES_CLANG[@]}"
	lab_tmp

	lab_lock "linux-$version"
	lab_source "$version"
	LAB_BUILD=$LAB_VERSION_DIR/build${variant:+-$variant}
	LAB_TREE=$LAB_VERSION_DIR/src
	[ "$variant" != pristine ] || LAB_TREE=$LAB_VERSION_DIR/pristine
	key=$(lab_key "$version" "$variant")
	if [ "$(cat "$LAB_BUILD/lab.key" 2>/dev/null)" != "$key" ]; then
		lab_build "$version" "$variant"
		echo "$key" >"$LAB_BUILD/lab.key"
	fi
	LAB_RELEASE=$(cat "$LAB_BUILD/include/config/kernel.release")
	# Copies, for who builds next does not wait until this one has booted
	LAB_IMAGE=$LAB_TMP/bzImage
	LAB_MODULES=$LAB_TMP/modules.cpio
	cp "$LAB_BUILD/arch/x86/boot/bzImage" "$LAB_IMAGE"
	cp "$LAB_BUILD/lab.cpio" "$LAB_MODULES"
	lab_unlock
}

# How far a build is; once something is built, how much there is to do is not known
lab_build_count()
{
	printf ': %s ' "$(grep -cE '^  (CC|AS)' "$1")"
	[ -f "$LAB_BUILD/vmlinux" ] || printf 'of about %s ' "$(cat "$LAB_BUILD/lab.objects" 2>/dev/null || echo "$LAB_OBJECTS")"
	printf 'objects'
}

lab_build()
{
	local version=$1 variant=$2 log=$LAB_CACHE/log/build${2:+-$2}-$1
	local status=0 begin=$SECONDS

	mkdir -p "$LAB_CACHE/log" "$LAB_BUILD"
	rm -f "$LAB_BUILD/lab.key"
	[ "$variant" = pristine ] || lab_source_update "$version"
	lab_space "$LAB_BUILD" 1000 "building a kernel"

	cat "$LAB/config" >"$LAB_BUILD/lab.config"
	[ ! -f "$LAB/config.$variant" ] || cat "$LAB/config.$variant" >>"$LAB_BUILD/lab.config"
	lab_step "configuring Linux $version" "$log" lab_make KCONFIG_ALLCONFIG="$LAB_BUILD/lab.config" allnoconfig
	lab_config_check

	LAB_COUNT=lab_build_count lab_try "building Linux $version${variant:+ ($variant)}" "$log" lab_make || status=$?
	if [ "$status" -ne 0 ]; then
		# -j: what went wrong is seldom at the end
		grep -E '(error|Error|ERROR|undefined reference|No space left)' "$log" | head -n 20 | sed 's/^/    /' >&2 || :
		lab_failed "building Linux $version failed" "$log"
	fi
	[ -f "$LAB_BUILD/lab.objects" ] || grep -cE '^  (CC|AS)' "$log" >"$LAB_BUILD/lab.objects" || :

	rm -rf "$LAB_BUILD/lab.root"
	mkdir -p "$LAB_BUILD/lab.root"
	lab_step "installing its modules" "$log.modules" \
		lab_make INSTALL_MOD_PATH="$LAB_BUILD/lab.root" modules_install
	rm -f "$LAB_BUILD/lab.root/lib/modules/"*/build
	# /lib is a link where /usr is not apart
	mkdir -p "$LAB_BUILD/lab.root/usr"
	mv "$LAB_BUILD/lab.root/lib" "$LAB_BUILD/lab.root/usr/lib"
	lab_cpio "$LAB_BUILD/lab.root" >"$LAB_BUILD/lab.cpio"
	lab_say "built Linux $version${variant:+ ($variant)} in $((SECONDS - begin)) s"
}

# What lab/config asks for and this kernel does not have is not lost silently
lab_config_check()
{
	local lost

	lost=$(sed -n 's/^\(CONFIG_[A-Z0-9_a-z]*=[^n].*\)/\1/p' "$LAB_BUILD/lab.config" |
		awk -F= '{ last[$1] = $0 } END { for (i in last) print last[i] }' |
		grep -vxFf "$LAB_BUILD/.config" |
		{ [ "$LAB_TREE" != "$LAB_VERSION_DIR/pristine" ] && cat || grep -v FUNCTION_ARG_SIGS; } | sort | tr '\n' ' ' || :)
	[ -z "$lost" ] || lab_say "not in this kernel: $lost"
}
