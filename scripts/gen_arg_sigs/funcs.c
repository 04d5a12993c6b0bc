// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that an object's DWARF describes
 *
 * Strategy: walk over the units once, and sort the functions by the ranges of their
 * code.  Functions that are looked up by name have lists of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "signature.h"

static int compare_funcs(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static void add_codeless(struct funcs *funcs, Dwarf_Die *die)
{
	size_t nr = funcs->nr_codeless++;

	if (!(nr & (nr - 1)))
		funcs->codeless = xrealloc(funcs->codeless, 2 * nr + 1,
					   sizeof(*funcs->codeless));
	funcs->codeless[nr] = *die;
}

static void add_call_die(struct funcs *funcs, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	size_t nr = funcs->nr_calls;

	if (!name || (strncmp(name, DO_SYS, strlen(DO_SYS)) &&
		      strncmp(name, DO_COMPAT_SYS, strlen(DO_COMPAT_SYS))))
		return;
	if (!(nr & (nr - 1)))
		funcs->calls = xrealloc(funcs->calls, 2 * nr + 1, sizeof(*funcs->calls));
	funcs->calls[nr] = *die;
	funcs->nr_calls++;
}

/*
 * Why no function of a unit has a signature.  Other languages than C pass parameters in
 * other ways.  With -g1 a unit has functions, but no type.
 */
static enum reason unit_reason(Dwarf_Die *unit)
{
	bool prototyped = false;
	Dwarf_Die die;
	int ret;

	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c:	/* DW_LANG_C17 */
	case 0x3e:	/* DW_LANG_C23 */
	case -1:
		break;
	default:
		return REASON_LANGUAGE;
	}
	for (ret = dwarf_child(unit, &die); !ret; ret = dwarf_siblingof(&die, &die)) {
		prototyped |= dwarf_hasattr(&die, DW_AT_prototyped);
		if (prototyped || dwarf_tag(&die) == DW_TAG_base_type)
			return REASON_NONE;
	}
	return REASON_NO_TYPES;
}

static bool add_func(struct funcs *funcs, Dwarf_Die *die, enum reason reason)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;
	bool entry = true;

	add_call_die(funcs, die);

	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges)) {
		if (!dwarf_hasattr(die, DW_AT_declaration))
			add_codeless(funcs, die);
		return true;
	}

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		if (funcs->nr == funcs->size) {
			funcs->size = 2 * funcs->size + 256;
			funcs->funcs = xrealloc(funcs->funcs, funcs->size,
						sizeof(*funcs->funcs));
		}
		funcs->funcs[funcs->nr].low = low;
		funcs->funcs[funcs->nr].high = high;
		funcs->funcs[funcs->nr].die = *die;
		funcs->funcs[funcs->nr].entry = entry;
		funcs->funcs[funcs->nr].reason = reason;
		funcs->nr++;
		entry = false;
	}
	return !offset;
}

/*
 * Find the functions of an object in its DWARF. @funcs: set to the functions; empty before
 * the call. Units of the assembler are left out, because they have no types. Returns false if
 * part of the DWARF is malformed. @funcs then has the functions that could be read.
 */
bool funcs_read(struct funcs *funcs, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	bool good = true;
	int ret;

	for (;;) {
		Dwarf_Die cu_die, die;
		enum reason reason;
		__u8 type;

		ret = dwarf_get_units(dwarf, cu, &cu, NULL, &type, &cu_die, NULL);
		if (ret)
			break;
		funcs->split |= type == DW_UT_skeleton ||
				dwarf_hasattr(&cu_die, DW_AT_GNU_dwo_name);
		if (type != DW_UT_compile || dwarf_tag(&cu_die) != DW_TAG_compile_unit)
			continue;
		/* The assembler describes functions, but not their types */
		if (dwarf_srclang(&cu_die) == DW_LANG_Mips_Assembler)
			continue;
		funcs->nr_units++;
		reason = unit_reason(&cu_die);
		for (ret = dwarf_child(&cu_die, &die); !ret;
		     ret = dwarf_siblingof(&die, &die))
			if (dwarf_tag(&die) == DW_TAG_subprogram)
				good &= add_func(funcs, &die, reason);
		good &= ret >= 0;
	}
	if (funcs->nr)
		qsort(funcs->funcs, funcs->nr, sizeof(*funcs->funcs), compare_funcs);
	return good && ret >= 0;
}

/* The range of a function's code that contains an address, or NULL */
struct func *funcs_find(struct funcs *funcs, Dwarf_Addr addr)
{
	size_t low = 0, high = funcs->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (funcs->funcs[mid].low <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && addr < funcs->funcs[low - 1].high ? &funcs->funcs[low - 1] : NULL;
}

static void read_names(struct funcs *funcs)
{
	size_t i;

	if (funcs->names)
		return;
	funcs->names = xcalloc(funcs->nr_codeless, sizeof(*funcs->names));
	for (i = 0; i < funcs->nr_codeless; i++)
		funcs->names[i] = dwarf_diename(&funcs->codeless[i]);
}

/*
 * Find a function without code of its own by the name of its symbol. Returns its DIE, or NULL
 * if there is none.
 */
Dwarf_Die *funcs_find_twin(struct funcs *funcs, const struct func *func, const char *symbol)
{
	size_t len = strcspn(symbol, "."), i;

	read_names(funcs);
	for (i = 0; i < funcs->nr_codeless; i++)
		if (funcs->names[i] && funcs->codeless[i].cu == func->die.cu &&
		    !strncmp(funcs->names[i], symbol, len) && !funcs->names[i][len])
			return &funcs->codeless[i];
	return NULL;
}

/* Whether the unit of a DIE has code at an address */
static bool unit_has(Dwarf_Die *die, Dwarf_Addr addr)
{
	Dwarf_Die cu;

	return dwarf_diecu(die, &cu, NULL, NULL) && dwarf_haspc(&cu, addr) > 0;
}

/*
 * Find the function of a site if its DWARF has no code. If two functions are equal, gcc may
 * replace one function by a jump to the other function. gcc's DWARF then describes the
 * replaced function without code. The replaced function still has the interface of its
 * declaration. In one unit a name belongs to one function. In a linked file, the ranges of
 * the units show the unit of the function. In an object the ranges may not include the jump.
 * Returns false if there is no such function, or more than one.
 */
bool funcs_find_codeless(struct funcs *funcs, struct site *site, Dwarf_Addr addr,
			 struct func *func)
{
	bool found = false;
	size_t i;

	if (!site->symbol)
		return false;
	read_names(funcs);

	for (i = 0; i < funcs->nr_codeless; i++) {
		if (!funcs->names[i] || strcmp(funcs->names[i], site->symbol) ||
		    (funcs->nr_units > 1 && !unit_has(&funcs->codeless[i], addr)))
			continue;
		if (found)
			return false;
		found = true;
		*func = (struct func){
			.low	= addr - site->symbol_offset,
			.die	= funcs->codeless[i],
			.entry	= true,
		};
	}
	return found;
}

/* Free the lists of an object's functions */
void funcs_free(struct funcs *funcs)
{
	free(funcs->funcs);
	free(funcs->codeless);
	free(funcs->names);
	free(funcs->calls);
}

/*
 * Find the function that takes a system call's parameters. Returns its DIE, or NULL if there
 * is none.
 */
Dwarf_Die *funcs_find_call(struct funcs *funcs, Dwarf_Die *func, const char *prefix,
			   const char *name)
{
	size_t len = strlen(prefix), i;

	for (i = 0; i < funcs->nr_calls; i++) {
		Dwarf_Die *die = &funcs->calls[i];
		const char *call = dwarf_diename(die);

		if (die->cu == func->cu && call && !strncmp(call, prefix, len) &&
		    !strcmp(call + len, name))
			return die;
	}
	return NULL;
}
