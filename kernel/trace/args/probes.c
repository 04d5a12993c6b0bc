// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters and returned values of probed functions, by the functions' signatures
 *
 * A kprobe has an address. A fprobe has a pattern, such as vfs_* or one symbol, and probes
 * every function whose symbol matches it. So each of these functions is looked up by its
 * traced address. The value can be read only if the functions have it in the same place,
 * with the same type.
 *
 * The functions are called while a probe event is made, not while a probe is hit.
 */
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/jhash.h>
#include <linux/kallsyms.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/string.h>

#include <asm/trace_args.h>

#include "probes.h"
#include "table.h"
#include "text.h"

/**
 * struct sig_query - a value that is looked up in the functions of a pattern
 * @param: the value, as all functions so far have it
 * @pattern: the pattern of the symbols, or NULL if there is one function
 * @name: the parameter, or NULL
 * @nr: the number of the parameter, beginning with 1, if @name is NULL; 0 stands for the
 *	returned value
 * @found: whether a function was found
 * @any: whether a function has a signature with the value
 */
struct sig_query {
	struct sig_param	*param;
	const char		*pattern;
	const char		*name;
	unsigned int		nr;
	bool			found;
	bool			any;
};

static void copy_name(char *to, const char *from, unsigned int len)
{
	if (len < SIG_PARAM_NAME_LEN)
		memcpy(to, from, len);
}

/* The slot of a long, without its mark for a string or a buffer */
static char slot_of(const char *sig, unsigned int index, bool *text)
{
	const char *p = sig;

	if (isdigit(*p))
		return index < *p - '0' ? 'a' + index : '-';
	for (p++; *p && *p != ')' && *p != '|'; p++) {
		/* A record that is passed by its address has several longs */
		if (*p == '&')
			continue;
		if (*p == '*' || *p == '#') {
			*text |= !index;
			continue;
		}
		if (!index--)
			return *p;
	}
	return '-';
}

/* Set the fetch type. Returns false if the value is no number and no pointer */
static bool set_type(struct sig_param *param, const char *type, const struct arg_types *types)
{
	static const char *const names[][4] = {
		{ "u8", "u16", "u32", "u64" },
		{ "s8", "s16", "s32", "s64" },
		{ "x8", "x16", "x32", "x64" },
	};
	bool bits = *type == 'P', sign;
	unsigned int size;
	const char *p;
	char how;

	/* The pointer to an object has the name of the object's type as its first name */
	p = type + strspn(type, "PKV");
	if (isupper(*p) && strchr("SUNTDGOMB", *p))
		copy_name(param->tag, p + 1, strcspn(p + 1, ";"));

	type = arg_type_resolve(type, &how);
	size = arg_scalar_size(type);
	sign = arg_type_is_signed(type);
	if (*type == 'P') {
		p = arg_type_resolve(type + 1, &how);
		param->text |= *p == 'c' || *p == 'h';
		bits = true;
	} else if (*type == 'R') {
		p = arg_types_record(types, type + 1);
		size = p ? parse_number(p) : 0;
		bits = true;
	}
	if (size > sizeof(u64) || !is_power_of_2(size))
		return false;
	param->type = names[bits ? 2 : sign][ilog2(size)];
	return true;
}

static void set_place(struct sig_param *param, char slot, const char *value)
{
	u64 val[2];

	if (slot >= 'a' && slot < 'a' + TRACE_ARGS_REGISTERS) {
		param->place = SIG_PARAM_ARG;
		param->arg = slot - 'a';
	} else if (slot >= 'A' && slot <= 'Z' && IS_ENABLED(CONFIG_X86_64)) {
		/* Only on x86, FETCH_OP_ARG reads the stack after the registers */
		param->place = SIG_PARAM_ARG;
		param->arg = TRACE_ARGS_REGISTERS + slot - 'A';
	} else if (slot != '.') {
		param->place = SIG_PARAM_UNKNOWN;
	} else if (*value == '=' && arg_parse_hex(value + 1, val, 32)) {
		param->place = SIG_PARAM_CONST;
		param->val = val[0];
	} else {
		param->place = SIG_PARAM_REMOVED;
	}
}

static void find_param(struct sig_param *param, const struct arg_sig_hold *hold,
		       const char *name, unsigned int nr)
{
	unsigned int index = 0, len;
	const char *p, *text;
	char how;

	param->place = SIG_PARAM_NONE;
	p = arg_type_skip(arg_sig_return_type(hold->sig, &how));
	for (; *p && *p != 'z' && *p != '|'; p = skip_name(text)) {
		text = arg_type_skip(p);
		len = strcspn(text, ";=");
		if (name ? arg_is_name(text, name, strlen(name)) : !--nr) {
			copy_name(param->name, text, len);
			set_place(param, slot_of(hold->sig, index, &param->text), text + len);
			if (!set_type(param, p, hold->types))
				param->place = SIG_PARAM_NO_NUMBER;
			return;
		}
		index += arg_type_longs(p);
	}
}

static void find_retval(struct sig_param *param, const struct arg_sig_hold *hold)
{
	const char *type;
	char how;

	type = arg_sig_return_type(hold->sig, &how);
	if (how == '?') {
		param->place = SIG_PARAM_UNKNOWN;
	} else if (how == '&') {
		param->place = SIG_PARAM_RETVAL;
		param->type = "x64";
	} else if (arg_sig_is_void(hold->sig)) {
		param->place = SIG_PARAM_VOID;
	} else {
		param->place = set_type(param, type, hold->types) && !how ?
			SIG_PARAM_RETVAL : SIG_PARAM_NO_NUMBER;
	}
}

/* Whether a value is read in the same way in two functions */
static bool same_place(const struct sig_param *a, const struct sig_param *b)
{
	return a->place == b->place && a->arg == b->arg && a->val == b->val &&
	       a->type == b->type && a->text == b->text;
}

static int query_function(void *data, unsigned long addr)
{
	unsigned long ip = ftrace_location(addr);
	struct sig_param param = { };
	struct sig_query *query = data;
	struct arg_sig_hold hold;

	/* Functions that ftrace cannot trace have no fprobe */
	if (!ip)
		return 0;
	arg_sig_hold(&hold, ip, ARG_SIGS_CURRENT_SET);
	if (hold.sig && (query->name || query->nr))
		find_param(&param, &hold, query->name, query->nr);
	else if (hold.sig)
		find_retval(&param, &hold);
	query->any |= hold.sig && param.place != SIG_PARAM_NONE;
	param.btf = hold.set ? hold.set->btf : 0;
	arg_sig_release(&hold);

	if (!query->found) {
		*query->param = param;
		query->found = true;
		return 0;
	}
	query->param->several = true;
	if (!same_place(query->param, &param)) {
		query->param->place = SIG_PARAM_DIFFERS;
		/* The first function may be another one when a module is loaded again */
		query->param->arg = 0;
		query->param->val = 0;
		query->param->text = false;
		query->param->type = NULL;
	}
	if (strcmp(query->param->name, param.name))
		query->param->name[0] = '\0';
	if (strcmp(query->param->tag, param.tag))
		query->param->tag[0] = '\0';
	query->param->btf += param.btf;
	return 0;
}

static int query_symbol(void *data, const char *name, unsigned long addr)
{
	struct sig_query *query = data;

	return glob_match(query->pattern, name) ? query_function(query, addr) : 0;
}

/**
 * sig_param_find - find a parameter, or the returned value, of a probed function
 * @param: set to the value
 * @pattern: the pattern of the probed functions' symbols, or NULL
 * @addr: the entry of the probed function, if @pattern is NULL
 * @name: the parameter, or NULL
 * @nr: the number of the parameter, beginning with 1, if @name is NULL; 0 stands for the
 *	returned value
 *
 * A name or a number is a parameter of the function, not of a system call.
 *
 * May sleep.
 *
 * Return: whether a function has a signature with this value.
 */
bool sig_param_find(struct sig_param *param, const char *pattern, unsigned long addr,
		    const char *name, unsigned int nr)
{
	struct sig_query query = { .param = param, .pattern = pattern, .name = name, .nr = nr };

	*param = (struct sig_param){ };
	if (pattern) {
		/* The image's symbols are sorted, so one symbol is found at once */
		if (strpbrk(pattern, "*?[\\"))
			kallsyms_on_each_symbol(query_symbol, &query);
		else
			kallsyms_on_each_match_symbol(query_function, pattern, &query);
		module_kallsyms_on_each_symbol(NULL, query_symbol, &query);
	} else {
		query_function(&query, addr);
	}
	return query.any;
}

/**
 * sig_params_hash - get a number for how the parameters of probed functions are read
 * @pattern: as for sig_param_find()
 * @addr: as for sig_param_find()
 *
 * A probe event has the number of the functions that it was made for. If the number has
 * changed, a module was loaded since, and the event would read other values than it names.
 * Another build of a module may have the members of a structure at other places. The event
 * reads the places that were in BTF when it was made.
 *
 * May sleep.
 *
 * Return: the number, which is not 0.
 */
u32 sig_params_hash(const char *pattern, unsigned long addr)
{
	struct sig_param param;
	unsigned int nr = 0;
	u32 hash = 0;
	bool any;

	/* A function without a signature differs from the others in each parameter, without end */
	do {
		any = sig_param_find(&param, pattern, addr, NULL, nr++);
		hash = jhash_3words(param.place, param.arg, param.text, hash);
		hash = jhash_2words(param.btf, param.several, hash);
		hash = jhash(&param.val, sizeof(param.val), hash);
		hash = jhash(&param.type, sizeof(param.type), hash);
		hash = jhash(param.name, strlen(param.name), hash);
		hash = jhash(param.tag, strlen(param.tag), hash);
	} while (any);
	return hash ?: 1;
}
