/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files that find the places of parameters
 */
#ifndef _CLONE_H
#define _CLONE_H

#include "gen_arg_sigs.h"

/*
 * evidence.c
 */

/* What a parameter's location says about the entry */
enum evidence_kind {
	EVIDENCE_NOWHERE,	/* no location in any part of the function */
	EVIDENCE_LATER,		/* a location, but not at the entry */
	EVIDENCE_VALUE,		/* a value that is not passed: it is constant, or assigned */
	EVIDENCE_ELSEWHERE,	/* a place that passes no parameter */
	EVIDENCE_FOREIGN,	/* a place of another calling convention */
	EVIDENCE_PLACE,
};

struct evidence {
	enum evidence_kind kind;
	char slots[2];		/* slots of the eightbytes, '-' for an eightbyte without a slot */
	char names[2];		/* the slot that the location of each eightbyte names, or 0 */
	int word;		/* word of the stack, or -1 */
};

void evidence_read(struct sigs *sigs, struct prototype *proto, size_t nr,
		   struct evidence *ev);
bool evidence_fits(const struct abi_place *place, const struct evidence *ev);

/*
 * reads.c
 */

bool func_saves(struct sigs *sigs, const struct func *func, unsigned int reg);
__u32 proto_reads(struct sigs *sigs, const struct prototype *proto);
bool proto_reads_usual(struct sigs *sigs, const struct prototype *proto);
bool proto_keeps(struct sigs *sigs, const struct prototype *proto, __u32 reg);
__u32 proto_args_read(struct sigs *sigs, const struct prototype *proto);
bool func_frame(struct sigs *sigs, const struct func *func, unsigned int base,
		__s64 *distance);
char proto_slot_stored(struct sigs *sigs, const struct prototype *proto, __s64 offset);
__u32 proto_words_read(struct sigs *sigs, const struct prototype *proto);

/*
 * clone.c
 */

bool place_left(struct prototype *proto, const struct evidence *evs);
void place_by_location(struct prototype *proto, const struct evidence *evs,
		       enum reason reason, const char *why);
void displace(struct abi_place *place, enum reason reason, const char *why);
void displace_all(struct prototype *proto, enum reason reason, const char *why);
int free_registers(struct prototype *proto, size_t nr, char *low, bool *lone);
__u32 slot_register(char slot);
__u32 place_registers(const struct abi_place *place);
bool proto_is_lost(const struct prototype *proto);
bool proto_reads_foreign(struct sigs *sigs, const struct prototype *proto);

/*
 * clone_gcc.c
 */

bool is_usual_gcc(struct sigs *sigs, const struct prototype *proto, const struct evidence *evs);
void place_gcc(struct sigs *sigs, struct prototype *proto, const struct evidence *evs);

/*
 * clone_clang.c
 */

bool clang_is_extended(const struct param *param);
void place_clang(struct sigs *sigs, struct prototype *proto, const struct evidence *evs);

/*
 * debug.c
 */

void debug_evidence(struct prototype *proto, const struct evidence *evs);

#endif /* _CLONE_H */
