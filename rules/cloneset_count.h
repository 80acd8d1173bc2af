/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_COUNT_H
#define RULES_CLONESET_COUNT_H

#include "ipc/base/err.h"
#include "rules/gates.h"
#include "rules/pod.h"

/* The counting of a CloneSet: how many pods to create, delete and update (rules R1 to R13). */

enum cloneset_update_type {
	CLONESET_RECREATE,
	CLONESET_INPLACE_IF_POSSIBLE,
	CLONESET_INPLACE_ONLY
};

#define CLONESET_NO_LIMIT INT32_MAX

/* The numbers of a CloneSet's spec, percentages resolved (R1, R2, R3, R6), and what else the rules
 * ask of it. */
struct cloneset_spec {
	int32_t replicas;
	int32_t partition; /* pods to keep at the old revision, 0…replicas */
	int32_t max_unavailable;
	int32_t max_surge;	       /* 0 while paused */
	int32_t scale_max_unavailable; /* CLONESET_NO_LIMIT when there is none */
	int32_t min_ready;	       /* seconds */
	int32_t history_limit;
	int32_t grace_seconds;
	enum cloneset_update_type type;
	bool paused;
	bool on_delete; /* v1beta1's OnDelete: the controller picks no pods to update */
	bool exclude_preparing_delete;	 /* the spec's field, or the manager's flag */
	bool partition_rollback;	 /* gate */
	bool preparing_update_as_update; /* gate */
	bool short_hash;		 /* gate */
	bool env_from_metadata;		 /* gate */
	bool predownload;		 /* gate */
	bool recreate_on_claims;	 /* gate */
	const val *pods_to_delete;	 /* spec.scaleStrategy.podsToDelete, or NULL */
	const val *lifecycle;		 /* spec.lifecycle, or NULL */
};

/* Reads a CloneSet object of either version. exclude_preparing_delete: the manager's flag. *out
 * points into the object. -EINVAL with the field's path when a number does not parse. */
int cloneset_spec_from(const val *cloneset, const struct gates *gates,
		       bool exclude_preparing_delete, struct cloneset_spec *out, struct err *e);

/* What the counting and the choosing need to know of one active pod. */
struct cloneset_pod {
	bool updated : 1;      /* its revision label names updateRevision */
	bool is_new : 1;       /* counts as new: updated, or (by gate) PreparingUpdate */
	bool pre_deleting : 1; /* lifecycle PreparingDelete */
	bool named : 1;	       /* specified for deletion, by name or by label, preDeleting or not */
	bool to_delete : 1;    /* named and not pre_deleting */
	bool available : 1;
	bool ready : 1;
};

/* Everything about one CloneSet at one moment. All arrays have n entries: the active pods. */
struct cloneset_state {
	const struct pod_view *const *pods;
	const struct cloneset_pod *flags;
	size_t n;
	int64_t now;
	const char *current_revision, *update_revision; /* full names */
};
/* Classifies the n pods; the result lives in the arena. Inactive pods must have been left out. */
struct cloneset_state cloneset_classify(arena *a, const struct cloneset_spec *spec,
					const struct pod_view *const *pods, size_t n,
					const char *current_revision, const char *update_revision,
					int64_t now);

struct cloneset_counts {
	int32_t pods;			/* active ones */
	int32_t new_pods, old_pods;	/* with those in PreparingDelete */
	int32_t active_new, active_old; /* without */
	int32_t pre_deleting;
	int32_t to_delete_new, to_delete_old;
	int32_t unavailable_new, unavailable_old; /* neither pre_deleting nor to_delete */
	int32_t total_unavailable;		  /* R5 */
	int32_t old_diff, new_diff;		  /* R7 */
	int32_t surge, surge_old;		  /* R8 */
	int32_t up, up_old,
	    up_limit; /* R10: create up_limit pods, the first up_old of them at currentRevision */
	bool up_limited;	    /* scaleStrategy.maxUnavailable held some back */
	int32_t down, down_old;	    /* R11 */
	int32_t delete_ready_limit; /* R12 */
	int32_t update; /* R13: > 0 towards updateRevision, < 0 back to currentRevision */
	int32_t update_max_unavailable; /* R13, at least 0 */
	int32_t expected_updated;	/* replicas − partition */
};

struct cloneset_counts cloneset_count(const struct cloneset_spec *spec,
				      const struct cloneset_state *st);

#endif
