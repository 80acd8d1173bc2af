/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/ownerref.h"
#include "workers/cloneset/clone.h"

#include <stdio.h>
#include <string.h>

/*
 * Whose pods are whose (C5, O1). A pod of ours that the selector no longer selects is let go;
 * pods and revisions without a controller that it selects are adopted, after the API server has
 * said that the set is still there and not on its way out. What others own is never touched.
 */

static void on_released(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct clone *c = userdata;
	if (k8s_ok(r))
		clone_wrote_pod(c, r->object);
	else if (!k8s_is_not_found(r) && !k8s_is_conflict(r))
		sync_fail_response(s, "cannot release a pod", r);
}

bool clone_release(struct clone *c)
{
	arena *a = c->s->arena;
	size_t released = 0;
	for (size_t i = 0; i < c->pods.n; i++) {
		const struct pod_view *pod = c->pods.views[i];
		if (pod->matches || !pod->active)
			continue;
		log_info("%s: pod %s is no longer selected and is released", c->s->key, pod->name);
		val patch = ownerref_release_patch(a, str_of(pod->uid), c->uid);
		sync_patch(c->s, &K8S_PODS, c->s->ns, str_of(pod->name), NULL, K8S_PATCH_STRATEGIC,
			   &patch, on_released, c);
		released++;
	}
	return released == 0;
}

/* ---- adoption ---- */

struct orphan {
	struct adoption *all;
	const struct k8s_resource *resource;
	struct str name, uid;
	struct orphan *next;
};

struct adoption {
	struct clone *c;
	const struct k8s_resource *resource; /* of the walk under way */
	struct orphan *orphans;
	size_t n_pods;
};

static int on_orphan(const struct store_entry *entry, void *userdata)
{
	struct adoption *ad = userdata;
	struct clone *c = ad->c;
	arena *a = c->s->arena;
	val v;
	if (store_object(entry, a, &v, NULL) < 0)
		return 0;
	const val *meta = val_get(&v, "metadata");
	struct str phase = val_str(val_path(&v, "status", "phase", NULL));
	if (!val_is_null(val_get(meta, "deletionTimestamp")) || str_is(phase, "Succeeded") ||
	    str_is(phase, "Failed") || !selector_matches(c->selector, val_get(meta, "labels")))
		return 0;
	struct orphan *o = arena_alloc(a, sizeof(*o));
	*o = (struct orphan){
	    .all = ad,
	    .resource = ad->resource,
	    .name = str_of(arena_strndup(a, entry->name.p, entry->name.n)),
	    .uid = str_of(arena_strndup(a, entry->uid.p, entry->uid.n)),
	    .next = ad->orphans,
	};
	ad->orphans = o;
	ad->n_pods += ad->resource == &K8S_PODS;
	return 0;
}

static void drop_intent(const struct orphan *o)
{
	struct clone *c = o->all->c;
	struct intent *it = journal_find(c->s->w->journal, c->uid_text, INTENT_CREATE, o->name.p);
	if (it && o->resource == &K8S_PODS)
		journal_clear(c->s->w->journal, c->uid_text, it);
}

static void on_adopted(struct sync *s, const struct k8s_response *r, void *userdata)
{
	const struct orphan *o = userdata;
	if (k8s_ok(r)) {
		log_info("%s: adopted %s %s", s->key, o->resource->kind, o->name.p);
		return;
	}
	if (!clone_uncertain(r))
		drop_intent(o);
	/* gone, another one by now, or somebody else was faster: not ours */
	bool foreign = k8s_is_not_found(r) || k8s_is_conflict(r) || r->code == 422;
	if (!foreign)
		sync_fail_response(s, "cannot adopt an orphan", r);
}

static void on_owner(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct adoption *ad = userdata;
	struct clone *c = ad->c;
	bool alive = k8s_ok(r) &&
		     str_eq(val_str(val_path(r->object, "metadata", "uid", NULL)), c->uid) &&
		     val_is_null(val_path(r->object, "metadata", "deletionTimestamp", NULL));
	if (!k8s_ok(r) && !k8s_is_not_found(r)) {
		c->notes->look_for_orphans = true;
		sync_fail_response(s, "cannot read the set before an adoption", r);
	}
	for (struct orphan *o = ad->orphans; o; o = o->next) {
		if (!alive) {
			drop_intent(o);
			continue;
		}
		val ref = ownerref_make(s->arena, &K8S_CLONESETS_V1ALPHA1, &c->object, true);
		val patch = ownerref_adopt_patch(s->arena, o->uid, ref);
		sync_patch(s, o->resource, s->ns, o->name, NULL, K8S_PATCH_STRATEGIC, &patch,
			   on_adopted, o);
	}
	sync_requeue_after(s, 1);
}

/* An adopted pod counts from now on: nothing is created in its place while the store lags. */
static bool journal_pods(struct adoption *ad)
{
	struct clone *c = ad->c;
	struct err e = {0};
	size_t n = 0;
	struct intent *intents = arena_alloc(c->s->arena, (ad->n_pods + 1) * sizeof(*intents));
	for (struct orphan *o = ad->orphans; o; o = o->next) {
		if (o->resource != &K8S_PODS)
			continue;
		intents[n] = (struct intent){.kind = INTENT_CREATE, .at_usec = mono_usec()};
		snprintf(intents[n].ns, sizeof(intents[n].ns), "%.*s", STR_ARG(c->s->ns));
		snprintf(intents[n].name, sizeof(intents[n].name), "%s", o->name.p);
		n++;
	}
	if (n == 0 || journal_add(c->s->w->journal, c->uid_text, intents, n, &e) == 0)
		return true;
	sync_fail(c->s, "%s", e.msg);
	return false;
}

bool clone_adopt(struct clone *c)
{
	static const struct k8s_resource *const adopted[] = {&K8S_CONTROLLERREVISIONS, &K8S_PODS};
	if (!c->notes->look_for_orphans)
		return true;
	struct adoption *ad = arena_alloc(c->s->arena, sizeof(*ad));
	*ad = (struct adoption){.c = c};
	for (size_t i = 0; i < sizeof(adopted) / sizeof(adopted[0]); i++) {
		ad->resource = adopted[i];
		if (store_list_by(c->s->txn, STORE_BY_ORPHAN_NS, c->s->ns,
				  k8s_resource_key(ad->resource), on_orphan, ad) < 0) {
			sync_fail(c->s, "store: cannot list orphans");
			return false;
		}
	}
	c->notes->look_for_orphans = false;
	if (!ad->orphans)
		return true;
	if (!journal_pods(ad)) {
		c->notes->look_for_orphans = true;
		return false;
	}
	sync_get(c->s, c->kind, c->s->ns, c->s->name, on_owner, ad);
	return false;
}

/* ---- whom an orphan concerns ---- */

struct search {
	struct worker *w;
	const val *labels;
};

static int on_candidate(const struct store_entry *entry, void *userdata)
{
	struct search *search = userdata;
	_cleanup_arena_ arena *a = arena_new();
	const struct selector *selector;
	val set;
	if (store_object(entry, a, &set, NULL) < 0 ||
	    selector_compile(a, val_path(&set, "spec", "selector", NULL), &selector, NULL) < 0 ||
	    selector_is_empty(selector) || !selector_matches(selector, search->labels))
		return 0;
	_cleanup_buf_ struct buf key = {0};
	worker_key(&key, entry->ns, entry->name);
	clone_memories_look_for_orphans(search->w->state, buf_str(&key));
	worker_enqueue(search->w, entry->ns, entry->name);
	return 0;
}

void clone_orphan_seen(struct worker *w, const char *resource, struct str ns, struct str name)
{
	_cleanup_store_txn_ struct store_txn *txn = NULL;
	_cleanup_arena_ arena *a = arena_new();
	struct store_entry entry;
	val v;
	if (store_begin(w->store, &txn, NULL) < 0 ||
	    store_get(txn, resource, ns, name, &entry) <= 0 ||
	    store_object(&entry, a, &v, NULL) < 0)
		return;
	struct search search = {.w = w, .labels = val_path(&v, "metadata", "labels", NULL)};
	if (val_len(search.labels) > 0)
		store_list(txn, k8s_resource_key(&K8S_CLONESETS), ns, on_candidate, &search);
}
