/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/time.h"
#include "rules/content.h"
#include "rules/inplace_state.h"

#include <errno.h>
#include <stdlib.h>

/* Launch priority of a container, as the pod webhook wrote it: the N of key p_N. False when it has
 * none. */
static bool launch_priority(const val *container, int64_t *out)
{
	const val *env = val_find(val_get(container, "env"), "name", str_of(ENV_CONTAINER_BARRIER));
	struct str key = val_str(val_path(env, "valueFrom", "configMapKeyRef", "key", NULL));
	size_t i = 2;
	bool negative;
	int64_t n = 0;

	if (!str_has_prefix(key, "p_"))
		return false;
	negative = key.n > i && key.p[i] == '-';
	i += negative;
	if (i == key.n || key.n - i > 12)
		return false;
	for (; i < key.n; i++) {
		if (key.p[i] < '0' || key.p[i] > '9')
			return false;
		n = n * 10 + (key.p[i] - '0');
	}
	*out = negative ? -n : n;
	return true;
}

static const val *container_of(const val *pod, struct str name)
{
	return val_find(val_path(pod, "spec", "containers", NULL), "name", name);
}

static int check_containers(const val *pod, const val *pending, struct err *e)
{
	for (size_t i = 0; i < val_len(pending); i++) {
		struct str name = val_key(pending, i);

		if (!container_of(pod, name))
			return err_set(e, EINVAL, "the pod has no container %.*s", STR_ARG(name));
	}
	return 0;
}

/* The highest priority among the containers that have one; false when none has. */
static bool highest_priority(const val *pod, const val *pending, int64_t *highest)
{
	bool any = false;

	for (size_t i = 0; i < val_len(pending); i++) {
		int64_t p;

		if (!launch_priority(container_of(pod, val_key(pending, i)), &p))
			continue;
		if (!any || p > *highest)
			*highest = p;
		any = true;
	}
	return any;
}

static int cmp_names(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Splits pending: names of the present batch, sorted, and the map of the rest. */
static size_t split_batch(arena *a, const val *pod, const val *pending, struct str **batch,
			  val *rest)
{
	int64_t highest = 0, p;
	bool any = highest_priority(pod, pending, &highest);
	size_t n = 0;

	*batch = arena_alloc(a, (val_len(pending) + 1) * sizeof(**batch));
	*rest = val_map();
	for (size_t i = 0; i < val_len(pending); i++) {
		struct str name = val_key(pending, i);

		if (any && launch_priority(container_of(pod, name), &p) && p < highest)
			val_setn(a, rest, name, *val_value(pending, i));
		else
			(*batch)[n++] = name;
	}
	qsort(*batch, n, sizeof(**batch), cmp_names);
	return n;
}

static val names_val(arena *a, const struct str *names, size_t n)
{
	val list = val_array();

	for (size_t i = 0; i < n; i++)
		val_push(a, &list, val_of_strn(names[i]));
	return list;
}

static void add_record(arena *a, const val *names, int64_t now, val *state)
{
	const val *old = val_get(state, "containerBatchesRecord");
	val record = val_map(), records = val_array();

	for (size_t i = 0; i < val_len(old); i++)
		val_push(a, &records, *val_at(old, i));
	val_set(a, &record, "timestamp", k8s_time_val(a, now));
	val_set(a, &record, "containers", *names);
	val_push(a, &records, record);
	val_set(a, state, "containerBatchesRecord", records);
}

/* What the containers of the batch run now, by status (F6). */
static void remember_statuses(arena *a, const val *pod, const struct str *names, size_t n,
			      val *state)
{
	const val *statuses = val_path(pod, "status", "containerStatuses", NULL);
	val last = map_clone(a, val_get(state, "lastContainerStatuses"));

	for (size_t i = 0; i < n; i++) {
		const val *status = val_find(statuses, "name", names[i]);
		struct str id = val_str(val_get(status, "imageID"));
		val entry = val_map();

		val_set(a, &entry, "imageID", val_of_strn(id.p ? id : str_of("")));
		val_setn(a, &last, names[i], entry);
	}
	val_set(a, state, "lastContainerStatuses", val_len(&last) ? last : val_null());
}

static void write_images(arena *a, const val *pending, const struct str *names, size_t n,
			 val *patch)
{
	val containers = val_array();

	for (size_t i = 0; i < n; i++) {
		val c = val_map();

		val_set(a, &c, "name", val_of_strn(names[i]));
		val_set(a, &c, "image", *val_getn(pending, names[i]));
		val_push(a, &containers, c);
	}
	if (n)
		val_set(a, val_ensure_map(a, patch, "spec"), "containers", containers);
}

int inplace_batch_start(arena *a, const val *pod, const val *pending, int64_t now, val *state,
			val *patch, struct err *e)
{
	struct str *batch;
	val rest, names;
	size_t n;
	int r = check_containers(pod, pending, e);

	if (r < 0)
		return r;
	n = split_batch(a, pod, pending, &batch, &rest);
	names = names_val(a, batch, n);
	write_images(a, pending, batch, n, patch);
	remember_statuses(a, pod, batch, n, state);
	add_record(a, &names, now, state);
	val_del(state, "nextContainerImages");
	val_del(state, "preCheckBeforeNext");
	if (val_len(&rest)) {
		val check = val_map();

		val_set(a, &check, "containersRequiredReady", names);
		val_set(a, state, "nextContainerImages", rest);
		val_set(a, state, "preCheckBeforeNext", check);
	}
	return 0;
}
