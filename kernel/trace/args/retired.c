// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that function entry may still read, which is freed later
 */
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "args.h"
#include "table.h"

static void free_retired(struct work_struct *work);

static LLIST_HEAD(retired_list);
static DECLARE_DELAYED_WORK(retired_work, free_retired);

/* Memory is collected for this time before a worker frees it */
#define RETIRED_DELAY		(HZ / 10)

/**
 * arg_sig_retire - free memory that new readers do not find, after the old readers are done
 * @old: the memory
 * @free: frees the memory, see struct arg_sig_retired
 *
 * Function entry reads with preemption disabled, and may run where RCU is not watching. So
 * the memory is freed after an RCU-tasks-rude grace period, and after a grace period of
 * RCU, which other readers use. A worker waits, so that neither the load of a module nor a
 * write to a file of lines waits.
 *
 * Any lock may be held.
 */
void arg_sig_retire(struct arg_sig_retired *old,
		    bool (*free)(struct arg_sig_retired *old))
{
	old->free = free;
	llist_add(&old->node, &retired_list);
	schedule_delayed_work(&retired_work, RETIRED_DELAY);
}

static void free_retired(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&retired_list);
	struct arg_sig_retired *old, *next;

	synchronize_rcu_tasks_rude();
	synchronize_rcu();
	llist_for_each_entry_safe(old, next, list, node)
		if (!old->free(old))
			arg_sig_retire(old, old->free);
}
