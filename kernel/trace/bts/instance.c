// SPDX-License-Identifier: GPL-2.0
/*
 * The trace instances that have the bts or the step tracer
 *
 * The tracers differ in how the branches are recorded: struct bts_ops.
 */
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "bts.h"
#include "range.h"

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

static void bts_update_this(void *ignore)
{
	int i;

	for (i = 0; i < BTS_NR_OPS && bts_all_ops[i]; i++)
		bts_all_ops[i]->update_cpu(NULL);
}

/**
 * bts_update_all - update what each CPU records for the instances
 */
void bts_update_all(void)
{
	on_each_cpu(bts_update_this, NULL, 1);
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
 * bts_instance - find the tracer's data of an instance
 * @tr: the instance
 *
 * Return: the data, or NULL if @tr has another tracer.
 */
struct bts_instance *bts_instance(struct trace_array *tr)
{
	struct bts_instance *inst;
	int i;

	for (i = 0; i < BTS_NR_OPS && bts_all_ops[i]; i++) {
		bts_for_each(inst, bts_all_ops[i]) {
			if (inst->tr == tr)
				return inst;
		}
	}
	return NULL;
}

/**
 * bts_free_instance - free the data that bts_alloc_instance() has allocated
 * @inst: the tracer's data of an instance
 */
void bts_free_instance(struct bts_instance *inst)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kfree(per_cpu_ptr(inst->pcpu, cpu)->held);
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
 * Return: the data, or NULL if there is no memory.
 */
struct bts_instance *bts_alloc_instance(struct trace_array *tr,
					const struct bts_ops *ops)
{
	struct bts_instance *inst;

	inst = kzalloc(sizeof(*inst), GFP_KERNEL);
	if (!inst)
		return NULL;
	inst->pcpu = alloc_percpu(struct bts_instance_cpu);
	if (!inst->pcpu || !alloc_cpumask_var(&inst->cpus, GFP_KERNEL)) {
		free_percpu(inst->pcpu);
		kfree(inst);
		return NULL;
	}
	inst->tr = tr;
	inst->ops = ops;
	cpumask_copy(inst->cpus, tr->tracing_cpumask);
	return inst;
}

/*
 * Stop the instances that recorded when the kernel died, and open their buffers for @call.  A
 * tracer that survives goes on where the buffer is open.
 */
static void bts_open_closed(const struct bts_ops *ops, const void *call)
{
	struct bts_instance *inst;
	bool open;

	bts_for_each(inst, ops) {
		open = tracer_tracing_is_on(inst->tr);
		if (READ_ONCE(inst->off) || (open && ops->survives))
			continue;
		if (!open) {
			inst->opened = call;
			ring_buffer_record_on(inst->tr->array_buffer.buffer);
		}
		/* When the buffer is open, because an NMI may write the records from now on */
		WRITE_ONCE(inst->off, true);
	}
}

/* Close the buffers that bts_open_closed() has opened for @call */
static void bts_close_opened(const struct bts_ops *ops, const void *call)
{
	struct bts_instance *inst;

	bts_for_each(inst, ops) {
		if (inst->opened != call)
			continue;
		inst->opened = NULL;
		ring_buffer_record_off(inst->tr->array_buffer.buffer);
	}
}

/**
 * bts_write_last - write the branches that led to an oops or a panic
 *
 * oops_enter() has closed the buffer of the top instance before. Any context.
 */
void bts_write_last(void)
{
	unsigned long flags;
	int i;

	if (!READ_ONCE(bts_dead))
		return;
	raw_local_irq_save(flags);
	for (i = 0; i < BTS_NR_OPS && bts_all_ops[i]; i++) {
		bts_open_closed(bts_all_ops[i], &flags);
		bts_all_ops[i]->drain_last();
		bts_close_opened(bts_all_ops[i], &flags);
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
