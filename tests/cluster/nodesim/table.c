/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/table.h"

#include "ipc/base/buf.h"

#include <stdlib.h>

#define FIRST_SIZE 256

/* FNV-1a */
static uint64_t add(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return h;
}

static uint64_t hash(struct str ns, struct str name)
{
	return add(add(add(0xcbf29ce484222325u, ns), (struct str){"/", 1}), name);
}

void table_init(struct table *t)
{
	*t = (struct table){.slots = xcalloc(FIRST_SIZE, sizeof(*t->slots)), .size = FIRST_SIZE};
}

void table_free(struct table *t)
{
	free(t->slots);
	*t = (struct table){0};
}

static struct table_entry **slot(const struct table *t, uint64_t h)
{
	return &t->slots[h & (t->size - 1)];
}

struct table_entry *table_find(const struct table *t, struct str ns, struct str name)
{
	const uint64_t h = hash(ns, name);
	for (struct table_entry *e = *slot(t, h); e; e = e->next)
		if (e->hash == h && str_is(name, e->name) && str_is(ns, e->ns))
			return e;
	return NULL;
}

static void link_in(struct table *t, struct table_entry *e)
{
	struct table_entry **s = slot(t, e->hash);
	e->next = *s;
	*s = e;
}

static void grow(struct table *t)
{
	struct table bigger = {.slots = xcalloc(t->size * 2, sizeof(*t->slots)),
			       .size = t->size * 2,
			       .count = t->count};
	for (size_t i = 0; i < t->size; i++)
		for (struct table_entry *e = t->slots[i], *next; e; e = next) {
			next = e->next;
			link_in(&bigger, e);
		}
	free(t->slots);
	*t = bigger;
}

void table_add(struct table *t, struct table_entry *e)
{
	if (t->count == t->size)
		grow(t);
	e->hash = hash(str_of(e->ns), str_of(e->name));
	link_in(t, e);
	t->count++;
}

void table_remove(struct table *t, struct table_entry *e)
{
	struct table_entry **p = slot(t, e->hash);
	while (*p && *p != e)
		p = &(*p)->next;
	if (!*p)
		return;
	*p = e->next;
	t->count--;
}

void table_each(struct table *t, void (*fn)(struct table_entry *e, void *userdata), void *userdata)
{
	for (size_t i = 0; i < t->size; i++)
		for (struct table_entry *e = t->slots[i], *next; e; e = next) {
			next = e->next;
			fn(e, userdata);
		}
}
