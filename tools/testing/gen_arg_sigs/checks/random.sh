# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets here, work and tool
#
# Check that random functions get the values that their signatures describe, see oracle/

# Compare signatures of random functions with the passed values
oracle()
{
	rm -rf "$work/oracle"
	bash "$here/oracle/run.sh" "$tool" "$work/oracle" "$@"
}

random_checks()
{
	local seed=${SEED:-1} cc family float options boundary

	echo "# random functions: SEED=$seed"
	for cc in gcc clang; do
		command -v $cc >/dev/null || continue
		# Use the kernel's options, with an option that moves the frame base, and
		# other options
		boundary=-mpreferred-stack-boundary=3
		[ $cc = gcc ] || boundary=-mstack-alignment=8
		for family in abi clones; do
			for options in "-O2 -mno-sse -mno-mmx $boundary" '-O2 --float' \
				       '-Os -fno-omit-frame-pointer' '-O1 -gdwarf-4' \
				       '-O0 -fcf-protection=branch'; do
				float=
				[[ $options != *--float* ]] || float=--float
				# shellcheck disable=SC2086
				check "random $family: $cc $options" oracle $family "$seed" \
					"${FUNCTIONS:-60}" $float $cc ${options/--float/}
			done
		done
	done
}
