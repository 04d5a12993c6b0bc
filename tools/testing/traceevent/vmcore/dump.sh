#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dump.sh LAB-RUN [ARGUMENT...]: run guest.sh, or the script GUEST, in a guest. Write its output to
# "shown", and QEMU's dumps of the guest to "plain", "paging" and "zlib", or only to PLAIN if that
# is set. The guest has 256 MB of memory, or LAB_MEM.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
LAB_MEM=${LAB_MEM:-256M} LAB_QEMU="${LAB_QEMU:-} -monitor unix:$PWD/monitor,server,nowait" \
	"$@" "${GUEST:-$here/guest.sh}" >shown 2>messages &
guest=$!
until grep -q '^== sleep' shown; do
	kill -0 "$guest" || { cat messages; exit 1; }
	sleep 1
done
others=("dump-guest-memory -p $PWD/paging" "dump-guest-memory -z $PWD/zlib")
[ -z "${PLAIN:-}" ] || others=()
perl "$here/monitor.pl" monitor stop "dump-guest-memory $PWD/${PLAIN:-plain}" \
	${others[@]+"${others[@]}"} quit || { cat messages; exit 1; }
# The guest did not end by itself
wait "$guest" || :
