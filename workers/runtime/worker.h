/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_RUNTIME_WORKER_H
#define WORKERS_RUNTIME_WORKER_H

#include "ipc/child.h"
#include "ipc/delta.h"
#include "ipc/metrics.h"
#include "ipc/options.h"
#include "ipc/store.h"
#include "kube/events.h"
#include "kube/rest.h"
#include "rules/gates.h"
#include "workers/runtime/journal.h"
#include "workers/runtime/queue.h"

#include <systemd/sd-event.h>

/*
 * A worker process: one controller on one event loop. The runtime owns everything around the
 * decision: the queue, the store, deltas and gaps, the API client, intents, events and metrics. A
 * controller is one `struct controller` and a sync function.
 */
struct worker {
	const struct controller *controller;
	const char *name;
	bool short_calls; /* set before worker_init(): an answer is worth something only within half
			     the renew deadline, and the worker itself tries again */
	struct options options;
	struct gates gates;
	sd_event *loop;
	struct child *child;
	struct store
	    *store; /* NULL until the watcher has made it, for workers that run without it */
	struct delta_sub *deltas;
	struct k8s_client *client;
	struct k8s_recorder *recorder;
	struct metrics *metrics;
	struct metric *requests;
	struct sync_stats *stats;
	struct queue *queue;	 /* NULL for workers without a controller */
	struct journal *journal; /* the same */
	void *state;		 /* the controller's own */
	bool started;		 /* the store is complete and work goes on */
	bool stopping;
	size_t active_syncs;
	bool first_sync_done;
};

struct sync;

struct controller {
	const char *name;      /* worker's name: kruise-worker NAME */
	const char *component; /* source of its events */
	const struct k8s_resource *primary;
	const struct k8s_resource *const *watched; /* NULL-terminated, primary included */
	const struct k8s_resource *const
	    *required; /* of these, what must be synced before work starts */
	int (*start)(struct worker *w, struct err *e); /* may set w->state; NULL: nothing to do */
	void (*stop)(struct worker *w);
	/* Whether an object of the primary resource is worth a sync when all are looked at, as at
	 * the start. Cheap: for most objects the header or a search in the packed text decides.
	 * NULL: all are. */
	bool (*concerns)(const struct store_entry *entry);
	/* Puts the keys that a delta concerns into the queue. */
	void (*on_delta)(struct worker *w, const char *resource, const struct delta *d);
	/* Deltas were lost; all objects are going to be looked at. NULL: nothing more to do. */
	void (*on_gap)(struct worker *w);
	/* One sync. Reads through s->txn, which ends when this returns; writes through sync_*().
	 * The sync is over when it has returned and the last of its calls was answered. */
	void (*sync)(struct sync *s);
};

/* Runs the process until it is told to stop; returns the exit status. argv[0] is the worker's name.
 */
int worker_run(const struct controller *c, int argc, char **argv);

/* The same process frame for a worker that has no queue (elector, webhookconfig): fills everything
 * but store, deltas, queue and journal. worker_loop() runs until told to stop; worker_exit()
 * releases. */
int worker_init(struct worker *w, const char *name, const char *component, int argc, char **argv,
		const struct child_handlers *handlers, struct err *e);
int worker_loop(struct worker *w);
void worker_exit(struct worker *w);

/* False while the watcher is down or behind: what is in the store may be finished, nothing started.
 */
bool worker_store_fresh(struct worker *w, struct store_txn *txn);

/* For concerns(): whether the packed object has the text anywhere. */
bool worker_mentions(const struct store_entry *entry, const char *text);
/* For deltas: whether the store has the primary object, and the controller is concerned. */
bool worker_concerned(struct worker *w, struct str ns, struct str name);

/* Queue key of an object. */
void worker_key(struct buf *b, struct str ns, struct str name);
void worker_enqueue(struct worker *w, struct str ns, struct str name);

uint64_t mono_usec(void); /* CLOCK_MONOTONIC */
uint64_t wall_usec(void); /* CLOCK_REALTIME */

/* ---- one sync ---- */

struct sync {
	struct worker *w;
	char *key;
	struct str ns, name; /* of the key */
	arena *arena;	     /* dies with the sync: after the last answer */
	struct store_txn *txn;
	uint64_t started_usec; /* CLOCK_MONOTONIC */
	uint64_t now_usec;     /* CLOCK_REALTIME at the start */
	void *state;	       /* the controller's own, for its callbacks; in the arena */
	/* the runtime's: */
	unsigned outstanding, calls; /* without an answer yet, and all */
	bool returned;
	bool failed;
	struct err err;
	uint64_t requeue_after; /* 0: no */
	uint64_t plan_usec;	/* CPU time of the planning part */
};

/* The answer to one of the sync's calls. Errors that the callback does not deal with: sync_fail().
 * A NULL callback means: any error fails the sync. */
typedef void (*sync_fn)(struct sync *s, const struct k8s_response *r, void *userdata);

void sync_get(struct sync *s, const struct k8s_resource *r, struct str ns, struct str name,
	      sync_fn fn, void *userdata);
void sync_create(struct sync *s, const struct k8s_resource *r, struct str ns, const val *object,
		 sync_fn fn, void *userdata);
void sync_patch(struct sync *s, const struct k8s_resource *r, struct str ns, struct str name,
		const char *sub, enum k8s_patch_type type, const val *patch, sync_fn fn,
		void *userdata);
/* uid is a precondition, always. */
void sync_delete(struct sync *s, const struct k8s_resource *r, struct str ns, struct str name,
		 struct str uid, sync_fn fn, void *userdata);

/* The sync is to be repeated with back-off. The first error is the one that is logged. */
void sync_fail(struct sync *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sync_fail_response(struct sync *s, const char *what, const struct k8s_response *r);
/* Sync again after that time at the latest; the smallest counts. */
void sync_requeue_after(struct sync *s, uint64_t usec);

#endif
