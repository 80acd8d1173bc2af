/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CONDITIONS_H
#define RULES_CONDITIONS_H

#include "rules/pod.h"

/* Conditions in a pod's status, and patches of them. */

const val *condition_of(const val *pod, const char *type);
enum pod_condition condition_status(const val *condition); /* of one entry; NULL is COND_ABSENT */
/* Whether spec.readinessGates has this condition type. */
bool readiness_gate_has(const val *pod, const char *type);

/* What a condition is to become. Absent reason and message are removed from the pod. */
struct condition {
	const char *type;
	bool on;
	const char *reason;
	struct str message;
};

/* Appends the condition's patch to the array. lastTransitionTime is set only when the status
 * changes. */
void condition_push(arena *a, val *array, const val *pod, const struct condition *c, int64_t now);

/*
 * Kubelet takes a while to see that a readiness gate has turned false, so whoever turns `changed`
 * false says so in Ready too: appended unless the pod has no condition Ready, or its containers are
 * not ready (then Ready is False for a better reason). The message lists every gate that is not
 * true.
 */
void condition_push_ready_false(arena *a, val *array, const val *pod, const char *changed,
				int64_t now);

/* {"metadata":{"uid":…,"resourceVersion":…},"status":{"conditions":array}}. */
val condition_patch(arena *a, struct str uid, struct str resource_version, val array);
struct str pod_uid(const val *pod);
struct str pod_resource_version(const val *pod);

#endif
