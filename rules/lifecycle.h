/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_LIFECYCLE_H
#define RULES_LIFECYCLE_H

#include "kube/value.h"

#define LABEL_LIFECYCLE_STATE "lifecycle.apps.kruise.io/state"
#define ANNO_LIFECYCLE_TIMESTAMP "lifecycle.apps.kruise.io/timestamp"

/* The lifecycle state of a pod, kept in a label of the pod. */
enum lifecycle_state {
	LIFECYCLE_NONE, /* no label, or an empty one */
	LIFECYCLE_PREPARING_NORMAL,
	LIFECYCLE_NORMAL,
	LIFECYCLE_PREPARING_UPDATE,
	LIFECYCLE_UPDATING,
	LIFECYCLE_UPDATED,
	LIFECYCLE_PREPARING_DELETE,
	LIFECYCLE_OTHER, /* a text that is none of these */
};

const char *lifecycle_name(enum lifecycle_state s); /* "" for NONE and OTHER */
enum lifecycle_state lifecycle_parse(struct str s);
enum lifecycle_state lifecycle_of(const val *pod);

/*
 * Hooks. `lifecycle` is a workload's spec.lifecycle, or NULL. A hook is one of its parts:
 * preDelete, inPlaceUpdate, preNormal, a map of labelsHandler, finalizersHandler and
 * markPodNotReady; NULL, or a hook without handlers, hooks nothing.
 */
const val *lifecycle_hook(const val *lifecycle, const char *name);
bool lifecycle_hook_exists(const val *hook); /* it has at least one handler */
/* Any of the hook's labels (with that value) or finalizers is on the pod. */
bool lifecycle_hooked(const val *hook, const val *pod);
/* All of them are; true for a hook without handlers. */
bool lifecycle_all_hooked(const val *hook, const val *pod);
bool lifecycle_mark_not_ready(const val *hook);
/* Any hook of the lifecycle has markPodNotReady. */
bool lifecycle_any_mark_not_ready(const val *lifecycle);

/* What the start of an in-place update must do first (L3). */
enum lifecycle_start {
	LIFECYCLE_START_NOW,	 /* update */
	LIFECYCLE_START_PREPARE, /* write PreparingUpdate and wait for the hook; sets_hook: the
				    hook's labels and finalizers must be put on the pod too (from
				    Updated) */
	LIFECYCLE_START_WAIT,	 /* in PreparingUpdate, still hooked */
	LIFECYCLE_START_REFUSE,	 /* PreparingDelete, or an unknown state */
};
enum lifecycle_start lifecycle_start_update(enum lifecycle_state state, const val *lifecycle,
					    const val *pod);

/* What is known of the pod's in-place update. */
enum lifecycle_update {
	LIFECYCLE_UPDATE_PENDING,  /* under way */
	LIFECYCLE_UPDATE_COMPLETE, /* or there was none */
};

/*
 * The state in which the pod should be now (L2, L4, L5); the present one when nothing is to be
 * written. scheduled: it has a node or PodScheduled is True. at_target: its revision is the one it
 * should have. pod may be NULL if the lifecycle has no preNormal and inPlaceUpdate hook.
 */
enum lifecycle_state lifecycle_next(enum lifecycle_state state, bool scheduled, bool at_target,
				    enum lifecycle_update update, const val *lifecycle,
				    const val *pod);

/* Sets the state label and the time annotation in `object` (a pod, or a patch of one), arena-owned.
 */
void lifecycle_set(arena *a, val *object, enum lifecycle_state s, int64_t now);
/* The patch of a state change: {"metadata":{"labels":…,"annotations":…}}. Fits as merge and as
 * strategic merge patch. resource_version absent: no precondition. */
val lifecycle_patch(arena *a, enum lifecycle_state s, int64_t now, struct str resource_version);
/* The same, with the hook's labels and finalizers put on the pod (Updated → PreparingUpdate). A
 * strategic merge patch. */
val lifecycle_patch_with_hook(arena *a, enum lifecycle_state s, const val *hook, int64_t now,
			      struct str resource_version);

#endif
