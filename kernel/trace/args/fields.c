// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers, pointers and strings among the captured data of a call, by name
 *
 * A condition names a parameter, or a member of a parameter that is passed by value.  The
 * signature says which bytes of the captured longs hold the parameter.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include <kunit/visibility.h>

#include "text.h"

/* Find a record's member: the member's type, and the bit where the member begins */
static int find_member(const struct arg_types *types, const char *id,
		       const char *name, unsigned int len, const char **type,
		       u64 *bit)
{
	const char *p = arg_types_record(types, id);

	if (!p)
		return -ENOENT;
	for (p = skip_name(skip_name(p)); *p; p = skip_name(p)) {
		struct arg_member member = parse_member(p);

		p = arg_type_skip(member.type);
		if (arg_is_name(p, name, len)) {
			*type = member.type;
			*bit += member.bit;
			return member.bit_field ? -EINVAL : 0;
		}
	}
	return -ENOENT;
}

/**
 * arg_type_is_signed - whether the values of a type are signed numbers
 * @type: the type, without typedefs and qualifiers
 *
 * Return: true if so, false otherwise.
 */
bool arg_type_is_signed(const char *type)
{
	if (*type == 'E')
		type++;
	return is_basic(*type) && arg_basic_types[*type - 'a'].sign;
}

/*
 * Find the scalar that @path leads to from @type: "", ".member", ".member.member" and so
 * on
 */
static int find_scalar(struct arg_field *field, const struct arg_types *types,
		       const char *type, u64 bit, const char *path,
		       const char *end)
{
	char how;

	type = arg_type_resolve(type, &how);
	while (path < end) {
		const char *name = ++path;
		int ret;

		while (path < end && *path != '.')
			path++;
		if (*type != 'R')
			return -ENOENT;
		ret = find_member(types, type + 1, name, path - name, &type,
				  &bit);
		if (ret)
			return ret;
		type = arg_type_resolve(type, &how);
	}
	field->type = type;
	field->how = how;
	field->offset = bit / 8;
	field->size = arg_scalar_size(type);
	field->sign = arg_type_is_signed(type);
	return field->size ? 0 : -EINVAL;
}

/* Skip a parameter and its longs */
static const char *next_param(const char *type, unsigned int *next)
{
	*next = min_t(unsigned int, *next + arg_type_longs(type), ARG_SIGS_MAX_LONGS);
	return skip_name(arg_type_skip(type));
}

/*
 * Find a parameter of the function or of the system call, by its name, or by its number @nr if
 * @name is NULL; @next is the parameter's first long
 */
static const char *find_param(const char *sig, const char *name, unsigned int len,
			      unsigned int nr, struct arg_slots *slots, unsigned int *next)
{
	const char *p = arg_sig_parse_slots(sig, slots);
	char how;

	if (!p)
		return NULL;
	*next = 0;
	p = arg_type_skip(arg_return_type(p, &how));
	if (slots->fields) {
		p = arg_params_of_call(p);
		*next = slots->nr_args;
	}
	while (*p && *p != 'z' && *p != '|') {
		if (name ? arg_is_name(arg_type_skip(p), name, len) : !--nr)
			return p;
		p = next_param(p, next);
	}
	return NULL;
}

/**
 * arg_sig_param_name - find the name of a parameter
 * @sig: the function's signature
 * @nr: the number of the parameter, beginning with 1; a system call's own parameters are
 *	counted
 * @len: set to the length of the name
 *
 * Return: the name, NULL if the function has no parameter @nr, or if the parameter has no
 * name.
 */
const char *arg_sig_param_name(const char *sig, unsigned int nr, unsigned int *len)
{
	struct arg_slots slots;
	unsigned int next;
	const char *p;

	p = find_param(sig, NULL, 0, nr, &slots, &next);
	if (!p)
		return NULL;
	p = arg_type_skip(p);
	*len = strcspn(p, ";=");
	return *len ? p : NULL;
}

/**
 * arg_sig_param_type - find the type of a parameter
 * @sig: the function's signature
 * @name: the parameter
 * @len: characters of @name
 *
 * Return: the type with its typedefs, NULL if the function has no parameter @name.
 */
const char *arg_sig_param_type(const char *sig, const char *name, unsigned int len)
{
	struct arg_slots slots;
	unsigned int next;

	return find_param(sig, name, len, 0, &slots, &next);
}

/**
 * arg_sig_find - find a parameter, or a member of a parameter that is passed by value
 * @field: the parameter or member
 * @sig: the function's signature
 * @types: the descriptions that @sig refers to
 * @path: "name" or "name.member.member"
 * @len: characters of @path
 *
 * Return: 0; -ENOENT if the function has no parameter or member @path; -EINVAL if the
 * parameter or member is no number, no pointer and no string, or is not captured.
 */
int arg_sig_find(struct arg_field *field, const char *sig,
		 const struct arg_types *types, const char *path,
		 unsigned int len)
{
	unsigned int name_len = 0, first, last, next, end;
	struct arg_slots slots;
	const char *p;
	int ret;

	while (name_len < len && path[name_len] != '.')
		name_len++;
	p = find_param(sig, path, name_len, 0, &slots, &next);
	if (!p)
		return -ENOENT;
	end = slots.fields ? slots.nr : slots.nr_args;

	*field = (struct arg_field){ .index = next };
	ret = find_scalar(field, types, p, next * 64ULL, path + name_len,
			  path + len);
	if (ret)
		return ret;
	last = (field->offset + field->size - 1) / sizeof(u64);
	for (first = field->offset / sizeof(u64); first <= last; first++)
		if (first >= end || !(slots.known & BIT_ULL(first)))
			return -EINVAL;
	field->strings = slots.strings;
	field->string = name_len == len && slots.strings & BIT_ULL(next);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_find);

/**
 * arg_sig_find_ret - find the number or pointer that a function returns
 * @field: the return value
 * @sig: the function's signature
 * @types: the descriptions that @sig refers to
 *
 * Return: 0; -EINVAL if the function is void, or if the value is no number and no
 * pointer, or is not known.
 */
int arg_sig_find_ret(struct arg_field *field, const char *sig,
		     const struct arg_types *types)
{
	const char *type;
	char how;

	type = arg_sig_return_type(sig, &how);
	if (how)
		return -EINVAL;
	*field = (struct arg_field){ };
	return find_scalar(field, types, type, 0, NULL, NULL);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_find_ret);

/**
 * arg_sig_last_error - find the highest error that a function can return
 * @sig: the function's signature
 * @field: from arg_sig_find_ret()
 *
 * Return: -1 for pointers and for signed integers, -2 for unsigned long, because ULONG_MAX is
 * no error, and 0 if no value is an error.
 */
int arg_sig_last_error(const char *sig, const struct arg_field *field)
{
	char how;

	if (*field->type == 'P' || (field->sign && *field->type != 'E'))
		return -1;
	return arg_type_is_ulong(arg_sig_return_type(sig, &how)) ? -2 : 0;
}

/**
 * arg_field_put - write the value of a field
 * @out: the output
 * @field: the field
 * @types: the descriptions that the field's type refers to
 * @name: the field's name, or the path to the field
 * @len: characters of @name
 * @val: the value, extended to 64 bits
 *
 * The text is the same as the text of the field in the arguments of a call.
 */
void arg_field_put(struct arg_out *out, const struct arg_field *field,
		   const struct arg_types *types, const char *name,
		   unsigned int len, u64 val)
{
	char how = arg_how_named(field->type, field->how,
				 arg_name_hints(name, name + len));

	if (field->size < sizeof(val))
		val &= BIT_ULL(field->size * 8) - 1;
	if (!arg_out_scalar(out, field->type, how, types, val))
		arg_out_hex(out, val);
}
