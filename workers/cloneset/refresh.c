/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/inplace.h"
#include "rules/revision.h"
#include "workers/cloneset/clone.h"

/*
 * What a pod needs before anything else is decided about it: the readiness condition after an
 * in-place update (or for a new pod), the next batch of one, the lifecycle state that follows.
 */

struct refresh {
	struct clone *c;
	struct str name, uid;
	enum lifecycle_state next; /* to write after the condition, or LIFECYCLE_NONE */
};

static void on_pod_written(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct clone *c = userdata;
	if (k8s_ok(r))
		clone_wrote_pod(c, r->object);
	else if (!k8s_is_conflict(r) && !k8s_is_not_found(r)) /* those come again with a delta */
		sync_fail_response(s, "cannot write a pod", r);
}

/*
 * The lifecycle label and a condition that has never been set are ours alone: no version of the pod
 * needs to be excluded but another pod of that name. A resourceVersion would only make the API
 * server refuse every second write, since a starting pod changes all the time. What we have written
 * ourselves is seen before: the sync waits for intents and expected versions first.
 */
static void write_lifecycle(struct refresh *rf)
{
	struct clone *c = rf->c;
	arena *a = c->s->arena;
	val patch = lifecycle_patch(a, rf->next, c->now, (struct str){0});
	val_set(a, val_ensure_map(a, &patch, "metadata"), "uid", val_of_strn(rf->uid));
	sync_patch(c->s, &K8S_PODS, c->s->ns, rf->name, NULL, K8S_PATCH_STRATEGIC, &patch,
		   on_pod_written, c);
}

static void on_ready_written(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct refresh *rf = userdata;
	on_pod_written(s, r, rf->c);
	if (k8s_ok(r) && rf->next != LIFECYCLE_NONE)
		write_lifecycle(rf);
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

static void write_next_batch(struct clone *c, const struct pod_view *pod)
{
	arena *a = c->s->arena;
	struct err e = {0};
	val patch;
	const val *object = clone_pod_object(c, pod);
	if (!object)
		return;
	if (inplace_next_batch_patch(a, object, c->now, &patch, &e) < 0) {
		clone_event(c, K8S_EVENT_WARNING, "FailedUpdatePodInPlace", "pod %s: %s", pod->name,
			    e.msg);
		return;
	}
	sync_patch(c->s, &K8S_PODS, c->s->ns, str_of(pod->name), NULL, K8S_PATCH_STRATEGIC, &patch,
		   on_pod_written, c);
	c->changed = true;
}

static void write_template_hash(struct clone *c, const struct pod_view *pod)
{
	val patch =
	    cloneset_template_hash_patch(c->s->arena, str_of(pod->revision), str_of(pod->uid));
	sync_patch(c->s, &K8S_PODS, c->s->ns, str_of(pod->name), NULL, K8S_PATCH_MERGE, &patch,
		   on_pod_written, c);
	c->changed = true;
}

static void refresh_pod(struct clone *c, const struct pod_view *pod)
{
	arena *a = c->s->arena;
	enum inplace_refresh what = inplace_refresh(pod);
	enum lifecycle_state next = next_state(c, pod);
	struct refresh *rf = arena_alloc(a, sizeof(*rf));
	/* the view does not outlive this sync's planning */
	*rf = (struct refresh){.c = c,
			       .name = str_of(arena_printf(a, "%s", pod->name)),
			       .uid = str_of(arena_printf(a, "%s", pod->uid)),
			       .next = next != pod->lifecycle ? next : LIFECYCLE_NONE};
	if (what == INPLACE_WRITE_NEXT) {
		write_next_batch(c, pod);
		return;
	}
	if (what == INPLACE_REPORT)
		clone_event(c, K8S_EVENT_WARNING, "InvalidInPlaceUpdateState",
			    "pod %s: annotation %s is not valid, the pod is left alone", pod->name,
			    ANNO_INPLACE_STATE);
	if (what == INPLACE_SET_READY) {
		/* the end of an update is said of the very version that was judged (R17) */
		struct str rv = str_of(pod->cond_inplace == COND_ABSENT ? NULL : pod->rv);
		val patch = inplace_ready_patch(a, rf->uid, rv, c->now);
		sync_patch(c->s, &K8S_PODS, c->s->ns, rf->name, "status", K8S_PATCH_STRATEGIC,
			   &patch, on_ready_written, rf);
		c->changed = true;
	} else if (rf->next != LIFECYCLE_NONE) {
		write_lifecycle(rf);
		c->changed = true;
	} else if (!pod->has_template_hash && pod->revision[0]) {
		write_template_hash(c, pod);
	}
}

void clone_refresh(struct clone *c)
{
	for (size_t i = 0; i < c->state.n; i++)
		refresh_pod(c, c->state.pods[i]);
}
