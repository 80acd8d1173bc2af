/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_update.h"

#include "rules/cloneset_convert.h"
#include "rules/cloneset_strategy.h"

#include <stdio.h>

bool cloneset_strategy_from(const val *cloneset, struct cloneset_strategy *out)
{
	const val *u = cloneset_rolling(cloneset);
	const val *priority = val_get(u, "priorityStrategy");
	const val *scatter = val_get(u, "scatterStrategy");

	*out = (struct cloneset_strategy){0};
	if (val_is_map(priority) && val_len(priority))
		out->priority = priority;
	if (val_is_array(scatter) && val_len(scatter))
		out->scatter = scatter;
	return out->priority || out->scatter;
}

/*
 * U3. Pods that are being deleted anyway come back at the right revision: each is one fewer to
 * update. A pod in a grace period for another revision than the target is a candidate like others:
 * what waits for the end of that period joins the new update, and a template rolled back in time
 * restarts nothing. A pod whose annotation is broken is not: what it runs and waits for is not
 * known.
 */
static struct index_list find_candidates(arena *a, const struct cloneset_spec *spec,
					 const struct cloneset_state *st,
					 struct cloneset_update_plan *p, int32_t *want)
{
	struct index_list l = {.i = arena_alloc(a, (st->n + 1) * sizeof(uint32_t))};

	for (size_t i = 0; i < st->n; i++) {
		if (st->flags[i].updated != p->to_current || st->flags[i].pre_deleting)
			continue;
		if (st->flags[i].to_delete) {
			--*want;
			continue;
		}
		if (st->pods[i]->inplace == INPLACE_BROKEN && spec->type != CLONESET_RECREATE)
			continue;
		l.i[l.n++] = (uint32_t)i;
	}
	return l;
}

/* Pods in PreparingUpdate to the front, stable. */
static void preparing_first(arena *a, const struct cloneset_state *st, struct index_list *l)
{
	uint32_t *sorted = arena_alloc(a, (l->n + 1) * sizeof(*sorted));
	size_t k = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < l->n; i++) {
			bool preparing = st->pods[l->i[i]]->lifecycle == LIFECYCLE_PREPARING_UPDATE;

			if (preparing == (pass == 0))
				sorted[k++] = l->i[i];
		}
	}
	l->i = sorted;
}

/* U4 */
static void order(arena *a, const struct cloneset_spec *spec, const struct cloneset_state *st,
		  const struct cloneset_strategy *s, struct index_list *l)
{
	const struct pod_order o = {.pods = st->pods, .min_ready = spec->min_ready, .now = st->now};

	pod_sort(&o, POD_ORDER_UPDATE, l->i, l->n);
	if (s && s->priority && s->labels)
		cloneset_order_by_priority(a, s, l->i, l->n);
	if (s && s->scatter && s->labels)
		cloneset_order_by_scatter(a, s, l->i, l->n);
	preparing_first(a, st, l);
}

/* U5: how many of the list's first may be updated now. */
static size_t walk(const struct cloneset_state *st, const struct cloneset_counts *c,
		   const struct index_list *l, bool to_current)
{
	int64_t unavailable = 0, at_target = 0;
	size_t taken = 0;

	for (size_t i = 0; i < st->n; i++) {
		/* a pod that will be deleted is as good as gone */
		if (st->flags[i].available && !st->flags[i].to_delete)
			continue;
		unavailable++;
		at_target += st->flags[i].updated != to_current;
	}
	for (; taken < l->n; taken++) {
		if (at_target + (int64_t)taken >= c->update_max_unavailable)
			break;
		if (!st->flags[l->i[taken]].available)
			continue;
		if (unavailable >= c->update_max_unavailable)
			break;
		unavailable++;
	}
	return taken;
}

/* Leaves the first `allowed` of the pods; the others wait. */
static void hold(struct cloneset_update_plan *p, enum cloneset_hold why, size_t allowed)
{
	p->waiting = (struct index_list){p->pods.i + allowed, p->pods.n - allowed};
	p->hold = p->waiting.n ? why : HOLD_NONE;
	p->pods.n = allowed;
}

struct cloneset_update_plan cloneset_update(arena *a, const struct cloneset_spec *spec,
					    const struct cloneset_state *st,
					    const struct cloneset_counts *c,
					    const struct cloneset_strategy *strategy)
{
	struct cloneset_update_plan p = {.to_current = c->update < 0};
	int32_t want = p.to_current ? -c->update : c->update;
	size_t allowed;

	p.revision = p.to_current ? st->current_revision : st->update_revision;
	if (want == 0)
		return p;
	if (spec->paused || spec->on_delete)
		snprintf(p.why, sizeof(p.why), "%d pods are not updated: %s", want,
			 spec->paused ? "updateStrategy.paused is true" : "the type is OnDelete");
	p.pods = find_candidates(a, spec, st, &p, &want);
	if (want < 0)
		want = 0;
	order(a, spec, st, strategy, &p.pods);
	if (p.pods.n > (size_t)want)
		p.pods.n = (size_t)want;
	if (spec->paused || spec->on_delete) {
		hold(&p, spec->paused ? HOLD_PAUSED : HOLD_ON_DELETE, 0);
		return p;
	}
	allowed = walk(st, c, &p.pods, p.to_current);
	if (allowed < p.pods.n)
		snprintf(p.why, sizeof(p.why),
			 "%zu pods wait to be updated: %d pods are unavailable, %d may be",
			 p.pods.n - allowed,
			 c->total_unavailable + c->to_delete_new + c->to_delete_old,
			 c->update_max_unavailable);
	hold(&p, HOLD_MAX_UNAVAILABLE, allowed);
	return p;
}
