/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/strset.h"

#include <string.h>

struct strset strset_new(arena *a, size_t capacity)
{
	struct strset s = {.slots = 8};

	while (s.slots < capacity * 2)
		s.slots *= 2;
	s.entries = arena_alloc(a, s.slots * sizeof(*s.entries));
	memset(s.entries, 0, s.slots * sizeof(*s.entries));
	return s;
}

static size_t hash(struct str key)
{
	uint64_t h = 0xcbf29ce484222325ULL; /* FNV-1a, 64 bits */

	for (size_t i = 0; i < key.n; i++) {
		h ^= (unsigned char)key.p[i];
		h *= 0x100000001b3ULL;
	}
	return (size_t)(h ^ (h >> 32));
}

/* The key's slot, or the free one where it belongs. */
static struct strset_entry *find(const struct strset *s, struct str key)
{
	size_t i = hash(key);

	for (;; i++) {
		struct strset_entry *e = &s->entries[i & (s->slots - 1)];

		if (!e->key.p || str_eq(e->key, key))
			return e;
	}
}

static struct str no_null(struct str key)
{
	return key.p ? key : str_of("");
}

bool strset_add(struct strset *s, struct str key, const void *payload)
{
	struct strset_entry *e = find(s, no_null(key));

	if (e->key.p)
		return false;
	*e = (struct strset_entry){no_null(key), payload};
	return true;
}

bool strset_has(const struct strset *s, struct str key)
{
	return find(s, no_null(key))->key.p != NULL;
}

const void *strset_get(const struct strset *s, struct str key)
{
	return find(s, no_null(key))->payload;
}
