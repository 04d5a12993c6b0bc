# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The architecture of the kernels that are built and of the guests: LAB_ARCH, which -a sets.
# lab/config-ARCH has the options of its machine, as QEMU emulates it.
#
#   LAB_ARCH_SERIES   versions whose series has the architecture
#   LAB_ARCH_IMAGE    what is booted, in the folder of a build
#   LAB_ARCH_CC       the compiler; LAB_ARCH_MAKE are make's arguments
#   LAB_ARCH_CONSOLE  the console of the guest's first serial port
#   LAB_ARCH_QEMU     the emulator, and its arguments for the machine
#   LAB_ARCH_CPU      the guest's CPU
#   LAB_ARCH_BUILD    the begin of the names of builds

# lab_arch NAME: choose the architecture, also for the commands that this command runs
lab_arch()
{
	export LAB_ARCH=$1
	LAB_ARCH_MAKE=()
	LAB_ARCH_CC=gcc
	case $LAB_ARCH in
	x86)	LAB_ARCH_SERIES=()
		LAB_ARCH_IMAGE=arch/x86/boot/bzImage
		LAB_ARCH_CONSOLE=ttyS0
		LAB_ARCH_QEMU=(qemu-system-x86_64 -M pc,hpet=off,usb=off,vmport=off)
		LAB_ARCH_CPU=qemu64,+rdrand,+ssse3,+sse4.1,+sse4.2,+popcnt,+smep,+smap,+fsgsbase,+pku
		LAB_ARCH_BUILD='' ;;
	arm64)	LAB_ARCH_SERIES=(7.3)
		[ "$LAB_VERSION" != "$LAB_DEFAULT" ] || export LAB_VERSION=7.3
		LAB_ARCH_IMAGE=arch/arm64/boot/Image
		LAB_ARCH_CC=aarch64-linux-gnu-gcc
		LAB_ARCH_MAKE=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-)
		LAB_ARCH_CONSOLE=ttyAMA0
		LAB_ARCH_QEMU=(qemu-system-aarch64 -M virt)
		LAB_ARCH_CPU=cortex-a76
		LAB_ARCH_BUILD=-arm64 ;;
	s390x)	# A big-endian kernel of Debian records what the readers read
		LAB_ARCH_SERIES=(none)
		LAB_ARCH_IMAGE=arch/s390/boot/bzImage
		LAB_ARCH_CONSOLE=ttysclp0
		LAB_ARCH_QEMU=(qemu-system-s390x -M s390-ccw-virtio)
		LAB_ARCH_CPU=max
		LAB_ARCH_BUILD=-s390x ;;
	*)	lab_die "-a takes x86 or arm64, not $LAB_ARCH" ;;
	esac
}
lab_arch "${LAB_ARCH:-x86}"

# lab_arch_version VERSION: check that the series of a version has the architecture
lab_arch_version()
{
	[ ${#LAB_ARCH_SERIES[@]} -eq 0 ] || [[ " ${LAB_ARCH_SERIES[*]} " = *" $1 "* ]] ||
		lab_die "the series for Linux $1 has no $LAB_ARCH, only that for ${LAB_ARCH_SERIES[*]}: see -k"
}

# lab_arch_newest_qemu: let LAB_QEMU_ARGS begin with the emulator of Debian's newest suite
lab_arch_newest_qemu()
{
	lab_unpack "qemu-$LAB_ARCH" 700 "the newest QEMU for $LAB_ARCH" lab_arch_qemu_package
	LAB_QEMU_ARGS=("$LAB_UNPACKED/usr/bin/${LAB_ARCH_QEMU[0]}" -L "$LAB_UNPACKED/usr/share/qemu"
		       "${LAB_QEMU_ARGS[@]:1}")
}

# Prints the package that lab_unpack unpacks
# shellcheck disable=SC2317,SC2329 # lab_unpack calls it
lab_arch_qemu_package()
{
	case $LAB_ARCH in
	x86)	echo qemu-system-x86 ;;
	arm64)	echo qemu-system-arm ;;
	s390x)	echo qemu-system-misc ;;
	esac
}
