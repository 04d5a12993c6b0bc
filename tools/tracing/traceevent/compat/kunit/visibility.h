/* SPDX-License-Identifier: GPL-2.0 */
/* User space exports nothing */
#define EXPORT_SYMBOL_IF_KUNIT(symbol)	struct symbol##_is_not_exported
