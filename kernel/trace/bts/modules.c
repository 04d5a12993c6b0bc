// SPDX-License-Identifier: GPL-2.0
/*
 * The bts tracer: the modules that were loaded when a block was written
 *
 * A trace has addresses of modules. When the trace is read, a module may be gone, and
 * another module may have its addresses. So a block has the number of modules that had
 * been loaded before the block was written. The block has no branches of modules that
 * were loaded later.
 *
 * While no instance has the tracer, modules are only counted. Blocks of an earlier use of
 * the tracer show names of modules only if no module has been loaded since.
 */
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include <asm/sections.h>

#include "../trace.h"
#include "bts.h"

u32 bts_modules_nr;	/* number of modules loaded so far */

#ifdef CONFIG_MODULES

/*
 * The lowest bts_modules_nr of blocks whose addresses of modules outside of the list are
 * valid
 */
static u32 bts_modules_base;

/**
 * struct bts_module - a loaded module
 * @list: entry in bts_modules
 * @mod: the module
 * @nr: number of modules loaded so far, including this module
 * @rcu: for freeing the structure
 */
struct bts_module {
	struct list_head	list;
	struct module		*mod;
	u32			nr;
	struct rcu_head		rcu;
};

/* Readers use RCU, and changes are made under the mutex */
static LIST_HEAD(bts_modules);
static DEFINE_MUTEX(bts_modules_mutex);
static bool bts_modules_listed;

static struct bts_module *bts_find_module(struct module *mod)
{
	struct bts_module *m;

	list_for_each_entry_rcu(m, &bts_modules, list,
				lockdep_is_held(&bts_modules_mutex)) {
		if (m->mod == mod)
			return m;
	}
	return NULL;
}

/* Whether @addr is in a module that was among the first @modules loaded modules */
static bool bts_module_valid(unsigned long addr, u32 modules)
{
	struct bts_module *m;
	struct module *mod;

	guard(rcu)();
	guard(preempt)();
	mod = __module_text_address(addr);
	if (!mod)
		return false;
	m = bts_find_module(mod);
	return (s32)(modules - (m ? m->nr : READ_ONCE(bts_modules_base))) >= 0;
}

static void bts_module_coming(struct module *mod)
{
	struct bts_module *m = NULL;

	guard(mutex)(&bts_modules_mutex);
	if (bts_modules_listed)
		m = kmalloc(sizeof(*m), GFP_KERNEL);
	if (m) {
		m->mod = mod;
		m->nr = bts_modules_nr + 1;
		list_add_rcu(&m->list, &bts_modules);
	} else {
		/*
		 * Earlier blocks then show no names for modules that are not in the list
		 */
		WRITE_ONCE(bts_modules_base, bts_modules_nr + 1);
	}
	WRITE_ONCE(bts_modules_nr, bts_modules_nr + 1);
}

static void bts_module_going(struct module *mod)
{
	struct bts_module *m;

	guard(mutex)(&bts_modules_mutex);
	m = bts_find_module(mod);
	if (m) {
		list_del_rcu(&m->list);
		kfree_rcu(m, rcu);
	}
}

/**
 * bts_list_modules - begin or end the list of modules
 * @list: true to list modules that are loaded from now on, false to empty the list
 */
void bts_list_modules(bool list)
{
	struct bts_module *m, *next;

	guard(mutex)(&bts_modules_mutex);
	WRITE_ONCE(bts_modules_base, bts_modules_nr);
	bts_modules_listed = list;
	if (list)
		return;
	list_for_each_entry_safe(m, next, &bts_modules, list) {
		list_del_rcu(&m->list);
		kfree_rcu(m, rcu);
	}
}

static int bts_module_notify(struct notifier_block *nb, unsigned long state,
			     void *data)
{
	switch (state) {
	case MODULE_STATE_COMING:
		/* Code that is freed now may have had the module's addresses */
		bts_drain_all();
		bts_module_coming(data);
		break;
	case MODULE_STATE_LIVE:
		/* The module's init code is about to be freed */
		bts_drain_all();
		break;
	case MODULE_STATE_GOING:
		bts_drain_all();
		bts_module_going(data);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block bts_module_nb = {
	.notifier_call = bts_module_notify,
};

static __init int bts_watch_modules(void)
{
	return register_module_notifier(&bts_module_nb);
}
core_initcall(bts_watch_modules);

#else

void bts_list_modules(bool list)
{
}

static bool bts_module_valid(unsigned long addr, u32 modules)
{
	return false;
}

#endif /* CONFIG_MODULES */

/**
 * bts_address_valid - tell whether an address still belongs to the code of its recording
 * @addr: an address of the kernel or of a module
 * @modules: number of modules that had been loaded when the address was recorded
 *
 * Return: true if so, false otherwise.
 */
bool bts_address_valid(unsigned long addr, u32 modules)
{
	/* is_kernel_text() is not used, because it is true for the vsyscall page */
	return __is_kernel_text(addr) || bts_module_valid(addr, modules);
}
