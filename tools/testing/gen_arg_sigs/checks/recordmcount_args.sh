# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets here, top, work and tool
#
# Check recordmcount_args.pl with objects, archives and trees, and the report of a build

script=$top/scripts/recordmcount_args.pl

# Make objects, an archive with two members of the same name and a text, and a thin archive
make_tree()
{
	local dir=$work/tree file

	rm -rf "$dir"
	mkdir -p "$dir/sub/same" "$dir/thin"
	for file in structs ints enums; do
		cc_for gcc -O2 -g -c "$here/samples/$file.c" -o "$dir/sub/$file.o" || return 1
	done
	mv "$dir/sub/enums.o" "$dir/sub/same/structs.o"
	echo 'text, odd' >"$dir/sub/text"
	(cd "$dir" && ar rc whole.a sub/structs.o sub/text &&
	 ar q whole.a sub/same/structs.o 2>/dev/null &&
	 ar rcT thin/thin.a sub/ints.o && rm sub/text) || return 1
	gcc -O2 -g -c "$here/oracle/record.c" -o "$dir/host.o"
}

script_records()
{
	local dir=$work/tree run

	make_tree || return 1
	cp "$dir/host.o" "$work/host.copy"
	run=(perl "$script" --gen "$tool")
	"${run[@]}" "$dir" >"$work/out" 2>"$work/err" || { cat "$work/err"; return 1; }
	cmp "$work/host.copy" "$dir/host.o" &&
	check_dump "$dir/sub/structs.o" structs gcc -O2 plain 0 &&
	check_dump "$dir/sub/ints.o" ints gcc -O2 plain 0 || return 1

	# The archive has both members with the same name, an unchanged text, and an index
	# of symbols
	(cd "$work" && ar xN 1 "$dir/whole.a" structs.o && mv structs.o one.o &&
	 ar xN 2 "$dir/whole.a" structs.o && ar p "$dir/whole.a" text >text.out) || return 1
	check_dump "$work/one.o" structs gcc -O2 plain 0 &&
	check_dump "$work/structs.o" enums gcc -O2 plain 0 &&
	[ "$(cat "$work/text.out")" = 'text, odd' ] &&
	nm -s "$dir/whole.a" | grep -q '^structs_.* in structs.o' &&
	ld -r -u structs_registers -o "$work/linked.o" "$dir/whole.a" &&
	ld -r --whole-archive -o "$work/linked.o" "$dir/thin/thin.a" || return 1
	grep -q '^ *6  objects$' "$work/out" || { cat "$work/out"; return 1; }

	# A second run changes nothing
	cp "$dir/whole.a" "$work/whole.copy"
	"${run[@]}" --strip-debug "$dir/sub" "$dir/whole.a" >"$work/out" &&
	grep -q '^ *5  had signatures already$' "$work/out" &&
	! readelf -SW "$dir/sub/ints.o" | grep -F .debug_ || return 1

	# A file that is not an object is an error, and a folder without objects, too
	echo text >"$work/text.o"
	"${run[@]}" "$work/text.o" >"$work/out" 2>/dev/null
	[ $? = 1 ] && grep -q 'text.o: status-1$' "$work/out" || return 1
	"${run[@]}" "$here/samples" >/dev/null 2>&1
	[ $? = 2 ]
}

script_reports()
{
	local dir=$work/cmds

	mkdir -p "$dir/sub"
	printf '%s\n' 'savedcmd_a.o := cc' \
		'#ARGSIGS sites=5 sigs=3 no-function=2 unknown-stack=1 params=100 constants=1' \
		'#ARGSIGS_NONE one no-function' '#ARGSIGS_NONE two no-function' >"$dir/.a.o.cmd"
	printf '%s\n' '#ARGSIGS sites=7 sigs=7 params=100 removed=4 unknown-returns=1' \
		>"$dir/sub/.b.o.cmd"
	printf '%s\n' 'savedcmd_c.o := as' >"$dir/.c.o.cmd"
	cat >"$work/want" <<-'EOF'
		      2  objects
		     12  sites
		     10  signatures
		      2  sites without
		      2      no-function
		    200  parameters
		      4  removed by the compiler
		      1  constants
		      1  shown as "?" (0.500 %)
		      1      stack
		      1  return values shown as "?"
		      0  objects not read
		Missing most:
		      3      a.o
	EOF
	perl "$script" --report --limit 0.6 "$dir" >"$work/got" && diff "$work/want" "$work/got" &&
	! perl "$script" --report --limit 0.5 "$dir" >/dev/null &&
	printf '%s\n' 'a.o: one no-function' 'a.o: two no-function' >"$work/want" &&
	perl "$script" -r --functions "$dir" | diff "$work/want" - &&
	perl "$script" --help | grep -q '^Usage: recordmcount_args.pl' || return 1
	printf '%s\n' '#ARGSIGS sites=? sigs=0 error=status-139' >"$dir/.d.o.cmd"
	perl "$script" -r "$dir" >"$work/got"
	[ $? = 1 ] && grep -q '^ *1  objects not read$' "$work/got" &&
	grep -q ' d.o: status-139$' "$work/got" || return 1
	perl "$script" -r "$here/samples" >/dev/null 2>&1
	[ $? = 2 ] || return 1
	perl "$script" --frob "$dir" >/dev/null 2>&1
	[ $? = 2 ]
}

recordmcount_args_checks()
{
	check 'recordmcount_args.pl: objects, archives and trees' script_records
	check 'recordmcount_args.pl: the report of a build' script_reports
}
