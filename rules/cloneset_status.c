/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_status.h"

#include "kube/time.h"
#include "rules/cloneset_progress.h"

/* The numbers of a status, by name: reading, comparing and writing are loops over this. */
static const struct number {
	const char *name;
	size_t offset;
} numbers[] = {
    {"replicas", offsetof(struct cloneset_status, replicas)},
    {"readyReplicas", offsetof(struct cloneset_status, ready)},
    {"availableReplicas", offsetof(struct cloneset_status, available)},
    {"updatedReplicas", offsetof(struct cloneset_status, updated)},
    {"updatedReadyReplicas", offsetof(struct cloneset_status, updated_ready)},
    {"updatedAvailableReplicas", offsetof(struct cloneset_status, updated_available)},
    {"expectedUpdatedReplicas", offsetof(struct cloneset_status, expected_updated)},
    {"collisionCount", offsetof(struct cloneset_status, collision_count)},
};
#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static const int32_t *number_at(const struct cloneset_status *s, size_t i)
{
	return (const int32_t *)(const void *)((const char *)s + numbers[i].offset);
}

struct cloneset_status cloneset_status_of(const val *cloneset)
{
	const val *status = val_get(cloneset, "status");
	const val *conditions = val_get(status, "conditions");
	struct cloneset_status s = {
	    .observed_generation = val_int_or(val_get(status, "observedGeneration"), 0),
	    .current_revision = val_str(val_get(status, "currentRevision")),
	    .update_revision = val_str(val_get(status, "updateRevision")),
	    .selector = val_str(val_get(status, "labelSelector")),
	    .conditions = val_is_array(conditions) ? conditions : NULL,
	};

	for (size_t i = 0; i < N_NUMBERS; i++) {
		int64_t n = val_int_or(val_get(status, numbers[i].name), 0);

		*(int32_t *)(void *)((char *)&s + numbers[i].offset) =
		    n < INT32_MIN || n > INT32_MAX ? 0 : (int32_t)n;
	}
	return s;
}

struct cloneset_status cloneset_status_make(const val *cloneset, const struct cloneset_spec *spec,
					    const struct cloneset_state *st,
					    int32_t collision_count, struct str selector)
{
	struct cloneset_status s = {
	    .observed_generation =
		val_int_or(val_path(cloneset, "metadata", "generation", NULL), 0),
	    .replicas = (int32_t)st->n,
	    .expected_updated = spec->replicas - spec->partition,
	    .collision_count = collision_count,
	    .current_revision = str_of(st->current_revision),
	    .update_revision = str_of(st->update_revision),
	    .selector = selector,
	    .conditions = cloneset_status_of(cloneset).conditions,
	};

	for (size_t i = 0; i < st->n; i++) {
		const struct cloneset_pod *p = &st->flags[i];

		s.ready += p->ready;
		s.available += p->available;
		s.updated += p->updated;
		s.updated_ready += p->updated && p->ready;
		s.updated_available += p->updated && p->available;
	}
	if (s.updated == s.replicas && s.replicas == spec->replicas)
		s.current_revision = s.update_revision;
	return s;
}

/* A copy of the conditions without that type. */
static val conditions_without(arena *a, const val *conditions, struct str type)
{
	val list = val_array();

	for (size_t i = 0; i < val_len(conditions); i++) {
		if (!str_eq(val_str(val_get(val_at(conditions, i), "type")), type))
			val_push(a, &list, *val_at(conditions, i));
	}
	return list;
}

static const val *keep(arena *a, val list)
{
	val *p = arena_alloc(a, sizeof(*p));

	*p = list;
	return p;
}

void cloneset_status_condition(arena *a, struct cloneset_status *s, const char *type, bool on,
			       const char *reason, const char *message, int64_t now)
{
	const val *old = val_find(s->conditions, "type", str_of(type));
	const char *status = on ? "True" : "False";
	const val *since = val_get(old, "lastTransitionTime");
	val c = val_map();

	val_set(a, &c, "type", val_of_str(type));
	val_set(a, &c, "status", val_of_str(status));
	if (val_is(val_get(old, "status"), status) && val_is_str(since))
		val_set(a, &c, "lastTransitionTime", *since);
	else
		val_set(a, &c, "lastTransitionTime", k8s_time_val(a, now));
	if (reason && *reason)
		val_set(a, &c, "reason", val_of_strdup(a, str_of(reason)));
	if (message && *message)
		val_set(a, &c, "message", val_of_strdup(a, str_of(message)));
	cloneset_status_set(a, s, c);
}

void cloneset_status_set(arena *a, struct cloneset_status *s, val condition)
{
	struct str type = val_str(val_get(&condition, "type"));
	val list = conditions_without(a, s->conditions, type);

	val_push(a, &list, condition);
	s->conditions = keep(a, list);
}

void cloneset_status_condition_clear(arena *a, struct cloneset_status *s, const char *type)
{
	if (val_find(s->conditions, "type", str_of(type)))
		s->conditions = keep(a, conditions_without(a, s->conditions, str_of(type)));
}

static bool conditions_changed(const val *before, const val *after)
{
	static const char *const compared[] = {"status", "reason", "message"};

	if (val_len(before) != val_len(after))
		return true;
	for (size_t i = 0; i < val_len(after); i++) {
		const val *c = val_at(after, i);
		const val *old = val_find(before, "type", val_str(val_get(c, "type")));

		size_t n = sizeof(compared) / sizeof(compared[0]);

		if (!old)
			return true;
		if (val_is(val_get(c, "type"), CONDITION_PROGRESSING))
			n--;
		for (size_t k = 0; k < n; k++) {
			if (!str_eq(val_str(val_get(old, compared[k])),
				    val_str(val_get(c, compared[k]))))
				return true;
		}
	}
	return false;
}

bool cloneset_status_changed(const struct cloneset_status *before,
			     const struct cloneset_status *after)
{
	for (size_t i = 0; i < N_NUMBERS; i++) {
		if (*number_at(before, i) != *number_at(after, i))
			return true;
	}
	return after->observed_generation > before->observed_generation ||
	       !str_eq(before->current_revision, after->current_revision) ||
	       !str_eq(before->update_revision, after->update_revision) ||
	       !str_eq(before->selector, after->selector) ||
	       conditions_changed(before->conditions, after->conditions);
}

val cloneset_status_patch(arena *a, const val *cloneset, const struct cloneset_status *s)
{
	const val *uid = val_path(cloneset, "metadata", "uid", NULL);
	val patch = val_map(), status = val_map();

	val_set(a, &status, "observedGeneration", val_of_int(s->observed_generation));
	for (size_t i = 0; i < N_NUMBERS; i++)
		val_set(a, &status, numbers[i].name, val_of_int(*number_at(s, i)));
	val_set(a, &status, "currentRevision", val_of_strn(s->current_revision));
	val_set(a, &status, "updateRevision", val_of_strn(s->update_revision));
	val_set(a, &status, "labelSelector", val_of_strn(s->selector));
	if (s->conditions)
		val_set(a, &status, "conditions",
			val_len(s->conditions) ? *s->conditions : val_null());
	if (val_is_str(uid))
		val_set(a, val_ensure_map(a, &patch, "metadata"), "uid", *uid);
	val_set(a, &patch, "status", status);
	return patch;
}
