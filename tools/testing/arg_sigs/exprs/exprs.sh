#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Show the values of the expressions in the files names and numbers, and the errors of
# the lines in the file errors, in the guest
here=$PWD
run=/sys/module/arg_exprs/parameters/run
status=0

wrong()
{
	echo "$*"
	status=1
}

filter()
{
	cut -d: -f1 "$here/names" | sort -u > "$here/funcs"
	while read -r func; do
		echo "$func" >> set_ftrace_filter || wrong "$func is not traced"
	done < "$here/funcs"
}

insmod ./arg_exprs.ko || exit 1
cd /sys/kernel/tracing || exit 1
echo 0 > tracing_on
echo 20000 > buffer_size_kb
filter
cat "$here/names" "$here/numbers" > func_args_expr || { cat error_log; exit 1; }
cat "$here/names" "$here/numbers" > "$here/set"
cmp func_args_expr "$here/set" || wrong "other lines than were set"
echo function_graph > current_tracer
echo 1 > options/funcgraph-args

echo content > "$here/a known name"
mkdir -p /tmp/expr
echo 1 > tracing_on
read -r word < "$here/a known name"
[ "$word" = content ] || wrong "the file has $word"
sh -c 'trap : USR1; kill -USR1 $$; sleep 0.1'
mount -t tmpfs none /tmp/expr
echo content > /tmp/expr/file
rm /tmp/expr/file
umount /tmp/expr
modprobe dummy
rmmod dummy
echo 1 > $run
echo 0 > tracing_on
cat trace > "$here/shown"
ino=$(stat -c %i "$here/a known name")
grep -q "vfs_read(.* A=$ino, B=\"a known name\", .* I=8, J=0," trace ||
	wrong "no vfs_read() of the known file $ino: $(grep vfs_read trace | tail -n 1)"

# Lines stay when a module is unloaded, and apply when the module is loaded again
rmmod arg_exprs
insmod "$here/arg_exprs.ko" || exit 1
echo > trace
filter
echo 1 > tracing_on
echo 1 > $run
echo 0 > tracing_on
cat trace > "$here/again"

# A structure stands for its members
echo 'expr_take: *obj' > func_args_expr || wrong "no structure: $(tail -n 3 error_log)"
echo > trace
echo 1 > tracing_on
echo 1 > $run
echo 0 > tracing_on
members='obj->small=200, obj->low=4660, obj->high=-2, obj->both=4294840884'
members="$members, obj->inner.name=\"inner\", obj->inner.number=-77, obj->inner.next=0x[0-9a-f]*"
members="$members, obj->text=0x[0-9a-f]*, obj->state=5, obj->one=1, obj->five=21, obj->nine=300"
grep -q "expr_take .*, $members, obj->next=0x[0-9a-f]*)" trace ||
	wrong "not the members: $(grep 'expr_take ' trace)"
cat "$here/names" "$here/numbers" > func_args_expr

# Each error shows its place, and the lines stay
cat func_args_expr > "$here/lines"
errors=0
while IFS='|' read -r message text; do
	line=$(echo "$text" | tr -d ^)
	before=${text%%^*}
	! echo "$line" 2> /dev/null > func_args_expr || wrong "accepted: $line"
	printf '%s\n  Command: %s\n%*s^\n' "$message" "$line" $((11 + ${#before})) '' \
		> "$here/expected"
	tail -n 3 error_log | sed '1s/.* error: //' > "$here/error"
	cmp -s "$here/expected" "$here/error" || {
		wrong "not the error of $line:"
		cat "$here/error"
	}
	errors=$((errors + 1))
done < "$here/errors"
cmp func_args_expr "$here/lines" || wrong "lines have changed"
[ $status -ne 0 ] || echo "$errors errors, each at its place"

# Set lines for all functions with a file. The lookup of the names must not take long.
for expr in '+0(file)' 'file->f_inode->i_ino'; do
	begin=$(cut -d' ' -f1 /proc/uptime)
	echo "*: $expr" > func_args_expr || wrong "not set for all functions: $expr"
	end=$(cut -d' ' -f1 /proc/uptime)
	echo "all functions with a file, $expr: $begin to $end s"
done
echo > func_args_expr
rmmod arg_exprs
grep -q 'debug_locks: *1' /proc/lockdep_stats || wrong "lockdep is switched off"

# When the kernel is locked down, no new line or option may read memory, even through
# files that were opened before. Lines that read no memory are accepted. Lines and
# options that read memory can be removed.
exec 4> func_args_expr 5> set_graph_filter 6> options/funcgraph-deref 7> options/funcgraph-deref
exec 8> func_args_string_size 9> options/funcgraph-args
echo 'vfs_read: +0(pos)' >&4 || wrong "not set: +0(pos)"
mount -t securityfs none /sys/kernel/security
echo confidentiality > /sys/kernel/security/lockdown || wrong "no lockdown"
refused()
{
	! (echo "$2" >&"$1") 2> /dev/null || wrong "accepted with lockdown: $2"
}
refused 4 'vfs_write: +0(pos)'
refused 5 'vfs_write: +0(pos) == 1'
refused 5 'do_sys_openat2: filename == "/"'
refused 6 1
refused 8 10
echo 0 >&9 || wrong "funcgraph-args stays with lockdown"
refused 9 1
echo 0 >&8 || wrong "strings are read with lockdown"
echo 1 >&9 || wrong "arguments without strings are refused"
dmesg | grep -q 'Lockdown: .*: use of kprobes is restricted' || wrong "refused for another reason"
echo '!vfs_read: +0(pos)' >&4 || wrong "a line stays with lockdown"
echo 'vfs_write: count == 1' >&5 || wrong "a condition on an argument is refused"
echo 0 >&7 || wrong "funcgraph-deref stays with lockdown"
! cat func_args_expr 2> /dev/null || wrong "a file was opened with lockdown"
exit $status
