/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_DELTA_H
#define IPC_DELTA_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"
#include "kube/value.h"

#include <stdint.h>
#include <systemd/sd-event.h>

/*
 * Deltas: what has changed in the store, published after the commit. A delta carries no object: the
 * store is always at least as new as a delta that arrived, and holds the object once for all
 * readers. It does carry what routing needs: owners before and after, and a mask of what changed.
 */
enum delta_type { DELTA_ADDED = 'A', DELTA_MODIFIED = 'M', DELTA_DELETED = 'D' };

enum delta_change {
	DELTA_SPEC = 1 << 0, /* spec or data */
	DELTA_STATUS = 1 << 1,
	DELTA_LABELS = 1 << 2,
	DELTA_ANNOTATIONS = 1 << 3,
	DELTA_FINALIZERS = 1 << 4,
	DELTA_DELETION = 1 << 5, /* deletionTimestamp appeared */
	DELTA_OWNER = 1 << 6,
	DELTA_GENERATION = 1 << 7,
	DELTA_OTHER = 1 << 8,
};

/* The controller owner reference; all absent when there is none. */
struct delta_owner {
	struct str api_version, kind, name, uid;
};

struct delta {
	uint64_t epoch;
	uint64_t seq;
	char type; /* enum delta_type */
	struct str ns, name, uid;
	uint64_t rv;
	uint32_t changed;	      /* enum delta_change; all bits for A and D */
	bool terminating;	      /* the object has a deletionTimestamp */
	struct delta_owner owner;     /* of the object now (or last, for D) */
	struct delta_owner old_owner; /* before; absent for A */
};

#define DELTA_MAX 8192 /* bytes of a header; a longer one is malformed */
/* Appends one to a frame. Unpacking reads the first of a frame, checking every bound; used is its
 * length, strings point into p. -EBADMSG when malformed. */
void delta_pack(struct buf *b, const struct delta *d);
int delta_unpack(const void *p, size_t n, struct delta *out, size_t *used, struct err *e);

/*
 * A message is two frames: the topic, "RESOURCE " (the space ends it: no resource is another's
 * prefix), and the deltas of one commit, one after the other. Besides deltas there are marks,
 * headers of [epoch, seq] only: where the publisher stands, sent now and then, so that the loss of
 * the last delta before a quiet time is noticed too.
 */
#define DELTA_HWM 100000 /* messages kept for a slow subscriber, on either side */

/* Publisher: XPUB at ipc://DIR/deltas. A slow subscriber loses deltas at the high-water mark. */
struct delta_pub;
int delta_pub_new(struct delta_pub **out, const char *dir, struct err *e);
void delta_pub_free(struct delta_pub *p);
void delta_pub_send(struct delta_pub *p, const char *resource, const struct delta *d);
/* The same with a frame that delta_pack() made, and a mark. */
void delta_pub_send_packed(struct delta_pub *p, const char *resource, const void *frame, size_t n);
void delta_pub_mark(struct delta_pub *p, const char *resource, uint64_t epoch, uint64_t seq);

/* Subscriber on an event loop. Survives the publisher's death and return. on_gap runs when deltas
 * of a resource were lost or its epoch changed: look at all its objects again. */
struct delta_sub;
typedef void (*delta_fn)(const char *resource, const struct delta *d, void *userdata);
typedef void (*delta_gap_fn)(const char *resource, void *userdata);
/* resources: NULL-terminated, texts are static. */
int delta_sub_new(struct delta_sub **out, sd_event *loop, const char *dir,
		  const char *const *resources, delta_fn on_delta, delta_gap_fn on_gap,
		  void *userdata, struct err *e);
void delta_sub_free(struct delta_sub *s);
/* Call it with what store_sync_get() said in the transaction that read the objects.
 * Tells the subscriber from which point its reading of the store starts, so that a delta lost
 * before the first one received is noticed too. Deltas that such a reading has already seen are not
 * delivered. */
void delta_sub_seen(struct delta_sub *s, const char *resource, uint64_t epoch, uint64_t seq);

#endif
