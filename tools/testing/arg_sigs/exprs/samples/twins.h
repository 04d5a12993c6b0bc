/* SPDX-License-Identifier: GPL-2.0 */
/* Functions whose structures share their tags with others */
#ifndef _ARG_EXPRS_TWINS_H
#define _ARG_EXPRS_TWINS_H

struct expr_twin;
struct shmem_inode_info;

void expr_first_twin(struct expr_twin *twin);
void expr_second_twin(struct expr_twin *twin);
void expr_call_twins(void);

#endif /* _ARG_EXPRS_TWINS_H */
