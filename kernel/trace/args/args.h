/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Typed arguments and return values, from a function's signature to text:
 *
 *   generator	scripts/gen_arg_sigs	writes signatures, from DWARF, into objects
 *   table	args/table.c	the image's functions, by address; memory that is freed later
 *		args/modules.c	functions of modules, including modules that are gone
 *		args/lookup.c	any function, for readers
 *   capture	args/capture.c	the data that is read at a function's entry
 *		args/memory.c	strings and other bytes of memory
 *		args/objects.c	digests of objects, and the user's expressions
 *		args/func_map.h	what an instance has for a function
 *   event	trace_graph_args.c	events of the graph tracer, with the data that was read
 *		calls/single.c	one event for a call, with its return
 *   condition	calls/filter.c	decides at entry and return which calls are recorded
 *   count	calls/hist.c	calls by arguments and returns, instead of events
 *   text	args/text.h	signatures and values as text, in several files
 *		args/print.c	the text of an event, for readers of the trace files
 *   probe	args/probes.c	parameters of probe events, for trace_probe.c
 *   carrier	args/carrier.c	signatures in a format file, for other machines
 *
 * This header is shared by all of them and the plugin of libtraceevent.
 *
 * The words of this room:
 *
 *   signature	the text that tells what is captured of a call of a function, and its types
 *   reference	the position of a signature, with what most captures need of it
 *   set	the signatures of one module. The image's are no set, and have the number 0
 *   long	a word of 8 bytes that is captured at a call's entry
 *   slot	in a signature: the place of a long. In a hash: a function
 *   read	a value that is read at the entry where a long points to
 *   result	a value that is read at the return, besides the registers
 *   digest	chosen parts of an object that a pointer points to
 *   part	a string or a number of a digest, or the value of an expression
 *   record	a struct or a union
 *   sink	what gets each name and each value while text is written
 */
#ifndef _TRACE_ARGS_H
#define _TRACE_ARGS_H

#include <linux/arg_sigs.h>
#include <linux/types.h>

/*
 * The number of the set of signatures of an event without a number. The function is in the
 * image, or its module's set is not known
 */
#define ARG_SIGS_IMAGE		0

/* Maximum types that have digests: one for each letter that a read may have */
#define ARG_DIGEST_FIRST	'&'
#define ARG_DIGEST_LAST		'}'
#define ARG_DIGESTS		(ARG_DIGEST_LAST - ARG_DIGEST_FIRST + 1)

/* The letter that no type has */
#define ARG_DIGEST_NONE		ARG_DIGEST_FIRST

/* Characters of a digest's description before the tag: the id, "d" and the letter */
#define ARG_DIGEST_HEADER	(ARG_SIGS_ID_LEN + 2)

/* Maximum parts of a digest, and offsets of a part */
#define ARG_DIGEST_PARTS	4
#define ARG_DIGEST_OFFSETS	6

struct arg_types;

/**
 * struct arg_digests - the digests of the image
 * @types: the descriptions of enums that digests refer to
 * @tags: for each letter of a read, beginning with ARG_DIGEST_FIRST: the description,
 *	beginning with the tag; NULL if the letter has no digest
 */
struct arg_digests {
	const struct arg_types	*types;
	const char	*tags[ARG_DIGESTS];
};

/**
 * struct arg_types - the descriptions of enums and records of one image
 * @text: the descriptions; each description ends with NUL
 * @size: bytes of @text
 * @index: hash table by id. A slot has the offset of the description in @text plus 1; an
 *	empty slot has 0
 * @mask: the number of slots in @index, minus 1
 * @digests: the digests of the image, also for a module's types; NULL if there are none
 */
struct arg_types {
	const char	*text;
	u32		size;
	u32		*index;
	u32		mask;
	const struct arg_digests *digests;
};

/**
 * enum arg_kind - the kind of a value
 * @ARG_UNKNOWN: not captured, or of a type that is not shown
 * @ARG_REMOVED: the compiler removed the parameter
 * @ARG_SIGNED: a signed number
 * @ARG_UNSIGNED: an unsigned number, or a number that holds bits
 * @ARG_WIDE: a number of 128 bits
 * @ARG_BOOL: a bool
 * @ARG_NAMED: a number whose text is not a number: enum, gfp_t, umode_t, dev_t
 * @ARG_POINTER: a pointer, or a string that could not be read
 * @ARG_STRING: a string, or the bytes of a buffer
 */
enum arg_kind {
	ARG_UNKNOWN,
	ARG_REMOVED,
	ARG_SIGNED,
	ARG_UNSIGNED,
	ARG_WIDE,
	ARG_BOOL,
	ARG_NAMED,
	ARG_POINTER,
	ARG_STRING,
};

/**
 * struct arg_value - a value that is no record and no array
 * @kind: the kind of the value
 * @type: the type in the signature, NULL if the value is not known
 * @val: the number, sign-extended if the type is signed, or the address
 * @high: the upper 64 bits of ARG_WIDE
 * @data: the bytes of ARG_STRING
 * @size: the number of bytes at @data
 * @cut: the string or the buffer was longer than what was recorded
 * @text: the value as text, NULL if there was no room for the text
 * @len: characters of @text
 * @addr: the address that the value was read from, if a pointer points to the value; else
 *	0
 */
struct arg_value {
	enum arg_kind	kind;
	const char	*type;
	u64		val;
	u64		high;
	const void	*data;
	unsigned int	size;
	bool		cut;
	const char	*text;
	unsigned int	len;
	u64		addr;
};

struct arg_sink;

/**
 * struct arg_sink_ops - calls to a sink while text is written
 * @name: a parameter or member follows. Its name has @len characters, and may be gone
 *	after the call of @value. Elements of arrays and returned values have no name
 * @begin: a record or an array begins
 * @end: the record or the array ends
 * @value: a value that is no record and no array
 */
struct arg_sink_ops {
	void	(*name)(struct arg_sink *sink, const char *name, unsigned int len);
	void	(*begin)(struct arg_sink *sink, bool array);
	void	(*end)(struct arg_sink *sink);
	void	(*value)(struct arg_sink *sink, const struct arg_value *value);
};

/**
 * struct arg_sink - a reader that wants values besides the text
 * @ops: the functions to call
 */
struct arg_sink {
	const struct arg_sink_ops	*ops;
};

/**
 * struct arg_out - the output that text is written to
 * @pos: where the next character goes; beyond @end the character is only counted
 * @end: the first byte that must not be written
 * @last: the last character written or counted
 * @sink: the sink that gets the values, usually NULL
 */
struct arg_out {
	char		*pos;
	char		*end;
	char		last;
	struct arg_sink	*sink;
};

/*
 * If a signature has strings ("*") or buffers ("#"), an event may have the strings and
 * buffers after the longs, in the order of their slots. Each string or buffer has a
 * header of 16 bits with its length. The bytes follow the header. The header has
 * ARG_STRING_CUT if the string or the buffer was longer. The header is ARG_STRING_UNREAD,
 * without bytes, if the string could not be read or its pointer is NULL or an error.
 */
#define ARG_STRING_CUT		0x8000U
#define ARG_STRING_UNREAD	0x7fffU

/*
 * The values that pointers point to follow the strings. The headers of strings are then
 * present even if no string is recorded. Each value has a header of one byte. The header
 * has the number of the long that is the pointer, shifted by ARG_READ_SHIFT, and a kind:
 * 1 to 4 for a value of 1, 2, 4 or 8 bytes, or ARG_READ_FAILED, which no bytes follow. A
 * header of 0 or the end of the data ends the values.
 */
#define ARG_READ_SHIFT		3
#define ARG_READ_KIND		7U
#define ARG_READ_MAX_KIND	4U
#define ARG_READ_FAILED		5U

/*
 * A digest has the kind ARG_READ_DIGEST. After the header, 16 bits have the number of the
 * bytes that follow. Each part of the digest's description has either a string with the
 * header of a string, or a byte with the kind of a number and then the number. If a
 * pointer on the way to the part is NULL, ARG_STRING_NULL or ARG_READ_NULL replaces the
 * part. Digests follow the numbers.
 */
#define ARG_READ_DIGEST		6U
#define ARG_READ_NULL		7U
#define ARG_STRING_NULL		0x7ffeU

/*
 * The return of a call has first the numbers that have changed, then the digest of the
 * object that the returned value points to, with the header of long 0, then the buffer
 * that the call has filled. The buffer has the kind ARG_READ_TEXT. The text follows, with
 * the header of a string.
 */
#define ARG_READ_TEXT		7U

/* Maximum bytes of an array that is an expression. It is recorded like a buffer */
#define ARG_ARRAY_SIZE		64

/*
 * If func_args_expr has expressions for the function, their values are the last data of
 * the call's entry: a header with the kind ARG_READ_TEXT and the long 0, 16 bits with the
 * number of the bytes that follow, 16 bits with the number of the description, and the
 * values. Each value has the format of a part of a digest. A description is "type name;"
 * for each expression. Without values, the number of the bytes is 2: there was no room for
 * the values, or the description has no number and ARG_EXPRS_NUMBERS stands for it.
 */
#define ARG_EXPRS_MAX		1024U

/* Numbers of descriptions are smaller */
#define ARG_EXPRS_NUMBERS	0xffffU

/* Maximum bytes of all descriptions */
#define ARG_EXPRS_TEXT		(64 * 1024U)

/**
 * struct arg_longs - the recorded data of a call's arguments
 * @data: the longs, then the strings, then the values that pointers point to, then zeros
 *	up to a multiple of 8 bytes. The data is in the event and need not be aligned
 * @size: the number of bytes of @data, without the number of a set of signatures. If the
 *	size does not fit the signature, nothing was recorded
 */
struct arg_longs {
	const void	*data;
	unsigned int	size;
};

const u8 *arg_longs_string(const struct arg_longs *longs, unsigned int nr,
			   u64 strings, unsigned int index,
			   unsigned int *header);

int arg_types_count(const char *text, u32 size);
int arg_digests_find(struct arg_digests *digests, const struct arg_types *types);
void arg_digests_fitting(struct arg_digests *fitting, const struct arg_digests *digests,
			 const struct arg_types *types);
void arg_sig_check_digests(char *sig, const struct arg_digests *fitting);
u32 arg_types_slots(u32 nr);
int arg_types_index(struct arg_types *types);
int arg_types_alloc(struct arg_types *types);
const char *arg_types_find(const struct arg_types *types, const char *id);

bool arg_sig_valid(const char *sig);
void arg_out_puts(struct arg_out *out, const char *text);
void arg_sig_put_args(struct arg_out *out, const char *sig,
		      const struct arg_types *types,
		      const struct arg_longs *longs);
bool arg_sig_is_void(const char *sig);
void arg_sig_put_retval(struct arg_out *out, const char *sig,
			const struct arg_types *types, const u64 *regs,
			unsigned int nr_regs, bool hex);
void arg_sig_put_results(struct arg_out *out, const char *sig,
			 const struct arg_types *types,
			 const struct arg_longs *results, const char *before);
void arg_sig_put_proto(struct arg_out *out, const char *sig,
		       const struct arg_types *types, const char *name);

#ifdef __KERNEL__

#include <linux/llist.h>

struct func_map;
struct mutex;
struct seq_file;

/**
 * struct arg_sig_retired - memory that is freed after its last reader is done
 * @node: in retired_list
 * @free: frees the memory and returns true, or returns false if the memory has a reader;
 *	NULL for memory that begins with this struct, and has no readers that sleep
 */
struct arg_sig_retired {
	struct llist_node	node;
	bool			(*free)(struct arg_sig_retired *old);
};

/**
 * struct func_args_want - what a trace instance records of the arguments of calls
 * @not_regs: a reference with none of these bits has all longs in registers, and no more
 *	is captured; the bits of ARG_SIG_REF_KIND, and the bits of references whose calls
 *	may have more than longs and strings
 * @not_direct: the same with ARG_SIG_REF_CAPTURED instead of ARG_SIG_REF_KIND
 * @string_size: maximum bytes of a string
 * @deref: whether the values that pointers point to are recorded
 * @exprs: the functions with lines of func_args_expr, see struct call_lines, or NULL
 *
 * The masks choose the capture of a call by the same test of its reference that tells
 * the kind of its longs. trace_types_lock protects changes. Calls that are being captured
 * read the members meanwhile, and any mixture of old and new members is correct.
 */
struct func_args_want {
	u32				not_regs;
	u32				not_direct;
	u16				string_size;
	bool				deref;
	struct func_map __rcu		**exprs;
};

#ifdef CONFIG_FUNCTION_ARG_SIGS
void arg_sigs_seq_show(struct seq_file *m, unsigned long ip);
void arg_sigs_show_format(struct seq_file *m);
extern struct mutex arg_exprs_mutex;
unsigned int arg_exprs_end(void);
int arg_exprs_add(const char *text, bool events);
void arg_exprs_drop(unsigned int nr);
#else
static inline void arg_sigs_seq_show(struct seq_file *m, unsigned long ip) { }
static inline void arg_sigs_show_format(struct seq_file *m) { }
#endif

#endif /* __KERNEL__ */
#endif /* _TRACE_ARGS_H */
