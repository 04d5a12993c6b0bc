/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols are put by render.c */
