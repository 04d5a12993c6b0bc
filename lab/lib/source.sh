# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The kernel's source and the series. The cache has for each version:
#
#   pristine        the unpacked source, never changed
#   src             the source with the series: hard links, except for changed files
#   src.key         the key of the series in src
#
# When the series changes, only files with a changed content get a new time, so make builds
# only the objects that depend on these files.

LAB_OVERLAY_TOPS=(arch block certs crypto Documentation drivers fs include init
		  io_uring ipc kernel lib mm net rust samples scripts security
		  sound tools usr virt)

# lab_files [FOLDER...]: print the files of the repository: those that git has or would add.
# Without git, the .gitignore files say which files a build has left.
lab_files()
{
	local git=(git -c safe.directory='*' -C "$LAB_TOP") file pattern ignored=(-path ./.git)

	# The checkout may belong to another user. Its scripts run anyway.
	if [ "$("${git[@]}" rev-parse --show-toplevel 2>/dev/null)" = "$LAB_TOP" ]; then
		"${git[@]}" ls-files -co --exclude-standard -- "$@"
	else
		while IFS=: read -r file pattern; do
			file=${file%.gitignore}
			# A slash before the end ties a pattern to the folder of .gitignore
			case ${pattern%/} in
			*/*)	ignored+=(-o -path "$file${pattern#/}") ;;
			*)	ignored+=(-o -path "$file*" -name "${pattern%/}") ;;
			esac
		done < <(cd "$LAB_TOP" && find . -name .gitignore -exec grep -H '^[^#]' {} +)
		(cd "$LAB_TOP" && find "${@/#/./}" \( "${ignored[@]}" \) -prune -o -type f -print) | sed 's,^\./,,'
	fi | sort | while read -r file; do
		# git also lists deleted files
		[ ! -f "$LAB_TOP/$file" ] || printf '%s\n' "$file"
	done
}

# Print the files that the series adds, as paths in the tree
lab_overlay()
{
	local top tops=()

	for top in "${LAB_OVERLAY_TOPS[@]}"; do
		[ ! -d "$LAB_TOP/$top" ] || tops+=("$top")
	done
	[ ${#tops[@]} -eq 0 ] || lab_files "${tops[@]}"
}

# lab_series_files VERSION: print the existing files that the patches change
lab_series_files()
{
	cat "$LAB_TOP/patches/linux-$1/"*.patch /dev/null |
		sed -nE 's,^(---|\+\+\+) [ab]/([^	]*).*,\2,p' | sort -u
}

# lab_patch_why PATCH: read the output of a patch(1) without -s that has failed, and print each
# hunk that does not fit, with its file and line.  Missing files are left out.
lab_patch_why()
{
	awk -v patch="$1" '
		function flush() {
			for (i = 1; i <= n; i++)
				print file ":" line[i] ": hunk " hunk[i] (total ? " of " total : "") " of " patch " does not fit"
			known += n
			n = total = 0
		}
		/^patching file / { flush(); file = $3 }
		/^Hunk #[0-9]+ FAILED at / { hunk[++n] = substr($2, 2); line[n] = $5 + 0 }
		/^[0-9]+ out of [0-9]+ hunks? FAILED/ { total = $4 }
		/^Reversed \(or previously applied\) patch detected/ {
			print file ": " patch " is applied already"
			known++
		}
		/^No file to patch/ { known++ }
		{ last = $0 }
		END { flush(); if (!known) print patch ": " last }'
}

# lab_have DIR: print those files of the input that DIR has
lab_have()
{
	local file

	while read -r file; do
		[ ! -f "$1/$file" ] || echo "$file"
	done
}

# lab_copy FROM TO [TAR-OPTION...]: copy the files of the input from a folder to another one, in
# one go, because a process for each file takes minutes on a slow machine
lab_copy()
{
	mkdir -p "$2"
	tar -c -h -C "$1" --no-recursion --verbatim-files-from -T - | tar -x -C "$2" "${@:3}"
}

# lab_series VERSION TREE NEW: write the files of TREE with the series to NEW.  If a patch
# does not fit, returns 1.  NEW.log then has a line for each file that is missing, and for
# each hunk that does not fit.
lab_series()
{
	local version=$1 tree=$2 new=$3 file patch

	# "set -e" has no effect if the caller checks the status
	lab_series_files "$version" | lab_have "$tree" | lab_copy "$tree" "$new" -p ||
		lab_die "the files of $tree cannot be copied to $new"
	while read -r file; do
		[ -f "$new/$file" ] || echo "$file is not there"
	done < <(lab_series_files "$version") >"$new.log"
	for patch in "$LAB_TOP/patches/linux-$version/"*.patch; do
		patch -p1 -F1 -N -f --no-backup-if-mismatch -r - -d "$new" <"$patch" >"$new.said" 2>&1 ||
			lab_patch_why "${patch#"$LAB_TOP/"}" <"$new.said" >>"$new.log"
	done
	rm -f "$new.said"
	[ ! -s "$new.log" ] || return 1
	# As new files, so that make builds them
	lab_overlay | lab_copy "$LAB_TOP" "$new" -m ||
		lab_die "the files of the series cannot be copied to $new"
}

# Unpack the installed linux-source-VERSION
lab_source_installed()
{
	tar -xf "/usr/src/linux-source-$1.tar.xz" -C "$2" --strip-components=1
}

# Unpack linux-source-VERSION from its package in the folder
lab_source_package()
{
	dpkg-deb --fsys-tarfile "$2/../package/"*.deb |
		tar -xO --wildcards "*/linux-source-$1.tar.xz" |
		tar -xJ -C "$2" --strip-components=1
}

# Copy KSRC, or its committed files if it is a git tree
lab_source_ksrc()
{
	if [ -e "$KSRC/.git" ]; then
		git -C "$KSRC" archive HEAD | tar -x -C "$2"
	else
		cp -a "$KSRC/." "$2"
	fi
}

# lab_source_fetch VERSION DIR LOG: download linux-source-VERSION to DIR
lab_source_fetch()
{
	local package=linux-source-$1 dir=$2 log=$3 file

	file=$("${LAB_APT[@]}" --print-uris download "$package" 2>>"$log" |
		sed -n "s/^'.* \(${package}[^ ]*\.deb\) .*/\1/p") || :
	if [ -z "$file" ]; then
		echo "$LAB_SUITE: $package is not there" >>"$log"
		return 1
	fi
	(cd "$dir" && lab_try "fetching $file" "$log" "${LAB_APT[@]}" download "$package")
}

# lab_source_unpack IS WHAT COMMAND ARGUMENT: fill pristine with COMMAND, and make src
lab_source_unpack()
{
	local is=$1 what=$2 command=$3 version=$4 file

	mkdir -p "$LAB_VERSION_DIR/pristine" "$LAB_CACHE/log"
	lab_step "unpacking $what" "$LAB_CACHE/log/unpack" \
		"$command" "$version" "$LAB_VERSION_DIR/pristine"
	cp -al "$LAB_VERSION_DIR/pristine" "$LAB_VERSION_DIR/src"
	: >"$LAB_VERSION_DIR/series"
	for file in "$LAB_VERSION_DIR"/{pristine,src}; do
		[ "$(lab_tree_version "$file")" = "$version" ] ||
			lab_die "$what is not what was expected: Linux $(lab_tree_version "$file")"
	done
	echo "$is" >"$LAB_VERSION_DIR/unpacked"
}

# Print the version in a kernel tree's Makefile
lab_tree_version()
{
	sed -nE 's/^(VERSION|PATCHLEVEL) *= *([0-9]+)$/\2/p' "$1/Makefile" 2>/dev/null |
		head -n 2 | paste -sd .
}

# Remove the old source and its objects, which cannot be used with another source
lab_source_renew()
{
	rm -rf "$LAB_VERSION_DIR"
	lab_space "$LAB_CACHE" 4000 "a kernel tree with its objects"
}

# lab_source_installs VERSION: whether the source is a package of this machine's own suite,
# which has to be installed.  Newer suites than Debian 13 do not have the default version.
lab_source_installs()
{
	[ -z "${KSRC:-}" ] && [ "$1" = "$LAB_DEFAULT" ] || return 1
	lab_installed "linux-source-$1" ||
		{ [ ! -f "$LAB_CACHE/linux-$1/unpacked" ] && lab_offered "linux-source-$1"; }
}

# Set LAB_VERSION_DIR, and unpack the source if this is not done yet: KSRC, or Debian's
# linux-source-VERSION, which is installed or fetched.  The caller holds the lock.
lab_source()
{
	local version=$1 package=linux-source-$1 is was dir

	LAB_VERSION_DIR=$LAB_CACHE/linux-$version${KSRC:+-ksrc}
	was=$(cat "$LAB_VERSION_DIR/unpacked" 2>/dev/null || :)
	if [ -n "${KSRC:-}" ]; then
		[ "$(lab_tree_version "$KSRC")" = "$version" ] ||
			lab_die "KSRC: $KSRC is not a tree of Linux $version${KSRC:+ (-k?)}"
		# A tree without git is copied again if it has a newer file
		is=$(git -C "$KSRC" rev-parse HEAD 2>/dev/null ||
			find "$KSRC" -type f -printf '%T@\n' | sort -n | tail -n 1)
		is="$(realpath "$KSRC") $is"
		[ "$was" != "$is" ] || return 0
		[ ! -e "$KSRC/include/config" ] || lab_die "KSRC: $KSRC is not clean: make mrproper"
		lab_source_renew
		lab_source_unpack "$is" "$KSRC" lab_source_ksrc "$version"
	elif lab_source_installs "$version"; then
		is=$(dpkg-query -W -f '${Version}' "$package")
		[ "$was" != "$is" ] || return 0
		lab_source_renew
		lab_source_unpack "$is" "$package $is" lab_source_installed "$version"
	elif [ -z "$was" ]; then
		lab_source_renew
		dir=$LAB_VERSION_DIR/package
		mkdir -p "$dir"
		lab_debian "$package" "$dir" "$LAB_CACHE/log/source" \
			lab_source_fetch "$version" "$dir" "$LAB_CACHE/log/source"
		is=$(echo "$dir"/*.deb | sed 's/.*_\(.*\)_.*/\1/')
		lab_source_unpack "$is" "$package $is" lab_source_package "$version"
		rm -rf "$dir"
	fi
}

# lab_pristine_source VERSION: as lab_source, if only the source is needed. Takes the lock.  If
# LAB_BUILD is in the environment, the source beside this build is used for its version.
lab_pristine_source()
{
	local packages=(xz-utils)

	lab_commands patch
	if [ -n "${LAB_BUILD:-}" ] && [ "$(lab_tree_version "${LAB_BUILD%/*}/pristine")" = "$1" ]; then
		LAB_VERSION_DIR=${LAB_BUILD%/*}
		return 0
	fi
	! lab_source_installs "$1" || packages+=("linux-source-$1")
	[ -n "${KSRC:-}" ] || lab_need "${packages[@]}"
	lab_lock "linux-$1${KSRC:+-ksrc}"
	lab_source "$1"
	lab_unlock
}

# lab_states DIR: print the mode, the sum and the name of those files of the input that DIR has
lab_states()
{
	local files

	readarray -t files < <(lab_have "$1")
	[ ${#files[@]} -eq 0 ] || (cd "$1" && paste -d ' ' <(stat -c %A -- "${files[@]}") <(sha256sum -- "${files[@]}"))
}

# lab_series_key VERSION: print a hash of the series
lab_series_key()
{
	{
		lab_overlay | lab_states "$LAB_TOP"
		cat "$LAB_TOP/patches/linux-$1/"*.patch /dev/null
	} | sha256sum | cut -d' ' -f1
}

# Update src to the series.  The caller holds the lock.
lab_source_update()
{
	local version=$1 dir=$LAB_VERSION_DIR new=$LAB_VERSION_DIR/new file key

	key=$(lab_series_key "$version")
	[ "$(cat "$dir/src.key" 2>/dev/null)" != "$key" ] || return 0
	rm -rf "$new" "$dir/src.key"
	lab_series "$version" "$dir/pristine" "$new" ||
		lab_failed "the series does not fit $(cat "$dir/unpacked")" "$new.log"
	{ lab_series_files "$version"; lab_overlay; } | sort -u >"$dir/series.new"
	# Keep both lists until the update is complete, in case it is interrupted
	sort -u "$dir/series" "$dir/series.new" >"$dir/series.both"
	cp "$dir/series.both" "$dir/series"
	# Files that the series does not change any more
	comm -23 "$dir/series.both" "$dir/series.new" | lab_have "$dir/pristine" | lab_copy "$dir/pristine" "$new" -p
	lab_source_copy "$new" "$dir/src" <"$dir/series.both"
	while read -r file; do
		[ -f "$new/$file" ] || rm -f "$dir/src/$file"
	done <"$dir/series.both"
	mv "$dir/series.new" "$dir/series"
	rm -rf "$new" "$new.log" "$dir/series.both"
	echo "$key" >"$dir/src.key"
}

# lab_source_copy FROM TO: copy those files of the input whose content or mode differs, with the
# current time. tar removes a file before it writes the file, so it writes through no hard link.
lab_source_copy()
{
	local files

	readarray -t files
	comm -23 <(printf '%s\n' "${files[@]}" | lab_states "$1" | sort) \
		<(printf '%s\n' "${files[@]}" | lab_states "$2" | sort) |
		sed 's/^[^ ]* *[^ ]* *//' | lab_copy "$1" "$2" -p -m
}

# lab_checkpatch TREE ARGUMENT...: print the messages of TREE's checkpatch.pl --strict,
# without messages that do not apply to this project. Returns 1 if there is a message.
lab_checkpatch()
{
	local tree=$1 ignore bin=$LAB_TMP/checkpatch allowed status=0

	shift
	# Ignore messages about maintainers of new files and about sign-offs. The source has
	# no history for the lookup of commits. 6.12 has no kzalloc_obj().
	ignore=FILE_PATH_CHANGES,MISSING_SIGN_OFF,NO_AUTHOR_SIGN_OFF,UNKNOWN_COMMIT_ID,ALLOC_WITH_SIZEOF
	# Hide Python, because checkpatch.pl's helper in Python needs modules that are not
	# installed
	if [ ! -d "$bin" ]; then
		mkdir "$bin"
		ln -s "$(command -v perl)" "$(command -v diff)" "$(command -v find)" "$(command -v grep)" "$bin"
		# Hide git, because checkpatch.pl treats patches in a repository as source
		ln -s "$(type -P false)" "$bin/git"
	fi
	# Allow these messages: samples are unusual code. The names of libelf, libdw,
	# zlib, libFuzzer, libdl, protoc-c and C11 are given. Variables that a signal handler
	# changes are volatile in C. linux/nmi.h includes asm/nmi.h only in some configs.
	# One module has to crash. Operands of asm() that a macro gets are not arithmetic.
	# KUnit's and the kernel's macros have the same parameters in user space. A patch
	# documents the kernel's parameter. The list of a line's errors is a macro, as in
	# trace_probe.h.
	allowed='^[^:]*/samples/|<asm/nmi\.h>$'
	allowed+='|^(scripts/gen_arg_sigs/[^/:]*|tools/testing/(gen_arg_sigs/fuzz/[^/:]*|bts/codec-fuzz\.c)|tools/tracing/(traceevent/(plugin_graph_args\.c|sigs_file\.c|compat/standalone/linux/kernel\.h)|calls/(alternatives|cmd-perfetto|cmd-expr|cmd-signatures|dat|dump|images|layouts|maps|sigfile|sources|vmcore-formats)\.[ch])):[0-9]+: [A-Z]+:CAMELCASE:'
	allowed+='|^tools/tracing/calls/perfetto\.proto:[0-9]+: [A-Z]+:REPEATED_WORD:'
	allowed+='|^tools/tracing/traceevent/compat/standalone/linux/kernel\.h:[0-9]+: [A-Z]+:PREFER_DEFINED_ATTRIBUTE_MACRO:'
	allowed+='|^tools/tracing/calls/cmd-run\.c:[0-9]+: [A-Z]+:VOLATILE:'
	allowed+='|^arch/(x86|arm64)/include/asm/trace_readable\.h:[0-9]+: [A-Z]+:SPACING: [^(]*.%. '
	allowed+='|^tools/testing/(bts/bts_crash|arg_sigs/crash)/[^:]*:[0-9]+: [A-Z]+:AVOID_BUG:'
	allowed+='|^tools/testing/text/compat/[^:]*:[0-9]+: [A-Z]+:(MACRO_|COMPLEX_MACRO|IS_ENABLED_CONFIG)'
	allowed+='|^kernel/trace/calls/lines\.c:[0-9]+: [A-Z]+:UNDOCUMENTED_SETUP:'
	allowed+='|^kernel/trace/calls/parse\.[ch]:[0-9]+: [A-Z]+:(COMPLEX_MACRO|MACRO_ARG_UNUSED)'
	PATH=$bin perl "$tree/scripts/checkpatch.pl" --root="$tree" --strict --terse --showfile --show-types \
		--no-summary --ignore "$ignore" "$@" >"$LAB_TMP/checkpatch.said" || status=$?
	# The status is 1 if checkpatch.pl has printed a message, and more if it has failed
	[ "$status" -le 1 ] || return
	! grep -vE "$allowed" "$LAB_TMP/checkpatch.said"
}
