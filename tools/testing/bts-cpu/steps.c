// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for QEMU's TCG that logs each instruction that tasks execute in user space
 *
 *	-plugin steps.so,log=FILE
 *
 * The guest marks the parts to log with instructions that do nothing on any CPU:
 *
 *	xchg %cx, %cx		the instructions of this address space are not logged, until
 *				the part ends
 *	xchg %bx, %bx		begins a part of the log, and the next mark ends the part
 *
 * FILE has 8 bytes for each instruction, little endian, and 8 bytes of 0 before a part:
 *
 *	bits 0-47	address of the instruction
 *	bits 48-51	length of the instruction
 *	bit 52		an interrupt or an exception came at the address: the
 *			instruction has faulted, or leads to itself
 *
 * The plugin supports only one CPU: -smp 1.
 */

#include <stdio.h>
#include <stdlib.h>

#include "qemu-api.h"

#define BIT(n)		(1ULL << (n))

#define ENTRY_ADDRESS	(BIT(48) - 1)
#define ENTRY_LENGTH	48
#define ENTRY_AGAIN	BIT(52)

#define MAX_OTHERS	16

static const uint8_t mark[] = { 0x66, 0x87, 0xdb };	/* xchg %bx, %bx */
static const uint8_t mark_other[] = { 0x66, 0x87, 0xc9 };	/* xchg %cx, %cx */

static struct qemu_plugin_register *rip, *cr3;
static struct gbytearray *value;
static FILE *out;
static bool logging;
static uint64_t start;			/* the current block */
static uint64_t last;			/* the entry that is not written yet, or 0 */
static uint64_t others[MAX_OTHERS];	/* address spaces that are not logged */
static unsigned int nr_others;

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define say(fmt, ...)	fprintf(stderr, "steps: " fmt "\n", ##__VA_ARGS__)

static uint64_t reg_read(struct qemu_plugin_register *reg)
{
	uint64_t val;

	if (!qemu_register_value(&val, reg, value)) {
		say("a register cannot be read");
		exit(1);
	}
	return val;
}

static bool is_other(uint64_t space)
{
	unsigned int i;

	for (i = 0; i < nr_others; i++)
		if (others[i] == space)
			return true;
	return false;
}

static void write_last(void)
{
	if (last)
		fwrite(&last, sizeof(last), 1, out);
	last = 0;
}

static void at_mark(unsigned int vcpu, void *udata)
{
	static const uint64_t begin;

	logging = !logging;
	if (logging) {
		fwrite(&begin, sizeof(begin), 1, out);
		return;
	}
	write_last();
	nr_others = 0;
}

static void at_other(unsigned int vcpu, void *udata)
{
	uint64_t space = reg_read(cr3);

	if (!is_other(space) && nr_others < MAX_OTHERS)
		others[nr_others++] = space;
}

static void at_block(unsigned int vcpu, void *udata)
{
	start = reg_read(rip);
}

/* The low half of @udata is the offset in the block, the high half is the length */
static void at_insn(unsigned int vcpu, void *udata)
{
	uintptr_t what = (uintptr_t)udata;

	if (!logging || is_other(reg_read(cr3)))
		return;
	write_last();
	last = ((start + (uint32_t)what) & ENTRY_ADDRESS) |
	       (uint64_t)(what >> 32) << ENTRY_LENGTH;
}

static void at_discontinuity(unsigned int vcpu, enum qemu_plugin_discon_type type,
			     uint64_t from, uint64_t to, void *udata)
{
	if (last && from == (last & ENTRY_ADDRESS))
		last |= ENTRY_AGAIN;
	write_last();
}

static void at_translation(struct qemu_plugin_tb *tb, void *udata)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb), size;
	uint64_t first = qemu_plugin_tb_vaddr(tb), what;
	struct qemu_plugin_insn *insn;
	uint8_t bytes[16];

	if (first & BIT(63))
		return;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, at_block, QEMU_PLUGIN_CB_R_REGS, NULL);
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));
		what = (qemu_plugin_insn_vaddr(insn) - first) | (uint64_t)size << 32;
		qemu_plugin_register_vcpu_insn_exec_cb(insn, at_insn,
						       QEMU_PLUGIN_CB_R_REGS, (void *)what);
		if (size == sizeof(mark) && !memcmp(bytes, mark, size))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, at_mark,
							       QEMU_PLUGIN_CB_R_REGS, NULL);
		if (size == sizeof(mark_other) && !memcmp(bytes, mark_other, size))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, at_other,
							       QEMU_PLUGIN_CB_R_REGS, NULL);
	}
}

static void at_init(unsigned int vcpu, void *udata)
{
	const struct qemu_plugin_reg_descriptor *desc;
	struct garray *list = qemu_plugin_get_registers();
	unsigned int i;

	desc = (const void *)list->data;
	for (i = 0; i < list->len; i++) {
		if (!strcmp(desc[i].name, "rip"))
			rip = desc[i].handle;
		if (!strcmp(desc[i].name, "cr3"))
			cr3 = desc[i].handle;
	}
	if (!rip || !cr3) {
		say("QEMU does not name the registers as expected");
		exit(1);
	}
	value = g_byte_array_new();
}

static void at_exit(void *udata)
{
	if (logging)
		say("the log has no end");
	if (fclose(out))
		say("its output cannot be written");
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info,
					   int argc, char **argv)
{
	out = qemu_open_output("steps", info, "log=", argc, argv);
	if (!out)
		return 1;
	qemu_plugin_register_vcpu_init_cb(id, at_init, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, at_translation, NULL);
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_INTERRUPT |
						QEMU_PLUGIN_DISCON_EXCEPTION,
					    at_discontinuity, NULL);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
