/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's own; its include/ has headers as well that are not for user space */
#include "../../../../../include/linux/arg_sigs.h"
