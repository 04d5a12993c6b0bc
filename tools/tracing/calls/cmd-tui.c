// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls tui: the graph in the terminal
 *
 * The recording is read once, and the terminal shows what was read so far: the function that gets
 * a call also looks for keys.  The calls are in an array, each caller before its callees, so
 * the callees of call i are the calls from i + 1 to i + nr - 1.  The rows are the indexes of
 * the calls that are shown.  Text is made only for the rows on the screen.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

/* Only the functions with a window and without macros are used */
#define NCURSES_WIDECHAR	1
#define NCURSES_NOMACROS	1
#include <ncurses.h>

#include <linux/bts_trace.h>

#include "../../../kernel/trace/bts/codec.h"
#include "../traceevent/bts_event.h"
#include "arrays.h"
#include "branches.h"
#include "graph.h"

#define NO_CALL		UINT32_MAX

/* Calls between two looks at the keyboard, and nanoseconds between two pictures */
#define WORK_CALLS	0x1000
#define DRAW_TIME	100000000ULL

/* Maximum records from the first branch of a block on: bts_write() of the kernel gets no more */
#define BLOCK_RECORDS	0x10000

/* Minimum lines of the terminal for the second pane, and minimum columns for the tasks */
#define PANE_LINES	14
#define TASK_COLUMNS	100

#define KEY_CTRL(c)	((c) & 0x1f)
#define KEY_ESC		0x1b

/* Pairs of colours */
enum {
	COLOUR_PLAIN,
	COLOUR_ERROR,
	COLOUR_EVENT,
};

/* How a call is shown */
enum {
	SHOW_OPEN	= 1,	/* The callees are shown */
	SHOW_KEPT	= 2,	/* They were shown before there was a filter */
	SHOW_MATCH	= 4,	/* The call passes the filter */
	SHOW_BELOW	= 8,	/* A callee passes the filter */
	SHOW_AUTO	= 16,	/* The callees are shown because one of them passes */
};

/**
 * struct tui_call - a call or an event
 * @call: the call
 * @task: the task
 * @caller: the index of the caller, NO_CALL if it is not recorded
 * @nr: number of the calls in the call, with the call itself
 * @show: how the call is shown
 */
struct tui_call {
	struct graph_call	*call;
	struct task		*task;
	u32			caller;
	u32			nr;
	u8			show;
};

/**
 * struct tui_block - a block of branches
 * @cpu: the CPU
 * @pid: the task
 * @block: the fields and a copy of the data
 */
struct tui_block {
	int			cpu;
	int			pid;
	struct bts_block	block;
};

static struct calls calls;
static struct tui_block *blocks;
static unsigned int nr_blocks;
static struct tui_call *all;
static unsigned int nr_all;
static u32 *rows;
static unsigned int nr_rows;
static size_t rows_room;

/* The selected call, the first row on the screen, and columns that are left out */
static u32 current;
static unsigned int top, skipped;
static bool changed, loading, quit, coloured, pane = true, help;
static unsigned int pane_top;
static u64 drawn;

/* The filter, the search, and number of the calls that the filter was asked about */
static struct filter *wanted, *search;
static unsigned int nr_asked;

/* What is typed: '/', 'f' or '@', 0 if nothing is typed; and the call where it began */
static int typing;
static char typed[256], filter_text[256], status[256];
static u32 typed_from;

/* Messages go to @messages while the terminal shows the calls, and to @errors at the end */
static int messages, errors;

static const char hint[] =
	"h: help  q: quit  enter: callees  /: search  f: filter  e: error  c: caller  @: time";

static const char keys[] =
	"up, down, page up, page down, home, end   move\n"
	"enter, space    show or hide the callees\n"
	"right, left     show the callees; hide them, or go to the caller\n"
	"*, -            show all callees of callees; hide all callees of the recording\n"
	"f               filter while one types, as with -f; an empty filter shows all calls\n"
	"/, n, N         search while one types; the next and the previous call found\n"
	"e, E            the next and the previous call that returned an error\n"
	"s, S            the next and the previous call of the same function\n"
	"c               the caller\n"
	"@               the first call from a time on, in seconds; +SECONDS or -SECONDS from\n"
	"                the selected call\n"
	"<, >            move the text to the left and to the right\n"
	"tab, [, ]       the second pane: show or hide it, and scroll it\n"
	"h, q            this help; quit\n"
	"\n"
	"A filter or a search is \"GLOB: CONDITION\". A word alone is a part of a function's\n"
	"name. + marks a call with hidden callees, - a call with shown callees, ! an error.\n";

static bool tui_set_option(int option, const char *value)
{
	switch (option) {
	case 'f':
		filters_free(wanted);
		wanted = filter_add(NULL, value);
		snprintf(filter_text, sizeof(filter_text), "%s", value);
		return !!wanted;
	case 'k':
		images_name(value);
		return true;
	}
	return false;
}

static const struct choice choices[] = {
	{ 'k', "vmlinux", "FILE", "the recorded kernel's vmlinux, or a module of it, for\n"
	  "lines of source; may be given several times" },
	{ 's', "source", "DIR", "show the text of source lines; DIR is the folder of the\n"
	  "source from which the kernel was built", .text = &branches_choice.source },
	{ }
};

static struct options options = {
	.usage = "tui [OPTIONS] [FILE]\n\n"
		 "Show the calls of each task as a graph in the terminal, which can be folded,\n"
		 "searched and filtered. The key h shows all keys.\n",
	.choices = choices,
	.filters_help = "  -f, --filter FILTER  begin with this filter, '[GLOB:] CONDITION'\n",
	.set = tui_set_option,
	.terminal = true,
};

/*
 * The calls
 */

static bool is_event(const struct tui_call *each)
{
	return each->call->node.depth == TREE_EVENT;
}

/* Add a call and its callees */
static void add_call(struct task *task, struct graph_call *call, u32 caller)
{
	struct tui_call *each = array_add(&all, &nr_all, sizeof(*each));
	u32 index = nr_all - 1;
	struct tree_node *node;

	*each = (struct tui_call){ .call = call, .task = task, .caller = caller };
	for (node = call->node.callees; node; node = node->next)
		add_call(task, graph_call_of(node), index);
	all[index].nr = nr_all - index;
}

/* Take the calls of a task that have ended from the task's tree */
static void add_tree(struct calls *from, struct task *task)
{
	unsigned int i;

	for (i = 0; i < task->nr_callees; i++) {
		if (task->callees[i].node)
			add_call(task, graph_call_of(task->callees[i].node), NO_CALL);
		task->callees[i].node = NULL;
	}
	task->nr_nodes = 0;
	changed = true;
}

static const struct sig_func *find_func(const struct graph_call *call)
{
	/* This invalidates functions that were found before */
	sigs_trim(calls.sigs);
	return sigs_find(calls.sigs, call->call.func, call->set);
}

/* Make the span of a call again, for filters and values. Returns false if this is no call. */
static bool find_span(const struct tui_call *each, struct span *span)
{
	const struct graph_call *call = each->call;
	const struct sig_func *func = is_event(each) ? NULL : find_func(call);

	if (!func)
		return false;
	*span = (struct span){
		.calls		= &calls,
		.task		= each->task,
		.func		= func,
		.set		= call->set,
		.lost		= call->lost,
		.cpu		= call->cpu,
		.depth		= call->node.depth,
		.begin		= call->node.begin,
		.duration	= call->call.duration,
		.self		= call->self,
		.caller		= call->call.parent,
		.call		= call->call,
		.has_args	= call->has_args,
		.has_ret	= call->lost != SPAN_NO_END && call->call.nr_regs && func->sig &&
				  !func->is_void,
		.has_changed	= call->lost != SPAN_NO_END && call->call.results.size &&
				  func->sig,
		.error		= call->error,
	};
	return true;
}

static bool passes(struct filter *filters, u32 index)
{
	struct span span;

	return find_span(&all[index], &span) && filters_pass(filters, &span);
}

/* Let a filter apply to all calls; NULL shows all calls again */
static void set_filter(struct filter *new)
{
	bool had = wanted;
	u8 *show;
	u32 i;

	for (i = 0; i < nr_all; i++) {
		show = &all[i].show;
		if (!had)
			*show = *show & SHOW_OPEN ? SHOW_KEPT : 0;
		else
			*show &= SHOW_KEPT;
		if (!new)
			*show = *show & SHOW_KEPT ? SHOW_OPEN : 0;
	}
	filters_free(wanted);
	wanted = new;
	nr_asked = 0;
	changed = true;
}

/* Ask the filter about some of the calls */
static void work(void)
{
	u32 end = min(nr_asked + WORK_CALLS, nr_all), i;

	for (; wanted && nr_asked < end; nr_asked++) {
		if (!passes(wanted, nr_asked))
			continue;
		all[nr_asked].show |= SHOW_MATCH;
		for (i = all[nr_asked].caller; i != NO_CALL; i = all[i].caller) {
			if (all[i].show & SHOW_BELOW)
				break;
			all[i].show |= SHOW_BELOW | SHOW_OPEN | SHOW_AUTO;
		}
		changed = true;
	}
}

static void find_rows(void)
{
	u32 inside = 0, i, next;
	unsigned int nr = 0;
	u8 show;

	rows = array_grow(rows, &rows_room, nr_all, sizeof(*rows));
	for (i = 0; i < nr_all; i = next) {
		show = all[i].show;
		next = i + all[i].nr;
		if (wanted && i >= inside && !(show & (SHOW_MATCH | SHOW_BELOW)))
			continue;
		rows[nr++] = i;
		if (show & SHOW_OPEN) {
			/* The user wants to see all callees of this call */
			if (!(show & SHOW_AUTO))
				inside = max(inside, next);
			next = i + 1;
		}
	}
	nr_rows = nr;
	changed = false;
}

/* Find the row of the selected call, or of its caller if the call is hidden */
static unsigned int current_row(void)
{
	unsigned int low = 0, high = nr_rows, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (rows[middle] <= current)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

static void select_row(long row)
{
	row = min_t(long, max_t(long, row, 0), (long)nr_rows - 1);
	if (row >= 0)
		current = rows[row];
	pane_top = 0;
}

/* Select a call, and show the callees of its callers */
static void go_to(u32 index)
{
	u32 i;

	current = index;
	pane_top = 0;
	for (i = all[index].caller; i != NO_CALL; i = all[i].caller)
		if (!(all[i].show & SHOW_OPEN))
			all[i].show |= SHOW_OPEN | (wanted ? SHOW_AUTO : 0);
	changed = true;
}

/* Whether a call passes the filter, which may not have been asked about the call yet */
static bool is_wanted(u32 index)
{
	while (wanted && nr_asked <= index)
		work();
	return !wanted || all[index].show & SHOW_MATCH;
}

static bool is_found(u32 index, int what)
{
	const struct tui_call *each = &all[index];

	if (!is_wanted(index))
		return false;
	switch (what) {
	case 'e':
		return each->call->error;
	case 's':
		return !is_event(each) && each->call->call.func == all[current].call->call.func;
	default:
		return passes(search, index);
	}
}

/* Go to the next or the previous call of a kind. Returns false if there is none. */
static bool find(u32 from, int step, int what)
{
	s64 i;

	for (i = (s64)from; i >= 0 && i < nr_all; i += step) {
		if (!is_found(i, what))
			continue;
		go_to(i);
		return true;
	}
	snprintf(status, sizeof(status), "no %s call%s", step > 0 ? "later" : "earlier",
		 loading ? " yet" : "");
	return false;
}

static void go_to_time(const char *text)
{
	u64 time = 0, begin, best = ~0ULL;
	bool relative = *text == '+' || *text == '-';
	u32 i, found = NO_CALL;

	if (!*text || *graph_time(text + relative, graph_unit(&calls), &time)) {
		snprintf(status, sizeof(status), "no time in seconds: %s", text);
		return;
	}
	begin = all[current].call->begin;
	if (relative)
		time = *text == '+' ? begin + time : begin - min(begin, time);
	for (i = 0; i < nr_all; i++) {
		begin = all[i].call->begin;
		if (begin < time || begin >= best || !is_wanted(i))
			continue;
		best = begin;
		found = i;
	}
	if (found == NO_CALL)
		snprintf(status, sizeof(status), "no call from this time on");
	else
		go_to(found);
}

/*
 * The screen
 */

/* Write the part of a text that fits, with its last column at @end */
static void put_text(int y, int x, int end, unsigned int skip, const char *text, size_t len)
{
	const char *stop = text + len;
	mbstate_t state = { };
	wchar_t c;
	size_t nr;
	int width;

	move(y, x);
	for (; text < stop && x < end; text += nr) {
		nr = mbrtowc(&c, text, stop - text, &state);
		if (!nr || nr > stop - text) {
			memset(&state, 0, sizeof(state));
			c = '?';
			nr = 1;
		}
		width = wcwidth(c);
		if (width < 0) {
			c = '?';
			width = 1;
		}
		if (skip) {
			skip -= min_t(unsigned int, skip, width);
			continue;
		}
		if (x + width > end)
			break;
		addnwstr(&c, 1);
		x += width;
	}
}

static void put_string(int y, const char *text)
{
	put_text(y, 0, COLS, 0, text, strlen(text));
}

/* Write the text of a call: in one line, with its arguments and results */
static void put_call(const struct tui_call *each)
{
	struct graph_call *call = each->call;
	struct graph_line line = { .args = call->has_args };
	int depth;

	if (each->task->buffer->name)
		out_printf("%s: ", each->task->buffer->name);
	if (COLS >= TASK_COLUMNS)
		out_task(&calls, each->task, call->cpu);
	if (is_event(each)) {
		depth = each->caller != NO_CALL ? all[each->caller].call->node.depth + 1 : 0;
		out_event_line(call->data, depth);
		return;
	}
	line.func = find_func(call);
	if (!line.func)
		return;
	call->call.depth = call->node.depth;
	line.entry = call->lost == SPAN_NO_BEGIN ? NULL : &call->call;
	line.exit = call->lost == SPAN_NO_END ? NULL : &call->call;
	line.lost = call->lost == SPAN_NO_BEGIN;
	out_line(calls.sigs, &line);
}

static void draw_row(int y, u32 index)
{
	const struct tui_call *each = &all[index];
	int attributes = index == current ? A_REVERSE : 0;
	const char *text;
	size_t size;

	if (wanted && each->show & SHOW_MATCH)
		attributes |= A_BOLD;
	if (coloured && each->call->error)
		attributes |= COLOR_PAIR(COLOUR_ERROR);
	else if (coloured && is_event(each))
		attributes |= COLOR_PAIR(COLOUR_EVENT);
	attrset(attributes);
	out_capture();
	out_puts(each->nr == 1 ? " " : each->show & SHOW_OPEN ? "-" : "+");
	out_puts(each->call->error ? "!" : " ");
	put_call(each);
	text = out_captured(&size);
	put_text(y, 0, COLS, skipped, text, size ? size - 1 : 0);
	if (index == current)
		hline(' ' | attributes, max(COLS - getcurx(stdscr), 0));
	attrset(0);
}

static unsigned int put_values(const struct values *values, unsigned int i, int depth)
{
	const struct item *item;
	unsigned int number = 0;

	while (i < values->nr && values->items[i].kind != ITEM_END) {
		item = &values->items[i++];
		out_write("                ", 2 * min(depth, 8));
		if (item->len)
			out_write(item->name, item->len);
		else
			out_printf(depth ? "[%u]" : "ret", number);
		number++;
		if (item->kind == ITEM_VALUE) {
			out_puts(" = ");
			out_write(item->value.text ?: "?", item->value.text ? item->value.len : 1);
			out_puts("\n");
			continue;
		}
		out_puts("\n");
		i = put_values(values, i, depth + 1) + 1;
	}
	return i;
}

static void put_list(const char *title, const struct values *values)
{
	if (!values || !values->nr)
		return;
	out_puts(title);
	put_values(values, 0, !!*title);
}

/* Find vmlinux and the symbols when they are needed first. Returns false if there are none. */
static bool find_images(void)
{
	static int known = -1;

	if (known < 0)
		known = images_open(calls.tep, calls.file) &&
			places_init(calls.tep, true);
	return known;
}

/* Write the line of source of an address if a vmlinux or a module has the line */
static void put_source(const char *title, u64 addr)
{
	struct place *place = find_images() && addr ? place_find(addr) : NULL;
	const char *source;

	source = place ? place_source(place) : NULL;
	if (!source)
		return;
	out_printf("%s%s\n", title, source);
}

/*
 * Write the branches that the code of the call's function took during the call.  Code of callees
 * and of ftrace is in other functions.
 */
static void put_branches(const struct tui_call *each)
{
	const u64 mask = (1ULL << BTS_NUMBER_BITS) - 1, flags = BTS_NUMBER_LATE | BTS_NUMBER_IDLE;
	u64 first = each->call->number, last = each->call->call.number, number;
	int cpu = first >> BTS_NUMBER_BITS;
	const struct tui_block *block;
	struct bts_decoder decoder;
	struct branch branch;
	unsigned int nr = 0;
	char text[256];

	/* The numbers have to be those of one CPU at the begin and at the end of the call */
	if (!first || !last || (first | last) & flags || cpu != last >> BTS_NUMBER_BITS ||
	    !find_images())
		return;
	first &= mask;
	last &= mask;
	for (block = blocks; block < blocks + nr_blocks; block++) {
		number = block->block.number & mask;
		if (block->cpu != cpu || block->pid != each->task->pid || !number ||
		    number >= last || number + BLOCK_RECORDS <= first)
			continue;
		bts_block_start(&block->block, &decoder);
		/* Records that the instance did not want have numbers, too */
		while (bts_decode(&decoder) == 1) {
			if (number + decoder.at < first || number + decoder.at >= last)
				continue;
			branch_find(&branch, decoder.from, decoder.to);
			if (!branch.from->func ||
			    branch.from->func != find_func(each->call)->start)
				continue;
			out_printf("%s  %s -> ", nr++ ? "" : "branches of the function\n",
				   place_text(branch.from, false, text, sizeof(text)));
			out_printf("%s  %s\n", place_text(branch.to, true, text, sizeof(text)),
				   place_source(branch.from) ?: "");
		}
	}
}

static void put_time(const char *title, u64 time)
{
	out_printf("%s%llu.%09llu", title, (unsigned long long)time / 1000000000,
		   (unsigned long long)time % 1000000000);
}

/* Write the time of an event */
static void put_stamp(const char *title, u64 time)
{
	if (calls.clock == CLOCK_COUNTS)
		out_printf("%s%llu", title, (unsigned long long)time);
	else
		put_time(title, time);
}

/* Write what is known about the selected call */
static void put_details(const struct tui_call *each)
{
	const struct graph_call *call = each->call;
	struct span span;
	const char *name;
	u64 start;

	if (!find_span(each, &span)) {
		put_stamp("at ", call->begin);
		out_printf("\n%s\n", call->data);
		return;
	}
	put_source("source: ", call->call.func);
	out_printf("task %s-%d, CPU %d", task_comm(&calls, each->task), each->task->pid, call->cpu);
	if (call->end_cpu != call->cpu && call->lost == SPAN_WHOLE)
		out_printf(" to %d", call->end_cpu);
	put_stamp(", begin ", call->begin);
	if (call->lost != SPAN_NO_END) {
		put_time(", duration ", call->call.duration);
		put_time(", self ", call->self);
	}
	out_puts(call->lost == SPAN_NO_END ? ", no exit\n" :
		 call->lost == SPAN_NO_BEGIN ? ", no entry\n" : "\n");
	if (span.caller) {
		name = sigs_find_caller(calls.sigs, span.caller, &start);
		out_printf("caller: %s+0x%llx\n", name ?: "?",
			   (unsigned long long)(span.caller - (name ? start : 0)));
		put_source("called from: ", span.caller - 1);
	}
	put_list("arguments\n", span_args(&span));
	put_list("", span_ret(&span));
	if (span.error)
		out_printf("error %s\n", errname(span.error) ?: "?");
	put_list("changed values\n", span_changed(&span));
	put_branches(each);
}

/* Draw lines of text from line @skip on. Returns number of all lines. */
static unsigned int draw_lines(int y, int end, unsigned int skip, const char *text, size_t size)
{
	const char *stop = text + size, *next;
	unsigned int nr;

	for (nr = 0; text < stop; nr++, text = next + 1) {
		next = memchr(text, '\n', stop - text) ?: stop;
		if (nr >= skip && y < end)
			put_text(y++, 0, COLS, 0, text, next - text);
	}
	return nr;
}

static void draw_pane(int y, int end)
{
	const char *name, *text;
	unsigned int nr;
	struct span span;
	size_t size;

	name = find_span(&all[current], &span) ? func_name(span.func) : "event";
	attrset(A_REVERSE);
	hline(' ' | A_REVERSE, COLS);
	put_text(y, 0, COLS, 0, name, strlen(name));
	attrset(0);
	out_capture();
	put_details(&all[current]);
	text = out_captured(&size);
	nr = draw_lines(y + 1, end, pane_top, text, size);
	/* Do not scroll beyond the end */
	if (pane_top && nr - min(nr, pane_top) < 1)
		pane_top = nr ? nr - 1 : 0;
}

static void draw_head(void)
{
	char text[512];

	snprintf(text, sizeof(text), "%s: %u calls and events%s%s", calls.file, nr_all,
		 wanted ? ", filter " : "", wanted ? filter_text : "");
	attrset(A_REVERSE);
	move(0, 0);
	hline(' ' | A_REVERSE, COLS);
	put_string(0, text);
	if (loading || (wanted && nr_asked < nr_all))
		snprintf(text, sizeof(text), " %s %u %% ", loading ? "reading" : "filtering",
			 (unsigned int)(loading ? calls.done * 100 / max_t(u64, calls.size, 1) :
					nr_asked * 100ULL / nr_all));
	else
		snprintf(text, sizeof(text), " %u of %u rows ",
			 nr_rows ? current_row() + 1 : 0, nr_rows);
	if (strlen(text) < COLS)
		put_text(0, COLS - strlen(text), COLS, 0, text, strlen(text));
	attrset(0);
}

static void draw_status(void)
{
	char text[512];

	if (typing) {
		snprintf(text, sizeof(text), "%s%s%s%s", typing == 'f' ? "filter: " :
			 typing == '@' ? "time: " : "search: ", typed, *status ? "   " : "",
			 status);
		put_string(LINES - 1, text);
		move(LINES - 1, min_t(int, strcspn(text, ":") + 2 + strlen(typed), COLS - 1));
	} else {
		put_string(LINES - 1, *status ? status : hint);
	}
	curs_set(!!typing);
}

/* Number of lines of the second pane, with its title */
static int pane_lines(void)
{
	return pane && LINES >= PANE_LINES ? LINES * 2 / 5 : 0;
}

/* Number of rows on the screen. The first line is the head, the last line the status. */
static int screen_rows(void)
{
	return max(LINES - 2 - pane_lines(), 1);
}

static void draw(void)
{
	int end = screen_rows(), i;
	unsigned int row;

	if (changed)
		find_rows();
	row = current_row();
	if (nr_rows)
		current = rows[row];
	top = min_t(unsigned int, top, row);
	if (row - top >= end)
		top = row - end + 1;
	erase();
	if (help) {
		draw_lines(0, LINES, 0, keys, sizeof(keys) - 1);
	} else {
		if (LINES > 1)
			draw_head();
		for (i = 0; i < end && top + i < nr_rows; i++)
			draw_row(i + (LINES > 1), rows[top + i]);
		if (pane_lines() && nr_rows) {
			move(end + 1, 0);
			draw_pane(end + 1, LINES - 1);
		}
		if (LINES > 2)
			draw_status();
	}
	refresh();
	drawn = time_now();
}

/*
 * The keys
 */

/* Parse a filter. A word alone is a part of a function's name. Returns NULL after a message. */
static struct filter *parse(const char *text)
{
	off_t end = lseek(STDERR_FILENO, 0, SEEK_END);
	const char *end_of_word;
	struct filter *new;
	char glob[300];
	ssize_t len;

	snprintf(glob, sizeof(glob), "*%s*:", text);
	for (end_of_word = text; isalnum((u8)*end_of_word) || strchr("_.*?", *end_of_word ?: ' '); )
		end_of_word++;
	new = filter_add(NULL, *end_of_word ? text : glob);
	if (new)
		return new;
	/* The message is shown while one types, and not at the end */
	len = pread(STDERR_FILENO, status, sizeof(status) - 1, end);
	status[max_t(ssize_t, len, 0)] = '\0';
	status[strcspn(status, "\n")] = '\0';
	/* Leave the name of the program out */
	memmove(status, status + strlen(program), strlen(status + strlen(program)) + 1);
	if (!ftruncate(STDERR_FILENO, end))
		lseek(STDERR_FILENO, end, SEEK_SET);
	return NULL;
}

/* Use what is typed so far */
static void use_typed(void)
{
	struct filter *new = NULL;

	*status = '\0';
	if (typing == '@' || !nr_all)
		return;
	if (*typed) {
		new = parse(typed);
		if (!new)
			return;
	}
	if (typing == 'f') {
		set_filter(new);
		snprintf(filter_text, sizeof(filter_text), "%s", typed);
		return;
	}
	filters_free(search);
	search = new;
	if (!search || !find(typed_from, 1, 'n'))
		go_to(typed_from);
}

static void type(int key)
{
	size_t len = strlen(typed);

	switch (key) {
	case KEY_ESC:
		*typed = '\0';
		if (typing == 'f')
			use_typed();
		typing = 0;
		return;
	case '\r':
	case '\n':
	case KEY_ENTER:
		if (typing == '@')
			go_to_time(typed);
		typing = 0;
		return;
	case KEY_BACKSPACE:
	case 0x7f:
	case '\b':
		while (len && (typed[--len] & 0xc0) == 0x80)
			;
		typed[len] = '\0';
		break;
	case KEY_CTRL('u'):
		*typed = '\0';
		break;
	default:
		if (key < ' ' || key > 0xff || len + 1 >= sizeof(typed))
			return;
		typed[len] = key;
		typed[len + 1] = '\0';
	}
	use_typed();
}

static void begin_typing(int key)
{
	typing = key;
	typed_from = current;
	snprintf(typed, sizeof(typed), "%s", key == 'f' ? filter_text : "");
}

/* Show or hide the callees of a call */
static void set_open(u32 index, bool open)
{
	all[index].show &= ~(SHOW_OPEN | SHOW_AUTO);
	all[index].show |= open ? SHOW_OPEN : 0;
	changed = true;
}

static void open_all(u32 from, u32 nr, bool open)
{
	u32 i;

	for (i = from; i < from + nr; i++)
		set_open(i, open);
}

static void handle_call_key(int key)
{
	struct tui_call *each = &all[current];
	bool open = each->show & SHOW_OPEN;
	int step = key >= 'a' ? 1 : -1;

	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
	case ' ':
		set_open(current, !open);
		break;
	case KEY_RIGHT:
		set_open(current, true);
		break;
	case KEY_LEFT:
		if (open && each->nr > 1) {
			set_open(current, false);
			break;
		}
		fallthrough;
	case 'c':
		if (each->caller != NO_CALL)
			go_to(each->caller);
		else
			snprintf(status, sizeof(status), "no caller");
		break;
	case '*':
		open_all(current, each->nr, true);
		break;
	case '-':
		open_all(0, nr_all, false);
		break;
	case 'e':
	case 'E':
	case 's':
	case 'S':
	case 'n':
	case 'N':
		if (search || tolower(key) != 'n')
			find(current + step, step, tolower(key));
		break;
	case '/':
	case '@':
	case 'f':
		begin_typing(key);
		break;
	}
}

static void handle_key(int key)
{
	int page = max(screen_rows() - 1, 1);
	long row;

	if (key == KEY_RESIZE)
		return;
	if (help) {
		help = false;
		return;
	}
	if (typing) {
		type(key);
		return;
	}
	*status = '\0';
	if (changed)
		find_rows();
	row = current_row();
	switch (key) {
	case 'q':
		quit = true;
		calls.enough = true;
		break;
	case 'h':
	case '?':
		help = true;
		break;
	case KEY_UP:
	case 'k':
		select_row(row - 1);
		break;
	case KEY_DOWN:
	case 'j':
		select_row(row + 1);
		break;
	case KEY_PPAGE:
		select_row(row - page);
		break;
	case KEY_NPAGE:
		select_row(row + page);
		break;
	case KEY_HOME:
	case 'g':
		select_row(0);
		break;
	case KEY_END:
	case 'G':
		select_row(LONG_MAX);
		break;
	case '>':
		skipped += 8;
		break;
	case '<':
		skipped -= min(skipped, 8U);
		break;
	case '\t':
		pane = !pane;
		break;
	case '[':
		pane_top -= !!pane_top;
		break;
	case ']':
		pane_top++;
		break;
	default:
		if (nr_all)
			handle_call_key(key);
	}
}

/* Wait for a key, and handle it. Ends the command if the terminal is gone. */
static void wait_for_key(void)
{
	int key;

	timeout(-1);
	errno = 0;
	key = getch();
	if (key != ERR) {
		handle_key(key);
	} else if (errno != EINTR) {
		complain("the terminal is gone");
		calls.failed = true;
	}
}

/* Handle the keys that wait, and draw what has changed */
static void look(void)
{
	bool pressed = false;
	int key;

	timeout(0);
	while (!quit && (key = getch()) != ERR) {
		handle_key(key);
		pressed = true;
	}
	work();
	if (pressed || time_now() - drawn > DRAW_TIME)
		draw();
}

static void tui_end_call(struct calls *from, struct span *span, struct open *open)
{
	static unsigned int nr;

	graph_call_new(span);
	if (!span->depth)
		add_tree(from, span->task);
	if (!(nr++ % WORK_CALLS))
		look();
}

/* Keep a block of branches */
static void add_block(struct tep_event *event, struct tep_record *record)
{
	struct tui_block *block = array_add(&blocks, &nr_blocks, sizeof(*block));

	if (!bts_read_block(record, event, &block->block)) {
		nr_blocks--;
		return;
	}
	block->block.data = memcpy(xmalloc(block->block.size), block->block.data,
				   block->block.size);
	block->cpu = record->cpu;
	block->pid = tep_data_pid(calls.tep, record);
}

static void tui_put_event(struct calls *from, struct task *task, struct tep_record *record,
			  u64 shown)
{
	struct tep_event *event = tep_find_event_by_record(calls.tep, record);
	struct graph_call *node;

	if (event && graph_is_branches(event))
		add_block(event, record);
	if (!event || graph_is_branches(event))
		return;
	node = graph_event_new(from, record, shown);
	tree_add_event(task, &node->node);
}

static const struct calls_ops ops = {
	.all	= true,
	.end	= tui_end_call,
	.event	= tui_put_event,
};

static bool begin_screen(void)
{
	messages = memfd_create("messages", MFD_CLOEXEC);
	if (messages < 0 || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    !newterm(NULL, stdout, stdin)) {
		complain("tui needs a terminal that ncurses knows");
		return false;
	}
	coloured = !getenv("NO_COLOR") && has_colors();
	if (coloured) {
		start_color();
		use_default_colors();
		init_pair(COLOUR_ERROR, COLOR_RED, -1);
		init_pair(COLOUR_EVENT, COLOR_CYAN, -1);
	}
	cbreak();
	noecho();
	set_escdelay(25);
	keypad(stdscr, true);
	return true;
}

/* Write the messages that came while the terminal showed the calls */
static void end_screen(void)
{
	char text[4096];
	ssize_t nr;
	off_t at;

	if (isendwin())
		return;
	endwin();
	dup2(errors, STDERR_FILENO);
	for (at = 0; (nr = pread(messages, text, sizeof(text), at)) > 0; at += nr)
		fwrite(text, 1, nr, stderr);
}

int cmd_tui(int argc, char **argv)
{
	int first;

	setlocale(LC_CTYPE, "");
	first = options_parse(&options, argc, argv, 1);
	if (first < 0)
		return ~first;
	if (!begin_screen())
		return out_close(STATUS_FAILED);
	errors = dup(STDERR_FILENO);
	atexit(end_screen);
	dup2(messages, STDERR_FILENO);
	loading = true;
	calls_read(&calls, argv[first], NULL, &ops, NULL);
	if (!calls.failed)
		trees_end(&calls, add_tree);
	loading = false;
	while (!quit && !calls.failed && nr_all) {
		if (!wanted || nr_asked == nr_all) {
			draw();
			wait_for_key();
		}
		look();
	}
	end_screen();
	if (!nr_all && !calls.failed && !calls.damaged && !quit)
		complain("%s: no calls and no events", calls.file);
	calls.failed |= !nr_all && !quit;
	return finish(&calls, &options);
}
