# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets here, work and tool, signatures.sh sets common
#
# Check that the tool refuses files that are not objects, and damaged objects, and does
# not crash

# bad NAME FILE REASON [STATUS]: check that the object is unchanged, and that the tool
# prints the reason
bad()
{
	local name=$1 file=$2 reason=$3 want=${4:-0} status=0

	cp "$file" "$work/bad.copy"
	"$tool" "$file" >"$work/out" 2>"$work/err" || status=$?
	if [ "$status" = "$want" ]; then
		pass "$name: status $want"
	else
		fail "$name: status $status instead of $want"
	fi
	if cmp -s "$file" "$work/bad.copy"; then
		pass "$name: unchanged"
	else
		fail "$name: changed"
	fi
	if [ "$(grep -c '^#ARGSIGS ' "$work/out")" = $((1 - want)) ] &&
	   cat "$work/out" "$work/err" | grep -q -e "$reason"; then
		pass "$name: $reason"
	else
		fail "$name: no '$reason'"
		sed 's/^/  /' "$work/out" "$work/err"
	fi
	if find "$work" -name '.tmp_*' | grep .; then
		fail "$name: left a temporary file"
	fi
}

# Print the offset and the size of a section
section()
{
	readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\]//' |
	awk -v name="$2" '$1 == name { print "0x" $4, "0x" $5 }'
}

bad_objects()
{
	local size part offset length name status

	cc_for gcc -O2 -g -c "$here/samples/structs.c" -o "$work/good.o" || {
		fail 'malformed: compile'
		return
	}
	size=$(stat -c %s "$work/good.o")

	cc_for gcc -O2 -c "$here/samples/structs.c" -o "$work/bad.o"
	bad 'no DWARF' "$work/bad.o" 'sites=13 sigs=0 no-dwarf=13'

	printf 'int x;\n' >"$work/bad.c"
	cc_for gcc -O2 -g -c "$work/bad.c" -o "$work/bad.o"
	bad 'no functions' "$work/bad.o" 'sites=0 sigs=0'

	printf '%s\n' '.globl f' '.type f,@function' 'f: call __fentry__' ret '.size f,.-f' \
		>"$work/bad.s"
	gcc -c "$work/bad.s" -o "$work/bad.o"
	bad 'assembler' "$work/bad.o" 'no-dwarf=1'
	gcc -g -c "$work/bad.s" -o "$work/bad.o"
	bad 'assembler with DWARF' "$work/bad.o" 'no-function=1'
	bad 'assembler names the function' "$work/bad.o" '#ARGSIGS_NONE f no-function'

	if command -v clang >/dev/null; then
		clang "${common[@]}" -O2 -g -flto -c "$here/samples/structs.c" -o "$work/bad.o"
		bad 'bitcode' "$work/bad.o" 'not an ELF file' 1
		clang --target=riscv64-linux-gnu -O2 -g -c "$work/bad.c" -o "$work/bad.o"
		bad 'other machine' "$work/bad.o" 'not an ELF file of x86-64 or arm64' 1
	fi

	: >"$work/bad.o"
	bad 'empty' "$work/bad.o" 'not an ELF file' 1
	echo 'int main(void) { return 0; }' >"$work/bad.o"
	bad 'text' "$work/bad.o" 'not an ELF file' 1

	for part in 1 10 100 1000 $((size / 2)) $((size - 100)); do
		head -c "$part" "$work/good.o" >"$work/bad.o"
		bad "truncated to $part" "$work/bad.o" 'not an ELF file\|malformed' 1
	done

	for name in .debug_info .debug_abbrev .symtab; do
		status=0
		[ $name != .symtab ] || status=1
		read -r offset length <<<"$(section "$work/good.o" "$name")"
		cp "$work/good.o" "$work/bad.o"
		perl -e 'srand(1); print chr(int(rand(255)) + 1) for 1 .. $ARGV[0]' \
			$((length)) |
		dd of="$work/bad.o" bs=1 seek=$((offset)) conv=notrunc status=none
		bad "garbage in $name" "$work/bad.o" 'malformed\|no-function' $status
	done

	cp "$work/good.o" "$work/bad.o"
	chmod 640 "$work/bad.o"
	"$tool" "$work/bad.o" >/dev/null
	check 'mode kept' test "$(stat -c %a "$work/bad.o")" = 640
}

# fuzz SEED: check that the tool refuses or writes an object with random bytes, and does
# not crash
fuzz()
{
	local status

	perl -e '
		srand($ARGV[0]);
		open(my $f, "<:raw", $ARGV[1]) or die;
		local $/;
		my $object = <$f>;
		# The last bytes of the file are the section headers
		my $tail = $ARGV[0] % 2 ? 0 : length($object) - 3000;
		for (1 .. 1 + rand(20)) {
			my $at = $tail + int(rand(length($object) - $tail));
			substr($object, $at, 1) = chr(int(rand(256)));
		}
		print $object;
	' "$1" "$work/good.o" >"$work/fuzz.o"
	cp "$work/fuzz.o" "$work/fuzz.copy"
	(ulimit -t 10 && exec "$tool" "$work/fuzz.o") >"$work/out" 2>&1
	status=$?
	case $status in
	0)	return 0 ;;
	1)	cmp "$work/fuzz.o" "$work/fuzz.copy" ;;
	*)	echo "seed $1: exit status $status"
		return 1 ;;
	esac
}

fuzz_all()
{
	local seed

	for seed in $(seq 1 "${FUZZ:-200}"); do
		fuzz "$seed" || return 1
	done
}

malformed_checks()
{
	bad_objects
	check "${FUZZ:-200} objects with random bytes" fuzz_all
}
