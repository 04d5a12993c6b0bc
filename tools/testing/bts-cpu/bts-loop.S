/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program with known branches: bts-loop LOOPS, where LOOPS is a decimal number
 *
 * When the program has read its argument, it jumps to "begin". Between "begin" and
 * "end", each turn of the loop takes these branches, in this order:
 *
 *	the call of "leaf", its return, the indirect call, its return, the jump
 *	over a trap, and LOOPNZ, which is not taken in the last turn
 *
 * A conditional jump that is not taken is not a branch. "end" exits by a system
 * call.
 */
	.globl _start
	.text
_start:
	xorl	%ebx, %ebx
	cmpq	$2, (%rsp)
	jne	bad
	movq	16(%rsp), %rsi
digits:
	movzbl	(%rsi), %eax
	testb	%al, %al
	jz	begin_far
	subl	$'0', %eax
	imull	$10, %ebx, %ebx
	addl	%eax, %ebx
	incq	%rsi
	jmp	digits

begin_far:
	movl	%ebx, %ecx
	leaq	leaf(%rip), %rdx
	jmp	begin

	.p2align 4
	.globl begin
begin:
	call	leaf
	cmpl	%ecx, %ecx
	jne	trap
	call	*%rdx
	jmp	over
trap:
	ud2
over:
	cmpl	$-1, %ecx
	loopnz	begin

	.globl end
end:
	xorl	%edi, %edi
	movl	$60, %eax
	syscall
	ud2

leaf:
	ret

bad:
	movl	$1, %edi
	movl	$60, %eax
	syscall
	ud2
	.section .note.GNU-stack, "", @progbits
