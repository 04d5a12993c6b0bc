#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [KERNEL]
#
# Tests the plugin without a recording. The plugin's text for generated events has to
# equal that of seeds.pl. The address and undefined-behaviour sanitizers must find no
# error, even if the events are truncated at any place. If KERNEL is given, the plugin's
# names of errors have to equal the names in this source tree.

set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
plugin=$here/../../tracing/traceevent
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

mkdir "$dir/seeds"
perl "$here/seeds.pl" "$dir/seeds"
flags="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
make -s -C "$plugin" O="$dir" CFLAGS="$flags" objects
# Link both plugins into one program
objcopy --redefine-sym tep_plugin_loader=bts_loader \
	--redefine-sym tep_plugin_unloader=bts_unloader "$dir/plugin_bts.o"
# The compiler flags of the plugin
include="-I$dir/seeds -std=gnu11 -funsigned-char -fno-strict-aliasing -fwrapv -I$plugin/compat
	-I$plugin/compat/standalone
	$(pkg-config --cflags libtraceevent | sed 's,/traceevent,,g')"
# shellcheck disable=SC2046,SC2086 # splitting into words is intended
cc $flags -rdynamic $include -o "$dir/test" \
	"$here/main.c" "$here/fuzz.c" "$dir"/*.o $(pkg-config --libs libtraceevent) \
	-lz -ldl -pthread

if ! "$dir/test" "$dir"/seeds/seed-* >"$dir/shown" 2>"$dir/messages"; then
	tail -n 20 "$dir/messages"
	exit 1
fi
grep -vx 'plugin_graph_args: malformed signatures, none is used' "$dir/messages" && exit 1
diff -u "$dir/seeds/expected" "$dir/shown"
echo "$(wc -l <"$dir/shown") lines, each as expected"

# The plugin must not read a field with an offset beyond all events
for field in func depth calltime rettime length retval ip parent_ip; do
	for offset in 300 4096 9000000 2147483640; do
		if ! FUZZ_OFFSET=$field=$offset "$dir/test" "$dir/seeds/seed-0" \
				>"$dir/shown" 2>"$dir/messages"; then
			echo "$field at $offset:"
			tail -n 20 "$dir/messages"
			exit 1
		fi
		if ! grep -qx '!' "$dir/shown"; then
			echo "$field at $offset: no event is marked as damaged"
			exit 1
		fi
	done
done

[ $# -gt 0 ] || exit 0
# Lines such as "EIO 5" for the names of lib/errname.c
sed -nE 's/^\tE\((\w+)\),.*/\1/p' "$1/lib/errname.c" | sort >"$dir/names"
cat "$1"/include/uapi/asm-generic/errno{-base,}.h "$1/include/linux/errno.h" |
	sed -nE 's/^#define\s+(E\w+)\s+([0-9]+)(\s.*)?$/\1 \2/p' | sort |
	join - "$dir/names" >"$dir/expected"
# shellcheck disable=SC2086 # splitting into words is intended
cc $flags $include -o "$dir/errnames" "$dir/errname.o" -x c - <<'C'
#include <stdio.h>
#include <linux/errname.h>

int main(void)
{
	int err;

	for (err = 0; err < 4096; err++)
		if (errname(-err))
			printf("%s %d\n", errname(-err) + 1, err);
	return 0;
}
C
"$dir/errnames" | sort >"$dir/have"
diff -u "$dir/expected" "$dir/have"
echo "$(wc -l <"$dir/have") names of errors"
