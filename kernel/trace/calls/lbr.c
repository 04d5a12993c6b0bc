// SPDX-License-Identifier: GPL-2.0
/*
 * The branches that led to the return of a call
 *
 * CPUs keep their last branches (Intel SDM vol. 3B, "Last Branch Records"; AMD64 APM
 * vol. 2, "Last Branch Stack Registers").  With funcgraph-lbr the graph tracer copies the
 * branches when a function returns, and writes them as a block of the bts event if the call
 * meets a condition at its return.
 *
 * The CPU's branches since the function's return are those of ftrace, and so are the
 * branches of a traced callee's entry and return.  A block has the branches between them.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <asm/bts.h>
#include <asm/trace_lbr.h>

#include "../trace.h"
#include "../bts/bts.h"
#include "../bts/blocks.h"
#include "lbr.h"

/**
 * struct graph_lbr_cpu - what writing the branches needs
 * @retry: enables graph_lbr_event again after perf has disabled it
 * @noted: whether the trace has a note that graph_lbr_event is disabled
 * @rec: the branches that are written, the last one at the end
 * @writer: for encoding the block
 *
 * Only its CPU uses @rec and @writer, with interrupts off.
 */
struct graph_lbr_cpu {
	struct delayed_work	retry;
	bool			noted;
	struct bts_record	rec[GRAPH_LBR_RECORDS];
	struct bts_writer	writer;
};

DEFINE_PER_CPU(struct perf_event *, graph_lbr_event);
struct graph_lbr_last __percpu *graph_lbr_lasts;
static struct graph_lbr_cpu __percpu *graph_lbr_cpus;

static unsigned int graph_lbr_users;	/* instances */
static struct perf_event *graph_lbr_idle;	/* never enabled */
static int graph_lbr_hotplug;
static unsigned long graph_lbr_size;	/* bytes of return_to_handler() */

/*
 * All branches, because perf would look at the instruction of each branch to leave out
 * those of one side.
 */
static struct perf_event_attr graph_lbr_attr = {
	.type			= PERF_TYPE_HARDWARE,
	.config			= PERF_COUNT_HW_CPU_CYCLES,
	.size			= sizeof(struct perf_event_attr),
	.pinned			= 1,
	.sample_type		= PERF_SAMPLE_BRANCH_STACK,
	.branch_sample_type	= PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_USER |
				  PERF_SAMPLE_BRANCH_ANY,
};

static struct perf_event *create_event(unsigned int cpu, bool disabled)
{
	struct perf_event_attr attr = graph_lbr_attr;

	attr.disabled = disabled;
	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

static void graph_lbr_retry(struct work_struct *work)
{
	struct perf_event *event = this_cpu_read(graph_lbr_event);

	/* graph_lbr_offline() waits for this work before it releases the event */
	if (event)
		perf_event_enable(event);
}

static int graph_lbr_online(unsigned int cpu)
{
	struct perf_event *event = create_event(cpu, false);

	/* A CPU that comes later comes without branches then */
	if (IS_ERR(event))
		return graph_lbr_hotplug ? 0 : PTR_ERR(event);
	INIT_DELAYED_WORK(&per_cpu_ptr(graph_lbr_cpus, cpu)->retry, graph_lbr_retry);
	per_cpu(graph_lbr_event, cpu) = event;
	return 0;
}

static int graph_lbr_offline(unsigned int cpu)
{
	struct perf_event *event = per_cpu(graph_lbr_event, cpu);

	if (!event)
		return 0;
	/* The calls that use the event have preemption disabled on this CPU */
	per_cpu(graph_lbr_event, cpu) = NULL;
	cancel_delayed_work_sync(&per_cpu_ptr(graph_lbr_cpus, cpu)->retry);
	perf_event_release_kernel(event);
	return 0;
}

static void graph_lbr_free(void)
{
	if (!IS_ERR_OR_NULL(graph_lbr_idle))
		perf_event_release_kernel(graph_lbr_idle);
	graph_lbr_idle = NULL;
	free_percpu(graph_lbr_lasts);
	graph_lbr_lasts = NULL;
	free_percpu(graph_lbr_cpus);
	graph_lbr_cpus = NULL;
}

/* Let the CPUs keep their last branches, for the first instance that wants them */
static int graph_lbr_start(void)
{
	int ret;

	if (graph_lbr_users++)
		return 0;
	ret = -ENOMEM;
	graph_lbr_lasts = __alloc_percpu(GRAPH_LBR_CONTEXTS * sizeof(*graph_lbr_lasts),
					 __alignof__(*graph_lbr_lasts));
	graph_lbr_cpus = alloc_percpu(struct graph_lbr_cpu);
	if (!graph_lbr_lasts || !graph_lbr_cpus)
		goto free;
	if (!kallsyms_lookup_size_offset((unsigned long)return_to_handler,
					 &graph_lbr_size, NULL))
		graph_lbr_size = 1;
	/*
	 * For the first event with branches perf enables a static key, which takes the lock
	 * that the callbacks of hotplug run under.  So there is an event before theirs.
	 */
	graph_lbr_idle = create_event(cpumask_first(cpu_online_mask), true);
	ret = PTR_ERR_OR_ZERO(graph_lbr_idle);
	if (ret)
		goto free;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "trace/graph_lbr:online",
				graph_lbr_online, graph_lbr_offline);
	if (ret < 0)
		goto free;
	graph_lbr_hotplug = ret;
	return 0;
free:
	graph_lbr_free();
	graph_lbr_users--;
	return ret;
}

static void graph_lbr_stop(void)
{
	if (--graph_lbr_users)
		return;
	cpuhp_remove_state(graph_lbr_hotplug);
	graph_lbr_hotplug = 0;
	graph_lbr_free();
}

/**
 * graph_lbr_set - write the branches that led to the calls of an instance, or end this
 * @tr: the trace instance; no callback that takes branches runs for it if they end
 * @set: write them
 *
 * With trace_types_lock held.
 *
 * Return: 0, -EOPNOTSUPP if the CPUs keep no branches that perf can copy, -EBUSY if the bts
 * tracer has them, or another error.
 */
int graph_lbr_set(struct trace_array *tr, bool set)
{
	struct bts_instance *inst = tr->graph_lbr;
	int ret;

	if (set == !!inst)
		return 0;
	if (!set) {
		WRITE_ONCE(tr->graph_lbr, NULL);
		graph_filter_wait();
		graph_lbr_stop();
		goto free;
	}
	if (static_call_query(perf_snapshot_branch_stack) == (void *)__static_call_return0)
		return -EOPNOTSUPP;
	inst = kzalloc(sizeof(*inst), GFP_KERNEL);
	if (!inst)
		return -ENOMEM;
	inst->tr = tr;
	ret = -ENOMEM;
	inst->pcpu = alloc_percpu(struct bts_instance_cpu);
	if (inst->pcpu)
		ret = bts_alloc_dump() ?: graph_lbr_start();
	if (ret)
		goto free;
	WRITE_ONCE(tr->graph_lbr, inst);
	return 0;
free:
	free_percpu(inst->pcpu);
	kfree(inst);
	return set ? ret : 0;
}

/*
 * Whether the CPU has kept its last branches. If perf has given them to another event, perf
 * does not enable the event again, because the event is pinned
 */
static bool graph_lbr_kept(struct trace_array *tr, struct graph_lbr_cpu *pcpu)
{
	static const char note[] =
		"funcgraph-lbr: perf uses this CPU's last branch records for another event\n";
	const struct perf_event *event = this_cpu_read(graph_lbr_event);

	if (!event || graph_lbr_active()) {
		pcpu->noted = false;
		return event;
	}
	if (event->state != PERF_EVENT_STATE_ERROR)
		return false;
	if (!pcpu->noted)
		__trace_array_puts(tr, _THIS_IP_, note, sizeof(note) - 1);
	pcpu->noted = true;
	schedule_delayed_work_on(smp_processor_id(), &pcpu->retry, HZ);
	return false;
}

/* Whether an address is in the code that calls the tracers */
static bool is_ftrace(u64 addr)
{
	return addr - (unsigned long)ftrace_stub <
	       (unsigned long)return_to_handler + graph_lbr_size - (unsigned long)ftrace_stub ||
	       is_ftrace_trampoline(addr);
}

/* The symbol that an address belongs to, or 0 */
static unsigned long symbol_of(u64 addr)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(addr, &size, &offset) ? addr - offset : 0;
}

/*
 * Find the branch by which @func returned to ftrace.  An interrupt since then may have
 * called @func, too, and its branches would be those of the other call.
 */
static unsigned int find_return(const struct graph_lbr_last *last, unsigned long func)
{
	/* With IBT, @func is the address after ENDBR */
	unsigned long symbol = symbol_of(func);
	unsigned int i, j;

	if (!symbol)
		return last->nr;
	for (i = 0; i < last->nr; i++) {
		if (trace_lbr_is_interrupt(last->entry[i].from))
			return last->nr;
		if (last->entry[i].to != (unsigned long)return_to_handler)
			continue;
		for (j = i; j < last->nr && j <= i + TRACE_LBR_THUNK_BRANCHES; j++)
			if (symbol_of(last->entry[j].from) == symbol)
				return i;
	}
	return i;
}

/* The branches up to the one at @i, without those of ftrace and what is before them */
static struct bts_record *put_records(struct bts_record *end,
				      const struct graph_lbr_last *last, unsigned int i)
{
	const struct perf_branch_entry *entry;
	struct bts_record *rec = end;

	for (; i < last->nr; i++) {
		entry = &last->entry[i];
		if (!entry->from)
			return rec;
		if (is_ftrace(entry->from))
			break;
		/* Before a task switch, the CPU has the branches of another task */
		if (trace_lbr_is_switch(entry->to))
			return rec;
		(--rec)->from = entry->from;
		rec->to = entry->to;
		/* Some CPUs do not tell */
		rec->flags = entry->mispred ? 0 : BTS_RECORD_PREDICTED;
	}
	/* The branches of the thunk by which ftrace has returned to the function */
	if (i < last->nr && trace_lbr_is_thunk(last->entry[i].to))
		while (rec < end && !trace_lbr_ends_thunk((rec++)->from))
			;
	return rec;
}

/**
 * graph_lbr_write - write the branches that led to a return
 * @tr: the trace instance
 * @func: the function that returns
 *
 * Nothing is written if the branches are lost.  With preemption disabled, after
 * graph_lbr_take().
 */
void graph_lbr_write(struct trace_array *tr, unsigned long func)
{
	struct bts_instance *inst = READ_ONCE(tr->graph_lbr);
	struct graph_lbr_last *last;
	struct graph_lbr_cpu *pcpu;
	struct bts_record *rec, *end;
	unsigned long flags;
	struct bts_run run;

	if (!inst)
		return;
	last = graph_lbr_last();
	if (!last->taken)
		return;
	last->taken = false;
	/* What finds symbols has no place in the trace */
	pause_graph_tracing();
	local_irq_save(flags);
	pcpu = this_cpu_ptr(graph_lbr_cpus);
	end = pcpu->rec + GRAPH_LBR_RECORDS;
	rec = end;
	/* Otherwise the CPU has kept the branches of another time */
	if (graph_lbr_kept(tr, pcpu))
		rec = put_records(end, last, find_return(last, func));
	if (rec < end) {
		this_cpu_ptr(inst->pcpu)->marks |= BTS_MARK_GAP;
		run = (struct bts_run){ .pid = current->pid, .rec = rec, .end = end };
		bts_write_one(inst, &pcpu->writer, BTS_RING_KERNEL, &run);
	}
	local_irq_restore(flags);
	unpause_graph_tracing();
}
