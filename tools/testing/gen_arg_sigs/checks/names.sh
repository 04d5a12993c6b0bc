# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets top and work
#
# Check that no two functions of the tool share a name. lab/test layers checks that no files
# of the tool call each other in a circle.

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

names_checks()
{
	check 'names: each function has its own' doubled_functions
}
