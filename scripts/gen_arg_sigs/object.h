/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files that read and write ELF
 */
#ifndef _OBJECT_H
#define _OBJECT_H

#include "gen_arg_sigs.h"

/* Number of added sections: three, and the relocations of the first */
#define NR_NEW_SECTIONS	4

/* Maximum space for alignment. Compilers do not emit sections that need more. */
#define MAX_PADDING	(16 * 1024 * 1024)

bool object_is_relocatable(const struct object *obj);
Elf64_Shdr *section_header(Elf *elf, size_t index);
const char *section_name(const struct object *obj, const Elf64_Shdr *shdr);
Elf_Data *section_data(Elf *elf, size_t index);
size_t section_find(const struct object *obj, const char *name);
bool section_is_table(const Elf64_Shdr *shdr);
const Elf64_Rela *section_relas(const struct object *obj, size_t index, size_t *nr);
__u64 object_symbol_value(const struct object *obj, const char *name);

#endif /* _OBJECT_H */
