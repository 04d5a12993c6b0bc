/* SPDX-License-Identifier: GPL-2.0 */
/*
 * void lbr_test_loop(unsigned long turns)
 *
 * Each turn takes one branch of each kind that MSR_LBR_SELECT distinguishes, and
 * two returns. One conditional jump is not taken.
 */
#include <linux/linkage.h>

SYM_FUNC_START(lbr_test_loop)
	movq	%rdi, %rcx
	leaq	.Lleaf(%rip), %rdx
	leaq	.Lnear(%rip), %rsi
.Lturn:
	call	.Lleaf
	call	*%rdx
	jmp	.Lover
	ud2
.Lover:
	jmp	*%rsi
	ud2
.Lnear:
	cmpl	%ecx, %ecx
	jne	.Ltrap
	je	.Lfar
.Ltrap:
	ud2
.Lfar:
	movl	%cs, %eax
	pushq	%rax
	leaq	.Lback(%rip), %rax
	pushq	%rax
	lretq
	ud2
.Lback:
	loop	.Lturn
.Lleaf:
	ret
SYM_FUNC_END(lbr_test_loop)
