/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODESIM_PODS_H
#define NODESIM_PODS_H

#include "tests/cluster/nodesim/nodes.h"

/*
 * The pods of the simulated nodes. Each pod has one small state, is handled in one place, and has
 * at most one request under way, made from the newest version that was seen.
 */
struct sim_pods;

/* listed: runs once, when the first list is done. */
struct sim_pods *sim_pods_new(struct k8s_client *c, sd_event *loop, const struct sim_options *o,
			      struct sim_nodes *nodes, void (*listed)(void *userdata),
			      void *userdata);
void sim_pods_free(struct sim_pods *p);

/* Looks at all pods of a node anew. */
void sim_pods_wake(struct sim_pods *p, uint32_t node);

struct sim_pods_counts {
	uint64_t pods, writes, binds, failures;
};
struct sim_pods_counts sim_pods_counts(const struct sim_pods *p);

#endif
