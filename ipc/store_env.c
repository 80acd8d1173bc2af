/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/store_int.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char format_key[] = "format";

static MDB_val as_val(const char *s)
{
	return (MDB_val){.mv_size = strlen(s), .mv_data = (void *)(uintptr_t)s};
}

/* Makes or opens the tables within txn, and checks the format. */
static int open_tables(struct store_env *env, MDB_txn *txn, bool writer, struct err *e)
{
	unsigned create = writer ? MDB_CREATE : 0;
	int rc = mdb_dbi_open(txn, "objects", create, &env->objects);
	if (rc == 0)
		rc = mdb_dbi_open(txn, "index", create | MDB_DUPSORT, &env->index);
	if (rc == 0)
		rc = mdb_dbi_open(txn, "meta", create, &env->meta);
	if (rc != 0)
		return store_mdb_err(e, rc, "open tables");

	MDB_val key = as_val(format_key), want = as_val(STORE_FORMAT), have;
	rc = mdb_get(txn, env->meta, &key, &have);
	if (rc == 0) {
		if (have.mv_size == want.mv_size &&
		    memcmp(have.mv_data, want.mv_data, want.mv_size) == 0)
			return 0;
		return err_set(e, EPROTO, "store: it has another format than %s", STORE_FORMAT);
	}
	if (rc != MDB_NOTFOUND || !writer)
		return store_mdb_err(e, rc, "read format");
	MDB_stat st;
	rc = mdb_stat(txn, env->objects, &st);
	if (rc == 0 && st.ms_entries > 0)
		return err_set(e, EPROTO, "store: it has no format mark");
	if (rc == 0)
		rc = mdb_put(txn, env->meta, &key, &want, 0);
	return rc ? store_mdb_err(e, rc, "write format") : 0;
}

/* A file shorter than its own meta page says would fault on access. Zeroes do not: LMDB refuses
 * them. */
static int fill_up(MDB_env *env, struct err *e)
{
	MDB_envinfo info;
	MDB_stat st;
	int fd;
	struct stat file;
	if (mdb_env_info(env, &info) != 0 || mdb_env_stat(env, &st) != 0 ||
	    mdb_env_get_fd(env, &fd) != 0 || fstat(fd, &file) < 0)
		return err_set(e, EUCLEAN, "store: cannot be examined");
	off_t want = ((off_t)info.me_last_pgno + 1) * st.ms_psize;
	if (want < 0 || (size_t)want > STORE_MAP_SIZE)
		return err_set(e, EUCLEAN, "store: its size makes no sense");
	if (file.st_size < want && ftruncate(fd, want) < 0)
		return err_set(e, errno, "store: %s", strerror(errno));
	return 0;
}

/* Walks a table to its end; values of objects are decoded. */
static int verify_table(MDB_txn *txn, MDB_dbi dbi, bool decode, struct err *e)
{
	MDB_cursor *cursor;
	int rc = mdb_cursor_open(txn, dbi, &cursor);
	if (rc != 0)
		return store_mdb_err(e, rc, "verify");
	MDB_val key, value;
	int r = 0;
	while (r == 0 && (rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0) {
		struct store_entry entry;
		if (decode && store_decode(&key, &value, &entry, NULL) < 0)
			r = err_set(e, EUCLEAN, "store: an entry is damaged");
	}
	mdb_cursor_close(cursor);
	if (r == 0 && rc != MDB_NOTFOUND)
		r = store_mdb_err(e, rc, "verify");
	return r;
}

static int prepare_tables(struct store_env *env, bool writer, struct err *e)
{
	int r = writer ? fill_up(env->env, e) : 0;
	if (r < 0)
		return r;
	MDB_txn *txn;
	int rc = mdb_txn_begin(env->env, NULL, writer ? 0 : MDB_RDONLY, &txn);
	if (rc != 0)
		return store_mdb_err(e, rc, "begin");
	r = open_tables(env, txn, writer, e);
	if (r == 0 && writer)
		r = verify_table(txn, env->objects, true, e);
	if (r == 0 && writer)
		r = verify_table(txn, env->index, false, e);
	if (r == 0 && writer)
		r = verify_table(txn, env->meta, false, e);
	if (r < 0) {
		mdb_txn_abort(txn);
		return r;
	}
	rc = mdb_txn_commit(txn);
	return rc ? store_mdb_err(e, rc, "commit") : 0;
}

static int remember_file(struct store_env *env, struct err *e)
{
	int fd;
	struct stat st;
	if (mdb_env_get_fd(env->env, &fd) != 0 || fstat(fd, &st) < 0)
		return err_set(e, EIO, "store: no descriptor");
	env->dev = st.st_dev;
	env->ino = st.st_ino;
	return 0;
}

int store_env_open(struct store_env **out, const char *path, bool writer, struct err *e)
{
	struct store_env *env = xcalloc(1, sizeof(*env));
	unsigned flags = MDB_NOTLS | (writer ? MDB_NOSYNC | MDB_NOMETASYNC : MDB_RDONLY);
	int rc = mdb_env_create(&env->env);
	if (rc == 0)
		rc = mdb_env_set_mapsize(env->env, STORE_MAP_SIZE);
	if (rc == 0)
		rc = mdb_env_set_maxreaders(env->env, STORE_MAX_READERS);
	if (rc == 0)
		rc = mdb_env_set_maxdbs(env->env, 4);
	if (rc == 0)
		rc = mdb_env_open(env->env, path, flags, 0600);
	int r = rc ? store_mdb_err(e, rc, path) : 0;
	if (r == 0)
		r = prepare_tables(env, writer, e);
	if (r == 0)
		r = remember_file(env, e);
	if (r < 0) {
		store_env_close(env);
		/* A sandbox lets a reader write to the lock file that there was at its start, and
		 * to no other: this process will never get at the store again. */
		if (!writer && (rc == EACCES || rc == EROFS) && getenv("KRUISED_SANDBOX"))
			fatal("store: a new file is not open to this process, which ends to be "
			      "started anew: %s",
			      strerror(rc));
		/* Readers wait for a writer to put things right. */
		return !writer && (r == -EPROTO || r == -EUCLEAN || r == -EINVAL) ? -ENOENT : r;
	}
	*out = env;
	return 0;
}

void store_env_close(struct store_env *env)
{
	while (env->idle) {
		struct store_txn *t = env->idle;
		env->idle = t->next;
		mdb_txn_abort(t->txn);
		free(t);
	}
	if (env->env)
		mdb_env_close(env->env);
	free(env);
}
