// SPDX-License-Identifier: GPL-2.0
/*
 * The trace instances that have the bts or the step tracer
 *
 * The tracers differ in how the branches are recorded: struct bts_ops.
 */
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "bts.h"
#include "range.h"

struct bts_instance *bts_instances[BTS_NR_INSTANCES];
int bts_nr_instances;
bool bts_dead;

#define BTS_NR_OPS		2

static const struct bts_ops *bts_all_ops[BTS_NR_OPS] __ro_after_init;

/**
 * bts_register_ops - make known how a tracer records branches
 * @ops: the tracer's functions
 */
void __init bts_register_ops(const struct bts_ops *ops)
{
	int i;

	for (i = 0; bts_all_ops[i]; i++)
		;
	bts_all_ops[i] = ops;
}

/**
 * bts_update_all - update what each CPU records for the instances
 */
void bts_update_all(void)
{
	int i;

	for (i = 0; i < BTS_NR_OPS && bts_all_ops[i]; i++)
		bts_all_ops[i]->update();
}

/**
 * bts_drain_all - write the branches that the CPUs have recorded
 *
 * The CPUs continue to record, without a gap.
 */
void bts_drain_all(void)
{
	int i;

	for (i = 0; i < BTS_NR_OPS && bts_all_ops[i]; i++)
		bts_all_ops[i]->drain();
}

/**
 * bts_find_instance - find the slot of an instance
 * @tr: the instance
 *
 * Return: the slot, a free slot if @tr has none, or -ENOSPC if there is no free slot.
 */
int bts_find_instance(struct trace_array *tr)
{
	int i, slot = -ENOSPC;

	for (i = 0; i < BTS_NR_INSTANCES; i++) {
		struct bts_instance *inst = READ_ONCE(bts_instances[i]);

		if (inst && inst->tr == tr)
			return i;
		if (!inst && slot < 0)
			slot = i;
	}
	return slot;
}

/**
 * bts_instance - find the tracer's data of an instance
 * @tr: the instance
 *
 * Return: the data, or NULL if @tr has another tracer.
 */
struct bts_instance *bts_instance(struct trace_array *tr)
{
	int i = bts_find_instance(tr);

	return i < 0 ? NULL : READ_ONCE(bts_instances[i]);
}

/**
 * bts_free_instance - free the data that bts_alloc_instance() has allocated
 * @inst: the tracer's data of an instance
 */
void bts_free_instance(struct bts_instance *inst)
{
	free_percpu(inst->pcpu);
	free_cpumask_var(inst->cpus);
	kvfree(inst->ranges);
	kfree(inst);
}

/**
 * bts_alloc_instance - allocate the tracer's data of an instance
 * @tr: the instance, whose options are the tracer's options
 * @ops: how the tracer records
 *
 * Return: the data, or ERR_PTR(-ENOSPC) or ERR_PTR(-ENOMEM).
 */
struct bts_instance *bts_alloc_instance(struct trace_array *tr,
					const struct bts_ops *ops)
{
	struct bts_instance *inst;

	if (bts_find_instance(tr) < 0)
		return ERR_PTR(-ENOSPC);
	inst = kzalloc(sizeof(*inst), GFP_KERNEL);
	if (!inst)
		return ERR_PTR(-ENOMEM);
	inst->pcpu = alloc_percpu(struct bts_instance_cpu);
	if (!inst->pcpu || !alloc_cpumask_var(&inst->cpus, GFP_KERNEL)) {
		free_percpu(inst->pcpu);
		kfree(inst);
		return ERR_PTR(-ENOMEM);
	}
	inst->tr = tr;
	inst->ops = ops;
	cpumask_copy(inst->cpus, tr->tracing_cpumask);
	return inst;
}

/*
 * Stop the instances that recorded when the kernel died, and open their buffers.  Returns
 * those whose buffers were closed.
 */
static u32 bts_open_closed(void)
{
	struct bts_instance *inst;
	u32 mask = 0;
	int i;

	for (i = 0; i < READ_ONCE(bts_nr_instances); i++) {
		inst = READ_ONCE(bts_instances[i]);
		if (!inst || READ_ONCE(inst->off))
			continue;
		WRITE_ONCE(inst->off, true);
		if (tracer_tracing_is_on(inst->tr))
			continue;
		ring_buffer_record_on(inst->tr->array_buffer.buffer);
		mask |= BIT(i);
	}
	return mask;
}

/**
 * bts_write_last - write the branches that led to an oops or a panic
 *
 * oops_enter() has closed the buffer of the top instance before. Any context.
 */
void bts_write_last(void)
{
	struct bts_instance *inst;
	unsigned long flags;
	u32 mask;
	int i;

	if (!READ_ONCE(bts_dead))
		return;
	raw_local_irq_save(flags);
	mask = bts_open_closed();
	for (i = 0; i < BTS_NR_OPS && bts_all_ops[i]; i++)
		bts_all_ops[i]->drain_last();
	for (; mask; mask &= mask - 1) {
		inst = READ_ONCE(bts_instances[__ffs(mask)]);
		if (inst)
			ring_buffer_record_off(inst->tr->array_buffer.buffer);
	}
	raw_local_irq_restore(flags);
}

/**
 * bts_flush - write the branches in the CPUs' buffers
 * @tr: the instance to write for, which may have another tracer
 * @stop: whether to stop recording for the instance
 *
 * The callback flush() of struct tracer.
 */
void bts_flush(struct trace_array *tr, bool stop)
{
	struct bts_instance *inst = bts_instance(tr);

	if (!inst)
		return;
	bts_write_last();
	if (stop) {
		WRITE_ONCE(inst->off, true);
		bts_update_all();
	}
	inst->ops->drain();
}
