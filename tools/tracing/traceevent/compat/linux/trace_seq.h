/* SPDX-License-Identifier: GPL-2.0 */
/* libtraceevent's trace_seq has the functions of the kernel's trace_seq */
#include <traceevent/trace-seq.h>
