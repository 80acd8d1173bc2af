/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_LAUNCHPRIORITY_H
#define RULES_LAUNCHPRIORITY_H

#include "kube/value.h"
#include "rules/fielderror.h"

/*
 * Container launch priority: the order in which a pod's containers start. Admission gives each of
 * them an environment variable that comes from a key of a ConfigMap, the pod's barrier. Kubelet
 * cannot start a container before that key exists, and the controller adds the keys one by one,
 * from the highest priority to the lowest.
 */
#define ANNO_LAUNCH_PRIORITY "apps.kruise.io/container-launch-priority"		   /* "Ordered" */
#define ANNO_LAUNCH_COMPLETED "apps.kruise.io/container-launch-priority-completed" /* "true" */
#define ENV_LAUNCH_PRIORITY "KRUISE_CONTAINER_PRIORITY"				   /* an integer */
#define ENV_LAUNCH_BARRIER "KRUISE_CONTAINER_BARRIER"

/*
 * P1, P2: changes a pod that is being created (owned by the arena). A pod without a name gets one
 * from its generateName and random. Adds errors, and changes nothing, when a priority is no integer
 * or the barrier could have no valid name.
 */
void launchpriority_inject(arena *a, val *pod, uint64_t random, struct field_errors *errors);

/* P3: what a pod's containers wait for. */
struct launch_plan {
	bool over;	 /* nothing is left to do for this pod, now and later */
	const char *key; /* of the barrier, to be there: the highest priority that is not ready */
	bool last;	 /* no container that is not ready has a lower one */
	bool held; /* kubelet has last found a container of that priority impossible to start */
};
/* Any object; texts are in the arena. */
struct launch_plan launchpriority_plan(arena *a, const val *pod);

/* "POD-barrier" */
char *launchpriority_barrier_name(arena *a, struct str pod_name);
/* The ConfigMap to create, with its first key. */
val launchpriority_barrier(arena *a, const val *pod, const char *key);
/* Merge patch that adds a key to the ConfigMap with this uid. */
val launchpriority_key_patch(arena *a, struct str uid, const char *key);
bool launchpriority_has_key(const val *barrier, const char *key);
/* Whether an existing ConfigMap belongs to an earlier pod of the same name: its keys say nothing
 * about this pod, and it is about to be collected. One that no pod owns does not. */
bool launchpriority_is_predecessors(const val *barrier, const val *pod);
/* Merge patch of the pod: all its containers may start. */
val launchpriority_completed_patch(arena *a, const val *pod);

#endif
