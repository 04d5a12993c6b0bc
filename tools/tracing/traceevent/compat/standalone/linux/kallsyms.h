/* SPDX-License-Identifier: GPL-2.0 */
/* render.c writes symbols */
