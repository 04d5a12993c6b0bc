# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Other compilers than the machine's own. lib/debian.sh unpacks them from Debian's suites
# into the cache, not into the system.

# The compilers that build kernels
LAB_COMPILERS=(gcc-12 gcc-14 gcc-15 gcc-16 clang-14 clang-19 clang-21 clang-22 clang-23)
LAB_COMPILER_SUITES=(bookworm trixie sid)

# lab_compiler gcc-N|clang-N|gcc-newest|clang-newest: set LAB_CC to the compiler's
# command, LAB_CC_NAME to its name with the number, and LAB_CC_MAKE to the arguments with
# which Kbuild uses the compiler and its binutils or LLVM.  HOSTCC stays the machine's own
# gcc.  For arm64, gcc is a cross compiler.
lab_compiler()
{
	local name=$1 machine=x86_64-linux-gnu tool LAB_SUITES=("${LAB_COMPILER_SUITES[@]}")

	case $name in
	gcc-newest|clang-newest)
		lab_compiler_newest "${name%-*}"
		name=$LAB_CC_NAME ;;
	esac
	[[ $name =~ ^(gcc|clang)-[0-9]+$ ]] || lab_die "no compiler: $name (but gcc-16 or clang-newest)"
	LAB_CC_NAME=$name
	case $LAB_ARCH-$name in
	arm64-gcc-*)
		machine=aarch64-linux-gnu
		lab_unpack "$name-arm64" 800 "$name for arm64" lab_compiler_cross "$name-$machine"
		# gcc first looks for as and ld in the folder of its own programs
		for tool in as ld; do
			ln -sf "$LAB_UNPACKED/usr/bin/$machine-$tool" \
				"$LAB_UNPACKED/usr/libexec/gcc-cross/$machine/${name#*-}/$tool"
		done ;;
	*)	lab_unpack "$name" 800 "$name" lab_compiler_choose "$name" ;;
	esac
	if [ "${name%-*}" = gcc ]; then
		LAB_CC=$LAB_UNPACKED/usr/bin/$machine-$name
		LAB_CC_MAKE=(CROSS_COMPILE="$LAB_UNPACKED/usr/bin/$machine-")
	else
		LAB_CC=$LAB_UNPACKED/usr/lib/llvm-${name#*-}/bin/clang
		LAB_CC_MAKE=(LLVM="${LAB_CC%clang}")
	fi
	LAB_CC_MAKE+=(CC="ccache $LAB_CC" HOSTCC="ccache gcc")
}

# Prints the packages of gcc-N or clang-N
# shellcheck disable=SC2153,SC2317,SC2329 # lab_unpack calls it and has set LAB_SUITE
lab_compiler_choose()
{
	if [ -z "$(lab_compiler_has "${1%-*}" "${1#*-}")" ]; then
		echo "$LAB_SUITE: the package $1 is not there" >&2
		return 1
	fi
	case $1 in
	gcc-*)	echo "$1" ;;
	clang-*) echo "$1 lld-${1#*-} llvm-${1#*-}" ;;
	esac
}

# Prints the package of a cross compiler
# shellcheck disable=SC2317,SC2329 # lab_unpack calls it
lab_compiler_cross()
{
	echo "$1"
}

# lab_compiler_has gcc|clang [N]: print the packages gcc-N or clang-N of LAB_SUITE, the
# newest package last
lab_compiler_has()
{
	apt-cache -c "${LAB_APT[-1]}" pkgnames "$1-" | grep -xE "$1-${2:-[0-9]+}" | sort -V
}

# lab_compiler_newest gcc|clang: set LAB_CC_NAME to the compiler with the highest number
# in the newest suite.  The result is looked up again after a week.
lab_compiler_newest()
{
	local file=$LAB_CACHE/unpacked/$1-newest LAB_SUITES=("${LAB_COMPILER_SUITES[-1]}")

	if [ -z "$(find "$file" -mtime -7 2>/dev/null)" ]; then
		mkdir -p "$LAB_CACHE/log" "$file.new"
		lab_debian "the newest $1-N" "$file.new" "$LAB_CACHE/log/$1-newest" lab_compiler_look "$1" "$file.new/name"
		mv "$file.new/name" "$file"
		rm -rf "$file.new"
	fi
	LAB_CC_NAME=$(cat "$file")
}

# shellcheck disable=SC2317,SC2329 # lab_debian calls it
lab_compiler_look()
{
	lab_compiler_has "$1" | tail -n 1 >"$2"
	[ -s "$2" ]
}
