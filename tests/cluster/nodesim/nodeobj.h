/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODESIM_NODEOBJ_H
#define NODESIM_NODEOBJ_H

#include "kube/value.h"

/* The API objects of a node. Strings of the results point into the facts. */
struct node_facts {
	const char *name;
	const char *ip;
	uint32_t index;
	uint32_t pods;
};

#define NODE_LABEL "sim.kruised.io/simulated"

val node_object(arena *a, const struct node_facts *f);	     /* with its status */
val node_status_patch(arena *a, const struct node_facts *f); /* strategic merge */
val node_untaint_patch(arena *a);			     /* merge patch */
val node_lease(arena *a, const struct node_facts *f);
val node_renewal(arena *a); /* merge patch of the lease */

#endif
