/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "rules/revision.h"
#include "workers/cloneset/clone.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* Creations of one sync. More would hold up what pods that exist already need. */
#define MAX_CREATIONS 256

/* ---- creation, in waves of 1, 2, 4, … (slow start) ---- */

struct creation {
	struct batch *batch;
	char name[254];
	val pod;
};

struct batch {
	struct clone *c;
	struct creation *list;
	size_t n;	 /* all of them */
	size_t sent;	 /* of these */
	size_t answered; /* of these */
	bool failed;
};

static void send_wave(struct batch *b);

static void drop_intent(struct clone *c, enum intent_kind kind, const char *name)
{
	struct intent *it = journal_find(c->s->w->journal, c->uid_text, kind, name);
	if (it)
		journal_clear(c->s->w->journal, c->uid_text, it);
}

/* The next sync asks the API server about it. */
static void doubt_intent(struct clone *c, enum intent_kind kind, const char *name)
{
	struct intent *it = journal_find(c->s->w->journal, c->uid_text, kind, name);
	if (it)
		it->recovered = true;
}

/* Not created for certain: the id is used for the next try, so that a pod that is refused again and
 * again has one name in conditions and events. */
static void never_created(struct clone *c, const char *name)
{
	const char *dash = strrchr(name, '-');
	drop_intent(c, INTENT_CREATE, name);
	if (dash && cloneset_instance_id_valid(str_of(dash + 1)))
		clone_spare_id_add(c->notes, dash + 1);
}

static void wave_over(struct batch *b)
{
	struct clone *c = b->c;
	if (!b->failed) {
		if (c->notes->wave < MAX_CREATIONS)
			c->notes->wave *= 2;
		clone_note(&c->notes->scale_error, NULL);
		send_wave(b);
		return;
	}
	c->notes->wave = 1;
	for (size_t i = b->sent; i < b->n; i++)
		never_created(c, b->list[i].name);
	b->n = b->sent;
}

static void on_created(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct creation *cr = userdata;
	struct batch *b = cr->batch;
	struct clone *c = b->c;
	b->answered++;
	if (k8s_ok(r)) {
		clone_event(c, K8S_EVENT_NORMAL, "SuccessfulCreate", "created pod %s", cr->name);
	} else {
		/* a name that exists may be our own request of a former life: the store will tell
		 */
		if (clone_uncertain(r) || k8s_is_already_exists(r))
			doubt_intent(c, INTENT_CREATE, cr->name);
		else
			never_created(c, cr->name);
		b->failed = true;
		clone_note(&c->notes->scale_error, r->error);
		clone_event(c, K8S_EVENT_WARNING, "FailedCreate", "cannot create pod %s: %s",
			    cr->name, r->error);
		sync_fail(s, "cannot create pod %s: %s", cr->name, r->error);
	}
	if (b->answered == b->sent)
		wave_over(b);
}

static void send_wave(struct batch *b)
{
	struct clone *c = b->c;
	size_t left = b->n - b->sent;
	size_t wave = left < c->notes->wave ? left : c->notes->wave;
	for (size_t i = 0; i < wave; i++) {
		struct creation *cr = &b->list[b->sent++];
		sync_create(c->s, &K8S_PODS, c->s->ns, &cr->pod, on_created, cr);
	}
}

static bool id_in_use(const struct clone *c, const char *id, const struct batch *b)
{
	size_t n = strlen(id);
	for (size_t i = 0; i < c->pods.n; i++) {
		if (strcmp(c->pods.views[i]->instance_id, id) == 0)
			return true;
	}
	for (size_t i = 0; i < b->n; i++) {
		size_t len = strlen(b->list[i].name);
		if (len > n && strcmp(b->list[i].name + len - n, id) == 0)
			return true;
	}
	return false;
}

static bool choose_id(struct clone *c, const struct batch *b, char id[static CLONESET_ID_LEN + 1])
{
	/* 14 million ids: a handful of tries finds a free one in any set that a cluster can hold */
	for (int tries = 0; tries < 100; tries++) {
		uint64_t random;
		if (!clone_spare_id_take(c->notes, id, CLONESET_ID_LEN + 1)) {
			if (getrandom(&random, sizeof(random), 0) != sizeof(random))
				return false;
			cloneset_instance_id(random, id);
		}
		if (!id_in_use(c, id, b))
			return true;
	}
	return false;
}

static bool add_creation(struct batch *b, const val *template, const char *revision)
{
	struct clone *c = b->c;
	struct err e = {0};
	char id[CLONESET_ID_LEN + 1];
	struct creation *cr = &b->list[b->n];
	*cr = (struct creation){.batch = b};
	if (!choose_id(c, b, id)) {
		sync_fail(c->s, "no free instance id");
		return false;
	}
	if (cloneset_new_pod(c->s->arena, &c->object, template, str_of(revision), id, c->now,
			     c->spec.short_hash, &cr->pod, &e) < 0) {
		sync_fail(c->s, "%s", e.msg);
		return false;
	}
	struct str name = val_str(val_path(&cr->pod, "metadata", "name", NULL));
	if (name.n >= sizeof(cr->name)) {
		sync_fail(c->s, "the pod's name would be too long: %.*s", STR_ARG(name));
		return false;
	}
	memcpy(cr->name, name.p, name.n);
	b->n++;
	return true;
}

/* On record before the first request leaves. */
static bool journal_batch(struct batch *b)
{
	struct clone *c = b->c;
	struct err e = {0};
	struct intent *intents = arena_alloc(c->s->arena, b->n * sizeof(*intents));
	for (size_t i = 0; i < b->n; i++) {
		intents[i] = (struct intent){.kind = INTENT_CREATE, .at_usec = mono_usec()};
		snprintf(intents[i].ns, sizeof(intents[i].ns), "%.*s", STR_ARG(c->s->ns));
		snprintf(intents[i].name, sizeof(intents[i].name), "%s", b->list[i].name);
	}
	if (journal_add(c->s->w->journal, c->uid_text, intents, b->n, &e) == 0)
		return true;
	sync_fail(c->s, "%s", e.msg);
	return false;
}

static void create_pods(struct clone *c, int32_t n_old, int32_t n_new)
{
	arena *a = c->s->arena;
	val old_template = val_null(), new_template = val_null();
	if (!revision_restore(a, c->update, &new_template) ||
	    !revision_restore(a, c->current, &old_template)) {
		sync_fail(c->s, "a revision holds no template");
		return;
	}
	if (n_old > MAX_CREATIONS)
		n_old = MAX_CREATIONS;
	if (n_new > MAX_CREATIONS - n_old)
		n_new = MAX_CREATIONS - n_old;
	struct batch *b = arena_alloc(a, sizeof(*b));
	*b = (struct batch){.c = c};
	b->list = arena_alloc(a, (size_t)(n_old + n_new) * sizeof(*b->list));
	for (int32_t i = 0; i < n_old + n_new; i++) {
		bool old = i < n_old;
		if (!add_creation(b, old ? &old_template : &new_template,
				  old ? c->current_name : c->update_name))
			break;
	}
	if (b->n == 0 || !journal_batch(b))
		return;
	c->changed = true;
	send_wave(b);
}

/* ---- deletion ---- */

struct removal {
	struct clone *c;
	char *name;
};

static void on_deleted(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct removal *rm = userdata;
	struct clone *c = rm->c;
	if (k8s_ok(r) || k8s_is_not_found(r)) {
		clone_event(c, K8S_EVENT_NORMAL, "SuccessfulDelete", "deleted pod %s", rm->name);
		return;
	}
	if (clone_uncertain(r))
		doubt_intent(c, INTENT_DELETE, rm->name);
	else
		drop_intent(c, INTENT_DELETE, rm->name);
	if (k8s_is_conflict(r)) /* another pod of that name by now */
		return;
	clone_note(&c->notes->scale_error, r->error);
	clone_event(c, K8S_EVENT_WARNING, "FailedDelete", "cannot delete pod %s: %s", rm->name,
		    r->error);
	sync_fail(s, "cannot delete pod %s: %s", rm->name, r->error);
}

static void on_state_written(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct clone *c = userdata;
	if (k8s_ok(r))
		clone_wrote_pod(c, r->object);
	else if (!k8s_is_conflict(r) && !k8s_is_not_found(r))
		sync_fail_response(s, "cannot write a pod's lifecycle state", r);
}

static void write_state(struct clone *c, const struct pod_view *pod, enum lifecycle_state state)
{
	val patch = lifecycle_patch(c->s->arena, state, c->now, str_of(pod->rv));
	sync_patch(c->s, &K8S_PODS, c->s->ns, str_of(pod->name), NULL, K8S_PATCH_STRATEGIC, &patch,
		   on_state_written, c);
	c->changed = true;
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
		write_state(c, pod, LIFECYCLE_PREPARING_DELETE);
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
	if (n == 0)
		return;
	if (journal_add(c->s->w->journal, c->uid_text, intents, n, &e) < 0) {
		sync_fail(c->s, "%s", e.msg);
		return;
	}
	c->changed = true;
	for (size_t i = 0; i < n; i++) {
		struct removal *rm = arena_alloc(mem, sizeof(*rm));
		*rm = (struct removal){c, arena_printf(mem, "%s", pods[i]->name)};
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
	    cloneset_scale(c->s->arena, &c->spec, &c->state, &c->counts, NULL);
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
		write_state(c, c->state.pods[plan.cancel.i[i]], LIFECYCLE_PREPARING_NORMAL);
	if (plan.create_old + plan.create_new > 0)
		create_pods(c, plan.create_old, plan.create_new);
	if (plan.release.n + plan.remove.n > 0)
		delete_pods(c, &plan.release, &plan.remove);
}
