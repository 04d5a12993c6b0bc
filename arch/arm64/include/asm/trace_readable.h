/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that a tracer may read at a function's entry
 *
 * The tracer only knows that a function got an address. A read of a device's register may
 * change the device, and a fault runs functions that are traced. So the tracer looks up
 * the page tables first. A byte may be read if
 *
 *   - the address is mapped as valid and as normal, cached memory, for the kernel or for
 *     the current task;
 *   - the frame is RAM, and is not ZONE_DEVICE, offline or poisoned;
 *   - the linear map has the frame as valid and as normal, cached memory. The linear map has
 *     all RAM except for RAM that must not be read, for example the pages of secretmem.
 *
 * The struct pages of an online section are read, too, because only RAM is mapped for them.
 *
 * The byte is read through the linear map, by an address without a tag: the kernel's
 * accesses by such an address are not checked against the memory's tags. No mapping but the
 * image's and that of struct pages is read itself, because a CPU that removes a mapping does
 * not wait for this CPU: the TLBs are flushed by a broadcast, and another page may be mapped
 * at the address before the read. The top byte of an address of user space may be a tag,
 * which the CPU ignores.
 *
 * As in gup_fast(), interrupts are off from the lookup to the read, because page tables of
 * user space are freed after an IPI or after a grace period of RCU. The kernel frees some of
 * its own page tables, without an IPI:
 *
 *   - Tables that a huge mapping replaces. Their addresses are not in use any more.
 *   - Tables of the linear map and of the struct pages, when memory is removed. So the tables
 *     of struct pages are not looked up, and the linear map is looked up only for a section
 *     that is online. Memory is taken offline before it is removed. Not covered is a section
 *     that goes offline and is removed during one lookup.
 *
 * Memory that is damaged is read as by any other code of the kernel.
 */
#ifndef _ASM_ARM64_TRACE_READABLE_H
#define _ASM_ARM64_TRACE_READABLE_H

#include <linux/bitfield.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/page-flags.h>
#include <linux/pgtable.h>
#include <linux/sched.h>

#include <asm/asm-extable.h>
#include <asm/memory.h>
#include <asm/sections.h>

/**
 * trace_read_word - read eight bytes that trace_readable() has found
 * @to: set to the bytes
 * @from: where the bytes are, from trace_readable()
 * @bad: set to a number, which is not 0, if the bytes cannot be read
 *
 * The bytes cannot be read if they are not mapped any more.  KASAN and KCSAN do not check
 * this read.
 */
static __always_inline void trace_read_word(unsigned long *to, const void *from,
					    unsigned long *bad)
{
	asm volatile("1:	ldr %[val], %[mem]\n"
		     "2:\n"
		     _ASM_EXTABLE_KACCESS_ERR(1b, 2b, %w[bad])
		     : [val] "+r" (*to), [bad] "+r" (*bad)
		     : [mem] "Q" (*(const unsigned long *)from));
}

/**
 * trace_read_byte - read a byte that trace_readable() has found
 * @to: set to the byte
 * @from: where the byte is, from trace_readable()
 * @bad: as for trace_read_word()
 */
static __always_inline void trace_read_byte(unsigned long *to, const void *from,
					    unsigned long *bad)
{
	asm volatile("1:	ldrb %w[val], %[mem]\n"
		     "2:\n"
		     _ASM_EXTABLE_KACCESS_ERR(1b, 2b, %w[bad])
		     : [val] "+r" (*to), [bad] "+r" (*bad)
		     : [mem] "Q" (*(const u8 *)from));
}

/**
 * trace_untagged - remove the tag of an address of user space
 * @addr: any address
 *
 * Return: the address; an address of the kernel is not changed.
 */
static __always_inline unsigned long trace_untagged(unsigned long addr)
{
	return untagged_addr(addr);
}

/* Modules do not have init_mm */
#ifndef MODULE

/*
 * Whether a leaf is valid, is for @user, maps normal, cached memory, and is allowed by the
 * task's overlay of permissions. A leaf of a huge page has its bits where a PTE has them.
 */
static __always_inline bool trace_may_read(pteval_t leaf, bool user)
{
	pteval_t type = leaf & PTE_ATTRINDX_MASK;

	if (!(leaf & PTE_VALID) || !(leaf & PTE_USER) != !user ||
	    (type != PTE_ATTRINDX(MT_NORMAL) && type != PTE_ATTRINDX(MT_NORMAL_TAGGED)))
		return false;
	return !user || por_el0_allows_pkey(FIELD_GET(PTE_PO_IDX_MASK, leaf), false, false);
}

/*
 * Find the physical address of @addr, for the user or the kernel. Returns false if there is
 * no leaf that may be read. Each leaf of contiguous leaves has its own address.
 */
static __always_inline bool trace_find_phys(phys_addr_t *phys, pgd_t *table,
					    unsigned long addr, bool user)
{
	pgd_t *pgdp = pgd_offset_pgd(table, addr), pgd = READ_ONCE(*pgdp);
	unsigned long mask = PAGE_MASK;
	pte_t leaf;
	p4d_t *p4dp, p4d;
	pud_t *pudp, pud;
	pmd_t *pmdp, pmd;

	if (!pgd_present(pgd))
		return false;
	p4dp = p4d_offset_lockless(pgdp, pgd, addr);
	p4d = READ_ONCE(*p4dp);
	if (!p4d_present(p4d))
		return false;
	pudp = pud_offset_lockless(p4dp, p4d, addr);
	pud = READ_ONCE(*pudp);
	if (!pud_present(pud))
		return false;
	if (pud_leaf(pud)) {
		leaf = pud_pte(pud);
		mask = PUD_MASK;
		goto found;
	}
	pmdp = pmd_offset_lockless(pudp, pud, addr);
	pmd = READ_ONCE(*pmdp);
	if (!pmd_present(pmd))
		return false;
	if (pmd_leaf(pmd)) {
		leaf = pmd_pte(pmd);
		mask = PMD_MASK;
		goto found;
	}
	leaf = READ_ONCE(*pte_offset_kernel(&pmd, addr));
found:
	if (!trace_may_read(pte_val(leaf), user))
		return false;
	*phys = (__pte_to_phys(leaf) & mask) | (addr & ~mask);
	return true;
}

/*
 * Whether a frame of an online section has a struct page. Does the same as pfn_valid() without
 * the RCU read lock, which may be traced
 */
static __always_inline bool trace_pfn_online(unsigned long pfn)
{
	struct mem_section *ms;

	if (pfn >> (MAX_PHYSMEM_BITS - PAGE_SHIFT))
		return false;
	ms = __pfn_to_section(pfn);
	return online_section(ms) && (early_section(ms) || pfn_section_valid(ms, pfn));
}

/* The same for the frame whose struct page is at @addr, in the area of struct pages */
static __always_inline bool trace_has_struct_page(unsigned long addr)
{
	return trace_pfn_online((addr - VMEMMAP_START) / sizeof(struct page) +
				(memstart_addr >> PAGE_SHIFT));
}

/* Whether a frame is RAM in use, by the rules of read_kcore_iter() */
static __always_inline bool trace_is_ram(unsigned long pfn)
{
	struct page *page;

	if (!trace_pfn_online(pfn))
		return false;
	page = pfn_to_page(pfn);
	return !PagePoisoned(page) && !is_zone_device_page(page) && !PageHWPoison(page) &&
	       !PageOffline(page);
}

/* Whether trace_readable_always() may be true */
#define TRACE_READABLE_ALWAYS	0

/* Whether a byte can be read without a look at the page tables */
static __always_inline bool trace_readable_always(unsigned long addr)
{
	return false;
}

/**
 * trace_readable - find where a byte and the bytes after it on its page can be read
 * @addr: an address of the kernel or of the current task
 *
 * Any context. The caller has interrupts off until it has read the byte by
 * trace_read_word() or trace_read_byte().
 *
 * Return: an address to read the byte at, NULL if the byte may not be read.
 */
static __always_inline const void *trace_readable(unsigned long addr)
{
	phys_addr_t phys, same;

	/* With tags, the bits above bit 55, which tells the side, have the memory's tag */
	if (addr & BIT(55) &&
	    (IS_ENABLED(CONFIG_KASAN_SW_TAGS) || IS_ENABLED(CONFIG_KASAN_HW_TAGS)))
		addr = __untagged_addr(addr);
	if (addr >= _PAGE_OFFSET(vabits_actual)) {
		if (addr >= (unsigned long)__start_rodata && addr < (unsigned long)__end_rodata)
			/* These bytes, usually names, are always mapped */
			return (const void *)addr;
		if (addr >= (unsigned long)_text && addr < (unsigned long)_end)
			/* The linear map may not have the image, whose mapping stays */
			return trace_find_phys(&phys, init_mm.pgd, addr, false) ?
			       (const void *)addr : NULL;
		if (IS_ENABLED(CONFIG_SPARSEMEM_VMEMMAP) &&
		    addr >= VMEMMAP_START && addr < VMEMMAP_END)
			return trace_has_struct_page(addr) ? (const void *)addr : NULL;
		if (__is_lm_address(addr))
			phys = __lm_to_phys(addr);
		else if (!trace_find_phys(&phys, init_mm.pgd, addr, false))
			return NULL;
	} else {
		struct mm_struct *mm = current->mm;

		addr = trace_untagged(addr);
		/* A kernel thread has no user memory */
		if (!mm || addr >= TASK_SIZE_MAX || !trace_find_phys(&phys, mm->pgd, addr, true))
			return NULL;
	}

	if (!trace_is_ram(PHYS_PFN(phys)))
		return NULL;
	addr = __phys_to_virt(phys);
	if (!__is_lm_address(addr) || !trace_find_phys(&same, init_mm.pgd, addr, false))
		return NULL;
	return (const void *)addr;
}

#endif /* !MODULE */
#endif /* _ASM_ARM64_TRACE_READABLE_H */
