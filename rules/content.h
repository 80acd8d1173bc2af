/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CONTENT_H
#define RULES_CONTENT_H

#include "kube/value.h"

/*
 * Comparing templates by what they mean: Go's encoder adds nulls and empty objects
 * (creationTimestamp: null, resources: {}) that say nothing, and leaves out empty lists.
 */

/* Where a comparison found the first difference, as a field path: "spec.containers[0].env". */
struct content_path {
	char text[160];
	size_t len;
};
void content_path_key(struct content_path *p, struct str key);
void content_path_index(struct content_path *p, size_t i);
void content_path_cut(struct content_path *p, size_t len);

/* Whether the value says nothing under this key: absent, null, an empty list, or an empty map where
 * that equals none (labels, resources, …; but not emptyDir). */
bool content_is_empty(struct str key, const val *v);
/* Same content. On a difference, *path (may be NULL) is extended to it. */
bool content_equal(struct str key, const val *a, const val *b, struct content_path *path);

/* A map whose keys can be set without touching `map`, which it shares the values with. */
val map_clone(arena *a, const val *map);

#endif
