// SPDX-License-Identifier: GPL-2.0
/*
 * tracing-multi list
 * tracing-multi trace FILE COUNT [COMMAND [ARGUMENT...]]
 * tracing-multi write FILE TEXT
 *
 * Traces failing calls of many functions by one BPF program, as retsnoop does. The program is
 * attached with one link (BPF_TRACE_FSESSION_MULTI), which is new in Linux 7.3.
 *
 *   list	print the functions that can be traced, a line each: ID KIND NAME. ID is the
 *		function's in the kernel's BTF, KIND is how the function returns errors.
 *   trace	trace the first COUNT functions of FILE, which has lines of list, run COMMAND,
 *		and print the nanoseconds until the functions were traced and until they were
 *		not, and the number of records of failing calls
 *   write	write TEXT to FILE, and print the nanoseconds
 *
 * The BPF program is written in its instructions, because the compiler of BPF is not part of
 * the lab.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>

#include <linux/compiler.h>
#include <linux/filter.h>
#include <linux/kernel.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#define MAX_ERRNO	4095
#define RING_BYTES	0x100000
#define LOG_BYTES	0x10000
#define NAME_BYTES	512

/* How a function returns errors: not at all, as an int, or as a long or a pointer */
enum kind {
	NEVER,
	NARROW,
	WIDE,
};

/* What the BPF program writes for a failing call */
struct record {
	__u64	cookie;		/* of the link: ID << 2 | KIND */
	__u64	begin;		/* CLOCK_MONOTONIC */
	__u64	end;
	__u64	ret;
};

struct names {
	char	**name;
	size_t	count;
	size_t	room;
};

static void __noreturn die(const char *what)
{
	fprintf(stderr, "tracing-multi: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *check(void *memory)
{
	if (!memory)
		die("memory");
	return memory;
}

static __u64 nanoseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_add(struct names *names, const char *name)
{
	if (names->count == names->room) {
		names->room = 2 * names->room + 1;
		names->name = check(realloc(names->name, names->room * sizeof(char *)));
	}
	names->name[names->count++] = check(strdup(name));
}

static void names_sort(struct names *names)
{
	qsort(names->name, names->count, sizeof(char *), names_compare);
}

/* Read the name that format finds in each line. Skip modules. */
static struct names names_read(const char *path, const char *format)
{
	struct names names = {};
	char name[NAME_BYTES];
	size_t size = 0;
	char *line = NULL;
	FILE *file;

	file = fopen(path, "r");
	if (!file)
		die(path);
	while (getline(&line, &size, file) > 0) {
		if (!strchr(line, '[') && sscanf(line, format, name) == 1)
			names_add(&names, name);
	}
	fclose(file);
	free(line);
	names_sort(&names);
	return names;
}

/* How often a name is there: 0, 1, or 2 for more */
static int names_find(const struct names *names, const char *name)
{
	char **found = bsearch(&name, names->name, names->count, sizeof(char *), names_compare);

	if (!found)
		return 0;
	if (found > names->name && !strcmp(found[-1], name))
		return 2;
	return found + 1 < names->name + names->count && !strcmp(found[1], name) ? 2 : 1;
}

static enum kind kind_of(const struct btf *btf, __u32 function)
{
	const struct btf_type *type = btf__type_by_id(btf, function);

	type = btf__type_by_id(btf, type->type);
	type = btf__type_by_id(btf, btf__resolve_type(btf, type->type));
	if (!type)
		return NEVER;
	if (btf_is_ptr(type))
		return WIDE;
	if (!btf_is_int(type) || !(btf_int_encoding(type) & BTF_INT_SIGNED) || type->size < 4)
		return NEVER;
	return type->size == 4 ? NARROW : WIDE;
}

/* The kernel's own selftests do not trace these functions */
static bool left_out(const char *name)
{
	return !strncmp(name, "rcu_", 4) || !strcmp(name, "arch_cpu_idle") ||
	       !strcmp(name, "default_idle");
}

/*
 * Whether the kernel accepts the function. One refused function fails a link, so each function
 * is asked for by the load of a program of its own.
 */
static bool accepted(__u32 function)
{
	const struct bpf_insn insns[] = {
		BPF_MOV64_IMM(BPF_REG_0, 0),
		BPF_EXIT_INSN(),
	};
	struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts),
		.expected_attach_type = BPF_TRACE_FSESSION,
		.attach_btf_id = function,
	};
	int fd;

	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "ask", "GPL", insns, ARRAY_SIZE(insns), &opts);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/*
 * The kernel finds a function by its name, so the name has to be unique. Two IDs of one name are
 * two trampolines at one address, which Linux 7.3 cannot detach.
 */
static int list(const struct btf *btf)
{
	struct names traceable, symbols, functions = {};
	const struct btf_type *type;
	const char *name;
	__u32 id;

	traceable = names_read("/sys/kernel/tracing/available_filter_functions", "%511s");
	symbols = names_read("/proc/kallsyms", "%*s %*s %511s");
	for (id = 1; id < btf__type_cnt(btf); id++) {
		type = btf__type_by_id(btf, id);
		if (btf_is_func(type))
			names_add(&functions, btf__name_by_offset(btf, type->name_off));
	}
	names_sort(&functions);
	for (id = 1; id < btf__type_cnt(btf); id++) {
		type = btf__type_by_id(btf, id);
		if (!btf_is_func(type))
			continue;
		name = btf__name_by_offset(btf, type->name_off);
		if (left_out(name) || names_find(&traceable, name) != 1 ||
		    names_find(&symbols, name) != 1 || names_find(&functions, name) != 1 ||
		    !accepted(id))
			continue;
		printf("%u %u %s\n", id, kind_of(btf, id), name);
	}
	return 0;
}

/*
 * The entry keeps the time in the session's cookie. The return is done if the lower half of
 * what the function returned is no error. Otherwise the link's cookie tells how the function
 * returns errors.
 */
static int load(const struct btf *btf, int ring)
{
	int is_return = btf__find_by_name_kind(btf, "bpf_session_is_return", BTF_KIND_FUNC);
	int cookie = btf__find_by_name_kind(btf, "bpf_session_cookie", BTF_KIND_FUNC);
	const struct bpf_insn insns[] = {
		BPF_MOV64_REG(BPF_REG_6, BPF_REG_1),
		BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, is_return),
		BPF_JMP_IMM(BPF_JNE, BPF_REG_0, 0, 6),

		/* *bpf_session_cookie(ctx) = bpf_ktime_get_ns() */
		BPF_EMIT_CALL(BPF_FUNC_ktime_get_ns),
		BPF_MOV64_REG(BPF_REG_7, BPF_REG_0),
		BPF_MOV64_REG(BPF_REG_1, BPF_REG_6),
		BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, cookie),
		BPF_STX_MEM(BPF_DW, BPF_REG_0, BPF_REG_7, 0),
		BPF_JMP_A(31),

		/* r7 = what the function returned */
		BPF_MOV64_REG(BPF_REG_1, BPF_REG_6),
		BPF_MOV64_REG(BPF_REG_2, BPF_REG_10),
		BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, -8),
		BPF_EMIT_CALL(BPF_FUNC_get_func_ret),
		BPF_LDX_MEM(BPF_DW, BPF_REG_7, BPF_REG_10, -8),
		BPF_JMP32_IMM(BPF_JLT, BPF_REG_7, -MAX_ERRNO, 25),

		/* r8 = the link's cookie */
		BPF_MOV64_REG(BPF_REG_1, BPF_REG_6),
		BPF_EMIT_CALL(BPF_FUNC_get_attach_cookie),
		BPF_MOV64_REG(BPF_REG_8, BPF_REG_0),
		BPF_ALU64_IMM(BPF_AND, BPF_REG_0, 3),
		BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, NEVER, 20),
		BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, NARROW, 1),
		BPF_JMP_IMM(BPF_JLT, BPF_REG_7, -MAX_ERRNO, 18),

		/* r9 = bpf_ringbuf_reserve() */
		BPF_LD_MAP_FD(BPF_REG_1, ring),
		BPF_MOV64_IMM(BPF_REG_2, sizeof(struct record)),
		BPF_MOV64_IMM(BPF_REG_3, 0),
		BPF_EMIT_CALL(BPF_FUNC_ringbuf_reserve),
		BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 12),
		BPF_MOV64_REG(BPF_REG_9, BPF_REG_0),
		BPF_STX_MEM(BPF_DW, BPF_REG_9, BPF_REG_8, offsetof(struct record, cookie)),
		BPF_STX_MEM(BPF_DW, BPF_REG_9, BPF_REG_7, offsetof(struct record, ret)),
		BPF_MOV64_REG(BPF_REG_1, BPF_REG_6),
		BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, cookie),
		BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_0, 0),
		BPF_STX_MEM(BPF_DW, BPF_REG_9, BPF_REG_1, offsetof(struct record, begin)),
		BPF_EMIT_CALL(BPF_FUNC_ktime_get_ns),
		BPF_STX_MEM(BPF_DW, BPF_REG_9, BPF_REG_0, offsetof(struct record, end)),
		BPF_MOV64_REG(BPF_REG_1, BPF_REG_9),
		BPF_MOV64_IMM(BPF_REG_2, 0),
		BPF_EMIT_CALL(BPF_FUNC_ringbuf_submit),

		BPF_MOV64_IMM(BPF_REG_0, 0),
		BPF_EXIT_INSN(),
	};
	static char log[LOG_BYTES];
	struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts),
		.expected_attach_type = BPF_TRACE_FSESSION_MULTI,
		.log_buf = log,
		.log_size = sizeof(log),
		.log_level = 1,
	};
	int fd;

	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "failing", "GPL", insns, ARRAY_SIZE(insns),
			   &opts);
	if (fd < 0) {
		fputs(log, stderr);
		die("the program");
	}
	return fd;
}

static int count_record(void *context, void *data __maybe_unused, size_t size)
{
	__u64 *records = context;

	*records += size >= sizeof(struct record);
	return 0;
}

static void run(char **command)
{
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		execvp(*command, command);
		die(*command);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		die(*command);
}

static int trace(const struct btf *btf, const char *path, size_t count, char **command)
{
	__u64 *cookies = check(calloc(count, sizeof(*cookies)));
	__u32 *ids = check(calloc(count, sizeof(*ids)));
	struct bpf_link_create_opts opts = { .sz = sizeof(opts) };
	__u64 begin, attached, end, detached, records = 0;
	struct ring_buffer *buffer;
	int ring, program, link;
	unsigned int kind;
	FILE *file;
	size_t i;

	file = fopen(path, "r");
	if (!file)
		die(path);
	for (i = 0; i < count && fscanf(file, "%u %u %*s", &ids[i], &kind) == 2; i++)
		cookies[i] = (__u64)ids[i] << 2 | kind;
	fclose(file);

	ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "failing", 0, 0, RING_BYTES, NULL);
	if (ring < 0)
		die("the ring buffer");
	buffer = check(ring_buffer__new(ring, count_record, &records, NULL));
	program = load(btf, ring);
	opts.tracing_multi.ids = ids;
	opts.tracing_multi.cookies = cookies;
	opts.tracing_multi.cnt = i;

	begin = nanoseconds();
	link = bpf_link_create(program, 0, BPF_TRACE_FSESSION_MULTI, &opts);
	attached = nanoseconds();
	if (link < 0)
		die("the link");
	if (*command)
		run(command);
	end = nanoseconds();
	close(link);
	detached = nanoseconds();
	if (ring_buffer__consume(buffer) < 0)
		die("the ring buffer");
	printf("%zu %llu %llu %llu\n", i, attached - begin, detached - end, records);
	return 0;
}

/* A file of tracefs may read its text when it is closed */
static int write_text(const char *path, const char *text)
{
	__u64 begin = nanoseconds();
	int fd;

	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
		die(path);
	printf("%llu\n", nanoseconds() - begin);
	return 0;
}

int main(int argc, char **argv)
{
	struct btf *btf;

	if (argc == 4 && !strcmp(argv[1], "write"))
		return write_text(argv[2], argv[3]);
	btf = btf__load_vmlinux_btf();
	if (!btf)
		die("BTF");
	if (argc == 2 && !strcmp(argv[1], "list"))
		return list(btf);
	if (argc >= 4 && !strcmp(argv[1], "trace"))
		return trace(btf, argv[2], strtoul(argv[3], NULL, 0), argv + 4);
	fprintf(stderr, "Usage: tracing-multi list\n"
		"       tracing-multi trace FILE COUNT [COMMAND [ARGUMENT...]]\n"
		"       tracing-multi write FILE TEXT\n");
	return 1;
}
