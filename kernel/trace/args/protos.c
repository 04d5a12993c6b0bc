// SPDX-License-Identifier: GPL-2.0
/*
 * Prototypes of functions, as C
 */
#include <kunit/visibility.h>

#include "text.h"

static const char *put_type_left(struct arg_out *out, const char *p,
				 const struct arg_types *types, int depth);
static void put_type_right(struct arg_out *out, const char *p,
			   const struct arg_types *types, int depth);

static const char *skip_qualifiers(const char *type)
{
	while (*type == 'K' || *type == 'V')
		type++;
	return type;
}

/* Write a declaration around its name, from the inside to the outside */
static const char *put_decl(struct arg_out *out, const char *type,
			    const struct arg_types *types, const char *name,
			    int depth)
{
	const char *end = put_type_left(out, type, types, depth);

	if (*name && *name != ';' && *name != '=') {
		if (out->last != '*' && out->last != '(')
			put_char(out, ' ');
		arg_out_name(out, name);
	}
	put_type_right(out, type, types, depth);
	return end;
}

static void put_tag(struct arg_out *out, const char *id,
		    const struct arg_types *types)
{
	const char *desc = arg_types_find(types, id);
	const char *tag;

	if (!desc) {
		arg_out_puts(out, "struct ?");
		return;
	}
	tag = desc + ARG_SIGS_ID_LEN;
	switch (*tag++) {
	case 'e':
	case 'b':
		arg_out_puts(out, "enum ");
		tag++;
		break;
	case 's':
		arg_out_puts(out, "struct ");
		tag = skip_name(tag);
		break;
	default:
		arg_out_puts(out, "union ");
		tag = skip_name(tag);
	}
	if (*tag == ';')
		arg_out_puts(out, "{...}");
	else
		arg_out_name(out, tag);
}

/* Write the part of a type that stands left of the name; returns the text after the type */
static const char *put_type_left(struct arg_out *out, const char *p,
				 const struct arg_types *types, int depth)
{
	const char *end, *target;
	char c = *p;

	if (!depth)
		return p + strlen(p);
	if (is_basic(c)) {
		arg_out_puts(out, arg_basic_types[c - 'a'].name);
		return p + 1;
	}
	switch (c) {
	case 'P':
		end = put_type_left(out, p + 1, types, depth - 1);
		target = skip_qualifiers(p + 1);
		if (*target == 'F' || *target == 'A')
			arg_out_puts(out, " (*");
		else
			arg_out_puts(out, out->last == '*' ? "*" : " *");
		return end;
	case 'K':
	case 'V':
		/* The qualifiers of a pointer stand after the pointer's asterisk */
		if (*skip_qualifiers(p) == 'P') {
			end = put_type_left(out, p + 1, types, depth - 1);
			if (out->last != '*')
				put_char(out, ' ');
			arg_out_puts(out, c == 'K' ? "const" : "volatile");
			return end;
		}
		arg_out_puts(out, c == 'K' ? "const " : "volatile ");
		return put_type_left(out, p + 1, types, depth - 1);
	case 'S':
		arg_out_puts(out, "struct ");
		return arg_out_name(out, p + 1);
	case 'U':
		arg_out_puts(out, "union ");
		return arg_out_name(out, p + 1);
	case 'N':
		return arg_out_name(out, p + 1);
	case 'T':
	case 'D':
	case 'G':
	case 'O':
	case 'M':
	case 'B':
		return arg_type_skip(arg_out_name(out, p + 1));
	case 'E':
		if (is_basic(p[1]))
			put_tag(out, p + 2, types);
		break;
	case 'R':
		put_tag(out, p + 1, types);
		break;
	case 'X':
		arg_out_name(out, p + 1);
		break;
	case 'A':
		p = skip_digits(p + 1);
		return *p == '_' ?
			put_type_left(out, p + 1, types, depth - 1) : p;
	case 'F':
		put_type_left(out, p + 1, types, depth - 1);
		break;
	}
	return arg_type_skip(p);
}

static void put_type_right(struct arg_out *out, const char *p,
			   const struct arg_types *types, int depth)
{
	const char *target;
	bool first = true;

	if (!depth)
		return;
	switch (*p) {
	case 'K':
	case 'V':
		put_type_right(out, p + 1, types, depth - 1);
		break;
	case 'P':
		target = skip_qualifiers(p + 1);
		if (*target == 'F' || *target == 'A')
			put_char(out, ')');
		put_type_right(out, p + 1, types, depth - 1);
		break;
	case 'A':
		put_char(out, '[');
		for (p++; isdigit(*p); p++)
			put_char(out, *p);
		put_char(out, ']');
		if (*p == '_')
			put_type_right(out, p + 1, types, depth - 1);
		break;
	case 'F':
		put_char(out, '(');
		target = p + 1;
		p = arg_type_skip(target);
		while (*p && *p != '_' && *p != 'z') {
			if (!first)
				arg_out_puts(out, ", ");
			first = false;
			p = put_decl(out, p, types, "", depth - 1);
		}
		if (*p == 'z')
			arg_out_puts(out, first ? "" : ", ...");
		else if (first)
			arg_out_puts(out, "void");
		put_char(out, ')');
		put_type_right(out, target, types, depth - 1);
		break;
	}
}

/**
 * arg_sig_put_proto - write a function's prototype as C
 * @out: the output
 * @sig: the function's signature
 * @types: the descriptions that @sig refers to
 * @name: the function's name
 */
void arg_sig_put_proto(struct arg_out *out, const char *sig,
		       const struct arg_types *types, const char *name)
{
	const char *ret, *p;
	bool first = true;
	char how;

	ret = arg_sig_return_type(sig, &how);
	p = put_type_left(out, ret, types, ARG_TYPE_DEPTH);
	if (out->last != '*')
		put_char(out, ' ');
	arg_out_puts(out, name);
	put_char(out, '(');
	while (*p && *p != 'z' && *p != '|') {
		if (!first)
			arg_out_puts(out, ", ");
		first = false;
		put_decl(out, p, types, arg_type_skip(p), ARG_TYPE_DEPTH);
		p = arg_param_skip(p);
	}
	if (*p == 'z')
		arg_out_puts(out, first ? "" : ", ...");
	else if (first)
		arg_out_puts(out, "void");
	put_char(out, ')');
	put_type_right(out, ret, types, ARG_TYPE_DEPTH);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_put_proto);
