#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Makes recordings for trace-calls branches in a guest on the emulated CPU, which mispredicts
# branches. both.dat has the branches of all tasks and of both sides, with marks in the CPU's log
# around them, and both.text has the same branches as text. module.dat has the module bts_tree.
set -e
# shellcheck source=tools/testing/traceevent/bts-record.sh
. ./bts-record.sh

# shellcheck disable=SC2034 # record() reads this
texts=yes
echo 1 >$tracing/options/bts-user
record both 0 cat /proc/version
echo 0 >$tracing/options/bts-user
record module 2 insmod bts_tree.ko
