/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_scale.h"

#include "rules/nameset.h"
#include "rules/revision.h"

#include <stdio.h>

static struct index_list list_new(arena *a, size_t n)
{
	return (struct index_list){.i = arena_alloc(a, (n + 1) * sizeof(uint32_t))};
}

static void list_add(struct index_list *l, uint32_t i)
{
	l->i[l->n++] = i;
}

/* P1: pods in PreparingDelete that are needed again. */
static void plan_cancel(arena *a, const struct cloneset_spec *spec, const struct cloneset_state *st,
			struct cloneset_scale_plan *p)
{
	int64_t planned = 0, needed;

	for (size_t i = 0; i < st->n; i++)
		planned += st->flags[i].pre_deleting || st->flags[i].named;
	needed = spec->replicas - (int64_t)st->n + planned;
	if (lifecycle_any_mark_not_ready(spec->lifecycle) || needed <= 0)
		return;
	p->cancel = list_new(a, st->n);
	for (size_t i = 0; i < st->n && needed > 0; i++) {
		if (!st->flags[i].pre_deleting || st->flags[i].named)
			continue;
		list_add(&p->cancel, (uint32_t)i);
		needed--;
	}
}

/* Adds those of `from` that may be deleted now: all that are not ready, ready ones while the limit
 * lasts. */
static void take_deletable(const struct cloneset_state *st, const struct index_list *from,
			   int32_t limit, struct cloneset_scale_plan *p)
{
	for (size_t k = 0; k < from->n; k++) {
		uint32_t i = from->i[k];

		if (st->flags[i].ready && limit <= 0) {
			p->held++;
			list_add(&p->kept, i);
			continue;
		}
		limit -= st->flags[i].ready;
		list_add(&p->remove, i);
	}
}

/* Indexes of pods that are old or new. */
static struct index_list of_revision(arena *a, const struct cloneset_state *st, bool is_new)
{
	struct index_list l = list_new(a, st->n);

	for (size_t i = 0; i < st->n; i++) {
		if (st->flags[i].is_new == is_new)
			list_add(&l, (uint32_t)i);
	}
	return l;
}

/* Cuts the list to the `want` pods to be deleted first. */
static void choose(arena *a, const struct cloneset_spec *spec, const struct cloneset_state *st,
		   const struct cloneset_ranking *ranking, struct index_list *l, size_t want)
{
	struct pod_order o = {.pods = st->pods, .min_ready = spec->min_ready, .now = st->now};
	double *ranks;

	if (want >= l->n)
		return;
	ranks = arena_alloc(a, st->n * sizeof(*ranks));
	if (ranking && ranking->n_spread)
		pod_rank_spread(&o, l->i, l->n, ranking->spread, ranking->n_spread, ranks);
	else
		pod_rank_same_node(&o, l->i, l->n, ranks);
	o.ranks = ranks;
	pod_sort(&o, POD_ORDER_DELETE, l->i, l->n);
	l->n = want;
}

/* P6 */
static struct index_list choose_down(arena *a, const struct cloneset_spec *spec,
				     const struct cloneset_state *st,
				     const struct cloneset_counts *c,
				     const struct cloneset_ranking *ranking)
{
	size_t want_old = (size_t)(c->down_old < c->down ? c->down_old : c->down);
	size_t want_new = (size_t)c->down - want_old;
	struct index_list old = of_revision(a, st, false), new = of_revision(a, st, true);

	choose(a, spec, st, ranking, &old, want_old);
	choose(a, spec, st, ranking, &new, want_new);
	/* both lists have room for all pods */
	for (size_t k = 0; k < new.n; k++)
		list_add(&old, new.i[k]);
	return old;
}

static void plan_delete(arena *a, const struct cloneset_spec *spec, const struct cloneset_state *st,
			const struct cloneset_counts *c, const struct cloneset_ranking *ranking,
			struct cloneset_scale_plan *p)
{
	struct index_list specified = list_new(a, st->n);

	p->release = list_new(a, st->n);
	p->remove = list_new(a, st->n);
	p->kept = list_new(a, st->n);
	for (size_t i = 0; i < st->n; i++) {
		if (st->flags[i].pre_deleting)
			list_add(&p->release, (uint32_t)i);
		if (st->flags[i].to_delete)
			list_add(&specified, (uint32_t)i);
	}
	take_deletable(st, &specified, c->delete_ready_limit, p);
	if (c->down > 0 && specified.n == 0 && p->release.n == 0) {
		struct index_list down = choose_down(a, spec, st, c, ranking);

		take_deletable(st, &down, c->delete_ready_limit, p);
	}
	p->hold = p->held ? HOLD_DELETE_LIMIT : HOLD_NONE;
	if (p->held)
		snprintf(p->why, sizeof(p->why),
			 "%d ready pods are to be deleted once others are available: %d are not, "
			 "maxUnavailable is %d",
			 p->held, c->total_unavailable, spec->max_unavailable);
}

struct cloneset_scale_plan cloneset_scale(arena *a, const struct cloneset_spec *spec,
					  const struct cloneset_state *st,
					  const struct cloneset_counts *c,
					  const struct cloneset_ranking *ranking)
{
	struct cloneset_scale_plan p = {.limited = c->up_limited};

	plan_cancel(a, spec, st, &p);
	if (p.cancel.n)
		return p;
	if (c->up > 0) {
		p.create_old = c->up_old < c->up_limit ? c->up_old : c->up_limit;
		p.create_new = c->up_limit - p.create_old;
		p.hold = p.limited ? HOLD_SCALE_LIMIT : HOLD_NONE;
		if (p.limited)
			snprintf(p.why, sizeof(p.why),
				 "%d of %d pods wait to be created: %d pods are unavailable, "
				 "scaleStrategy.maxUnavailable is %d",
				 c->up - c->up_limit, c->up, c->total_unavailable,
				 spec->scale_max_unavailable);
		return p;
	}
	plan_delete(a, spec, st, c, ranking, &p);
	return p;
}

bool cloneset_trim_pods_to_delete(arena *a, const val *cloneset, const struct cloneset_state *st,
				  val *patch)
{
	const val *named = val_path(cloneset, "spec", "scaleStrategy", "podsToDelete", NULL);
	const val *rv = val_path(cloneset, "metadata", "resourceVersion", NULL);
	val kept = val_array(), scale = val_map();
	struct nameset live;

	if (!val_is_array(named) || val_len(named) == 0)
		return false;
	live = nameset_new(a, st->n);
	for (size_t i = 0; i < st->n; i++)
		nameset_add(&live, str_of(st->pods[i]->name));
	nameset_sort(&live);
	for (size_t i = 0; i < val_len(named); i++) {
		if (nameset_has(&live, val_str(val_at(named, i))))
			val_push(a, &kept, *val_at(named, i));
	}
	if (val_len(&kept) == val_len(named))
		return false;
	*patch = val_map();
	if (val_is_str(rv))
		val_set(a, val_ensure_map(a, patch, "metadata"), "resourceVersion", *rv);
	val_set(a, &scale, "podsToDelete", val_len(&kept) ? kept : val_null());
	val_set(a, val_ensure_map(a, patch, "spec"), "scaleStrategy", scale);
	return true;
}

static val uid_patch(arena *a, struct str uid)
{
	val patch = val_map();

	if (uid.n)
		val_set(a, val_ensure_map(a, &patch, "metadata"), "uid", val_of_strn(uid));
	return patch;
}

static val label_patch(arena *a, const char *label, val v, struct str uid)
{
	val patch = uid_patch(a, uid);
	val *meta = val_ensure_map(a, &patch, "metadata");

	val_set(a, val_ensure_map(a, meta, "labels"), label, v);
	return patch;
}

val cloneset_specified_delete_patch(arena *a, struct str uid)
{
	return label_patch(a, LABEL_SPECIFIED_DELETE, val_of_str("true"), uid);
}

val cloneset_template_hash_patch(arena *a, struct str revision, struct str uid)
{
	struct str hash = revision_short(revision);

	return label_patch(a, LABEL_TEMPLATE_HASH, val_of_strdup(a, hash), uid);
}
