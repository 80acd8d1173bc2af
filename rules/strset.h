/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_STRSET_H
#define RULES_STRSET_H

#include "kube/value.h"

/* A set of strings with a payload each, for checks of uniqueness and look-ups by name. It has a
 * fixed capacity, lives in the arena, and does not copy the strings. */
struct strset_entry {
	struct str key; /* key.p is NULL in a free slot */
	const void *payload;
};
struct strset {
	size_t slots; /* a power of two, more than the capacity */
	struct strset_entry *entries;
};

struct strset strset_new(arena *a, size_t capacity);
/* false when it is there already; the payload then stays. No more than `capacity` distinct keys. */
bool strset_add(struct strset *s, struct str key, const void *payload);
bool strset_has(const struct strset *s, struct str key);
const void *strset_get(const struct strset *s, struct str key); /* NULL when absent */

#endif
