// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions of func_args_expr: translate names of members to offsets with DWARF
 *
 * The grammar is the same as for the kernel's fprobe events.
 * kernel/trace/calls/parse.c has the kernel's own parser.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "arrays.h"
#include "calls.h"
#include "exprs.h"

/* Maximum steps of an expression. The kernel accepts fewer. */
#define MAX_STEPS	16

/* Maximum expressions of a line */
#define MAX_EXPRS	16

/* Maximum nested structures without a name */
#define MAX_DEPTH	16

/**
 * struct value - the value of the part of an expression that was parsed
 * @type: the type; not set if @known is false
 * @known: the type is known
 * @bias: bytes from the start of the structure that the value points to, for container_of
 * @offsets: the offset of each step
 * @user: the step is in user space
 * @nr: number of steps
 * @bit: the lowest bit of a bit-field in the memory
 * @width: bits of a bit-field, 0 for other values
 * @last: the name of the last member
 * @last_len: number of characters of @last
 */
struct value {
	Dwarf_Die	type;
	bool		known;
	long		bias;
	long		offsets[MAX_STEPS];
	bool		user[MAX_STEPS];
	unsigned int	nr;
	unsigned int	bit;
	unsigned int	width;
	const char	*last;
	unsigned int	last_len;
};

/**
 * struct expr_parser - a text of expressions that is being parsed
 * @dwarf: the debug info
 * @func: the function
 * @text: the whole text
 * @pos: the next character
 * @nr: number of expressions so far
 * @labels: the names of members that give the expressions their names
 */
struct expr_parser {
	Dwarf		*dwarf;
	Dwarf_Die	func;
	const char	*text;
	const char	*pos;
	unsigned int	nr;
	struct {
		const char	*name;
		unsigned int	len;
	}		labels[MAX_EXPRS];
};

/* Show the place of an error below the text */
static bool fail_parse(const struct expr_parser *parser, const char *pos, const char *reason)
{
	complain("%s", reason);
	fprintf(stderr, "  %s\n  %*s^\n", parser->text, (int)(pos - parser->text), "");
	return false;
}

static unsigned int word_len(const char *p)
{
	unsigned int len = 0;

	while (isalnum(p[len]) || p[len] == '_')
		len++;
	return len;
}

static bool is_named(Dwarf_Die *die, const char *name, unsigned int len)
{
	const char *own = dwarf_diename(die);

	return own && strlen(own) == len && !memcmp(own, name, len);
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

/**
 * die_type - find the type of an entry, without typedefs and qualifiers
 * @die: the entry: a variable, a member, a pointer, an array
 * @type: set to the type
 *
 * Return: false for void.
 */
bool die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	return type_of(die, type) && !dwarf_peel_type(type, type);
}

static bool is_record(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/**
 * die_number - read a number of an entry
 * @die: the entry
 * @name: the attribute
 * @without: the result if the entry does not have the attribute
 *
 * dwarf_formsdata() is not used, because it reads one byte of 0x80 or above as negative.
 *
 * Return: the number.
 */
long die_number(Dwarf_Die *die, unsigned int name, long without)
{
	Dwarf_Attribute attr;
	Dwarf_Word val;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &val))
		return without;
	return val;
}

/*
 * Find the complete structure of a tag. Returns false if there is none, or if there are
 * several with different sizes.
 */
static bool find_record(struct expr_parser *parser, const char *name, unsigned int len,
			Dwarf_Die *record, const char **reason)
{
	Dwarf_Off off = 0, next;
	Dwarf_Die unit, die;
	size_t header;
	bool found = false;

	*reason = "no such structure";
	for (; !dwarf_nextcu(parser->dwarf, off, &next, &header, NULL, NULL, NULL); off = next) {
		if (!dwarf_offdie(parser->dwarf, off + header, &unit) ||
		    dwarf_child(&unit, &die))
			continue;
		do {
			if (!is_record(&die) || !is_named(&die, name, len) ||
			    dwarf_hasattr(&die, DW_AT_declaration))
				continue;
			if (!found) {
				*record = die;
				found = true;
			} else if (dwarf_bytesize(&die) != dwarf_bytesize(record)) {
				*reason = "several structures have this name";
				return false;
			}
		} while (!dwarf_siblingof(&die, &die));
	}
	return found;
}

/* Find the first bit of a member. DW_AT_bit_offset counts from the highest bit. */
static long member_bit(Dwarf_Die *member)
{
	long bit = 8 * die_number(member, DW_AT_data_member_location, 0);
	long width = die_number(member, DW_AT_bit_size, 0);
	Dwarf_Die type;
	long size;

	if (dwarf_hasattr(member, DW_AT_data_bit_offset))
		return die_number(member, DW_AT_data_bit_offset, 0);
	if (!dwarf_hasattr(member, DW_AT_bit_offset))
		return bit;
	size = die_number(member, DW_AT_byte_size, 0);
	if (!size && die_type(member, &type))
		size = dwarf_bytesize(&type);
	return bit + 8 * size - die_number(member, DW_AT_bit_offset, 0) - width;
}

/**
 * die_member - find a member, also in members without a name
 * @record: the structure or union
 * @name: the name
 * @len: its characters
 * @depth: maximum nested structures without a name
 * @member: set to the member
 * @bit: the member's offset in bits is added
 *
 * Return: false if there is no such member.
 */
bool die_member(Dwarf_Die *record, const char *name, unsigned int len, int depth,
		Dwarf_Die *member, long *bit)
{
	Dwarf_Die die, type;
	long at;

	if (!depth || dwarf_child(record, &die))
		return false;
	do {
		if (dwarf_tag(&die) != DW_TAG_member)
			continue;
		at = member_bit(&die);
		if (is_named(&die, name, len)) {
			*member = die;
			*bit += at;
			return true;
		}
		if (dwarf_diename(&die) || !die_type(&die, &type) || !is_record(&type))
			continue;
		*bit += at;
		if (die_member(&type, name, len, depth - 1, member, bit))
			return true;
		*bit -= at;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

/* Find the complete structure if a unit has only its declaration */
static bool complete(struct expr_parser *parser, Dwarf_Die *record, const char *pos)
{
	const char *reason, *name = dwarf_diename(record);

	if (!dwarf_hasattr(record, DW_AT_declaration))
		return true;
	if (name && find_record(parser, name, strlen(name), record, &reason))
		return true;
	return fail_parse(parser, pos, name ? reason : "the structure is not known");
}

/* Find a member by its name at parser->pos, and skip the name */
static bool take_member(struct expr_parser *parser, struct value *value, Dwarf_Die *record,
			long *bit)
{
	const char *name = parser->pos;
	unsigned int len = word_len(name);
	Dwarf_Die member;

	if (!complete(parser, record, name))
		return false;
	if (!len || !die_member(record, name, len, MAX_DEPTH, &member, bit))
		return fail_parse(parser, name, "no such member");
	value->width = die_number(&member, DW_AT_bit_size, 0);
	value->last = name;
	value->last_len = len;
	parser->pos += len;
	return die_type(&member, &value->type) ||
	       fail_parse(parser, name, "the type of the member is not known");
}

static bool add_step(struct expr_parser *parser, struct value *value, long offset,
		     bool user, const char *pos)
{
	if (value->nr == MAX_STEPS)
		return fail_parse(parser, pos, "too many steps to the value");
	value->offsets[value->nr] = offset;
	value->user[value->nr++] = user;
	return true;
}

/*
 * Parse "member.member" after the "->" at @begin, and go to the last member. The first
 * member is in @record, which begins @bit bits after the target of the pointer.
 */
static bool take_members(struct expr_parser *parser, struct value *value,
			 Dwarf_Die *record, long bit, const char *begin)
{
	if (!take_member(parser, value, record, &bit))
		return false;
	while (*parser->pos == '.') {
		*record = value->type;
		if (!is_record(record))
			return fail_parse(parser, parser->pos, "this is no structure");
		parser->pos++;
		if (!take_member(parser, value, record, &bit))
			return false;
	}
	value->bit = ((bit % 8) + 8) % 8;
	return add_step(parser, value, (bit - (long)value->bit) / 8, false, begin);
}

/* Parse "->member", ".member" and so on */
static bool parse_members(struct expr_parser *parser, struct value *value)
{
	const char *begin;
	Dwarf_Die record;
	long bit;

	while (!strncmp(parser->pos, "->", 2)) {
		begin = parser->pos;
		if (!value->known || dwarf_tag(&value->type) != DW_TAG_pointer_type ||
		    !die_type(&value->type, &record) || !is_record(&record))
			return fail_parse(parser, begin, "this is no pointer to a structure");
		bit = -8 * value->bias;
		value->bias = 0;
		parser->pos += 2;
		if (!take_members(parser, value, &record, bit, begin))
			return false;
	}
	if (*parser->pos == '.')
		return fail_parse(parser, parser->pos, "this is no structure in memory");
	return true;
}

/* Find a parameter by its name or its number */
static bool find_param(struct expr_parser *parser, const char *name, unsigned int len,
		       unsigned int nr, Dwarf_Die *param)
{
	if (dwarf_child(&parser->func, param))
		return false;
	do {
		if (dwarf_tag(param) != DW_TAG_formal_parameter)
			continue;
		if (nr ? !--nr : is_named(param, name, len))
			return true;
	} while (!dwarf_siblingof(param, param));
	return false;
}

static bool parse_base(struct expr_parser *parser, struct value *value)
{
	const char *begin = parser->pos;
	unsigned int len = word_len(begin), nr = 0;
	Dwarf_Die param;
	char *end;

	if (!strncmp(begin, "$arg", 4)) {
		nr = strtoul(begin + 4, &end, 10);
		if (!nr)
			return fail_parse(parser, begin, "no such variable");
		len = end - begin;
	}
	if (!len || isdigit(*begin))
		return fail_parse(parser, begin, "a parameter is missing");
	if (!find_param(parser, begin, len, nr, &param))
		return fail_parse(parser, begin, "the function has no such parameter");
	parser->pos += len;
	value->known = die_type(&param, &value->type);
	return parse_members(parser, value);
}

static bool parse_fetch(struct expr_parser *parser, struct value *value);

/* Parse "(STRUCT)FETCH->member" or "(STRUCT,MEMBER)FETCH->member" */
static bool parse_cast(struct expr_parser *parser, struct value *value)
{
	const char *tag = ++parser->pos, *reason, *begin, *end = tag - 1;
	unsigned int len = word_len(tag);
	struct value inner = { };
	Dwarf_Die record, part;
	long bit = 0;

	if (!find_record(parser, tag, len, &record, &reason))
		return fail_parse(parser, tag, reason);
	parser->pos += len;
	part = record;
	if (*parser->pos == ',') {
		do {
			parser->pos++;
			if (!is_record(&part))
				return fail_parse(parser, parser->pos, "this is no structure");
			if (!take_member(parser, &inner, &part, &bit))
				return false;
			part = inner.type;
		} while (*parser->pos == '.');
		if (bit % 8)
			return fail_parse(parser, tag, "a bit-field has no address");
	}
	if (*parser->pos != ')')
		return fail_parse(parser, parser->pos, "')' is missing");
	begin = ++parser->pos;
	/* The cast applies to the parameter. Members follow the parameter. */
	len = *begin == '$' ? 1 + word_len(begin + 1) : word_len(begin);
	if (*begin == '+' || *begin == '-') {
		if (!parse_fetch(parser, value))
			return false;
	} else {
		Dwarf_Die param;
		unsigned int nr = *begin == '$' ? strtoul(begin + 4, NULL, 10) : 0;

		if (!len || (*begin == '$' && (strncmp(begin, "$arg", 4) || !nr)) ||
		    !find_param(parser, begin, len, nr, &param))
			return fail_parse(parser, begin, "the function has no such parameter");
		parser->pos += len;
	}
	if (strncmp(parser->pos, "->", 2))
		return fail_parse(parser, parser->pos, "'->' is missing after the cast");
	end = parser->pos;
	parser->pos += 2;
	value->known = true;
	if (!take_members(parser, value, &record, -bit, end))
		return false;
	return parse_members(parser, value);
}

static bool parse_fetch(struct expr_parser *parser, struct value *value)
{
	const char *begin = parser->pos;
	bool user = false;
	long offset;
	char *end;

	if (*begin == '(')
		return parse_cast(parser, value);
	if (*begin != '+' && *begin != '-')
		return parse_base(parser, value);
	user = begin[1] == 'u';
	if (!isdigit(begin[1 + user]))
		return fail_parse(parser, begin, "invalid offset");
	offset = strtol(begin + 1 + user, &end, 0);
	if (*end != '(')
		return fail_parse(parser, end, "'(' is missing after the offset");
	parser->pos = end + 1;
	if (!parse_fetch(parser, value))
		return false;
	if (*parser->pos != ')')
		return fail_parse(parser, parser->pos, "')' is missing");
	parser->pos++;
	value->known = false;
	value->width = 0;
	return add_step(parser, value, *begin == '-' ? -offset : offset, user, begin);
}

static bool is_char(Dwarf_Die *type)
{
	return !dwarf_peel_type(type, type) && dwarf_tag(type) == DW_TAG_base_type &&
	       dwarf_bytesize(type) == 1;
}

/* The default type of a value if the expression has no type. NULL if there is none. */
static const char *type_text(struct value *value, char *text, size_t size)
{
	int bytes = dwarf_bytesize(&value->type);
	Dwarf_Die element;
	long encoding;
	bool sign;

	if (value->width) {
		for (bytes = 1; value->bit + value->width > bytes * 8u; bytes *= 2)
			;
		snprintf(text, size, "b%u@%u/%d", value->width, value->bit, bytes * 8);
		return bytes <= 8 ? text : NULL;
	}
	switch (dwarf_tag(&value->type)) {
	case DW_TAG_pointer_type:
		return "x64";
	case DW_TAG_array_type:
		return type_of(&value->type, &element) && is_char(&element) &&
		       is_named(&element, "char", strlen("char")) ? "string" : NULL;
	case DW_TAG_enumeration_type:
		sign = true;
		break;
	case DW_TAG_base_type:
		encoding = die_number(&value->type, DW_AT_encoding, 0);
		if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float)
			return NULL;
		sign = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
		break;
	default:
		return NULL;
	}
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return NULL;
	snprintf(text, size, "%c%d", sign ? 's' : 'u', bytes * 8);
	return text;
}

/* Write the type after the ':' at parser->pos, and check a string against the member */
static bool put_type(struct expr_parser *parser, struct value *value, FILE *to, bool *more)
{
	const char *begin = ++parser->pos, *type;
	unsigned int len = strcspn(begin, ", \t");
	Dwarf_Die of;

	*more = false;
	parser->pos += len;
	if (len < 6 || strncmp(begin + len - 6, "string", 6) || !value->known) {
		fprintf(to, ":%.*s", (int)len, begin);
		return true;
	}
	of = value->type;
	type = "text is neither an array of char nor a pointer to char";
	if (!type_of(&value->type, &of) || !is_char(&of))
		return fail_parse(parser, begin, type);
	*more = dwarf_tag(&value->type) == DW_TAG_pointer_type;
	if (!*more && dwarf_tag(&value->type) != DW_TAG_array_type)
		return fail_parse(parser, begin, type);
	fprintf(to, ":%.*s", (int)len, begin);
	return true;
}

/* Write the steps around the parameter's name */
static void put_steps(const struct value *value, const char *base, unsigned int len,
		      const char *type, bool more, FILE *to)
{
	unsigned int i;

	if (more)
		fprintf(to, "+0(");
	for (i = value->nr; i-- > 0; )
		fprintf(to, "%c%s0x%lx(", value->offsets[i] < 0 ? '-' : '+',
			value->user[i] ? "u" : "", labs(value->offsets[i]));
	fprintf(to, "%.*s", (int)len, base);
	for (i = value->nr + more; i > 0; i--)
		fputc(')', to);
	fputs(type, to);
}

/* Find the parameter in the middle of an expression */
static const char *find_base_name(const char *p, unsigned int *len)
{
	for (;;) {
		if (*p == '(') {
			/* Skip a cast */
			p += strcspn(p, ")") + 1;
		} else if (*p == '+' || *p == '-') {
			p += strcspn(p, "(") + 1;
		} else {
			*len = *p == '$' ? 1 + word_len(p + 1) : word_len(p);
			return p;
		}
	}
}

/* Name an expression after its last member. Equal names get numbers. */
static void put_label(struct expr_parser *parser, const struct value *value, FILE *to)
{
	unsigned int i, nr = 1;

	for (i = 0; i < parser->nr; i++)
		nr += parser->labels[i].len == value->last_len &&
		      !memcmp(parser->labels[i].name, value->last, value->last_len);
	parser->labels[parser->nr].name = value->last;
	parser->labels[parser->nr].len = value->last_len;
	fprintf(to, "%.*s", (int)value->last_len, value->last);
	if (nr > 1)
		fprintf(to, "_%u", nr);
	fputc('=', to);
}

/* Translate "[NAME=]FETCH[:TYPE]" */
static bool translate_expr(struct expr_parser *parser, FILE *to)
{
	const char *begin = parser->pos, *base, *reason;
	unsigned int len = word_len(begin), base_len;
	struct value value = { };
	char *type = NULL, text[32];
	bool more = false, good;
	size_t size;
	FILE *rest;

	if (len && begin[len] == '=') {
		fprintf(to, "%.*s=", (int)len, begin);
		parser->pos += len + 1;
		begin = NULL;
	}
	base = find_base_name(parser->pos, &base_len);
	if (!parse_fetch(parser, &value))
		return false;
	if (begin && value.last)
		put_label(parser, &value, to);
	parser->nr++;
	rest = allocated(open_memstream(&type, &size));
	good = true;
	if (*parser->pos == ':') {
		good = put_type(parser, &value, rest, &more);
	} else if (value.known && value.last) {
		reason = type_text(&value, text, sizeof(text));
		good = reason || fail_parse(parser, value.last,
					    "this is no number, pointer or text");
		fprintf(rest, ":%s", reason ?: "");
	}
	fclose(rest);
	if (good)
		put_steps(&value, base, base_len, type, more, to);
	free(type);
	return good;
}

static bool translate_exprs(struct expr_parser *parser, FILE *to)
{
	memset(parser->labels, 0, sizeof(parser->labels));
	parser->nr = 0;
	for (;;) {
		parser->pos += strspn(parser->pos, " \t");
		if (parser->nr == MAX_EXPRS)
			return fail_parse(parser, parser->pos, "too many expressions");
		if (!translate_expr(parser, to))
			return false;
		parser->pos += strspn(parser->pos, " \t");
		if (!*parser->pos)
			return true;
		if (*parser->pos != ',')
			return fail_parse(parser, parser->pos, "',' is expected");
		parser->pos++;
		fputs(", ", to);
	}
}

/* Find the function in the source that has the parameters of a traced function */
static char *source_name(const char *func)
{
	static const char * const wrappers[] = { "__x64_sys_", "__ia32_sys_" };
	char *name;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrappers); i++) {
		if (strncmp(func, wrappers[i], strlen(wrappers[i])))
			continue;
		if (asprintf(&name, "__do_sys_%s", func + strlen(wrappers[i])) < 0)
			out_of_memory();
		return name;
	}
	/* A clone by gcc has the name of the function and a suffix */
	return xstrndup(func, strcspn(func, "."));
}

/**
 * exprs_translate - replace names of members by offsets
 * @dwarf: the debug info of the kernel or a module
 * @func: the function
 * @text: the function's expressions
 *
 * Complains if the expressions are not valid, or if functions of this name differ.
 *
 * Return: the expressions with offsets, which the caller frees; NULL if there are none.
 */
char *exprs_translate(Dwarf *dwarf, const char *func, const char *text)
{
	struct expr_parser parser = { .dwarf = dwarf, .text = text };
	char *name = source_name(func), *result = NULL, *each;
	Dwarf_Off off = 0, next;
	Dwarf_Die unit, param;
	size_t header, size;
	FILE *to;
	bool good;

	for (; !dwarf_nextcu(dwarf, off, &next, &header, NULL, NULL, NULL); off = next) {
		if (!dwarf_offdie(dwarf, off + header, &unit) ||
		    dwarf_child(&unit, &parser.func))
			continue;
		do {
			if (dwarf_tag(&parser.func) != DW_TAG_subprogram ||
			    !is_named(&parser.func, name, strlen(name)) ||
			    dwarf_hasattr(&parser.func, DW_AT_declaration) ||
			    !find_param(&parser, NULL, 0, 1, &param))
				continue;
			parser.pos = text;
			to = allocated(open_memstream(&each, &size));
			good = translate_exprs(&parser, to);
			fclose(to);
			if (good && (!result || !strcmp(result, each))) {
				free(result);
				result = each;
				continue;
			}
			if (good)
				complain("%s: several functions of this name differ", func);
			free(each);
			free(result);
			free(name);
			return NULL;
		} while (!dwarf_siblingof(&parser.func, &parser.func));
	}
	if (!result)
		complain("%s: no such function with parameters", func);
	free(name);
	return result;
}
