/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/inplace.h"
#include "rules/revision.h"
#include "workers/cloneset/clone.h"

/*
 * What a pod needs before anything else is decided about it: the readiness condition after an
 * in-place update (or for a new pod), the next batch of one, the end of a grace period, the
 * lifecycle state that follows.
 */

struct refresh {
	struct clone *c;
	const struct pod_view *pod;
	struct str name;
	enum lifecycle_state next; /* to enter after the condition, or the present one */
};

static void on_pod_written(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct clone *c = userdata;
	if (k8s_ok(r))
		clone_wrote_pod(c, r->object);
	else if (!k8s_is_conflict(r) && !k8s_is_not_found(r)) /* those come again with a delta */
		sync_fail_response(s, "cannot write a pod", r);
}

/* The pod's object is only needed when a hook may hold it. */
static enum lifecycle_state next_state(struct clone *c, const struct pod_view *pod)
{
	const val *lifecycle = c->spec.lifecycle;
	bool hooks = lifecycle_hook_exists(lifecycle_hook(lifecycle, "inPlaceUpdate")) ||
		     lifecycle_hook_exists(lifecycle_hook(lifecycle, "preNormal"));
	enum lifecycle_update update =
	    pod->inplace == INPLACE_NONE || pod->inplace == INPLACE_COMPLETE
		? LIFECYCLE_UPDATE_COMPLETE
		: LIFECYCLE_UPDATE_PENDING;
	const val *object = hooks ? clone_pod_object(c, pod) : NULL;
	if (hooks && !object)
		return pod->lifecycle;
	bool at_target = revision_matches(str_of(pod->revision), str_of(c->update_name));
	return lifecycle_next(pod->lifecycle, pod->scheduled, at_target, update, lifecycle, object);
}

static void write_pod(struct clone *c, const struct pod_view *pod, const val *patch)
{
	struct str name = str_of(arena_printf(c->s->arena, "%s", pod->name));
	sync_patch(c->s, &K8S_PODS, c->s->ns, name, NULL, K8S_PATCH_STRATEGIC, patch,
		   on_pod_written, c);
	c->changed = true;
}

static void go_on(struct clone *c, const struct pod_view *pod, enum inplace_refresh what)
{
	arena *a = c->s->arena;
	struct err e = {0};
	val patch;
	int r;
	const val *object = clone_pod_object(c, pod);
	if (!object)
		return;
	r = what == INPLACE_WRITE_NEXT ? inplace_next_batch_patch(a, object, c->now, &patch, &e)
				       : inplace_grace_end_patch(a, object, c->now, &patch, &e);
	if (r < 0) {
		if (clone_pod_reported(c->memory, pod->name))
			return;
		clone_event(c, K8S_EVENT_WARNING, "FailedUpdatePodInPlace", "pod %s: %s", pod->name,
			    e.msg);
		return;
	}
	write_pod(c, pod, &patch);
}

static void drop_grace(struct clone *c, const struct pod_view *pod)
{
	const val *object = clone_pod_object(c, pod);
	if (!object)
		return;
	val patch = inplace_grace_drop_patch(c->s->arena, object);
	write_pod(c, pod, &patch);
}

static void report(struct clone *c, const struct pod_view *pod)
{
	if (!clone_pod_reported(c->memory, pod->name))
		clone_event(c, K8S_EVENT_WARNING, "InvalidInPlaceUpdateState",
			    "pod %s: annotation %s or %s is not valid, the pod is left alone",
			    pod->name, ANNO_INPLACE_STATE, ANNO_INPLACE_GRACE);
}

static void on_ready_written(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct refresh *rf = userdata;
	on_pod_written(s, r, rf->c);
	if (k8s_ok(r) && rf->next != rf->pod->lifecycle)
		clone_enter_state(rf->c, rf->pod, r->object, rf->next, NULL, false);
}

/* A view that lives as long as the sync's callbacks. */
static const struct pod_view *keep_view(struct clone *c, const struct pod_view *pod)
{
	arena *a = c->s->arena;
	struct pod_view *v = arena_alloc(a, sizeof(*v));
	*v = *pod;
	v->mem = NULL;
	v->name = arena_printf(a, "%s", pod->name);
	v->uid = arena_printf(a, "%s", pod->uid);
	v->rv = arena_printf(a, "%s", pod->rv);
	v->node = v->revision = v->instance_id = "";
	return v;
}

static void set_ready(struct clone *c, const struct pod_view *pod, enum lifecycle_state next)
{
	arena *a = c->s->arena;
	struct refresh *rf = arena_alloc(a, sizeof(*rf));
	*rf = (struct refresh){.c = c, .pod = keep_view(c, pod), .next = next};
	/* the end of an update is said of the very version that was judged (R17) */
	struct str rv = str_of(pod->cond_inplace == COND_ABSENT ? NULL : rf->pod->rv);
	val patch = inplace_ready_patch(a, str_of(rf->pod->uid), rv, c->now);
	sync_patch(c->s, &K8S_PODS, c->s->ns, str_of(rf->pod->name), "status", K8S_PATCH_STRATEGIC,
		   &patch, on_ready_written, rf);
	c->changed = true;
}

static void write_template_hash(struct clone *c, const struct pod_view *pod)
{
	val patch =
	    cloneset_template_hash_patch(c->s->arena, str_of(pod->revision), str_of(pod->uid));
	struct str name = str_of(arena_printf(c->s->arena, "%s", pod->name));
	sync_patch(c->s, &K8S_PODS, c->s->ns, name, NULL, K8S_PATCH_MERGE, &patch, on_pod_written,
		   c);
	c->changed = true;
}

static void refresh_pod(struct clone *c, const struct pod_view *pod)
{
	enum inplace_refresh what = inplace_refresh(pod, c->now);
	int64_t grace = inplace_grace_left(pod, c->now);
	enum lifecycle_state next;
	if (grace > 0)
		sync_requeue_after(c->s, (uint64_t)grace * 1000000);
	switch (what) {
	case INPLACE_WRITE_NEXT:
	case INPLACE_END_GRACE:
		go_on(c, pod, what);
		return;
	case INPLACE_DROP_GRACE:
		drop_grace(c, pod);
		return;
	case INPLACE_REPORT:
		report(c, pod);
		break;
	case INPLACE_SET_READY:
		set_ready(c, pod, next_state(c, pod));
		return;
	case INPLACE_KEEP:
		break;
	}
	next = next_state(c, pod);
	if (next != pod->lifecycle)
		clone_enter_state(c, pod, NULL, next, NULL, false);
	else if (!pod->has_template_hash && pod->revision[0])
		write_template_hash(c, pod);
}

/*
 * Not ready for an update, and none under way: the writer died between the two, or was refused, or
 * the next update is due already. Ready is only said if the update does not take the pod now, or it
 * would go in and out of service with each try.
 */
static bool may_be_taken(struct clone *c, const struct pod_view *pod)
{
	return pod->cond_inplace == COND_FALSE &&
	       inplace_refresh(pod, c->now) == INPLACE_SET_READY &&
	       !revision_matches(str_of(pod->revision), str_of(c->update_name));
}

void clone_refresh(struct clone *c)
{
	c->postponed = arena_alloc(c->s->arena, c->state.n + 1);
	for (size_t i = 0; i < c->state.n; i++) {
		c->postponed[i] = may_be_taken(c, c->state.pods[i]);
		if (!c->postponed[i])
			refresh_pod(c, c->state.pods[i]);
	}
}

void clone_refresh_rest(struct clone *c)
{
	for (size_t i = 0; i < c->state.n; i++) {
		if (c->postponed[i] && !(c->taken && c->taken[i]))
			refresh_pod(c, c->state.pods[i]);
	}
}
