/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/nodes.h"

#include "ipc/base/log.h"
#include "tests/cluster/nodesim/faults.h"
#include "tests/cluster/nodesim/nodeobj.h"
#include "tests/cluster/nodesim/reflect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEASES_NS "kube-node-lease"
#define RETRY_USEC 1000000u

/* Registration goes through these in order. */
enum step { CREATE_NODE, REFRESH_NODE, UNTAINT_NODE, CREATE_LEASE, RENEW_LEASE };

struct node {
	struct sim_nodes *all;
	uint32_t index;
	char name[64];
	char ip[20];
	enum step step;
	bool registered, silent_flag, silent_annotation;
	uint32_t pods;
	struct k8s_call *call;
};

struct sim_nodes {
	struct k8s_client *client;
	const struct sim_options *options;
	const struct sim_nodes_ops *ops;
	void *userdata;
	struct reflector *reflector;
	sd_event_source *beat;
	uint32_t next_beat, next_pod, registered;
	struct node *node;
};

static void go(struct node *n);

static bool is_silent(const struct node *n)
{
	return n->silent_flag || n->silent_annotation;
}

static void done_registering(struct node *n)
{
	struct sim_nodes *all = n->all;
	if (n->registered)
		return;
	n->registered = true;
	if (++all->registered == all->options->nodes)
		all->ops->registered(all->userdata);
}

static enum step after(const struct node *n, const struct k8s_response *r)
{
	switch (n->step) {
	case CREATE_NODE:
		if (k8s_is_already_exists(r))
			return REFRESH_NODE;
		return val_len(val_path(r->object, "spec", "taints", NULL)) ? UNTAINT_NODE
									    : CREATE_LEASE;
	case REFRESH_NODE:
		return UNTAINT_NODE;
	case UNTAINT_NODE:
		return CREATE_LEASE;
	case CREATE_LEASE:
	case RENEW_LEASE:
		break;
	}
	return RENEW_LEASE;
}

/* One answer: to the next step; a failure is tried again by the next round of heartbeats. */
static void on_answer(const struct k8s_response *r, void *userdata)
{
	struct node *n = userdata;
	n->call = NULL;
	if (n->step == RENEW_LEASE && k8s_is_not_found(r))
		n->step = CREATE_LEASE; /* somebody removed it */
	else if (k8s_ok(r) || k8s_is_already_exists(r))
		n->step = after(n, r);
	else
		log_warn("node %s: %s", n->name, r->error);
	if (!k8s_ok(r) && !k8s_is_already_exists(r))
		return;
	if (n->step == RENEW_LEASE)
		done_registering(n);
	else
		go(n);
}

static void go(struct node *n)
{
	_cleanup_arena_ arena *a = arena_new();
	struct k8s_client *c = n->all->client;
	const struct node_facts facts = {n->name, n->ip, n->index, n->all->options->pods_per_node};
	val body;
	switch (n->step) {
	case CREATE_NODE:
		body = node_object(a, &facts);
		n->call = k8s_create(c, &K8S_NODES, NULL, &body, on_answer, n);
		break;
	case REFRESH_NODE:
		body = node_status_patch(a, &facts);
		n->call = k8s_patch(c, &K8S_NODES, NULL, n->name, "status", K8S_PATCH_STRATEGIC,
				    &body, on_answer, n);
		break;
	case UNTAINT_NODE:
		body = node_untaint_patch(a);
		n->call = k8s_patch(c, &K8S_NODES, NULL, n->name, NULL, K8S_PATCH_MERGE, &body,
				    on_answer, n);
		break;
	case CREATE_LEASE:
		body = node_lease(a, &facts);
		n->call = k8s_create(c, &K8S_LEASES, LEASES_NS, &body, on_answer, n);
		break;
	case RENEW_LEASE:
		body = node_renewal(a);
		n->call = k8s_patch(c, &K8S_LEASES, LEASES_NS, n->name, NULL, K8S_PATCH_MERGE,
				    &body, on_answer, n);
		break;
	}
}

/* Spreads the heartbeats over their period: one node a turn. */
static int on_beat(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct sim_nodes *all = userdata;
	struct node *n = &all->node[all->next_beat];
	all->next_beat = (all->next_beat + 1) % all->options->nodes;
	if (!n->call && !(n->registered && is_silent(n)))
		go(n);
	uint64_t period = all->options->heartbeat_usec / all->options->nodes;
	if (all->registered < all->options->nodes && period > RETRY_USEC / all->options->nodes)
		period = RETRY_USEC / all->options->nodes;
	sd_event_source_set_time(s, usec + (period ? period : 1));
	sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
	return 0;
}

static void on_list_edge(void *userdata)
{
	(void)userdata;
}

static void set_annotation(struct node *n, bool silent)
{
	const bool was = is_silent(n);
	if (silent != n->silent_annotation)
		log_info("node %s is %s", n->name, silent ? "silent" : "awake");
	n->silent_annotation = silent;
	if (was && !is_silent(n))
		n->all->ops->awake(n->index, n->all->userdata);
}

static void on_node(const val *object, const char *text, size_t len, void *userdata)
{
	struct sim_nodes *all = userdata;
	(void)text;
	(void)len;
	const int64_t i = sim_nodes_find(all, val_str(val_path(object, "metadata", "name", NULL)));
	if (i >= 0)
		set_annotation(&all->node[i], sim_node_silent(object));
}

static void on_node_deleted(const val *object, void *userdata)
{
	struct sim_nodes *all = userdata;
	const int64_t i = sim_nodes_find(all, val_str(val_path(object, "metadata", "name", NULL)));
	if (i >= 0)
		set_annotation(&all->node[i], false);
}

static const struct reflect_ops node_ops = {
    .list_begin = on_list_edge,
    .object = on_node,
    .deleted = on_node_deleted,
    .list_end = on_list_edge,
};

static void name_nodes(struct sim_nodes *all)
{
	const struct sim_options *o = all->options;
	for (uint32_t i = 0; i < o->nodes; i++) {
		struct node *n = &all->node[i];
		n->all = all;
		n->index = i;
		snprintf(n->name, sizeof(n->name), "%s%u", o->prefix, i);
		snprintf(n->ip, sizeof(n->ip), "172.%u.%u.%u", 16 + i / 62500 % 16, i / 250 % 250,
			 i % 250 + 1);
		for (size_t j = 0; j < o->silent_count; j++)
			n->silent_flag |= strcmp(o->silent[j], n->name) == 0;
	}
}

struct sim_nodes *sim_nodes_new(struct k8s_client *c, sd_event *loop, const struct sim_options *o,
				const struct sim_nodes_ops *ops, void *userdata)
{
	struct sim_nodes *all = xcalloc(1, sizeof(*all));
	*all = (struct sim_nodes){.client = c, .options = o, .ops = ops, .userdata = userdata};
	all->node = xcalloc(o->nodes, sizeof(*all->node));
	name_nodes(all);
	for (uint32_t i = 0; i < o->nodes; i++)
		go(&all->node[i]);
	if (sd_event_add_time_relative(loop, &all->beat, CLOCK_MONOTONIC, RETRY_USEC, 1000, on_beat,
				       all) < 0)
		fatal("cannot add a timer");
	all->reflector = reflector_new(c, loop, &K8S_NODES, "labelSelector=" NODE_LABEL "%3Dtrue",
				       &node_ops, all);
	return all;
}

void sim_nodes_free(struct sim_nodes *all)
{
	if (!all)
		return;
	for (uint32_t i = 0; i < all->options->nodes; i++)
		if (all->node[i].call)
			k8s_call_cancel(all->node[i].call);
	reflector_free(all->reflector);
	sd_event_source_disable_unref(all->beat);
	free(all->node);
	free(all);
}

int64_t sim_nodes_find(const struct sim_nodes *all, struct str name)
{
	const size_t skip = strlen(all->options->prefix);
	uint64_t i = 0;
	if (!str_has_prefix(name, all->options->prefix) || name.n == skip || name.n > skip + 6)
		return -1;
	for (size_t k = skip; k < name.n; k++) {
		if (name.p[k] < '0' || name.p[k] > '9')
			return -1;
		i = i * 10 + (uint64_t)(name.p[k] - '0');
	}
	/* the name decides: sim-007 is none of ours */
	return i < all->options->nodes && str_is(name, all->node[i].name) ? (int64_t)i : -1;
}

bool sim_nodes_silent(const struct sim_nodes *all, uint32_t node)
{
	return is_silent(&all->node[node]);
}

const char *sim_nodes_name(const struct sim_nodes *all, uint32_t node)
{
	return all->node[node].name;
}

const char *sim_nodes_ip(const struct sim_nodes *all, uint32_t node)
{
	return all->node[node].ip;
}

int64_t sim_nodes_choose(struct sim_nodes *all)
{
	const uint32_t n = all->options->nodes;
	for (uint32_t tried = 0; tried < n; tried++) {
		const uint32_t i = all->next_pod;
		all->next_pod = (i + 1) % n;
		if (!is_silent(&all->node[i]) && all->node[i].pods < all->options->pods_per_node)
			return i;
	}
	return -1;
}

void sim_nodes_count(struct sim_nodes *all, uint32_t node, int change)
{
	all->node[node].pods += (uint32_t)change;
}
