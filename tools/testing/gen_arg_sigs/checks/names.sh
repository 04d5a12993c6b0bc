# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets top and work
#
# Check that no two functions of the tool share a name, and that its files use each other
# without a circle

# Print the functions of the tool that are defined in several files. Without optimization,
# each static function is a symbol of its own.
doubled_functions()
{
	# shellcheck disable=SC2046
	"${HOSTCC:-cc}" -O0 -o "$work/names" "$top"/scripts/gen_arg_sigs/*.c \
		$(pkg-config --cflags --libs libdw libelf) || return 1
	nm "$work/names" | sed -n 's/^[0-9a-f]* [tT] //p' | sort >"$work/functions"
	grep -qx sigs_read "$work/functions" &&
	[ -z "$(uniq -d "$work/functions" | tee /dev/stderr)" ]
}

# Print the files that need each other
circles()
{
	local file object

	mkdir -p "$work/files"
	for file in "$top"/scripts/gen_arg_sigs/*.c; do
		object=$(basename "$file" .c)
		# shellcheck disable=SC2046
		"${HOSTCC:-cc}" -O1 $(pkg-config --cflags libdw libelf) -c "$file" \
			-o "$work/files/$object" || return 1
		nm "$work/files/$object" | sed -n "s/^[0-9a-f]* *\([TDRBU]\) /$object \1 /p"
	done >"$work/uses"
	awk 'NR == FNR { if ($2 != "U") of[$3] = $1; next }
	     $2 == "U" && of[$3] { print $1, of[$3] }' "$work/uses" "$work/uses" >"$work/edges"
	grep -q '^signature types$' "$work/edges" || { echo 'no file needs another one'; return 1; }
	tsort "$work/edges" >/dev/null 2>"$work/circles"
	cat "$work/circles"
	[ ! -s "$work/circles" ]
}

names_checks()
{
	check 'names: no file needs itself through other files' circles
	check 'names: each function has its own' doubled_functions
}
