#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# exprs.sh PROGRAM: check that trace-calls expr translates names to the compiler's
# offsets
here=$(dirname "$0")
program=$1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# Another unit has other members in struct late
echo 'struct late { long long value; long before; } late;' |
	${CC:-gcc} -g -O2 -o "$tmp/exprs" "$here/exprs.c" -x c - || exit 1
"$tmp/exprs" >"$tmp/expected"
cat >"$tmp/lines" <<'END'
probe|obj->small
probe|obj->num,obj->low , obj->on
probe|obj->inner.number
probe|obj->ptr->number, obj->inner.next->next->number
probe|obj->inner.name:string, obj->text:string
probe|obj->inner.name
probe|a=obj->text:ustring
probe|obj->ptr, obj->colour
probe|obj->one, obj->five, obj->nine
probe|obj->behind, obj->bit, obj->far
probe|obj->late->value
probe|(object,inner)in->num
probe|(inner)data->number, (inner)$arg4->next
probe|nr, nr:x16, +8(data), +u0x10(+8(obj)):u8, -4(data):u8
probe|(inner)+8(data)->number
__x64_sys_probe|how->value
__arm64_sys_probe|how->value
__ia32_compat_sys_probe|in->next
__arm64_compat_sys_probe|in->next
probe|COMM, pid=PID, CPU:u8
probe|nr=obj->num, obj->small, small=nr
END
while IFS='|' read -r func text; do
	"$program" expr "$tmp/exprs" "$func" "$text" || exit 1
done <"$tmp/lines" >"$tmp/shown"
diff -u "$tmp/expected" "$tmp/shown" || exit 1

# Each of these expressions is refused, with the kernel's place of the error
while IFS='|' read -r func text pos; do
	"$program" expr "$tmp/exprs" "$func" "$text" >"$tmp/out" 2>"$tmp/error" &&
		{ echo "accepted: $func: $text"; exit 1; }
	[[ ! -s $tmp/out ]] || { echo "printed although refused: $func: $text"; exit 1; }
	[[ -z $pos || $(sed -n 's/^  \( *\)^$/\1/p' "$tmp/error") = $(printf "%${pos}s" '') ]] ||
		{ cat "$tmp/error"; echo "not at $pos: $func: $text"; exit 1; }
done <<'END'
probe|obj->nothing|5
probe|obj->inner.nothing|11
probe|obj->num.x|8
probe|obj->num->x|8
probe|obj.num|3
probe|nobody->num|0
probe|$arg5|0
probe|obj->inner|5
probe|obj->real|5
probe|obj->raw|5
probe|obj->num:string|9
probe|obj->ptr:string|9
probe|data->number|4
probe|(nothing)data->number|1
probe|(object,nothing)in->num|8
probe|(object)in|10
probe|+8(obj|6
probe|+8obj|5
probe|+obj|1
probe|nr nr|3
probe|data:string|5
probe|obj->num:u99|9
probe|nr:b1@8/8|3
probe|(late)data->value|1
probe|(object,one)in->num|8
probe|COMM->num|0
probe|a=nr, a=data|6
probe|+0(+0(+0(+0(+0(+0(obj->num))))))|0
probe|nr,|3
nobody|nr|
END

# The begin of an expression, and other bytes, are accepted or refused with a place
while IFS='|' read -r func text; do
	for ((n = 0; n < ${#text}; n++)); do
		printf '%s|%s\0' "$func" "${text:0:n}"
	done
done <"$tmp/lines" >"$tmp/texts"
perl -e 'srand(1); for (1 .. 100) {
	print "probe|", join("", map { chr(1 + int(rand(255))) } 1 .. (8, 100, 4096)[$_ % 3]), "\0";
}' >>"$tmp/texts"
for part in '+0(' '(object)' 'obj->ptr' '->next' 'nr, ' '(' 9; do
	text=$(printf "%4096s" '')
	text=${text// /$part}
	printf 'probe|%s\0' "${text:0:4096}"
done >>"$tmp/texts"
while IFS='|' read -r -d '' func text; do
	code=0
	"$program" expr -- "$tmp/exprs" "$func" "$text" >"$tmp/out" 2>"$tmp/error" || code=$?
	[[ $code = 0 && -s $tmp/out && ! -s $tmp/error ]] ||
		[[ $code = 1 && ! -s $tmp/out && $(tail -n 1 "$tmp/error") = *^ ]] ||
		{ cat "$tmp/error"; echo "status $code: $func: $text"; exit 1; }
done <"$tmp/texts"
[[ $("$program" expr "$0" probe nr 2>&1) ]] && "$program" expr "$0" probe nr 2>/dev/null &&
	{ echo "a script has debug info"; exit 1; }
echo "$(wc -l <"$tmp/expected") lines with the compiler's offsets"
