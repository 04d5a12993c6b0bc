/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The log of the emulated CPU's branches.
 *
 *	file	= header chunk*
 *	header	= "BTSLOG1\n"				8 bytes
 *	chunk	= cpu:u32 size:u32 entry*		size bytes of entries
 *	entry	= tag:u8 values
 *
 * Integers of fixed size are little endian. Chunks of a CPU are in the order of time.
 * Chunks of different CPUs have no order. A chunk can be decoded alone, because its
 * relative values begin at 0.
 *
 *	tag & BTS_LOG_TYPE	values
 *	BTS_LOG_BRANCH		s(from - previous branch's to) s(to - from)
 *	BTS_LOG_DEBUGCTL	u(value that was written to IA32_DEBUGCTL)
 *	BTS_LOG_INTERRUPT	u(bts_index) the CPU raised its interrupt
 *	BTS_LOG_MARK		u(number) the guest set a mark, see bts-mark.c
 *	BTS_LOG_FAULT		u(address) nothing is mapped there, the record is lost
 *	BTS_LOG_RESET		u(value that was written to the first last branch record)
 *	BTS_LOG_MISPREDICTED	as BTS_LOG_BRANCH; the record says that it was not predicted
 *
 * u() is LEB128, seven bits a byte with the lowest first and bit 7 set in all bytes but the
 * last. s(v) is u((v << 1) ^ (v >> 63)).
 *
 * A branch is in the log if IA32_DEBUGCTL had TR and BTS set, and if BTS_OFF_OS and
 * BTS_OFF_USR did not exclude the branch. So each branch without BTS_LOG_LOST was written
 * to the buffer as a record. With lbr=1 and IA32_DEBUGCTL.LBR set, all other branches are
 * in the log too, with BTS_LOG_NO_RECORD.
 */

#ifndef _BTS_LOG_H
#define _BTS_LOG_H

#include <stdint.h>

#define BTS_LOG_MAGIC		"BTSLOG1\n"
#define BTS_LOG_MAGIC_SIZE	8

#define BTS_LOG_TYPE		0x07
#define BTS_LOG_BRANCH		0
#define BTS_LOG_DEBUGCTL	1
#define BTS_LOG_INTERRUPT	2
#define BTS_LOG_MARK		3
#define BTS_LOG_FAULT		4
#define BTS_LOG_RESET		5
#define BTS_LOG_MISPREDICTED	6

/* Flags of a branch */
#define BTS_LOG_OWN		0x08	/* in an NMI, from the branch into it to its IRET */
#define BTS_LOG_LOST		0x10	/* past the absolute maximum */
#define BTS_LOG_EVENT		0x20	/* not an instruction: interrupt, exception */
#define BTS_LOG_LBR		0x40	/* in the last branch records */
#define BTS_LOG_NO_RECORD	0x80	/* not in the debug store */

/* CPUID with EAX = BTS_MARK_LEAF, ECX = number; sets EBX to BTS_MARK_LEAF */
#define BTS_MARK_LEAF		0x4d535442

/*
 * Some numbers are not marks. One number clears IA32_DEBUGCTL. The other numbers have the
 * entry of NMIs or of debug exceptions in EDX.
 */
#define BTS_MARK_LOSE		0xffffffff
#define BTS_MARK_NMI		0xfffffffe
#define BTS_MARK_DEBUG		0xfffffffd

/* Write a number in hexadecimal. printf() would take too long for the many lines. */
static inline char *put_hex(char *s, uint64_t value)
{
	int shift = value ? (63 - __builtin_clzll(value)) & ~3 : 0;

	for (; shift >= 0; shift -= 4)
		*s++ = "0123456789abcdef"[value >> shift & 15];
	return s;
}

#endif /* _BTS_LOG_H */
