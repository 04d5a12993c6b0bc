// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CPU: its log, see bts-log.h
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "cpu.h"

static int log_fd = -1;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void log_write(const void *data, size_t len)
{
	const char *p = data;
	ssize_t n;

	while (len) {
		n = write(log_fd, p, len);
		if (n < 0) {
			if (errno == EINTR)
				continue;
			die("the log cannot be written");
		}
		p += n;
		len -= n;
	}
}

/**
 * log_flush() - write the log of a CPU to the file
 * @cpu: the CPU
 */
void log_flush(struct bts_cpu *cpu)
{
	uint32_t head[2] = { cpu - cpus, cpu->used };

	if (!cpu->used)
		return;
	pthread_mutex_lock(&log_lock);
	log_write(head, sizeof(head));
	log_write(cpu->log, cpu->used);
	pthread_mutex_unlock(&log_lock);
	cpu->used = 0;
	cpu->prev = 0;
}

/* Make room for the longest entry */
static void log_begin(struct bts_cpu *cpu, uint8_t tag)
{
	if (cpu->used + 21 > sizeof(cpu->log))
		log_flush(cpu);
	cpu->log[cpu->used++] = tag;
}

static void log_unsigned(struct bts_cpu *cpu, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		cpu->log[cpu->used++] = value | 0x80;
	cpu->log[cpu->used++] = value;
}

static void log_signed(struct bts_cpu *cpu, int64_t value)
{
	log_unsigned(cpu, (uint64_t)value << 1 ^ value >> 63);
}

/**
 * log_value() - log an event
 * @cpu: the CPU
 * @type: the kind of event, BTS_LOG_*
 * @value: the event's value
 */
void log_value(struct bts_cpu *cpu, uint8_t type, uint64_t value)
{
	if (log_fd < 0)
		return;
	log_begin(cpu, type);
	log_unsigned(cpu, value);
}

/**
 * log_branch() - log a branch
 * @cpu: the CPU
 * @from: the instruction
 * @to: the target
 * @flags: BTS_LOG_LOST and other flags, and BTS_LOG_MISPREDICTED
 */
void log_branch(struct bts_cpu *cpu, uint64_t from, uint64_t to, uint8_t flags)
{
	if (log_fd < 0)
		return;
	log_begin(cpu, BTS_LOG_BRANCH | flags);
	log_signed(cpu, from - cpu->prev);
	log_signed(cpu, to - from);
	cpu->prev = to;
}

/**
 * log_open() - open the log
 * @name: name of its file
 *
 * Without this call, nothing is logged.
 *
 * Return: false after a message if the file cannot be created.
 */
bool log_open(const char *name)
{
	log_fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (log_fd < 0) {
		say("%s: %s", name, strerror(errno));
		return false;
	}
	log_write(BTS_LOG_MAGIC, BTS_LOG_MAGIC_SIZE);
	return true;
}
