/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/ownerref.h"
#include "rules/cloneset_claims.h"
#include "rules/cloneset_status.h"
#include "rules/content.h"
#include "rules/inplace.h"
#include "rules/revision.h"
#include "workers/cloneset/clone.h"

#include <stdlib.h>
#include <string.h>

#define REVISION_RETRY_USEC 1000000

struct collect {
	struct clone *c;
	size_t cap;
};

static int on_revision(const struct store_entry *entry, void *userdata)
{
	struct collect *col = userdata;
	struct clone *c = col->c;
	arena *a = c->s->arena;
	val v;
	if (store_object(entry, a, &v, NULL) < 0)
		return 0;
	if (c->n_revisions == col->cap) {
		size_t cap = col->cap ? col->cap * 2 : 16;
		const val **grown = arena_alloc(a, cap * sizeof(*grown));
		if (c->n_revisions)
			memcpy(grown, c->revisions, c->n_revisions * sizeof(*grown));
		c->revisions = grown;
		col->cap = cap;
	}
	val *copy = arena_alloc(a, sizeof(*copy));
	*copy = val_copy(a, &v);
	c->revisions[c->n_revisions++] = copy;
	return 0;
}

static struct str name_of(const val *object)
{
	return val_str(val_path(object, "metadata", "name", NULL));
}

static const val *by_name(const struct clone *c, struct str name)
{
	for (size_t i = 0; i < c->n_revisions; i++) {
		if (name.n && str_eq(name_of(c->revisions[i]), name))
			return c->revisions[i];
	}
	return NULL;
}

const val *clone_revision_of(const struct clone *c, const struct pod_view *pod)
{
	for (size_t i = 0; i < c->n_revisions; i++) {
		if (revision_matches(str_of(pod->revision), name_of(c->revisions[i])))
			return c->revisions[i];
	}
	return NULL;
}

struct inplace_options clone_inplace_options(const struct clone *c)
{
	return (struct inplace_options){
	    .env_from_metadata = c->spec.env_from_metadata,
	    /* InPlaceOnly never recreates */
	    .compare_claims = c->spec.recreate_on_claims && c->spec.type != CLONESET_INPLACE_ONLY,
	};
}

/* ---- creation ---- */

struct creation {
	struct clone *c;
	struct revision_data data;
	struct str name;
};

/* Another content has our name: the next name is tried with one more collision. */
static void count_collision(struct creation *cr)
{
	struct clone *c = cr->c;
	arena *a = c->s->arena;
	val patch = val_map();
	val *status = val_ensure_map(a, &patch, "status");
	val_set(a, status, "collisionCount", val_of_int(c->collision_count + 1));
	log_warn("%s: revision %.*s exists with other content", c->s->key, STR_ARG(cr->name));
	sync_patch(c->s, c->kind, c->s->ns, c->s->name, "status", K8S_PATCH_MERGE, &patch, NULL,
		   NULL);
}

static void on_existing(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct creation *cr = userdata;
	if (!k8s_ok(r)) {
		sync_fail_response(s, "revision", r);
		return;
	}
	/* an equal one that is ours was merely not in the store yet */
	if (!revision_equal(s->arena, r->object, &cr->data) ||
	    !ownerref_is_controlled_by(r->object, cr->c->uid))
		count_collision(cr);
}

static void on_created(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct creation *cr = userdata;
	if (k8s_ok(r)) {
		clone_note(&cr->c->notes->pending_revision,
			   arena_strndup(s->arena, cr->name.p, cr->name.n));
		return;
	}
	if (k8s_is_already_exists(r))
		sync_get(s, &K8S_CONTROLLERREVISIONS, s->ns, cr->name, on_existing, cr);
	else
		sync_fail_response(s, "cannot create a revision", r);
}

static void create(struct clone *c, const struct revision_data *data, int64_t number)
{
	arena *a = c->s->arena;
	val object =
	    revision_new(a, &K8S_CLONESETS_V1ALPHA1, &c->object, data, number, c->collision_count);
	val *annotations = val_ensure_map(a, val_get_mut(&object, "metadata"), "annotations");
	*annotations = map_clone(a, annotations);
	val_set(a, annotations, ANNO_CLAIMS_HASH, val_of_str(cloneset_claims_hash(a, &c->object)));
	struct creation *cr = arena_alloc(a, sizeof(*cr));
	*cr = (struct creation){.c = c, .data = *data, .name = name_of(&object)};
	sync_create(c->s, &K8S_CONTROLLERREVISIONS, c->s->ns, &object, on_created, cr);
}

static void on_renumbered(struct sync *s, const struct k8s_response *r, void *userdata)
{
	(void)userdata;
	if (!k8s_ok(r) && !k8s_is_conflict(r))
		sync_fail_response(s, "cannot renumber a revision", r);
	sync_requeue_after(s, REVISION_RETRY_USEC);
}

static void renumber(struct clone *c, const val *revision, int64_t number)
{
	struct str rv = val_str(val_path(revision, "metadata", "resourceVersion", NULL));
	val patch = revision_renumber_patch(c->s->arena, number, rv);
	sync_patch(c->s, &K8S_CONTROLLERREVISIONS, c->s->ns, name_of(revision), NULL,
		   K8S_PATCH_MERGE, &patch, on_renumbered, NULL);
}

/* ---- the step ---- */

static bool pending_seen(struct clone *c)
{
	const char *pending = c->notes->pending_revision;
	if (!pending || by_name(c, str_of(pending))) {
		clone_note(&c->notes->pending_revision, NULL);
		return true;
	}
	/* when it was deleted before we saw it, the next round makes it anew */
	clone_note(&c->notes->pending_revision, NULL);
	sync_requeue_after(c->s, REVISION_RETRY_USEC);
	return false;
}

bool clone_revisions(struct clone *c)
{
	arena *a = c->s->arena;
	struct err e = {0};
	struct collect col = {.c = c};
	struct revision_data data;
	if (store_list_by(c->s->txn, STORE_BY_OWNER, c->uid,
			  k8s_resource_key(&K8S_CONTROLLERREVISIONS), on_revision, &col) < 0) {
		sync_fail(c->s, "store: cannot list revisions");
		return false;
	}
	revision_sort(c->revisions, c->n_revisions);
	if (!pending_seen(c))
		return false;
	if (revision_data(a, val_path(&c->object, "spec", "template", NULL), &data, &e) < 0) {
		log_warn("%s: spec.template: %s", c->s->key, e.msg);
		return false;
	}
	struct cloneset_status status = cloneset_status_of(&c->object);
	c->collision_count = status.collision_count;
	struct revision_decision d = revision_decide(a, c->revisions, c->n_revisions, &data);
	if (d.action == REVISION_CREATE) {
		create(c, &data, d.number);
		return false;
	}
	c->update = c->revisions[d.index];
	if (d.action == REVISION_RENUMBER) {
		renumber(c, c->update, d.number);
		return false;
	}
	c->current = by_name(c, status.current_revision);
	if (!c->current)
		c->current = c->update;
	c->update_name = val_cstr(a, val_path(c->update, "metadata", "name", NULL));
	c->current_name = val_cstr(a, val_path(c->current, "metadata", "name", NULL));
	return c->update_name && c->current_name;
}

static void on_trimmed(struct sync *s, const struct k8s_response *r, void *userdata)
{
	(void)userdata;
	if (!k8s_ok(r) && !k8s_is_not_found(r))
		sync_fail_response(s, "cannot delete an old revision", r);
}

void clone_trim_revisions(struct clone *c)
{
	arena *a = c->s->arena;
	size_t n = c->n_revisions;
	if (n <= (size_t)c->spec.history_limit)
		return;
	bool *live = arena_alloc(a, n * sizeof(*live));
	uint32_t *drop = arena_alloc(a, n * sizeof(*drop));
	for (size_t i = 0; i < n; i++)
		live[i] = c->revisions[i] == c->update || c->revisions[i] == c->current;
	for (size_t p = 0; p < c->pods.n; p++) {
		const val *of = clone_revision_of(c, c->pods.views[p]);
		for (size_t i = 0; of && i < n; i++)
			live[i] = live[i] || c->revisions[i] == of;
	}
	size_t k = revision_trim(live, n, c->spec.history_limit, drop);
	for (size_t i = 0; i < k; i++) {
		const val *meta = val_get(c->revisions[drop[i]], "metadata");
		sync_delete(c->s, &K8S_CONTROLLERREVISIONS, c->s->ns,
			    val_str(val_get(meta, "name")), val_str(val_get(meta, "uid")),
			    on_trimmed, NULL);
	}
}
