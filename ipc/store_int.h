/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_STORE_INT_H
#define IPC_STORE_INT_H

/* Shared by ipc/store*.c only. */

#include "ipc/base/buf.h"
#include "ipc/store.h"

#include <lmdb.h>
#include <pthread.h>
#include <sys/types.h>

/*
 * Three tables. objects: resource NUL namespace NUL name → [rv, uid, generation, owner uid|nil,
 * node|nil, object]. index (duplicates sorted): letter resource NUL key → namespace NUL name. meta:
 * format, scope, and "sync NUL resource" → [synced, epoch, seq, rv, updated].
 * The parts of keys cannot hold NUL, so no key is a prefix of another's meaning.
 */
#define STORE_FORMAT "kruised-store-1"
#define STORE_MAP_SIZE ((size_t)4 << 30) /* address space and upper limit, not memory */
#define STORE_MAX_READERS 1022
#define STORE_MAX_RESOURCE 64
#define STORE_MAX_NAMESPACE 63
#define STORE_MAX_NAME 253
#define STORE_MAX_UID 128
#define STORE_MAX_KEY 400

/* An open environment. A reader replaces it when the writer has started a new file; transactions on
 * the old one end first. */
struct store_env {
	MDB_env *env;
	MDB_dbi objects, index, meta;
	dev_t dev;
	ino_t ino;
	struct store_txn *idle; /* reset, ready to be renewed */
	unsigned in_use;
};

struct store_write {
	struct store *s;
	struct store_txn *txn;
	struct buf value;
	struct buf old;
};

struct store {
	char *dir;
	bool writer;
	int lock_fd;
	pthread_mutex_t
	    mutex; /* guards env and its idle list: transactions may begin in several threads */
	struct store_env *env;
	uint64_t next_check_usec;
	struct store_write write;
};

struct store_txn {
	struct store *s;
	struct store_env *env;
	MDB_txn *txn;
	struct store_txn *next;
};

struct store_key {
	size_t n;
	char p[STORE_MAX_KEY];
};

int store_mdb_err(struct err *e, int rc, const char *what);
int store_env_open(struct store_env **out, const char *path, bool writer, struct err *e);
void store_env_close(struct store_env *env);

/* resource NUL [ns NUL [name]]; parts that are absent end the key. False when a part does not fit.
 */
bool store_key_make(struct store_key *k, const char *resource, struct str ns, struct str name);
bool store_index_key(struct store_key *k, enum store_index index, const char *resource,
		     struct str key);

/* What the index tables need of a value, besides the entry. */
struct store_head {
	struct str owner_uid, node;
};
int store_decode(const MDB_val *key, const MDB_val *value, struct store_entry *out,
		 struct store_head *head);

#endif
