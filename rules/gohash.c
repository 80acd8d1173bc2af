/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/gohash.h"

#include <stdio.h>

#define FNV32_OFFSET UINT32_C(2166136261)
#define FNV32_PRIME UINT32_C(16777619)

static uint32_t fnv32a(uint32_t h, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * FNV32_PRIME;
	return h;
}

uint32_t gohash_json(struct str json)
{
	static const char type[] = "([]uint8)[";
	uint32_t h = fnv32a(FNV32_OFFSET, type, sizeof(type) - 1);

	for (size_t i = 0; i < json.n; i++) {
		char text[8];
		int n = snprintf(text, sizeof(text), i ? " %u" : "%u", (unsigned char)json.p[i]);

		h = fnv32a(h, text, (size_t)n);
	}
	return fnv32a(h, "]", 1);
}
