// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for QEMU's TCG that counts how often each instruction of the kernel runs
 *
 *	-plugin profile.so,out=FILE
 *
 * The guest marks the parts to count with `xchg %bx, %bx`, which does nothing on any
 * CPU. A mark begins a part, and the next mark ends the part. For each part FILE has
 *
 *	part NUMBER
 *	ADDRESS COUNT		for each executed address of the kernel, in hex
 *				and in decimal
 *
 * The plugin supports only one CPU: -smp 1.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu-api.h"

#define BIT(n)		(1ULL << (n))

#define HASH_BITS	21
#define HASH_SIZE	((unsigned int)BIT(HASH_BITS))
#define MAX_ADDRESSES	(HASH_SIZE / 2)

#define KERNEL		BIT(63)

static const uint8_t mark[] = { 0x66, 0x87, 0xdb };	/* xchg %bx, %bx */

/* Counter I of the CPU belongs to addresses[I]. The hash has I + 1, or 0. */
static struct qemu_plugin_scoreboard *counters;
static uint64_t addresses[MAX_ADDRESSES];
static unsigned int nr_addresses;
static uint32_t hash[HASH_SIZE];

static FILE *out;
static unsigned int part;
static bool counting;

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define say(fmt, ...)	fprintf(stderr, "profile: " fmt "\n", ##__VA_ARGS__)

/* Find the counter of an address. Returns MAX_ADDRESSES if no counter is left. */
static unsigned int find_counter(uint64_t address)
{
	uint32_t i = address * 0x9e3779b97f4a7c15ULL >> (64 - HASH_BITS);

	while (hash[i]) {
		if (addresses[hash[i] - 1] == address)
			return hash[i] - 1;
		i = (i + 1) % HASH_SIZE;
	}
	if (nr_addresses == MAX_ADDRESSES)
		return MAX_ADDRESSES;
	addresses[nr_addresses++] = address;
	hash[i] = nr_addresses;
	return nr_addresses - 1;
}

static void at_mark(unsigned int vcpu, void *udata)
{
	uint64_t *count = qemu_plugin_scoreboard_find(counters, vcpu);
	unsigned int i;

	counting = !counting;
	if (counting) {
		memset(count, 0, nr_addresses * sizeof(*count));
		return;
	}
	fprintf(out, "part %u\n", part++);
	for (i = 0; i < nr_addresses; i++)
		if (count[i])
			fprintf(out, "%llx %llu\n", (unsigned long long)addresses[i],
				(unsigned long long)count[i]);
}

static void at_translation(struct qemu_plugin_tb *tb, void *udata)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		struct qemu_plugin_u64 entry = { .score = counters };
		uint8_t bytes[sizeof(mark)];
		unsigned int counter;

		if (!(address & KERNEL))
			continue;
		if (qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) == sizeof(mark) &&
		    !memcmp(bytes, mark, sizeof(mark))) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, at_mark,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
			continue;
		}
		counter = find_counter(address);
		if (counter == MAX_ADDRESSES) {
			say("more than %u instructions", MAX_ADDRESSES);
			exit(1);
		}
		entry.offset = counter * sizeof(uint64_t);
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn,
								    QEMU_PLUGIN_INLINE_ADD_U64,
								    entry, 1);
	}
}

static void at_exit(void *udata)
{
	if (counting)
		say("the last part has no end");
	if (fclose(out))
		say("its output cannot be written");
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info,
					   int argc, char **argv)
{
	out = qemu_open_output("profile", info, "out=", argc, argv);
	if (!out)
		return 1;
	counters = qemu_plugin_scoreboard_new(MAX_ADDRESSES * sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, at_translation, NULL);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
