/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODESIM_STATUS_H
#define NODESIM_STATUS_H

#include "tests/cluster/nodesim/runtime.h"

/*
 * What a kubelet would write into a pod's status. Conditions that a kubelet does not own are
 * neither read into the patch nor touched by it; those of readiness gates decide about Ready.
 */
struct sim_address {
	const char *pod_ip;
	const char *host_ip;
};

/*
 * Builds in the arena a strategic merge patch (the pod's uid is its precondition) that takes the
 * pod from the status it has to the one its runtime asks for. False when the two agree, or when
 * there is nothing to say yet. Strings of the patch may point into the pod, the runtime and the
 * address.
 */
bool sim_status_patch(arena *a, const val *pod, const struct sim_runtime *rt,
		      const struct sim_faults *f, struct sim_address at, struct sim_now now,
		      val *patch);

#endif
