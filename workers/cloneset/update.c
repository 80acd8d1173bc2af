/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "rules/inplace.h"
#include "rules/revision.h"
#include "workers/cloneset/clone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fresh reads after a conflict before the pod is left to the next sync. */
#define MAX_CONFLICTS 5

/* What an in-place update from one revision to the target takes; made once for all pods at it. */
struct step {
	const val *from;
	struct inplace_spec spec;
	struct step *next;
};

struct rollout {
	struct clone *c;
	const val *target;
	const char *target_name;
	struct step *steps;
};

/* One pod's update: a chain of requests. */
struct update {
	struct rollout *ro;
	const struct inplace_spec *spec;
	char *name, *uid, *revision;
	val pod; /* the newest version that we have */
	int conflicts;
	bool wrote; /* something has been written: the intent stays until the store shows it */
};

static void continue_update(struct update *u);

static void give_up(struct update *u, const char *why)
{
	struct clone *c = u->ro->c;
	struct intent *it = journal_find(c->s->w->journal, c->uid_text, INTENT_UPDATE, u->name);
	if (it && !u->wrote)
		journal_clear(c->s->w->journal, c->uid_text, it);
	if (!why)
		return;
	clone_note(&c->notes->update_error, why);
	clone_event(c, K8S_EVENT_WARNING, "FailedUpdatePodInPlace", "pod %s: %s", u->name, why);
	sync_fail(c->s, "cannot update pod %s: %s", u->name, why);
}

static void on_fresh(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct update *u = userdata;
	if (k8s_is_not_found(r)) {
		give_up(u, NULL);
		return;
	}
	if (!k8s_ok(r)) {
		give_up(u, r->error);
		return;
	}
	u->pod = val_copy(s->arena, r->object);
	const val *meta = val_get(&u->pod, "metadata");
	/* another pod of that name, one that goes, or one that has been moved on: not our update
	 * any more */
	bool same = val_is(val_get(meta, "uid"), u->uid) &&
		    val_is_null(val_get(meta, "deletionTimestamp")) &&
		    val_is(val_path(meta, "labels", LABEL_REVISION_HASH, NULL), u->revision);
	if (same)
		continue_update(u);
	else
		give_up(u, NULL);
}

/* After a failed write. Conflicts are retried on a fresh read. */
static void on_refused(struct update *u, const struct k8s_response *r)
{
	struct clone *c = u->ro->c;
	if (k8s_is_conflict(r) && ++u->conflicts <= MAX_CONFLICTS) {
		sync_get(c->s, &K8S_PODS, c->s->ns, str_of(u->name), on_fresh, u);
		return;
	}
	if (clone_uncertain(r)) {
		struct intent *it =
		    journal_find(c->s->w->journal, c->uid_text, INTENT_UPDATE, u->name);
		if (it)
			it->recovered = true;
		u->wrote = true;
	}
	/* that includes 500, which is what a webhook that cannot be reached makes of it */
	if (r->code != 0 && !k8s_is_not_found(r) && !k8s_is_conflict(r))
		clone_pod_refused(c->memory, u->name, u->ro->target_name, mono_usec());
	give_up(u, k8s_is_not_found(r) ? NULL : r->error);
}

static void on_updated(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct update *u = userdata;
	struct clone *c = u->ro->c;
	(void)s;
	if (!k8s_ok(r)) {
		on_refused(u, r);
		return;
	}
	clone_wrote_pod(c, r->object);
	clone_pod_accepted(c->memory, u->name);
	clone_event(c, K8S_EVENT_NORMAL, "SuccessfulUpdatePodInPlace",
		    "updated pod %s in place to %s", u->name, u->ro->target_name);
}

static void write_update(struct update *u)
{
	struct clone *c = u->ro->c;
	struct err e = {0};
	val patch;
	const struct inplace_update up = {
	    .pod = &u->pod,
	    .spec = u->spec,
	    .revision = str_of(u->ro->target_name),
	    .short_hash = c->spec.short_hash,
	    .template_hash = true,
	    .set_lifecycle = true,
	    .grace_seconds = c->spec.grace_seconds,
	    .now = (int64_t)(wall_usec() / 1000000),
	};
	if (inplace_update_patch(c->s->arena, &up, &patch, &e) < 0) {
		give_up(u, e.msg);
		return;
	}
	sync_patch(c->s, &K8S_PODS, c->s->ns, str_of(u->name), NULL, K8S_PATCH_STRATEGIC, &patch,
		   on_updated, u);
}

static void on_not_ready(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct update *u = userdata;
	if (!k8s_ok(r)) {
		on_refused(u, r);
		return;
	}
	u->wrote = true;
	clone_wrote_pod(u->ro->c, r->object);
	u->pod = val_copy(s->arena, r->object);
	write_update(u);
}

/* Not ready first, then the change: traffic leaves before the container does. */
static void continue_update(struct update *u)
{
	struct clone *c = u->ro->c;
	if (!inplace_needs_not_ready(&u->pod) || !inplace_restarts(&u->pod, u->spec)) {
		write_update(u);
		return;
	}
	val patch = inplace_not_ready_patch(c->s->arena, &u->pod, (int64_t)(wall_usec() / 1000000));
	sync_patch(c->s, &K8S_PODS, c->s->ns, str_of(u->name), "status", K8S_PATCH_STRATEGIC,
		   &patch, on_not_ready, u);
}

static const struct inplace_spec *step_from(struct rollout *ro, const val *from)
{
	arena *a = ro->c->s->arena;
	for (struct step *st = ro->steps; st; st = st->next) {
		if (st->from == from)
			return &st->spec;
	}
	struct step *st = arena_alloc(a, sizeof(*st));
	memset(st, 0, sizeof(*st));
	st->from = from;
	const struct inplace_options options = clone_inplace_options(ro->c);
	inplace_spec_from(a, from, ro->target, &options, &st->spec);
	st->next = ro->steps;
	ro->steps = st;
	return &st->spec;
}

static void on_recreate(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct update *u = userdata;
	struct clone *c = u->ro->c;
	if (k8s_ok(r)) {
		clone_wrote_pod(c, r->object);
		clone_event(c, K8S_EVENT_NORMAL, "SuccessfulUpdatePodReCreate",
			    "pod %s will be replaced by one of %s", u->name, u->ro->target_name);
	} else if (!k8s_is_not_found(r) && !k8s_is_conflict(r)) {
		sync_fail_response(s, "cannot mark a pod for replacement", r);
	}
}

static void recreate(struct update *u)
{
	struct clone *c = u->ro->c;
	val patch = cloneset_specified_delete_patch(c->s->arena, str_of(u->uid));
	sync_patch(c->s, &K8S_PODS, c->s->ns, str_of(u->name), NULL, K8S_PATCH_MERGE, &patch,
		   on_recreate, u);
}

/* True when the pod may be updated now. */
static bool pass_lifecycle(struct update *u, const struct pod_view *pod)
{
	struct clone *c = u->ro->c;
	enum lifecycle_start start =
	    lifecycle_start_update(pod->lifecycle, c->spec.lifecycle, &u->pod);
	if (start == LIFECYCLE_START_PREPARE) {
		/* from Updated the hook is put on again; otherwise the pod has what it has */
		const val *hook = lifecycle_hook(c->spec.lifecycle, "inPlaceUpdate");
		clone_enter_state(c, pod, NULL, LIFECYCLE_PREPARING_UPDATE,
				  pod->lifecycle == LIFECYCLE_UPDATED ? hook : NULL, true);
	}
	if (start == LIFECYCLE_START_REFUSE)
		log_warn("%s: pod %s is in a lifecycle state that cannot be updated", c->s->key,
			 u->name);
	return start == LIFECYCLE_START_NOW;
}

/* False while the API server's last refusal is too fresh. */
static bool may_try(struct clone *c, const struct pod_view *pod, const char *target)
{
	uint64_t held = clone_pod_held(c->memory, pod->name, target, mono_usec());
	if (held > 0)
		sync_requeue_after(c->s, held);
	return held == 0;
}

/* One pod: decides how. Returns true when it is to be updated in place. */
static bool prepare(struct rollout *ro, const struct pod_view *pod, struct update *u)
{
	struct clone *c = ro->c;
	arena *a = c->s->arena;
	const val *object = clone_pod_object(c, pod);
	if (!object)
		return false;
	*u = (struct update){.ro = ro,
			     .name = arena_printf(a, "%s", pod->name),
			     .uid = arena_printf(a, "%s", pod->uid),
			     .revision = arena_printf(a, "%s", pod->revision),
			     .pod = *object};
	if (c->spec.type == CLONESET_RECREATE) {
		recreate(u);
		return false;
	}
	u->spec = step_from(ro, clone_revision_of(c, pod));
	if (u->spec->possible)
		return pass_lifecycle(u, pod);
	if (c->spec.type == CLONESET_INPLACE_ONLY) {
		clone_event(c, K8S_EVENT_WARNING, "FailedUpdatePodInPlace", "pod %s: %s", u->name,
			    u->spec->why_not);
		clone_note(&c->notes->update_error, u->spec->why_not);
		return false;
	}
	log_debug("%s: pod %s is recreated: %s", c->s->key, u->name, u->spec->why_not);
	recreate(u);
	return false;
}

static struct intent intent_of(const struct clone *c, const struct update *u,
			       const struct pod_view *pod)
{
	struct intent it = {
	    .kind = INTENT_UPDATE,
	    .rv = strtoull(pod->rv, NULL, 10),
	    .at_usec = mono_usec(),
	};
	snprintf(it.ns, sizeof(it.ns), "%.*s", STR_ARG(c->s->ns));
	snprintf(it.name, sizeof(it.name), "%s", u->name);
	snprintf(it.uid, sizeof(it.uid), "%s", u->uid);
	return it;
}

static const struct cloneset_strategy *strategy_of(struct clone *c, struct cloneset_strategy *out)
{
	arena *a = c->s->arena;
	if (!cloneset_strategy_from(&c->object, out))
		return NULL;
	const val **labels = arena_alloc(a, (c->state.n + 1) * sizeof(*labels));
	for (size_t i = 0; i < c->state.n; i++)
		labels[i] =
		    val_path(clone_pod_object(c, c->state.pods[i]), "metadata", "labels", NULL);
	out->labels = labels;
	return out;
}

/* An error of updates is over when nothing is left to update. */
static void forget_error(struct clone *c)
{
	if (!c->notes->update_error)
		return;
	clone_note(&c->notes->update_error, NULL);
	sync_requeue_after(c->s, 1);
}

void clone_update(struct clone *c)
{
	arena *a = c->s->arena;
	struct err e = {0};
	struct cloneset_strategy strategy = {0};
	struct cloneset_update_plan plan =
	    cloneset_update(a, &c->spec, &c->state, &c->counts, strategy_of(c, &strategy));
	if (plan.why[0])
		log_debug("%s: %s", c->s->key, plan.why);
	c->update_plan = plan;
	c->update_planned = true;
	if (plan.pods.n == 0) {
		forget_error(c);
		return;
	}
	struct rollout *ro = arena_alloc(a, sizeof(*ro));
	*ro = (struct rollout){.c = c,
			       .target = plan.to_current ? c->current : c->update,
			       .target_name = plan.to_current ? c->current_name : c->update_name};
	struct update **updates = arena_alloc(a, plan.pods.n * sizeof(*updates));
	struct intent *intents = arena_alloc(a, plan.pods.n * sizeof(*intents));
	size_t n = 0;
	if (c->notes->update_error)
		c->last_update_error = arena_printf(a, "%s", c->notes->update_error);
	bool held = false;
	c->taken = arena_alloc(a, c->state.n + 1);
	memset(c->taken, 0, c->state.n + 1);
	for (size_t i = 0; i < plan.pods.n; i++)
		held |= !may_try(c, c->state.pods[plan.pods.i[i]], ro->target_name);
	if (!held)
		clone_note(&c->notes->update_error, NULL);
	for (size_t i = 0; i < plan.pods.n; i++) {
		const struct pod_view *pod = c->state.pods[plan.pods.i[i]];
		updates[n] = arena_alloc(a, sizeof(**updates));
		if (!may_try(c, pod, ro->target_name) || !prepare(ro, pod, updates[n]))
			continue;
		c->taken[plan.pods.i[i]] = true;
		intents[n] = intent_of(c, updates[n], pod);
		n++;
	}
	if (journal_add(c->s->w->journal, c->uid_text, intents, n, &e) < 0) {
		sync_fail(c->s, "%s", e.msg);
		return;
	}
	for (size_t i = 0; i < n; i++)
		continue_update(updates[i]);
}
