/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/store_int.h"

#include "ipc/mp.h"
#include "kube/json.h"

#include <errno.h>
#include <string.h>

static bool key_part(struct store_key *k, const char *p, size_t n, size_t max, bool end)
{
	if (n > max || k->n + n + 1 > sizeof(k->p) || (n && memchr(p, '\0', n)))
		return false;
	if (n)
		memcpy(k->p + k->n, p, n);
	k->n += n;
	if (end)
		k->p[k->n++] = '\0';
	return true;
}

bool store_key_make(struct store_key *k, const char *resource, struct str ns, struct str name)
{
	k->n = 0;
	if (!key_part(k, resource, strlen(resource), STORE_MAX_RESOURCE, true))
		return false;
	if (ns.p && !key_part(k, ns.p, ns.n, STORE_MAX_NAMESPACE, true))
		return false;
	return !name.p || key_part(k, name.p, name.n, STORE_MAX_NAME, false);
}

bool store_index_key(struct store_key *k, enum store_index index, const char *resource,
		     struct str key)
{
	static const char letters[] = {
	    [STORE_BY_OWNER] = 'o', [STORE_BY_NODE] = 'n', [STORE_BY_ORPHAN_NS] = 's'};
	k->n = 0;
	k->p[k->n++] = letters[index];
	return key_part(k, resource, strlen(resource), STORE_MAX_RESOURCE, true) &&
	       key_part(k, key.p, key.n, STORE_MAX_NAME, false);
}

/* namespace and name out of a key, after the resource's NUL. */
static bool split_key(const char *p, size_t n, struct store_entry *out)
{
	const char *ns = memchr(p, '\0', n);
	if (!ns)
		return false;
	ns++;
	size_t rest = n - (size_t)(ns - p);
	const char *name = memchr(ns, '\0', rest);
	if (!name)
		return false;
	out->ns = (struct str){ns, (size_t)(name - ns)};
	name++;
	out->name = (struct str){name, n - (size_t)(name - p)};
	return true;
}

int store_decode(const MDB_val *key, const MDB_val *value, struct store_entry *out,
		 struct store_head *head)
{
	if (!split_key(key->mv_data, key->mv_size, out))
		return -EUCLEAN;
	struct mp m = mp_open(value->mv_data, value->mv_size);
	uint32_t n = mp_array(&m);
	out->rv = mp_uint(&m);
	out->uid = mp_str(&m);
	out->generation = mp_int(&m);
	struct str owner = mp_str_opt(&m);
	struct str node = mp_str_opt(&m);
	out->object = m.p;
	out->object_len = (size_t)(m.end - m.p);
	if (head)
		*head = (struct store_head){owner, node};
	return m.bad || n != 6 || out->object_len == 0 ? -EUCLEAN : 0;
}

/* A read after the end of its transaction is an error, never the end of the process. */
static int open_cursor(struct store_txn *t, bool index, MDB_cursor **out)
{
	if (!t)
		return -EBADF;
	int rc = mdb_cursor_open(t->txn, index ? t->env->index : t->env->objects, out);
	return rc != 0 ? store_mdb_err(NULL, rc, "open a cursor") : 0;
}

int store_get(struct store_txn *t, const char *resource, struct str ns, struct str name,
	      struct store_entry *out)
{
	struct store_key k;
	struct str no_ns = ns.p ? ns : str_of("");
	if (!name.p || !store_key_make(&k, resource, no_ns, name))
		return 0;
	/* by cursor, since only that returns the key as it lies in the map */
	MDB_cursor *cursor;
	MDB_val key = {k.n, k.p}, value;
	int rc = open_cursor(t, false, &cursor);
	if (rc < 0)
		return rc;
	rc = mdb_cursor_get(cursor, &key, &value, MDB_SET_KEY);
	mdb_cursor_close(cursor);
	if (rc == MDB_NOTFOUND)
		return 0;
	if (rc != 0)
		return store_mdb_err(NULL, rc, "get");
	int r = store_decode(&key, &value, out, NULL);
	return r < 0 ? r : 1;
}

int store_object(const struct store_entry *entry, arena *a, val *out, struct err *e)
{
	return val_unpack(a, entry->object, entry->object_len, out, e);
}

static bool has_prefix(const MDB_val *key, const struct store_key *prefix)
{
	return key->mv_size >= prefix->n && memcmp(key->mv_data, prefix->p, prefix->n) == 0;
}

int store_list(struct store_txn *t, const char *resource, struct str ns, store_fn fn,
	       void *userdata)
{
	struct store_key prefix;
	if (!store_key_make(&prefix, resource, ns, (struct str){0}))
		return 0;
	MDB_cursor *cursor;
	int rc = open_cursor(t, false, &cursor);
	if (rc < 0)
		return rc;
	MDB_val key = {prefix.n, prefix.p}, value;
	int r = 0;
	rc = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
	while (rc == 0 && r == 0 && has_prefix(&key, &prefix)) {
		struct store_entry entry;
		r = store_decode(&key, &value, &entry, NULL);
		if (r == 0)
			r = fn(&entry, userdata);
		if (r == 0)
			rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
	}
	mdb_cursor_close(cursor);
	if (r == 0 && rc != 0 && rc != MDB_NOTFOUND)
		r = store_mdb_err(NULL, rc, "list");
	return r;
}

/* Entries of one owner are often neighbours, in the order of the index: try the next one first. */
static int seek(MDB_cursor *cursor, const struct store_key *want, bool *placed, MDB_val *key,
		MDB_val *value)
{
	if (*placed && mdb_cursor_get(cursor, key, value, MDB_NEXT) == 0 &&
	    key->mv_size == want->n && memcmp(key->mv_data, want->p, want->n) == 0)
		return 0;
	*key = (MDB_val){want->n, (void *)(uintptr_t)want->p};
	int rc = mdb_cursor_get(cursor, key, value, MDB_SET_KEY);
	*placed = rc == 0;
	return rc;
}

static int visit(MDB_cursor *objects, const char *resource, const MDB_val *ref, bool *placed,
		 store_fn fn, void *userdata)
{
	struct store_key k = {0};
	size_t n = strlen(resource) + 1;
	if (n + ref->mv_size > sizeof(k.p))
		return -EUCLEAN;
	memcpy(k.p, resource, n);
	memcpy(k.p + n, ref->mv_data, ref->mv_size);
	k.n = n + ref->mv_size;

	MDB_val key, value;
	int rc = seek(objects, &k, placed, &key, &value);
	if (rc == MDB_NOTFOUND)
		return 0;
	if (rc != 0)
		return store_mdb_err(NULL, rc, "list");
	struct store_entry entry;
	int r = store_decode(&key, &value, &entry, NULL);
	return r < 0 ? r : fn(&entry, userdata);
}

int store_list_by(struct store_txn *t, enum store_index index, struct str key, const char *resource,
		  store_fn fn, void *userdata)
{
	struct store_key k;
	if (!key.p || !store_index_key(&k, index, resource, key))
		return 0;
	MDB_cursor *refs, *objects;
	int rc = open_cursor(t, true, &refs);
	if (rc < 0)
		return rc;
	rc = open_cursor(t, false, &objects);
	if (rc < 0) {
		mdb_cursor_close(refs);
		return rc;
	}
	MDB_val ikey = {k.n, k.p}, ref;
	bool placed = false;
	int r = 0;
	rc = mdb_cursor_get(refs, &ikey, &ref, MDB_SET_KEY);
	while (rc == 0 && r == 0) {
		r = visit(objects, resource, &ref, &placed, fn, userdata);
		if (r == 0)
			rc = mdb_cursor_get(refs, &ikey, &ref, MDB_NEXT_DUP);
	}
	mdb_cursor_close(objects);
	mdb_cursor_close(refs);
	if (r == 0 && rc != 0 && rc != MDB_NOTFOUND)
		r = store_mdb_err(NULL, rc, "list");
	return r;
}

int store_sync_get(struct store_txn *t, const char *resource, struct store_sync *out)
{
	*out = (struct store_sync){0};
	struct store_key k = {.n = 5, .p = "sync"};
	if (!key_part(&k, resource, strlen(resource), STORE_MAX_RESOURCE, false))
		return 0;
	if (!t)
		return -EBADF;
	MDB_val key = {k.n, k.p}, value;
	int rc = mdb_get(t->txn, t->env->meta, &key, &value);
	if (rc == MDB_NOTFOUND)
		return 0;
	if (rc != 0)
		return store_mdb_err(NULL, rc, "get");
	struct mp m = mp_open(value.mv_data, value.mv_size);
	uint32_t n = mp_array(&m);
	struct store_sync s = {.synced = mp_bool(&m)};
	s.epoch = mp_uint(&m);
	s.seq = mp_uint(&m);
	s.rv = mp_uint(&m);
	s.updated_usec = mp_uint(&m);
	if (m.bad || n < 5)
		return -EUCLEAN;
	*out = s;
	return 1;
}

int store_scope_get(struct store_txn *t, struct str *out)
{
	*out = (struct str){0};
	if (!t)
		return -EBADF;
	MDB_val key = {5, (void *)(uintptr_t) "scope"}, value;
	int rc = mdb_get(t->txn, t->env->meta, &key, &value);
	if (rc == MDB_NOTFOUND)
		return 0;
	if (rc != 0)
		return store_mdb_err(NULL, rc, "get");
	*out = (struct str){value.mv_data, value.mv_size};
	return 1;
}
