// SPDX-License-Identifier: GPL-2.0
/*
 * The layouts of structures from BTF, for the names of members in expressions
 *
 * The tag of a parameter's structure comes from the function's signature.  BTF has the
 * function's prototype as well, but by the function's name, which other functions may
 * share.  Several different structures may have one tag, and pahole keeps them all.  Such
 * a tag is refused, because the signature does not tell the structures apart.
 *
 * Expressions are compiled with graph_lines_mutex held.  The first call of
 * bpf_get_btf_vmlinux() parses the image's BTF under a mutex of the BPF verifier.
 * expr_layouts_prepare() calls bpf_get_btf_vmlinux() before any lock is taken, so that
 * the mutexes of the verifier and of the tracer have no lock order.  The BTF of modules
 * is found under a spin lock.
 */
#include <linux/bits.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include <kunit/visibility.h>

#include "../trace.h"
#include "../args/text.h"
#include "../trace_btf.h"
#include "lines.h"

/* Maximum nesting of types that are compared */
#define ALIKE_DEPTH	12

/* Maximum characters of a name, with the NUL; longer names are not found */
#define NAME_SIZE	128

#define RECORD_KINDS	(BIT(BTF_KIND_STRUCT) | BIT(BTF_KIND_UNION))

/* The image's BTF, which is set when a line first names members, and never freed. */
static struct btf *image_btf;

/**
 * struct found_tag - the cached result of a search for a tag in the image's BTF
 * @name: the tag
 * @kinds: the kinds of types that were searched
 * @err: the error
 * @found: the structure
 */
struct found_tag {
	char			name[NAME_SIZE];
	unsigned int		kinds;
	unsigned int		err;
	struct expr_ctype	found;
};

static DEFINE_SPINLOCK(found_tags_lock);
static struct found_tag found_tags[16];

/* Whether lines may have an expression "*FETCH". The glob of a function may look the same */
static bool names_structure(const char *lines)
{
	const char *p, *before;

	for (p = lines; (p = strchr(p, '*')); p++) {
		for (before = p; before > lines && isspace(before[-1]);)
			before--;
		if (before > lines && (before[-1] == ':' || before[-1] == ',') && p[1] != ':')
			return true;
	}
	return false;
}

/**
 * expr_layouts_prepare - load the layouts that lines may refer to
 * @lines: the text of the lines
 *
 * The caller holds no lock.
 */
void expr_layouts_prepare(const char *lines)
{
	struct btf *btf;

	lockdep_assert_not_held(&trace_types_lock);
	if (!strstr(lines, "->") && !names_structure(lines))
		return;
	btf = bpf_get_btf_vmlinux();
	if (IS_ERR_OR_NULL(btf))
		return;
	/* Pairs with expr_layouts_get() */
	smp_store_release(&image_btf, btf);
}
EXPORT_SYMBOL_IF_KUNIT(expr_layouts_prepare);

/*
 * Find the next BTF of a module, whose number is @id or above, and take a reference. A
 * module drops its reference after its BTF is removed from the table, so btf_get() is
 * safe here.
 */
static struct btf *next_module_btf(int *id)
{
	struct btf *btf;

	guard(spinlock_bh)(&btf_idr_lock);
	for (; (btf = idr_get_next(&btf_idr, id)); (*id)++) {
		if (!btf_is_module(btf))
			continue;
		btf_get(btf);
		(*id)++;
		return btf;
	}
	return NULL;
}

/* Find the BTF of the module that an address belongs to, and take a reference */
static struct btf *find_module_btf(unsigned long ip)
{
	char name[MODULE_NAME_LEN] = "";
	struct module *mod;
	struct btf *btf;
	int id = 0;

	/* v6.12 requires that preemption is disabled */
	preempt_disable();
	rcu_read_lock();
	mod = __module_address(ip);
	if (mod)
		strscpy(name, mod->name);
	rcu_read_unlock();
	preempt_enable();
	while (*name && (btf = next_module_btf(&id))) {
		if (!strcmp(btf_get_name(btf), name))
			return btf;
		btf_put(btf);
	}
	return NULL;
}

/**
 * expr_layouts_get - find the layouts that a function's expressions refer to
 * @layouts: the function, whose layouts are set if they are not yet
 *
 * Return: false if there are no layouts.
 */
bool expr_layouts_get(struct expr_layouts *layouts)
{
	/* Pairs with expr_layouts_prepare() */
	struct btf *btf = smp_load_acquire(&image_btf);

	if (layouts->btf || !btf)
		return layouts->btf;
	if (is_module_address(layouts->ip)) {
		layouts->btf = find_module_btf(layouts->ip);
	} else {
		btf_get(btf);
		layouts->btf = btf;
	}
	return layouts->btf;
}

/**
 * expr_layouts_put - end the use of layouts
 * @layouts: from expr_layouts_get()
 */
void expr_layouts_put(struct expr_layouts *layouts)
{
	btf_put(layouts->btf);
	while (layouts->nr)
		btf_put(layouts->others[--layouts->nr]);
	layouts->btf = NULL;
}

static const struct btf_type *type_of(const struct expr_ctype *type)
{
	return btf_type_by_id(type->btf, type->id);
}

/* The type with an id in the BTF of another type, without its modifiers */
static struct expr_ctype bare_type(const struct expr_ctype *from, u32 id)
{
	struct expr_ctype type = *from;

	btf_type_skip_modifiers(type.btf, id, &type.id);
	return type;
}

static const char *name_of(const struct expr_ctype *type)
{
	return btf_name_by_offset(type->btf, type_of(type)->name_off);
}

static bool has_tag(const struct expr_ctype *type)
{
	return (BIT(btf_kind(type_of(type))) & (RECORD_KINDS | BIT(BTF_KIND_FWD))) &&
	       *name_of(type);
}

static bool is_alike(struct expr_ctype a, struct expr_ctype b, unsigned int depth);

static bool has_same_members(const struct expr_ctype *a, const struct expr_ctype *b,
			     unsigned int depth)
{
	const struct btf_type *left = type_of(a), *right = type_of(b);
	const struct btf_member *x = btf_type_member(left), *y = btf_type_member(right);
	unsigned int i;

	if (left->size != right->size || btf_type_vlen(left) != btf_type_vlen(right))
		return false;
	for (i = 0; i < btf_type_vlen(left); i++, x++, y++) {
		if (strcmp(btf_name_by_offset(a->btf, x->name_off),
			   btf_name_by_offset(b->btf, y->name_off)) ||
		    __btf_member_bit_offset(left, x) != __btf_member_bit_offset(right, y) ||
		    __btf_member_bitfield_size(left, x) !=
		    __btf_member_bitfield_size(right, y) ||
		    !is_alike(bare_type(a, x->type), bare_type(b, y->type), depth))
			return false;
	}
	return true;
}

/*
 * Whether the members of two types have the same names, places and types of values. A
 * pointer to a structure with a tag is compared by the tag, because the tag is looked up
 * again when the pointer is followed, see expr_pointed_record().
 */
static bool is_alike(struct expr_ctype a, struct expr_ctype b, unsigned int depth)
{
	const struct btf_type *left = type_of(&a), *right = type_of(&b);

	/* All modules have the types of the image, with the same numbers; void is one of them */
	if (a.id == b.id && (a.btf == b.btf || a.id < btf_nr_types(image_btf)))
		return true;
	if (!depth || btf_kind(left) != btf_kind(right))
		return false;
	switch (btf_kind(left)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return has_same_members(&a, &b, depth - 1);
	case BTF_KIND_PTR:
		a = bare_type(&a, left->type);
		b = bare_type(&b, right->type);
		if (has_tag(&a) && has_tag(&b))
			return !strcmp(name_of(&a), name_of(&b));
		return is_alike(a, b, depth - 1);
	case BTF_KIND_ARRAY:
		return btf_array(left)->nelems == btf_array(right)->nelems &&
		       is_alike(bare_type(&a, btf_array(left)->type),
				bare_type(&b, btf_array(right)->type), depth - 1);
	case BTF_KIND_INT:
		return left->size == right->size &&
		       *(u32 *)(left + 1) == *(u32 *)(right + 1) &&
		       !strcmp(name_of(&a), name_of(&b));
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FLOAT:
		return left->size == right->size;
	case BTF_KIND_FUNC_PROTO:
		return true;
	default:
		return false;
	}
}

/* Add a structure to @found; all structures that were added have the same name */
static unsigned int add_record(struct expr_ctype *found, const struct expr_ctype *record)
{
	if (!found->btf) {
		*found = *record;
		return 0;
	}
	if (!is_alike(*found, *record, ALIKE_DEPTH))
		return GRAPH_COND_ERR_SEVERAL;
	found->several = true;
	return 0;
}

/* Find the structures with a tag among the types of @btf, beginning with type @id */
static unsigned int search_tag(struct expr_ctype *found, struct btf *btf, u32 id,
			       unsigned int kinds, const char *tag)
{
	struct expr_ctype type = { .btf = btf };
	unsigned int err;

	for (; id < btf_nr_types(btf); id++) {
		type.id = id;
		if (!(BIT(btf_kind(type_of(&type))) & kinds) || strcmp(name_of(&type), tag))
			continue;
		err = add_record(found, &type);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Find the structures with a tag in the image's BTF. The result is cached, because a line
 * may apply to thousands of functions whose parameters have the same type.
 */
static unsigned int find_image_tag(struct expr_ctype *found, unsigned int kinds,
				   const char *tag)
{
	struct found_tag *slot, new = { .kinds = kinds };

	slot = &found_tags[full_name_hash(NULL, tag, strlen(tag)) % ARRAY_SIZE(found_tags)];
	scoped_guard(spinlock, &found_tags_lock) {
		if (slot->kinds == kinds && !strcmp(slot->name, tag)) {
			*found = slot->found;
			return slot->err;
		}
	}
	new.err = search_tag(&new.found, image_btf, 1, kinds, tag);
	strscpy(new.name, tag);
	*found = new.found;
	guard(spinlock)(&found_tags_lock);
	*slot = new;
	return new.err;
}

/* Find the structures with a tag in the BTF of the image, or of the image and a module */
static unsigned int find_tag(struct expr_ctype *found, struct btf *btf, unsigned int kinds,
			     const char *tag)
{
	unsigned int err = find_image_tag(found, kinds, tag);

	if (err || btf == image_btf)
		return err;
	if (found->btf)
		found->btf = btf;
	return search_tag(found, btf, btf_nr_types(image_btf), kinds, tag);
}

/* Find the structure of a declaration */
static unsigned int complete_record(struct expr_ctype *record)
{
	struct expr_ctype found = { };
	unsigned int kinds, err;

	/*
	 * If there were several structures on the way, each may lead to another structure
	 * with this tag
	 */
	if (btf_kind(type_of(record)) != BTF_KIND_FWD &&
	    !(record->several && has_tag(record)))
		return 0;
	kinds = btf_kind(type_of(record)) == BTF_KIND_FWD ? RECORD_KINDS :
							    BIT(btf_kind(type_of(record)));
	err = find_tag(&found, record->btf, kinds, name_of(record));
	if (err)
		return err;
	if (!found.btf)
		return GRAPH_COND_ERR_NO_RECORD;
	found.several |= record->several;
	*record = found;
	return 0;
}

/* Find the structures that typedefs of a name stand for, or that the typedefs point to */
static unsigned int find_typedef(struct expr_ctype *found, struct btf *btf,
				 const char *name, bool pointer)
{
	struct expr_ctype type = { .btf = btf }, record;
	unsigned int err;

	for (type.id = 1; type.id < btf_nr_types(btf); type.id++) {
		if (btf_kind(type_of(&type)) != BTF_KIND_TYPEDEF ||
		    strcmp(name_of(&type), name))
			continue;
		record = bare_type(&type, type.id);
		if (pointer && btf_kind(type_of(&record)) == BTF_KIND_PTR)
			record = bare_type(&record, type_of(&record)->type);
		else if (pointer)
			return GRAPH_COND_ERR_NO_POINTER;
		err = complete_record(&record);
		if (!err && !expr_is_record(&record))
			err = GRAPH_COND_ERR_NO_POINTER;
		err = err ?: add_record(found, &record);
		if (err)
			return err;
	}
	return 0;
}

/* Copy a name; returns false if the name is longer than any name that can be found */
static bool copy_name(char to[NAME_SIZE], const char *name, unsigned int len)
{
	if (len >= NAME_SIZE)
		return false;
	memcpy(to, name, len);
	to[len] = '\0';
	return len;
}

/* Let the layouts have a reference to another module's BTF. Returns false if there are too many */
static bool hold_btf(struct expr_layouts *layouts, struct btf *btf)
{
	unsigned int i;

	for (i = 0; i < layouts->nr && layouts->others[i] != btf; i++)
		;
	if (i == layouts->nr && i < EXPR_LAYOUTS_OTHERS) {
		layouts->others[layouts->nr++] = btf;
		return true;
	}
	btf_put(btf);
	return i < layouts->nr;
}

/**
 * expr_find_record - find the structure or union with a tag
 * @layouts: the layouts
 * @tag: the tag
 * @len: characters of @tag
 * @record: the structure
 *
 * Other modules are searched if neither the image nor the function's module has the tag.
 *
 * Return: 0, or an error.
 */
unsigned int expr_find_record(struct expr_layouts *layouts, const char *tag,
			      unsigned int len, struct expr_ctype *record)
{
	u32 first = btf_nr_types(image_btf);
	struct expr_ctype found = { };
	char name[NAME_SIZE];
	struct btf *btf;
	unsigned int err;
	bool others;
	int id = 0;

	if (!copy_name(name, tag, len))
		return GRAPH_COND_ERR_NO_RECORD;
	err = find_tag(&found, layouts->btf, RECORD_KINDS, name);
	others = !err && !found.btf;
	while (others && !err) {
		btf = next_module_btf(&id);
		if (!btf)
			break;
		err = search_tag(&found, btf, first, RECORD_KINDS, name);
		if (found.btf != btf)
			btf_put(btf);
		else if (!hold_btf(layouts, btf))
			err = GRAPH_COND_ERR_TOO_MANY;
	}
	if (!err && !found.btf)
		err = GRAPH_COND_ERR_NO_RECORD;
	*record = found;
	return err;
}

/**
 * expr_param_record - find the structure that a parameter points to
 * @layouts: the layouts
 * @param: the parameter's type in the signature
 * @record: the structure
 *
 * Return: 0, or an error.
 */
unsigned int expr_param_record(const struct expr_layouts *layouts, const void *param,
			       struct expr_ctype *record)
{
	struct expr_ctype found = { };
	const char *type = param;
	char name[NAME_SIZE], how;
	unsigned int err;
	char kind;

	while (*type == 'K' || *type == 'V')
		type++;
	if (*arg_type_resolve(type, &how) != 'P')
		return GRAPH_COND_ERR_NO_POINTER;
	/*
	 * Find the type that the pointer points to, or a typedef that stands for a
	 * pointer
	 */
	kind = *type++;
	while (kind == 'P' && (*type == 'K' || *type == 'V'))
		type++;
	if (kind == 'P')
		kind = *type == 'T' ? 'v' : *type++;
	if (!strchr("SUNT", kind))
		return GRAPH_COND_ERR_NO_POINTER;
	if (!copy_name(name, type, strcspn(type, ";")))
		return GRAPH_COND_ERR_NO_RECORD;
	if (kind == 'N' || kind == 'T')
		err = find_typedef(&found, layouts->btf, name, kind == 'T');
	else
		err = find_tag(&found, layouts->btf,
			       BIT(kind == 'S' ? BTF_KIND_STRUCT : BTF_KIND_UNION), name);
	if (!err && !found.btf)
		err = GRAPH_COND_ERR_NO_RECORD;
	*record = found;
	return err;
}

/**
 * expr_pointed_record - find the structure that a pointer points to
 * @type: the pointer's type
 * @record: the structure
 *
 * Return: 0, or an error.
 */
unsigned int expr_pointed_record(const struct expr_ctype *type, struct expr_ctype *record)
{
	unsigned int err;

	if (btf_kind(type_of(type)) != BTF_KIND_PTR)
		return GRAPH_COND_ERR_NO_POINTER;
	*record = bare_type(type, type_of(type)->type);
	err = complete_record(record);
	if (!err && !expr_is_record(record))
		err = GRAPH_COND_ERR_NO_POINTER;
	return err;
}

/**
 * expr_is_record - whether a type is a structure or a union
 * @type: the type
 *
 * Return: true if so, false otherwise.
 */
bool expr_is_record(const struct expr_ctype *type)
{
	return BIT(btf_kind(type_of(type))) & RECORD_KINDS;
}

/* Describe the member @found of @within, which begins at bit @bit of @record */
static void set_member(struct expr_member *member, const struct expr_ctype *record,
		       const struct btf_type *within, const struct btf_member *found, u32 bit)
{
	member->type = bare_type(record, found->type);
	member->bit = bit + __btf_member_bit_offset(within, found);
	member->width = __btf_member_bitfield_size(within, found);
}

/**
 * expr_find_member - find a member of a structure, including members of unnamed members
 * @record: the structure
 * @name: the member
 * @len: characters of @name
 * @member: the member
 *
 * Return: 0, or an error.
 */
unsigned int expr_find_member(const struct expr_ctype *record, const char *name,
			      unsigned int len, struct expr_member *member)
{
	const struct btf_type *within;
	const struct btf_member *found;
	char copy[NAME_SIZE];
	u32 bit = 0;

	if (!copy_name(copy, name, len))
		return GRAPH_COND_ERR_NO_MEMBER;
	found = btf_find_struct_member(record->btf, type_of(record), copy, &bit, &within);
	if (IS_ERR(found))
		return GRAPH_COND_ERR_NO_MEM;
	if (!found)
		return GRAPH_COND_ERR_NO_MEMBER;
	set_member(member, record, within, found, bit);
	return 0;
}

/**
 * expr_next_member - find the next member of a structure
 * @record: the structure
 * @cursor: the place among the members, which is moved on
 * @member: the member
 * @name: set to the name, "" if the member has none
 *
 * Return: false if there is no more member.
 */
bool expr_next_member(const struct expr_ctype *record, struct expr_cursor *cursor,
		      struct expr_member *member, const char **name)
{
	const struct btf_type *t = type_of(record);
	const struct btf_member *found;

	if (cursor->next == btf_type_vlen(t))
		return false;
	found = btf_type_member(t) + cursor->next++;
	*name = btf_name_by_offset(record->btf, found->name_off);
	set_member(member, record, t, found, 0);
	return true;
}

/* Find the type of an array's elements */
static struct expr_ctype element_of(struct expr_ctype type)
{
	while (btf_kind(type_of(&type)) == BTF_KIND_ARRAY)
		type = bare_type(&type, btf_array(type_of(&type))->type);
	return type;
}

/**
 * expr_find_element - find the type of the elements of an array, or of what a pointer points to
 * @type: the array or the pointer; set to the type of the elements
 * @size: set to the size of an element in bytes
 *
 * BTF has an array of arrays as one array. An array without a length, and a pointer, have all
 * elements. A pointer to a structure has none.
 *
 * Return: the number of elements, 0 if the type is something else.
 */
unsigned int expr_find_element(struct expr_ctype *type, unsigned int *size)
{
	bool pointer = btf_kind(type_of(type)) == BTF_KIND_PTR;
	struct expr_ctype array = *type;
	unsigned int all = 0;

	*type = pointer ? bare_type(&array, type_of(&array)->type) : element_of(array);
	if (pointer ? expr_is_record(type) :
	    type->id == array.id || IS_ERR(btf_resolve_size(array.btf, type_of(&array), &all)))
		return 0;
	if (IS_ERR(btf_resolve_size(array.btf, type_of(type), size)) || !*size)
		return 0;
	return (all ?: INT_MAX) / *size;
}

/**
 * expr_class_of - find the class of a type, for expressions without a type
 * @type: the type
 * @size: set to the number of bytes of a number
 *
 * Return: the class.
 */
enum expr_class expr_class_of(const struct expr_ctype *type, unsigned int *size)
{
	const struct btf_type *t = type_of(type);
	struct expr_ctype element;

	*size = t->size;
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		return EXPR_CLASS_POINTER;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		/* The same as in fprobe events */
		return EXPR_CLASS_SIGNED;
	case BTF_KIND_INT:
		if (btf_int_offset(t) || btf_int_bits(t) != t->size * BITS_PER_BYTE)
			return EXPR_CLASS_OTHER;
		return btf_int_encoding(t) & BTF_INT_SIGNED ? EXPR_CLASS_SIGNED :
							      EXPR_CLASS_UNSIGNED;
	case BTF_KIND_ARRAY:
		element = element_of(*type);
		if (btf_kind(type_of(&element)) == BTF_KIND_INT &&
		    !strcmp(name_of(&element), "char"))
			return EXPR_CLASS_TEXT;
		return EXPR_CLASS_OTHER;
	default:
		return EXPR_CLASS_OTHER;
	}
}

/**
 * expr_text_of - find where the text of a type is
 * @type: the type
 *
 * Return: where the text is.
 */
enum expr_text expr_text_of(const struct expr_ctype *type)
{
	bool pointer = btf_kind(type_of(type)) == BTF_KIND_PTR;
	struct expr_ctype of;

	if (pointer)
		of = bare_type(type, type_of(type)->type);
	else if (btf_kind(type_of(type)) == BTF_KIND_ARRAY)
		of = element_of(*type);
	else
		return EXPR_TEXT_NONE;
	if (btf_kind(type_of(&of)) != BTF_KIND_INT || type_of(&of)->size != 1)
		return EXPR_TEXT_NONE;
	return pointer ? EXPR_TEXT_BEHIND : EXPR_TEXT_HERE;
}
