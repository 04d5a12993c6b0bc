// SPDX-License-Identifier: GPL-2.0
/*
 * A library for LD_PRELOAD that damages what libkdumpfile reads of a dump: the read with the number
 * DAMAGE, counted from 1, gives other bytes, or with a negative number fails. Only reads that
 * libkdumpfile can serve are counted, because others search for the kernel. Without DAMAGE, the
 * number of reads is printed at the end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libkdumpfile/kdumpfile.h>
#include <stdio.h>
#include <stdlib.h>

static long nr;

__attribute__((destructor)) static void print_nr(void)
{
	if (!getenv("DAMAGE"))
		fprintf(stderr, "reads: %ld\n", nr);
}

kdump_status kdump_read(kdump_ctx_t *ctx, kdump_addrspace_t as, kdump_addr_t addr, void *buffer,
			size_t *plength)
{
	typeof(kdump_read) *next = dlsym(RTLD_NEXT, "kdump_read");
	const char *text = getenv("DAMAGE");
	long at = text ? atol(text) : 0;
	kdump_status status;
	size_t i;

	status = next(ctx, as, addr, buffer, plength);
	if (status != KDUMP_OK)
		return status;
	nr++;
	if (nr == -at)
		return KDUMP_ERR_NODATA;
	if (nr == at)
		for (i = 0; i < *plength; i++)
			((unsigned char *)buffer)[i] ^= 0x80 >> i % 8 | (i % 5 == 0);
	return status;
}
