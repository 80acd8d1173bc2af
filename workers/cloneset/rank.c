/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/cloneset/clone.h"

#include <string.h>
#include <uthash.h>

/* Topology domains of pods, for the choice of those that go when a set with
 * topologySpreadConstraints becomes smaller (P5 of the rules that workloads share). */

struct node {
	const char *name;
	const val *labels; /* NULL: no such node */
	UT_hash_handle hh;
};

static const val *labels_of(struct clone *c, const char *node)
{
	struct store_entry entry;
	val v;
	if (store_get(c->s->txn, k8s_resource_key(&K8S_NODES), str_of(""), str_of(node), &entry) <=
		0 ||
	    store_object(&entry, c->s->arena, &v, NULL) < 0)
		return NULL;
	val *node_object = arena_alloc(c->s->arena, sizeof(*node_object));
	*node_object = v;
	return val_path(node_object, "metadata", "labels", NULL);
}

static struct node *node_of(struct clone *c, struct node **nodes, const char *name)
{
	struct node *n;
	HASH_FIND_STR(*nodes, name, n);
	if (n)
		return n;
	n = arena_alloc(c->s->arena, sizeof(*n));
	*n = (struct node){.name = name, .labels = labels_of(c, name)};
	HASH_ADD_KEYPTR(hh, *nodes, n->name, strlen(n->name), n);
	return n;
}

static const char **domains_of(struct clone *c, struct node **nodes, struct str key)
{
	arena *a = c->s->arena;
	const char **domain = arena_alloc(a, (c->state.n + 1) * sizeof(*domain));
	for (size_t i = 0; i < c->state.n; i++) {
		const char *name = c->state.pods[i]->node;
		const val *labels = name[0] ? node_of(c, nodes, name)->labels : NULL;
		const char *value = val_cstr(a, val_getn(labels, key));
		domain[i] = value ? value : "";
	}
	return domain;
}

const struct cloneset_ranking *clone_ranking(struct clone *c)
{
	const val *list =
	    val_path(&c->object, "spec", "template", "spec", "topologySpreadConstraints", NULL);
	size_t n = val_is_array(list) ? val_len(list) : 0;
	if (c->counts.down == 0 || n == 0)
		return NULL;
	arena *a = c->s->arena;
	struct cloneset_ranking *ranking = arena_alloc(a, sizeof(*ranking));
	struct pod_spread *spread = arena_alloc(a, n * sizeof(*spread));
	struct node *nodes = NULL;
	for (size_t i = 0; i < n; i++) {
		struct str key = val_str(val_get(val_at(list, i), "topologyKey"));
		spread[i] = (struct pod_spread){.hostname = str_is(key, "kubernetes.io/hostname"),
						.domain = domains_of(c, &nodes, key)};
	}
	HASH_CLEAR(hh, nodes);
	*ranking = (struct cloneset_ranking){.spread = spread, .n_spread = n};
	return ranking;
}
