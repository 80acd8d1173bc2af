/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/store_int.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How often a reader looks whether the file has been replaced. */
#define CHECK_USEC 1000000u

int store_mdb_err(struct err *e, int rc, const char *what)
{
	static const struct {
		int rc, num;
	} table[] = {{MDB_MAP_FULL, ENOSPC}, {MDB_READERS_FULL, EMFILE}, {MDB_NOTFOUND, ENOENT}};
	int num = rc > 0 ? rc : EUCLEAN;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].rc == rc)
			num = table[i].num;
	return err_set(e, num, "store: %s: %s", what, mdb_strerror(rc));
}

static uint64_t now_usec(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

/* Moves a store of another format, or a damaged one, out of the way. Only the last one is kept. */
static int move_away(const char *dir, const char *why, struct err *e)
{
	_cleanup_free_ char *from = xasprintf("%s/store", dir);
	_cleanup_free_ char *to = xasprintf("%s/store.old", dir);
	static const char *const files[] = {"data.mdb", "lock.mdb"};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		_cleanup_free_ char *f = xasprintf("%s/%s", to, files[i]);
		unlink(f);
	}
	rmdir(to);
	log_warn("store: %s; it is moved to %s and built anew", why, to);
	if (rename(from, to) < 0 && errno != ENOENT)
		return err_set(e, errno, "rename %s: %s", from, strerror(errno));
	return 0;
}

/* One writer at a time, whatever starts it. The kernel drops the lock with the process. */
static int take_writer_lock(struct store *s, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/store.lock", s->dir);
	s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lock_fd < 0)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	if (flock(s->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(e, errno == EWOULDBLOCK ? EBUSY : errno,
			       "%s: another writer has the store", path);
	return 0;
}

/* The mark stands while an old store is being verified: a crash in there (damage can have LMDB
 * fault) must not repeat for ever, so a mark found at start condemns the store unseen. */
static int open_checked(struct store *s, const char *path, const char *mark, struct err *e)
{
	int fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_set(e, errno, "%s: %s", mark, strerror(errno));
	close(fd);

	int r = store_env_open(&s->env, path, true, e);
	if (r == -EUCLEAN || r == -EINVAL || r == -EPROTO) {
		r = move_away(s->dir, e ? e->msg : "damaged", e);
		if (r == 0 && mkdir(path, 0700) < 0)
			r = err_set(e, errno, "%s: %s", path, strerror(errno));
		if (r == 0)
			r = store_env_open(&s->env, path, true, e);
	}
	unlink(mark);
	return r;
}

static int make_dir(const char *path, struct err *e)
{
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	return 0;
}

static int open_writer(struct store *s, struct err *e)
{
	int r = take_writer_lock(s, e);
	if (r < 0)
		return r;
	_cleanup_free_ char *path = xasprintf("%s/store", s->dir);
	_cleanup_free_ char *mark = xasprintf("%s/store.verifying", s->dir);
	if (access(mark, F_OK) == 0) {
		r = move_away(s->dir, "verifying it did not end well", e);
		if (r < 0)
			return r;
	}
	r = make_dir(path, e);
	return r < 0 ? r : open_checked(s, path, mark, e);
}

static struct store *store_alloc(const char *dir, bool writer)
{
	struct store *s = xcalloc(1, sizeof(*s));
	s->dir = xstrdup(dir);
	s->writer = writer;
	s->lock_fd = -1;
	s->write.s = s;
	pthread_mutex_init(&s->mutex, NULL);
	return s;
}

int store_open_writer(struct store **out, const char *dir, struct err *e)
{
	struct err local;
	struct store *s = store_alloc(dir, true);
	int r = open_writer(s, e ? e : &local);
	if (r < 0) {
		store_close(s);
		return r;
	}
	*out = s;
	return 0;
}

int store_open_reader(struct store **out, const char *dir, struct err *e)
{
	struct store *s = store_alloc(dir, false);
	_cleanup_free_ char *path = xasprintf("%s/store", dir);
	int r = store_env_open(&s->env, path, false, e);
	if (r < 0) {
		store_close(s);
		return r;
	}
	*out = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->write.txn)
		store_write_abort(&s->write);
	if (s->env)
		store_env_close(s->env);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	buf_free(&s->write.value);
	buf_free(&s->write.old);
	pthread_mutex_destroy(&s->mutex);
	free(s->dir);
	free(s);
}

/* A reader follows the writer to a new file. What cannot be opened yet is tried again later: the
 * old snapshot serves meanwhile. */
static void follow(struct store *s)
{
	uint64_t now = now_usec();
	if (s->writer || now < s->next_check_usec)
		return;
	s->next_check_usec = now + CHECK_USEC;

	_cleanup_free_ char *path = xasprintf("%s/store", s->dir);
	_cleanup_free_ char *file = xasprintf("%s/data.mdb", path);
	struct stat st;
	if (stat(file, &st) < 0 || (st.st_dev == s->env->dev && st.st_ino == s->env->ino))
		return;
	struct store_env *fresh;
	struct err e;
	if (store_env_open(&fresh, path, false, &e) < 0) {
		log_debug("store: new file not usable yet: %s", e.msg);
		return;
	}
	log_info("store: the writer has started a new file");
	struct store_env *old = s->env;
	s->env = fresh;
	if (old->in_use == 0)
		store_env_close(old);
}

static struct store_txn *take_idle(struct store *s)
{
	pthread_mutex_lock(&s->mutex);
	follow(s);
	struct store_txn *t = s->env->idle;
	if (t) {
		s->env->idle = t->next;
	} else {
		t = xcalloc(1, sizeof(*t));
		t->s = s;
		t->env = s->env;
	}
	t->env->in_use++;
	pthread_mutex_unlock(&s->mutex);
	return t;
}

static void give_back(struct store_txn *t)
{
	struct store *s = t->s;
	pthread_mutex_lock(&s->mutex);
	struct store_env *env = t->env;
	env->in_use--;
	if (t->txn) {
		t->next = env->idle;
		env->idle = t;
	} else {
		free(t);
	}
	if (env != s->env && env->in_use == 0)
		store_env_close(env);
	pthread_mutex_unlock(&s->mutex);
}

int store_begin(struct store *s, struct store_txn **out, struct err *e)
{
	struct store_txn *t = take_idle(s);
	int rc =
	    t->txn ? mdb_txn_renew(t->txn) : mdb_txn_begin(t->env->env, NULL, MDB_RDONLY, &t->txn);
	if (rc != 0) {
		if (t->txn)
			mdb_txn_abort(t->txn);
		t->txn = NULL;
		give_back(t);
		return store_mdb_err(e, rc, "begin");
	}
	*out = t;
	return 0;
}

void store_end(struct store_txn *t)
{
	if (!t)
		return;
	mdb_txn_reset(t->txn);
	give_back(t);
}

void store_endp(struct store_txn **t)
{
	store_end(*t);
	*t = NULL;
}

int store_reap_readers(struct store *s)
{
	int dead = 0;
	return mdb_reader_check(s->env->env, &dead) == 0 ? dead : 0;
}

uint64_t store_used_bytes(struct store *s)
{
	MDB_envinfo info;
	MDB_stat st;
	if (mdb_env_info(s->env->env, &info) != 0 || mdb_env_stat(s->env->env, &st) != 0)
		return 0;
	return ((uint64_t)info.me_last_pgno + 1) * st.ms_psize;
}
