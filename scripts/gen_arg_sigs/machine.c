// SPDX-License-Identifier: GPL-2.0
/*
 * The machine of the object, and what all machines have in common
 */
#include <string.h>

#include "gen_arg_sigs.h"

const struct machine *machine;

/* Convert DWARF's number to the number of an argument register, -1 for other registers */
int arg_reg_of_dwarf(unsigned int reg)
{
	unsigned int i;

	for (i = 0; i < machine->nr_arg_regs; i++)
		if (machine->dwarf_arg_regs[i] == reg)
			return i;
	return -1;
}

/*
 * Find out what an instruction reads and writes. Returns the instruction's length, 0 if the
 * instruction is not known.
 */
unsigned int effects_read(struct effects *effects, const unsigned char *p,
			  const unsigned char *end)
{
	return machine->effects ? machine->effects(effects, p, end) : 0;
}

/*
 * Start placing a function's parameters. @clang: version of the clang that compiled the
 * function, 0 for gcc. @ret: type that the function returns, NULL for void. @state: set to
 * the registers that are used. Returns how the value is returned.
 */
enum abi_return abi_begin(struct abi_state *state, Dwarf_Die *ret, unsigned int clang)
{
	Dwarf_Die type;

	memset(state, 0, sizeof(*state));
	state->clang = clang;
	if (!ret)
		return ABI_RETURN_ONE;
	type = *ret;
	if (!die_peel(&type))
		return ABI_RETURN_ONE;
	return machine->abi_return(state, ret);
}

/* How many longs a value of a size has */
unsigned int size_longs(Dwarf_Word size)
{
	if (size > 8 * 65535)
		return 65535;
	return size ? (size + 7) / 8 : 1;
}

/* How many longs a value of a type has */
unsigned int abi_longs(Dwarf_Die *type)
{
	Dwarf_Word size;

	return die_size(type, &size) ? size_longs(size) : 1;
}

/* The letter of the slot of one of a parameter's longs, '-' if the long has no slot */
char abi_slot(const struct abi_place *place, unsigned int nr)
{
	if (place->reference && nr)
		return abi_slot(place, 0) == '-' ? '-' : '+';
	if (!place->memory)
		return nr < ARRAY_SIZE(place->slots) ? place->slots[nr] : '-';
	return place->word + nr < NR_WORDS ? 'A' + place->word + nr : '-';
}
