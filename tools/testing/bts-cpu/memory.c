// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CPU: registers and memory of the current CPU
 */
#include <string.h>

#include "cpu.h"

/**
 * reg_read() - read a register of the current CPU
 * @cpu: the CPU
 * @reg: the register
 *
 * Return: the lowest 64 bits of the register.
 */
uint64_t reg_read(struct bts_cpu *cpu, struct qemu_plugin_register *reg)
{
	uint64_t value;

	if (!qemu_register_value(&value, reg, cpu->reg))
		die("a register cannot be read");
	return value;
}

/**
 * reg_write() - write a register of the current CPU
 * @cpu: the CPU
 * @reg: the register
 * @value: its new value
 */
void reg_write(struct bts_cpu *cpu, struct qemu_plugin_register *reg, uint64_t value)
{
	g_byte_array_set_size(cpu->reg, 8);
	memcpy(cpu->reg->data, &value, 8);
	if (!qemu_plugin_write_register(reg, cpu->reg))
		die("a register cannot be written");
}

/**
 * reg_write_32() - write a register of the current CPU that has 32 bits for QEMU
 * @cpu: the CPU
 * @reg: the register
 * @value: its new value
 */
void reg_write_32(struct bts_cpu *cpu, struct qemu_plugin_register *reg, uint32_t value)
{
	g_byte_array_set_size(cpu->reg, 4);
	memcpy(cpu->reg->data, &value, 4);
	if (!qemu_plugin_write_register(reg, cpu->reg))
		die("a register cannot be written");
}

/**
 * apic_read() - read a register of the local APIC
 * @cpu: the current CPU
 * @addr: physical address of the register
 *
 * Return: its value.
 */
uint32_t apic_read(struct bts_cpu *cpu, uint64_t addr)
{
	uint32_t value;

	g_byte_array_set_size(cpu->mem, 4);
	if (qemu_plugin_read_memory_hwaddr(addr, cpu->mem, 4))
		die("the local APIC cannot be read");
	memcpy(&value, cpu->mem->data, 4);
	return value;
}

/**
 * apic_write() - write a register of the local APIC
 * @cpu: the current CPU
 * @addr: physical address of the register
 * @value: its new value
 */
void apic_write(struct bts_cpu *cpu, uint64_t addr, uint32_t value)
{
	g_byte_array_set_size(cpu->mem, 4);
	memcpy(cpu->mem->data, &value, 4);
	if (qemu_plugin_write_memory_hwaddr(addr, cpu->mem))
		die("the local APIC cannot be written");
}

/**
 * pages_forget() - forget the translations of addresses
 * @cpu: the CPU
 */
void pages_forget(struct bts_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		cpu->pages[i].host = NULL;
}

/*
 * Find QEMU's pointer for a linear address. Returns NULL if the address is not
 * mapped.
 */
static uint8_t *host(struct bts_cpu *cpu, uint64_t addr)
{
	uint64_t page = addr / PAGE, phys;
	struct bts_page *p = &cpu->pages[page % PAGES];

	if (cpu->hot->cr3) {
		cpu->hot->cr3 = 0;
		pages_forget(cpu);
	}
	if (!p->host || p->page != page) {
		if (!qemu_plugin_translate_vaddr(page * PAGE, &phys))
			return NULL;
		phys &= ~(PAGE - 1);
		if (phys + PAGE > ram_size || phys >= RAM_MAX)
			return NULL;
		p->page = page;
		p->host = ram + phys;
	}
	return p->host + addr % PAGE;
}

/**
 * mem_copy() - read or write memory by linear addresses
 * @cpu: the current CPU
 * @addr: the first address
 * @data: the data to write, or set to the data
 * @len: number of bytes
 * @store: write instead of read
 *
 * Return: false if a page is not mapped; the bytes before this page are copied.
 */
bool mem_copy(struct bts_cpu *cpu, uint64_t addr, void *data, size_t len, bool store)
{
	uint8_t *p;
	size_t n;

	for (; len; len -= n, addr += n, data += n) {
		n = PAGE - addr % PAGE;
		if (n > len)
			n = len;
		p = host(cpu, addr);
		if (!p)
			return false;
		if (store)
			memcpy(p, data, n);
		else
			memcpy(data, p, n);
	}
	return true;
}

/**
 * mem_word() - read 64 bits of memory
 * @cpu: the current CPU
 * @addr: the linear address
 *
 * Return: the word, or 0 if the address is not mapped.
 */
uint64_t mem_word(struct bts_cpu *cpu, uint64_t addr)
{
	uint64_t value = 0;

	mem_copy(cpu, addr, &value, sizeof(value), false);
	return value;
}
