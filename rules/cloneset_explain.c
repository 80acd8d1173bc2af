/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_explain_int.h"

#include "kube/time.h"

static const val *object_of(const struct cloneset_explain *x, size_t pod)
{
	return x->object ? x->object(pod, x->userdata) : NULL;
}

bool cloneset_explain_hooked(const struct cloneset_explain *x, size_t pod, const char *name)
{
	const val *hook = lifecycle_hook(x->spec->lifecycle, name);

	return lifecycle_hook_exists(hook) && lifecycle_hooked(hook, object_of(x, pod));
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Since when a pod is what it is. */
static int64_t pod_since(const struct pod_view *v)
{
	return v->ready_since ? v->ready_since : v->created;
}

/* When the last of the pods that are not available became so: since then the set has stood still.
 */
static int64_t unavailable_since(const struct cloneset_explain *x)
{
	int64_t since = 0;

	for (size_t i = 0; i < x->st->n; i++) {
		if (!x->st->flags[i].available)
			since = later(since, pod_since(x->st->pods[i]));
	}
	return since;
}

/* Whether a hook holds every pod of the list, and since when the last one. */
static bool all_hooked(const struct cloneset_explain *x, const struct index_list *l,
		       enum lifecycle_state state, const char *hook, int64_t *since)
{
	for (size_t k = 0; k < l->n; k++) {
		size_t i = l->i[k];
		const val *when;

		if (x->st->pods[i]->lifecycle != state || !cloneset_explain_hooked(x, i, hook))
			return false;
		when = val_path(object_of(x, i), "metadata", "annotations",
				ANNO_LIFECYCLE_TIMESTAMP, NULL);
		*since = later(*since, k8s_time_of(when, 0));
	}
	return l->n > 0;
}

/* What the scaling step says of the set; STAND_COMPLETE: nothing. */
static enum cloneset_stand judge_scale(const struct cloneset_explain *x, int64_t *since)
{
	const struct cloneset_scale_plan *p = x->scale;
	bool acts = p->cancel.n + p->remove.n > 0 || p->create_old + p->create_new > 0;

	if (x->scale_error.n && acts)
		return STAND_SCALE_REFUSED;
	if (acts)
		return STAND_GOING;
	if (p->release.n)
		return all_hooked(x, &p->release, LIFECYCLE_PREPARING_DELETE, "preDelete", since)
			   ? STAND_HOOK
			   : STAND_GOING;
	if (p->hold == HOLD_SCALE_LIMIT)
		return STAND_SCALE_LIMITED;
	*since = unavailable_since(x);
	return p->hold == HOLD_DELETE_LIMIT ? STAND_SCALE_DOWN_WAITING : STAND_COMPLETE;
}

int64_t cloneset_explain_grace_end(const struct cloneset_explain *x)
{
	int64_t first = 0;

	for (size_t i = 0; i < x->st->n; i++) {
		const struct pod_view *v = x->st->pods[i];

		if (v->has_grace && v->grace_end > x->st->now && (!first || v->grace_end < first))
			first = v->grace_end;
	}
	return first;
}

static enum cloneset_stand judge_update(const struct cloneset_explain *x, int64_t *since)
{
	const struct cloneset_update_plan *p = x->update;

	if (x->update_error.n)
		return STAND_UPDATE_REFUSED;
	if (p->pods.n)
		return all_hooked(x, &p->pods, LIFECYCLE_PREPARING_UPDATE, "inPlaceUpdate", since)
			   ? STAND_HOOK
			   : STAND_GOING;
	if (p->hold == HOLD_PAUSED)
		return STAND_PAUSED;
	if (p->hold == HOLD_ON_DELETE)
		return STAND_ON_DELETE;
	*since = unavailable_since(x);
	if (cloneset_explain_grace_end(x))
		return STAND_GRACE;
	return p->hold == HOLD_MAX_UNAVAILABLE ? STAND_WAITING : STAND_COMPLETE;
}

static enum cloneset_stand judge_rest(const struct cloneset_explain *x, int64_t *since)
{
	int32_t updated = 0, available = 0;

	for (size_t i = 0; i < x->st->n; i++) {
		bool in = x->st->flags[i].available;

		updated += x->st->flags[i].updated && in;
		available += in;
	}
	/* what the partition keeps need not be well for it to be reached */
	if (x->c->expected_updated < x->spec->replicas && x->c->expected_updated <= updated &&
	    updated < (int32_t)x->st->n)
		return STAND_PARTITION;
	*since = unavailable_since(x);
	return available < (int32_t)x->st->n ? STAND_UNAVAILABLE : STAND_COMPLETE;
}

struct cloneset_verdict cloneset_verdict(const struct cloneset_explain *x)
{
	struct cloneset_verdict v = {.stand = STAND_DELETING};
	int64_t since = 0;

	if (x->deleting)
		return v;
	v.stand = judge_scale(x, &since);
	/* a scale-down that waits does not keep the update from going on */
	if (x->update && (v.stand == STAND_COMPLETE || v.stand == STAND_SCALE_DOWN_WAITING ||
			  v.stand == STAND_HOOK || v.stand == STAND_SCALE_LIMITED)) {
		int64_t other = 0;
		enum cloneset_stand stand = judge_update(x, &other);

		if (v.stand == STAND_COMPLETE || stand == STAND_GOING ||
		    stand == STAND_UPDATE_REFUSED) {
			v.stand = stand;
			since = other;
		}
	}
	if (v.stand == STAND_COMPLETE)
		v.stand = x->update ? judge_rest(x, &since) : STAND_GOING;
	if (v.stand == STAND_SCALE_REFUSED)
		since = x->scale_error_since;
	if (v.stand == STAND_UPDATE_REFUSED)
		since = x->update_error_since;
	v.since = since;
	return v;
}
