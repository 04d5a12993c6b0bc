// SPDX-License-Identifier: GPL-2.0
/*
 * Find the code of user space, by the maps of tasks that "trace-cmd record --proc-map" stores
 *
 * A map has the addresses and the path of each file that the task had mapped when it ended.  So
 * a map holds from the task's last exec on: from the last branch of the kernel to the entry of a
 * file.  A map has neither offsets nor build IDs.  So the file's segments have to be those of
 * the map, and the branches prove the code: all branches are read before the first one is shown.
 * A file is used for a task if one of the task's branches or more led to the target of a direct
 * branch, or was a system call, and if each branch is one that the instruction at its origin can
 * make.
 *
 * A thread has the map of its process.  The event task_newtask tells which task has begun the
 * thread in the same process.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

#define PAGE_SIZE	4096ULL

#define THREADS_BITS	8

/**
 * struct file - a file that tasks have mapped
 * @next: the next file
 * @path: its path on the recorded machine
 * @name: the path on this machine
 * @opened: the file was opened, or cannot be opened
 * @told: a message told why the code is not used
 * @image: the code, NULL if it is not known
 */
struct file {
	struct file	*next;
	char		*path;
	char		*name;
	bool		opened;
	bool		told;
	struct image	*image;
};

/**
 * struct map - addresses of a file
 * @first: the first address
 * @end: the address after the last
 * @file: the file
 */
struct map {
	u64		first;
	u64		end;
	struct file	*file;
};

/**
 * struct space - the user space of a task
 * @next: the next task
 * @pid: the task
 * @maps: the addresses of its files
 * @nr_maps: number of elements of @maps
 * @areas: the files in which branches were
 * @places: the places of branches
 * @begin: when the kernel last started a file, 0 if that was before the first branch
 */
struct space {
	struct space	*next;
	int		pid;
	struct map	*maps;
	unsigned int	nr_maps;
	struct area	*areas;
	struct places	places;
	__uint128_t	begin;
};

/**
 * struct thread - a task without a map of its own
 * @node: the element of the hash
 * @creator: the task of the same process that has begun the thread, 0 if it is not known
 * @born: the recording has the begin of a task with this number
 * @unmapped: branches are in user space, and no map is known
 */
struct thread {
	struct hash_node	node;
	int			creator;
	bool			born;
	bool			unmapped;
};

static struct file *files;
static struct space *spaces;
static struct hash threads;

/*
 * The order of a task's branches: the time when the CPU switched to the task, because a CPU may
 * be drained late, and the number of the branch.  Among all records of the CPU, this number is the
 * same in all instances.
 */
static __uint128_t moment(const struct bts_block *block, u64 time, const struct bts_decoder *dec)
{
	u64 nr = block->number ? block->number + dec->at : block->first + block->nr - dec->left;

	return (__uint128_t)(block->since ?: time) << 64 | nr;
}

/*
 * The files
 */

static struct file *find_file(const char *path)
{
	struct file *file;

	for (file = files; file; file = file->next)
		if (!strcmp(file->path, path))
			return file;
	file = xcalloc(1, sizeof(*file));
	file->path = xstrdup(path);
	if (asprintf(&file->name, "%s%s", branches_choice.sysroot, path) < 0)
		out_of_memory();
	file->next = files;
	files = file;
	return file;
}

/* Open a file. Returns why its code is not known, NULL if it is. */
static const char *open_file(struct file *file)
{
	struct image *image;
	struct stat st;
	int fd;

	/* A FIFO has no other end */
	fd = open(file->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return "not a regular file";
	}
	image = image_open(file->name, fd);
	if (image && !image->is_module) {
		images_add(image);
		file->image = image;
		return NULL;
	}
	if (image)
		image_close(image);
	return "no program or library of x86-64 with code";
}

static void complain_of(struct file *file, const char *why)
{
	if (!file->told)
		complain("%s: %s: its branches are shown as addresses", file->name, why);
	file->told = true;
}

/*
 * The areas
 */

static const struct map *find_map(const struct space *space, u64 addr)
{
	const struct map *map;

	for (map = space->maps; map < space->maps + space->nr_maps; map++)
		if (addr >= map->first && addr < map->end)
			return map;
	return NULL;
}

/* Find the pages of a segment that is loaded from the file. Returns false if there are none. */
static bool find_segment(Elf *elf, unsigned int i, GElf_Phdr *segment, u64 *first, u64 *end)
{
	if (!gelf_getphdr(elf, i, segment) || segment->p_type != PT_LOAD || !segment->p_filesz)
		return false;
	*first = segment->p_vaddr & -PAGE_SIZE;
	*end = (segment->p_vaddr + segment->p_filesz + PAGE_SIZE - 1) & -PAGE_SIZE;
	return true;
}

/* Whether the segments of a file are in the maps of the file, if its addresses are moved */
static bool segments_fit(const struct space *space, const struct file *file, Elf *elf, size_t nr,
			 u64 moved)
{
	const struct map *map;
	GElf_Phdr segment;
	u64 first, end;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!find_segment(elf, i, &segment, &first, &end))
			continue;
		map = find_map(space, first + moved);
		if (!map || map->file != file)
			return false;
		/* The kernel maps code alone. Parts of data may get other permissions. */
		if (segment.p_flags & PF_X && (map->first != first + moved ||
					       map->end != end + moved))
			return false;
	}
	return true;
}

/* Find how the code of a file was moved. Returns false if the map is not that of the file. */
static bool place_area(const struct space *space, struct area *area)
{
	const struct file *file = area->file;
	const struct map *map;
	GElf_Phdr segment = { };
	GElf_Addr bias;
	u64 first, end;
	GElf_Ehdr head;
	bool interpreted = false;
	size_t nr, i, code;
	Elf *elf;

	elf = dwfl_module_getelf(file->image->mod, &bias);
	if (!elf || !gelf_getehdr(elf, &head) || elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0, code = nr; i < nr; i++) {
		if (find_segment(elf, i, &segment, &first, &end)) {
			if (segment.p_flags & PF_X && code == nr)
				code = i;
		} else {
			interpreted |= segment.p_type == PT_INTERP;
		}
	}
	if (!find_segment(elf, code, &segment, &first, &end))
		return false;
	for (map = space->maps; map < space->maps + space->nr_maps; map++) {
		if (map->file != file || (head.e_type == ET_EXEC && map->first != first) ||
		    !segments_fit(space, file, elf, nr, map->first - first))
			continue;
		area->moved = map->first - first - bias;
		/* The interpreter jumps to the entry of its program */
		area->entry = interpreted ? 0 : head.e_entry + map->first - first;
		return true;
	}
	return false;
}

/* Find the area of an address, NULL if its code is not known */
static struct area *find_area(struct space *space, u64 addr)
{
	const struct map *map = find_map(space, addr);
	const char *why = NULL;
	struct area *area;

	if (!map)
		return NULL;
	for (area = space->areas; area && area->file != map->file; area = area->next)
		;
	if (!area) {
		area = xcalloc(1, sizeof(*area));
		area->file = map->file;
		area->next = space->areas;
		space->areas = area;
		if (!area->file->opened)
			why = open_file(area->file);
		area->file->opened = true;
		if (area->file->image && place_area(space, area))
			area->image = area->file->image;
		else if (area->file->image)
			why = "another file than in the map";
		if (why)
			complain_of(area->file, why);
	}
	return area->image ? area : NULL;
}

static void find_place(struct places *places, struct place *place)
{
	struct space *space = container_of(places, struct space, places);
	struct area *area = find_area(space, place->addr);
	const u8 *text;
	GElf_Off off;
	GElf_Sym sym;
	const char *name;

	if (!area || !image_text(area->image, place->addr - area->moved, &text))
		return;
	place->area = area;
	name = dwfl_module_addrinfo(area->image->mod, place->addr - area->moved, &off, &sym,
				    NULL, NULL, NULL);
	if (name && (!sym.st_size || off < sym.st_size))
		place_set_symbol(place, name, place->addr - off);
}

/*
 * The threads
 */

static struct thread *find_thread(int pid)
{
	struct hash_node *node;
	struct thread *thread;

	if (!threads.slots && !hash_init(&threads, THREADS_BITS))
		out_of_memory();
	node = hash_find(&threads, pid);
	if (node)
		return container_of(node, struct thread, node);
	thread = xcalloc(1, sizeof(*thread));
	hash_add(&threads, &thread->node, pid);
	return thread;
}

/* Note the begin of a task. If tasks had the same number, the process of none is known. */
static void note_begin(struct calls *calls, struct tep_event *event, struct tep_record *record)
{
	struct thread *thread;
	u64 pid, flags;

	if (!bts_read_number(record, event, "pid", &pid) ||
	    !bts_read_number(record, event, "clone_flags", &flags))
		return;
	thread = find_thread(pid);
	thread->creator = !thread->born && flags & CLONE_THREAD ?
			  tep_data_pid(calls->tep, record) : 0;
	thread->born = true;
}

static struct space *find_own_space(int pid)
{
	struct space *space;

	for (space = spaces; space && space->pid != pid; space = space->next)
		;
	return space;
}

/* Find the user space of a task: its own, or that of the task that has begun the thread */
static struct space *find_space(int pid)
{
	struct space *space = find_own_space(pid);
	unsigned int i;

	/* Numbers that are used again may form a circle */
	for (i = 0; !space && pid && i <= threads.nr; i++) {
		pid = find_thread(pid)->creator;
		space = find_own_space(pid);
	}
	return space;
}

/*
 * The proof
 */

/* Note what a branch tells of the code at its origin, and whether a file begins at its target */
static void check_branch(struct space *space, u64 from, u64 to, __uint128_t when)
{
	struct place *place;
	struct area *area;
	bool fits;

	if (bts_is_kernel(from)) {
		place = bts_is_kernel(to) ? NULL : place_find(to);
		if (place && place->area && to == place->area->entry)
			space->begin = max(space->begin, when);
		return;
	}
	place = place_find(from);
	area = place->area;
	if (!area)
		return;
	place_decode(place);
	if (bts_is_kernel(to) ? place->insn == BTS_KIND_SYSCALL : to && place->target == to)
		area->right = max(area->right, when);
	/* The step tracer may record each instruction, which leads to the next one */
	fits = to == place->after || (!place->target && place->insn >= BTS_KIND_JUMP &&
				      place->insn <= BTS_KIND_RETURN);
	if (!bts_is_kernel(to) && place->target != to && !fits)
		area->wrong = max(area->wrong, when);
}

static void check_block(struct calls *calls, struct tep_event *event, struct tep_record *record)
{
	int pid = tep_data_pid(calls->tep, record);
	struct space *space = find_space(pid);
	struct bts_decoder dec;
	struct bts_block block;

	if (!bts_read_block(record, event, &block))
		return;
	places_use(space ? &space->places : NULL);
	bts_block_start(&block, &dec);
	while (bts_decode(&dec) == 1) {
		if (space)
			check_branch(space, dec.from, dec.to,
				     moment(&block, record->ts, &dec));
		else if (!bts_is_kernel(dec.from))
			find_thread(pid)->unmapped = true;
	}
}

/* Call a function for each record of an event */
static void each_record(struct calls *calls, const char *system, const char *name,
			void (*func)(struct calls *calls, struct tep_event *event,
				     struct tep_record *record))
{
	struct tep_event *event = tep_find_event_by_name(calls->tep, system, name);
	const struct dat_buffer *buffer;
	struct dat_stream stream;
	unsigned int i;
	int found;

	if (!event)
		return;
	for (buffer = calls->dat.buffers; buffer < calls->dat.buffers + calls->dat.nr_buffers;
	     buffer++) {
		for (i = 0; i < buffer->nr_cpus; i++) {
			dat_begin(&stream, &calls->dat, &buffer->cpus[i]);
			while ((found = dat_next(&stream)))
				if (found > 0 &&
				    tep_data_type(calls->tep, &stream.record) == event->id)
					func(calls, event, &stream.record);
			dat_end(&stream);
		}
	}
}

static void complain_of_unmapped(const struct calls *calls)
{
	unsigned int i, nr = 0;
	struct hash_node *node;

	for (i = 0; i < hash_size(&threads); i++)
		for (node = threads.slots[i]; node; node = node->next)
			nr += container_of(node, struct thread, node)->unmapped;
	if (nr)
		complain("%s: tasks without maps: %u: their branches of user space are not known",
			 calls->file, nr);
}

/* Forget the code that is not proved */
static void forget_areas(struct space *space)
{
	struct area *area;

	places_free(&space->places);
	for (area = space->areas; area; area = area->next) {
		if (!area->image || (area->right > space->begin && area->wrong <= space->begin))
			continue;
		area->image = NULL;
		complain_of(area->file, area->wrong > space->begin ? "not the code that ran" :
			    "no branch proves its code");
	}
}

/*
 * The maps
 */

/* Read the text of a map: "PID NUMBER PROGRAM", and for each file "FIRST END PATH" */
static void read_space(struct calls *calls, char *text)
{
	struct space *space;
	char *line, *program;
	int pid, at = 0;

	line = strsep(&text, "\n");
	if (sscanf(line, "%x %*x %n", &pid, &at) != 1 || !at || find_own_space(pid))
		return;
	program = line + at;
	space = xcalloc(1, sizeof(*space));
	space->pid = pid;
	space->places.tep = calls->tep;
	space->places.find = find_place;
	space->next = spaces;
	spaces = space;
	while ((line = strsep(&text, "\n"))) {
		unsigned long long first, end;
		struct map *map;
		size_t len;

		at = 0;
		if (sscanf(line, "%llx %llx %n", &first, &end, &at) != 2 || line[at] != '/')
			continue;
		line += at;
		/* trace-cmd cuts the path at a space, and the name of the program has all of it */
		len = strlen(line);
		if (!strncmp(program, line, len) && program[len] == ' ')
			line = program;
		map = array_add(&space->maps, &space->nr_maps, sizeof(*map));
		*map = (struct map){ first, end, find_file(line) };
	}
}

/* Read the maps of a recording after places_init(), and prove the code of their files */
void maps_open(struct calls *calls)
{
	struct space *space;
	unsigned int i;

	for (i = 0; i < calls->dat.nr_maps; i++)
		read_space(calls, calls->dat.maps[i]);
	if (spaces) {
		each_record(calls, "task", "task_newtask", note_begin);
		each_record(calls, "ftrace", "bts", check_block);
		places_use(NULL);
		complain_of_unmapped(calls);
	}
	for (space = spaces; space; space = space->next)
		forget_areas(space);
}

/* Use the maps of a branch's task, if they hold */
void maps_use(const struct flow *flow)
{
	static struct space *space;
	static int last = -1;

	if (flow->pid != last)
		space = find_space(flow->pid);
	last = flow->pid;
	places_use(space && moment(&flow->block, flow->time, &flow->dec) >= space->begin ?
		   &space->places : NULL);
}

/* Find the path of an area's file on the recorded machine */
const char *area_path(const struct area *area)
{
	return area->file->path;
}

/* Find a file by its path on the recorded machine, NULL if no branch proves its code */
struct image *maps_image(const char *path)
{
	struct space *space;
	struct area *area;

	for (space = spaces; space; space = space->next)
		for (area = space->areas; area; area = area->next)
			if (area->image && !strcmp(area->file->path, path))
				return area->image;
	return NULL;
}

void maps_close(void)
{
	struct space *space;
	struct area *area;
	struct file *file;

	while ((space = spaces)) {
		spaces = space->next;
		while ((area = space->areas)) {
			space->areas = area->next;
			free(area);
		}
		places_free(&space->places);
		free(space->maps);
		free(space);
	}
	hash_free(&threads, NULL);
	while ((file = files)) {
		files = file->next;
		free(file->path);
		free(file->name);
		free(file);
	}
}
