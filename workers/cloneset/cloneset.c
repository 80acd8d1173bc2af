/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/cloneset/cloneset.h"

#include "ipc/base/log.h"
#include "workers/cloneset/clone.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STALE_RETRY_USEC 500000
#define STORE_LAG_RETRY_USEC 1000000 /* normally a delta comes first */

static bool is_cloneset(const struct delta_owner *o)
{
	return str_is(o->kind, "CloneSet") && str_has_prefix(o->api_version, "apps.kruise.io/");
}

static void on_delta(struct worker *w, const char *resource, const struct delta *d)
{
	if (strcmp(resource, k8s_resource_key(&K8S_CLONESETS)) == 0) {
		worker_enqueue(w, d->ns, d->name);
		return;
	}
	if (is_cloneset(&d->owner))
		worker_enqueue(w, d->ns, d->owner.name);
	else if (!d->owner.uid.p && d->type != DELTA_DELETED && !d->terminating &&
		 (d->changed & (DELTA_LABELS | DELTA_OWNER)) &&
		 strcmp(resource, k8s_resource_key(&K8S_PVCS)) != 0)
		clone_orphan_seen(w, resource, d->ns, d->name);
	if (is_cloneset(&d->old_owner) && !str_eq(d->old_owner.uid, d->owner.uid))
		worker_enqueue(w, d->ns, d->old_owner.name);
}

/* Any pod may have lost its controller meanwhile. */
static void on_gap(struct worker *w)
{
	clone_memories_look_for_orphans(w->state, NULL);
}

void clone_event(struct clone *c, const char *type, const char *reason, const char *fmt, ...)
{
	va_list ap;
	char text[512];
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	const struct k8s_object_ref ref = k8s_object_ref_of(c->kind, &c->object);
	k8s_event(c->s->w->recorder, &ref, type, reason, "%s", text);
}

val *clone_pod_object(struct clone *c, const struct pod_view *pod)
{
	struct store_entry entry;
	val v;
	if (store_get(c->s->txn, k8s_resource_key(&K8S_PODS), c->s->ns, str_of(pod->name),
		      &entry) <= 0 ||
	    !str_is(entry.uid, pod->uid) || store_object(&entry, c->s->arena, &v, NULL) < 0)
		return NULL;
	val *copy = arena_alloc(c->s->arena, sizeof(*copy));
	*copy = val_copy(c->s->arena, &v);
	return copy;
}

void clone_wrote_pod(struct clone *c, const val *object)
{
	arena *a = c->s->arena;
	const val *meta = val_get(object, "metadata");
	const char *name = val_cstr(a, val_get(meta, "name"));
	const char *uid = val_cstr(a, val_get(meta, "uid"));
	const char *rv = val_cstr(a, val_get(meta, "resourceVersion"));
	if (name && uid && rv)
		clone_expect(c->memory, name, uid, rv, mono_usec());
}

bool clone_uncertain(const struct k8s_response *r)
{
	return r->code == 0 || r->code >= 500;
}

/* The CloneSet, or NULL after having forgotten it. */
static struct clone *load(struct sync *s)
{
	struct store_entry entry;
	struct err e = {0};
	val v;
	struct clone_memories *all = s->w->state;
	int r = store_get(s->txn, k8s_resource_key(&K8S_CLONESETS), s->ns, s->name, &entry);
	if (r == 0) {
		clone_memory_drop(all, s->key);
		queue_drop(s->w->queue, s->key);
		return NULL;
	}
	if (r < 0 || store_object(&entry, s->arena, &v, &e) < 0) {
		sync_fail(s, "store: %s", e.msg);
		return NULL;
	}
	struct clone *c = arena_alloc(s->arena, sizeof(*c));
	memset(c, 0, sizeof(*c));
	c->s = s;
	c->object = val_copy(s->arena, &v);
	c->kind = cloneset_is_v1beta1(&c->object) ? &K8S_CLONESETS : &K8S_CLONESETS_V1ALPHA1;
	c->uid = val_str(val_path(&c->object, "metadata", "uid", NULL));
	if (c->uid.n == 0)
		return NULL;
	c->uid_text = arena_strndup(s->arena, c->uid.p, c->uid.n);
	c->memory = clone_memory_of(all, s->key, c->uid);
	c->notes = clone_notes(c->memory);
	c->now = (int64_t)(s->now_usec / 1000000);
	s->state = c;
	return c;
}

/* Our own last write of the CloneSet must be in the store, or its status would be judged twice. */
static bool own_write_seen(struct clone *c)
{
	const char *rv =
	    val_cstr(c->s->arena, val_path(&c->object, "metadata", "resourceVersion", NULL));
	if (!c->notes->self_rv || !rv || rv_at_least(rv, c->notes->self_rv)) {
		clone_note(&c->notes->self_rv, NULL);
		return true;
	}
	sync_requeue_after(c->s, STORE_LAG_RETRY_USEC);
	return false;
}

static void count(struct clone *c)
{
	arena *a = c->s->arena;
	const struct pod_view **active = arena_alloc(a, (c->pods.n + 1) * sizeof(*active));
	size_t n = 0;
	for (size_t i = 0; i < c->pods.n; i++) {
		if (c->pods.views[i]->active)
			active[n++] = c->pods.views[i];
	}
	c->state =
	    cloneset_classify(a, &c->spec, active, n, c->current_name, c->update_name, c->now);
	c->counts = cloneset_count(&c->spec, &c->state);
}

static void trim_pods_to_delete(struct clone *c)
{
	val patch;
	if (cloneset_trim_pods_to_delete(c->s->arena, &c->object, &c->state, &patch))
		sync_patch(c->s, c->kind, c->s->ns, c->s->name, NULL, K8S_PATCH_MERGE, &patch, NULL,
			   NULL);
}

/* Ready pods become available by time alone. */
static void requeue_for_min_ready(struct clone *c)
{
	for (size_t i = 0; c->spec.min_ready > 0 && i < c->state.n; i++) {
		int64_t in = pod_available_in(c->state.pods[i], c->spec.min_ready, c->now);
		if (in > 0)
			sync_requeue_after(c->s, (uint64_t)in * 1000000);
	}
}

static void cloneset_sync(struct sync *s)
{
	struct err e = {0};
	struct clone *c = load(s);
	if (!c)
		return;
	if (!worker_store_fresh(s->w, s->txn)) {
		sync_requeue_after(s, STALE_RETRY_USEC);
		return;
	}
	if (cloneset_spec_from(&c->object, &s->w->gates,
			       s->w->options.cloneset_exclude_preparing_delete, &c->spec, &e) < 0) {
		/* only a change of the object can help: no retry */
		log_warn("%s: %s", s->key, e.msg);
		return;
	}
	if (selector_compile(s->arena, val_path(&c->object, "spec", "selector", NULL), &c->selector,
			     &e) < 0) {
		log_warn("%s: spec.selector: %s", s->key, e.msg);
		return;
	}
	bool going = !val_is_null(val_path(&c->object, "metadata", "deletionTimestamp", NULL));
	if (!own_write_seen(c) || (!going && !clone_adopt(c)) || !clone_revisions(c))
		return;
	if (clone_pods(c->memory, s->txn, c->uid, c->selector, s->arena, &c->pods) < 0) {
		sync_fail(s, "store: cannot list pods");
		return;
	}
	if (!clone_intents(c))
		return;
	if (clone_unmet(c->memory, mono_usec(), s->w->options.expectation_timeout_usec) > 0) {
		sync_requeue_after(s, STORE_LAG_RETRY_USEC);
		return;
	}
	if (!going && !clone_release(c))
		return;
	count(c);
	clone_write_status(c);
	if (going || !clone_drop_unused_claims(c))
		return;
	clone_predownload(c);
	clone_refresh(c);
	clone_scale(c);
	if (!c->changed) {
		clone_update(c);
		clone_refresh_rest(c);
	}
	clone_explain(c);
	trim_pods_to_delete(c);
	clone_trim_revisions(c);
	requeue_for_min_ready(c);
}

static int cloneset_start(struct worker *w, struct err *e)
{
	(void)e;
	w->state = clone_memories_new();
	return 0;
}

static void cloneset_stop(struct worker *w)
{
	clone_memories_free(w->state);
}

int cloneset_main(int argc, char **argv)
{
	static const struct k8s_resource *const watched[] = {
	    &K8S_CLONESETS, &K8S_PODS, &K8S_CONTROLLERREVISIONS, &K8S_PVCS, NULL};
	static const struct controller controller = {
	    .name = "cloneset",
	    .component = "cloneset-controller",
	    .primary = &K8S_CLONESETS,
	    .watched = watched,
	    .required = watched,
	    .start = cloneset_start,
	    .stop = cloneset_stop,
	    .on_delta = on_delta,
	    .on_gap = on_gap,
	    .sync = cloneset_sync,
	};
	return worker_run(&controller, argc, argv);
}
