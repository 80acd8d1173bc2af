/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/store.h"

#include "ipc/base/buf.h"
#include "ipc/base/log.h"
#include "kube/json.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <lmdb.h>

#define PODS "pods"

struct fixture {
	char dir[64];
	struct store *s;
	arena *a;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	strcpy(f->dir, "/tmp/test_store.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	struct err e = {0};
	if (store_open_writer(&f->s, f->dir, &e) < 0)
		fail_msg("%s", e.msg);
	f->a = arena_new();
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	store_close(f->s);
	arena_free(f->a);
	_cleanup_free_ char *cmd = xasprintf("rm -rf '%s'", f->dir);
	assert_int_equal(system(cmd), 0);
	free(f);
	return 0;
}

static val json(arena *a, const char *text)
{
	val v;
	struct err e = {0};
	if (json_parse(a, text, strlen(text), &v, &e) < 0)
		fail_msg("%s: %s", text, e.msg);
	return v;
}

static val pod(arena *a, const char *ns, const char *name, const char *rv, const char *owner,
	       const char *node)
{
	const char *refs =
	    owner ? arena_printf(a,
				 ",\"ownerReferences\":[{\"uid\":\"x\"},{\"uid\":\"%s\","
				 "\"controller\":true}]",
				 owner)
		  : "";
	const char *text =
	    arena_printf(a,
			 "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":\"u-%.20s\","
			 "\"generation\":3,"
			 "\"managedFields\":[{\"manager\":\"k\"}],\"resourceVersion\":\"%s\"%s},"
			 "\"spec\":{\"nodeName\":\"%s\"}}",
			 name, ns, name, rv, refs, node ? node : "");
	return json(a, text);
}

static struct store_write *begin(struct fixture *f)
{
	struct store_write *w;
	struct err e = {0};
	if (store_write_begin(f->s, &w, &e) < 0)
		fail_msg("%s", e.msg);
	return w;
}

static void commit(struct store_write *w)
{
	struct err e = {0};
	if (store_write_commit(w, &e) < 0)
		fail_msg("%s", e.msg);
}

static void put(struct fixture *f, const char *ns, const char *name, const char *rv,
		const char *owner, const char *node, int expect)
{
	struct store_write *w = begin(f);
	val v = pod(f->a, ns, name, rv, owner, node);
	struct err e = {0};
	assert_int_equal(store_put(w, PODS, &v, NULL, &e), expect);
	commit(w);
}

static int join_names(const struct store_entry *entry, void *userdata)
{
	buf_printf(userdata, "%.*s/%.*s@%llu ", STR_ARG(entry->ns), STR_ARG(entry->name),
		   (unsigned long long)entry->rv);
	return 0;
}

static void expect_list(struct store *s, const char *ns, const char *want)
{
	struct store_txn *t;
	_cleanup_buf_ struct buf b = {0};
	assert_int_equal(store_begin(s, &t, NULL), 0);
	assert_int_equal(store_list(t, PODS, str_of(ns), join_names, &b), 0);
	store_end(t);
	assert_string_equal(buf_str(&b), want);
}

static void expect_index(struct store *s, enum store_index index, const char *key, const char *want)
{
	struct store_txn *t;
	_cleanup_buf_ struct buf b = {0};
	assert_int_equal(store_begin(s, &t, NULL), 0);
	assert_int_equal(store_list_by(t, index, str_of(key), PODS, join_names, &b), 0);
	store_end(t);
	assert_string_equal(buf_str(&b), want);
}

static void test_put_get(void **state)
{
	struct fixture *f = *state;
	put(f, "a", "p1", "10", "o1", "n1", 1);
	struct store_txn *t;
	struct store_entry entry;
	assert_int_equal(store_begin(f->s, &t, NULL), 0);
	assert_int_equal(store_get(t, PODS, str_of("a"), str_of("p2"), &entry), 0);
	assert_int_equal(store_get(t, PODS, str_of("b"), str_of("p1"), &entry), 0);
	assert_int_equal(store_get(t, "pod", str_of("a"), str_of("p1"), &entry), 0);
	assert_int_equal(store_get(t, PODS, str_of("a"), str_of("p1"), &entry), 1);
	assert_true(str_is(entry.ns, "a"));
	assert_true(str_is(entry.name, "p1"));
	assert_true(str_is(entry.uid, "u-p1"));
	assert_int_equal(entry.rv, 10);
	assert_int_equal(entry.generation, 3);
	val v;
	struct err e;
	assert_int_equal(store_object(&entry, f->a, &v, &e), 0);
	assert_null(val_path(&v, "metadata", "managedFields", NULL));
	assert_true(val_is(val_path(&v, "metadata", "resourceVersion", NULL), "10"));
	assert_true(val_is(val_path(&v, "spec", "nodeName", NULL), "n1"));
	store_end(t);
}

static void test_rv_order(void **state)
{
	static const struct {
		const char *rv;
		int expect;
	} steps[] = {{"10", 1}, {"10", 0},	{"9", 0}, {"100", 2},
		     {"99", 0}, {"strange", 2}, {"1", 2}};
	struct fixture *f = *state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		put(f, "a", "p", steps[i].rv, NULL, NULL, steps[i].expect);
	expect_list(f->s, NULL, "a/p@1 ");
}

static void test_list_prefixes(void **state)
{
	struct fixture *f = *state;
	put(f, "a", "p2", "2", NULL, NULL, 1);
	put(f, "a", "p1", "1", NULL, NULL, 1);
	put(f, "ab", "p1", "3", NULL, NULL, 1);
	put(f, "", "cluster", "4", NULL, NULL, 1);
	struct store_write *w = begin(f);
	val other = pod(f->a, "a", "x", "5", NULL, NULL);
	assert_int_equal(store_put(w, "pods2", &other, NULL, NULL), 1);
	commit(w);
	expect_list(f->s, NULL, "/cluster@4 a/p1@1 a/p2@2 ab/p1@3 ");
	expect_list(f->s, "a", "a/p1@1 a/p2@2 ");
	expect_list(f->s, "", "/cluster@4 ");
	expect_list(f->s, "b", "");
}

static void test_indexes(void **state)
{
	struct fixture *f = *state;
	put(f, "a", "p1", "1", "o1", NULL, 1);
	put(f, "a", "p2", "2", "o1", "n1", 1);
	put(f, "b", "p1", "3", "o2", "n1", 1);
	put(f, "a", "p3", "4", NULL, NULL, 1);
	put(f, "a", "p9", "4", "o1", NULL, 1);
	expect_index(f->s, STORE_BY_OWNER, "o1", "a/p1@1 a/p2@2 a/p9@4 ");
	expect_index(f->s, STORE_BY_OWNER, "x", "");
	expect_index(f->s, STORE_BY_NODE, "n1", "a/p2@2 b/p1@3 ");
	expect_index(f->s, STORE_BY_ORPHAN_NS, "a", "a/p3@4 ");
	/* adopted, released, scheduled, deleted */
	put(f, "a", "p3", "5", "o2", "n2", 2);
	put(f, "a", "p1", "6", NULL, NULL, 2);
	expect_index(f->s, STORE_BY_OWNER, "o2", "a/p3@5 b/p1@3 ");
	expect_index(f->s, STORE_BY_NODE, "n2", "a/p3@5 ");
	expect_index(f->s, STORE_BY_ORPHAN_NS, "a", "a/p1@6 ");
	struct store_write *w = begin(f);
	assert_int_equal(store_del(w, PODS, str_of("a"), str_of("p2"), NULL, NULL), 1);
	assert_int_equal(store_del(w, PODS, str_of("a"), str_of("p2"), NULL, NULL), 0);
	assert_int_equal(store_del(w, PODS, str_of("a"), str_of("p1"), NULL, NULL), 1);
	commit(w);
	expect_index(f->s, STORE_BY_OWNER, "o1", "a/p9@4 ");
	expect_index(f->s, STORE_BY_NODE, "n1", "b/p1@3 ");
	expect_index(f->s, STORE_BY_ORPHAN_NS, "a", "");
}

static void test_old_and_abort(void **state)
{
	struct fixture *f = *state;
	put(f, "a", "p1", "1", "o1", "n1", 1);
	struct store_write *w = begin(f);
	struct store_entry old;
	val v = pod(f->a, "a", "p1", "2", "o2", "n1");
	assert_int_equal(store_put(w, PODS, &v, &old, NULL), 2);
	assert_int_equal(old.rv, 1);
	val before;
	assert_int_equal(store_object(&old, f->a, &before, NULL), 0);
	assert_true(val_is(val_path(&before, "metadata", "resourceVersion", NULL), "1"));
	struct store_entry now;
	assert_int_equal(store_get(store_write_txn(w), PODS, str_of("a"), str_of("p1"), &now), 1);
	assert_int_equal(now.rv, 2);
	assert_int_equal(old.rv, 1);
	store_write_abort(w);
	expect_list(f->s, NULL, "a/p1@1 ");
	expect_index(f->s, STORE_BY_OWNER, "o1", "a/p1@1 ");
	w = begin(f);
	assert_int_equal(store_del(w, PODS, str_of("a"), str_of("p1"), &old, NULL), 1);
	assert_true(str_is(old.name, "p1"));
	commit(w);
	expect_list(f->s, NULL, "");
}

static void test_refused_objects(void **state)
{
	static const char *const bad[] = {
	    "[]",
	    "{}",
	    "{\"metadata\":[]}",
	    "{\"metadata\":{}}",
	    "{\"metadata\":{\"name\":3}}",
	    "{\"metadata\":{\"name\":\"\"}}",
	    "{\"metadata\":{\"name\":\"a\\u0000b\"}}",
	    "{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\\u0000c\"}}",
	};
	struct fixture *f = *state;
	struct store_write *w = begin(f);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		val v = json(f->a, bad[i]);
		assert_int_equal(store_put(w, PODS, &v, NULL, NULL), -EINVAL);
	}
	char longname[300];
	memset(longname, 'x', sizeof(longname));
	longname[254] = '\0';
	val v = pod(f->a, "a", longname, "1", NULL, NULL);
	assert_int_equal(store_put(w, PODS, &v, NULL, NULL), -EINVAL);
	longname[253] = '\0';
	char ns[64];
	memset(ns, 'n', 63);
	ns[63] = '\0';
	v = pod(f->a, ns, longname, "1", "o", longname);
	char resource[65];
	memset(resource, 'r', 64);
	resource[64] = '\0';
	assert_int_equal(store_put(w, resource, &v, NULL, NULL), 1);
	commit(w);
}

static void test_sync_and_scope(void **state)
{
	struct fixture *f = *state;
	struct store_txn *t;
	struct store_sync sync;
	struct str scope;
	assert_int_equal(store_begin(f->s, &t, NULL), 0);
	assert_int_equal(store_sync_get(t, PODS, &sync), 0);
	assert_int_equal(store_scope_get(t, &scope), 0);
	store_end(t);
	struct store_write *w = begin(f);
	const struct store_sync want = {true, UINT64_MAX, 7, 1u << 31, 99};
	assert_int_equal(store_sync_set(w, PODS, &want, NULL), 0);
	assert_int_equal(store_scope_set(w, str_of("https://x"), NULL), 0);
	commit(w);
	assert_int_equal(store_begin(f->s, &t, NULL), 0);
	assert_int_equal(store_sync_get(t, PODS, &sync), 1);
	assert_true(sync.synced && sync.epoch == UINT64_MAX && sync.seq == 7 &&
		    sync.rv == 1u << 31 && sync.updated_usec == 99);
	assert_int_equal(store_scope_get(t, &scope), 1);
	assert_true(str_is(scope, "https://x"));
	store_end(t);
}

/* Runs fn in a process that has opened nothing; its exit status is the number of failures. */
static void in_child(struct fixture *f, int (*fn)(const char *dir))
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(fn(f->dir));
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int child_reads(const char *dir)
{
	struct store *s;
	struct store_txn *t;
	struct store_entry entry;
	if (store_open_reader(&s, dir, NULL) < 0)
		return 1;
	struct store_write *w;
	if (store_write_begin(s, &w, NULL) != -EINVAL)
		return 2;
	for (int i = 0; i < 100; i++) {
		if (store_begin(s, &t, NULL) < 0)
			return 3;
		if (store_get(t, PODS, str_of("a"), str_of("p1"), &entry) != 1 || entry.rv != 10)
			return 4;
		store_end(t);
	}
	store_close(s);
	return 0;
}

static void test_other_process_reads(void **state)
{
	struct fixture *f = *state;
	put(f, "a", "p1", "10", NULL, NULL, 1);
	in_child(f, child_reads);
}

static void test_reader_needs_writer(void **state)
{
	struct fixture *f = *state;
	struct store *s;
	struct err e;
	assert_int_equal(store_open_reader(&s, "/tmp/surely/not/there", &e), -ENOENT);
	_cleanup_free_ char *empty = xasprintf("%s/empty", f->dir);
	_cleanup_free_ char *sub = xasprintf("%s/store", empty);
	assert_int_equal(mkdir(empty, 0700), 0);
	assert_int_equal(store_open_reader(&s, empty, &e), -ENOENT);
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(store_open_reader(&s, empty, &e), -ENOENT);
}

static int child_second_writer(const char *dir)
{
	struct store *s;
	struct err e;
	return store_open_writer(&s, dir, &e) == -EBUSY ? 0 : 1;
}

static void test_one_writer(void **state)
{
	in_child(*state, child_second_writer);
}

/* A reader that is killed within a transaction pins old pages until it is reaped. */
static void test_killed_reader(void **state)
{
	struct fixture *f = *state;
	put(f, "a", "p1", "10", NULL, NULL, 1);
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct store *s;
		struct store_txn *t;
		char ok = store_open_reader(&s, f->dir, NULL) == 0 && store_begin(s, &t, NULL) == 0;
		if (write(fds[1], &ok, 1) == 1)
			pause();
		_exit(1);
	}
	char ok = 0;
	assert_int_equal(read(fds[0], &ok, 1), 1);
	assert_true(ok);
	assert_int_equal(store_reap_readers(f->s), 0);
	kill(pid, SIGKILL);
	int status;
	waitpid(pid, &status, 0);
	assert_int_equal(store_reap_readers(f->s), 1);
	close(fds[0]);
	close(fds[1]);
	for (int i = 0; i < 2000; i++)
		put(f, "a", "p1", arena_printf(f->a, "%d", 100 + i), NULL, NULL, 2);
	assert_in_range(store_used_bytes(f->s), 1, 400000);
}

/* A writer that is killed within a transaction leaves the last commit, and no lock behind. */
static void test_killed_writer(void **state)
{
	struct fixture *f = *state;
	put(f, "a", "p1", "10", NULL, NULL, 1);
	store_close(f->s);
	f->s = NULL;
	pid_t pid = fork();
	if (pid == 0) {
		struct store *s;
		struct store_write *w;
		if (store_open_writer(&s, f->dir, NULL) < 0 || store_write_begin(s, &w, NULL) < 0)
			_exit(1);
		val v = pod(f->a, "a", "p1", "11", NULL, NULL);
		if (store_put(w, PODS, &v, NULL, NULL) != 2)
			_exit(2);
		raise(SIGKILL);
	}
	int status;
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(store_open_writer(&f->s, f->dir, NULL), 0);
	expect_list(f->s, NULL, "a/p1@10 ");
	put(f, "a", "p1", "12", NULL, NULL, 2);
}

static void set_format(const char *dir, const char *format)
{
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	_cleanup_free_ char *path = xasprintf("%s/store", dir);
	assert_int_equal(mdb_env_create(&env), 0);
	mdb_env_set_maxdbs(env, 4);
	assert_int_equal(mdb_env_open(env, path, 0, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, "meta", 0, &dbi), 0);
	MDB_val key = {6, (void *)(uintptr_t) "format"};
	MDB_val value = {strlen(format), (void *)(uintptr_t)format};
	assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

static void reopen_is_empty(struct fixture *f)
{
	log_set_level(LOG_LVL_ERROR);
	struct err e = {0};
	if (store_open_writer(&f->s, f->dir, &e) < 0)
		fail_msg("%s", e.msg);
	log_set_level(LOG_LVL_INFO);
	expect_list(f->s, NULL, "");
	_cleanup_free_ char *old = xasprintf("%s/store.old/data.mdb", f->dir);
	assert_int_equal(access(old, F_OK), 0);
	put(f, "a", "p1", "1", NULL, NULL, 1);
	expect_list(f->s, NULL, "a/p1@1 ");
}

static void test_foreign_format(void **state)
{
	struct fixture *f = *state;
	put(f, "a", "p1", "10", NULL, NULL, 1);
	store_close(f->s);
	set_format(f->dir, "kruised-store-0");
	struct store *s;
	assert_int_equal(store_open_reader(&s, f->dir, NULL), -ENOENT);
	reopen_is_empty(f);
}

static void fill(struct fixture *f)
{
	struct store_write *w = begin(f);
	for (int i = 0; i < 500; i++) {
		val v = pod(f->a, "a", arena_printf(f->a, "p%d", i), "10", "o", "n");
		assert_int_equal(store_put(w, PODS, &v, NULL, NULL), 1);
	}
	commit(w);
	store_close(f->s);
	f->s = NULL;
}

static void test_truncated_file(void **state)
{
	static const long sizes[] = {100, 5000, 8192, 12288, 40000};
	struct fixture *f = *state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fill(f);
		_cleanup_free_ char *data = xasprintf("%s/store/data.mdb", f->dir);
		assert_int_equal(truncate(data, sizes[i]), 0);
		reopen_is_empty(f);
		store_close(f->s);
		_cleanup_free_ char *cmd = xasprintf("rm -rf '%s/store'", f->dir);
		assert_int_equal(system(cmd), 0);
		assert_int_equal(store_open_writer(&f->s, f->dir, NULL), 0);
	}
}

static void test_overwritten_file(void **state)
{
	struct fixture *f = *state;
	fill(f);
	_cleanup_free_ char *data = xasprintf("%s/store/data.mdb", f->dir);
	int fd = open(data, O_WRONLY);
	char junk[16384];
	memset(junk, 0xa5, sizeof(junk));
	assert_int_equal(write(fd, junk, sizeof(junk)), sizeof(junk));
	close(fd);
	reopen_is_empty(f);
}

static void test_verification_that_crashed(void **state)
{
	struct fixture *f = *state;
	fill(f);
	_cleanup_free_ char *mark = xasprintf("%s/store.verifying", f->dir);
	close(open(mark, O_WRONLY | O_CREAT, 0600));
	reopen_is_empty(f);
	assert_int_equal(access(mark, F_OK), -1);
}

/* A reader that has the store open follows the writer to a new file. */
static void test_reader_follows(void **state)
{
	struct fixture *f = *state;
	put(f, "a", "old", "10", NULL, NULL, 1);
	store_close(f->s);
	int fds[2], back[2];
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pipe(back), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct store *s;
		struct store_txn *t;
		struct store_entry entry;
		char c = 'r';
		if (store_open_reader(&s, f->dir, NULL) < 0 || store_begin(s, &t, NULL) < 0 ||
		    write(back[1], &c, 1) != 1 || read(fds[0], &c, 1) != 1)
			_exit(1);
		/* the old snapshot is still good */
		if (store_get(t, PODS, str_of("a"), str_of("old"), &entry) != 1)
			_exit(2);
		store_end(t);
		struct timespec nap = {0, 50000000};
		for (int i = 0; i < 200; i++) {
			if (store_begin(s, &t, NULL) < 0)
				_exit(3);
			int got = store_get(t, PODS, str_of("a"), str_of("p1"), &entry);
			store_end(t);
			if (got == 1)
				_exit(0);
			nanosleep(&nap, NULL);
		}
		_exit(4);
	}
	char c = 0;
	assert_int_equal(read(back[0], &c, 1), 1);
	_cleanup_free_ char *mark = xasprintf("%s/store.verifying", f->dir);
	close(open(mark, O_WRONLY | O_CREAT, 0600));
	reopen_is_empty(f);
	assert_int_equal(write(fds[1], &c, 1), 1);
	int status;
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
	for (int i = 0; i < 2; i++) {
		close(fds[i]);
		close(back[i]);
	}
}

static int count(const struct store_entry *entry, void *userdata)
{
	*(uint64_t *)userdata += entry->rv ? 1 : 0;
	return 0;
}

static uint64_t now_nsec(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void test_walk_of_5000(void **state)
{
	struct fixture *f = *state;
	char *pad = arena_alloc(f->a, 5001);
	memset(pad, 'x', 5000);
	pad[5000] = '\0';
	struct store_write *w = begin(f);
	for (int i = 0; i < 5000; i++) {
		val v =
		    pod(f->a, "a", arena_printf(f->a, "p%d", i), "10", i % 2 ? "odd" : "even", "n");
		val_set(f->a, &v, "pad", val_of_str(pad));
		assert_int_equal(store_put(w, PODS, &v, NULL, NULL), 1);
	}
	commit(w);
	struct store_txn *t;
	uint64_t n = 0, start = now_nsec();
	assert_int_equal(store_begin(f->s, &t, NULL), 0);
	assert_int_equal(store_list(t, PODS, str_of("a"), count, &n), 0);
	uint64_t list = now_nsec() - start;
	assert_int_equal(n, 5000);
	start = now_nsec();
	n = 0;
	assert_int_equal(store_list_by(t, STORE_BY_OWNER, str_of("odd"), PODS, count, &n), 0);
	uint64_t by = now_nsec() - start;
	assert_int_equal(n, 2500);
	store_end(t);
	start = now_nsec();
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(store_begin(f->s, &t, NULL), 0);
		store_end(t);
	}
	print_message("walk: %.0f ns an entry, by index %.0f ns; begin+end %.0f ns\n",
		      (double)list / 5000, (double)by / 2500, (double)(now_nsec() - start) / 1000);
	/* generous: sanitizers and busy machines; it must not be an order of magnitude off */
	assert_in_range(list, 0, 5000 * 20000ull);
}

int main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
	    T(test_put_get),
	    T(test_rv_order),
	    T(test_list_prefixes),
	    T(test_indexes),
	    T(test_old_and_abort),
	    T(test_refused_objects),
	    T(test_sync_and_scope),
	    T(test_other_process_reads),
	    T(test_reader_needs_writer),
	    T(test_one_writer),
	    T(test_killed_reader),
	    T(test_killed_writer),
	    T(test_foreign_format),
	    T(test_truncated_file),
	    T(test_overwritten_file),
	    T(test_verification_that_crashed),
	    T(test_reader_follows),
	    T(test_walk_of_5000),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
