/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/mergepatch.h"

#include <string.h>

/* A map with room for n entries, none filled. */
static val map_for(arena *a, size_t n)
{
	val m = val_map();
	if (n)
		m.via.map.ptr = arena_alloc(a, n * sizeof(msgpack_object_kv));
	return m;
}

static void append(val *map, struct str key, val v)
{
	map->via.map.ptr[map->via.map.size++] =
	    (msgpack_object_kv){.key = val_of_strn(key), .val = v};
}

val mergepatch_apply(arena *a, const val *doc, const val *patch)
{
	if (!val_is_map(patch))
		return patch ? *patch : val_null();
	size_t old = val_is_map(doc) ? val_len(doc) : 0;
	val out = map_for(a, old + val_len(patch));
	for (size_t i = 0; i < old; i++) {
		const val *p = val_getn(patch, val_key(doc, i));
		if (!p)
			append(&out, val_key(doc, i), *val_value(doc, i));
		else if (!val_is_null(p))
			append(&out, val_key(doc, i), mergepatch_apply(a, val_value(doc, i), p));
	}
	for (size_t i = 0; i < val_len(patch); i++) {
		const val *p = val_value(patch, i);
		if (val_is_null(p) || (old && val_getn(doc, val_key(patch, i))))
			continue;
		append(&out, val_key(patch, i), mergepatch_apply(a, NULL, p));
	}
	return out;
}

/* Nulls cannot be set by a merge patch: left out, so that applying gives a stable result. */
static val without_nulls(arena *a, const val *v)
{
	if (!val_is_map(v))
		return *v;
	val out = map_for(a, val_len(v));
	for (size_t i = 0; i < val_len(v); i++) {
		if (!val_is_null(val_value(v, i)))
			append(&out, val_key(v, i), without_nulls(a, val_value(v, i)));
	}
	return out;
}

val mergepatch_create(arena *a, const val *from, const val *to)
{
	if (!val_is_map(from) || !val_is_map(to))
		return to ? *to : val_null();
	val out = map_for(a, val_len(from) + val_len(to));
	for (size_t i = 0; i < val_len(from); i++) {
		if (val_is_null(val_getn(to, val_key(from, i))))
			append(&out, val_key(from, i), val_null());
	}
	for (size_t i = 0; i < val_len(to); i++) {
		struct str key = val_key(to, i);
		const val *want = val_value(to, i);
		const val *have = val_getn(from, key);
		if (val_is_null(want) || (have && val_equal(have, want)))
			continue;
		if (val_is_map(have) && val_is_map(want)) {
			val sub = mergepatch_create(a, have, want);
			if (val_len(&sub))
				append(&out, key, sub);
		} else {
			append(&out, key, without_nulls(a, want));
		}
	}
	return out;
}
