/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_claims.h"

#include <stdlib.h>
#include <string.h>

struct cloneset_claim cloneset_claim_view(const val *pvc)
{
	const val *meta = val_get(pvc, "metadata");
	return (struct cloneset_claim){
	    .name = val_str(val_get(meta, "name")),
	    .uid = val_str(val_get(meta, "uid")),
	    .id = val_str(val_path(meta, "labels", LABEL_INSTANCE_ID, NULL)),
	    .going = !val_is_null(val_get(meta, "deletionTimestamp")),
	    .object = pvc,
	};
}

static int by_id(const void *a, const void *b)
{
	const struct pod_view *const *x = a, *const *y = b;
	return strcmp((*x)->instance_id, (*y)->instance_id);
}

static const struct pod_view **sort_by_id(arena *a, const struct pod_view *const *pods, size_t n)
{
	const struct pod_view **sorted = arena_alloc(a, (n + 1) * sizeof(*sorted));
	if (n > 0) {
		memcpy(sorted, pods, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_id);
	}
	return sorted;
}

/* Of several pods with that id an active one wins. */
static const struct pod_view *pod_of(const struct pod_view *const *sorted, size_t n, struct str id)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (str_cmp(str_of(sorted[mid]->instance_id), id) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	const struct pod_view *found = NULL;
	for (; lo < n && str_is(id, sorted[lo]->instance_id); lo++) {
		if (!found || sorted[lo]->active)
			found = sorted[lo];
	}
	return found;
}

void cloneset_claim_fates(arena *a, const struct cloneset_claim *claims, size_t n,
			  const struct pod_view *const *pods, size_t n_pods, struct claim_plan *out)
{
	const struct pod_view **sorted = sort_by_id(a, pods, n_pods);
	for (size_t i = 0; i < n; i++) {
		const struct pod_view *pod =
		    claims[i].id.n ? pod_of(sorted, n_pods, claims[i].id) : NULL;
		out[i] = (struct claim_plan){CLAIM_KEEP, NULL};
		if (claims[i].going || (pod && pod->active))
			continue;
		out[i] = (struct claim_plan){pod ? CLAIM_GIVE : CLAIM_DELETE, pod};
	}
}

static int text_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t unique(const char **texts, size_t n)
{
	size_t kept = 0;
	if (n > 1)
		qsort(texts, n, sizeof(*texts), text_order);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || strcmp(texts[kept - 1], texts[i]) != 0)
			texts[kept++] = texts[i];
	}
	return kept;
}

struct claim_ids cloneset_claim_ids(arena *a, const struct cloneset_claim *claims, size_t n,
				    const struct pod_view *const *pods, size_t n_pods)
{
	const struct pod_view **sorted = sort_by_id(a, pods, n_pods);
	const char **held = arena_alloc(a, (n + 1) * sizeof(*held));
	struct claim_ids out = {.free = arena_alloc(a, (n + 1) * sizeof(*out.free))};
	for (size_t i = 0; i < n; i++) {
		if (claims[i].going || claims[i].id.n == 0)
			continue;
		const struct pod_view *pod = pod_of(sorted, n_pods, claims[i].id);
		const char *id = arena_strndup(a, claims[i].id.p, claims[i].id.n);
		if (!pod)
			out.free[out.n_free++] = id;
		else if (pod->terminating)
			held[out.n_held++] = id;
	}
	out.n_free = unique(out.free, out.n_free);
	out.n_held = unique(held, out.n_held);
	return out;
}

bool cloneset_claim_has_id(const struct cloneset_claim *claims, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++) {
		if (str_is(claims[i].id, id))
			return true;
	}
	return false;
}

static val pod_reference(arena *a, const struct pod_view *pod)
{
	val ref = val_map();
	val_set(a, &ref, "apiVersion", val_of_str("v1"));
	val_set(a, &ref, "kind", val_of_str("Pod"));
	val_set(a, &ref, "name", val_of_strdup(a, str_of(pod->name)));
	val_set(a, &ref, "uid", val_of_strdup(a, str_of(pod->uid)));
	return ref;
}

val cloneset_claim_give_patch(arena *a, const struct cloneset_claim *claim, struct str cloneset_uid,
			      const struct pod_view *pod)
{
	const val *meta = val_get(claim->object, "metadata");
	const val *old = val_get(meta, "ownerReferences");
	val patch = val_map(), refs = val_array();
	for (size_t i = 0; val_is_array(old) && i < val_len(old); i++) {
		if (!str_eq(val_str(val_get(val_at(old, i), "uid")), cloneset_uid))
			val_push(a, &refs, *val_at(old, i));
	}
	val_push(a, &refs, pod_reference(a, pod));
	val *to = val_ensure_map(a, &patch, "metadata");
	val_set(a, to, "uid", val_of_strn(claim->uid));
	val_set(a, to, "resourceVersion", val_of_strn(val_str(val_get(meta, "resourceVersion"))));
	val_set(a, to, "ownerReferences", refs);
	return patch;
}
