# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets here, work and tool
#
# Check that --debug says what decided the place of each parameter

# debugged CC SAMPLE LINE...: check that --debug prints the lines, which are regular
# expressions, one line for each parameter, and the same signatures
debugged()
{
	local cc=$1 name=$2 line lines params

	shift 2
	cc_for "$cc" -O2 -g -c "$here/samples/$name.c" -o "$work/a.o" &&
	"$tool" --dump --stats "$work/a.o" >"$work/want" &&
	"$tool" --dump --stats --debug "$work/a.o" >"$work/got" 2>"$work/lines" &&
	diff <(grep -v '^#ARGSIGS_COST' "$work/want") <(grep -v '^#ARGSIGS_COST' "$work/got") ||
		return 1
	params=$(sed -n 's/^#ARGSIGS .* params=\([0-9]*\).*/\1/p' "$work/got")
	lines=$(grep -c '^[^ ]* [^ ]*: abi=[^ ]* location=[^ ]* -> ' "$work/lines")
	if [ "$lines" != "$params" ]; then
		echo "not one line for each of $params parameters:"
		cat "$work/lines"
		return 1
	fi
	for line; do
		grep -qx "$line" "$work/lines" && continue
		echo "no line '$line':"
		cat "$work/lines"
		return 1
	done
}

# If an object has signatures, --dump --debug reads the DWARF nevertheless
debugged_again()
{
	cc_for gcc -O2 -g -c "$here/samples/structs.c" -o "$work/a.o" &&
	"$tool" --dump --debug "$work/a.o" >"$work/want" 2>"$work/want.lines" &&
	"$tool" "$work/a.o" >/dev/null &&
	"$tool" --dump --debug "$work/a.o" >"$work/got" 2>"$work/got.lines" &&
	[ -s "$work/want.lines" ] && diff "$work/want.lines" "$work/got.lines" &&
	diff "$work/want" "$work/got"
}

debugged_by_clang()
{
	debugged clang clones \
		'clones_called unused: abi=b location=none -> - (location: the code does not .*)' \
		'clones_object always: abi=b location=[a-z]* -> - (clone: clang may have .*)' \
		'clones_constant c: abi=c location=b -> - (clone: clang may have changed .*)'
}

debug_checks()
{
	check '--debug: a clone by gcc' debugged gcc clones \
		'clones_called a: abi=a location=a -> a (the ABI and the location agree)' \
		'clones_constant[^ ]* always: abi=b location=[a-z]* -> \.=5 (all calls .*)' \
		'clones_scalar[^ ]* unused: abi=b location=[a-z]* -> \. (.*)' \
		'clones_scalar[^ ]* c: abi=c location=b -> b (.*)'
	check '--debug: another calling convention' debugged gcc conventions \
		'conventions_record t: abi=ABC location=foreign -> --- (location: .*)' \
		'conventions_pair return: -> ? (.*)'
	! command -v clang >/dev/null ||
		check '--debug: a function that clang changed' debugged_by_clang
	check '--debug: an object with signatures' debugged_again
}
