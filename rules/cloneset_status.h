/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_STATUS_H
#define RULES_CLONESET_STATUS_H

#include "rules/cloneset_count.h"

/* A CloneSet's status. Strings point to what they were made from. */
struct cloneset_status {
	int64_t observed_generation;
	int32_t replicas, ready, available;
	int32_t updated, updated_ready, updated_available, expected_updated;
	int32_t collision_count;
	struct str current_revision, update_revision, selector;
	const val *conditions; /* the array as it is to be, or NULL */
};

/* Reads status of a CloneSet object, or of anything. */
struct cloneset_status cloneset_status_of(const val *cloneset);

/*
 * The status that these active pods make. selector: the selector's text form. collision_count: the
 * one that is in use now. currentRevision becomes updateRevision once all pods are updated.
 * Conditions are those of `cloneset`.
 */
struct cloneset_status cloneset_status_make(const val *cloneset, const struct cloneset_spec *spec,
					    const struct cloneset_state *st,
					    int32_t collision_count, struct str selector);

/* Sets or replaces a condition (FailedScale, FailedUpdate) in s->conditions; lastTransitionTime
 * changes only with the status. */
void cloneset_status_condition(arena *a, struct cloneset_status *s, const char *type, bool on,
			       const char *reason, const char *message, int64_t now);
/* The same with a whole condition, which replaces the one of its type. */
void cloneset_status_set(arena *a, struct cloneset_status *s, val condition);
/* Removes it, when the error is over. */
void cloneset_status_condition_clear(arena *a, struct cloneset_status *s, const char *type);

/* Rule S1: whether it must be written. Of Progressing, the times and the message do not count. */
bool cloneset_status_changed(const struct cloneset_status *before,
			     const struct cloneset_status *after);
/* Merge patch of the status sub-resource: {"metadata":{"uid":…},"status":{…}}. */
val cloneset_status_patch(arena *a, const val *cloneset, const struct cloneset_status *s);

#endif
