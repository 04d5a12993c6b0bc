# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Check that the bts tracer shows the branches of CPUs with the less convenient
# behaviour of tools/testing/bts-cpu/bts-cpu.c. compare.sh sources this file.

unkind once=1,counters=1 94
run late '' 1 counters multiplexed lose others glob exec traceoff
unkind once=1,counters=1 190
run mid '' 1 counters
unkind once=1,filter=from
run from '' 1 kernel user
unkind once=1,erratum=1 23
run erratum '' 1 kernel user
unkind once=1,late=1500
LAB_BTS_DROPS=1 run drops '' 1 kernel both
