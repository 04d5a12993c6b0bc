// SPDX-License-Identifier: GPL-2.0
/*
 * From DWARF to the text of signatures
 *
 * Strategy: index the functions of the object by the ranges of their code, look
 * each site up in it, and write the function's signature by the grammar of
 * Documentation/trace/arg-sigs-format.rst.
 */
#include <stdlib.h>
#include <string.h>

#include "signature.h"

#define MAX_PARAMS	255

/* The call of the tracer */
#define CALL_SIZE	5

/* Follow DW_AT_abstract_origin to the DIE as it was declared */
static bool die_origin(Dwarf_Die *die, Dwarf_Die *origin)
{
	unsigned int depth;

	*origin = *die;
	for (depth = 0; depth < MAX_DEPTH; depth++) {
		Dwarf_Attribute attr;
		Dwarf_Die next;

		if (!dwarf_attr(origin, DW_AT_abstract_origin, &attr))
			return true;
		if (!dwarf_formref_die(&attr, &next))
			return false;
		*origin = next;
	}
	return false;
}

/* The parameters as they are declared */
static bool read_declared(struct prototype *proto, Dwarf_Die *declared)
{
	Dwarf_Attribute attr;
	Dwarf_Die child;
	Dwarf_Word size;
	int ret;

	proto->nr_params = 0;
	proto->tracked = false;
	proto->varargs = !dwarf_attr_integrate(declared, DW_AT_prototyped, &attr);
	for (ret = dwarf_child(declared, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		struct param *param = &proto->params[proto->nr_params];

		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
			if (proto->nr_params == MAX_PARAMS)
				return false;
			memset(param, 0, sizeof(*param));
			param->die = child;
			if (die_type(&child, &param->type) != 1)
				return false;
			if (die_size(&param->type, &size) && size < UINT32_MAX)
				param->size = size;
			proto->nr_params++;
			break;
		case DW_TAG_unspecified_parameters:
			proto->varargs = true;
			break;
		}
	}
	return ret >= 0;
}

/*
 * The parameters as the code has them: those that are left come first, and in
 * the order of the declaration, what gcc has removed is behind all of them.
 */
static bool read_concrete(struct prototype *proto, Dwarf_Die *func)
{
	bool behind = false;
	Dwarf_Die child;
	size_t i, last = 0;
	int ret;

	for (ret = dwarf_child(func, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		Dwarf_Attribute attr;
		Dwarf_Die origin;

		if (dwarf_attr(&child, DW_AT_location, &attr) && attr_is_list(&attr))
			proto->tracked = true;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter) {
			behind = true;
			continue;
		}
		if (!die_origin(&child, &origin))
			return false;
		for (i = 0; i < proto->nr_params; i++) {
			struct param *param = &proto->params[i];

			if (dwarf_dieoffset(&param->die) != dwarf_dieoffset(&origin))
				continue;
			behind |= i < last;
			last = i;
			param->concrete = child;
			param->has_concrete = true;
			param->behind = behind;
			break;
		}
	}
	return ret >= 0;
}

/*
 * Compilers mark the name of a function whose parameters they have changed.
 * Any suffix counts but those that are known to keep the interface.
 */
static unsigned int clone_of_name(const char *name)
{
	static const struct {
		const char *suffix;
		unsigned int clone;
	} suffixes[] = {
		{ "llvm",	0 },
		{ "lto_priv",	0 },
		{ "localalias",	0 },
		{ "constprop",	CLONE_CONSTPROP },
		{ "part",	CLONE_PART },
	};
	unsigned int clone = 0;
	const char *dot;
	size_t i;

	if (!name || !*name)
		return 0;
	for (dot = strchr(name + 1, '.'); dot; dot = strchr(dot + 1, '.')) {
		size_t len = strcspn(dot + 1, ".");

		/* The number that comes behind each of them */
		if (strspn(dot + 1, "0123456789") == len)
			continue;
		for (i = 0; i < ARRAY_SIZE(suffixes); i++)
			if (len == strlen(suffixes[i].suffix) &&
			    !strncmp(dot + 1, suffixes[i].suffix, len))
				break;
		clone |= i < ARRAY_SIZE(suffixes) ? suffixes[i].clone : CLONE_OTHER;
	}
	return clone;
}

/* Whether arguments and return values are where the usual calling convention has them */
static bool is_usual(Dwarf_Word cc)
{
	switch (cc) {
	case DW_CC_normal:
	case DW_CC_program:
	case 0xc2:	/* DW_CC_LLVM_X86_64SysV */
		return true;
	default:
		return false;
	}
}

static void find_clone(struct prototype *proto, const struct site *site, Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	Dwarf_Word cc;

	proto->clone = clone_of_name(site->symbol);
	proto->changed = false;
	if (dwarf_attr_integrate(func, DW_AT_linkage_name, &attr))
		proto->clone |= clone_of_name(dwarf_formstring(&attr));
	/* DW_CC_nocall takes the place of clang's DW_CC_LLVM_X86RegCall; the name stays */
	if (site->symbol && !strncmp(site->symbol, "__regcall", 9))
		proto->clone |= CLONE_CONVENTION;
	if (!dwarf_attr_integrate(func, DW_AT_calling_convention, &attr))
		return;
	if (dwarf_formudata(&attr, &cc))
		proto->clone |= CLONE_CONVENTION;
	else if (cc == DW_CC_nocall && proto->clang)
		proto->changed = true;
	else if (!is_usual(cc))
		proto->clone |= CLONE_CONVENTION;
}

/* The compiler of a function, with its options if it is gcc */
static const char *producer_of(Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	Dwarf_Die cu;

	if (!dwarf_diecu(func, &cu, NULL, NULL) ||
	    !dwarf_attr(&cu, DW_AT_producer, &attr))
		return "";
	return dwarf_formstring(&attr) ?: "";
}

/* Whether gcc was told not to follow what it does with variables */
static bool without_tracking(Dwarf_Die *func)
{
	static const char option[] = " -fno-var-tracking";
	const char *end = strstr(producer_of(func), option);

	/* There is another one that begins like this */
	while (end && end[strlen(option)] == '-')
		end = strstr(end + 1, option);
	return end;
}

/* Whether gcc optimized a unit, as far as it was told to */
static bool is_optimized(Dwarf_Die *func)
{
	const char *option = producer_of(func);
	bool optimized = false;

	/* The last one counts */
	while ((option = strstr(option, " -O"))) {
		option += 3;
		optimized = *option != '0';
	}
	return optimized;
}

/**
 * clang_version - the version of the clang that compiled a function
 * @func: the function
 *
 * Return: 0 if it was another compiler.
 */
unsigned int clang_version(Dwarf_Die *func)
{
	const char *clang = strstr(producer_of(func), "clang");

	if (!clang)
		return 0;
	if (!strncmp(clang, "clang version ", 14))
		return strtoul(clang + 14, NULL, 10) ?: 1;
	return 1;
}

static bool read_prototype(struct sigs *sigs, struct prototype *proto,
			   struct site *site, Dwarf_Addr addr, struct func *func)
{
	Dwarf_Attribute attr;
	Dwarf_Die declared;
	int has_ret;
	size_t i;

	if (!die_origin(&func->die, &declared) || !read_declared(proto, &declared))
		return false;

	if (dwarf_dieoffset(&func->die) != dwarf_dieoffset(&declared)) {
		if (!read_concrete(proto, &func->die))
			return false;
	} else {
		for (i = 0; i < proto->nr_params; i++) {
			proto->params[i].concrete = proto->params[i].die;
			proto->params[i].has_concrete = true;
		}
	}

	has_ret = die_type(&declared, &proto->ret_type);
	if (has_ret < 0)
		return false;
	proto->has_ret = has_ret;
	proto->func = func;
	proto->begin = addr + CALL_SIZE;
	proto->clang = clang_version(&func->die);
	find_clone(proto, site, &func->die);
	proto->untracked = without_tracking(&func->die);
	if (!proto->untracked && is_optimized(&func->die))
		proto->tracked = true;
	proto->external = dwarf_attr_integrate(&func->die, DW_AT_external, &attr);
	proto->taken = address_in(&sigs->taken, func->low);
	proto->optimized = dwarf_hasattr(&func->die, DW_AT_call_all_calls) ||
			   dwarf_hasattr(&func->die, DW_AT_GNU_all_call_sites);
	return true;
}

/* Slots in the making: as many as are captured of one call */
struct slots {
	struct text text;
	unsigned int nr;
	bool plain;		/* the argument registers in their order */
};

static bool add_slot(struct slots *slots, char slot, enum text_kind text)
{
	static const char *const marks[] = { "", "*", "#" };

	if (slots->nr == ARG_SIGS_MAX_LONGS)
		return false;
	/* The long behind has to be there */
	if (text == TEXT_BUFFER && slots->nr + 1 == ARG_SIGS_MAX_LONGS)
		text = TEXT_NONE;
	slots->plain &= !text && slot == (char)('a' + slots->nr);
	text_addf(&slots->text, "%s%c", marks[text], slot);
	slots->nr++;
	return true;
}

static bool is_captured(const struct param *param, unsigned int nr)
{
	char slot = abi_slot(&param->place, nr);

	return !param->removed && slot != '-' && slot != '.';
}

static void add_param_slots(struct sigs *sigs, struct slots *slots,
			    const struct param *param, const struct param *next)
{
	enum text_kind text = die_text(&param->type, next ? &next->type : NULL);
	enum reason reason = param->place.reason;
	unsigned int i;

	if (param->removed)
		reason = REASON_NONE;
	/* Nobody knows how large the buffer is, or where */
	if (!is_captured(param, 0) ||
	    (text == TEXT_BUFFER && !is_captured(next, 0)))
		text = TEXT_NONE;
	for (i = 0; i < param->place.longs; i++) {
		char slot = param->removed ? '.' : abi_slot(&param->place, i);

		if (!add_slot(slots, slot, text)) {
			reason = REASON_LIMIT;
			break;
		}
	}
	for (i = 0; i < param->nr_pieces; i++)
		if (!add_slot(slots, param->pieces[i].slot, TEXT_NONE))
			reason = REASON_LIMIT;
	sigs->params[reason]++;
	sigs->pieces += param->nr_pieces;
	if (param->removed && !reason) {
		sigs->constants += param->has_constant;
		sigs->removed += !param->has_constant;
	}
}

static const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_name, &attr) ?
	       dwarf_formstring(&attr) : NULL;
}

static void add_param(struct sigs *sigs, struct text *out, struct param *param)
{
	unsigned int i;

	sigs_add_type(sigs, out, &param->type);
	text_add_name(out, die_name(&param->die));
	if (param->removed && param->has_constant && !out->failed) {
		/* Before the ';' that ends the name */
		out->buf[--out->len] = '\0';
		text_addf(out, "=%s%llx;", param->constant < 0 ? "-" : "",
			  param->constant < 0 ? -(unsigned long long)param->constant :
						(unsigned long long)param->constant);
	}
	for (i = 0; i < param->nr_pieces; i++) {
		text_add(out, "@");
		sigs_add_type(sigs, out, &param->pieces[i].type);
		text_add_name(out, param->pieces[i].name);
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
 * A 32-bit program's long is extended with its sign, and all else with zeros
 * (arch/x86/include/asm/syscall_wrapper.h): where it is no more than 32 bits wide
 * it can be taken from the low half of the register.
 */
static void narrow_long(struct text *type, Dwarf_Die *die)
{
	Dwarf_Die peeled = *die;

	if (type->failed || !type->len || type->buf[type->len - 1] != 'l' ||
	    die_peel(&peeled) != 1 || dwarf_tag(&peeled) != DW_TAG_base_type)
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

	while (!dwarf_siblingof(&next, &next))
		if (dwarf_tag(&next) == DW_TAG_formal_parameter)
			return die_type(&next, type) == 1;
	return false;
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
	for (ret = dwarf_child(call, &child); !ret && good;
	     ret = dwarf_siblingof(&child, &child)) {
		Dwarf_Die die, next;
		bool has_next;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		good = *words && die_type(&child, &die) == 1 && abi_longs(&die) == 1;
		if (!good)
			break;

		text_reset(&type);
		sigs_add_type(sigs, &type, &die);
		if (*words < 'a')
			narrow_long(&type, &die);
		text_add(out, type.buf);
		out->failed |= type.failed;
		text_add_name(out, die_name(&child));
		has_next = next_type(&child, &next);
		if (add_slot(slots, *words++,
			     die_text(&die, has_next ? &next : NULL)))
			sigs->params[REASON_NONE]++;
		else
			sigs->params[REASON_LIMIT]++;
	}
	free(type.buf);
	return good && ret >= 0;
}

/*
 * A system call's own parameters, which are in the registers that it is given:
 * those of the function that the call was defined as.  One that has none is
 * defined as a function of the registers.
 */
static bool add_call(struct sigs *sigs, struct slots *slots, struct text *out,
		     struct prototype *proto, struct funcs *funcs)
{
	static const struct {
		const char *prefix;
		const char *call;
		const char *words;
	} stubs[] = {
		{ "__x64_sys_",		DO_SYS,		"onmhji" },
		{ "__x64_compat_sys_",	DO_COMPAT_SYS,	"onmhji" },
		{ "__ia32_sys_",	DO_SYS,		"FLMNOE" },
		{ "__ia32_compat_sys_",	DO_COMPAT_SYS,	"FLMNOE" },
	};
	const char *name = die_name(&proto->func->die);
	Dwarf_Die *call;
	size_t i, len;

	if (!name || proto->nr_params != 1 || proto->params[0].removed ||
	    abi_slot(&proto->params[0].place, 0) != 'a' ||
	    !is_regs(&proto->params[0].type))
		return true;

	if (!strncmp(name, DO_SYS, strlen(DO_SYS)) ||
	    !strncmp(name, DO_COMPAT_SYS, strlen(DO_COMPAT_SYS))) {
		text_add(&slots->text, "|");
		text_add(out, "|");
		slots->plain = false;
		return true;
	}

	for (i = 0; i < ARRAY_SIZE(stubs); i++) {
		len = strlen(stubs[i].prefix);
		if (strncmp(name, stubs[i].prefix, len))
			continue;
		call = funcs_find_call(funcs, &proto->func->die, stubs[i].call, name + len);
		if (!call)
			return true;
		slots->plain = false;
		return add_fields(sigs, slots, out, call, stubs[i].words);
	}
	return true;
}

static const char *return_prefix(struct sigs *sigs, const struct prototype *proto)
{
	if (!proto->has_ret)
		return "";
	if (proto->ret_kept) {
		switch (proto->ret) {
		case ABI_RETURN_RAX:
			return "";
		case ABI_RETURN_RAX_RDX:
			return "2";
		case ABI_RETURN_MEMORY:
			return "&";
		case ABI_RETURN_UNKNOWN:
			break;
		}
	}
	sigs->returns++;
	return "?";
}

/* Write the signature of a site's function, or say why not */
static enum reason function_signature(struct sigs *sigs, struct site *site,
				      Dwarf_Addr addr, struct func *func,
				      struct prototype *proto, struct funcs *funcs)
{
	struct slots slots = { .plain = true };
	struct text types = {}, sig = {};
	bool good = true;
	size_t i;

	sigs->malformed = false;
	if (!read_prototype(sigs, proto, site, addr, func))
		return REASON_MALFORMED;
	proto_place(sigs, proto);
	proto_find_pieces(sigs, proto);
	/*
	 * The compiler could have taken away the return value, but did not.  Another
	 * calling convention may have the return value in other registers too.
	 */
	if (proto->has_ret && !proto->ret_kept && proto->ret == ABI_RETURN_RAX &&
	    !(proto->clone & CLONE_CONVENTION))
		proto->ret_kept = proto_is_used(sigs, proto);

	text_reset(&slots.text);
	text_reset(&types);
	sigs_add_type(sigs, &types, proto->has_ret ? &proto->ret_type : NULL);
	for (i = 0; i < proto->nr_params; i++) {
		add_param_slots(sigs, &slots, &proto->params[i],
				i + 1 < proto->nr_params ?
				&proto->params[i + 1] : NULL);
		add_param(sigs, &types, &proto->params[i]);
	}
	if (proto->varargs)
		text_add(&types, "z");
	good = add_call(sigs, &slots, &types, proto, funcs);

	if (good && !sigs->malformed && !types.failed) {
		if (slots.plain && slots.nr <= 6)
			text_addf(&sig, "%u", slots.nr);
		else
			text_addf(&sig, "(%s)", slots.text.buf);
		text_add(&sig, return_prefix(sigs, proto));
		text_add(&sig, types.buf);
		site->sig = pool_add(&sigs->strs, sig.buf);
		free(sig.buf);
	} else {
		good = false;
	}
	free(slots.text.buf);
	free(types.buf);
	return good ? REASON_NONE : REASON_MALFORMED;
}

/* All of a section that has no relocations left, or NULL */
static const Elf_Data *find_section(struct object *obj, const char *name)
{
	size_t i;

	for (i = 1; i < obj->nr_sections; i++) {
		Elf_Scn *scn = elf_getscn(obj->elf, i);
		Elf64_Shdr *shdr = scn ? elf64_getshdr(scn) : NULL;
		const char *found = shdr ? elf_strptr(obj->elf, obj->shstrndx,
						      shdr->sh_name) : NULL;
		const Elf_Data *data;

		if (!found || strcmp(found, name))
			continue;
		if (shdr->sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
			return NULL;
		data = elf_getdata(scn, NULL);
		return data && data->d_buf ? data : NULL;
	}
	return NULL;
}

/* Functions that ftrace does not know become sites as well */
static void add_func_sites(struct object *obj, const struct funcs *funcs)
{
	size_t i;

	for (i = 0; i < funcs->nr; i++)
		if (funcs->funcs[i].entry)
			object_add_site(obj, funcs->funcs[i].low, funcs->funcs[i].high);
	object_sort_sites(obj);
}

/**
 * sigs_read - read the signatures of an object's sites from its DWARF
 * @sigs: what is read
 * @obj: the object, with its sites and with its DWARF relocated
 *
 * Each site gets its signature, or the reason why it has none.
 */
void sigs_read(struct sigs *sigs, struct object *obj)
{
	enum reason missing = REASON_NO_FUNCTION;
	struct prototype proto = {};
	struct funcs funcs = {};
	Dwarf *dwarf = NULL;
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
		if (!dwarf || !funcs_read(&funcs, dwarf))
			missing = REASON_MALFORMED;
		if (obj->all_funcs)
			add_func_sites(obj, &funcs);
	}

	proto.params = xcalloc(MAX_PARAMS, sizeof(*proto.params));
	for (i = 0; i < obj->nr_sites; i++) {
		struct site *site = &obj->sites[i];
		__u64 addr = obj->base[site->shndx] + site->offset;
		struct func *func = funcs_find(&funcs, addr);
		struct func codeless;

		if (!func && funcs_find_codeless(&funcs, site, addr, &codeless))
			func = &codeless;
		site->reason = func ? function_signature(sigs, site, addr, func,
							    &proto, &funcs) :
				      missing;
		sigs->sites[site->reason]++;
	}
	free(proto.params);
	free(funcs.funcs);
	dwarf_end(dwarf);
}
