#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Trace those calls of arg_random.ko that meet the lines of the file "conditions",
# in the guest. The output has the form of trace-module.sh.
set -e
# A line needs functions that are there; then it also applies to functions that come later
insmod ./arg_random.ko
cat conditions >/sys/kernel/tracing/set_graph_filter
rmmod arg_random
# shellcheck source=/dev/null
. ./trace-module.sh
