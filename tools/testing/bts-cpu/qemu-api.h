/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of QEMU's plugin API, version 7, that the plugin uses, with GLib's types. No
 * Debian package has QEMU's own qemu-plugin.h.
 *
 * The Makefile makes all functions weak, so that an older QEMU, which lacks some functions,
 * can load the plugin and print the version of the API that the plugin needs.
 */

#ifndef _BTS_CPU_QEMU_API_H
#define _BTS_CPU_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define QEMU_PLUGIN_VERSION	7

#define QEMU_PLUGIN_EXPORT	__attribute__((visibility("default")))

struct garray {
	char *data;
	unsigned int len;
};

struct gbytearray {
	uint8_t *data;
	unsigned int len;
};

struct qemu_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
};

enum qemu_plugin_discon_type {
	QEMU_PLUGIN_DISCON_INTERRUPT	= 1,
	QEMU_PLUGIN_DISCON_EXCEPTION	= 2,
};

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
	QEMU_PLUGIN_CB_R_REGS,
	QEMU_PLUGIN_CB_RW_REGS,
	QEMU_PLUGIN_CB_RW_REGS_PC,
};

enum qemu_plugin_cond {
	QEMU_PLUGIN_COND_NE		= 3,
	QEMU_PLUGIN_COND_GE		= 7,
};

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64	= 0,
	QEMU_PLUGIN_INLINE_STORE_U64	= 1,
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;
struct qemu_plugin_scoreboard;

struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

struct qemu_plugin_reg_descriptor {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
	bool is_readonly;
};

typedef void (*qemu_plugin_udata_cb)(void *udata);
typedef void (*qemu_plugin_vcpu_cb)(unsigned int vcpu, void *udata);
typedef void (*qemu_plugin_tb_cb)(struct qemu_plugin_tb *tb, void *udata);
typedef void (*qemu_plugin_discon_cb)(unsigned int vcpu,
				      enum qemu_plugin_discon_type type,
				      uint64_t from, uint64_t to, void *udata);

void qemu_plugin_register_vcpu_init_cb(uint64_t id, qemu_plugin_vcpu_cb cb, void *udata);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_plugin_tb_cb cb, void *udata);
void qemu_plugin_register_vcpu_discon_cb(uint64_t id, enum qemu_plugin_discon_type types,
					 qemu_plugin_discon_cb cb, void *udata);
void qemu_plugin_register_atexit_cb(uint64_t id, qemu_plugin_udata_cb cb, void *udata);

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_cb cb,
					  enum qemu_plugin_cb_flags flags, void *udata);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
						       enum qemu_plugin_op op,
						       struct qemu_plugin_u64 entry,
						       uint64_t imm);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_cb cb,
					       enum qemu_plugin_cb_flags flags,
					       enum qemu_plugin_cond cond,
					       struct qemu_plugin_u64 entry, uint64_t imm,
					       void *udata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_cb cb,
					    enum qemu_plugin_cb_flags flags, void *udata);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn,
						 qemu_plugin_vcpu_cb cb,
						 enum qemu_plugin_cb_flags flags,
						 enum qemu_plugin_cond cond,
						 struct qemu_plugin_u64 entry, uint64_t imm,
						 void *udata);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 enum qemu_plugin_op op,
							 struct qemu_plugin_u64 entry,
							 uint64_t imm);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

struct garray *qemu_plugin_get_registers(void);
bool qemu_plugin_read_register(struct qemu_plugin_register *reg, struct gbytearray *buf);
bool qemu_plugin_write_register(struct qemu_plugin_register *reg, struct gbytearray *buf);
/* This function does not return */
void qemu_plugin_set_pc(uint64_t vaddr);

bool qemu_plugin_translate_vaddr(uint64_t vaddr, uint64_t *hwaddr);
int qemu_plugin_read_memory_hwaddr(uint64_t addr, struct gbytearray *data, size_t len);
int qemu_plugin_write_memory_hwaddr(uint64_t addr, struct gbytearray *data);

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int vcpu);

/*
 * Whether the plugins support this QEMU. Prints the reason if they do not. QEMU checks
 * qemu_plugin_version itself.
 */
static inline bool qemu_fits(const char *plugin, const struct qemu_info *info)
{
	if (info->version.min > QEMU_PLUGIN_VERSION || info->version.cur < QEMU_PLUGIN_VERSION) {
		fprintf(stderr,
			"%s: QEMU's plugin API has the versions %d to %d, wanted is version %d\n",
			plugin, info->version.min, info->version.cur, QEMU_PLUGIN_VERSION);
		return false;
	}
	if (strcmp(info->target_name, "x86_64") || !info->system_emulation) {
		fprintf(stderr, "%s: this is for qemu-system-x86_64\n", plugin);
		return false;
	}
	return true;
}

/**
 * qemu_plugin_install() - Set up the plugin; QEMU calls this after loading it
 * @id: QEMU's number of this plugin
 * @info: QEMU, and the machine that it will emulate
 * @argc: number of arguments
 * @argv: the arguments, NAME=VALUE
 *
 * Return: 0, or another number if the plugin cannot work.
 */
QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info,
					   int argc, char **argv);

/* From QEMU's own GLib */
struct gbytearray *g_byte_array_new(void);
struct gbytearray *g_byte_array_set_size(struct gbytearray *array, unsigned int len);

/* Read the lowest 64 bits of a register of the current CPU, through @bytes */
static inline bool qemu_register_value(uint64_t *value, struct qemu_plugin_register *reg,
				       struct gbytearray *bytes)
{
	*value = 0;
	g_byte_array_set_size(bytes, 0);
	if (!qemu_plugin_read_register(reg, bytes))
		return false;
	memcpy(value, bytes->data, bytes->len < 8 ? bytes->len : 8);
	return true;
}

/*
 * Open the output file of a plugin for one CPU. The plugin's argument is @option and the
 * name of the file. Returns NULL after a message on failure.
 */
static inline FILE *qemu_open_output(const char *plugin, const struct qemu_info *info,
				     const char *option, int argc, char **argv)
{
	size_t len = strlen(option);
	FILE *out;

	if (!qemu_fits(plugin, info))
		return NULL;
	if (info->system.smp_vcpus != 1) {
		fprintf(stderr, "%s: this is for one CPU\n", plugin);
		return NULL;
	}
	if (argc != 1 || strncmp(argv[0], option, len)) {
		fprintf(stderr, "%s: %sFILE is wanted\n", plugin, option);
		return NULL;
	}
	out = fopen(argv[0] + len, "w");
	if (!out)
		fprintf(stderr, "%s: %s cannot be written\n", plugin, argv[0] + len);
	return out;
}

#endif /* _BTS_CPU_QEMU_API_H */
