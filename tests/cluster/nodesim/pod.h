/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODESIM_POD_H
#define NODESIM_POD_H

#include "tests/cluster/nodesim/configs.h"
#include "tests/cluster/nodesim/nodes.h"
#include "tests/cluster/nodesim/pods.h"
#include "tests/cluster/nodesim/runtime.h"
#include "tests/cluster/nodesim/table.h"

/* Shared by pods.c (which pods there are) and work.c (what is done with one). */
struct sim_pods {
	struct k8s_client *client;
	sd_event *loop;
	const struct sim_options *options;
	struct sim_nodes *nodes;
	struct reflector *reflector;
	struct sim_configs *configs;
	struct table table;
	bool listing; /* collects only, acts at the list's end */
	bool listed;
	void (*on_listed)(void *userdata);
	void *userdata;
	uint32_t last_ip;
	struct sim_pods_counts counts;
};

struct sim_pod {
	struct table_entry entry; /* first: a pod is its entry */
	struct sim_pods *all;
	char *uid;
	uint64_t version; /* resourceVersion of text */
	char *text;	  /* the newest version seen: the object, or a watch event with it */
	size_t len;
	int64_t node; /* -1: not bound */
	uint32_t ip;  /* below 10.128.0.0; 0: none yet */
	bool binding; /* asked for, the bound pod was not seen yet */
	bool seen;    /* by the list under way */
	struct sim_runtime runtime;
	struct k8s_call *call;	/* the one write under way */
	uint64_t asked_version; /* that it was made from */
	sd_event_source *timer;
};

/* Does what is due for the pod: at most one write, else the timer is set. object: its newest
 * version, or NULL to have it read from text. */
void sim_pod_work(struct sim_pod *p, const val *object);

/* Keeps text as the pod's newest version if it is newer. object may be what text was parsed to. */
bool sim_pod_take(struct sim_pod *p, const val *object, const char *text, size_t n);

#endif
