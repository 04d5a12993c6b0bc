// SPDX-License-Identifier: GPL-2.0
/*
 * The text of network addresses
 *
 * The bytes of an address are in numbers of 64 bits that were read from memory in the byte order
 * of x86 and arm64, so byte 0 is the lowest byte of the first number.
 */
#include "text.h"

/* The families of socket addresses, which are ABI */
#define FAMILY_INET	2
#define FAMILY_INET6	10

static u8 byte_at(const u64 *words, unsigned int i)
{
	return words[i / 8] >> i % 8 * 8;
}

static u16 be16_at(const u64 *words, unsigned int i)
{
	return byte_at(words, i) << 8 | byte_at(words, i + 1);
}

static void put_group(struct arg_out *out, u16 group)
{
	int nr = 4;

	while (nr > 1 && !(group >> (nr - 1) * 4))
		nr--;
	arg_out_hex_digits(out, group, nr);
}

/* Find the first of the longest runs of groups that are 0. Returns 0 if no run has two groups */
static unsigned int find_zeros(const u16 *groups, unsigned int *first)
{
	unsigned int i, run = 0, longest = 0;

	for (i = 0; i < 8; i++) {
		run = groups[i] ? 0 : run + 1;
		if (run > longest) {
			longest = run;
			*first = i + 1 - run;
		}
	}
	return longest > 1 ? longest : 0;
}

/*
 * Write the address of an IPv6 host that begins at byte @at, in the form of RFC 5952: "fe80::1",
 * "::ffff:10.0.2.2"
 */
static void put_ipv6(struct arg_out *out, const u64 *words, unsigned int at)
{
	unsigned int i, first = 0, zeros;
	u16 groups[8];

	for (i = 0; i < 8; i++)
		groups[i] = be16_at(words, at + 2 * i);
	zeros = find_zeros(groups, &first);
	for (i = 0; i < 8; i++) {
		if (zeros && i == first) {
			arg_out_puts(out, "::");
			i += zeros - 1;
			continue;
		}
		if (i && !(zeros && i == first + zeros))
			put_char(out, ':');
		/* The address of an IPv4 host */
		if (i == 6 && !first && zeros == 5 && groups[5] == 0xffff) {
			arg_out_ipv4(out, (u32)groups[6] << 16 | groups[7]);
			return;
		}
		put_group(out, groups[i]);
	}
}

static void put_port(struct arg_out *out, const u64 *words)
{
	put_char(out, ':');
	arg_out_udec(out, be16_at(words, 2));
}

/**
 * arg_out_address - write a network address
 * @out: the output
 * @type: the part's type: "Tsockaddr;" for a socket address, or "Tin6_addr;"
 * @words: the bytes of the address
 * @nr: the number of @words that are known
 *
 * Writes "10.0.2.2:80", "[fe80::1]:80", "family=16", or "fe80::1" for a struct in6_addr; "?" if the
 * address is not known. The path of a UNIX socket is not written, because only the caller's length
 * of the address tells where the path ends.
 */
void arg_out_address(struct arg_out *out, const char *type, const u64 *words, unsigned int nr)
{
	unsigned int family = nr ? words[0] & 0xffff : 0;

	if (type[1] == 'i' && nr == 2) {
		put_ipv6(out, words, 0);
	} else if (type[1] == 'i' || !nr || (family == FAMILY_INET6 && nr < 3)) {
		put_char(out, '?');
	} else if (family == FAMILY_INET) {
		arg_out_ipv4(out, (u32)be16_at(words, 4) << 16 | be16_at(words, 6));
		put_port(out, words);
	} else if (family == FAMILY_INET6) {
		put_char(out, '[');
		put_ipv6(out, words, 8);
		put_char(out, ']');
		put_port(out, words);
	} else {
		arg_out_puts(out, "family=");
		arg_out_udec(out, family);
	}
}
