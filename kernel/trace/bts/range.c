// SPDX-License-Identifier: GPL-2.0
/*
 * The file bts_range: the code whose branches an instance records
 *
 * A line names functions or a range of addresses. The lines are kept as text in
 * trace_array::bts_range, under trace_types_lock. While the instance has the tracer, the
 * addresses are in bts_instance::ranges. They are found again when a module is loaded or
 * unloaded, because lines may name its functions, and other code may get its addresses.
 */
#include <linux/cleanup.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/sections.h>

#include "../trace.h"
#include "bts.h"
#include "range.h"

/* Maximum bytes of all lines of an instance */
#define BTS_RANGE_MAX_TEXT	SZ_64K

enum {
	BTS_RANGE_ERR_NO_FUNCTION, BTS_RANGE_ERR_ADDRESSES, BTS_RANGE_ERR_MOD,
	BTS_RANGE_ERR_NOT_SET, BTS_RANGE_ERR_NUL, BTS_RANGE_ERR_TOO_MANY,
	BTS_RANGE_NR_ERRS
};

/* The errors for tracing_log_err(), by BTS_RANGE_ERR_* */
static const char *bts_range_errs[BTS_RANGE_NR_ERRS] = {
	"No function has such a name",
	"A range of addresses is 0xBEGIN-0xEND, without the byte at END",
	"Expected ':mod:' and the name of a module",
	"No such line is set",
	"A line has no NUL byte",
	"The lines are longer than 65536 bytes",
};

/* Ranges that are being collected, with room for @max. @gone: a module that goes, or NULL */
struct bts_range_list {
	struct bts_ranges	*ranges;
	unsigned int		max;
	const char		*glob;
	const struct module	*gone;
};

static int bts_add_range(struct bts_range_list *list, unsigned long begin, unsigned long end)
{
	unsigned int nr = list->ranges ? list->ranges->nr : 0;
	struct bts_ranges *ranges = list->ranges;

	/*
	 * Most functions that a glob names follow each other. A module begins at a page, so
	 * functions of two modules have two ranges
	 */
	if (nr && ranges->range[nr - 1].end == begin && offset_in_page(begin)) {
		ranges->range[nr - 1].end = end;
		return 0;
	}
	if (nr == list->max) {
		list->max = 2 * nr + 8;
		ranges = kvrealloc(ranges, struct_size(ranges, range, list->max), GFP_KERNEL);
		if (!ranges)
			return -ENOMEM;
		list->ranges = ranges;
	}
	ranges->nr = nr + 1;
	ranges->range[nr] = (struct bts_range){ begin, end };
	return 0;
}

/* Whether @addr is code that stays where it is */
static bool bts_range_code(unsigned long addr)
{
#ifdef CONFIG_MODULES
	struct module *mod;

	guard(rcu)();
	guard(preempt)();
	mod = __module_text_address(addr);
	if (mod)
		return mod->state == MODULE_STATE_COMING ||
		       (mod->state == MODULE_STATE_LIVE && !within_module_init(addr, mod));
#endif
	return __is_kernel_text(addr);
}

static int bts_add_symbol(void *data, const char *name, unsigned long addr)
{
	struct bts_range_list *list = data;
	unsigned long size, offset;

	if (!glob_match(list->glob, name) || !bts_range_code(addr) ||
	    (list->gone && within_module(addr, list->gone)) ||
	    !kallsyms_lookup_size_offset(addr, &size, &offset))
		return 0;
	return bts_add_range(list, addr - offset, addr - offset + size);
}

/*
 * Add the ranges of @line, which is changed, of the module @only, or of all code if it is NULL.
 * Returns 0, a negative error, or 1 plus the BTS_RANGE_ERR_* of a malformed line
 */
static int bts_add_line(struct bts_range_list *list, char *line, const char *only)
{
	char *mod = strchr(line, ':');
	unsigned long begin, end;
	int ret, len = 0;

	if (strstarts(line, "0x")) {
		if (sscanf(line, "%lx-%lx%n", &begin, &end, &len) < 2 || line[len] ||
		    begin >= end)
			return 1 + BTS_RANGE_ERR_ADDRESSES;
		return bts_add_range(list, begin, end);
	}
	if (mod) {
		*mod++ = '\0';
		if (!strstarts(mod, "mod:") || !mod[4])
			return 1 + BTS_RANGE_ERR_MOD;
		mod += 4;
		if (only && strcmp(mod, only))
			return 0;
	}
	list->glob = line;
	ret = mod || only ? 0 : kallsyms_on_each_symbol(bts_add_symbol, list);
	if (!ret && IS_ENABLED(CONFIG_MODULES))
		ret = module_kallsyms_on_each_symbol(mod ?: only, bts_add_symbol, list);
	return ret;
}

/* Add the ranges of all lines of an instance, see bts_add_line() */
static int bts_add_lines(struct bts_range_list *list, struct trace_array *tr, const char *only)
{
	char *text __free(kfree) = kstrdup(tr->bts_range, GFP_KERNEL);
	char *line, *rest = text;
	int ret = text ? 0 : -ENOMEM;

	while (!ret && (line = strsep(&rest, "\n"))) {
		if (*line)
			ret = bts_add_line(list, line, only);
	}
	return ret;
}

static int bts_range_cmp(const void *a, const void *b)
{
	const struct bts_range *one = a, *other = b;

	return one->begin < other->begin ? -1 : one->begin > other->begin;
}

/* Sort the ranges, and join those that overlap */
static void bts_sort_ranges(struct bts_ranges *ranges)
{
	struct bts_range *last = ranges->range, *next;
	unsigned int i;

	sort(ranges->range, ranges->nr, sizeof(*ranges->range), bts_range_cmp, NULL);
	for (i = 1; i < ranges->nr; i++) {
		next = &ranges->range[i];
		if (next->begin < last->end)
			last->end = max(last->end, next->end);
		else
			*++last = *next;
	}
	if (ranges->nr)
		ranges->nr = last + 1 - ranges->range;
}

/* Add the ranges of the lines, see bts_add_line(), and set @ranges to all of them */
static int bts_finish_ranges(struct bts_range_list *list, struct trace_array *tr,
			     const char *only, struct bts_ranges **ranges)
{
	/* Lines that name no loaded code have no range */
	if (!list->ranges)
		list->ranges = kvzalloc(sizeof(*list->ranges), GFP_KERNEL);
	if (!list->ranges || bts_add_lines(list, tr, only)) {
		kvfree(list->ranges);
		return -ENOMEM;
	}
	bts_sort_ranges(list->ranges);
	*ranges = list->ranges;
	return 0;
}

/**
 * bts_find_ranges - find the code whose branches an instance records
 * @tr: the instance
 * @ranges: set to the ranges, which the caller frees, or to NULL for all code
 *
 * The caller holds trace_types_lock. May sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int bts_find_ranges(struct trace_array *tr, struct bts_ranges **ranges)
{
	struct bts_range_list list = { };

	*ranges = NULL;
	return tr->bts_range ? bts_finish_ranges(&list, tr, NULL, ranges) : 0;
}

static int bts_range_err(struct trace_array *tr, const char *line, u8 err, u16 pos)
{
	tracing_log_err(tr, "bts_range", line, bts_range_errs, err, pos);
	return -EINVAL;
}

/* Check a line that is new. The functions of a module need not be loaded yet */
static int bts_check_line(struct trace_array *tr, const char *line)
{
	struct bts_range_list list = { };
	char *copy = kstrdup(line, GFP_KERNEL);
	int ret = copy ? bts_add_line(&list, copy, NULL) : -ENOMEM;

	kfree(copy);
	if (!ret && !list.ranges && !strchr(line, ':'))
		ret = 1 + BTS_RANGE_ERR_NO_FUNCTION;
	kvfree(list.ranges);
	if (ret <= 0)
		return ret;
	return bts_range_err(tr, line, ret - 1, ret == 1 + BTS_RANGE_ERR_MOD ?
			     strchr(line, ':') - line : 0);
}

/* Find a line in @text, whose lines end with '\n' */
static char *bts_find_line(char *text, const char *line)
{
	size_t len = strlen(line);

	for (; *text; text = strchr(text, '\n') + 1) {
		if (!strncmp(text, line, len) && text[len] == '\n')
			return text;
	}
	return NULL;
}

/* Add @line to the lines @text, or remove it if it begins with "!" */
static int bts_apply_line(struct trace_array *tr, char *text, char *line)
{
	bool remove = *line == '!';
	char *name = remove ? skip_spaces(line + 1) : line;
	char *set = bts_find_line(text, name);
	size_t len = strlen(text);
	int ret;

	if (remove) {
		if (!set)
			return bts_range_err(tr, line, BTS_RANGE_ERR_NOT_SET, 0);
		memmove(set, set + strlen(name) + 1, strlen(set + strlen(name) + 1) + 1);
		return 0;
	}
	if (set)
		return 0;
	ret = bts_check_line(tr, line);
	if (ret)
		return ret;
	if (len + strlen(line) + 2 > BTS_RANGE_MAX_TEXT)
		return bts_range_err(tr, "(a line)", BTS_RANGE_ERR_TOO_MANY, 0);
	sprintf(text + len, "%s\n", line);
	return 0;
}

/* The branches so far belong to the old ranges */
static void bts_use_ranges(struct bts_instance *inst, struct bts_ranges *ranges)
{
	struct bts_ranges *old = inst->ranges;

	inst->ops->drain();
	WRITE_ONCE(inst->ranges, ranges);
	kvfree_rcu(old, rcu);
}

/* Set the lines @text. If this fails, nothing changes */
static int bts_set_lines(struct trace_array *tr, char *text)
{
	struct bts_instance *inst = bts_instance(tr);
	struct bts_ranges *ranges;
	char *old = tr->bts_range;
	int ret;

	tr->bts_range = text;
	ret = inst ? bts_find_ranges(tr, &ranges) : 0;
	if (ret) {
		tr->bts_range = old;
		return ret;
	}
	kfree(old);
	if (inst) {
		bts_use_ranges(inst, ranges);
		bts_change();
	}
	return 0;
}

/* Apply the lines @lines; either all of them take effect, or none */
static int bts_write_lines(struct trace_array *tr, char *lines, bool replace)
{
	char *text __free(kvfree) = kvzalloc(BTS_RANGE_MAX_TEXT, GFP_KERNEL);
	char *line, *set = NULL;
	int ret = 0;

	if (!text)
		return -ENOMEM;
	guard(mutex)(&trace_types_lock);
	if (tr->bts_range && !replace)
		strscpy(text, tr->bts_range, BTS_RANGE_MAX_TEXT);
	while (!ret && (line = strsep(&lines, "\n"))) {
		line = strim(line);
		if (*line && *line != '#')
			ret = bts_apply_line(tr, text, line);
	}
	if (ret)
		return ret;
	if (*text) {
		set = kstrdup(text, GFP_KERNEL);
		if (!set)
			return -ENOMEM;
	}
	ret = bts_set_lines(tr, set);
	if (ret)
		kfree(set);
	return ret;
}

#ifdef CONFIG_MODULES

/*
 * Find the ranges of an instance again, because the module @mod comes, or goes if @going is set:
 * keep the ranges of other code, and add those of the module. A module that goes because another
 * notifier has refused it still has the state of a module that comes
 */
static int bts_find_module_ranges(struct bts_instance *inst, const struct module *mod, bool going,
				  struct bts_ranges **ranges)
{
	struct bts_range_list list = { .gone = going ? mod : NULL };
	struct bts_range *range;
	unsigned int i;
	int ret = 0;

	/* The range of a line with addresses may have been joined with a function of the module */
	if (strstarts(inst->tr->bts_range, "0x") || strstr(inst->tr->bts_range, "\n0x"))
		return bts_finish_ranges(&list, inst->tr, NULL, ranges);
	for (i = 0; !ret && i < inst->ranges->nr; i++) {
		range = &inst->ranges->range[i];
		if (!within_module(range->begin, mod))
			ret = bts_add_range(&list, range->begin, range->end);
	}
	if (!ret)
		return bts_finish_ranges(&list, inst->tr, mod->name, ranges);
	kvfree(list.ranges);
	return ret;
}

/*
 * Lines may name functions of a module that comes, other code may get the addresses of a module
 * that goes, and the init code of a module that is live is about to be freed
 */
static int bts_range_notify(struct notifier_block *nb, unsigned long state, void *mod)
{
	bool going = state == MODULE_STATE_GOING;
	struct bts_instance *inst;
	struct bts_ranges *ranges;
	struct trace_array *tr;

	guard(mutex)(&trace_types_lock);
	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		inst = bts_instance(tr);
		/* Without memory, the old addresses stay */
		if (inst && inst->ranges && !bts_find_module_ranges(inst, mod, going, &ranges))
			bts_use_ranges(inst, ranges);
	}
	return NOTIFY_OK;
}

static struct notifier_block bts_range_nb = {
	.notifier_call = bts_range_notify,
};

static __init int bts_watch_range(void)
{
	return register_module_notifier(&bts_range_nb);
}
core_initcall(bts_watch_range);

#endif /* CONFIG_MODULES */

static int bts_range_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;

	guard(mutex)(&trace_types_lock);
	seq_puts(m, tr->bts_range ?: "#### all code ####\n");
	return 0;
}

/* The state of a file that is open for writing: what the next write does */
enum bts_range_write {
	/* It adds lines */
	BTS_RANGE_ADD,
	/* It replaces the lines, which are removed if there is no write */
	BTS_RANGE_REPLACE,
	/* It replaces the lines; the last write was refused */
	BTS_RANGE_REFUSED,
};

static int bts_range_open(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	int ret = tracing_check_open_get_tr(tr);

	if (ret)
		return ret;
	/* private_data can hold only the state of a reader or the state of a writer */
	if (filp->f_mode & FMODE_WRITE && filp->f_mode & FMODE_READ)
		ret = -EINVAL;
	else if (filp->f_mode & FMODE_READ)
		ret = single_open(filp, bts_range_show, tr);
	else
		filp->private_data = (void *)(long)(filp->f_flags & O_TRUNC ?
						    BTS_RANGE_REPLACE : BTS_RANGE_ADD);
	if (ret)
		trace_array_put(tr);
	return ret;
}

static ssize_t bts_range_write(struct file *filp, const char __user *ubuf, size_t cnt,
			       loff_t *ppos)
{
	struct trace_array *tr = file_inode(filp)->i_private;
	bool add = filp->private_data == (void *)BTS_RANGE_ADD;
	char *text;
	int ret;

	if (cnt >= BTS_RANGE_MAX_TEXT)
		return bts_range_err(tr, "(a line)", BTS_RANGE_ERR_TOO_MANY, 0);
	text = memdup_user_nul(ubuf, cnt);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (strlen(text) < cnt)
		ret = bts_range_err(tr, text, BTS_RANGE_ERR_NUL, strlen(text));
	else
		ret = bts_write_lines(tr, text, !add);
	kfree(text);
	if (!add)
		filp->private_data = (void *)(long)(ret ? BTS_RANGE_REFUSED : BTS_RANGE_ADD);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

static int bts_range_release(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	char nothing[] = "";

	if (filp->f_mode & FMODE_READ)
		single_release(inode, filp);
	else if (filp->private_data == (void *)BTS_RANGE_REPLACE)
		bts_write_lines(tr, nothing, true);
	trace_array_put(tr);
	return 0;
}

static const struct file_operations bts_range_fops = {
	.open		= bts_range_open,
	.read		= seq_read,
	.write		= bts_range_write,
	.llseek		= tracing_lseek,
	.release	= bts_range_release,
};

/**
 * bts_range_init_tracefs - create the file of a trace instance
 * @tr: the trace instance
 * @parent: its directory
 */
void bts_range_init_tracefs(struct trace_array *tr, struct dentry *parent)
{
	if (bts_tracer_present() || IS_ENABLED(CONFIG_STEP_TRACER))
		trace_create_file("bts_range", TRACE_MODE_WRITE, parent, tr, &bts_range_fops);
}

/**
 * bts_range_remove - free the lines of a trace instance that is removed
 * @tr: the trace instance, which has no tracer
 */
void bts_range_remove(struct trace_array *tr)
{
	kfree(tr->bts_range);
	tr->bts_range = NULL;
}
