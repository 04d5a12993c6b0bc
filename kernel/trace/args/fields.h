/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers, pointers and strings among the captured data of a call, by name
 */
#ifndef _TRACE_ARGS_FIELDS_H
#define _TRACE_ARGS_FIELDS_H

#include <linux/types.h>

struct arg_out;
struct arg_types;

/**
 * struct arg_field - a number, a pointer or a string among the captured data
 * @type: the type in the signature, without typedefs and qualifiers
 * @how: how the value is written, see arg_type_behind()
 * @offset: where the field begins, in bytes from the first long
 * @size: the size of the field in bytes
 * @index: the first long of the field's parameter
 * @sign: the field is a signed number
 * @string: the field is a string or a buffer that is captured
 * @strings: bit n: long n points to a string or a buffer that is captured
 */
struct arg_field {
	const char	*type;
	char		how;
	unsigned int	offset;
	unsigned int	size;
	unsigned int	index;
	bool		sign;
	bool		string;
	u64		strings;
};

bool arg_type_is_signed(const char *type);
const char *arg_sig_param_name(const char *sig, unsigned int nr, unsigned int *len);
const char *arg_sig_param_type(const char *sig, const char *name, unsigned int len);
int arg_sig_find(struct arg_field *field, const char *sig,
		 const struct arg_types *types, const char *path,
		 unsigned int len);
int arg_sig_find_ret(struct arg_field *field, const char *sig,
		     const struct arg_types *types);
bool arg_field_enumerator(const struct arg_field *field,
			  const struct arg_types *types, const char *name,
			  unsigned int len, u64 *val);
int arg_sig_last_error(const char *sig, const struct arg_field *field);
void arg_field_put(struct arg_out *out, const struct arg_field *field,
		   const struct arg_types *types, const char *name,
		   unsigned int len, u64 val);

#endif /* _TRACE_ARGS_FIELDS_H */
