/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that a tracer may read at a function's entry
 *
 * The tracer knows nothing of an address but that the function was given it. A
 * read of a device's register may change the device, and a fault runs functions
 * that are traced. So the page tables are asked first. A byte may be read if
 *
 *   - its address is mapped: present, write-back, for the kernel or for the
 *     current task;
 *   - the direct map has its frame: present, write-back. The direct map has RAM,
 *     and RAM that nobody may read, secretmem's as an example, is taken from it;
 *   - the frame is neither below 1 MB, where the direct map has holes of the PC,
 *     nor of ZONE_DEVICE, offline, poisoned or not accepted yet.
 *
 * It is read through the direct map. Whatever happens to its own mapping
 * meanwhile, RAM is read, and user access need not be allowed.
 *
 * As in gup_fast(), interrupts are off during all of this: page tables are freed
 * after an IPI or after a grace period of RCU. There is no IPI for the kernel's
 * own where the CPU has INVLPGB; of these only tables are freed that a huge
 * mapping replaces, which nobody may use any more.
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
 * Neither KASAN nor KCSAN look at it.
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

/* A leaf of the page tables; @cache are its bits of the memory type */
static __always_inline bool trace_leaf_readable(unsigned long leaf,
						unsigned long cache,
						unsigned long user)
{
	if ((leaf & (_PAGE_PRESENT | _PAGE_USER | cache)) !=
	    (_PAGE_PRESENT | user))
		return false;
	/* Write-back is type 0 whatever the PAT has; a protection key is the task's */
	return !user || __pkru_allows_pkey(pte_flags_pkey(leaf), false);
}

/*
 * Find the frame that @addr is mapped to, for user space if @user is _PAGE_USER
 * and for the kernel if it is 0. Returns false if it is not mapped so, or not
 * write-back.
 */
static __always_inline bool trace_find_frame(unsigned long *pfn, pgd_t *table,
					     unsigned long addr,
					     unsigned long user)
{
	pgd_t pgd = READ_ONCE(*pgd_offset_pgd(table, addr));
	p4d_t p4d;
	pud_t pud;
	pmd_t pmd;
	pte_t pte;

	if (!pgd_present(pgd))
		return false;
	p4d = READ_ONCE(*p4d_offset_lockless(NULL, pgd, addr));
	if (!p4d_present(p4d))
		return false;
	pud = READ_ONCE(*pud_offset_lockless(NULL, p4d, addr));
	if (!(pud_val(pud) & _PAGE_PRESENT))
		return false;
	if (pud_leaf(pud)) {
		*pfn = pud_pfn(pud) + PFN_DOWN(addr & ~PUD_MASK);
		return trace_leaf_readable(pud_val(pud), _PAGE_LARGE_CACHE_MASK,
					   user);
	}
	/* Not by pmd_offset() and pte_offset_kernel(), which allow for a leaf */
	pmd = READ_ONCE(((pmd_t *)__va(pud_val(pud) & PTE_PFN_MASK))[pmd_index(addr)]);
	if (!(pmd_val(pmd) & _PAGE_PRESENT))
		return false;
	if (pmd_leaf(pmd)) {
		*pfn = pmd_pfn(pmd) + PFN_DOWN(addr & ~PMD_MASK);
		return trace_leaf_readable(pmd_val(pmd), _PAGE_LARGE_CACHE_MASK,
					   user);
	}
	pte = READ_ONCE(((pte_t *)__va(pmd_val(pmd) & PTE_PFN_MASK))[pte_index(addr)]);
	*pfn = PFN_DOWN(pte_val(pte) & PTE_PFN_MASK);
	return trace_leaf_readable(pte_val(pte), _PAGE_CACHE_MASK, user);
}

/* Whether a frame that the direct map has is RAM in use; as read_kcore_iter() */
static __always_inline bool trace_frame_readable(unsigned long pfn)
{
	struct mem_section *ms = __pfn_to_section(pfn);
	struct page *page;

	/* pfn_valid(), without the RCU read lock, which may be traced */
	if (pfn < PFN_DOWN(SZ_1M) || !valid_section(ms) ||
	    !(early_section(ms) || pfn_section_valid(ms, pfn)))
		return false;
	page = pfn_to_page(pfn);
	if (PagePoisoned(page) || is_zone_device_page(page) ||
	    PageHWPoison(page) || PageOffline(page))
		return false;
	/* What is not accepted is so in blocks, of which the first page tells */
	return !IS_ENABLED(CONFIG_UNACCEPTED_MEMORY) ||
	       !PageUnaccepted(pfn_to_page(ALIGN_DOWN(pfn, MAX_ORDER_NR_PAGES)));
}

static __always_inline bool trace_in_direct_map(unsigned long addr)
{
	return addr - PAGE_OFFSET < VMALLOC_START - PAGE_OFFSET;
}

/**
 * trace_readable - where a byte, and what follows on its page, can be read
 * @addr: an address of the kernel or of the current task
 *
 * Any context, with interrupts off until it is read, by trace_read_word() or
 * trace_read_byte().
 *
 * Return: another address of it or the same, NULL if it may not be read.
 */
static __always_inline const void *trace_readable(unsigned long addr)
{
	unsigned long pfn, found;

	/* Names in the kernel, mostly; mapped as long as the kernel runs */
	if (addr - (unsigned long)__start_rodata <
	    (unsigned long)(__end_rodata - __start_rodata))
		return (const void *)addr;

	if (trace_in_direct_map(addr)) {
		pfn = PFN_DOWN(addr - PAGE_OFFSET);
	} else {
		if (addr < TASK_SIZE_MAX) {
			struct mm_struct *mm = current->mm;

			/* Not a kernel thread's, nor while mms are switched */
			if (!mm || this_cpu_read(cpu_tlbstate.loaded_mm) != mm ||
			    !trace_find_frame(&pfn, mm->pgd, addr, _PAGE_USER))
				return NULL;
		} else if (addr < ~__VIRTUAL_MASK ||
			   !trace_find_frame(&pfn, init_mm.pgd, addr, 0)) {
			return NULL;
		}
		addr = PAGE_OFFSET + PFN_PHYS(pfn) + offset_in_page(addr);
		if (!trace_in_direct_map(addr))
			return NULL;
	}

	if (!trace_find_frame(&found, init_mm.pgd, addr, 0) || found != pfn ||
	    !trace_frame_readable(pfn))
		return NULL;
	return (const void *)addr;
}

#endif /* !MODULE */
#endif /* _ASM_X86_TRACE_READABLE_H */
