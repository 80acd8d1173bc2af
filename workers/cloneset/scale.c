/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "workers/cloneset/clone.h"

#include <stdio.h>
#include <string.h>

/* ---- deletion ---- */

struct removal {
	struct clone *c;
	char *name, *instance_id;
};

static void on_deleted(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct removal *rm = userdata;
	struct clone *c = rm->c;
	if (k8s_ok(r) || k8s_is_not_found(r)) {
		clone_event(c, K8S_EVENT_NORMAL, "SuccessfulDelete", "deleted pod %s", rm->name);
		clone_delete_claims(c, rm->instance_id);
		return;
	}
	if (clone_uncertain(r))
		clone_doubt_intent(c, INTENT_DELETE, rm->name);
	else
		clone_drop_intent(c, INTENT_DELETE, rm->name);
	if (k8s_is_conflict(r)) /* another pod of that name by now */
		return;
	clone_note(&c->notes->scale_error, r->error);
	clone_event(c, K8S_EVENT_WARNING, "FailedDelete", "cannot delete pod %s: %s", rm->name,
		    r->error);
	sync_fail(s, "cannot delete pod %s: %s", rm->name, r->error);
}

/* True when the preDelete hook holds the pod: it waits in PreparingDelete instead of being deleted.
 */
static bool held_by_hook(struct clone *c, const struct pod_view *pod)
{
	const val *hook = lifecycle_hook(c->spec.lifecycle, "preDelete");
	if (!lifecycle_hook_exists(hook))
		return false;
	const val *object = clone_pod_object(c, pod);
	if (!object || !lifecycle_hooked(hook, object))
		return false;
	if (pod->lifecycle != LIFECYCLE_PREPARING_DELETE)
		clone_enter_state(c, pod, NULL, LIFECYCLE_PREPARING_DELETE, NULL, true);
	return true;
}

static void delete_pods(struct clone *c, const struct index_list *a, const struct index_list *b)
{
	arena *mem = c->s->arena;
	struct err e = {0};
	size_t n = 0, total = a->n + b->n;
	const struct pod_view **pods = arena_alloc(mem, (total + 1) * sizeof(*pods));
	struct intent *intents = arena_alloc(mem, (total + 1) * sizeof(*intents));
	for (size_t i = 0; i < total; i++) {
		const struct pod_view *pod = c->state.pods[i < a->n ? a->i[i] : b->i[i - a->n]];
		if (held_by_hook(c, pod))
			continue;
		intents[n] = (struct intent){.kind = INTENT_DELETE, .at_usec = mono_usec()};
		snprintf(intents[n].ns, sizeof(intents[n].ns), "%.*s", STR_ARG(c->s->ns));
		snprintf(intents[n].name, sizeof(intents[n].name), "%s", pod->name);
		snprintf(intents[n].uid, sizeof(intents[n].uid), "%s", pod->uid);
		pods[n++] = pod;
	}
	if (n == 0 || !clone_claims(c))
		return;
	if (journal_add(c->s->w->journal, c->uid_text, intents, n, &e) < 0) {
		sync_fail(c->s, "%s", e.msg);
		return;
	}
	c->changed = true;
	for (size_t i = 0; i < n; i++) {
		struct removal *rm = arena_alloc(mem, sizeof(*rm));
		*rm = (struct removal){c, arena_printf(mem, "%s", pods[i]->name),
				       arena_printf(mem, "%s", pods[i]->instance_id)};
		sync_delete(c->s, &K8S_PODS, c->s->ns, str_of(rm->name), str_of(pods[i]->uid),
			    on_deleted, rm);
	}
}

/* ---- the step ---- */

static void say_limited(struct clone *c, bool limited)
{
	if (limited && !c->notes->limited)
		clone_event(c, K8S_EVENT_WARNING, "ScaleUpLimited",
			    "scaleStrategy.maxUnavailable lets only %d of %d pods be created now",
			    c->counts.up_limit, c->counts.up);
	c->notes->limited = limited;
}

void clone_scale(struct clone *c)
{
	struct cloneset_scale_plan plan =
	    cloneset_scale(c->s->arena, &c->spec, &c->state, &c->counts, clone_ranking(c));
	c->scale_plan = plan;
	if (plan.why[0])
		log_debug("%s: %s", c->s->key, plan.why);
	say_limited(c, plan.limited);
	/* an error of creation or deletion is over when nothing is left to create or delete */
	if (c->notes->scale_error &&
	    plan.create_old + plan.create_new + plan.release.n + plan.remove.n == 0) {
		clone_note(&c->notes->scale_error, NULL);
		sync_requeue_after(c->s, 1);
	}
	for (size_t i = 0; i < plan.cancel.n; i++)
		clone_enter_state(c, c->state.pods[plan.cancel.i[i]], NULL,
				  LIFECYCLE_PREPARING_NORMAL, NULL, true);
	if (plan.create_old + plan.create_new > 0)
		clone_create_pods(c, plan.create_old, plan.create_new);
	if (plan.release.n + plan.remove.n > 0)
		delete_pods(c, &plan.release, &plan.remove);
}
