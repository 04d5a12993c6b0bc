// SPDX-License-Identifier: GPL-2.0
/*
 * The module of toggle_first.c with another signature at the same address
 */
#define TOGGLE_SECOND
#include "toggle_first.c"
