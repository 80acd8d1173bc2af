/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_claims.h"

#include "kube/json.h"
#include "rules/gohash.h"
#include "rules/podtemplate.h"

#include <stdlib.h>

/*
 * What is hashed are the bytes that Go's encoder writes of a PersistentVolumeClaim: the canonical
 * form has its fields in that order already, apart from maps, which Go sorts, and from fields that
 * it writes even when they are empty.
 */

static int by_key(const void *a, const void *b)
{
	return str_cmp(val_str(&((const msgpack_object_kv *)a)->key),
		       val_str(&((const msgpack_object_kv *)b)->key));
}

static void sort_map(val *map)
{
	if (val_is_map(map) && val_len(map))
		qsort(map->via.map.ptr, map->via.map.size, sizeof(*map->via.map.ptr), by_key);
}

static val spec_bytes(arena *a, const val *canonical)
{
	val spec = val_copy(a, canonical), out = val_map();
	const char *const first[] = {"accessModes", "selector", "resources"};

	sort_map(val_path_mut(&spec, "selector", "matchLabels", NULL));
	sort_map(val_path_mut(&spec, "resources", "limits", NULL));
	sort_map(val_path_mut(&spec, "resources", "requests", NULL));
	for (size_t i = 0; i < 3; i++) {
		const val *v = val_get(&spec, first[i]);

		if (v)
			val_set(a, &out, first[i], *v);
		else if (i == 2)
			val_set(a, &out, first[i], val_map());
	}
	for (size_t i = 0; i < val_len(&spec); i++)
		val_setn(a, &out, val_key(&spec, i), *val_value(&spec, i));
	return out;
}

static val claim_bytes(arena *a, const val *claim)
{
	val out = val_map(), meta = val_map();

	val_set(a, &meta, "name", *val_path(claim, "metadata", "name", NULL));
	val_set(a, &meta, "creationTimestamp", val_null());
	val_set(a, &out, "metadata", meta);
	val_set(a, &out, "spec", spec_bytes(a, val_get(claim, "spec")));
	val_set(a, &out, "status", val_map());
	return out;
}

static int by_name(const void *a, const void *b)
{
	return str_cmp(val_str(val_path(*(const val *const *)a, "metadata", "name", NULL)),
		       val_str(val_path(*(const val *const *)b, "metadata", "name", NULL)));
}

const char *cloneset_claims_hash(arena *a, const val *cloneset)
{
	_cleanup_buf_ struct buf b = {0};
	const val *templates = val_path(cloneset, "spec", "volumeClaimTemplates", NULL);
	size_t n = val_is_array(templates) ? val_len(templates) : 0;
	const val **claims = arena_alloc(a, (n + 1) * sizeof(*claims));
	const struct fpath path = fpath_root("spec");
	val list = val_array();

	for (size_t i = 0; i < n; i++) {
		val *canonical = arena_alloc(a, sizeof(*canonical));

		if (claim_canonical(a, val_at(templates, i), &path, canonical, NULL) < 0 ||
		    !val_is_str(val_path(canonical, "metadata", "name", NULL)))
			return "";
		claims[i] = canonical;
	}
	if (n == 0)
		return "";
	qsort(claims, n, sizeof(*claims), by_name);
	for (size_t i = 0; i < n; i++)
		val_push(a, &list, claim_bytes(a, claims[i]));
	json_print(&b, &list, JSON_GO_HTML);
	return arena_printf(a, "%u", gohash_json((struct str){buf_str(&b), b.len}));
}
