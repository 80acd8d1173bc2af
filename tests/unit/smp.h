/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SMP_H
#define TESTS_UNIT_SMP_H

#include "kube/value.h"

/*
 * As much of strategic merge patch as patches of pods need: maps merge, null removes a key, lists
 * of maps merge by `type` or `name`, finalizers merge as a set, other lists are replaced.
 */
static inline void smp_apply(arena *a, val *doc, const val *patch);

static inline void smp_list(arena *a, val *list, const val *patch)
{
	for (size_t i = 0; i < val_len(patch); i++) {
		const val *p = val_at(patch, i);
		const char *by = val_get(p, "type") ? "type" : "name";
		val *found = NULL;

		for (size_t k = 0; k < val_len(list) && val_is_map(p); k++) {
			if (str_eq(val_str(val_get(val_at(list, k), by)), val_str(val_get(p, by))))
				found = val_at_mut(list, k);
		}
		if (!found) {
			val_push(a, list, val_is_map(p) ? val_map() : *p);
			found = val_at_mut(list, val_len(list) - 1);
		}
		if (val_is_map(p))
			smp_apply(a, found, p);
	}
}

static inline void smp_apply(arena *a, val *doc, const val *patch)
{
	for (size_t i = 0; i < val_len(patch); i++) {
		struct str key = val_key(patch, i);
		const val *v = val_value(patch, i);
		char *k = arena_strndup(a, key.p, key.n);
		val *have = val_get_mut(doc, k);

		if (val_is_null(v)) {
			val_del(doc, k);
		} else if (val_is_map(v)) {
			smp_apply(a, val_ensure_map(a, doc, k), v);
		} else if (val_is_array(v)) {
			if (!val_is_array(have)) {
				val_set(a, doc, k, val_array());
				have = val_get_mut(doc, k);
			}
			smp_list(a, have, v);
		} else {
			val_set(a, doc, k, *v);
		}
	}
}

#endif
