#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: tests trace-calls run, which is in "program" with its libraries.  Writes
# kernel.text and run.text, the same calls as text of the kernel and of trace-calls, and
# run.json.  Fails if a check fails.
here=$PWD
tracing=/sys/kernel/tracing
export LD_LIBRARY_PATH="$here/program"
run="$here/program/trace-calls run"
status=0

wrong()
{
	echo "wrong: $*"
	status=1
}

# expect STATUS TEXT COMMAND...: check the status, and that the output has TEXT. The output
# is written to "said".
expect()
{
	wanted=$1
	text=$2
	shift 2
	"$@" >said 2>&1
	is=$?
	[ $is -eq "$wanted" ] || { cat said; wrong "status $is, not $wanted: $*"; }
	[ -z "$text" ] || grep -qF -- "$text" said ||
		{ cat said; wrong "it does not say \"$text\": $*"; }
	left=$(ls $tracing/instances)
	[ -z "$left" ] || wrong "instances are left: $left, by $*"
}

# sleeps: wait until the command that writes to "said" sleeps, and its call is shown
sleeps()
{
	until grep -q 'hrtimer_nanosleep(' said; do
		sleep 0.1
	done
}

# signals SIGNAL COMMAND...: run a command in the background, and send it a signal when sleeps()
# is done. Sets "is" to its status, and "pid" to its number
signals()
{
	signal=$1
	shift
	: >said
	"$@" >said 2>&1 &
	pid=$!
	sleeps
	kill -s "$signal" $pid
	# A terminal would send Ctrl-C to the command as well
	[ "$signal" != INT ] || pkill -INT -x sleep
	wait $pid
	is=$?
}

# text FILE: print the lines of calls, starting after the bar that follows the duration
text()
{
	sed -n '/^ *[0-9]*) .* |  /{ s/^[^|]*|  //; s/ *$//; p; }' "$1"
}

# The kernel's own text of the same calls. Lines for a module also apply when the module is
# loaded again.
insmod ./arg_sample.ko
echo 'sample_*: CPU >= 0' >$tracing/set_graph_filter
echo 1 >$tracing/options/funcgraph-args
echo 1 >$tracing/options/funcgraph-retval
echo 20000 >$tracing/buffer_size_kb

# Try again if an interrupt at a function's entry comes when only one of the instances has
# recorded the entry
for try in 1 2 3; do
	echo function_graph >$tracing/current_tracer
	echo >$tracing/trace
	echo 1 >$tracing/tracing_on
	$run -g 'sample_*' -o shown -- sh -c 'rmmod arg_sample && insmod ./arg_sample.ko' ||
		wrong "status $? of insmod"
	echo 0 >$tracing/tracing_on
	text $tracing/trace >kernel.text
	text shown >run.text
	! cmp -s kernel.text run.text || break
	echo "try $try: the texts differ"
done
grep -q '^ *calls  *errors ' shown || wrong "there is no summary"
echo nop >$tracing/current_tracer
echo >$tracing/set_graph_filter

# Failing calls and their callers, then the functions with the most errors
# shellcheck disable=SC2086 # $run is two words
{
expect 1 'filename="/no/such/file"' $run --errors -- cat /no/such/file
grep -q '/\* do_sys_openat2 ret=-2 (-ENOENT) \*/$' said || wrong "no error of do_sys_openat2"
! grep -q '; /\* ret=0 \*/$' said || wrong "a call is shown that did not fail"
grep -A 1 ' do_sys_openat2$' said | grep -q ' -ENOENT$' || wrong "no -ENOENT in the summary"

# Two conditions, of which one is met
expect 0 'count=5000' $run -f 'vfs_write: count == 5000' -f 'vfs_write: count == 5001' -- \
	dd if=/dev/zero of=/tmp/a bs=5000 count=1
! grep -q 'count=5001' said || wrong "a call is shown that meets no condition"
# A condition without a glob applies to all functions
expect 0 'hrtimer_nanosleep(' $run -f 'duration > 100ms' -- sleep 0.2
expect 0 'count=5000' $run -f '+0(pos):s64 == 0 && count == 5000' -- \
	dd if=/dev/zero of=/tmp/a bs=5000 count=1

# The instance does not take over options of the top instance. Without sleep-time the call
# would be short, and with funcgraph-deref pos would be a number. All instances share
# sleep-time before Linux 7.
options=$tracing/options
case $(uname -r) in
[1-6].*) ;;
*)	echo 0 >$options/sleep-time ;;
esac
echo 1 >$options/funcgraph-deref
echo 1 >$options/funcgraph-single
expect 0 'hrtimer_nanosleep(' $run -f 'duration > 100ms' -- sleep 0.2
expect 0 'count=5000, pos=0x' $run -f 'vfs_write: count == 5000' -- \
	dd if=/dev/zero of=/tmp/a bs=5000 count=1
echo 1 >$options/sleep-time
echo 0 >$options/funcgraph-deref
echo 0 >$options/funcgraph-single

# What is recorded
expect 0 'pos=&0) ' $run --deref -f 'vfs_write: count == 5000' -- \
	dd if=/dev/zero of=/tmp/a bs=5000 count=1
expect 0 'buf="0123"..., count=11' $run --string-size 4 -f 'vfs_write: count == 11' -- \
	echo 0123456789
expect 0 'count=11, pos=' $run --expr 'vfs_write: n=count:u32' -f 'vfs_write: count == 11' -- \
	echo 0123456789
grep -q ', n=11) ' said || { cat said; wrong "no value of --expr"; }
expect 0 ' ksys_write(' $run --callers -f 'vfs_write: count == 11' -- echo 0123456789
expect 0 ' file_remove_privs(' $run -g vfs_write -- echo some text
expect 0 ' vfs_write(' $run -g vfs_write --notrace file_remove_privs -- echo some text
! grep -q ' file_remove_privs(' said || wrong "a function of --notrace is traced"
expect 0 '' $run -b 100 -g vfs_read -- sh -c "cat $tracing/instances/*/buffer_size_kb"
[ "$(grep -x '[0-9]*' said)" -lt 200 ] || { cat said; wrong "not the size of -b"; }

# A message tells that the command is traced. The command's output is not among the calls.
$run -g vfs_write -- echo own output >calls 2>said
grep -qx 'trace-calls: echo is traced' said ||
	{ cat said; wrong "no message of the trace's begin"; }
{ grep -qx 'own output' said && ! grep -q '^own' calls; } ||
	wrong "the command's output is among the calls"
{ grep -q ' vfs_write(.*"own output' calls && grep -q '^ *calls  *errors ' calls; } ||
	{ cat calls; wrong "no calls"; }
# Without a condition, there is only the summary
$run true >calls 2>said
grep -q 'only a summary' said || { cat said; wrong "no message about missing conditions"; }
{ ! grep -q '|' calls && [ "$(wc -l <calls)" -gt 20 ] && grep -q ' vfs_read$' calls; } ||
	{ head calls; wrong "not the summary alone"; }
expect 0 'no call was selected' $run -f 'vfs_write: count == 4711' -- true

# --save writes a recording, and shows the summary of its calls
expect 0 ' calls   errors ' $run --save saved.dat -g vfs_write -- echo some text
{ grep -q ' vfs_write$' said && ! grep -qE 'vfs_write\(|cannot be (removed|written)' said; } ||
	wrong "--save shows calls"
"$here/program/trace-calls" json -f 'vfs_write: comm == echo' saved.dat >said
grep -q '"buf":"some text\\n","count":10' said ||
	{ head -n 3 said; wrong "the recording of --save lacks a call"; }
expect 125 'No such file or directory' $run --save /no/such/folder/saved.dat -g vfs_write -- true
# A recording is replaced when the new one is complete
cp saved.dat older.dat
mkdir failing
printf '#!/bin/sh\nexit 1\n' >failing/trace-cmd
chmod +x failing/trace-cmd
expect 125 'trace-cmd has not written' env PATH="$here/failing:$PATH" \
	$run --save saved.dat -g vfs_write -- true
{ cmp saved.dat older.dat && [ "$(echo saved.dat*)" = saved.dat ]; } ||
	wrong "--save has changed a recording or left a file: $(echo saved.dat*)"
expect 125 'both --save and --json' $run --save saved.dat --json true

# JSON: the output has only data
$run --json --errors -- sh -c 'echo own output; cat /no/such/file' 2>summary >run.json
grep -q '^ *calls  *errors ' summary || wrong "there is no summary beside JSON"
grep -q '^own output$' summary || wrong "the command's output is missing"
! grep -v '^{.*}$' run.json || wrong "run --json prints more than JSON"
$run --json -o told -g vfs_write -- echo own output >said 2>summary
grep -qx 'own output' said || wrong "the command's output is not the standard output with -o"
grep -q '"function":"vfs_write"' told || wrong "run --json -o writes no call"
! grep -v '^{.*}$' told || wrong "run --json -o writes more than JSON"

# The command's status, and wrong usage
expect 3 '' $run -g vfs_read -- sh -c 'exit 3'
expect 127 'No such file or directory' $run -g vfs_read -- /no/such/command
expect 143 '' $run -g vfs_read -- sh -c 'kill $$'
expect 125 'No function has such a parameter' $run -f 'vfs_write: size > 1' -- touch /tmp/touched
[ ! -e /tmp/touched ] || wrong "the command was run though a condition was refused"
expect 125 'neither a command nor a process' $run
expect 125 'both a process and a command' $run -p 1 true
expect 125 'unrecognized option' $run --no-such-option true
expect 125 'not a value' $run -b much true
expect 125 'set_ftrace_notrace: "no_such_function"' $run -n no_such_function true
expect 125 'No such process' $run -p 999999

# A running process is traced until it ends
sh -c 'sleep 15; sleep 0.2; exit 0' &
expect 0 'hrtimer_nanosleep(' $run -g hrtimer_nanosleep -p $!

# A signal ends the command as well, and no instance remains. The shell ignores SIGINT in the
# background.
for signal in INT TERM; do
	signals $signal env --default-signal=INT $run -g hrtimer_nanosleep -- sleep 60
	expect 0 '' true
done

# A command may continue after the first signal
signals TERM $run -g hrtimer_nanosleep -- sh -c 'trap "" TERM; sleep 6; exit 5'
[ $is -eq 5 ] || { cat said; wrong "status $is, not that of the command, which went on"; }

# nohup keeps the run and its command
signals HUP nohup $run -g hrtimer_nanosleep -- sleep 6
[ $is -eq 0 ] || { cat said; wrong "status $is after SIGHUP, which nohup ignores"; }

# The next run removes the instance of a run that was killed
signals KILL $run -g hrtimer_nanosleep -- sleep 60
pkill -x sleep
[ -d $tracing/instances/trace-calls-$pid ] || wrong "nothing was left that could be removed"
expect 0 '' $run -g vfs_read -- true

# A reader of the output closes the pipe early
$run -g vfs_read -- ls -lR /usr 2>/dev/null | head -n 1 >/dev/null
expect 0 '' true
}
exit $status
