/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/time.h"
#include "rules/content.h"
#include "rules/inplace_state.h"

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

bool inplace_pending_any(const struct inplace_pending *p)
{
	return val_len(&p->images) || val_len(&p->refs);
}

/* A container that is to get something. */
struct member {
	struct str name;
	bool has_priority;
	int64_t priority;
	bool now; /* in the present batch */
};

static int cmp_members(const void *a, const void *b)
{
	return str_cmp(((const struct member *)a)->name, ((const struct member *)b)->name);
}

static void add_members(const val *pod, const val *by_container, struct member *members, size_t *n)
{
	for (size_t i = 0; i < val_len(by_container); i++) {
		struct member m = {.name = val_key(by_container, i)};
		bool known = false;

		for (size_t k = 0; k < *n; k++)
			known |= str_eq(members[k].name, m.name);
		if (known)
			continue;
		m.has_priority = launch_priority(container_of(pod, m.name), &m.priority);
		members[(*n)++] = m;
	}
}

/* Those without a priority, and those with the highest. */
static void choose_by_priority(struct member *members, size_t n)
{
	int64_t highest = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		if (members[i].has_priority && members[i].priority > highest)
			highest = members[i].priority;
	}
	for (size_t i = 0; i < n; i++)
		members[i].now = !members[i].has_priority || members[i].priority == highest;
}

static bool share_a_key(const val *a, const val *b, const char *kind)
{
	const val *x = val_get(a, kind), *y = val_get(b, kind);

	for (size_t i = 0; val_is_map(x) && i < val_len(x); i++) {
		if (val_getn(y, val_key(x, i)))
			return true;
	}
	return false;
}

static bool shares_with_batch(const val *refs, const struct member *members, size_t n, size_t i)
{
	const val *mine = val_getn(refs, members[i].name);

	for (size_t k = 0; k < n; k++) {
		const val *other = members[k].now ? val_getn(refs, members[k].name) : NULL;

		if (share_a_key(mine, other, "labels") || share_a_key(mine, other, "annotations"))
			return true;
	}
	return false;
}

/* A label is changed for all that read it at once: they restart together. */
static void join_sharing(const val *refs, struct member *members, size_t n)
{
	bool joined = true;

	while (joined) {
		joined = false;
		for (size_t i = 0; i < n; i++) {
			if (members[i].now || !shares_with_batch(refs, members, n, i))
				continue;
			members[i].now = joined = true;
		}
	}
}

/* Splits pending: names of the present batch, sorted, and the rest. */
static size_t split_batch(arena *a, const val *pod, const struct inplace_pending *pending,
			  struct str **batch, struct inplace_pending *rest)
{
	size_t room = val_len(&pending->images) + val_len(&pending->refs) + 1, n = 0, taken = 0;
	struct member *members = arena_alloc(a, room * sizeof(*members));

	*batch = arena_alloc(a, room * sizeof(**batch));
	*rest = (struct inplace_pending){val_map(), val_map()};
	add_members(pod, &pending->images, members, &n);
	add_members(pod, &pending->refs, members, &n);
	qsort(members, n, sizeof(*members), cmp_members);
	choose_by_priority(members, n);
	join_sharing(&pending->refs, members, n);
	for (size_t i = 0; i < n; i++) {
		const val *image = val_getn(&pending->images, members[i].name);
		const val *ref = val_getn(&pending->refs, members[i].name);

		if (members[i].now)
			(*batch)[taken++] = members[i].name;
		else if (image)
			val_setn(a, &rest->images, members[i].name, *image);
		if (!members[i].now && ref)
			val_setn(a, &rest->refs, members[i].name, *ref);
	}
	return taken;
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

/* What the containers of the batch that get an image run now, by status (F6). */
static void remember_statuses(arena *a, const val *pod, const val *images, const struct str *names,
			      size_t n, val *state)
{
	const val *statuses = val_path(pod, "status", "containerStatuses", NULL);
	val last = map_clone(a, val_get(state, "lastContainerStatuses"));

	for (size_t i = 0; i < n; i++) {
		const val *status = val_find(statuses, "name", names[i]);
		struct str id = val_str(val_get(status, "imageID"));
		val entry = val_map();

		if (!val_getn(images, names[i]))
			continue;
		val_set(a, &entry, "imageID", val_of_strn(id.p ? id : str_of("")));
		val_setn(a, &last, names[i], entry);
	}
	val_set(a, state, "lastContainerStatuses", val_len(&last) ? last : val_null());
}

static void write_images(arena *a, const val *images, const struct str *names, size_t n, val *patch)
{
	val containers = val_array();

	for (size_t i = 0; i < n; i++) {
		const val *image = val_getn(images, names[i]);
		val c = val_map();

		if (!image)
			continue;
		val_set(a, &c, "name", val_of_strn(names[i]));
		val_set(a, &c, "image", *image);
		val_push(a, &containers, c);
	}
	if (val_len(&containers))
		val_set(a, val_ensure_map(a, patch, "spec"), "containers", containers);
}

static void write_refs(arena *a, const val *refs, const struct str *names, size_t n, val *patch)
{
	static const char *const kinds[] = {"labels", "annotations"};

	for (size_t i = 0; i < n; i++) {
		const val *ref = val_getn(refs, names[i]);
		val metadata = val_map();

		/* other managers write more fields of metadata here, which say nothing */
		for (size_t k = 0; k < 2; k++) {
			if (val_is_map(val_get(ref, kinds[k])))
				val_set(a, &metadata, kinds[k], *val_get(ref, kinds[k]));
		}
		inplace_put_metadata(a, &metadata, patch);
	}
}

static void write_next(arena *a, const struct inplace_pending *rest, const val *names, val *state)
{
	val check = val_map();

	val_del(state, "nextContainerImages");
	val_del(state, "nextContainerRefMetadata");
	/* resources of running containers are not changed by this version: what another left goes
	 */
	val_del(state, "nextContainerResources");
	val_del(state, "preCheckBeforeNext");
	if (!inplace_pending_any(rest))
		return;
	if (val_len(&rest->images))
		val_set(a, state, "nextContainerImages", rest->images);
	if (val_len(&rest->refs))
		val_set(a, state, "nextContainerRefMetadata", rest->refs);
	val_set(a, &check, "containersRequiredReady", *names);
	val_set(a, state, "preCheckBeforeNext", check);
}

void inplace_batch_start(arena *a, const val *pod, const struct inplace_pending *pending,
			 int64_t now, val *state, val *patch)
{
	struct inplace_pending rest;
	struct str *batch;
	val names;
	size_t n;

	n = split_batch(a, pod, pending, &batch, &rest);
	names = names_val(a, batch, n);
	write_images(a, &pending->images, batch, n, patch);
	write_refs(a, &pending->refs, batch, n, patch);
	remember_statuses(a, pod, &pending->images, batch, n, state);
	add_record(a, &names, now, state);
	write_next(a, &rest, &names, state);
}
