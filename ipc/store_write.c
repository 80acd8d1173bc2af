/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/store_int.h"

#include "ipc/mp.h"
#include "kube/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int store_write_begin(struct store *s, struct store_write **out, struct err *e)
{
	if (!s->writer || s->write.txn)
		return err_set(e, EINVAL, "store: no writer, or a write is under way");
	struct store_txn *t = xcalloc(1, sizeof(*t));
	t->s = s;
	t->env = s->env;
	int rc = mdb_txn_begin(s->env->env, NULL, 0, &t->txn);
	if (rc != 0) {
		free(t);
		return store_mdb_err(e, rc, "begin write");
	}
	s->write.txn = t;
	*out = &s->write;
	return 0;
}

int store_write_commit(struct store_write *w, struct err *e)
{
	int rc = mdb_txn_commit(w->txn->txn);
	free(w->txn);
	w->txn = NULL;
	return rc ? store_mdb_err(e, rc, "commit") : 0;
}

void store_write_abort(struct store_write *w)
{
	mdb_txn_abort(w->txn->txn);
	free(w->txn);
	w->txn = NULL;
}

struct store_txn *store_write_txn(struct store_write *w)
{
	return w->txn;
}

/* What goes in front of the object. */
struct meta {
	struct str ns, name, uid, owner_uid, node;
	uint64_t rv;
	int64_t generation;
};

/* "12345" → 12345; 0 for anything that is no number of 64 bits. */
static uint64_t parse_rv(struct str s)
{
	uint64_t v = 0;
	if (s.n == 0 || s.n > 20)
		return 0;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = (unsigned)s.p[i] - '0';
		if (d > 9 || v > (UINT64_MAX - d) / 10)
			return 0;
		v = v * 10 + d;
	}
	return v;
}

static struct str controller_uid(const val *metadata)
{
	const val *refs = val_get(metadata, "ownerReferences");
	if (!val_is_array(refs))
		return (struct str){0};
	for (size_t i = 0; i < val_len(refs); i++) {
		const val *ref = val_at(refs, i);
		struct str uid = val_str(val_get(ref, "uid"));
		if (val_bool(val_get(ref, "controller")) && uid.n > 0 && uid.n <= STORE_MAX_UID)
			return uid;
	}
	return (struct str){0};
}

static int read_meta(const val *object, struct meta *m, struct err *e)
{
	const val *metadata = val_get(object, "metadata");
	if (!val_is_map(object) || !val_is_map(metadata))
		return err_set(e, EINVAL, "store: object without metadata");
	m->name = val_str(val_get(metadata, "name"));
	m->ns = val_str(val_get(metadata, "namespace"));
	if (!m->ns.p)
		m->ns = str_of("");
	m->uid = val_str(val_get(metadata, "uid"));
	if (!m->uid.p)
		m->uid = str_of("");
	m->rv = parse_rv(val_str(val_get(metadata, "resourceVersion")));
	m->generation = val_int_or(val_get(metadata, "generation"), 0);
	m->owner_uid = controller_uid(metadata);
	m->node = val_str(val_path(object, "spec", "nodeName", NULL));
	if (m->node.n == 0 || m->node.n > STORE_MAX_NAME)
		m->node = (struct str){0};
	if (m->name.n == 0 || m->uid.n > STORE_MAX_UID)
		return err_set(e, EINVAL, "store: object without a name, or with a strange uid");
	return 0;
}

/* managedFields are often a third of an object, and nobody here reads them. */
static void pack_metadata(struct buf *b, const val *metadata)
{
	size_t n = val_len(metadata);
	size_t drop = val_get(metadata, "managedFields") ? 1 : 0;
	mpw_map(b, (uint32_t)(n - drop));
	for (size_t i = 0; i < n; i++) {
		struct str key = val_key(metadata, i);
		if (drop && str_is(key, "managedFields"))
			continue;
		mpw_str(b, key);
		val_pack(b, val_value(metadata, i));
	}
}

static void pack_value(struct buf *b, const struct meta *m, const val *object)
{
	buf_reset(b);
	mpw_array(b, 6);
	mpw_uint(b, m->rv);
	mpw_str(b, m->uid);
	mpw_int(b, m->generation);
	mpw_str(b, m->owner_uid);
	mpw_str(b, m->node);
	size_t n = val_len(object);
	mpw_map(b, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		struct str key = val_key(object, i);
		mpw_str(b, key);
		if (str_is(key, "metadata"))
			pack_metadata(b, val_value(object, i));
		else
			val_pack(b, val_value(object, i));
	}
}

/* The value there is now, copied: the page it lies in may be written over. 1 found, 0 not. */
static int fetch_old(struct store_write *w, const struct store_key *k, struct store_entry *old,
		     struct store_head *head, struct err *e)
{
	MDB_val key = {k->n, (void *)(uintptr_t)k->p}, value;
	int rc = mdb_get(w->txn->txn, w->txn->env->objects, &key, &value);
	if (rc == MDB_NOTFOUND)
		return 0;
	if (rc != 0)
		return store_mdb_err(e, rc, "get");
	buf_reset(&w->old);
	buf_add(&w->old, k->p, k->n);
	buf_add(&w->old, value.mv_data, value.mv_size);
	key = (MDB_val){k->n, w->old.p};
	value = (MDB_val){value.mv_size, w->old.p + k->n};
	if (store_decode(&key, &value, old, head) < 0)
		return err_set(e, EUCLEAN, "store: an entry is damaged");
	return 1;
}

/* One index entry from old key to new key (absent: none) of the object ns/name. */
static int move_index(struct store_write *w, enum store_index index, const char *resource,
		      struct str from, struct str to, const struct store_key *object, struct err *e)
{
	if (str_eq(from, to) && (from.p != NULL) == (to.p != NULL))
		return 0;
	size_t skip = strlen(resource) + 1;
	MDB_val ref = {object->n - skip, (void *)(uintptr_t)(object->p + skip)};
	struct store_key k;
	int rc = 0;
	if (from.p && store_index_key(&k, index, resource, from)) {
		MDB_val key = {k.n, k.p};
		rc = mdb_del(w->txn->txn, w->txn->env->index, &key, &ref);
		if (rc == MDB_NOTFOUND)
			rc = 0;
	}
	if (rc == 0 && to.p && store_index_key(&k, index, resource, to)) {
		MDB_val key = {k.n, k.p};
		rc = mdb_put(w->txn->txn, w->txn->env->index, &key, &ref, MDB_NODUPDATA);
		if (rc == MDB_KEYEXIST)
			rc = 0;
	}
	return rc ? store_mdb_err(e, rc, "index") : 0;
}

/* Namespace under which the object counts as an orphan. */
static struct str orphan_ns(const struct store_head *head, struct str ns)
{
	return head && !head->owner_uid.p && ns.n > 0 ? ns : (struct str){0};
}

/* from NULL: the object is new; to NULL: it goes. */
static int move_indexes(struct store_write *w, const char *resource, struct str ns,
			const struct store_head *from, const struct store_head *to,
			const struct store_key *k, struct err *e)
{
	static const struct store_head none;
	const struct store_head *a = from ? from : &none, *b = to ? to : &none;
	int r = move_index(w, STORE_BY_OWNER, resource, a->owner_uid, b->owner_uid, k, e);
	if (r == 0)
		r = move_index(w, STORE_BY_NODE, resource, a->node, b->node, k, e);
	if (r == 0)
		r = move_index(w, STORE_BY_ORPHAN_NS, resource, orphan_ns(from, ns),
			       orphan_ns(to, ns), k, e);
	return r;
}

int store_put(struct store_write *w, const char *resource, const val *object,
	      struct store_entry *old, struct err *e)
{
	struct meta m = {0};
	struct store_key k;
	int r = read_meta(object, &m, e);
	if (r < 0)
		return r;
	if (!store_key_make(&k, resource, m.ns, m.name))
		return err_set(e, EINVAL, "store: namespace or name too long");

	struct store_entry before = {0};
	struct store_head from, to = {m.owner_uid, m.node};
	int found = fetch_old(w, &k, &before, &from, e);
	if (found < 0)
		return found;
	if (old)
		*old = before;
	if (found && m.rv != 0 && before.rv != 0 && m.rv <= before.rv)
		return 0;

	pack_value(&w->value, &m, object);
	MDB_val key = {k.n, k.p}, value = {w->value.len, w->value.p};
	int rc = mdb_put(w->txn->txn, w->txn->env->objects, &key, &value, 0);
	if (rc != 0)
		return store_mdb_err(e, rc, "put");
	r = move_indexes(w, resource, m.ns, found ? &from : NULL, &to, &k, e);
	return r < 0 ? r : found ? 2 : 1;
}

int store_del(struct store_write *w, const char *resource, struct str ns, struct str name,
	      struct store_entry *old, struct err *e)
{
	struct store_key k;
	struct str no_ns = ns.p ? ns : str_of("");
	if (!name.p || !store_key_make(&k, resource, no_ns, name))
		return 0;
	struct store_entry before = {0};
	struct store_head from;
	int found = fetch_old(w, &k, &before, &from, e);
	if (old)
		*old = before;
	if (found <= 0)
		return found;
	MDB_val key = {k.n, k.p};
	int rc = mdb_del(w->txn->txn, w->txn->env->objects, &key, NULL);
	if (rc != 0)
		return store_mdb_err(e, rc, "delete");
	int r = move_indexes(w, resource, before.ns, &from, NULL, &k, e);
	return r < 0 ? r : 1;
}

static int put_meta(struct store_write *w, MDB_val key, MDB_val value, struct err *e)
{
	int rc = mdb_put(w->txn->txn, w->txn->env->meta, &key, &value, 0);
	return rc ? store_mdb_err(e, rc, "put") : 0;
}

int store_sync_set(struct store_write *w, const char *resource, const struct store_sync *sync,
		   struct err *e)
{
	size_t n = strlen(resource);
	if (n > STORE_MAX_RESOURCE)
		return err_set(e, EINVAL, "store: resource key too long");
	char key[5 + STORE_MAX_RESOURCE] = "sync";
	memcpy(key + 5, resource, n);
	buf_reset(&w->value);
	mpw_array(&w->value, 5);
	mpw_bool(&w->value, sync->synced);
	mpw_uint(&w->value, sync->epoch);
	mpw_uint(&w->value, sync->seq);
	mpw_uint(&w->value, sync->rv);
	mpw_uint(&w->value, sync->updated_usec);
	return put_meta(w, (MDB_val){5 + n, key}, (MDB_val){w->value.len, w->value.p}, e);
}

int store_scope_set(struct store_write *w, struct str scope, struct err *e)
{
	return put_meta(w, (MDB_val){5, (void *)(uintptr_t) "scope"},
			(MDB_val){scope.n, (void *)(uintptr_t)scope.p}, e);
}
