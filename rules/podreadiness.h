/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_PODREADINESS_H
#define RULES_PODREADINESS_H

#include "rules/pod.h"

/*
 * Readiness gate and condition KruisePodReady. Its message lists who keeps the pod not ready: a
 * JSON array of {userAgent, key}, sorted. Patches are strategic merge patches of the status
 * sub-resource with the pod's uid and resourceVersion as precondition.
 */
struct readiness_key {
	const char *user_agent; /* "Lifecycle" */
	const char *key;	/* "preDeleteHook", "preUpdateHook" */
};
extern const struct readiness_key READINESS_PRE_DELETE, READINESS_PRE_UPDATE;

/* Gives a pod that is being created (owned by the arena) the readiness gate: every pod, or one that
 * a workload of group apps.kruise.io controls. */
void podreadiness_inject(arena *a, val *pod, bool every);

/* K1: the pod has the gate and lacks the condition. */
bool podreadiness_needs_init(const val *pod);
val podreadiness_init_patch(arena *a, const val *pod, int64_t now);

/* K2, K3: false when nothing is to be written (no gate, or it is so already), else true and *patch.
 * A message that is no list of keys counts as the empty list. */
bool podreadiness_add(arena *a, const val *pod, struct readiness_key k, int64_t now, val *patch);
bool podreadiness_remove(arena *a, const val *pod, struct readiness_key k, int64_t now, val *patch);

/* L7: which key entering a lifecycle state adds, and which it removes; NULL for none. */
struct readiness_change {
	const struct readiness_key *add, *remove;
};
struct readiness_change podreadiness_of_state(enum lifecycle_state to, const val *lifecycle);
/* The patch for a change; false when nothing is to be written. */
bool podreadiness_change_patch(arena *a, const val *pod, struct readiness_change change,
			       int64_t now, val *patch);

#endif
