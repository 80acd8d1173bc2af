/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/lifecycle.h"

#include "kube/time.h"

static const char *const names[] = {
    [LIFECYCLE_NONE] = "",
    [LIFECYCLE_PREPARING_NORMAL] = "PreparingNormal",
    [LIFECYCLE_NORMAL] = "Normal",
    [LIFECYCLE_PREPARING_UPDATE] = "PreparingUpdate",
    [LIFECYCLE_UPDATING] = "Updating",
    [LIFECYCLE_UPDATED] = "Updated",
    [LIFECYCLE_PREPARING_DELETE] = "PreparingDelete",
    [LIFECYCLE_OTHER] = "",
};

const char *lifecycle_name(enum lifecycle_state s)
{
	return names[s];
}

enum lifecycle_state lifecycle_parse(struct str s)
{
	if (s.n == 0)
		return LIFECYCLE_NONE;
	for (int i = LIFECYCLE_PREPARING_NORMAL; i < LIFECYCLE_OTHER; i++) {
		if (str_is(s, names[i]))
			return (enum lifecycle_state)i;
	}
	return LIFECYCLE_OTHER;
}

enum lifecycle_state lifecycle_of(const val *pod)
{
	return lifecycle_parse(
	    val_str(val_path(pod, "metadata", "labels", LABEL_LIFECYCLE_STATE, NULL)));
}

const val *lifecycle_hook(const val *lifecycle, const char *name)
{
	return val_get(lifecycle, name);
}

bool lifecycle_hook_exists(const val *hook)
{
	return val_len(val_get(hook, "labelsHandler")) +
		   val_len(val_get(hook, "finalizersHandler")) >
	       0;
}

static bool has_finalizer(const val *pod, struct str name)
{
	const val *list = val_path(pod, "metadata", "finalizers", NULL);

	for (size_t i = 0; i < val_len(list); i++) {
		if (str_eq(val_str(val_at(list, i)), name))
			return true;
	}
	return false;
}

/* How many of the hook's labels and finalizers are on the pod, and of how many. */
static size_t count_handlers(const val *hook, const val *pod, size_t *total)
{
	const val *labels = val_get(hook, "labelsHandler");
	const val *finalizers = val_get(hook, "finalizersHandler");
	const val *have = val_path(pod, "metadata", "labels", NULL);
	size_t n_labels = val_is_map(labels) ? val_len(labels) : 0;
	size_t n_finalizers = val_is_array(finalizers) ? val_len(finalizers) : 0;
	size_t n = 0;

	for (size_t i = 0; i < n_labels; i++) {
		struct str want = val_str(val_value(labels, i));

		n += want.p && str_eq(val_str(val_getn(have, val_key(labels, i))), want);
	}
	for (size_t i = 0; i < n_finalizers; i++)
		n += has_finalizer(pod, val_str(val_at(finalizers, i)));
	*total = n_labels + n_finalizers;
	return n;
}

bool lifecycle_hooked(const val *hook, const val *pod)
{
	size_t total;

	return count_handlers(hook, pod, &total) > 0;
}

bool lifecycle_all_hooked(const val *hook, const val *pod)
{
	size_t total, n = count_handlers(hook, pod, &total);

	return n == total;
}

bool lifecycle_mark_not_ready(const val *hook)
{
	return val_bool(val_get(hook, "markPodNotReady"));
}

bool lifecycle_any_mark_not_ready(const val *lifecycle)
{
	return lifecycle_mark_not_ready(lifecycle_hook(lifecycle, "preDelete")) ||
	       lifecycle_mark_not_ready(lifecycle_hook(lifecycle, "inPlaceUpdate"));
}

enum lifecycle_start lifecycle_start_update(enum lifecycle_state state, const val *lifecycle,
					    const val *pod)
{
	const val *hook = lifecycle_hook(lifecycle, "inPlaceUpdate");

	switch (state) {
	case LIFECYCLE_NONE:
	case LIFECYCLE_PREPARING_NORMAL:
	case LIFECYCLE_NORMAL:
		return lifecycle_hooked(hook, pod) ? LIFECYCLE_START_PREPARE : LIFECYCLE_START_NOW;
	case LIFECYCLE_PREPARING_UPDATE:
		return lifecycle_hooked(hook, pod) ? LIFECYCLE_START_WAIT : LIFECYCLE_START_NOW;
	case LIFECYCLE_UPDATING:
		return LIFECYCLE_START_NOW;
	case LIFECYCLE_UPDATED:
		return lifecycle_hook_exists(hook) ? LIFECYCLE_START_PREPARE : LIFECYCLE_START_NOW;
	case LIFECYCLE_PREPARING_DELETE:
	case LIFECYCLE_OTHER:
		break;
	}
	return LIFECYCLE_START_REFUSE;
}

enum lifecycle_state lifecycle_next(enum lifecycle_state state, bool scheduled, bool at_target,
				    enum lifecycle_update update, const val *lifecycle,
				    const val *pod)
{
	const val *pre_normal = lifecycle_hook(lifecycle, "preNormal");
	const val *in_place = lifecycle_hook(lifecycle, "inPlaceUpdate");
	bool all = lifecycle_all_hooked(in_place, pod);

	switch (state) {
	case LIFECYCLE_PREPARING_NORMAL:
		if (lifecycle_hook_exists(pre_normal) ? !lifecycle_all_hooked(pre_normal, pod)
						      : !scheduled)
			return state;
		return LIFECYCLE_NORMAL;
	case LIFECYCLE_PREPARING_UPDATE:
		if (!at_target)
			return state;
		return all ? LIFECYCLE_NORMAL : LIFECYCLE_UPDATED;
	case LIFECYCLE_UPDATING:
		if (update == LIFECYCLE_UPDATE_PENDING)
			return state;
		return all ? LIFECYCLE_NORMAL : LIFECYCLE_UPDATED;
	case LIFECYCLE_UPDATED:
		return all ? LIFECYCLE_NORMAL : state;
	default:
		return state;
	}
}

void lifecycle_set(arena *a, val *object, enum lifecycle_state s, int64_t now)
{
	val *meta = val_ensure_map(a, object, "metadata");

	val_set(a, val_ensure_map(a, meta, "labels"), LABEL_LIFECYCLE_STATE,
		val_of_str(lifecycle_name(s)));
	val_set(a, val_ensure_map(a, meta, "annotations"), ANNO_LIFECYCLE_TIMESTAMP,
		k8s_time_val(a, now));
}

val lifecycle_patch(arena *a, enum lifecycle_state s, int64_t now, struct str resource_version)
{
	val patch = val_map();

	if (resource_version.n)
		val_set(a, val_ensure_map(a, &patch, "metadata"), "resourceVersion",
			val_of_strn(resource_version));
	lifecycle_set(a, &patch, s, now);
	return patch;
}

val lifecycle_patch_with_hook(arena *a, enum lifecycle_state s, const val *hook, int64_t now,
			      struct str resource_version)
{
	val patch = lifecycle_patch(a, s, now, resource_version);
	const val *labels = val_get(hook, "labelsHandler");
	const val *finalizers = val_get(hook, "finalizersHandler");
	val *meta = val_ensure_map(a, &patch, "metadata");

	for (size_t i = 0; val_is_map(labels) && i < val_len(labels); i++)
		val_setn(a, val_ensure_map(a, meta, "labels"), val_key(labels, i),
			 *val_value(labels, i));
	/* finalizers merge as a set */
	if (val_is_array(finalizers) && val_len(finalizers))
		val_set(a, meta, "finalizers", *finalizers);
	return patch;
}
