/* SPDX-License-Identifier: GPL-2.0 */
/* libtraceevent's has the functions of the kernel's */
#include <traceevent/trace-seq.h>
