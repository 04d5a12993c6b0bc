#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fuzz.sh [SECONDS [DIR]]
#
# Fuzzes the plugin's decoding (600 seconds) under the address and the
# undefined-behaviour sanitizer, with clang's libFuzzer. The findings and the corpus are
# in DIR.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
plugin=$here/../../tracing/traceevent
seconds=${1:-600}
dir=${2:-$(mktemp -d)}
mkdir -p "$dir/build" "$dir/seeds" "$dir/corpus"
perl "$here/seeds.pl" "$dir/seeds"

flags="-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
make -s -C "$plugin" O="$dir/build" CC=clang CFLAGS="$flags" objects
# Link both plugins into one program
objcopy --redefine-sym tep_plugin_loader=bts_loader \
	--redefine-sym tep_plugin_unloader=bts_unloader "$dir/build/plugin_bts.o"
# The compiler flags of the plugin
include="-I$dir/seeds -std=gnu11 -funsigned-char -fno-strict-aliasing -fwrapv -I$plugin/compat
	-I$plugin/compat/standalone
	$(pkg-config --cflags libtraceevent | sed 's,/traceevent,,g')"
# shellcheck disable=SC2046,SC2086 # splitting into words is intended
clang $flags -fsanitize=fuzzer -rdynamic $include \
	-o "$dir/fuzz" "$here/fuzz.c" "$dir/build"/*.o \
	$(pkg-config --libs libtraceevent) -lz -ldl -pthread

rm -f "$dir"/seeds/{*.dat,*.truth,expected,formats.h}
cd "$dir"
# libtraceevent itself leaks memory when a format is malformed
echo leak:tep_parse_event >suppressions
export LSAN_OPTIONS=suppressions=suppressions:print_suppressions=0
./fuzz -max_total_time="$seconds" -max_len=1200000 -timeout=10 -rss_limit_mb=2048 \
	-print_final_stats=1 -verbosity=1 -artifact_prefix="$dir/" corpus seeds 2>&1 | tail -n 50
