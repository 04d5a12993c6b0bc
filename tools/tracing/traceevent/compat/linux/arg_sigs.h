/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Include the kernel's file by its path, because include/ also has headers that
 * user space cannot use
 */
#include "../../../../../include/linux/arg_sigs.h"
