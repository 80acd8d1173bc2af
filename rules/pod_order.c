/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/pod.h"

#include "ipc/base/buf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a comparison needs, side by side in memory: sorting thousands of pods must not chase
 * pointers. */
struct sort_key {
	uint64_t first; /* rules 1 to 4, in bits from the top */
	double rank;	/* higher goes first */
	int64_t
	    ready_since;  /* later goes first, none first of all; 0 for pods that are not ready */
	int64_t created;  /* later goes first, none first of all */
	int32_t restarts; /* more goes first */
	uint32_t idx;
	const char *name;
};

static struct sort_key make_key(const struct pod_order *o, enum pod_order_kind kind, uint32_t idx)
{
	const struct pod_view *v = o->pods[idx];
	bool ready = pod_is_ready(v);
	struct sort_key k = {.idx = idx, .name = v->name, .restarts = v->restarts};

	k.first = (uint64_t)(*v->node != '\0') << 36 | (uint64_t)v->phase << 34;
	if (kind == POD_ORDER_DELETE) {
		k.first |= (uint64_t)pod_is_available(v, o->min_ready, o->now) << 33;
		k.first |= (uint32_t)v->deletion_cost ^ UINT32_C(0x80000000);
		k.rank = o->ranks ? o->ranks[idx] : 0;
	}
	k.first |= (uint64_t)ready << 32;
	k.ready_since = !ready ? 0 : v->ready_since ? v->ready_since : INT64_MAX;
	k.created = v->created ? v->created : INT64_MAX;
	return k;
}

static int cmp_keys(const void *pa, const void *pb)
{
	const struct sort_key *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->rank < b->rank || a->rank > b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (a->ready_since != b->ready_since)
		return a->ready_since > b->ready_since ? -1 : 1;
	if (a->restarts != b->restarts)
		return a->restarts > b->restarts ? -1 : 1;
	if (a->created != b->created)
		return a->created > b->created ? -1 : 1;
	return strcmp(a->name, b->name);
}

void pod_sort(const struct pod_order *o, enum pod_order_kind kind, uint32_t *idx, size_t n)
{
	_cleanup_free_ struct sort_key *keys = NULL;

	if (n < 2)
		return;
	keys = xcalloc(n, sizeof(*keys));
	for (size_t i = 0; i < n; i++)
		keys[i] = make_key(o, kind, idx[i]);
	qsort(keys, n, sizeof(*keys), cmp_keys);
	for (size_t i = 0; i < n; i++)
		idx[i] = keys[i].idx;
}

/* Groups by text: an open-addressing table with at least twice as many slots as entries. */
struct group {
	const char *name;
	uint32_t size; /* members */
	uint32_t seen; /* members that have been given their place */
};
struct group_table {
	struct group *slots;
	size_t mask;
	size_t n_groups;
};

static void group_table_init(struct group_table *t, size_t entries)
{
	size_t slots = 16;

	while (slots < entries * 2)
		slots *= 2;
	t->slots = xcalloc(slots, sizeof(*t->slots));
	t->mask = slots - 1;
	t->n_groups = 0;
}

static struct group *group_of(struct group_table *t, const char *name)
{
	uint64_t h = UINT64_C(14695981039346656037);
	size_t i;

	for (const char *p = name; *p; p++)
		h = (h ^ (unsigned char)*p) * UINT64_C(1099511628211);
	for (i = h & t->mask; t->slots[i].name; i = (i + 1) & t->mask) {
		if (strcmp(t->slots[i].name, name) == 0)
			return &t->slots[i];
	}
	t->slots[i].name = name;
	t->n_groups++;
	return &t->slots[i];
}

static const char *node_name(const struct pod_order *o, const struct pod_spread *s, uint32_t idx)
{
	return s ? s->domain[idx] : o->pods[idx]->node;
}

/*
 * Adds (members − place − less) × weight(groups) to each pod's rank; `sorted` is in deletion order.
 * By nodes if s is NULL, else by the constraint's domains.
 */
static void rank_groups(const struct pod_order *o, const struct pod_spread *s,
			const uint32_t *sorted, size_t n, double *ranks)
{
	struct group_table t;
	double weight;

	group_table_init(&t, n);
	for (size_t i = 0; i < n; i++) {
		const char *name = node_name(o, s, sorted[i]);

		if (*name)
			group_of(&t, name)->size++;
	}
	weight = s ? log((double)t.n_groups + 2) : 1;
	for (size_t i = 0; i < n; i++) {
		const char *name = node_name(o, s, sorted[i]);
		struct group *g;

		if (!*name)
			continue;
		g = group_of(&t, name);
		ranks[sorted[i]] += (double)(g->size - g->seen - (s ? 0 : 1)) * weight;
		g->seen++;
	}
	free(t.slots);
}

static uint32_t *copy_indexes(const uint32_t *idx, size_t n)
{
	uint32_t *copy = xcalloc(n ? n : 1, sizeof(*copy));

	memcpy(copy, idx, n * sizeof(*copy));
	return copy;
}

static void zero_ranks(const uint32_t *idx, size_t n, double *ranks)
{
	for (size_t i = 0; i < n; i++)
		ranks[idx[i]] = 0;
}

void pod_rank_same_node(const struct pod_order *o, const uint32_t *idx, size_t n, double *ranks)
{
	struct pod_order plain = *o;
	_cleanup_free_ uint32_t *sorted = copy_indexes(idx, n);

	if (n == 0)
		return;
	plain.ranks = NULL;
	zero_ranks(idx, n, ranks);
	pod_sort(&plain, POD_ORDER_DELETE, sorted, n);
	rank_groups(o, NULL, sorted, n, ranks);
}

void pod_rank_spread(const struct pod_order *o, const uint32_t *idx, size_t n,
		     const struct pod_spread *constraints, size_t n_constraints, double *ranks)
{
	struct pod_order plain = *o, by_node = *o;
	_cleanup_free_ uint32_t *sorted_plain = copy_indexes(idx, n);
	_cleanup_free_ uint32_t *sorted_node = copy_indexes(idx, n);
	_cleanup_free_ double *node_ranks = NULL;
	size_t top = 0;

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		top = idx[i] > top ? idx[i] : top;
	node_ranks = xcalloc(top + 1, sizeof(*node_ranks));
	pod_rank_same_node(o, idx, n, node_ranks);
	plain.ranks = NULL;
	by_node.ranks = node_ranks;
	pod_sort(&plain, POD_ORDER_DELETE, sorted_plain, n);
	pod_sort(&by_node, POD_ORDER_DELETE, sorted_node, n);

	zero_ranks(idx, n, ranks);
	for (size_t i = 0; i < n_constraints; i++) {
		const struct pod_spread *s = &constraints[i];

		rank_groups(o, s, s->hostname ? sorted_plain : sorted_node, n, ranks);
	}
}
