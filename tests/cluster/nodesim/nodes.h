/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODESIM_NODES_H
#define NODESIM_NODES_H

#include "kube/rest.h"
#include "tests/cluster/nodesim/options.h"

/*
 * The simulated nodes: registers Node objects and their Leases, renews the Leases, and knows which
 * nodes are silent (by flag, or by annotation sim.kruised.io/silent: "true" on the Node).
 */
struct sim_nodes;

struct sim_nodes_ops {
	void (*registered)(void *userdata);	      /* all of them; once */
	void (*awake)(uint32_t node, void *userdata); /* is no longer silent */
};

struct sim_nodes *sim_nodes_new(struct k8s_client *c, sd_event *loop, const struct sim_options *o,
				const struct sim_nodes_ops *ops, void *userdata);
void sim_nodes_free(struct sim_nodes *n);

/* The index of a node of ours, or -1. */
int64_t sim_nodes_find(const struct sim_nodes *n, struct str name);
bool sim_nodes_silent(const struct sim_nodes *n, uint32_t node);
const char *sim_nodes_name(const struct sim_nodes *n, uint32_t node);
const char *sim_nodes_ip(const struct sim_nodes *n, uint32_t node);

/* Where a new pod should go: nodes in turn, without silent and full ones; -1: nowhere. */
int64_t sim_nodes_choose(struct sim_nodes *n);
void sim_nodes_count(struct sim_nodes *n, uint32_t node, int change); /* of pods */

#endif
