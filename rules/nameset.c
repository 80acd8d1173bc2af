/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/nameset.h"

#include <stdlib.h>

struct nameset nameset_new(arena *a, size_t n)
{
	return (struct nameset){.names = arena_alloc(a, (n + 1) * sizeof(struct str))};
}

void nameset_add(struct nameset *s, struct str name)
{
	s->names[s->n++] = name;
}

static int cmp(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

void nameset_sort(struct nameset *s)
{
	qsort(s->names, s->n, sizeof(*s->names), cmp);
}

struct nameset nameset_of(arena *a, const val *array)
{
	size_t n = val_is_array(array) ? val_len(array) : 0;
	struct nameset s = nameset_new(a, n);

	for (size_t i = 0; i < n; i++) {
		if (val_is_str(val_at(array, i)))
			nameset_add(&s, val_str(val_at(array, i)));
	}
	nameset_sort(&s);
	return s;
}

bool nameset_has(const struct nameset *s, struct str name)
{
	return s->n && bsearch(&name, s->names, s->n, sizeof(*s->names), cmp);
}
