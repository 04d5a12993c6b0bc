#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Makes recordings for trace-calls branches in a guest on the emulated CPU, and writes the symbols
# to kallsyms. all.dat has all tasks, and the emulated CPU's log has marks around its branches.
# user.dat has both sides. task.dat has one task, which moves from CPU to CPU. lost.dat has
# overrun. module.dat has the module bts_tree. none.dat has no branches. maps.dat, static.dat and
# fixed.dat have both sides and the maps of a program, fixed.dat without random addresses and only
# with the branches to user space. The program copies its maps. step.dat has the steps of the
# program, and steps.dat each instruction. calls.dat has a thread of the program, too, and the
# calls of a system call. The file code has the kernel's text as it runs, after the kernel has
# replaced instructions.
set -e
# shellcheck source=tools/testing/traceevent/bts-record.sh
. ./bts-record.sh
# A recorder of trace-cmd that has not begun to read when the command ends records nothing.
# So the command ends when the recorders of all CPUs have opened their files.
# shellcheck disable=SC2016 # the shell that trace-cmd starts expands it
recorders='wanted=$((${buffers:-1} * $(nproc --all)))
until [ "$(ls -l /proc/[0-9]*/fd | grep -c trace_pipe_raw)" -ge "$wanted" ]; do
	sleep 0.1
done'

record all 0 cat /proc/version
cat /proc/kallsyms >kallsyms
read -r first last < <(sed -n 's/^ *\([0-9a-f]*\)-\([0-9a-f]*\) : Kernel code$/\1 \2/p' /proc/iomem)
dd if=/dev/mem of=code bs=4096 skip=$((16#$first / 4096)) \
	count=$(((16#$last - 16#$first) / 4096 + 1)) 2>/dev/null

echo 1 >$tracing/options/bts-user
# shellcheck disable=SC2016 # the shell in the guest kills itself
record user 2 sh -c 'kill -SEGV $$'
echo 0 >$tracing/options/bts-user

# shellcheck disable=SC2016 # the shell in the guest moves itself
trace-cmd record -p bts -F -o task.dat sh -c 'echo text >/tmp/written
	for cpu in 0 1 0 1 0 1 0 1; do taskset -cp $cpu $$; done
	'"$recorders" >/dev/null 2>&1
trace-cmd start -p bts -b 64 >/dev/null
ls -l /usr/bin >/dev/null
trace-cmd stop
extract lost

# Blocks of different CPUs are read in the order of their drains, so the stack of a task
# that moves may be in two parts
record module 4 taskset -c 1 insmod ./bts_tree.ko

trace-cmd record -e sched_switch -o none.dat true >/dev/null 2>&1

# The tracers follow a program's thread, but not the commands of the shell before the program
fork="echo 1 | tee $tracing/options/function-fork $tracing/instances/branches/options/function-fork"

# program NAME MARK PROGRAM OPTION...: record a program, with its maps. If buffers is set, the
# program has a thread.
program()
{
	mark "$2"
	trace-cmd record --proc-map -b 16384 "${@:4}" -F -o "$1.dat" \
		sh -c "$recorders; ${buffers:+$fork;} exec \"\$@\"" \
		sh "$3" "$1.maps" ${buffers:+thread} >/dev/null 2>&1
	mark $(($2 + 1))
}
mkdir "/tmp/with space"
mv branches-user "/tmp/with space/"
mv branches-static /tmp/
both=(-p bts -O bts-user)
program maps 6 "/tmp/with space/branches-user" "${both[@]}"
program static 8 /tmp/branches-static "${both[@]}"
program step 12 "/tmp/with space/branches-user" -p step
program steps 16 "/tmp/with space/branches-user" -p step -O step-instruction
buffers=2 program calls 14 "/tmp/with space/branches-user" -p function_graph -l '*sys_getppid' \
	-e task_newtask -B branches -b 16384 "${both[@]}"
echo 0 >/proc/sys/kernel/randomize_va_space
# trace-cmd sets the last option first, and one of the sides has to be on
program fixed 10 "/tmp/with space/branches-user" -O nobts-kernel "${both[@]}"
