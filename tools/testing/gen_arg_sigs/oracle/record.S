/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function that a traced function calls at its entry, and the code it returns to
 *
 * Every register keeps its value, those of floating point as well.  Above the
 * saved registers on the stack is the address behind the call of __fentry__,
 * then the function's own return address, then the words of its arguments.
 */
	.macro	save
	push	%rbp
	mov	%rsp, %rbp
	push	%rax
	push	%rdi
	push	%rsi
	push	%rdx
	push	%rcx
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	mov	%rsp, %rdi
	sub	$512, %rsp
	and	$-64, %rsp
	fxsave64 (%rsp)
	.endm

	.macro	restore
	fxrstor64 (%rsp)
	lea	-72(%rbp), %rsp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rcx
	pop	%rdx
	pop	%rsi
	pop	%rdi
	pop	%rax
	pop	%rbp
	.endm

	.text
	.globl	__fentry__
	.type	__fentry__, @function
__fentry__:
	save
	lea	8(%rbp), %rsi
	call	record_entry
	restore
	ret
	.size	__fentry__, . - __fentry__

	.globl	record_return
	.type	record_return, @function
record_return:
	push	$0			/* becomes the return address */
	save
	lea	8(%rbp), %rsi
	call	record_exit
	restore
	ret
	.size	record_return, . - record_return

	/* Where code that is built with retpolines jumps and returns */
	.irp	reg, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
	.globl	__x86_indirect_thunk_\reg
	.type	__x86_indirect_thunk_\reg, @function
__x86_indirect_thunk_\reg:
	jmp	*%\reg
	.size	__x86_indirect_thunk_\reg, . - __x86_indirect_thunk_\reg
	.endr

	.globl	__x86_return_thunk
	.type	__x86_return_thunk, @function
__x86_return_thunk:
	ret
	.size	__x86_return_thunk, . - __x86_return_thunk

	.section .note.GNU-stack, "", @progbits
