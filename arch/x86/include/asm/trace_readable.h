/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that a tracer may read at a function's entry
 *
 * The tracer only knows that a function got an address. A read of a device's register may
 * change the device, and a fault runs functions that are traced. So the tracer asks first
 * what is at the address:
 *
 *   - The direct map. It has all RAM, except for RAM that must not be read, for example the
 *     pages of secretmem. If the frame is RAM, a read can do no harm: a page that is not in
 *     the direct map faults, and then the read fails. This is rare, because nobody passes
 *     the address of such a page.
 *   - The image of the kernel, and the area of modules. Only RAM is mapped there, so again
 *     a read can at most fail.
 *   - The area of struct pages. If the section of the frames is online, only RAM is mapped
 *     for it there.
 *   - All other addresses. The page tables of the kernel or of the current task have to map
 *     the address as present and write-back, and the direct map has to map the frame in
 *     the same way.
 *
 * A frame is RAM if it is online and is not reserved, because each frame that is not RAM is
 * reserved. It must not be ZONE_DEVICE, offline, poisoned or not accepted yet. A frame that
 * is reserved, for example because it was allocated at boot, is RAM if the direct map has it
 * as present and write-back, and it is not below 1 MB, where the direct map has holes of the
 * PC.
 *
 * A user page is read through the direct map. So RAM is read even if the mapping of the
 * page changes meanwhile, and user access need not be allowed. Only pages of files are
 * removed from the direct map, so it has all anonymous pages.
 *
 * A page that the kernel has mapped itself, for example by vmalloc(), is read through
 * this mapping. If the mapping is removed meanwhile, the read faults and fails. No other
 * page is mapped at the address while interrupts are off, because the TLBs are flushed by an
 * IPI before the address is used again.
 *
 * As in gup_fast(), interrupts are off from the lookup to the read, because page tables
 * are freed after an IPI or after a grace period of RCU. A CPU with INVLPGB sends no IPI
 * for the kernel's own page tables, so on such a CPU the kernel's mappings are read
 * through the direct map as well.
 *
 * The kernel frees some of its own page tables:
 *
 *   - Tables that a huge mapping replaces. Their addresses are not in use any more.
 *   - Tables of the direct map and of the struct pages, when memory is removed. These are
 *     freed before the entry above them is cleared, and not always after an IPI. So the
 *     tables of struct pages are not looked up, and the direct map is looked up only for a
 *     section that is online. Memory is taken offline before it is removed. Not covered is
 *     a section that goes offline and is removed during one lookup.
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
 * @to: set to the bytes
 * @from: where the bytes are, from trace_readable()
 * @bad: set to the exception, which is not 0, if the bytes cannot be read
 *
 * The bytes cannot be read if they are not mapped any more, or if the memory is damaged: then
 * the CPU raises a machine check, which the kernel survives at such an instruction.  The
 * kernel's handler writes the exception to RAX.  KASAN and KCSAN do not check this read.
 */
static __always_inline void trace_read_word(unsigned long *to, const void *from,
					    unsigned long *bad)
{
	asm volatile("1:	movq %[mem], %[val]\n"
		     "2:\n"
		     _ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_FAULT_MCE_SAFE)
		     : [val] "+r" (*to), "+a" (*bad)
		     : [mem] "m" (*(const unsigned long *)from));
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
	asm volatile("1:	movzbl %[mem], %k[val]\n"
		     "2:\n"
		     _ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_FAULT_MCE_SAFE)
		     : [val] "+r" (*to), "+a" (*bad)
		     : [mem] "m" (*(const u8 *)from));
}

/**
 * trace_untagged - remove the tag of an address of user space
 * @addr: any address
 *
 * LAM's tags are not removed, so an address with such a tag is not read.
 *
 * Return: the address.
 */
static __always_inline unsigned long trace_untagged(unsigned long addr)
{
	return addr;
}

/* Modules have neither init_mm nor cpu_tlbstate */
#ifndef MODULE

/* The entry for @addr of the table that @entry refers to */
#define trace_next(type, entry, addr)					\
	type##_val(READ_ONCE(((type##_t *)__va((entry) & PTE_PFN_MASK))[type##_index(addr)]))

/* Whether an entry refers to a table: it is neither a leaf nor absent */
static __always_inline bool trace_is_table(unsigned long entry)
{
	return (entry & (_PAGE_PRESENT | _PAGE_PSE)) == _PAGE_PRESENT;
}

/* The physical address that a leaf maps @addr to; @mask is the mask of the leaf's page */
static __always_inline unsigned long trace_phys(unsigned long leaf,
						unsigned long addr,
						unsigned long mask)
{
	return (leaf & PTE_PFN_MASK & mask) | (addr & ~mask);
}

/*
 * Whether a leaf is present, is for @user, is write-back, and is allowed by the task's
 * protection keys. Write-back is memory type 0 with any PAT. @cache has the bits of the
 * memory type.
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
 * Find the physical address of @addr, for user space if @user is _PAGE_USER, for the
 * kernel if @user is 0. Returns the leaf of the page tables, 0 if there is no leaf that
 * may be read. A leaf of a huge page has _PAGE_PSE. In other leaves the same bit belongs
 * to the memory type, and is clear.
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
 * Whether a leaf of user space maps an anonymous page. An anonymous page is RAM, and is
 * in the direct map, because the kernel copies, compresses and swaps the page through the
 * direct map. A page that is not special has a struct page, see vm_normal_page().
 */
static __always_inline bool trace_is_anon(unsigned long leaf, unsigned long phys)
{
	struct page *page;

	if (leaf & (_PAGE_PSE | _PAGE_SPECIAL))
		return false;
	page = pfn_to_page(PFN_DOWN(phys));
	/*
	 * There is no reference to the page, but it stays RAM even if its use changes
	 * meanwhile
	 */
	return data_race(PageAnon(page)) && !is_zone_device_page(page) &&
	       !PageHWPoison(page);
}

/*
 * Whether a frame is RAM in use, by the rules of read_kcore_iter(). If @reserved is
 * false, reserved frames are refused, because each frame that is not RAM is reserved. The
 * frames below 1 MB are reserved, too, and the flags of a poisoned struct page are all set.
 * An online section has all its struct pages: it is of the boot, or was added as a whole.
 */
static __always_inline bool trace_is_ram(unsigned long pfn, const bool reserved)
{
	struct page *page;

	if ((reserved && pfn < PFN_DOWN(SZ_1M)) || !online_section(__pfn_to_section(pfn)))
		return false;
	page = pfn_to_page(pfn);
	if ((reserved ? PagePoisoned(page) : PageReserved(page)) ||
	    is_zone_device_page(page) || PageHWPoison(page) || PageOffline(page))
		return false;
	/*
	 * Memory is accepted in blocks, and the first page of a block has the flag of the
	 * block
	 */
	return !IS_ENABLED(CONFIG_UNACCEPTED_MEMORY) ||
	       !PageUnaccepted(pfn_to_page(ALIGN_DOWN(pfn, MAX_ORDER_NR_PAGES)));
}

/* The frame whose struct page is at @addr, in the area of struct pages */
static __always_inline unsigned long trace_pfn_of(unsigned long addr)
{
	return (addr - VMEMMAP_START) / sizeof(struct page);
}

/* Whether an address is in the area of struct pages */
static __always_inline bool trace_is_struct_page(unsigned long addr)
{
	return IS_ENABLED(CONFIG_SPARSEMEM_VMEMMAP) &&
	       trace_pfn_of(addr) < 1UL << (MAX_PHYSMEM_BITS - PAGE_SHIFT);
}

/*
 * Whether an unmapped address stays unmapped while interrupts are off. It does if the CPU
 * that unmaps the address waits for this CPU
 */
static __always_inline bool trace_mappings_stay(void)
{
#ifdef X86_FEATURE_INVLPGB
	return !cpu_feature_enabled(X86_FEATURE_INVLPGB);
#else
	return true;
#endif
}

/* Whether trace_readable_always() may be true */
#define TRACE_READABLE_ALWAYS	1

/**
 * trace_readable_always - whether a byte and the bytes after it on its page are of the direct map
 * @addr: any address
 *
 * Any context, with interrupts on or off, because no page tables are read.
 *
 * Return: whether the byte can be read at @addr, by trace_read_word() or trace_read_byte().
 */
static __always_inline bool trace_readable_always(unsigned long addr)
{
	/* The direct map has all sections, so another address has the number of none */
	return trace_is_ram(PFN_DOWN(addr - PAGE_OFFSET), false);
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
	unsigned long phys = addr - PAGE_OFFSET, same;

	if (likely(phys < VMALLOC_START - PAGE_OFFSET)) {
		/* The address is in the direct map */
		if (likely(trace_is_ram(PFN_DOWN(phys), false)))
			return (const void *)addr;
	} else if (addr < TASK_SIZE_MAX) {
		struct mm_struct *mm = current->mm;
		unsigned long leaf;

		/*
		 * A kernel thread has no user memory, and the page tables may differ
		 * while mms are switched
		 */
		if (!mm || this_cpu_read(cpu_tlbstate.loaded_mm) != mm)
			return NULL;
		leaf = trace_find_phys(&phys, mm->pgd, addr, _PAGE_USER);
		if (!leaf)
			return NULL;
		if (likely(trace_is_anon(leaf, phys)))
			return (const void *)(PAGE_OFFSET + phys);
	} else {
		/* Only RAM is mapped in the image, and in the area of modules */
		if (addr - (unsigned long)_text < _end - _text ||
		    addr - MODULES_VADDR < MODULES_END - MODULES_VADDR)
			return (const void *)addr;
		if (trace_is_struct_page(addr))
			return online_section(__pfn_to_section(trace_pfn_of(addr))) ?
			       (const void *)addr : NULL;
		if (addr < ~__VIRTUAL_MASK ||
		    !trace_find_phys(&phys, init_mm.pgd, addr, 0))
			return NULL;
		if (trace_mappings_stay() && trace_is_ram(PFN_DOWN(phys), false))
			return (const void *)addr;
	}

	if (phys >= VMALLOC_START - PAGE_OFFSET)
		return NULL;
	addr = PAGE_OFFSET + phys;
	/* The page tables of a section that is not online may be freed */
	if (!trace_is_ram(PFN_DOWN(phys), true) ||
	    !trace_find_phys(&same, init_mm.pgd, addr, 0))
		return NULL;
	return (const void *)addr;
}

#endif /* !MODULE */
#endif /* _ASM_X86_TRACE_READABLE_H */
