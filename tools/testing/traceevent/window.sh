#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# xvfb-run window.sh FILE OTHER [PICTURE]
#
# Opens two recordings in KernelShark's window one after the other, scrolls down and up,
# and searches.  KernelShark has to run until the end.

set -u
file=$1
other=$2
picture=${3:-}

QT_QPA_PLATFORM=xcb LIBGL_ALWAYS_SOFTWARE=1 kernelshark -i "$file" >window.log 2>&1 &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT

fail()
{
	echo "$1"
	tail -n 5 window.log
	exit 1
}

# seen TEXT: wait for a window with the title TEXT
seen()
{
	for _ in {1..120}; do
		kill -0 $pid 2>/dev/null ||
			fail "KernelShark has crashed before there is a window \"$1\""
		! xdotool search --onlyvisible --name "$1" >windows 2>/dev/null || return 0
		sleep 0.5
	done
	fail "no window \"$1\""
}

# press KEY...: send the keys to the window
press()
{
	local key

	for key; do
		xdotool key "$key"
		sleep 0.7
		kill -0 $pid 2>/dev/null || fail "KernelShark has crashed at $key"
	done
}

# KernelShark warns root in a window without a title
for _ in {1..60}; do
	! xdotool search --onlyvisible --name "${file##*/}" >windows 2>/dev/null || break
	press Return
done
seen "${file##*/}"
# Set the size and the focus of the window, because there is no window manager
window=$(tail -n 1 windows)
xdotool windowmove "$window" 0 0 windowsize "$window" 1280 800 windowfocus "$window"
sleep 2
table()
{
	xdotool mousemove 200 620 click 1
	press Next End Prior Home
}
table
press ctrl+o
seen "Open File"
sleep 1
xdotool type --delay 50 "$other"
press Return
seen "${other##*/}"
table
# Click the field next to "contains"
xdotool mousemove 400 345 click 1
xdotool type --delay 50 1
press Return
press Return
table
[ -z "$picture" ] || import -window root "$picture"
sleep 1
kill -0 $pid 2>/dev/null || fail "KernelShark has crashed at the end"
echo "both recordings were shown"
