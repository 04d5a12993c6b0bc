# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets here, work and tool
#
# Check that the tool says why it has no signatures for units that it cannot read

# no_sigs WANTED COMPILER FLAG...: every site of an object has the same reason
no_sigs()
{
	local want=$1 cc=$2

	shift 2
	cc_for "$cc" -O2 "$@" -c "$here/samples/structs.c" -o "$work/u.o" || return 1
	"$tool" "$work/u.o" >"$work/u.out" 2>&1
	grep -q "$want" "$work/u.out" && grep -Eq 'sites=[1-9][0-9]* sigs=0 ' "$work/u.out"
}

# Two runs on one object at the same time leave a complete object
at_once()
{
	cc_for gcc -O2 -g -c "$here/samples/structs.c" -o "$work/once.o" || return 1
	cp "$work/once.o" "$work/want.o"
	"$tool" "$work/want.o" || return 1
	for _ in 1 2 3 4; do
		cp "$work/once.o" "$work/both.o"
		"$tool" "$work/both.o" >/dev/null &
		"$tool" "$work/both.o" >/dev/null &
		wait
		cmp "$work/both.o" "$work/want.o" || return 1
	done
}

# An archive whose members have BSD's long names is left alone, and named
bsd_archive()
{
	cc_for gcc -O2 -g -c "$here/samples/structs.c" \
		-o "$work/a_name_of_more_than_16.o" || return 1
	{
		printf '!<arch>\n%-16s%-12s%-6s%-6s%-8s%-10s`\n' '#1/24' 0 0 0 100644 \
			$((24 + $(stat -c %s "$work/a_name_of_more_than_16.o")))
		printf '%s' a_name_of_more_than_16.o
		cat "$work/a_name_of_more_than_16.o"
	} >"$work/bsd.a"
	cp "$work/bsd.a" "$work/bsd.want"
	! perl "$top/scripts/recordmcount_args.pl" --gen "$tool" "$work/bsd.a" 2>"$work/err" &&
		grep -q "archive in BSD's format" "$work/err" && cmp "$work/bsd.a" "$work/bsd.want"
}

units_checks()
{
	check 'units: types in sections of their own' \
		no_sigs 'sections for types (-fdebug-types-section)' gcc -g -fdebug-types-section
	check 'units: split DWARF' no_sigs split-dwarf= gcc -g -gsplit-dwarf
	check 'units: split DWARF 4' no_sigs split-dwarf= gcc -g -gsplit-dwarf -gdwarf-4
	check 'units: no types' no_sigs no-types= gcc -g1
	check 'units: another language' no_sigs language= gcc -g -x c++ -fpermissive
	check 'units: two runs at once' at_once
	check "units: an archive in BSD's format" bsd_archive
}
