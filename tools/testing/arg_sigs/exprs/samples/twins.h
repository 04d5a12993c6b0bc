/* SPDX-License-Identifier: GPL-2.0 */
/* Functions with structures whose tags are not unique */
#ifndef _ARG_EXPRS_TWINS_H
#define _ARG_EXPRS_TWINS_H

struct expr_twin;
struct shmem_inode_info;

void expr_first_twin(struct expr_twin *twin);
void expr_second_twin(struct expr_twin *twin);
void expr_call_twins(void);

#endif /* _ARG_EXPRS_TWINS_H */
