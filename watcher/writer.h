/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCHER_WRITER_H
#define WATCHER_WRITER_H

#include "ipc/delta.h"
#include "ipc/metrics.h"
#include "ipc/store.h"

#include <systemd/sd-event.h>

/*
 * The way from reflectors to the store and to subscribers. What arrives in one turn of the loop
 * shares a transaction, which is committed when the loop has nothing better to do, after
 * WRITER_MAX_CHANGES or after WRITER_MAX_USEC; then its deltas are published. A store that refuses
 * to be written is the end of the process: the next one starts with what was committed.
 */
#define WRITER_MAX_CHANGES 256
#define WRITER_MAX_USEC 2000

struct writer;

/* One resource's state in the store. sync is what the next commit writes when it is dirty. */
struct feed {
	const char *resource; /* k8s_resource_key() */
	struct store_sync sync;
	struct buf deltas; /* packed, published after the commit; freed with the feed */
	bool dirty;
	struct feed *next_dirty;
};

int writer_new(struct writer **out, sd_event *loop, struct store *s, struct delta_pub *pub,
	       struct metrics *m, struct err *e);
void writer_free(struct writer *w); /* commits what is open */

/* A watch event's object, or a listed one. An older version than the stored is dropped, unless it
 * is listed: a list tells what is. 0, or -EINVAL (logged) when the object makes no sense. */
int writer_put(struct writer *w, struct feed *f, const val *object, bool listed);
/* rv of the deletion; a stored object that is newer stays. 0: it goes in any case. */
void writer_del(struct writer *w, struct feed *f, struct str ns, struct str name, uint64_t rv);
/* The feed's sync is written with the next commit, soon. */
void writer_touch(struct writer *w, struct feed *f);
void writer_flush(struct writer *w);

/* Deletes all objects of the feed for which keep() says false. */
typedef bool (*writer_keep_fn)(struct str ns, struct str name, void *userdata);
void writer_prune(struct writer *w, struct feed *f, writer_keep_fn keep, void *userdata);

/* "123" → 123, 0 for anything else. */
uint64_t writer_parse_rv(struct str s);

#endif
