// SPDX-License-Identifier: GPL-2.0
/*
 * From DWARF to the text of signatures
 *
 * Strategy: find the function of each site, read its prototype, find the places of its
 * parameters, and write the signature with the grammar of
 * Documentation/trace/arg-sigs-format.rst.
 */
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/*
 * The kind of text that a parameter points to, and that is captured at entry or return. A
 * reference is the address of the parameter itself
 */
enum text_kind { TEXT_NONE, TEXT_REFERENCE, TEXT_STRING, TEXT_BUFFER, TEXT_FILLED };

/* The slots of a signature while they are collected, at most ARG_SIGS_MAX_LONGS */
struct slots {
	struct text text;
	struct text reads;	/* longs that point to numbers, and the sizes of the numbers */
	struct text digests;	/* longs that point to types with digests */
	char filled;		/* the long that points to a buffer that the call fills */
	unsigned int nr_filled;
	unsigned int nr;
	bool plain;		/* @text is just the argument registers in their order */
};

static char long_letter(unsigned int nr)
{
	return nr < 26 ? 'a' + nr : 'A' + nr - 26;
}

static bool add_slot(struct slots *slots, char slot, enum text_kind text)
{
	static const char *const marks[] = { "", "&", "*", "#", "" };

	if (slots->nr == ARG_SIGS_MAX_LONGS)
		return false;
	/* The buffer's size in the next long has to be captured as well */
	if (text >= TEXT_BUFFER && slots->nr + 1 == ARG_SIGS_MAX_LONGS)
		text = TEXT_NONE;
	if (text == TEXT_FILLED) {
		slots->filled = long_letter(slots->nr);
		slots->nr_filled++;
	}
	slots->plain &= !*marks[text] && slot == (char)('a' + slots->nr);
	text_addf(&slots->text, "%s%c", marks[text], slot);
	slots->nr++;
	return true;
}

/* Add the next long to the reads if its target can be recorded */
static void add_read(struct sigs *sigs, struct slots *slots, const Dwarf_Die *type)
{
	bool is_const;
	unsigned int size = sigs_read_size(type, &is_const), log = 0;

	char digest = size ? 0 : sigs_read_digest(sigs, type);
	char index = long_letter(slots->nr);

	if ((!size && !digest) || slots->nr == ARG_SIGS_MAX_LONGS)
		return;
	if (digest) {
		text_addf(&slots->digests, "*%c%c", index, digest);
		return;
	}
	while (1u << log < size)
		log++;
	text_addf(&slots->reads, "*%c%c", index, (is_const ? 'A' : 'a') + log);
}

static bool is_captured(const struct param *param, unsigned int nr)
{
	char slot = abi_slot(&param->place, nr);

	return !param->removed && slot != '-' && slot != '.';
}

/*
 * The text that a parameter of a type points to.  @next: the type of the next parameter,
 * or NULL.
 *
 * A pointer to char points to a string, with any qualifiers and typedefs. A pointer to
 * signed or unsigned characters points to data. If a size_t follows, a pointer to char
 * points to a buffer, and the size_t is the size of the buffer in bytes. The caller fills a
 * const buffer. The callee fills any other buffer.
 */
static enum text_kind die_text(const Dwarf_Die *die, const Dwarf_Die *next)
{
	Dwarf_Die type = *die;
	Dwarf_Die target;

	if (die_peel(&type) != 1 || dwarf_tag(&type) != DW_TAG_pointer_type ||
	    die_type(&type, &target) != 1)
		return TEXT_NONE;
	type = target;
	if (die_peel(&type) != 1 || dwarf_tag(&type) != DW_TAG_base_type ||
	    basic_type_letter(&type) != 'c')
		return TEXT_NONE;
	if (!next || !die_is_typedef(next, "size_t"))
		return TEXT_STRING;
	return die_is_const(&target) ? TEXT_BUFFER : TEXT_FILLED;
}

static void add_param_slots(struct sigs *sigs, struct slots *slots,
			    struct param *param, const struct param *next)
{
	enum text_kind text = die_text(&param->type, next ? &next->type : NULL);
	unsigned int i;

	if (param->raw || (next && next->raw))
		text = TEXT_NONE;
	if (param->removed)
		param->place.reason = REASON_NONE;
	/* The address or the size of the buffer is not known */
	if (!is_captured(param, 0) ||
	    (text >= TEXT_BUFFER && !is_captured(next, 0)))
		text = TEXT_NONE;
	if (param->place.reference && is_captured(param, 0))
		text = TEXT_REFERENCE;
	if (is_captured(param, 0) && !param->raw)
		add_read(sigs, slots, &param->type);
	for (i = 0; i < param->place.longs; i++) {
		char slot = param->removed ? '.' : abi_slot(&param->place, i);

		if (!add_slot(slots, slot, i ? TEXT_NONE : text)) {
			param->place.reason = REASON_LIMIT;
			break;
		}
	}
	sigs->nr.params[param->place.reason]++;
	if (param->removed && !param->place.reason) {
		sigs->nr.constants += param->has_constant;
		sigs->nr.removed += !param->has_constant;
	}
}

/* Add an unsigned type of the same size */
static void add_raw_type(struct text *out, Dwarf_Die *type)
{
	static const char letters[] = { [1] = 'h', [2] = 't', [4] = 'j', [8] = 'm' };
	Dwarf_Word size;

	if (die_size(type, &size) && size < sizeof(letters) && letters[size])
		text_addf(out, "%c", letters[size]);
	else
		text_addf(out, "X;%u;", abi_longs(type));
}

static void add_param(struct sigs *sigs, struct text *out, struct param *param)
{
	if (param->raw)
		add_raw_type(out, &param->type);
	else
		sigs_add_named_type(sigs, out, param->flags, &param->type);
	text_add_name(out, param->raw ? NULL : dwarf_diename(&param->die));
	if (param->removed && param->has_constant && !out->failed) {
		/* The value goes before the ';' that ends the name */
		out->buf[--out->len] = '\0';
		text_addf(out, "=%s%llx;", param->constant < 0 ? "-" : "",
			  param->constant < 0 ? -(unsigned long long)param->constant :
						(unsigned long long)param->constant);
	}
}

static bool is_regs(Dwarf_Die *die)
{
	Dwarf_Die type = *die;
	const char *name;

	if (die_peel(&type) != 1 || dwarf_tag(&type) != DW_TAG_pointer_type ||
	    die_type(&type, &type) != 1 || die_peel(&type) != 1 ||
	    dwarf_tag(&type) != DW_TAG_structure_type)
		return false;
	name = dwarf_diename(&type);
	return name && !strcmp(name, "pt_regs");
}

/*
 * A 32-bit program's long is extended with its sign, and other types with zeros
 * (arch/x86/include/asm/syscall_wrapper.h). So the low half of the register has any value
 * of up to 32 bits. @type: the text of the type, whose values have no names.
 */
static void narrow_long(struct text *type, Dwarf_Die *die)
{
	Dwarf_Die peeled = *die;

	if (type->failed || !type->len || type->buf[type->len - 1] != 'l' ||
	    die_peel(&peeled) != 1 || dwarf_tag(&peeled) != DW_TAG_base_type ||
	    basic_type_letter(&peeled) != 'l')
		return;
	type->buf[--type->len] = '\0';
	if (!type->len || type->buf[type->len - 1] != ';')
		text_add(type, "Tlong;");
	text_add(type, "i");
}

/* The type of the next parameter; returns false if there is none */
static bool next_type(const Dwarf_Die *param, Dwarf_Die *type)
{
	Dwarf_Die next = *param;

	return !die_next(&next, DW_TAG_formal_parameter) && die_type(&next, type) == 1;
}

static bool add_fields(struct sigs *sigs, struct slots *slots, struct text *out,
		       Dwarf_Die *call, const char *words)
{
	struct text type = {};
	Dwarf_Die child;
	bool good = true;
	int ret;

	text_add(&slots->text, "|");
	text_add(out, "|");
	for (ret = die_child(call, DW_TAG_formal_parameter, &child); !ret && good;
	     ret = die_next(&child, DW_TAG_formal_parameter)) {
		Dwarf_Die die, next;
		bool has_next;

		good = *words && die_type(&child, &die) == 1 && abi_longs(&die) == 1;
		if (!good)
			break;

		text_reset(&type);
		if (!sigs_add_named_type(sigs, &type, flags_find(call, &child), &die) &&
		    *words < 'a')
			narrow_long(&type, &die);
		text_add(out, type.buf);
		out->failed |= type.failed;
		text_add_name(out, dwarf_diename(&child));
		has_next = next_type(&child, &next);
		add_read(sigs, slots, &die);
		if (add_slot(slots, *words++,
			     die_text(&die, has_next ? &next : NULL)))
			sigs->nr.params[REASON_NONE]++;
		else
			sigs->nr.params[REASON_LIMIT]++;
	}
	free(type.buf);
	return good && ret >= 0;
}

/*
 * Add a system call's own parameters.  They are in the struct pt_regs that is passed to the
 * stub.  The function that defines the system call has the types of the parameters.  A
 * system call without parameters is defined as a function of the registers.
 */
static bool add_call(struct sigs *sigs, struct slots *slots, struct text *out,
		     struct prototype *proto, struct funcs *funcs)
{
	const char *name = dwarf_diename(&proto->func->die);
	const struct stub *stub;
	const char *param;
	Dwarf_Die *call;
	bool none;
	size_t len;

	if (!name || proto->nr_params != 1 || proto->params[0].removed ||
	    abi_slot(&proto->params[0].place, 0) != 'a' ||
	    !is_regs(&proto->params[0].type))
		return true;

	none = !strncmp(name, DO_SYS, strlen(DO_SYS)) ||
	       !strncmp(name, DO_COMPAT_SYS, strlen(DO_COMPAT_SYS));
	for (stub = machine->stubs; !none && stub->prefix; stub++) {
		len = strlen(stub->prefix);
		if (strncmp(name, stub->prefix, len))
			continue;
		call = funcs_find_call(funcs, &proto->func->die, stub->call, name + len);
		/* The stubs of several system calls may have the same code */
		if (call && proto->merged)
			return true;
		if (call) {
			slots->plain = false;
			return add_fields(sigs, slots, out, call, stub->words);
		}
		param = dwarf_diename(&proto->params[0].die);
		none = stub->defines && param && !strcmp(param, "__unused");
		break;
	}
	if (none) {
		text_add(&slots->text, "|");
		text_add(out, "|");
		slots->plain = false;
	}
	return true;
}

static const char *return_prefix(struct sigs *sigs, const struct prototype *proto)
{
	if (!proto->ret.exists)
		return "";
	if (proto->ret.kept) {
		switch (proto->ret.place) {
		case ABI_RETURN_ONE:
			return "";
		case ABI_RETURN_TWO:
			return "2";
		case ABI_RETURN_MEMORY:
			return "&";
		case ABI_RETURN_UNKNOWN:
			break;
		}
	}
	sigs->nr.returns++;
	return "?";
}

/* Whether a function may return a number of bytes, as any system call may */
static bool returns_count(const struct prototype *proto, bool fields)
{
	return die_is_typedef(&proto->ret.type, "ssize_t") || fields;
}

/*
 * Write the results of a call besides the returned value: the object that the value points
 * to, and the buffer whose size in bytes is the value
 */
static void add_results(struct sigs *sigs, const struct slots *slots,
			const struct prototype *proto, bool fields, struct text *out)
{
	char digest;

	if (!proto->ret.exists || proto->ret.raw || !proto->ret.kept ||
	    proto->ret.place != ABI_RETURN_ONE)
		return;
	digest = sigs_read_digest(sigs, &proto->ret.type);
	if (digest)
		text_addf(out, "$%c", digest);
	/* If the call fills several buffers, the buffer of the value is not known */
	if (slots->nr_filled == 1 && returns_count(proto, fields))
		text_addf(out, "#%c", slots->filled);
}

/* Write the signature of a site's function, or return why there is none */
static enum reason function_signature(struct sigs *sigs, struct site *site,
				      Dwarf_Addr addr, struct func *func,
				      struct prototype *proto, struct funcs *funcs)
{
	struct slots slots = { .plain = true };
	struct text types = {}, results = {}, sig = {};
	bool good = true;
	size_t i;

	if (!proto_read(sigs, proto, site, addr, func))
		return REASON_MALFORMED;
	proto_place(sigs, proto);
	for (i = 0; i < proto->nr_params; i++)
		proto->params[i].flags = flags_find(&proto->func->die, &proto->params[i].die);
	twins_merge(sigs, funcs, site, proto);
	/*
	 * The compiler could have removed the return value.  If a caller uses the value,
	 * the compiler did not.  Another calling convention may return the value in other
	 * registers.
	 */
	if (proto->ret.exists && !proto->ret.kept && proto->ret.place == ABI_RETURN_ONE &&
	    !(proto->cc.clone & CLONE_CONVENTION))
		proto->ret.kept = proto_is_used(sigs, proto);

	text_reset(&slots.text);
	text_reset(&slots.reads);
	text_reset(&slots.digests);
	text_reset(&types);
	text_reset(&results);
	if (proto->ret.raw)
		add_raw_type(&types, &proto->ret.type);
	else
		sigs_add_type(sigs, &types, proto->ret.exists ? &proto->ret.type : NULL);
	for (i = 0; i < proto->nr_params; i++) {
		add_param_slots(sigs, &slots, &proto->params[i],
				i + 1 < proto->nr_params ?
				&proto->params[i + 1] : NULL);
		add_param(sigs, &types, &proto->params[i]);
	}
	if (proto->varargs)
		text_add(&types, "z");
	good = add_call(sigs, &slots, &types, proto, funcs);
	add_results(sigs, &slots, proto, strchr(slots.text.buf, '|'), &results);

	if (good && !sigs->malformed && !types.failed) {
		if (slots.plain && slots.nr <= 6 && !slots.reads.len &&
		    !slots.digests.len && !results.len)
			text_addf(&sig, "%u", slots.nr);
		else
			text_addf(&sig, "(%s)%s%s%s", slots.text.buf, slots.reads.buf,
				  slots.digests.buf, results.buf);
		text_add(&sig, return_prefix(sigs, proto));
		text_add(&sig, types.buf);
		site->sig = pool_add(&sigs->strs, sig.buf);
		free(sig.buf);
	} else {
		SET_MALFORMED(sigs);
		good = false;
	}
	free(slots.text.buf);
	free(slots.reads.buf);
	free(slots.digests.buf);
	free(results.buf);
	free(types.buf);
	return good ? REASON_NONE : REASON_MALFORMED;
}

/* The content of a section whose relocations are applied, or NULL */
static const Elf_Data *find_section(struct object *obj, const char *name)
{
	size_t index = section_find(obj, name);
	Elf_Data *data;

	if (!index || (section_header(obj->elf, index)->sh_flags & SHF_COMPRESSED &&
		       elf_compress(elf_getscn(obj->elf, index), 0, 0) < 0))
		return NULL;
	data = section_data(obj->elf, index);
	return data && data->d_buf ? data : NULL;
}

/*
 * Whether each function of a unit that has code and is no clone has the usual calling
 * convention.  So a function without code has it as well: gcc has merged this function with
 * one that has code, and gcc merges only functions with the same convention.
 */
static bool unit_is_usual(struct sigs *sigs, const struct funcs *funcs, Dwarf_Die *die)
{
	struct prototype proto = { .params = xcalloc(MAX_PARAMS, sizeof(*proto.params)) };
	bool usual = true;
	size_t i;

	for (i = 0; i < funcs->nr && usual; i++) {
		struct func *func = &funcs->funcs[i];
		struct site site = { .symbol = symbol_at(sigs->obj, func->low) };

		if (func->entry && func->die.cu == die->cu && !func->reason)
			usual = proto_read(sigs, &proto, &site, func->low, func) &&
				(proto.cc.clone || proto_is_usual(sigs, &proto));
	}
	free(proto.params);
	sigs->malformed = NULL;
	return usual;
}

/* Add sites for functions that ftrace does not know */
static void add_func_sites(struct object *obj, const struct funcs *funcs)
{
	size_t i;

	for (i = 0; i < funcs->nr; i++)
		if (funcs->funcs[i].entry)
			object_add_site(obj, funcs->funcs[i].low, funcs->funcs[i].high);
	object_sort_sites(obj);
}

/*
 * Read the signatures of an object's sites from its DWARF. @sigs: set to the signatures. Each
 * site gets its signature, or the reason why it has none.
 */
void sigs_read(struct sigs *sigs, struct object *obj)
{
	enum reason missing = REASON_NO_FUNCTION;
	struct prototype proto = {};
	struct funcs funcs = {};
	struct Dwarf_CU *unit = NULL;
	Dwarf *dwarf = NULL;
	bool usual = false;
	size_t i;

	if (!obj->has_dwarf) {
		missing = REASON_NO_DWARF;
	} else {
		sigs->loclists = find_section(obj, ".debug_loclists");
		sigs->loc = find_section(obj, ".debug_loc");
		sigs_find_refs(sigs, obj);
		dwarf = dwarf_begin_elf(obj->elf, DWARF_C_READ, NULL);
		sigs->obj = obj;
		sigs->dwarf = dwarf;
		if (!dwarf || !funcs_read(&funcs, obj, dwarf))
			missing = REASON_MALFORMED;
		else if (funcs.split)
			missing = REASON_SPLIT;
		for (i = 0; i < funcs.nr; i++)
			if (funcs.funcs[i].entry)
				address_add(&sigs->refs.entries, funcs.funcs[i].low);
		address_sort(&sigs->refs.entries);
		if (obj->all_funcs)
			add_func_sites(obj, &funcs);
		twins_find(sigs, &funcs);
	}

	proto.params = xcalloc(MAX_PARAMS, sizeof(*proto.params));
	for (i = 0; i < obj->nr_sites; i++) {
		struct site *site = &obj->sites[i];
		__u64 addr = obj->base[site->shndx] + site->offset;
		struct func *func = funcs_find(&funcs, addr);
		struct func codeless;

		sigs->malformed = NULL;
		if (!func && funcs_find_codeless(obj, &funcs, site, addr, &codeless)) {
			if (codeless.die.cu != unit)
				usual = unit_is_usual(sigs, &funcs, &codeless.die);
			unit = codeless.die.cu;
			codeless.usual = usual;
			func = &codeless;
		}
		if (func && func->reason)
			site->reason = func->reason;
		else
			site->reason = func ? function_signature(sigs, site, addr, func,
								 &proto, &funcs) : missing;
		sigs->nr.sites[site->reason]++;
		if (sigs->debug)
			debug_function(sigs, site, &proto);
	}
	free(proto.params);
	sigs_add_digests(sigs);
	funcs_free(&funcs);
	dwarf_cfi_end(sigs->eh_cfi);
	dwarf_end(dwarf);
}
