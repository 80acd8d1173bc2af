/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_NAMESET_H
#define RULES_NAMESET_H

#include "kube/value.h"

/* A set of strings that is built once and asked often. Lives in the arena. */
struct nameset {
	struct str *names; /* sorted */
	size_t n;
};
/* From an array of strings; anything else in it is left out. NULL gives the empty set. */
struct nameset nameset_of(arena *a, const val *array);
/* Room for n names, to be filled with nameset_add and closed with nameset_sort. */
struct nameset nameset_new(arena *a, size_t n);
void nameset_add(struct nameset *s, struct str name);
void nameset_sort(struct nameset *s);
bool nameset_has(const struct nameset *s, struct str name);

#endif
