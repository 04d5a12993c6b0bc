// SPDX-License-Identifier: GPL-2.0
/*
 * The signatures of a crashed kernel with CONFIG_FUNCTION_ARG_SIGS
 *
 * The text is that of kernel/trace/args/carrier.c, which writes it for recorders.  The format is
 * in Documentation/trace/arg-sigs-format.rst.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/arg_sigs.h>

#include "arrays.h"
#include "calls.h"
#include "vmcore.h"

/* The rest of a reference is the place of the signature, counted from 1 (args/table.h) */
#define REF_SHIFT	11

/* Larger tables are damaged */
#define MAX_TEXT	0x10000000
#define MAX_FUNCTIONS	0x1000000

/* A function of the image by its offset from _text, or of a module by its address */
struct func {
	u64	addr;
	u32	ref;
	u32	name;
};

static char digit(unsigned int val)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return digits[val];
}

static void put_varint(u64 val, FILE *to)
{
	for (; val >= 32; val >>= 5)
		fputc(digit(val % 32 + 32), to);
	fputc(digit(val), to);
}

/* Write signatures or descriptions */
static bool put_section(struct vmcore *core, u64 addr, u64 size, FILE *to)
{
	char *buf;
	u64 i;

	if (size > MAX_TEXT)
		return dump_fail(&core->dump, "signatures of %llu bytes", (unsigned long long)size);
	buf = xmalloc(size);
	if (size && !dump_read(&core->dump, addr, buf, size)) {
		free(buf);
		return false;
	}
	for (i = 0; i < size; i++) {
		/* The text is in the quotes of a print format */
		if (!buf[i] || buf[i] < ' ' || buf[i] > '~' || buf[i] == '"' || buf[i] == '\\')
			buf[i] = '~';
	}
	fprintf(to, "%llu;", (unsigned long long)size);
	fwrite(buf, 1, size, to);
	free(buf);
	return true;
}

static bool put_flags(struct vmcore *core, FILE *to)
{
	struct dump *dump = &core->dump;
	static const char type[] = "trace_print_flags";
	u64 table, size, mask, name, nr = 0, i;
	char *text;

	if (!dump_variable(dump, "gfpflag_names", &table) || !dump_size(dump, type, &size))
		return false;
	for (; nr < 256; nr++) {
		if (!dump_take(dump, table + nr * size, type, "name", &name))
			return false;
		if (!name)
			break;
	}
	fprintf(to, "g%llu;", (unsigned long long)nr);
	for (i = 0; i < nr; i++) {
		if (!dump_take(dump, table + i * size, type, "name", &name) ||
		    !dump_take(dump, table + i * size, type, "mask", &mask))
			return false;
		text = dump_string(dump, name);
		if (!text)
			return false;
		fprintf(to, "%s=%llx;", text, (unsigned long long)mask);
		free(text);
	}
	return true;
}

static int compare_funcs(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Read an array of functions, whose members have the names @key and "ref"; free() the result */
static struct func *read_funcs(struct vmcore *core, u64 addr, const char *type, const char *key,
			       u64 *nr)
{
	struct dump_member keys, refs, names = { };
	struct dump *dump = &core->dump;
	u64 size, i, used = 0;
	struct func *funcs;
	u8 *bytes;

	if (!dump_size(dump, type, &size) || !dump_member(dump, type, key, &keys) ||
	    !dump_member(dump, type, "ref", &refs))
		return NULL;
	/* Only functions of modules have names */
	if (!dump_member(dump, type, "name", &names))
		names.size = 0;
	if (*nr > MAX_FUNCTIONS || size >= 256 || keys.size > sizeof(u64) ||
	    refs.size != sizeof(u32) || names.size > sizeof(u32) ||
	    keys.offset + keys.size > size || refs.offset + refs.size > size ||
	    names.offset + names.size > size) {
		dump_fail(dump, "%llu functions", (unsigned long long)*nr);
		return NULL;
	}
	bytes = xmalloc(*nr * size);
	if (*nr && !dump_read(dump, addr, bytes, *nr * size)) {
		free(bytes);
		return NULL;
	}
	funcs = xcalloc(*nr, sizeof(*funcs));
	for (i = 0; i < *nr; i++) {
		struct func *func = &funcs[used];

		memcpy(&func->addr, bytes + i * size + keys.offset, keys.size);
		memcpy(&func->ref, bytes + i * size + refs.offset, refs.size);
		memcpy(&func->name, bytes + i * size + names.offset, names.size);
		used += !!func->addr;
	}
	free(bytes);
	*nr = used;
	qsort(funcs, used, sizeof(*funcs), compare_funcs);
	return funcs;
}

static void put_func(const struct func *func, u64 before, FILE *to)
{
	s64 delta = func->addr - before;

	put_varint((u64)delta << 1 ^ delta >> 63, to);
	put_varint((func->ref >> REF_SHIFT) - 1, to);
}

static bool put_between(struct vmcore *core, const char *start, const char *stop, FILE *to)
{
	u64 from, end;

	return dump_variable(&core->dump, start, &from) &&
	       dump_variable(&core->dump, stop, &end) &&
	       put_section(core, from, end - from, to);
}

static bool put_image(struct vmcore *core, u64 image, FILE *to)
{
	struct dump *dump = &core->dump;
	struct dump_member slots;
	struct func *funcs;
	u64 nr, i;

	if (!put_between(core, "__start_arg_sigs_types", "__stop_arg_sigs_types", to) ||
	    !put_between(core, "__start_arg_sigs_str", "__stop_arg_sigs_str", to) ||
	    !dump_take(dump, image, "arg_sigs_image", "all", &nr) ||
	    !dump_member(dump, "arg_sigs_image", "slots", &slots))
		return false;
	funcs = read_funcs(core, image + slots.offset, "arg_sig_slot", "key", &nr);
	if (!funcs)
		return false;
	fprintf(to, "%llu;", (unsigned long long)nr);
	for (i = 0; i < nr; i++)
		put_func(&funcs[i], i ? funcs[i - 1].addr : 0, to);
	free(funcs);
	return true;
}

/* Write the name of a module's function */
static void put_name(struct vmcore *core, const struct func *func, u64 names, FILE *to)
{
	char *name = dump_string(&core->dump, names + func->name);

	fprintf(to, "%s;", name ?: "");
	free(name);
}

/* Write the functions of a module */
static bool put_set(struct vmcore *core, u64 set, FILE *to)
{
	u64 mod, id, nr, text, size, names, types_text, types_size, i;
	struct dump_member name, types, entries;
	struct dump *dump = &core->dump;
	static const char type[] = "arg_sig_set";
	struct func *funcs = NULL;
	char *module;
	bool good;

	if (!dump_take(dump, set, type, "mod", &mod) || !dump_take(dump, set, type, "id", &id) ||
	    !dump_take(dump, set, type, "nr", &nr) ||
	    !dump_take(dump, set, type, "text", &text) ||
	    !dump_take(dump, set, type, "text_size", &size) ||
	    !dump_take(dump, set, type, "names", &names) ||
	    !dump_member(dump, type, "mod_name", &name) ||
	    !dump_member(dump, type, "types", &types) ||
	    !dump_member(dump, type, "entries", &entries) ||
	    !dump_take(dump, set + types.offset, "arg_types", "text", &types_text) ||
	    !dump_take(dump, set + types.offset, "arg_types", "size", &types_size))
		return false;
	module = dump_string(dump, set + name.offset);
	if (!module)
		return false;
	fprintf(to, "%c%llu;%s;", mod ? 'm' : 'g', (unsigned long long)id, module);
	free(module);
	good = put_section(core, types_text, types_size, to) &&
	       put_section(core, text, size, to);
	if (good)
		funcs = read_funcs(core, set + entries.offset, "arg_sig_entry", "ip", &nr);
	if (!funcs)
		return false;
	fprintf(to, "%llu;", (unsigned long long)nr);
	for (i = 0; i < nr; i++) {
		put_func(&funcs[i], i ? funcs[i - 1].addr : 0, to);
		put_name(core, &funcs[i], names, to);
	}
	free(funcs);
	return true;
}

/* Write the sets of a list */
static bool put_sets(struct vmcore *core, const char *name, bool back, FILE *to)
{
	struct dump_list sets = { .back = back };
	struct dump *dump = &core->dump;
	struct dump_member list;
	u64 set;

	/* A kernel without modules has no sets */
	if (!dump_variable(dump, name, &sets.head))
		return true;
	if (!dump_member(dump, "arg_sig_set", "list", &list))
		return false;
	sets.offset = list.offset;
	while ((set = dump_next(dump, &sets)))
		if (!put_set(core, set, to))
			return false;
	return !sets.damaged;
}

/* Write the descriptions of expressions in the order of their numbers */
static bool put_exprs(struct vmcore *core, FILE *to)
{
	u64 table, max = 0, end = 0, nr, i, *descs = NULL;
	struct dump *dump = &core->dump;
	struct dump_member member;
	char *text = NULL, *one;
	size_t size;
	FILE *out;

	if (!dump_variable(dump, "arg_exprs_descs", &table))
		return true;
	if (!dump_member(dump, "arg_exprs_desc", "text", &member) ||
	    !dump_extent(dump, "*arg_exprs_descs", &max))
		return false;
	max /= sizeof(*descs);
	if (!max || max > 0x10000)
		return dump_fail(dump, "%llu expressions", (unsigned long long)max);
	descs = xcalloc(max, sizeof(*descs));
	out = allocated(open_memstream(&text, &size));
	if (!dump_read(dump, table, descs, max * sizeof(*descs)))
		goto fail;
	for (i = 0; i < max; i++) {
		if (!descs[i])
			continue;
		if (!dump_take(dump, descs[i], "arg_exprs_desc", "nr", &nr) || nr > 0xffff)
			goto fail;
		if (nr + 1 > end)
			end = nr + 1;
	}
	for (i = 0; i < end; i++) {
		/* A number that has no description any more has an empty text */
		one = NULL;
		if (descs[i % max] &&
		    dump_take(dump, descs[i % max], "arg_exprs_desc", "nr", &nr) && nr == i)
			one = dump_string(dump, descs[i % max] + member.offset);
		fprintf(out, "%s~", one ?: "");
		free(one);
	}
	fclose(out);
	free(descs);
	if (size)
		fprintf(to, "e%zu;%s", size, text);
	free(text);
	return true;

fail:
	fclose(out);
	free(text);
	free(descs);
	return false;
}

/* Write the print format of the event arg_sigs. Returns false if the signatures cannot be read. */
bool vmcore_put_sigs(struct vmcore *core, FILE *to)
{
	struct dump *dump = &core->dump;
	u64 var, image;

	if (!dump_variable(dump, "arg_sigs_image", &var) ||
	    !dump_read(dump, var, &image, sizeof(image)))
		return false;
	fputs("\nprint fmt: \"arg_sigs 2;", to);
	if (!put_flags(core, to) || !put_image(core, image, to) ||
	    !put_sets(core, "gone_sets", false, to) || !put_sets(core, "arg_sig_sets", true, to))
		return false;
	fputc('.', to);
	if (!put_exprs(core, to))
		return false;
	fputs("\"\n", to);
	return true;
}
