/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/runtime/journal.h"

#include "ipc/base/buf.h"
#include "ipc/base/log.h"
#include "kube/json.h"
#include "workers/runtime/crashpoint.h"

#include <errno.h>
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>
#include <utlist.h>

#define JOURNAL_MAP_SIZE (256ul << 20) /* sparse; an intent takes about 200 bytes */
#define KEY_MAX 400

struct owner {
	char uid[64];
	struct intent *intents;
	UT_hash_handle hh;
};

struct journal {
	MDB_env *env;
	MDB_dbi dbi;
	struct owner *owners;
	size_t count;
	/* keys crossed out and still in the file */
	struct buf *dead;
	size_t n_dead, cap_dead;
};

static void make_key(struct buf *b, const char *owner_uid, const struct intent *it)
{
	buf_printf(b, "%s/%c/%s", owner_uid, it->kind, it->name);
}

static struct owner *owner_of(struct journal *j, const char *uid, bool create)
{
	struct owner *o;
	HASH_FIND_STR(j->owners, uid, o);
	if (o || !create)
		return o;
	o = xcalloc(1, sizeof(*o));
	snprintf(o->uid, sizeof(o->uid), "%s", uid);
	HASH_ADD_STR(j->owners, uid, o);
	return o;
}

static void remember(struct journal *j, const char *owner_uid, const struct intent *from)
{
	struct intent *it = xmalloc(sizeof(*it));
	*it = *from;
	it->next = NULL;
	LL_PREPEND(owner_of(j, owner_uid, true)->intents, it);
	j->count++;
}

static bool copy_text(char *dst, size_t size, const val *v)
{
	struct str s = val_str(v);
	if (!s.p || s.n >= size || memchr(s.p, '\0', s.n))
		return false;
	memcpy(dst, s.p, s.n);
	dst[s.n] = '\0';
	return true;
}

/* value: [owner, kind, ns, name, uid, rv, at] */
static bool decode(arena *a, const MDB_val *data, char owner[64], struct intent *it)
{
	val v;
	int64_t kind, rv, at;
	if (val_unpack(a, data->mv_data, data->mv_size, &v, NULL) < 0 || val_len(&v) != 7)
		return false;
	if (!copy_text(owner, 64, val_at(&v, 0)) || !val_int(val_at(&v, 1), &kind) ||
	    !copy_text(it->ns, sizeof(it->ns), val_at(&v, 2)) ||
	    !copy_text(it->name, sizeof(it->name), val_at(&v, 3)) ||
	    !copy_text(it->uid, sizeof(it->uid), val_at(&v, 4)) || !val_int(val_at(&v, 5), &rv) ||
	    !val_int(val_at(&v, 6), &at))
		return false;
	if (kind != INTENT_CREATE && kind != INTENT_DELETE && kind != INTENT_UPDATE)
		return false;
	it->kind = (enum intent_kind)kind;
	it->rv = (uint64_t)rv;
	it->at_usec = (uint64_t)at;
	return true;
}

static void encode(arena *a, struct buf *b, const char *owner, const struct intent *it)
{
	val v = val_array();
	val_push(a, &v, val_of_str(owner));
	val_push(a, &v, val_of_int(it->kind));
	val_push(a, &v, val_of_str(it->ns));
	val_push(a, &v, val_of_str(it->name));
	val_push(a, &v, val_of_str(it->uid));
	val_push(a, &v, val_of_int((int64_t)it->rv));
	val_push(a, &v, val_of_int((int64_t)it->at_usec));
	val_pack(b, &v);
}

static int read_all(struct journal *j)
{
	MDB_txn *txn;
	MDB_cursor *cursor;
	MDB_val key, data;
	int rc = mdb_txn_begin(j->env, NULL, 0, &txn);
	if (rc)
		return rc;
	rc = mdb_dbi_open(txn, NULL, 0, &j->dbi);
	if (rc == 0)
		rc = mdb_cursor_open(txn, j->dbi, &cursor);
	if (rc) {
		mdb_txn_abort(txn);
		return rc;
	}
	while ((rc = mdb_cursor_get(cursor, &key, &data, MDB_NEXT)) == 0) {
		_cleanup_arena_ arena *a = arena_new();
		struct intent it = {.recovered = true};
		char owner[64];
		if (!decode(a, &data, owner, &it)) {
			rc = MDB_CORRUPTED;
			break;
		}
		remember(j, owner, &it);
	}
	mdb_cursor_close(cursor);
	int committed = mdb_txn_commit(txn);
	return rc == MDB_NOTFOUND ? committed : rc;
}

static void forget_all(struct journal *j)
{
	struct owner *o, *tmp;
	HASH_ITER(hh, j->owners, o, tmp)
	{
		struct intent *it, *next;
		LL_FOREACH_SAFE(o->intents, it, next)
		free(it);
		HASH_DEL(j->owners, o);
		free(o);
	}
	j->count = 0;
}

static int open_env(struct journal *j, const char *path)
{
	int rc = mdb_env_create(&j->env);
	if (rc)
		return rc;
	mdb_env_set_mapsize(j->env, JOURNAL_MAP_SIZE);
	/* A crash of the process loses nothing that is in the page cache; the file does not outlive
	 * a boot. */
	rc = mdb_env_open(j->env, path, MDB_NOSUBDIR | MDB_NOSYNC | MDB_NOMETASYNC, 0600);
	if (rc == 0)
		rc = read_all(j);
	if (rc) {
		mdb_env_close(j->env);
		j->env = NULL;
		forget_all(j);
	}
	return rc;
}

int journal_open(struct journal **out, const char *dir, const char *worker, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/journal-%s", dir, worker);
	struct journal *j = xcalloc(1, sizeof(*j));
	int rc = open_env(j, path);
	if (rc) {
		_cleanup_free_ char *aside = xasprintf("%s.damaged", path);
		log_warn("journal %s: %s; moved to %s, or emptied", path, mdb_strerror(rc), aside);
		/* a sandboxed worker has the right to its files only, not to their folder */
		if (rename(path, aside) == 0 || truncate(path, 0) == 0)
			rc = open_env(j, path);
	}
	if (rc) {
		free(j);
		return err_set(e, EIO, "journal %s: %s", path, mdb_strerror(rc));
	}
	*out = j;
	return 0;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	journal_flush(j);
	forget_all(j);
	for (size_t i = 0; i < j->n_dead; i++)
		buf_free(&j->dead[i]);
	free(j->dead);
	mdb_env_close(j->env);
	free(j);
}

/* Removes the crossed-out keys within txn. */
static int bury(struct journal *j, MDB_txn *txn)
{
	for (size_t i = 0; i < j->n_dead; i++) {
		MDB_val key = {.mv_size = j->dead[i].len, .mv_data = j->dead[i].p};
		int rc = mdb_del(txn, j->dbi, &key, NULL);
		if (rc && rc != MDB_NOTFOUND)
			return rc;
	}
	return 0;
}

static void bury_done(struct journal *j)
{
	for (size_t i = 0; i < j->n_dead; i++)
		buf_free(&j->dead[i]);
	j->n_dead = 0;
}

static int put_all(struct journal *j, MDB_txn *txn, const char *owner_uid,
		   const struct intent *intents, size_t n)
{
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf key = {0};
	_cleanup_buf_ struct buf data = {0};
	for (size_t i = 0; i < n; i++) {
		buf_reset(&key);
		buf_reset(&data);
		make_key(&key, owner_uid, &intents[i]);
		if (key.len > KEY_MAX)
			return MDB_BAD_VALSIZE;
		encode(a, &data, owner_uid, &intents[i]);
		MDB_val k = {.mv_size = key.len, .mv_data = key.p};
		MDB_val d = {.mv_size = data.len, .mv_data = data.p};
		int rc = mdb_put(txn, j->dbi, &k, &d, 0);
		if (rc)
			return rc;
	}
	return 0;
}

static int commit(struct journal *j, const char *owner_uid, const struct intent *intents, size_t n)
{
	MDB_txn *txn;
	int rc = mdb_txn_begin(j->env, NULL, 0, &txn);
	if (rc)
		return rc;
	rc = bury(j, txn);
	if (rc == 0)
		rc = put_all(j, txn, owner_uid, intents, n);
	if (rc) {
		mdb_txn_abort(txn);
		return rc;
	}
	rc = mdb_txn_commit(txn);
	if (rc == 0)
		bury_done(j);
	return rc;
}

int journal_add(struct journal *j, const char *owner_uid, const struct intent *intents, size_t n,
		struct err *e)
{
	if (n == 0)
		return 0;
	crash_point("add", "journal");
	int rc = commit(j, owner_uid, intents, n);
	if (rc)
		return err_set(e, EIO, "journal: %s", mdb_strerror(rc));
	crash_point("add", "journaled");
	for (size_t i = 0; i < n; i++) {
		struct intent *old = journal_find(j, owner_uid, intents[i].kind, intents[i].name);
		if (!old) {
			remember(j, owner_uid, &intents[i]);
			continue;
		}
		struct intent *next = old->next;
		*old = intents[i];
		old->next = next;
	}
	return 0;
}

struct intent *journal_of(struct journal *j, const char *owner_uid)
{
	struct owner *o = owner_of(j, owner_uid, false);
	return o ? o->intents : NULL;
}

struct intent *journal_find(struct journal *j, const char *owner_uid, enum intent_kind kind,
			    const char *name)
{
	for (struct intent *it = journal_of(j, owner_uid); it; it = it->next) {
		if (it->kind == kind && strcmp(it->name, name) == 0)
			return it;
	}
	return NULL;
}

static void mark_dead(struct journal *j, const char *owner_uid, const struct intent *it)
{
	if (j->n_dead == j->cap_dead) {
		j->cap_dead = j->cap_dead ? j->cap_dead * 2 : 64;
		j->dead = xrealloc(j->dead, j->cap_dead * sizeof(*j->dead));
	}
	struct buf *b = &j->dead[j->n_dead++];
	*b = (struct buf){0};
	make_key(b, owner_uid, it);
}

void journal_clear(struct journal *j, const char *owner_uid, struct intent *intent)
{
	struct owner *o = owner_of(j, owner_uid, false);
	if (!o)
		return;
	mark_dead(j, owner_uid, intent);
	LL_DELETE(o->intents, intent);
	free(intent);
	j->count--;
	if (!o->intents) {
		HASH_DEL(j->owners, o);
		free(o);
	}
}

void journal_clear_owner(struct journal *j, const char *owner_uid)
{
	struct intent *it;
	while ((it = journal_of(j, owner_uid)))
		journal_clear(j, owner_uid, it);
}

void journal_retain(struct journal *j, bool (*keep)(const char *owner_uid, void *userdata),
		    void *userdata)
{
	struct owner *o, *tmp;
	HASH_ITER(hh, j->owners, o, tmp)
	{
		char uid[sizeof(o->uid)]; /* the owner goes with its last intent */
		memcpy(uid, o->uid, sizeof(uid));
		if (!keep(uid, userdata))
			journal_clear_owner(j, uid);
	}
}

void journal_flush(struct journal *j)
{
	if (j->n_dead == 0)
		return;
	crash_point("flush", "clear");
	int rc = commit(j, "", NULL, 0);
	if (rc)
		log_warn("journal: %s", mdb_strerror(rc));
	crash_point("flush", "cleared");
}

size_t journal_count(const struct journal *j)
{
	return j->count;
}
