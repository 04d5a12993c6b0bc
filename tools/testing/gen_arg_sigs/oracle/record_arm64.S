/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code that the nops at a traced function's entry are patched to call, and the code that
 * the function returns to
 *
 * The patched nops put the function's return address into X9, as ftrace does.  All registers
 * that can have an argument or a result keep their values.  record.c gets the registers, and a
 * stack that begins with the address to go on at and the function's return address. The words
 * of the function's arguments follow.
 */
	/* \op is stp or ldp */
	.macro	registers op
	\op	x0, x1, [sp]
	\op	x2, x3, [sp, #16]
	\op	x4, x5, [sp, #32]
	\op	x6, x7, [sp, #48]
	\op	x8, x29, [sp, #64]
	\op	q0, q1, [sp, #80]
	\op	q2, q3, [sp, #112]
	\op	q4, q5, [sp, #144]
	\op	q6, q7, [sp, #176]
	.endm

	.macro	save
	sub	sp, sp, #208
	registers stp
	.endm

	.macro	restore
	registers ldp
	add	sp, sp, #208
	.endm

	.text
	.globl	record_call
	.type	record_call, %function
record_call:
	stp	x30, x9, [sp, #-16]!
	save
	mov	x0, sp
	add	x1, sp, #208
	bl	record_entry
	restore
	ldp	x10, x30, [sp], #16
	br	x10
	.size	record_call, . - record_call

	.globl	record_return
	.type	record_return, %function
record_return:
	stp	xzr, xzr, [sp, #-16]!	/* replaced by the return address */
	save
	mov	x0, sp
	add	x1, sp, #208
	bl	record_exit
	restore
	ldp	x30, x10, [sp], #16
	ret
	.size	record_return, . - record_return

	.section .note.GNU-stack, "", %progbits
