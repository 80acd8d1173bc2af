/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_STORE_H
#define IPC_STORE_H

#include "ipc/base/err.h"
#include "kube/value.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The object store: one LMDB environment in DIR/store on tmpfs. The watcher writes, everybody else
 * reads; it outlives every process. Objects are msgpack maps as the API server sent them, without
 * metadata.managedFields. `resource` is always the text of k8s_resource_key().
 *
 * A process may have the store open once only (LMDB's locks are per process), and must open it
 * after fork(). Reading is thread-safe; a transaction belongs to one thread at a time. When the
 * writer had to start a new file, readers move to it by themselves within a second.
 */
struct store;

/* Writers create what is missing, and start anew when the files are of another format version or
 * damaged. Readers fail with -ENOENT until a writer has been there. */
int store_open_writer(struct store **out, const char *dir, struct err *e);
int store_open_reader(struct store **out, const char *dir, struct err *e);
void store_close(struct store *s);

/* A read transaction: a consistent snapshot. Keep it short (one sync, one admission). Reads without
 * one (NULL) fail with -EBADF. */
struct store_txn;
int store_begin(struct store *s, struct store_txn **out, struct err *e);
void store_end(struct store_txn *t);
void store_endp(struct store_txn **t);
#define _cleanup_store_txn_ __attribute__((cleanup(store_endp)))

/* An object in the store. Everything points into the map and is valid until the transaction ends.
 */
struct store_entry {
	struct str ns;
	struct str name;
	struct str uid;
	uint64_t rv; /* resourceVersion; 0 when it was no number */
	int64_t generation;
	const void *object; /* msgpack */
	size_t object_len;
};

/* 1 and *out when found, 0 when not, negative on failure. */
int store_get(struct store_txn *t, const char *resource, struct str ns, struct str name,
	      struct store_entry *out);
/* The object as a tree (strings point into the map: valid until the transaction ends). */
int store_object(const struct store_entry *entry, arena *a, val *out, struct err *e);

/* Callbacks return 0 to go on; any other value stops the walk and is returned. */
typedef int (*store_fn)(const struct store_entry *entry, void *userdata);
/* All of a resource in key order, or those of a namespace (ns.p not NULL). */
int store_list(struct store_txn *t, const char *resource, struct str ns, store_fn fn,
	       void *userdata);

enum store_index {
	STORE_BY_OWNER,	    /* key: uid of the controller owner */
	STORE_BY_NODE,	    /* key: spec.nodeName */
	STORE_BY_ORPHAN_NS, /* key: namespace; objects without a controller owner */
};
/* The resource's objects under that index key. */
int store_list_by(struct store_txn *t, enum store_index index, struct str key, const char *resource,
		  store_fn fn, void *userdata);

/* What a reader may know of a resource. synced: a full list is in; false means "not to be trusted
 * as complete". epoch changes when the watcher starts anew, seq counts its deltas in that epoch. */
struct store_sync {
	bool synced;
	uint64_t epoch;
	uint64_t seq;
	uint64_t rv;	       /* of the last list or event or bookmark */
	uint64_t updated_usec; /* CLOCK_MONOTONIC of the last sign of life from the API server */
};
int store_sync_get(struct store_txn *t, const char *resource, struct store_sync *out);

/* Writing (the watcher only). One transaction at a time; nothing is visible before commit. */
struct store_write;
int store_write_begin(struct store *s, struct store_write **out, struct err *e);
int store_write_commit(struct store_write *w, struct err *e); /* frees w in every case */
void store_write_abort(struct store_write *w);

/* Puts an object (a map with metadata). Indexes follow. 1: new, 2: replaced, 0: same or older
 * resourceVersion, nothing written. Negative: failure, nothing written. old, if not NULL, receives
 * what was there before (valid until the next write). */
int store_put(struct store_write *w, const char *resource, const val *object,
	      struct store_entry *old, struct err *e);
/* 1 when it was there. old as above. */
int store_del(struct store_write *w, const char *resource, struct str ns, struct str name,
	      struct store_entry *old, struct err *e);
int store_sync_set(struct store_write *w, const char *resource, const struct store_sync *sync,
		   struct err *e);
/* What the store describes: the API server, the namespace… A writer whose scope differs from the
 * stored one cannot go on from stored resourceVersions. At most 4 KiB. get: 1, 0 when none is set.
 */
int store_scope_get(struct store_txn *t, struct str *out);
int store_scope_set(struct store_write *w, struct str scope, struct err *e);
/* Reads inside the write transaction see its own writes; do not store_end() it. */
struct store_txn *store_write_txn(struct store_write *w);

/* Frees reader slots of dead processes; the watcher calls it now and then. Returns how many. */
int store_reap_readers(struct store *s);
/* Bytes in use, for metrics. */
uint64_t store_used_bytes(struct store *s);

#endif
