/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/ownerref.h"
#include "rules/revision.h"
#include "workers/cloneset/clone.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* Creations of one sync. More would hold up what pods that exist already need. */
#define MAX_CREATIONS 256

struct creation {
	struct batch *batch;
	char name[254];
	val pod;
	val *claims; /* that are to exist before the pod */
	size_t n_claims;
	size_t n_claimed; /* of these */
};

struct batch {
	struct clone *c;
	struct creation *list;
	size_t n;	 /* all of them */
	size_t sent;	 /* of these */
	size_t answered; /* of these */
	bool failed;
	struct claim_ids ids; /* that claims offer */
};

static void send_wave(struct batch *b);

/* Not created for certain: the id is used for the next try, so that a pod that is refused again and
 * again has one name in conditions and events. */
static void never_created(struct clone *c, const char *name)
{
	const char *dash = strrchr(name, '-');
	clone_drop_intent(c, INTENT_CREATE, name);
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

static void creation_over(struct creation *cr)
{
	struct batch *b = cr->batch;
	b->answered++;
	if (b->answered == b->sent)
		wave_over(b);
}

/* what: "pod NAME" or "PersistentVolumeClaim NAME" */
static void creation_failed(struct creation *cr, const char *what, const char *error)
{
	struct clone *c = cr->batch->c;
	cr->batch->failed = true;
	clone_note(&c->notes->scale_error, error);
	clone_event(c, K8S_EVENT_WARNING, "FailedCreate", "cannot create %s: %s", what, error);
	sync_fail(c->s, "cannot create %s: %s", what, error);
}

static void on_created(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct creation *cr = userdata;
	struct clone *c = cr->batch->c;
	if (k8s_ok(r)) {
		clone_event(c, K8S_EVENT_NORMAL, "SuccessfulCreate", "created pod %s", cr->name);
	} else {
		/* a name that exists may be our own request of a former life: the store will tell
		 */
		if (clone_uncertain(r) || k8s_is_already_exists(r))
			clone_doubt_intent(c, INTENT_CREATE, cr->name);
		else
			never_created(c, cr->name);
		creation_failed(cr, arena_printf(s->arena, "pod %s", cr->name), r->error);
	}
	creation_over(cr);
}

/* ---- its claims ---- */

static void create_next(struct creation *cr);

static const char *claim_name(const struct creation *cr)
{
	arena *a = cr->batch->c->s->arena;
	return val_cstr(a, val_path(&cr->claims[cr->n_claimed], "metadata", "name", NULL));
}

static void claim_failed(struct creation *cr, const char *error)
{
	arena *a = cr->batch->c->s->arena;
	never_created(cr->batch->c, cr->name);
	creation_failed(cr, arena_printf(a, "PersistentVolumeClaim %s", claim_name(cr)), error);
	creation_over(cr);
}

/* One of that name was not in the store: ours of a moment ago, or somebody else's. */
static void on_existing_claim(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct creation *cr = userdata;
	(void)s;
	if (!k8s_ok(r)) {
		claim_failed(cr, r->error);
	} else if (!ownerref_is_controlled_by(r->object, cr->batch->c->uid)) {
		claim_failed(cr, "one that belongs to somebody else exists");
	} else if (!val_is_null(val_path(r->object, "metadata", "deletionTimestamp", NULL))) {
		claim_failed(cr, "one that is being deleted exists");
	} else {
		cr->n_claimed++;
		create_next(cr);
	}
}

static void on_claim_created(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct creation *cr = userdata;
	if (k8s_is_already_exists(r)) {
		sync_get(s, &K8S_PVCS, s->ns, str_of(claim_name(cr)), on_existing_claim, cr);
	} else if (!k8s_ok(r)) {
		claim_failed(cr, r->error);
	} else {
		cr->n_claimed++;
		create_next(cr);
	}
}

static void create_next(struct creation *cr)
{
	struct clone *c = cr->batch->c;
	if (cr->n_claimed < cr->n_claims)
		sync_create(c->s, &K8S_PVCS, c->s->ns, &cr->claims[cr->n_claimed], on_claim_created,
			    cr);
	else
		sync_create(c->s, &K8S_PODS, c->s->ns, &cr->pod, on_created, cr);
}

/* Those of its claims that are missing. */
static int add_claims(struct clone *c, struct creation *cr, const char *id, struct err *e)
{
	const val *templates = val_path(&c->object, "spec", "volumeClaimTemplates", NULL);
	size_t n = val_is_array(templates) ? val_len(templates) : 0;
	cr->claims = arena_alloc(c->s->arena, (n + 1) * sizeof(*cr->claims));
	for (size_t i = 0; i < n; i++) {
		val *claim = &cr->claims[cr->n_claims];
		int r =
		    cloneset_new_claim(c->s->arena, &c->object, val_at(templates, i), id, claim, e);
		if (r < 0)
			return r;
		if (!clone_claim_exists(c, val_str(val_path(claim, "metadata", "name", NULL))))
			cr->n_claims++;
	}
	return 0;
}

static void send_wave(struct batch *b)
{
	struct clone *c = b->c;
	size_t left = b->n - b->sent;
	size_t wave = left < c->notes->wave ? left : c->notes->wave;
	for (size_t i = 0; i < wave; i++) {
		create_next(&b->list[b->sent++]);
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

/* An id that was tried before, or that claims are waiting under. */
static bool take_known_id(struct batch *b, char id[static CLONESET_ID_LEN + 1])
{
	while (clone_spare_id_take(b->c->notes, id, CLONESET_ID_LEN + 1)) {
		if (!id_in_use(b->c, id, b))
			return true;
	}
	while (b->ids.n_free > 0) {
		const char *free = b->ids.free[--b->ids.n_free];
		if (!cloneset_instance_id_valid(str_of(free)) || id_in_use(b->c, free, b))
			continue;
		memcpy(id, free, CLONESET_ID_LEN + 1);
		return true;
	}
	return false;
}

static bool choose_id(struct batch *b, char id[static CLONESET_ID_LEN + 1])
{
	const struct clone *c = b->c;
	if (take_known_id(b, id))
		return true;
	/* 14 million ids: a handful of tries finds a free one in any set that a cluster can hold */
	for (int tries = 0; tries < 100; tries++) {
		uint64_t random;
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return false;
		cloneset_instance_id(random, id);
		if (!id_in_use(c, id, b) && !cloneset_claim_has_id(c->claims, c->n_claims, id))
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
	if (!choose_id(b, id)) {
		sync_fail(c->s, "no free instance id");
		return false;
	}
	if (cloneset_new_pod(c->s->arena, &c->object, template, str_of(revision), id, c->now,
			     c->spec.short_hash, &cr->pod, &e) < 0 ||
	    add_claims(c, cr, id, &e) < 0) {
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

/* A claim whose pod is terminating is used again by the pod that comes next, under the same name:
 * that one has to wait until the name is free. */
static void wait_for_claims(const struct claim_ids *ids, int32_t *n_old, int32_t *n_new)
{
	int32_t held = ids->n_held < INT32_MAX ? (int32_t)ids->n_held : INT32_MAX;
	int32_t from_new = held < *n_new ? held : *n_new;
	*n_new -= from_new;
	held -= from_new;
	*n_old -= held < *n_old ? held : *n_old;
}

void clone_create_pods(struct clone *c, int32_t n_old, int32_t n_new)
{
	arena *a = c->s->arena;
	val old_template = val_null(), new_template = val_null();
	if (!clone_claims(c))
		return;
	struct claim_ids ids =
	    cloneset_claim_ids(a, c->claims, c->n_claims, c->pods.views, c->pods.n);
	wait_for_claims(&ids, &n_old, &n_new);
	if (n_old + n_new <= 0)
		return;
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
	*b = (struct batch){.c = c, .ids = ids};
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
