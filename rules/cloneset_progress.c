/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_progress.h"

#include "kube/time.h"

#define UPDATED "CloneSetUpdated"
#define EXCEEDED "ProgressDeadlineExceeded"

/* What the condition says. */
struct progress {
	bool on;
	const char *reason, *message;
};

/* Seconds; 0: there is no deadline. */
static int64_t deadline_of(const val *cloneset)
{
	int64_t n = val_int_or(val_path(cloneset, "spec", "progressDeadlineSeconds", NULL), 0);

	return n > 0 && n < INT32_MAX ? n : 0;
}

static bool all_available(const struct cloneset_spec *spec, const struct cloneset_status *s)
{
	return str_eq(s->current_revision, s->update_revision) && s->replicas == spec->replicas &&
	       s->updated_available == spec->replicas;
}

static bool partition_available(const struct cloneset_spec *spec, const struct cloneset_status *s)
{
	return s->expected_updated < spec->replicas && s->expected_updated <= s->updated_available;
}

static bool new_revision(const struct cloneset_status *before, const struct cloneset_status *after)
{
	return !str_eq(before->update_revision, after->update_revision);
}

static bool progressed(const struct cloneset_status *before, const struct cloneset_status *after)
{
	return new_revision(before, after) || after->updated > before->updated ||
	       after->updated_ready > before->updated_ready ||
	       after->updated_available > before->updated_available ||
	       after->replicas - after->updated < before->replicas - before->updated;
}

/* A pause, or a long rest before this roll-out, does not count against it: only a condition that
 * says that it is under way can run out. */
static bool exceeded(const val *old, int64_t deadline, const struct cloneset_status *before,
		     const struct cloneset_status *after, int64_t now)
{
	if (new_revision(before, after))
		return false;
	if (val_is(val_get(old, "reason"), EXCEEDED))
		return true;
	return val_is(val_get(old, "reason"), UPDATED) && !progressed(before, after) &&
	       k8s_time_of(val_get(old, "lastUpdateTime"), now) + deadline <= now;
}

static const val *time_of(const val *old, const char *field, bool keep, const val *now)
{
	const val *t = val_get(old, field);

	return keep && val_is_str(t) ? t : now;
}

int64_t cloneset_progress(arena *a, const val *cloneset, const struct cloneset_spec *spec,
			  const struct cloneset_status *before, struct cloneset_status *after,
			  int64_t now)
{
	int64_t deadline = deadline_of(cloneset), due;
	const val *old = val_find(before->conditions, "type", str_of(CONDITION_PROGRESSING));
	struct progress p = {true, UPDATED, "the roll-out is under way"};
	val c = val_map(), time = k8s_time_val(a, now);
	bool same_status, same_reason;

	if (deadline == 0) {
		cloneset_status_condition_clear(a, after, CONDITION_PROGRESSING);
		return 0;
	}
	if (all_available(spec, after))
		p = (struct progress){true, "CloneSetAvailable",
				      "all pods are at the update revision and available"};
	else if (spec->paused)
		p = (struct progress){true, "CloneSetPaused", "the update is paused"};
	else if (partition_available(spec, after))
		p = (struct progress){
		    true, "ProgressPartitionAvailable",
		    "all pods that the partition lets go are updated and available"};
	else if (exceeded(old, deadline, before, after, now))
		p = (struct progress){false, EXCEEDED,
				      arena_printf(a, "revision %.*s made no progress for %lld s",
						   STR_ARG(after->update_revision),
						   (long long)deadline)};

	same_status = val_is(val_get(old, "status"), p.on ? "True" : "False");
	same_reason = same_status && val_is(val_get(old, "reason"), p.reason);
	val_set(a, &c, "type", val_of_str(CONDITION_PROGRESSING));
	val_set(a, &c, "status", val_of_str(p.on ? "True" : "False"));
	val_set(a, &c, "lastTransitionTime",
		*time_of(old, "lastTransitionTime", same_status, &time));
	val_set(a, &c, "lastUpdateTime",
		*time_of(old, "lastUpdateTime", same_reason && !progressed(before, after), &time));
	val_set(a, &c, "reason", val_of_str(p.reason));
	val_set(a, &c, "message", val_of_str(p.message));
	cloneset_status_set(a, after, c);
	if (!str_is(str_of(p.reason), UPDATED))
		return 0;
	due = k8s_time_of(val_get(&c, "lastUpdateTime"), now) + deadline - now;
	/* a second more: times in conditions are whole seconds */
	return due < 0 ? 1 : due + 1;
}
