/* SPDX-License-Identifier: GPL-2.0 */
/* Include the kernel's file by its path, as arg_sigs.h does */
#include "../../../../../include/linux/bts_trace.h"
