#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Trace the calls of arg_random.ko that meet the lines of the file "conditions", in the
# guest. The output has the form of trace-module.sh.
set -e
# A line needs existing functions, so load the module once. The line then also applies to
# functions of modules that are loaded later.
insmod ./arg_random.ko
cat conditions >/sys/kernel/tracing/set_graph_filter
rmmod arg_random
# shellcheck source=/dev/null
. ./trace-module.sh
