/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/cloneset/pods.h"

#include "ipc/base/buf.h"
#include "ipc/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct pod_entry {
	char *name;
	struct pod_view view;
	uint64_t rv;
	bool present; /* seen in the walk under way */
	char *expect_uid;
	char *expect_rv; /* NULL: nothing is expected */
	uint64_t expect_usec;
	bool reported; /* an event about this version has been sent */
	char *refused; /* target revision of an update that was refused, or NULL */
	unsigned refusals;
	uint64_t held_until_usec;
	UT_hash_handle hh;
};

#define HOLD_FIRST_USEC 1000000u
#define HOLD_MAX_USEC 300000000u

struct clone_memory {
	char *key;
	char *uid;
	char *selector; /* that the views' `matches` is about */
	struct clone_notes notes;
	struct pod_entry *pods; /* by name */
	UT_hash_handle hh;
};

struct clone_memories {
	struct clone_memory *sets; /* by key */
};

static void drop_expectation(struct pod_entry *p)
{
	free(p->expect_uid);
	free(p->expect_rv);
	p->expect_uid = p->expect_rv = NULL;
}

static void pod_entry_free(struct clone_memory *m, struct pod_entry *p)
{
	HASH_DEL(m->pods, p);
	drop_expectation(p);
	pod_view_free(&p->view);
	free(p->refused);
	free(p->name);
	free(p);
}

static void forget_pods(struct clone_memory *m)
{
	struct pod_entry *p, *tmp;
	HASH_ITER(hh, m->pods, p, tmp)
	pod_entry_free(m, p);
}

static void memory_free(struct clone_memories *all, struct clone_memory *m)
{
	HASH_DEL(all->sets, m);
	forget_pods(m);
	while (m->notes.n_spare_ids)
		free(m->notes.spare_ids[--m->notes.n_spare_ids]);
	free(m->notes.spare_ids);
	while (m->notes.n_deleted_claims)
		free(m->notes.deleted_claims[--m->notes.n_deleted_claims]);
	free(m->notes.deleted_claims);
	free(m->selector);
	free(m->notes.self_rv);
	free(m->notes.pending_revision);
	free(m->notes.scale_error);
	free(m->notes.update_error);
	free(m->notes.fetched);
	free(m->key);
	free(m->uid);
	free(m);
}

struct clone_memories *clone_memories_new(void)
{
	return xcalloc(1, sizeof(struct clone_memories));
}

void clone_memories_free(struct clone_memories *all)
{
	struct clone_memory *m, *tmp;
	if (!all)
		return;
	HASH_ITER(hh, all->sets, m, tmp)
	memory_free(all, m);
	free(all);
}

struct clone_memory *clone_memory_of(struct clone_memories *all, const char *key, struct str uid)
{
	struct clone_memory *m;
	HASH_FIND_STR(all->sets, key, m);
	if (m && !str_is(uid, m->uid)) {
		memory_free(all, m);
		m = NULL;
	}
	if (m)
		return m;
	m = xcalloc(1, sizeof(*m));
	m->key = xstrdup(key);
	m->uid = xstrndup(uid.p, uid.n);
	m->notes.wave = 1;
	m->notes.look_for_orphans = true;
	HASH_ADD_KEYPTR(hh, all->sets, m->key, strlen(m->key), m);
	return m;
}

void clone_memory_drop(struct clone_memories *all, const char *key)
{
	struct clone_memory *m;
	HASH_FIND_STR(all->sets, key, m);
	if (m)
		memory_free(all, m);
}

void clone_memories_look_for_orphans(struct clone_memories *all, const char *key)
{
	struct clone_memory *m, *tmp;
	HASH_ITER(hh, all->sets, m, tmp)
	{
		if (!key || strcmp(m->key, key) == 0)
			m->notes.look_for_orphans = true;
	}
}

struct clone_notes *clone_notes(struct clone_memory *m)
{
	return &m->notes;
}

void clone_note(char **slot, const char *text)
{
	char *copy = text ? xstrdup(text) : NULL;
	free(*slot);
	*slot = copy;
}

void clone_spare_id_add(struct clone_notes *n, const char *id)
{
	n->spare_ids = xrealloc(n->spare_ids, (n->n_spare_ids + 1) * sizeof(*n->spare_ids));
	n->spare_ids[n->n_spare_ids++] = xstrdup(id);
}

bool clone_spare_id_take(struct clone_notes *n, char *id, size_t size)
{
	if (n->n_spare_ids == 0)
		return false;
	char *last = n->spare_ids[--n->n_spare_ids];
	snprintf(id, size, "%s", last);
	free(last);
	return true;
}

void clone_claim_delete(struct clone_notes *n, const char *uid)
{
	n->deleted_claims =
	    xrealloc(n->deleted_claims, (n->n_deleted_claims + 1) * sizeof(*n->deleted_claims));
	n->deleted_claims[n->n_deleted_claims++] = xstrdup(uid);
}

static void forget_deleted(struct clone_notes *n, size_t i)
{
	free(n->deleted_claims[i]);
	n->deleted_claims[i] = n->deleted_claims[--n->n_deleted_claims];
}

void clone_claim_undelete(struct clone_notes *n, const char *uid)
{
	for (size_t i = 0; i < n->n_deleted_claims; i++) {
		if (strcmp(n->deleted_claims[i], uid) == 0) {
			forget_deleted(n, i);
			return;
		}
	}
}

bool clone_claim_deleted(const struct clone_notes *n, struct str uid)
{
	for (size_t i = 0; i < n->n_deleted_claims; i++) {
		if (str_is(uid, n->deleted_claims[i]))
			return true;
	}
	return false;
}

static bool has_uid(const struct cloneset_claim *claims, size_t n, const char *uid)
{
	for (size_t i = 0; i < n; i++) {
		if (str_is(claims[i].uid, uid))
			return true;
	}
	return false;
}

void clone_claims_retain_deleted(struct clone_notes *n, const struct cloneset_claim *claims,
				 size_t n_claims)
{
	for (size_t i = n->n_deleted_claims; i-- > 0;) {
		if (!has_uid(claims, n_claims, n->deleted_claims[i]))
			forget_deleted(n, i);
	}
}

bool rv_at_least(const char *seen, const char *wanted)
{
	char *end_seen, *end_wanted;
	unsigned long long a = strtoull(seen, &end_seen, 10), b = strtoull(wanted, &end_wanted, 10);
	if (end_seen == seen || *end_seen || end_wanted == wanted || *end_wanted)
		return true;
	return a >= b;
}

static struct pod_entry *entry_of(struct clone_memory *m, const char *name, size_t n)
{
	struct pod_entry *p;
	HASH_FIND(hh, m->pods, name, n, p);
	if (p)
		return p;
	p = xcalloc(1, sizeof(*p));
	p->name = xstrndup(name, n);
	HASH_ADD_KEYPTR(hh, m->pods, p->name, n, p);
	return p;
}

struct walk {
	struct clone_memory *m;
	const struct selector *selector;
	arena *scratch;
	size_t n;
};

static int on_pod(const struct store_entry *entry, void *userdata)
{
	struct walk *w = userdata;
	struct pod_entry *p = entry_of(w->m, entry->name.p, entry->name.n);
	p->present = true;
	w->n++;
	if (p->view.mem && p->rv == entry->rv && p->rv != 0 && str_is(entry->uid, p->view.uid))
		return 0;
	val pod;
	msgpack_zone_clear(w->scratch);
	if (store_object(entry, w->scratch, &pod, NULL) < 0)
		pod = val_map(); /* unreadable: a pod of which nothing is known is still counted */
	pod_view_free(&p->view);
	pod_view_from(&pod, &p->view);
	p->view.matches = selector_matches(w->selector, val_path(&pod, "metadata", "labels", NULL));
	p->rv = entry->rv;
	p->reported = p->reported && p->view.inplace == INPLACE_BROKEN;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct pod_view *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

/* Views carry a verdict of the selector: with another one they are worth nothing. */
static void use_selector(struct clone_memory *m, const struct selector *selector)
{
	_cleanup_buf_ struct buf text = {0};
	selector_print(&text, selector);
	if (m->selector && strcmp(m->selector, buf_str(&text)) == 0)
		return;
	forget_pods(m);
	free(m->selector);
	m->selector = xstrdup(buf_str(&text));
}

int clone_pods(struct clone_memory *m, struct store_txn *txn, struct str owner_uid,
	       const struct selector *selector, arena *a, struct owned_pods *out)
{
	_cleanup_arena_ arena *scratch = arena_new();
	struct walk w = {.m = m, .selector = selector, .scratch = scratch};
	use_selector(m, selector);
	struct pod_entry *p, *tmp;
	for (p = m->pods; p; p = p->hh.next)
		p->present = false;
	int r = store_list_by(txn, STORE_BY_OWNER, owner_uid, "pods", on_pod, &w);
	if (r < 0)
		return r;
	out->views = arena_alloc(a, (w.n + 1) * sizeof(*out->views));
	out->n = 0;
	HASH_ITER(hh, m->pods, p, tmp)
	{
		if (p->present)
			out->views[out->n++] = &p->view;
		else
			pod_entry_free(m, p);
	}
	qsort(out->views, out->n, sizeof(*out->views), by_name);
	return 0;
}

void clone_expect(struct clone_memory *m, const char *pod, const char *uid, const char *rv,
		  uint64_t now_usec)
{
	struct pod_entry *p;
	HASH_FIND_STR(m->pods, pod, p);
	if (!p || strcmp(p->view.uid, uid) != 0)
		return;
	drop_expectation(p);
	p->expect_uid = xstrdup(uid);
	p->expect_rv = xstrdup(rv);
	p->expect_usec = now_usec;
}

size_t clone_unmet(struct clone_memory *m, uint64_t now_usec, uint64_t timeout_usec)
{
	size_t unmet = 0;
	for (struct pod_entry *p = m->pods; p; p = p->hh.next) {
		if (!p->expect_rv)
			continue;
		if (strcmp(p->view.uid, p->expect_uid) != 0 ||
		    rv_at_least(p->view.rv, p->expect_rv) ||
		    now_usec > p->expect_usec + timeout_usec)
			drop_expectation(p);
		else
			unmet++;
	}
	return unmet;
}

static struct pod_entry *find(struct clone_memory *m, const char *pod)
{
	struct pod_entry *p;
	HASH_FIND_STR(m->pods, pod, p);
	return p;
}

bool clone_pod_reported(struct clone_memory *m, const char *pod)
{
	struct pod_entry *p = find(m, pod);
	bool reported = p && p->reported;
	if (p)
		p->reported = true;
	return reported;
}

void clone_pod_accepted(struct clone_memory *m, const char *pod)
{
	struct pod_entry *p = find(m, pod);
	if (p)
		free_ptr(&p->refused);
}

void clone_pod_refused(struct clone_memory *m, const char *pod, const char *target,
		       uint64_t now_usec)
{
	struct pod_entry *p = find(m, pod);
	uint64_t hold = HOLD_FIRST_USEC;
	if (!p)
		return;
	p->refusals = p->refused && strcmp(p->refused, target) == 0 ? p->refusals + 1 : 0;
	for (unsigned i = 0; i < p->refusals && hold < HOLD_MAX_USEC; i++)
		hold *= 2;
	free(p->refused);
	p->refused = xstrdup(target);
	p->held_until_usec = now_usec + (hold < HOLD_MAX_USEC ? hold : HOLD_MAX_USEC);
}

uint64_t clone_pod_held(struct clone_memory *m, const char *pod, const char *target,
			uint64_t now_usec)
{
	const struct pod_entry *p = find(m, pod);
	if (!p || !p->refused || strcmp(p->refused, target) != 0 || p->held_until_usec <= now_usec)
		return 0;
	return p->held_until_usec - now_usec;
}
