#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh TRACE-CALLS PLUGINS
#
# Tests the file of signatures of a kernel without signatures, with a small image and a
# module. The signatures of the linked image and of the module have to be those that the
# generator finds in the objects, and at the places of the symbols. Then a recording with
# known registers has to be shown as in the file "expected". Files of another build and
# damaged files must not be used. PLUGINS is the folder of the plugins for trace-cmd.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
calls=$1
plugins=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
failed=0

wrong()
{
	echo "stock: $*"
	failed=1
}

# shellcheck disable=SC2046 # splitting into words is intended
cc -O2 -o gen_arg_sigs "$top"/scripts/gen_arg_sigs/*.c $(pkg-config --cflags --libs libdw libelf)
flags=(-O2 -g -ffreestanding -mcmodel=kernel -mno-red-zone -mno-sse -fno-pic -fcf-protection=none)
cc "${flags[@]}" -c -o image.o "$here/samples/image.c"
cc "${flags[@]}" -c -o module.o "$here/samples/module.c"
ld --no-warn-rwx-segments --build-id -T "$here/image.lds" -o vmlinux image.o
ld --build-id -r -o stock-mod.ko module.o
mkdir modules
xz -k stock-mod.ko
mv stock-mod.ko.xz modules
echo 'no kernel' >modules/modules.dep

"$calls" signatures -o file vmlinux modules || wrong "signatures: status $?"
perl "$here/sigfile.pl" file >shown || wrong "the file is not as its page says"

# The oracle: the generator on the objects, and the symbols
./gen_arg_sigs --dump image.o |
	sed -n 's/^image_other_name/image_alias/; s/+0x0\t/\t/p' | sort >oracle
sed -n '/^set stock_mod/q; s/^[0-9a-f]*\t\([^\t,]*\)[^\t]*\t/\1\t/p' shown | sort >found
diff oracle found || wrong "other signatures in the linked image"
./gen_arg_sigs --dump module.o | sed -n 's/+0x0\t/\t/p' | grep -v module_begin | sort >oracle
sed -n '/^set stock_mod/,$s/^[0-9a-f]*\t\([^\t]*\)\t/\1\t/p' shown | sort >found
diff oracle found || wrong "other signatures in the module"
[ "$(wc -l <oracle)" = 4 ] || wrong "not all functions of the module"
text=0x$(nm vmlinux | sed -n 's/ T _text$//p')
for name in image_write image_many __x64_sys_image; do
	place=$(printf %x $((0x$(nm vmlinux | sed -n "s/ T $name\$//p") - text)))
	grep -q "^$place	$name	" shown || wrong "$name is at another place than $place"
done
functions=$(grep -c '	' shown)
grep -q '	image_alias,image_other_name	' shown || wrong "not all names of image_alias()"
for pair in "vmlinux vmlinux" "stock-mod.ko stock_mod"; do
	read -r file name <<<"$pair"
	id=$(readelf -n "$file" 2>/dev/null | sed -n 's/.*Build ID: //p')
	grep -qx "set $name $id" shown || wrong "$name: not the build ID $id"
done

# fprobe events.  The places are those of the psABI, and the clone's those that its calls set.
"$calls" probes -S file 'image_[!c]*' image_clone\* module_\* |
	sed 's/\(image_clone\)[._a-z0-9]*/\1/g' | diff "$here/expected-probes" - ||
	wrong "other fprobe events"
! "$calls" probes -S file none 2>messages || wrong "an fprobe event of no function"
grep -q 'file: no such function' messages || wrong "no function: $(cat messages)"

# The functions of another module have the name, and the second name, of other functions
cat >same.c <<'END'
extern long sink;

int module_end(char *name)
{
	return name[sink];
}

int image_other_name(char *name)
{
	return sink - name[0];
}
END
cc "${flags[@]}" -c -o same.o same.c
ld --build-id -r -o same.ko same.o
"$calls" signatures -o both vmlinux stock-mod.ko same.ko || wrong "signatures: status $?"
"$calls" probes -S both 'image_[!c]*' image_clone\* module_\* 2>messages |
	sed 's/\(image_clone\)[._a-z0-9]*/\1/g' >shown
grep -v ' module_end ' "$here/expected-probes" | diff - shown ||
	wrong "fprobe events of functions that share a name"
for name in module_end image_other_name; do
	[ "$(grep -c ": $name: several functions have this name\$" messages)" = 1 ] ||
		wrong "no message about $name: $(cat messages)"
done

# Files that have no signatures, and damaged files
said()
{
	local status=0

	"$calls" signatures -o out "${@:2}" >messages 2>&1 || status=$?
	[ "$status" -ne 0 ] || wrong "no failure: ${*:2}"
	[ ! -e out ] || wrong "a failure left a file: ${*:2}"
	grep -q "$1" messages || wrong "no message '$1': $(cat messages)"
}
strip -o stripped vmlinux
strip --strip-debug -o no-debug vmlinux
said 'without symbols' stripped
said 'neither debug info nor signatures' no-debug
said 'not a vmlinux and not a module' modules/modules.dep
said 'No such file' none
mkdir other empty
said 'no signatures found' empty
sed 's/module_read/module_mine/' "$here/samples/module.c" >other.c
cc "${flags[@]}" -c -o other.o other.c
ld --build-id -r -o other/stock-mod.ko other.o
said 'different build IDs' modules other
for size in 100 1000 5000; do
	head -c "$size" vmlinux >short
	said 'short: ' short
done

# The running kernel, whose build ID is in its notes. Only root can pretend to run a kernel.
pretend()
{
	local to

	to=/usr/lib/debug/lib/modules/$(uname -r)

	mkdir -p /usr/lib/debug
	mount -t tmpfs none /usr/lib/debug
	mkdir -p "$to"
	[ "$2" = none ] || cp "$2" "$to/vmlinux"
	cp stock-mod.ko "$to"
	mount --bind "$1" /sys/kernel/notes
	"$calls" signatures --running
}
if [ "$(id -u)" -eq 0 ]; then
	export -f pretend
	export calls
	objcopy -O binary --only-section=.note.gnu.build-id vmlinux notes
	unshare -m bash -ec 'pretend notes vmlinux' | cmp - file || wrong "not the running kernel's"
	cp vmlinux rebuilt
	objcopy --remove-section=.note.gnu.build-id rebuilt
	! unshare -m bash -ec 'pretend notes rebuilt' >out 2>messages || wrong "another kernel"
	grep -q 'not the running kernel, which has another build ID' messages ||
		wrong "another kernel: $(cat messages)"
	! unshare -m bash -ec 'pretend /dev/null vmlinux' >out 2>messages || wrong "no notes"
	grep -q 'not the running kernel, which has another build ID' messages ||
		wrong "no notes: $(cat messages)"
	! unshare -m bash -ec 'pretend notes none' >out 2>messages || wrong "no debug info"
	id=$(readelf -n vmlinux 2>/dev/null | sed -n 's/.*Build ID: //p')
	grep -q "a server may have it: --debuginfod $id\$" messages ||
		wrong "no debug info: $(cat messages)"
else
	echo "the running kernel's signatures are not tested, because root is needed"
fi

# A server of debug info, in a network of its own
serve()
{
	local address=127.0.0.1 port=8002 ids=() file pid answer path

	# SIOCSIFFLAGS with IFF_UP
	perl -e 'use Socket; my $up = pack("a16sx22", "lo", 1);' \
		-e 'socket(my $s, AF_INET, SOCK_DGRAM, 0) or die;' \
		-e 'ioctl($s, 0x8914, $up) or die "lo: $!\n"'
	for file in vmlinux stock-mod.ko; do
		ids+=("$(readelf -n "$file" 2>/dev/null | sed -n 's/.*Build ID: //p')")
	done
	debuginfod -F -p $port -d :memory: served >server 2>&1 &
	pid=$!
	trap 'kill "$pid"; wait "$pid" || :' EXIT
	for id in "${ids[@]}"; do
		answer=
		for ((i = 0; i < 600; i++)); do
			if exec 3<>/dev/tcp/$address/$port; then
				printf 'GET /buildid/%s/debuginfo HTTP/1.0\r\n\r\n' "$id" >&3
				read -r _ answer _ <&3
				exec 3>&-
			fi 2>/dev/null
			[ "$answer" != 200 ] || break
			sleep 0.1
		done
		[ "$answer" = 200 ] || { cat server; return 1; }
	done
	export DEBUGINFOD_CACHE_PATH=$PWD/fetched DEBUGINFOD_URLS=http://$address:$port
	"$calls" signatures -d "${ids[1]}" --debuginfod "${ids[0]}"
	# The second time, no server is needed
	kill "$pid"
	wait "$pid" || :
	trap '' EXIT
	"$calls" signatures -d "${ids[0]}" -d "${ids[1]}" | cmp - file ||
		wrong "debuginfod: the cache"
	# A file of the cache is not trusted
	path=$(echo fetched/"${ids[0]}"*/debuginfo)
	chmod u+w "$path"
	cp other-vmlinux "$path"
	said 'another build ID' -d "${ids[0]}"
	said 'a file\|No such\|refused\|not' -d 0123456789abcdef0123456789abcdef01234567
	DEBUGINFOD_URLS='' said 'DEBUGINFOD_URLS names no server' -d 0123456789abcdef
	said 'not a value' -d 0123x
	[ "$failed" = 0 ]
}
# Another build of the image
sed 's/image_many/image_none/' "$here/samples/image.c" >other.c
cc "${flags[@]}" -c -o other.o other.c
ld --no-warn-rwx-segments --build-id -T "$here/image.lds" -o other-vmlinux other.o
if [ "$(id -u)" -eq 0 ] && [ -n "$(command -v debuginfod)" ]; then
	rm -f out
	mkdir served
	cp vmlinux stock-mod.ko served
	export -f serve said wrong
	export failed
	unshare -n bash -euc serve >fetched.sigs || wrong "debuginfod: status $?"
	cmp fetched.sigs file || wrong "debuginfod: other signatures: $(tail -n +2 fetched.sigs)"
else
	echo "a server is not tested, because root and debuginfod are needed"
fi

# report FILE: the text of a recording, by trace-cmd with the plugin
report()
{
	TRACEEVENT_PLUGIN_DIR=$plugins trace-cmd report -i "$1" 2>messages |
		sed -n 's/\(image_clone\)[.a-z0-9]*/\1/
			s/.*: *[0-9.]* us *|  //p; s/.*: function: */function: /p'
}

# stock FILE RECORDING TEXT: with the signatures in FILE, the recording is shown without
# arguments, and the message has TEXT
stock()
{
	FTRACE_ARG_SIGS=$1 report "$2" >shown
	shift
	cmp -s plain shown || wrong "$2: values are shown"
	grep -q "$2" messages || wrong "no message '$2': $(cat messages)"
}

export HOME=$dir/home
mkdir -p home/.local/share/ftrace-args
perl "$here/made.pl" vmlinux stock-mod.ko known.dat
FTRACE_ARG_SIGS='' report known.dat >plain
[ ! -s messages ] || wrong "without signatures: $(cat messages)"
FTRACE_ARG_SIGS=./file report known.dat >shown
[ ! -s messages ] || wrong "the right file: $(cat messages)"
"$calls" json -S file known.dat >shown.json || wrong "json: status $?"
sed 's/\(image_clone\)[.a-z0-9]*/\1/' shown.json >>shown
diff "$here/expected" shown || wrong "other values"

# The layouts of events since Linux 6.5: with the caller, and without arguments
LAYOUT=retaddr perl "$here/made.pl" vmlinux stock-mod.ko retaddr.dat
FTRACE_ARG_SIGS=./file report retaddr.dat >shown
sed '/^{/d; /^function:/!{ s,; /\*,& <-image_many+0x9,; t; s,;$,&\ /* <-image_many+0x9 */,; }' \
	"$here/expected" | diff - shown || wrong "other values with funcgraph-retaddr"
LAYOUT=early perl "$here/made.pl" vmlinux stock-mod.ko early.dat
FTRACE_ARG_SIGS=./file report early.dat >shown
sed '/^{/d; /^function:/!s/(.*);/();/' "$here/expected" | diff - shown ||
	wrong "other values without arguments"

# A kernel that records neither arguments nor returned values: names, and what it would need
perl -0777 -pe 's/unsigned long args\[/unsigned long none[/g;
	s/unsigned long retval;/unsigned long unused;/' known.dat >bare.dat
"$calls" graph -S file bare.dat >shown 2>messages || wrong "without arguments: status $?"
"$calls" graph bare.dat >without 2>>messages || wrong "without arguments, no file: status $?"
for needed in 'no arguments: .* with FUNCTION_TRACE_ARGS' \
		'no returned values: .* with FUNCTION_GRAPH_RETVAL'; do
	[ "$(grep -c "$needed" messages)" = 2 ] || wrong "not '$needed' twice: $(cat messages)"
done
[ "$(wc -l <messages)" = 4 ] || wrong "other messages: $(cat messages)"
grep -q 'image_write()' shown || wrong "without arguments: no calls"
grep -q 'image_write()' without || wrong "without arguments, no file: no calls"
! grep '=[^?]' shown without || wrong "without arguments: values"

# Without a file, a message names the command that makes one
"$calls" graph known.dat >shown 2>messages || wrong "without a file: status $?"
grep -q 'no signatures: "trace-calls signatures" makes a file' messages ||
	wrong "without a file: $(cat messages)"
! grep '=[^?]' shown || wrong "without a file: values"
FTRACE_ARG_SIGS='' "$calls" graph known.dat 2>&1 | cmp -s shown - ||
	wrong "a message although no file is wanted"

# Another build, in the image or in the module
perl "$here/made.pl" vmlinux stock-mod.ko moved.dat image_many
stock ./file moved.dat 'not the recorded kernel: its image_many would be at 0x'
perl "$here/made.pl" vmlinux stock-mod.ko module.dat module_fail
FTRACE_ARG_SIGS=./file report module.dat >shown
grep -q 'not the recorded stock_mod: its module_fail would be at 0x' messages ||
	wrong "another module: $(cat messages)"
grep -q '^image_write(file=0xffff888001234500, ' shown || wrong "another module: no image"
! grep 'dev=' shown || wrong "another module: values"
"$calls" signatures -o only other/stock-mod.ko
FTRACE_ARG_SIGS=./only report known.dat >shown
! grep 'dev=' shown || wrong "a module with another name of a function: values"

# The file that fits is found among others, and damaged files are not used
"$calls" signatures -o home/.local/share/ftrace-args/other other-vmlinux
cp file home/.local/share/ftrace-args/right
report known.dat >shown
[ ! -s messages ] || wrong "the found file: $(cat messages)"
sed '/^{/d' "$here/expected" | diff - shown || wrong "the right file is not found"
rm home/.local/share/ftrace-args/right
report known.dat | cmp -s plain - || wrong "values by the file of another kernel"
stock home/.local/share/ftrace-args/other known.dat 'not the recorded kernel'
stock ./none known.dat 'none: No such file'
stock /dev/null known.dat 'not a file of signatures'
damaged='not a file of signatures, or damaged'

# damage FILE FIRST LEFT: cut the file, and change one byte of it, at a hundred places from FIRST
# up to the last LEFT bytes. A byte that gzip packs may have bits without a meaning: then the text
# is the same.
damage()
{
	local size at

	size=$(($(wc -c <"$1") - $3))
	for ((at = $2; at < size; at += 1 + size / 100)); do
		head -c "$at" "$1" >damaged
		stock ./damaged known.dat "$damaged"
		printf x >>damaged
		tail -c +$((at + 2)) "$1" >>damaged
		! gzip -t damaged 2>/dev/null || ! gzip -dc damaged | cmp -s - text || continue
		cmp -s "$1" damaged || stock ./damaged known.dat "$damaged"
	done
}

# The text without compression is read, too. The ten bytes of gzip's header say nothing of it,
# and the text has a hash of its own besides the eight bytes of gzip's end. The byte before them
# has bits without a meaning.
gzip -dc file >text
FTRACE_ARG_SIGS=./text report known.dat >shown
sed '/^{/d' "$here/expected" | diff - shown || wrong "the text of a file is not read"
damage text 0 0
damage file 10 9

# A signature begins at the begin of a text. Inside, '*' may look like a register.
perl "$here/crafted.pl" vmlinux >crafted
stock ./crafted known.dat "$damaged"

# An image and a module of arm64, whose functions are called with the same values
arm64()
{
	local flags=(-O2 -g -ffreestanding -mgeneral-regs-only -fno-pic)
	local cross=aarch64-linux-gnu-

	mkdir -p arm64/modules
	"${cross}gcc" "${flags[@]}" -c -o image.o "$here/samples/image.c"
	"${cross}gcc" "${flags[@]}" -c -o module.o "$here/samples/module.c"
	sed 's/0xffffffff81000000/0xffff800080000000/' "$here/image.lds" >arm64/image.lds
	"${cross}ld" --no-warn-rwx-segments --build-id -T arm64/image.lds -o arm64/vmlinux image.o
	"${cross}ld" --build-id -r -o arm64/stock-mod.ko module.o
	"$calls" signatures -o arm64/file arm64/vmlinux arm64/stock-mod.ko ||
		wrong "arm64: signatures: status $?"
	MACHINE=arm64 perl "$here/made.pl" arm64/vmlinux arm64/stock-mod.ko arm64.dat
	FTRACE_ARG_SIGS=arm64/file report arm64.dat >shown
	[ ! -s messages ] || wrong "arm64: $(cat messages)"
	"$calls" json -S arm64/file arm64.dat | sed 's/\(image_clone\)[.a-z0-9]*/\1/' >>shown
	# The stub of a system call has another name on arm64, and only code tells what the clone
	# returns
	sed -e 's/0xffffffffc0206004/other_function/; s/0xffffffffc01f1014/0xffffa3457e1f1014/' \
		-e '/image_clone/{ s/ret=1/ret=?/; s/"ret":1/"ret":null/ }' \
		-e 's/(fd=?, name=?)/(regs=0xdead000000000000)/' \
		-e 's/{"fd":null,"name":null}/{"regs":"0xdead000000000000"}/' "$here/expected" |
		diff - shown || wrong "other values on arm64"
	"$calls" probes -S arm64/file image_many image_records >shown || wrong "arm64: probes"
	# shellcheck disable=SC2016 # these are not the shell's
	sed -n -e '/image_many/s/g=.*/g=$arg7:s32 h=$arg8:s32 i=$stack0:s32/p' \
		-e '/image_records/s/\$stack1/+0($arg4)/; s/\$stack2/+8($arg4)/' \
		-e '/image_records/{ s/\$stack3/+16($arg4)/; s/last=.*/last=$arg5:s32/p; }' \
		"$here/expected-probes" | diff - shown || wrong "other fprobe events on arm64"
	FTRACE_ARG_SIGS=./file report arm64.dat >/dev/null
	grep -q 'not the recorded kernel' messages || wrong "arm64: a file of x86-64 is used"
}
if [ -n "$(command -v aarch64-linux-gnu-gcc)" ]; then
	arm64
else
	echo "arm64 is not tested, because there is no aarch64-linux-gnu-gcc"
fi
[ "$failed" = 0 ] || exit 1
echo "$functions functions and types in a file, each as in the objects"
echo "$(wc -l <"$here/expected") lines of a recording, each as expected"
