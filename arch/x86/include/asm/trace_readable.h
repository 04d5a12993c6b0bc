/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that a tracer may read at a function's entry
 *
 * The tracer knows only that a function was given an address. A read of a device's
 * register may change the device, and a fault runs functions that are traced. So
 * the tracer looks up the page tables first. A byte may be read if
 *
 *   - its address is mapped: present, write-back, for the kernel or for the
 *     current task;
 *   - its frame is RAM: neither below 1 MB, where the direct map has holes of the
 *     PC, nor of ZONE_DEVICE, offline, poisoned or not accepted yet;
 *   - the direct map has the frame: present, write-back. The direct map has all RAM
 *     except for RAM that nobody may read, such as that of secretmem. Only pages of
 *     files are removed from the direct map, so an anonymous page is there.
 *
 * A user page is read through the direct map. Whatever happens to its own mapping
 * meanwhile, RAM is read, and user access need not be allowed.
 *
 * A page that the kernel has mapped itself, for example by vmalloc(), is read
 * through that mapping. If the frame is not reserved, the direct map is not looked
 * up, because each frame that is not RAM is reserved. If the mapping goes meanwhile,
 * the read faults and is given up. Nothing else is mapped at the address before
 * interrupts are on again, because the TLBs are flushed first, by an IPI.
 *
 * As in gup_fast(), interrupts are off during all of this, because page tables are
 * freed after an IPI or after a grace period of RCU. A CPU with INVLPGB sends no IPI
 * for the kernel's own page tables. There the kernel's mappings are read through the
 * direct map as well. Only those of the kernel's page tables are freed that a huge
 * mapping replaces, and nobody may use their addresses any more.
 */
#ifndef _ASM_X86_TRACE_READABLE_H
#define _ASM_X86_TRACE_READABLE_H

#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/page-flags.h>
#include <linux/pgtable.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include <asm/asm.h>
#include <asm/sections.h>
#include <asm/tlbflush.h>

/**
 * trace_read_word - read eight bytes that trace_readable() has found
 * @to: where to
 * @from: where they are
 * @good: becomes 0 if they have gone since
 *
 * KASAN and KCSAN do not check this read.
 */
static __always_inline void trace_read_word(unsigned long *to, const void *from,
					    unsigned long *good)
{
	asm volatile("1:	movq %[mem], %[val]\n"
		     "2:\n"
		     _ASM_EXTABLE_TYPE_REG(1b, 2b, EX_TYPE_ZERO_REG, %k[ok])
		     : [val] "+r" (*to), [ok] "+r" (*good)
		     : [mem] "m" (*(const unsigned long *)from));
}

/**
 * trace_read_byte - read a byte that trace_readable() has found
 * @to: where to
 * @from: where it is
 * @good: becomes 0 if it has gone since
 */
static __always_inline void trace_read_byte(unsigned long *to, const void *from,
					    unsigned long *good)
{
	asm volatile("1:	movzbl %[mem], %k[val]\n"
		     "2:\n"
		     _ASM_EXTABLE_TYPE_REG(1b, 2b, EX_TYPE_ZERO_REG, %k[ok])
		     : [val] "+r" (*to), [ok] "+r" (*good)
		     : [mem] "m" (*(const u8 *)from));
}

/* Modules have neither init_mm nor cpu_tlbstate */
#ifndef MODULE

/* The entry for @addr of the table that @entry refers to */
#define trace_next(type, entry, addr)					\
	type##_val(READ_ONCE(((type##_t *)__va((entry) & PTE_PFN_MASK))[type##_index(addr)]))

/* Neither a leaf nor absent */
static __always_inline bool trace_is_table(unsigned long entry)
{
	return (entry & (_PAGE_PRESENT | _PAGE_PSE)) == _PAGE_PRESENT;
}

/* The physical address that a leaf maps @addr to; @mask is that of its page */
static __always_inline unsigned long trace_phys(unsigned long leaf,
						unsigned long addr,
						unsigned long mask)
{
	return (leaf & PTE_PFN_MASK & mask) | (addr & ~mask);
}

/*
 * Whether a leaf is present, for @user, and write-back, which is type 0 whatever
 * the PAT has; @cache are the bits of the type. A protection key is the task's.
 */
static __always_inline bool trace_may_read(unsigned long leaf,
					   unsigned long user,
					   unsigned long cache)
{
	return (leaf & (_PAGE_PRESENT | _PAGE_USER | cache)) ==
		       (_PAGE_PRESENT | user) &&
	       (!user || __pkru_allows_pkey(pte_flags_pkey(leaf), false));
}

/*
 * Find the physical address of @addr, for user space if @user is _PAGE_USER, and for
 * the kernel if it is 0. Returns the leaf of the page tables, 0 if there is no leaf
 * that may be read. A leaf of a huge page has _PAGE_PSE. In another leaf the same bit
 * belongs to the memory type, and is clear.
 */
static __always_inline unsigned long trace_find_phys(unsigned long *phys,
						     pgd_t *table,
						     unsigned long addr,
						     unsigned long user)
{
	unsigned long entry, mask;

	entry = pgd_val(READ_ONCE(*pgd_offset_pgd(table, addr)));
	if (pgtable_l5_enabled()) {
		if (!(entry & _PAGE_PRESENT))
			return 0;
		entry = trace_next(p4d, entry, addr);
	}
	if (!(entry & _PAGE_PRESENT))
		return 0;
	entry = trace_next(pud, entry, addr);
	if (!trace_is_table(entry)) {
		mask = PUD_MASK;
		goto huge;
	}
	entry = trace_next(pmd, entry, addr);
	if (!trace_is_table(entry)) {
		mask = PMD_MASK;
		goto huge;
	}
	entry = trace_next(pte, entry, addr);
	if (!trace_may_read(entry, user, _PAGE_CACHE_MASK))
		return 0;
	*phys = trace_phys(entry, addr, PAGE_MASK);
	return entry;
huge:
	if (!trace_may_read(entry, user, _PAGE_LARGE_CACHE_MASK))
		return 0;
	*phys = trace_phys(entry, addr, mask);
	return entry;
}

/*
 * Whether a leaf of user space has an anonymous page. Such a page is RAM, and the
 * direct map has it: the kernel copies, compresses and swaps it there. A page that
 * is not special has a struct page, see vm_normal_page().
 */
static __always_inline bool trace_is_anon(unsigned long leaf, unsigned long phys)
{
	struct page *page;

	if (leaf & (_PAGE_PSE | _PAGE_SPECIAL))
		return false;
	page = pfn_to_page(PFN_DOWN(phys));
	/* Nobody holds the page, but it stays RAM whatever it becomes meanwhile */
	return data_race(PageAnon(page)) && !is_zone_device_page(page) &&
	       !PageHWPoison(page);
}

/*
 * Whether a frame is RAM in use, by the rules of read_kcore_iter(). Without @reserved,
 * reserved frames are refused, because each frame that is not RAM is reserved.
 */
static __always_inline bool trace_is_ram(unsigned long pfn, const bool reserved)
{
	struct mem_section *ms = __pfn_to_section(pfn);
	struct page *page;

	/* pfn_valid(), without the RCU read lock, which may be traced */
	if (pfn < PFN_DOWN(SZ_1M) || !valid_section(ms) ||
	    !(early_section(ms) || pfn_section_valid(ms, pfn)))
		return false;
	page = pfn_to_page(pfn);
	if (PagePoisoned(page) || is_zone_device_page(page) ||
	    PageHWPoison(page) || PageOffline(page) ||
	    (!reserved && PageReserved(page)))
		return false;
	/* Memory is accepted in blocks, and the first page of a block has the flag */
	return !IS_ENABLED(CONFIG_UNACCEPTED_MEMORY) ||
	       !PageUnaccepted(pfn_to_page(ALIGN_DOWN(pfn, MAX_ORDER_NR_PAGES)));
}

/*
 * Whether an address that is unmapped stays unmapped while interrupts are off: then
 * the CPU that unmaps it waits for this CPU
 */
static __always_inline bool trace_mappings_stay(void)
{
#ifdef X86_FEATURE_INVLPGB
	return !cpu_feature_enabled(X86_FEATURE_INVLPGB);
#else
	return true;
#endif
}

/**
 * trace_readable - find where a byte, and the bytes behind it on its page, can be read
 * @addr: an address of the kernel or of the current task
 *
 * Any context, with interrupts off until it is read, by trace_read_word() or
 * trace_read_byte().
 *
 * Return: an address to read the byte at, NULL if the byte may not be read.
 */
static __always_inline const void *trace_readable(unsigned long addr)
{
	unsigned long phys, same;

	if (addr < TASK_SIZE_MAX) {
		struct mm_struct *mm = current->mm;
		unsigned long leaf;

		/* Not in a kernel thread, and not while mms are switched */
		if (!mm || this_cpu_read(cpu_tlbstate.loaded_mm) != mm)
			return NULL;
		leaf = trace_find_phys(&phys, mm->pgd, addr, _PAGE_USER);
		if (!leaf)
			return NULL;
		if (likely(trace_is_anon(leaf, phys)))
			return (const void *)(PAGE_OFFSET + phys);
	} else if (addr >= (unsigned long)__start_rodata &&
		   addr < (unsigned long)__end_rodata) {
		/* Names in the kernel, mostly; mapped as long as the kernel runs */
		return (const void *)addr;
	} else if (addr - PAGE_OFFSET < VMALLOC_START - PAGE_OFFSET) {
		/* In the direct map */
		phys = addr - PAGE_OFFSET;
	} else {
		if (addr < ~__VIRTUAL_MASK ||
		    !trace_find_phys(&phys, init_mm.pgd, addr, 0))
			return NULL;
		/* Only RAM is mapped in the area of modules */
		if (addr - MODULES_VADDR < MODULES_END - MODULES_VADDR ||
		    (trace_mappings_stay() && trace_is_ram(PFN_DOWN(phys), false)))
			return (const void *)addr;
	}

	if (phys >= VMALLOC_START - PAGE_OFFSET)
		return NULL;
	addr = PAGE_OFFSET + phys;
	if (!trace_find_phys(&same, init_mm.pgd, addr, 0) ||
	    !trace_is_ram(PFN_DOWN(phys), true))
		return NULL;
	return (const void *)addr;
}

#endif /* !MODULE */
#endif /* _ASM_X86_TRACE_READABLE_H */
