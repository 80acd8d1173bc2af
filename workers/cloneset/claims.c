/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_convert.h"
#include "workers/cloneset/clone.h"

#include <string.h>

/*
 * PersistentVolumeClaims. A pod that the controller deletes takes its claims along; those of a pod
 * that somebody else deletes stay for the pod that replaces it, under the same instance id, unless
 * the set does not use claims again.
 */

struct collect {
	struct clone *c;
	size_t cap;
};

static int on_claim(const struct store_entry *entry, void *userdata)
{
	struct collect *col = userdata;
	struct clone *c = col->c;
	arena *a = c->s->arena;
	val v;
	if (store_object(entry, a, &v, NULL) < 0)
		return 0;
	if (c->n_claims == col->cap) {
		size_t cap = col->cap ? col->cap * 2 : 16;
		struct cloneset_claim *grown = arena_alloc(a, cap * sizeof(*grown));
		if (c->n_claims)
			memcpy(grown, c->claims, c->n_claims * sizeof(*grown));
		c->claims = grown;
		col->cap = cap;
	}
	val *copy = arena_alloc(a, sizeof(*copy));
	*copy = val_copy(a, &v);
	struct cloneset_claim claim = cloneset_claim_view(copy);
	/* the store may not show yet that we have deleted it */
	claim.going |= clone_claim_deleted(c->notes, claim.uid);
	c->claims[c->n_claims++] = claim;
	return 0;
}

bool clone_claims(struct clone *c)
{
	struct collect col = {.c = c};
	if (c->claims_known)
		return true;
	if (store_list_by(c->s->txn, STORE_BY_OWNER, c->uid, k8s_resource_key(&K8S_PVCS), on_claim,
			  &col) < 0) {
		sync_fail(c->s, "store: cannot list PersistentVolumeClaims");
		return false;
	}
	c->claims_known = true;
	clone_claims_retain_deleted(c->notes, c->claims, c->n_claims);
	return true;
}

struct removal {
	struct clone *c;
	char *name, *uid;
};

static void on_deleted(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct removal *rm = userdata;
	if (k8s_ok(r) || k8s_is_not_found(r) || k8s_is_conflict(r))
		return;
	clone_claim_undelete(rm->c->notes, rm->uid);
	clone_event(rm->c, K8S_EVENT_WARNING, "FailedDelete",
		    "cannot delete PersistentVolumeClaim %s: %s", rm->name, r->error);
	sync_fail(s, "cannot delete PersistentVolumeClaim %s: %s", rm->name, r->error);
}

static void delete_claim(struct clone *c, struct cloneset_claim *claim)
{
	arena *a = c->s->arena;
	struct removal *rm = arena_alloc(a, sizeof(*rm));
	*rm = (struct removal){c, arena_strndup(a, claim->name.p, claim->name.n),
			       arena_strndup(a, claim->uid.p, claim->uid.n)};
	claim->going = true;
	clone_claim_delete(c->notes, rm->uid);
	sync_delete(c->s, &K8S_PVCS, c->s->ns, str_of(rm->name), str_of(rm->uid), on_deleted, rm);
}

void clone_delete_claims(struct clone *c, const char *instance_id)
{
	for (size_t i = 0; instance_id[0] && i < c->n_claims; i++) {
		if (!c->claims[i].going && str_is(c->claims[i].id, instance_id))
			delete_claim(c, &c->claims[i]);
	}
}

static void on_given(struct sync *s, const struct k8s_response *r, void *userdata)
{
	(void)userdata;
	if (!k8s_ok(r) && !k8s_is_conflict(r) && !k8s_is_not_found(r))
		sync_fail_response(s, "cannot give a PersistentVolumeClaim to its pod", r);
}

bool clone_drop_unused_claims(struct clone *c)
{
	if (cloneset_reuses_claims(&c->object))
		return true;
	if (!clone_claims(c))
		return false;
	arena *a = c->s->arena;
	struct claim_plan *plans = arena_alloc(a, (c->n_claims + 1) * sizeof(*plans));
	cloneset_claim_fates(a, c->claims, c->n_claims, c->pods.views, c->pods.n, plans);
	for (size_t i = 0; i < c->n_claims; i++) {
		struct cloneset_claim *claim = &c->claims[i];
		if (plans[i].fate == CLAIM_DELETE)
			delete_claim(c, claim);
		if (plans[i].fate != CLAIM_GIVE)
			continue;
		val patch = cloneset_claim_give_patch(a, claim, c->uid, plans[i].pod);
		claim->going = true;
		sync_patch(c->s, &K8S_PVCS, c->s->ns, claim->name, NULL, K8S_PATCH_MERGE, &patch,
			   on_given, NULL);
	}
	return true;
}

bool clone_claim_exists(const struct clone *c, struct str name)
{
	for (size_t i = 0; i < c->n_claims; i++) {
		if (str_eq(c->claims[i].name, name))
			return !c->claims[i].going;
	}
	return false;
}
