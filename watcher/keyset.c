/* SPDX-License-Identifier: Apache-2.0 */
#include "watcher/keyset.h"

#include "ipc/base/buf.h"

#include <stdlib.h>
#include <string.h>

struct keyset_entry {
	size_t at;
	struct str ns, name;
};

static void put(struct keyset *s, struct str part)
{
	if (s->len + part.n > s->cap) {
		s->cap = (s->len + part.n) * 2 + 4096;
		s->text = xrealloc(s->text, s->cap);
	}
	if (part.n)
		memcpy(s->text + s->len, part.p, part.n);
	s->len += part.n;
}

void keyset_add(struct keyset *s, struct str ns, struct str name)
{
	if (s->n == s->cap_entries) {
		s->cap_entries = s->cap_entries ? s->cap_entries * 2 : 256;
		s->entries = xrealloc(s->entries, s->cap_entries * sizeof(*s->entries));
	}
	s->entries[s->n++] = (struct keyset_entry){s->len, {NULL, ns.n}, {NULL, name.n}};
	put(s, ns);
	put(s, name);
}

static int compare(const void *a, const void *b)
{
	const struct keyset_entry *x = a, *y = b;
	int c = str_cmp(x->ns, y->ns);
	return c ? c : str_cmp(x->name, y->name);
}

void keyset_sort(struct keyset *s)
{
	/* the text has moved while it grew: now its place is final */
	for (size_t i = 0; i < s->n; i++) {
		struct keyset_entry *k = &s->entries[i];
		k->ns.p = s->text + k->at;
		k->name.p = k->ns.p + k->ns.n;
	}
	if (s->n)
		qsort(s->entries, s->n, sizeof(*s->entries), compare);
}

bool keyset_has(const struct keyset *s, struct str ns, struct str name)
{
	struct keyset_entry want = {0, ns, name};
	return s->n && bsearch(&want, s->entries, s->n, sizeof(*s->entries), compare);
}

size_t keyset_count(const struct keyset *s)
{
	return s->n;
}

void keyset_clear(struct keyset *s)
{
	s->len = 0;
	s->n = 0;
}

void keyset_free(struct keyset *s)
{
	free(s->text);
	free(s->entries);
	*s = (struct keyset){0};
}
