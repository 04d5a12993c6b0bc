/* SPDX-License-Identifier: GPL-2.0 */
/* Here nothing is exported */
#define EXPORT_SYMBOL_IF_KUNIT(symbol)	struct symbol##_is_not_exported
