/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/ownerref.h"
#include "workers/cloneset/clone.h"

#include <stdlib.h>
#include <string.h>

/* The store follows within milliseconds; what takes longer is asked for at the API server. */
#define CHECK_AFTER_USEC 10000000
#define WAIT_USEC 1000000

static const struct pod_view *find_pod(const struct clone *c, const char *name)
{
	size_t lo = 0, hi = c->pods.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int cmp = strcmp(c->pods.views[mid]->name, name);
		if (cmp == 0)
			return c->pods.views[mid];
		if (cmp < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static uint64_t rv_number(const char *rv)
{
	char *end;
	unsigned long long v = strtoull(rv, &end, 10);
	return end == rv || *end ? UINT64_MAX : v;
}

/* Whether the store shows the intent's effect. */
static bool shown(const struct intent *it, const struct pod_view *pod)
{
	switch (it->kind) {
	case INTENT_CREATE:
		return pod != NULL;
	case INTENT_DELETE:
		return !pod || strcmp(pod->uid, it->uid) != 0 || pod->terminating;
	case INTENT_UPDATE:
		return !pod || strcmp(pod->uid, it->uid) != 0 || rv_number(pod->rv) > it->rv;
	}
	return true;
}

/* A name that was journaled and is not there is used for the next creation: if the request of a
 * dead worker is still on its way, it can't become one pod too many. */
static void recycle(struct clone *c, const struct intent *it)
{
	const char *dash = strrchr(it->name, '-');
	if (dash && cloneset_instance_id_valid(str_of(dash + 1)))
		clone_spare_id_add(c->notes, dash + 1);
}

struct check {
	struct clone *c;
	enum intent_kind kind;
	const char *name;
};

static void judge(struct clone *c, struct intent *it, const struct k8s_response *r)
{
	const val *meta = val_get(r->object, "metadata");
	bool same_uid = k8s_ok(r) && val_is(val_get(meta, "uid"), it->uid);
	bool drop = false;
	if (it->kind == INTENT_CREATE && k8s_is_not_found(r)) {
		recycle(c, it);
		drop = true;
	} else if (it->kind == INTENT_DELETE) {
		/* still there and not going: the request never arrived */
		drop = same_uid && val_is_null(val_get(meta, "deletionTimestamp"));
	} else if (it->kind == INTENT_UPDATE) {
		const char *rv = val_cstr(c->s->arena, val_get(meta, "resourceVersion"));
		drop = same_uid && rv && rv_number(rv) == it->rv;
	}
	/* an orphan that was to be adopted and was not */
	drop |=
	    it->kind == INTENT_CREATE && k8s_ok(r) && !ownerref_is_controlled_by(r->object, c->uid);
	if (drop) {
		log_info("%s: the write to pod %s was never carried out", c->s->key, it->name);
		journal_clear(c->s->w->journal, c->uid_text, it);
	}
}

static void on_checked(struct sync *s, const struct k8s_response *r, void *userdata)
{
	struct check *ck = userdata;
	struct intent *it = journal_find(s->w->journal, ck->c->uid_text, ck->kind, ck->name);
	if (!it)
		return;
	if (!k8s_ok(r) && !k8s_is_not_found(r)) {
		sync_fail_response(s, "cannot check a pod", r);
		return;
	}
	/* a deletion stays in doubt, since its claims may have been left, until the store shows it
	 */
	it->recovered = it->kind == INTENT_DELETE;
	it->at_usec = mono_usec();
	judge(ck->c, it, r);
	sync_requeue_after(s, 1);
}

static void check(struct clone *c, const struct intent *it)
{
	arena *a = c->s->arena;
	struct check *ck = arena_alloc(a, sizeof(*ck));
	*ck = (struct check){c, it->kind, arena_strndup(a, it->name, strlen(it->name))};
	sync_get(c->s, &K8S_PODS, c->s->ns, str_of(ck->name), on_checked, ck);
}

/* A predecessor may have died between a pod's deletion and that of its claims. */
static void finish_deletion(struct clone *c, const struct intent *it)
{
	const char *dash = strrchr(it->name, '-');
	if (!dash || !clone_claims(c))
		return;
	for (size_t i = 0; i < c->pods.n; i++) {
		if (c->pods.views[i]->active &&
		    strcmp(c->pods.views[i]->instance_id, dash + 1) == 0)
			return; /* they have got a new pod since */
	}
	clone_delete_claims(c, dash + 1);
}

/* C2: what has been open for longer than the flag allows, once a sync. */
static void count_leakage(struct clone *c)
{
	static const char *const labels[] = {"namespace", "name", NULL};
	uint64_t now = mono_usec();
	if (c->notes->open_usec == 0)
		c->notes->open_usec = now;
	if (now < c->notes->open_usec + c->s->w->options.expectation_timeout_usec)
		return;
	arena *a = c->s->arena;
	struct metric *leakage = metric_new(
	    c->s->w->metrics, METRIC_COUNTER, "cloneset_scale_expectation_leakage",
	    "Syncs that waited for own writes for longer than --expectation-timeout.", labels);
	metric_add(leakage, 1, arena_strndup(a, c->s->ns.p, c->s->ns.n),
		   arena_strndup(a, c->s->name.p, c->s->name.n));
}

bool clone_intents(struct clone *c)
{
	struct journal *j = c->s->w->journal;
	struct intent *it = journal_of(j, c->uid_text), *next;
	size_t open = 0;
	for (; it; it = next) {
		next = it->next;
		if (shown(it, find_pod(c, it->name))) {
			if (it->recovered && it->kind == INTENT_DELETE)
				finish_deletion(c, it);
			journal_clear(j, c->uid_text, it);
			continue;
		}
		open++;
		if (it->recovered || mono_usec() > it->at_usec + CHECK_AFTER_USEC)
			check(c, it);
	}
	if (open == 0) {
		c->notes->open_usec = 0;
		return true;
	}
	count_leakage(c);
	sync_requeue_after(c->s, WAIT_USEC);
	return false;
}

void clone_drop_intent(struct clone *c, enum intent_kind kind, const char *name)
{
	struct intent *it = journal_find(c->s->w->journal, c->uid_text, kind, name);
	if (it)
		journal_clear(c->s->w->journal, c->uid_text, it);
}

void clone_doubt_intent(struct clone *c, enum intent_kind kind, const char *name)
{
	struct intent *it = journal_find(c->s->w->journal, c->uid_text, kind, name);
	if (it)
		it->recovered = true;
}
