/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/podreadiness.h"
#include "workers/cloneset/clone.h"

/*
 * A pod enters a lifecycle state: its readiness first, where the state says something about it,
 * then the label. Whoever dies between the two finds the old state, and does both again.
 */

/* Fresh reads after a conflict before the pod is left to the next sync. */
#define MAX_CONFLICTS 5

struct transition {
	struct clone *c;
	struct str name, uid;
	struct str rv; /* precondition of the state's patch; absent: none but the uid */
	enum lifecycle_state to;
	const val *hook; /* to be put on the pod, or NULL */
	struct readiness_change readiness;
	val pod; /* the newest version that we have, for the readiness */
	int conflicts;
};

static void write_readiness(struct transition *t);

static void on_state(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct transition *t = userdata;
	if (k8s_ok(r))
		clone_wrote_pod(t->c, r->object);
	else if (!k8s_is_conflict(r) && !k8s_is_not_found(r)) /* those come again with a delta */
		sync_fail_response(s, "cannot write a pod's lifecycle state", r);
}

static void write_state(struct transition *t)
{
	struct clone *c = t->c;
	arena *a = c->s->arena;
	val patch = t->hook ? lifecycle_patch_with_hook(a, t->to, t->hook, c->now, t->rv)
			    : lifecycle_patch(a, t->to, c->now, t->rv);
	val_set(a, val_ensure_map(a, &patch, "metadata"), "uid", val_of_strn(t->uid));
	sync_patch(c->s, &K8S_PODS, c->s->ns, t->name, NULL, K8S_PATCH_STRATEGIC, &patch, on_state,
		   t);
}

static void on_fresh(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct transition *t = userdata;
	if (k8s_is_not_found(r))
		return;
	if (!k8s_ok(r)) {
		sync_fail_response(s, "cannot read a pod", r);
		return;
	}
	t->pod = val_copy(s->arena, r->object);
	const val *meta = val_get(&t->pod, "metadata");
	if (str_eq(val_str(val_get(meta, "uid")), t->uid) &&
	    val_is_null(val_get(meta, "deletionTimestamp")))
		write_readiness(t);
}

static void on_readiness(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct transition *t = userdata;
	if (k8s_is_conflict(r) && ++t->conflicts <= MAX_CONFLICTS) {
		sync_get(s, &K8S_PODS, s->ns, t->name, on_fresh, t);
		return;
	}
	if (!k8s_ok(r)) {
		if (!k8s_is_conflict(r) && !k8s_is_not_found(r))
			sync_fail_response(s, "cannot write a pod's readiness", r);
		return;
	}
	clone_wrote_pod(t->c, r->object);
	if (t->rv.n)
		t->rv = val_str(val_path(r->object, "metadata", "resourceVersion", NULL));
	t->rv = (struct str){arena_strndup(s->arena, t->rv.p ? t->rv.p : "", t->rv.n), t->rv.n};
	write_state(t);
}

static void write_readiness(struct transition *t)
{
	struct clone *c = t->c;
	val patch;
	if (!podreadiness_change_patch(c->s->arena, &t->pod, t->readiness, c->now, &patch)) {
		write_state(t);
		return;
	}
	sync_patch(c->s, &K8S_PODS, c->s->ns, t->name, "status", K8S_PATCH_STRATEGIC, &patch,
		   on_readiness, t);
}

void clone_enter_state(struct clone *c, const struct pod_view *pod, const val *object,
		       enum lifecycle_state to, const val *hook, bool exact)
{
	arena *a = c->s->arena;
	struct transition *t = arena_alloc(a, sizeof(*t));
	/* the view does not outlive this sync's planning */
	*t = (struct transition){
	    .c = c,
	    .name = str_of(arena_printf(a, "%s", pod->name)),
	    .uid = str_of(arena_printf(a, "%s", pod->uid)),
	    .rv = exact ? str_of(arena_printf(a, "%s", pod->rv)) : (struct str){0},
	    .to = to,
	    .hook = hook,
	    .readiness = podreadiness_of_state(to, c->spec.lifecycle),
	};
	c->changed = true;
	/* what is to be removed is there only while the condition is false */
	bool matters =
	    pod->gate_pod_ready &&
	    (t->readiness.add || (t->readiness.remove && pod->cond_pod_ready == COND_FALSE));
	if (matters && !object)
		object = clone_pod_object(c, pod);
	if (!matters || !object) {
		write_state(t);
		return;
	}
	t->pod = val_copy(a, object);
	write_readiness(t);
}
