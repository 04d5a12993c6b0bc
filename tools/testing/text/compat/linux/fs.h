/* SPDX-License-Identifier: GPL-2.0 */
/* A function whose name the tests expect */
void filp_open(void);
