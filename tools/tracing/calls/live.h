/* SPDX-License-Identifier: GPL-2.0 */
/* Events that "trace-calls run" reads while they are recorded, see live.c */
#ifndef _TRACE_CALLS_LIVE_H
#define _TRACE_CALLS_LIVE_H

#include <unistd.h>

#include <tracefs.h>

#include "calls.h"

struct live_cpu;

/**
 * struct live - an instance that is being read
 * @calls: the calls
 * @instance: the instance
 * @nr: maximum number of CPUs
 * @cpus: the CPUs' buffers
 * @modules: the names, sizes, states and addresses of modules when functions were last read
 */
struct live {
	struct calls		calls;
	struct tracefs_instance	*instance;
	int			nr;
	struct live_cpu		*cpus;
	char			*modules;
};

bool live_open(struct live *live, struct tracefs_instance *instance,
	       const struct calls_ops *ops, void *data);
u64 live_read(struct live *live, bool all);
void live_close(struct live *live);

#endif /* _TRACE_CALLS_LIVE_H */
