# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest: its root file system, an initramfs with this machine's own binaries, and
# QEMU.
#
# The environment:
#   LAB_TIMEOUT   maximum seconds of a script in all (600), as on an idle machine
#   LAB_SILENCE   maximum seconds without any output or kernel message (240), as on an idle
#                 machine
#   LAB_MEM       the guest's memory (1G)
#   LAB_APPEND    more words for the kernel's command line
#   LAB_QEMU      more arguments for QEMU
#   LAB_ACCEL     tcg emulates the CPUs. kvm runs them on this machine's CPUs, which is
#                 faster, and CPUs run in parallel. tcg is the default, but lab/shell
#                 uses KVM if available. Guests with BTS are always emulated.
#   LAB_ICOUNT    another -icount (shift=1,sleep=off), or off, so that the guest's clocks
#                 are the machine's clocks; only for emulated CPUs
#   LAB_LOG_OK    a regular expression of kernel messages that are not a failure
#                 although they look like one

LAB_LOG_BAD='WARNING:|BUG:|Oops:|Kernel panic|kernel BUG at|INFO: (task|rcu)|UBSAN:|unchecked MSR access'

# The machine's programs in the guest: whole packages, and single commands. busybox
# provides the missing commands.
LAB_ROOT_PACKAGES=(coreutils dash bash grep sed mawk findutils diffutils
		   util-linux mount procps kmod trace-cmd)
LAB_ROOT_EXTRA=(mkfs.ext4 gawk)

# lab_libraries PROGRAM [COMMAND...]: print the files of its libraries and of its loader.  COMMAND
# lists them for another architecture.
lab_libraries()
{
	local program=$1

	shift
	"${@:-ldd}" "$program" 2>/dev/null | sed -nE 's,^[^/]*(/[^ ]+) \(0x.*,\1,p' || :
}

# lab_program PROGRAM DIR: copy a program with its libraries to DIR, for a guest
lab_program()
{
	mkdir -p "$2"
	{ echo "$1"; lab_libraries "$1"; } | while read -r file; do
		cp -L "$file" "$2/"
	done
}

# Make the initramfs, and set LAB_ROOT to it
lab_root()
{
	local dir=$LAB_CACHE/root$LAB_ARCH_BUILD key tree file

	lab_need "${LAB_PACKAGES_GUEST[@]}"
	key=$({ dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' \
			"${LAB_ROOT_PACKAGES[@]}" e2fsprogs gawk busybox-static libc6 libtraceevent1 libtracefs1 \
			2>/dev/null || :
		cat "$LAB/lib/guest.sh" "$LAB/guest/"*; } | sha256sum)
	LAB_ROOT=$dir/${key:0:16}.cpio
	[ ! -f "$LAB_ROOT" ] || return 0

	lab_lock "root$LAB_ARCH_BUILD"
	[ ! -f "$LAB_ROOT" ] || { lab_unlock; return 0; }
	tree=$dir/tree
	rm -rf "$tree" "$dir/unpacked"
	mkdir -p "$dir"
	# Another checkout may be about to boot its own initramfs
	find "$dir" -maxdepth 1 -name '*.cpio' -mmin +240 -delete
	# / and /usr are merged, as in Debian
	mkdir -p "$tree"/{usr/{bin,sbin,lib,lib64},dev,proc,sys,tmp,run,etc,root,mnt,lab,work,var/tmp}
	for file in bin sbin lib lib64; do
		ln -s "usr/$file" "$tree/$file"
	done
	if [ "$LAB_ARCH" = x86 ]; then
		lab_root_own "$dir"
	else
		lab_root_foreign "$dir"
	fi
	busybox --list-full | while read -r file; do
		file=$tree/usr/bin/${file##*/}
		[ -e "$file" ] || ln -s /bin/busybox "$file"
	done
	printf "%s\n" root:x:0:0:root:/root:/bin/sh nobody:x:65534:65534:nobody:/:/bin/false >"$tree/etc/passwd"
	printf '%s:x:%s:\n' root 0 tty 5 >"$tree/etc/group"
	echo 127.0.0.1 localhost >"$tree/etc/hosts"
	ln -s /proc/mounts "$tree/etc/mtab"
	install -m 755 "$LAB/guest/init" "$tree/init"
	cp "$LAB/guest/motd" "$tree/lab/motd"
	lab_cpio "$tree" >"$LAB_ROOT.new"
	mv "$LAB_ROOT.new" "$LAB_ROOT"
	rm -rf "$tree"
	lab_unlock
}

# lab_root_foreign DIR: put another architecture's programs, from this machine's suite, into
# DIR/tree
lab_root_foreign()
{
	local tree=$1/tree dir suite packages

	lab_need mmdebstrap
	suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	packages=$(printf '%s,' "${LAB_ROOT_PACKAGES[@]}" e2fsprogs)busybox-static
	lab_step "unpacking programs for $LAB_ARCH" "$LAB_CACHE/log/root$LAB_ARCH_BUILD" \
		mmdebstrap --variant=extract --architectures="$LAB_ARCH" --include="$packages" "$suite" \
		"$1/unpacked" "deb $(lab_debian_mirror '') $suite main"
	for dir in bin sbin lib; do
		for tree in "$1/unpacked/$dir" "$1/unpacked/usr/$dir"; do
			[ -L "$tree" ] || [ ! -d "$tree" ] || cp -a "$tree/." "$1/tree/usr/$dir"
		done
	done
	# The packages' scripts, which make this link, have not run
	ln -sf mawk "$1/tree/usr/bin/awk"
	# Perl and the folders of other programs are large
	rm -rf "$1/unpacked" "$1/tree/usr/bin/"perl* "$1/tree/usr/lib/"{apt,systemd,udev,dpkg} \
		"$1/tree/usr/lib/"*-linux-gnu/{perl*,gconv}
}

# lab_root_own DIR: put this machine's programs into DIR/tree
lab_root_own()
{
	local dir=$1 tree=$1/tree file lib package

	cp -L /bin/busybox "$tree/usr/bin/busybox"
	for package in "${LAB_ROOT_PACKAGES[@]}"; do
		dpkg -L "$package" 2>/dev/null | grep -E '^(/usr)?/s?bin/[^/]+$' || :
	done >"$dir/files"
	for file in "${LAB_ROOT_EXTRA[@]}"; do
		command -v "$file" >>"$dir/files" || :
	done
	for file in /usr/bin/awk /bin/sh; do
		[ ! -e "$file" ] || echo "$file" >>"$dir/files"
	done
	while read -r file; do
		[ -f "$file" ] && [ -x "$file" ] || continue
		# Skip scripts, because their interpreters are missing
		[ "$(head -c 4 "$file" | tr -d '\0')" = $'\x7fELF' ] || continue
		rm -f "$tree$file"
		cp -L "$file" "$tree$file"
		lab_libraries "$file"
	done <"$dir/files" | sort -u >"$dir/libs"
	# Copy the loader and the libraries, and trace-cmd's plugins, to the same paths
	while read -r lib; do
		mkdir -p "$tree${lib%/*}"
		cp -L "$lib" "$tree$lib"
	done <"$dir/libs"
	for lib in /usr/lib/x86_64-linux-gnu/traceevent /usr/lib/traceevent /usr/lib/x86_64-linux-gnu/trace-cmd /usr/lib/trace-cmd; do
		[ ! -d "$lib" ] || { mkdir -p "$tree$lib"; cp -a "$lib/." "$tree$lib"; }
	done
}

# lab_cpio DIR: write the folder as an initramfs to the output.  It is not compressed,
# because an emulated CPU reads faster than it decompresses.
lab_cpio()
{
	(cd "$1" && find . -mindepth 1 -printf '%P\n' | sort | busybox cpio -o -H newc -R 0:0 2>/dev/null)
}

# lab_guest_job MODE NAME OUT: write /lab/job for init, and make the initrd. The caller
# calls lab_guest_work first, which sets LAB_WORK, the folder in which the script will
# run.
lab_guest_work()
{
	lab_tmp
	LAB_WORK=$LAB_TMP/in/work
	mkdir -p "$LAB_WORK" "$LAB_TMP/in/lab"
}

lab_guest_job()
{
	printf '%s=%q\n' job "$1" name "$2" out "$3" term "${TERM:-linux}" >"$LAB_TMP/in/lab/job"
	if [ "$1" = shell ]; then
		stty size | { read -r rows cols; printf 'rows=%d\ncols=%d\n' "$rows" "$cols"; } >>"$LAB_TMP/in/lab/job"
	fi
	[ -z "$LAB_BTS" ] || install -D "$LAB_BTS_TOOLS/bts-mark" "$LAB_TMP/in/usr/bin/bts-mark"
	lab_cpio "$LAB_TMP/in" >"$LAB_TMP/in.cpio"
	cat "$LAB_ROOT" ${LAB_MODULES:+"$LAB_MODULES"} "$LAB_TMP/in.cpio" >"$LAB_TMP/initrd"
	rm -rf "$LAB_TMP/in" "$LAB_TMP/in.cpio"
}

# lab_kvm: whether this machine's KVM supports the guest's CPU
lab_kvm()
{
	echo quit | timeout 20 "${LAB_ARCH_QEMU[@]}" -nodefaults -no-user-config -display none \
		-accel kvm -cpu "${LAB_CPU:-$LAB_ARCH_CPU},enforce" -S -monitor stdio >/dev/null 2>&1
}

# End the command if this machine does not support LAB_ACCEL
lab_accel()
{
	case ${LAB_ACCEL:-tcg} in
	tcg)	return 0 ;;
	kvm)	;;
	*)	lab_die "LAB_ACCEL is tcg or kvm, not $LAB_ACCEL" ;;
	esac
	[ "${LAB_ICOUNT:-off}" = off ] || lab_die "LAB_ICOUNT=$LAB_ICOUNT: KVM does not count instructions, unset LAB_ACCEL"
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || lab_die "LAB_ACCEL=kvm: /dev/kvm cannot be used"
}

# lab_qemu CPUS APPEND ICOUNT: set LAB_QEMU_ARGS
lab_qemu()
{
	local append bts cpu=$LAB_ARCH_CPU

	[ -n "$LAB_BTS" ] || lab_accel
	append="console=$LAB_ARCH_CONSOLE ignore_loglevel reboot=t panic=-1 oops=panic"
	[ "$LAB_ARCH" != x86 ] || append+=" no_timer_check tsc=reliable"
	append+=" rdinit=/init $LAB_VARIANT_APPEND $2 ${LAB_APPEND:-}"
	# From Linux 7.2 on, a later "auto" does not turn on mitigations that "off" has turned
	# off
	[[ $append = *mitigations=* ]] || append+=" mitigations=off"
	[ -z "$LAB_BTS" ] || cpu=$LAB_BTS_CPU
	LAB_QEMU_ARGS=(
		"${LAB_ARCH_QEMU[@]}" -nodefaults -no-user-config -no-reboot -display none
		-cpu "${LAB_CPU:-$cpu}"
		-m "${LAB_MEM:-1G}" -smp "$1,sockets=$1,cores=1,threads=1"
		-kernel "$LAB_IMAGE" -initrd "$LAB_TMP/initrd"
		-append "$append"
		-chardev "file,id=log,path=$LAB_TMP/log" -serial chardev:log
		-device virtio-serial,max_ports=8
	)
	# Plugins need the newer QEMU
	[ -z "$LAB_BTS${LAB_PROFILE:-}${LAB_STEPS:-}" ] ||
		LAB_QEMU_ARGS=("${LAB_BTS_QEMU[@]}" "${LAB_QEMU_ARGS[@]:1}")
	if [ -n "$LAB_BTS" ]; then
		readarray -t bts < <(lab_bts_args "$1" "${LAB_ICOUNT:-$3}")
		LAB_QEMU_ARGS+=("${bts[@]}")
	elif [ "${LAB_ACCEL:-tcg}" = kvm ]; then
		LAB_QEMU_ARGS+=(-accel kvm)
	else
		# Use one thread for all CPUs. With several threads, QEMU sometimes
		# executes an int3 that another CPU has already replaced, and ftrace then
		# crashes.
		LAB_QEMU_ARGS+=(-accel "tcg,thread=single")
		[ "${LAB_ICOUNT:-$3}" = off ] || LAB_QEMU_ARGS+=(-icount "${LAB_ICOUNT:-$3}")
	fi
	[ -z "${LAB_PROFILE:-}" ] ||
		LAB_QEMU_ARGS+=(-plugin "$LAB_BTS_TOOLS/profile.so,out=${LAB_PROFILE//,/,,}")
	[ -z "${LAB_STEPS:-}" ] ||
		LAB_QEMU_ARGS+=(-plugin "$LAB_BTS_TOOLS/steps.so,log=${LAB_STEPS//,/,,}")
	[ -z "$LAB_VARIANT_QEMU" ] || lab_arch_newest_qemu
	# shellcheck disable=SC2206 # splitting into words is intended
	LAB_QEMU_ARGS+=($LAB_VARIANT_QEMU ${LAB_QEMU:-})
}

# lab_boot NAME OUT CPUS [QEMU ARGUMENT...]: boot LAB_BUILD's kernel, and run NAME from
# LAB_WORK in the guest.  The script's output goes to this command's output.  Sets
# LAB_STATUS to the script's status, or to LAB_GUEST_FAILED after a message if the guest
# failed.  Afterwards the files of OUT are in the folder LAB_OUT, and LAB_LOG is the
# kernel's log.
lab_boot()
{
	local name=$1 out=$2 cpus=$3 port file watch qemu why='' readers=()

	shift 3
	LAB_STATUS=$LAB_GUEST_FAILED
	LAB_LOG=$LAB_TMP/log
	LAB_OUT=$LAB_TMP/out
	# lab/test prints the number of a test's boots
	[ ! -d "${LAB_TEST_TMP:-}" ] || echo "$name" >>"$LAB_TEST_TMP/.boots"
	lab_guest_job run "$name" "$out"
	# The guest's time counts executed instructions, 500 for a microsecond. So its
	# clocks are right on a busy machine, and sleeping takes no time.
	lab_qemu "$cpus" '' shift=1,sleep=off
	mkdir -p "$LAB_OUT"
	rm -f "$LAB_TMP"/{1,2}.{pipe,text} "$LAB_TMP"/{status,tar,late,log}
	: >"$LAB_LOG"
	mkfifo "$LAB_TMP/1.pipe" "$LAB_TMP/2.pipe"
	# Open both ends of the pipes, so that no side waits for the other side
	exec 8<>"$LAB_TMP/1.pipe" 9<>"$LAB_TMP/2.pipe"
	for port in 1 2; do
		lab_start tee "$LAB_TMP/$port.text" <"$LAB_TMP/$port.pipe" >&"$port" 8>&- 9>&-
		readers+=("$LAB_PID")
		LAB_QEMU_ARGS+=(-chardev "file,id=p$port,path=$LAB_TMP/$port.pipe"
				-device "virtserialport,chardev=p$port,nr=$port")
	done
	for file in 3:status 4:tar; do
		LAB_QEMU_ARGS+=(-chardev "file,id=p${file%:*},path=$LAB_TMP/${file#*:}"
				-device "virtserialport,chardev=p${file%:*},nr=${file%:*}")
	done

	lab_start "${LAB_QEMU_ARGS[@]}" "$@" </dev/null >"$LAB_TMP/qemu" 2>&1
	qemu=$LAB_PID
	lab_start lab_watch "$qemu"
	watch=$LAB_PID
	lab_ended "$qemu" || why="QEMU: $(tail -n 1 "$LAB_TMP/qemu")"
	kill -- "-$watch" 2>/dev/null || :
	lab_ended "$watch" || :
	exec 8>&- 9>&-
	for port in "${readers[@]}"; do
		lab_ended "$port" || :
	done

	[ ! -f "$LAB_TMP/late" ] || why=$(cat "$LAB_TMP/late")
	if [ -z "$why" ] && ! [ -s "$LAB_TMP/status" ]; then
		why="the guest died"
	fi
	if [ -z "$why" ]; then
		read -r _ LAB_STATUS <"$LAB_TMP/status"
		[ ! -s "$LAB_TMP/tar" ] || tar -xf "$LAB_TMP/tar" -C "$LAB_OUT" --no-same-owner
	fi
	if grep -aE "$LAB_LOG_BAD" "$LAB_LOG" | grep -avE "${LAB_LOG_OK:-^$}" >"$LAB_TMP/bad"; then
		why="${why:+$why; }its kernel says: $(head -n 1 "$LAB_TMP/bad" | tr -d '\r')"
	fi
	[ -n "$why" ] || return 0
	LAB_STATUS=$LAB_GUEST_FAILED
	{
		echo "--- the kernel's last messages"
		if [ -s "$LAB_TMP/bad" ]; then
			# Show the messages from the first report on
			tr -d '\r' <"$LAB_LOG" | grep -anE "$LAB_LOG_BAD" | head -n 1 | cut -d: -f1 |
				{ read -r n; tr -d '\r' <"$LAB_LOG" | tail -n "+$((n > 2 ? n - 2 : 1))" | head -n 40; } || :
			echo ...
			tail -n 5 "$LAB_LOG" | tr -d '\r'
		else
			tail -n 25 "$LAB_LOG" | tr -d '\r'
		fi
		if [ -s "$LAB_TMP/1.text" ]; then
			echo "--- the script's last lines"
			tail -n 10 "$LAB_TMP/1.text"
		fi
		echo "---"
	} >&2
	lab_say "the guest failed: $why"
}

# End a QEMU that takes too long, or has no output for too long
lab_watch()
{
	local begin last size old='' limit=${LAB_TIMEOUT:-600} silence=${LAB_SILENCE:-240}

	trap - EXIT INT TERM HUP
	lab_clock
	begin=$LAB_CLOCK last=$LAB_CLOCK
	while kill -0 "$1" 2>/dev/null; do
		sleep 1
		lab_clock
		size=$(stat -c %s "$LAB_TMP"/{1.text,2.text,log,status,tar} 2>/dev/null || :)
		if [ "$size" != "$old" ]; then
			old=$size
			last=$LAB_CLOCK
		fi
		if [ $((LAB_CLOCK - begin)) -ge $((limit * 1000)) ]; then
			echo "not done after $limit s (LAB_TIMEOUT)" >"$LAB_TMP/late"
		elif [ $((LAB_CLOCK - last)) -ge $((silence * 1000)) ]; then
			echo "it hangs: nothing heard for $silence s (LAB_SILENCE)" >"$LAB_TMP/late"
		else
			continue
		fi
		kill "$1" 2>/dev/null || :
		return 0
	done
}

# lab_boot_shell CPUS [QEMU ARGUMENT...]: run a guest with a shell on this terminal. ^A x
# ends the guest.
lab_boot_shell()
{
	local cpus=$1 state

	shift
	lab_guest_job shell '' ''
	lab_qemu "$cpus" '' shift=1,sleep=on
	state=$(stty -g)
	"${LAB_QEMU_ARGS[@]}" -chardev stdio,id=con,mux=on,signal=off -mon chardev=con \
		-device virtconsole,chardev=con "$@" || :
	stty "$state"
}
