/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCHER_KEYSET_H
#define WATCHER_KEYSET_H

#include "kube/value.h"

#include <stdbool.h>
#include <stddef.h>

/* A set of namespace/name pairs: filled, sorted once, then asked. Zero-initialise it. */
struct keyset {
	char *text;
	size_t len, cap;
	struct keyset_entry *entries;
	size_t n, cap_entries;
};

void keyset_add(struct keyset *s, struct str ns, struct str name);
void keyset_sort(struct keyset *s);
bool keyset_has(const struct keyset *s, struct str ns, struct str name); /* after keyset_sort() */
size_t keyset_count(const struct keyset *s);
void keyset_clear(struct keyset *s); /* empties, keeps the memory */
void keyset_free(struct keyset *s);

#endif
