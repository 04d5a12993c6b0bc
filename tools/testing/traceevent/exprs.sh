#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# exprs.sh PROGRAM: check that trace-calls expr translates names to the compiler's offsets, and
# refuses lines as the kernel does
here=$(dirname "$0")
kunit=$here/../../../kernel/trace/calls/kunit
program=$1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# The kernel's samples: structures, names with the same expressions by numbers, and refused lines
# with the places of their errors
sed -n -e '/^struct expr_inner {/,/^};/p; /^enum expr_colour/p; /^struct expr_named {/,/^};/p' \
	-e '/^#define [NI](/p; /^struct name_case {/,/^};/p; /name_cases\[\] = {/,/^};/p' \
	"$kunit/exprs_names_kunit.c" >"$tmp/names.h"
# refused FUNCTION TABLE FILE: print lines "FUNCTION|EXPRESSIONS|PLACE"
refused()
{
	sed -n "/ $2\[\] = {/,/^};/p" "$3" | tr -d '\n' |
		grep -oP '\{ "f: \K[^"]*", \w+,\s*\d+' |
		sed -E "s/^(.*)\", \w+,\s*([0-9]+)/$1|\1|\2/" |
		awk -F '|' -v OFS='|' '{ $3 -= 3 } 1'
}

# Another unit has other members in struct late. As in the kernel, char has no sign
echo 'struct late { long long value; long before; } late;' |
	${CC:-gcc} -g -O2 -funsigned-char -I"$tmp" -o "$tmp/exprs" "$here/exprs.c" -x c - || exit 1
"$tmp/exprs" >"$tmp/lines"
while IFS='|' read -r func text _; do
	"$program" expr "$tmp/exprs" "$func" "$text" || exit 1
done <"$tmp/lines" | sed 's/0x0(/0(/g; s/[$]arg1/obj/; s/[$]arg3/data/' >"$tmp/shown"
# The program writes hexadecimal offsets, and no type that the text does not have
sed 's,\(|n=-8(obj.*\):x64$,\1,; s,|.*|,: ,' "$tmp/lines" |
	perl -pe 's/([+-]u?)([1-9]\d*)\(/sprintf("%s0x%x(", $1, $2)/ge' |
	diff -u - "$tmp/shown" || exit 1

# A structure has all its members, or it is said that members are missing
"$program" expr "$tmp/exprs" whole '*obj' >"$tmp/shown" 2>"$tmp/error" ||
	{ cat "$tmp/error"; exit 1; }
sed 's/.*: //; s/, /\n/g' "$tmp/shown" | sed 's/=.*//; s/.*_//' >"$tmp/members"
printf '%s\n' {a..i} | diff -u - "$tmp/members" || exit 1
grep -q 'not all members' "$tmp/error" || { echo "a missing member is not told"; exit 1; }

# Each of these expressions is refused, with the kernel's place of the error
{
	refused names bad_names "$kunit/exprs_names_kunit.c"
	# A parameter that the compiler has removed is known here
	refused lines bad_lines "$kunit/exprs_kunit.c" | grep -v '|a=gone|'
	cat <<'END'
names|COMM->num|0
names|+0(+0(+0(+0(+0(+0(obj->num))))))|0
__x64_sys_probe|obj->real|5
__x64_sys_probe|(late)obj->value|1
nobody|nr|
END
} >"$tmp/refused"
while IFS='|' read -r func text pos; do
	"$program" expr "$tmp/exprs" "$func" "$text" >"$tmp/out" 2>"$tmp/error" &&
		{ echo "accepted: $func: $text"; exit 1; }
	[[ ! -s $tmp/out ]] || { echo "printed although refused: $func: $text"; exit 1; }
	[[ -z $pos || $(sed -n 's/^  \( *\)^$/\1/p' "$tmp/error") = $(printf "%${pos}s" '') ]] ||
		{ cat "$tmp/error"; echo "not at $pos: $func: $text"; exit 1; }
done <"$tmp/refused"

# The begin of an expression, and other bytes, are accepted or refused with a place
while IFS='|' read -r func text _; do
	for ((n = 0; n < ${#text}; n++)); do
		printf '%s|%s\0' "$func" "${text:0:n}"
	done
done <"$tmp/lines" >"$tmp/texts"
perl -e 'srand(1); for (1 .. 100) {
	print "names|", join("", map { chr(1 + int(rand(255))) } 1 .. (8, 100, 4096)[$_ % 3]), "\0";
}' >>"$tmp/texts"
for part in '+0(' '(expr_inner)' 'obj->ptr' '->self' 'nr, ' '(' 9; do
	text=$(printf "%4096s" '')
	text=${text// /$part}
	printf 'names|%s\0' "${text:0:4096}"
done >>"$tmp/texts"
while IFS='|' read -r -d '' func text; do
	code=0
	"$program" expr -- "$tmp/exprs" "$func" "$text" >"$tmp/out" 2>"$tmp/error" || code=$?
	[[ $code = 0 && -s $tmp/out && ! -s $tmp/error ]] ||
		[[ $code = 1 && ! -s $tmp/out && $(tail -n 1 "$tmp/error") = *^ ]] ||
		{ cat "$tmp/error"; echo "status $code: $func: $text"; exit 1; }
done <"$tmp/texts"
[[ $("$program" expr "$0" names nr 2>&1) ]] && "$program" expr "$0" names nr 2>/dev/null &&
	{ echo "a script has debug info"; exit 1; }
{ [ "$(wc -l <"$tmp/lines")" -ge 60 ] && [ "$(wc -l <"$tmp/refused")" -ge 130 ]; } ||
	{ echo "samples of the kernel are missing"; exit 1; }
echo "$(wc -l <"$tmp/lines") lines with the compiler's offsets, $(wc -l <"$tmp/refused") refused"
