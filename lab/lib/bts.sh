# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The emulated CPU with Branch Trace Store: a newer QEMU than the system's QEMU, unpacked
# by lib/debian.sh, and the plugin and the tools of tools/testing/bts-cpu.

LAB_BTS=			# if set, guests get the emulated CPU
LAB_BTS_PACKAGES=(gcc binutils libc6-dev make)
LAB_BTS_MINIMUM=11.1		# the first QEMU with version 7 of the plugin API
# ds, dtes64 and ds-cpl need x-force-features, which forces all features of the model. So
# turn off vme, which TCG lacks, and x2apic, which the plugin lacks. CPUID 0x15 needs
# level.
LAB_BTS_CPU=Nehalem,level=0x15,x-force-features=on,+ds,+dtes64,+ds-cpl,-vme,-x2apic
LAB_BTS_CPU+=${LAB_BTS_MODEL:+,model=$LAB_BTS_MODEL}

# Give guests the emulated CPU
lab_bts()
{
	lab_bts_tools
	LAB_BTS=1
}

# As lab_bts, and the CPU has last branch records, unless the environment selects another CPU
lab_bts_lbr()
{
	lab_bts
	if [ -z "${LAB_BTS_MODEL:-}${LAB_BTS_UNKIND:-}" ]; then
		# Linux knows the number of the records from the model
		LAB_BTS_CPU+=,model=94
		LAB_BTS_UNKIND=lbr=1
	fi
}

# lab_bts_tools: set LAB_BTS_QEMU (the command) and LAB_BTS_TOOLS (a folder with
# bts-cpu.so, profile.so, steps.so, bts-log and bts-mark)
lab_bts_tools()
{
	local dir=$LAB_CACHE/bts

	lab_need "${LAB_BTS_PACKAGES[@]}"
	lab_unpack qemu 500 "QEMU $LAB_BTS_MINIMUM or newer, for -b," lab_bts_choose
	LAB_BTS_QEMU=("$LAB_UNPACKED/usr/bin/qemu-system-x86_64"
		      -L "$LAB_UNPACKED/usr/share/qemu" -L "$LAB_UNPACKED/usr/share/seabios")
	lab_bts_build "$dir"
}

# Prints the package of QEMU, if it is new enough
# shellcheck disable=SC2317,SC2329 # lab_unpack calls it
lab_bts_choose()
{
	local version

	version=$("${LAB_APT[@]}" --print-uris install qemu-system-x86 |
		sed -n 's/^.* qemu-system-x86_[0-9]*%3a\([^_]*\)_.*/\1/p')
	if ! dpkg --compare-versions "${version:-0}" ge "$LAB_BTS_MINIMUM"; then
		echo "$LAB_SUITE: QEMU ${version:-is not there}" >&2
		return 1
	fi
	echo qemu-system-x86
}

# lab_bts_build DIR: build the plugin and the tools, and set LAB_BTS_TOOLS
lab_bts_build()
{
	local source=$LAB_TOP/tools/testing/bts-cpu key log=$LAB_CACHE/log/bts-cpu

	key=$({ gcc --version; cat "$source"/*.[ch] "$source/Makefile"; } | sha256sum)
	LAB_BTS_TOOLS=$1/tools-${key:0:16}
	[ ! -d "$LAB_BTS_TOOLS" ] || return 0
	lab_lock bts
	# Another command may have built the tools meanwhile
	if [ ! -d "$LAB_BTS_TOOLS" ]; then
		rm -rf "$1/tools.new"
		mkdir -p "$1/tools.new" "$LAB_CACHE/log"
		make -s -C "$source" O="$1/tools.new" >"$log" 2>&1 || lab_failed "building the plugin failed" "$log"
		mv "$1/tools.new" "$LAB_BTS_TOOLS"
	fi
	lab_unlock
}

# lab_bts_args CPUS ICOUNT: print QEMU's arguments for the emulated CPU.  With
# LAB_BTS_LOG=FILE, each branch is logged to FILE, see bts-log.  LAB_BTS_UNKIND has
# switches of the plugin, and LAB_BTS_MODEL another model of the CPU (bts-cpu.c).  QEMU
# passes the right CPU to a plugin only if each CPU has its own thread. -icount does not
# work with several threads.
lab_bts_args()
{
	local plugin=$LAB_BTS_TOOLS/bts-cpu.so

	[ -z "${LAB_BTS_LOG:-}" ] || plugin+=,log=${LAB_BTS_LOG//,/,,}
	plugin+=${LAB_BTS_UNKIND:+,$LAB_BTS_UNKIND}
	if [ "$1" -gt 1 ] || [ "$2" = off ]; then
		printf '%s\n' -accel tcg,thread=multi
	else
		printf '%s\n' -accel tcg,thread=single -icount "$2"
		plugin+=,tsc=1000000
	fi
	printf '%s\n' -object "memory-backend-memfd,id=ram,size=${LAB_MEM:-1G}" \
		-machine memory-backend=ram -plugin "$plugin"
}

# lab_bts_perf DIR: copy perf with its libraries to DIR, for a guest
lab_bts_perf()
{
	lab_need linux-perf
	lab_program "$(command -v perf)" "$1"
}

# not_ok TEXT: print a failure.  A test ends with "exit $status".
not_ok()
{
	echo "not ok: $*"
	status=1
}

# lab_bts_log NAME MARK CPUS [kernel]: write the log's records between two marks, or those that
# lead to the kernel, of each CPU to NAME.log.CPU
lab_bts_log()
{
	local cpu

	for ((cpu = 0; cpu < $3; cpu++)); do
		"$LAB_BTS_TOOLS/bts-log" -b -r -t "${4:-both}" -c $cpu -m "$2:$(($2 + 1))" log \
			>"$1.log.$cpu"
	done
}

# lab_bts_disassemble VMLINUX: print the first symbol, the branches and the instructions after
# them
lab_bts_disassemble()
{
	nm "$1" | grep ' _text$'
	objdump -d --no-show-raw-insn "$1" | grep -A 1 -E \
		$'^[0-9a-f]{16} <|\t([a-z0-9.]+ )*(call|l?jmp|j[a-z]+|loop|l?ret|iret|sysret)|[(]bad[)]' |
		grep -v '^--'
}
