/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Typed arguments and return values, from a function's signature to text:
 *
 *   generator	scripts/gen_arg_sigs	writes signatures, from DWARF, into objects
 *   table	trace_args_table.c	the image's functions, by address
 *		trace_args_modules.c	modules' functions, also of those that are gone
 *		trace_args_sets.c	modules' functions, by the number that an event carries
 *   capture	trace_args_capture.c	what is read at a function's entry
 *		trace_args_memory.c	strings and other bytes of memory
 *		trace_args_objects.c	what tells objects apart, and the user's expressions
 *		trace_args_exprs.c	which calls have such expressions
 *   event	trace_graph_args.c	events of the graph tracer, with what was read
 *		trace_graph_single.c	one event for a call, with its return
 *   condition	trace_graph_filter.c	which calls have events, and which are kept until then
 *   count	trace_graph_hist.c	calls by arguments and returns, instead of events
 *   text	trace_args_text.h	signatures and values as text, in several files
 *		trace_args_print.c	the text of an event, for a reader of the kernel
 *   carrier	trace_args_carrier.c	signatures in a format file, for other machines
 *
 * This header is shared by all of them and the plugin of libtraceevent.
 */
#ifndef _TRACE_ARGS_H
#define _TRACE_ARGS_H

#include <linux/arg_sigs.h>
#include <linux/types.h>

/* The set of signatures that an event's function is of is not known */
#define ARG_SIGS_UNKNOWN_SET	U32_MAX

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
 * @tags: for each letter of a read, from ARG_DIGEST_FIRST on, the description from the
 *	tag on; NULL if there is none
 */
struct arg_digests {
	const struct arg_types	*types;
	const char	*tags[ARG_DIGESTS];
};

/**
 * struct arg_types - the descriptions of enums and records of one image
 * @text: descriptions, each ends with NUL
 * @size: bytes of @text
 * @index: hash by id of offsets in @text plus 1, 0 where empty
 * @mask: slots of @index less 1
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
 * @type: its type in the signature, NULL if the value is not known
 * @val: the number, sign-extended if it is signed; the address
 * @high: the upper 64 bits of ARG_WIDE
 * @data: the bytes of ARG_STRING
 * @size: how many bytes there are at @data
 * @cut: the string or the buffer was longer
 * @text: the value as text, NULL if there was no room for it
 * @len: characters of @text
 * @addr: where the value was read, if it is what a pointer points to; else 0
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
 * @name: the name, of @len characters, of the parameter or member that follows;
 *	elements of arrays and returned values have none. The name may be gone
 *	after the call of @value
 * @begin: a record or an array begins
 * @end: it ends
 * @value: any other value
 */
struct arg_sink_ops {
	void	(*name)(struct arg_sink *sink, const char *name, unsigned int len);
	void	(*begin)(struct arg_sink *sink, bool array);
	void	(*end)(struct arg_sink *sink);
	void	(*value)(struct arg_sink *sink, const struct arg_value *value);
};

/**
 * struct arg_sink - a reader that wants values besides the text
 * @ops: what to call
 */
struct arg_sink {
	const struct arg_sink_ops	*ops;
};

/**
 * struct arg_out - where text is written to
 * @pos: where the next character goes; beyond @end it is only counted
 * @end: the first byte that must not be written
 * @last: the last character written or counted
 * @sink: the sink that is told the values, mostly NULL
 */
struct arg_out {
	char		*pos;
	char		*end;
	char		last;
	struct arg_sink	*sink;
};

/*
 * If a signature has strings ("*") or buffers ("#"), an event may have them
 * behind the longs, in the order of their slots. Each has a header of 16 bits
 * with its length, and then its bytes. The header has ARG_STRING_CUT if the
 * string or the buffer was longer. The header is ARG_STRING_UNREAD, without
 * bytes, if the string could not be read or its pointer is NULL or an error.
 */
#define ARG_STRING_CUT		0x8000U
#define ARG_STRING_UNREAD	0x7fffU

/*
 * What pointers point to follows the strings, and the headers of strings, which
 * are there then even if no string is recorded. Each value has a header of one byte:
 * the number of the long that is the pointer, shifted by ARG_READ_SHIFT, and 1 to 4
 * for a value of 1, 2, 4 or 8 bytes, or ARG_READ_FAILED without bytes. A header of 0
 * ends the values, as the end of the data does.
 */
#define ARG_READ_SHIFT		3
#define ARG_READ_KIND		7U
#define ARG_READ_MAX_KIND	4U
#define ARG_READ_FAILED		5U

/*
 * A digest has the kind ARG_READ_DIGEST, and behind its header 16 bits with the number
 * of its further bytes. For each part of the digest's description there is either a
 * string, with a header as other strings have, or a number behind one byte with its
 * kind. Instead of the part there is ARG_STRING_NULL or ARG_READ_NULL if a pointer on the
 * way to the part is NULL. Digests follow the numbers.
 */
#define ARG_READ_DIGEST		6U
#define ARG_READ_NULL		7U
#define ARG_STRING_NULL		0x7ffeU

/*
 * At the return of a call there are the numbers that have changed, then the digest of the
 * object that the returned value points to, as if it were that of long 0, then a buffer
 * that the call has filled: the kind ARG_READ_TEXT, and behind its header the text, with a
 * header as strings have.
 */
#define ARG_READ_TEXT		7U

/*
 * At the entry of a call there are the values of expressions behind everything else, if
 * func_args_expr has some for the function: the kind ARG_READ_TEXT with the long 0, 16 bits
 * with the number of further bytes, 16 bits with the number of the description, and each
 * value as a part of a digest is. A description is "type name;" for each expression.
 */
#define ARG_EXPRS_MAX		1024U

/* Maximum bytes of all descriptions */
#define ARG_EXPRS_TEXT		(64 * 1024U)

/**
 * struct arg_longs - what was recorded of a call's arguments
 * @data: the longs, then the strings, then what pointers point to, then zeros up to
 *	8 bytes; in the event, so maybe not aligned
 * @size: bytes of @data, without the number of a set of signatures. If the
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
const char *arg_types_find(const struct arg_types *types, const char *id);

/**
 * struct arg_sig_info - the properties of a signature that recording a call needs
 * @longs: how many longs are captured
 * @strings: whether some of them point to strings
 * @reads: whether some of them point to numbers or objects that may be recorded, or
 *	@results is set
 * @results: whether something is read at the return: numbers that a call may change, the
 *	object that it returns, a buffer that it fills
 * @fields: whether there is a list of a system call's own parameters
 * @two_regs: whether two registers are returned
 */
struct arg_sig_info {
	unsigned int	longs;
	bool		strings;
	bool		reads;
	bool		results;
	bool		fields;
	bool		two_regs;
};

bool arg_sig_valid(const char *sig);
unsigned int arg_sig_longs(const char *sig);
void arg_sig_get_info(const char *sig, struct arg_sig_info *info);
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
void arg_sig_put_ret(struct arg_out *out, const char *sig,
		     const struct arg_types *types, const u64 *regs,
		     unsigned int nr_regs, bool hex);
void arg_sig_put_proto(struct arg_out *out, const char *sig,
		       const struct arg_types *types, const char *name);

#ifdef __KERNEL__

struct seq_file;

#ifdef CONFIG_FUNCTION_ARG_SIGS
void arg_sigs_seq_show(struct seq_file *m, unsigned long ip);
void arg_sigs_show_format(struct seq_file *m);
int arg_exprs_add(const char *text);
#else
static inline void arg_sigs_seq_show(struct seq_file *m, unsigned long ip) { }
static inline void arg_sigs_show_format(struct seq_file *m) { }
#endif

#endif /* __KERNEL__ */
#endif /* _TRACE_ARGS_H */
