# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of trace-calls for bash. The names of commands and options come from trace-calls.

_trace_calls()
{
	local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} names='' i

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ] || { [ "$command" = help ] && [ "$COMP_CWORD" -eq 2 ]; }; then
		names=$(trace-calls --options 2>/dev/null)
	elif [[ $cur == -* ]]; then
		names=$(trace-calls --options "$command" 2>/dev/null)
	fi
	# The traced command and its arguments follow "--"
	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ $command != run || ${COMP_WORDS[i]} != -- ]] || names=$(compgen -c -- "$cur")
	done
	mapfile -t COMPREPLY < <(compgen -W "$names" -- "$cur")
	# A value follows "="
	[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
}

complete -o default -F _trace_calls trace-calls
