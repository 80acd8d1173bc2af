/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODESIM_TABLE_H
#define NODESIM_TABLE_H

#include "kube/value.h"

/* A hash table by namespace and name. Entries are embedded in what they stand for. */
struct table_entry {
	struct table_entry *next;
	uint64_t hash;
	char *ns, *name; /* owned by the entry's owner */
};

struct table {
	struct table_entry **slots;
	size_t size, count; /* size: a power of two */
};

void table_init(struct table *t);
void table_free(struct table *t); /* not the entries */
struct table_entry *table_find(const struct table *t, struct str ns, struct str name);
/* The entry's ns and name are set, and not in the table yet. */
void table_add(struct table *t, struct table_entry *entry);
void table_remove(struct table *t, struct table_entry *entry);
/* Calls fn for each entry; fn may remove the entry it is given, and no other. */
void table_each(struct table *t, void (*fn)(struct table_entry *entry, void *userdata),
		void *userdata);

#endif
