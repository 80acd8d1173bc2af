/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODESIM_FAULTS_H
#define NODESIM_FAULTS_H

#include "kube/value.h"

/*
 * What a pod's annotations ask of its kubelet:
 *
 *   sim.kruised.io/never-ready: "true"         containers run but never become ready
 *   sim.kruised.io/crash: CONTAINER            it ends in CrashLoopBackOff; restartCount grows
 *   sim.kruised.io/pull-error: TEXT            images that contain TEXT cannot be pulled
 *   sim.kruised.io/exit: CODE                  containers end with it: the pod is Succeeded or
 * Failed sim.kruised.io/exit-after: DURATION        after this time (default: the restart delay)
 *   sim.kruised.io/start-delay: DURATION       instead of --start-delay
 *
 * Annotations that are added or removed later count from then on. Images that contain "broken" or
 * "nopull" can never be pulled.
 */
struct sim_faults {
	bool never_ready;
	struct str crash;      /* absent: none */
	struct str pull_error; /* absent: none */
	bool exits;
	int exit_code;
	bool has_exit_after, has_start_delay;
	uint64_t exit_after_usec, start_delay_usec;
};

/* Malformed values count as absent. The strings point into the pod. */
struct sim_faults sim_faults_of(const val *pod);

bool sim_pullable(const struct sim_faults *f, struct str image);

/* Annotation sim.kruised.io/silent: "true" of a node. */
bool sim_node_silent(const val *node);

#endif
