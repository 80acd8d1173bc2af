/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_CLONESET_PODS_H
#define WORKERS_CLONESET_PODS_H

#include "ipc/store.h"
#include "kube/selector.h"
#include "rules/cloneset_claims.h"
#include "rules/cloneset_explain.h"

/*
 * What the worker remembers of each CloneSet between syncs: a view of each of its pods, made anew
 * only when the pod's resourceVersion has changed, and the resourceVersion that our own last write
 * must show.
 */
struct pod_entry;
struct clone_memory;

/* All CloneSets of the worker, by key. */
struct clone_memories;
struct clone_memories *clone_memories_new(void);
void clone_memories_free(struct clone_memories *m);
/* The memory of a key, made when absent. A new uid (deleted and made again) starts empty. */
struct clone_memory *clone_memory_of(struct clone_memories *m, const char *key, struct str uid);
void clone_memory_drop(struct clone_memories *m, const char *key);
/* Sets look_for_orphans of one set that is known, or of all (key NULL). */
void clone_memories_look_for_orphans(struct clone_memories *m, const char *key);

/* What else is carried from one sync of a CloneSet to the next. */
struct clone_notes {
	unsigned wave;		/* size of the next wave of creations (slow start), at least 1 */
	bool limited;		/* ScaleUpLimited has been said */
	char *self_rv;		/* version of the CloneSet that our last write made, or NULL */
	char *pending_revision; /* name of a ControllerRevision that was created and not seen yet */
	bool adopted;		/* the errors were taken from the status of a former process */
	char *scale_error;	/* the last one, for the conditions; NULL when it went well */
	char *update_error;
	uint64_t open_usec;	   /* since when writes have been open; 0: none is */
	struct cloneset_said said; /* of where the set stands */
	char **spare_ids; /* instance ids that were journaled and not used, to be used first */
	size_t n_spare_ids;
	char **deleted_claims; /* uids; the store may still show them as if they stayed */
	size_t n_deleted_claims;
	char *fetched;	       /* revision for which pre-download is settled, or NULL */
	bool look_for_orphans; /* there may be pods or revisions to adopt */
};
struct clone_notes *clone_notes(struct clone_memory *m);
/* Replaces a text of the notes; NULL clears it. */
void clone_note(char **slot, const char *text);
void clone_spare_id_add(struct clone_notes *n, const char *id);
bool clone_spare_id_take(struct clone_notes *n, char *id, size_t size);

/* Claims whose deletion we have asked for, until the store no longer has them. */
void clone_claim_delete(struct clone_notes *n, const char *uid);
void clone_claim_undelete(struct clone_notes *n, const char *uid);
bool clone_claim_deleted(const struct clone_notes *n, struct str uid);
/* Forgets those that are not among the claims of the store. */
void clone_claims_retain_deleted(struct clone_notes *n, const struct cloneset_claim *claims,
				 size_t n_claims);

/* The owned pods in the store, sorted by name. Views live until the next call for this memory. */
struct owned_pods {
	const struct pod_view **views;
	size_t n;
};
/* selector: the set's, for `matches` of the views; a changed one makes all views anew. */
int clone_pods(struct clone_memory *m, struct store_txn *txn, struct str owner_uid,
	       const struct selector *selector, arena *a, struct owned_pods *out);

/* After a write: the store must show at least this version of the pod before it is judged again. */
void clone_expect(struct clone_memory *m, const char *pod, const char *uid, const char *rv,
		  uint64_t now_usec);
/* Pods whose expected version the store does not show yet; expectations older than the time-out are
 * given up. */
size_t clone_unmet(struct clone_memory *m, uint64_t now_usec, uint64_t timeout_usec);

/* Whether something was said of the pod as it is already; from now on it was. */
bool clone_pod_reported(struct clone_memory *m, const char *pod);
/* The API server refuses to update the pod to the target: tries are made ever more seldom, up to
 * once in five minutes, until the target is another or an update went well. */
void clone_pod_refused(struct clone_memory *m, const char *pod, const char *target,
		       uint64_t now_usec);
void clone_pod_accepted(struct clone_memory *m, const char *pod);
/* µs until the pod may be tried again, 0: now. */
uint64_t clone_pod_held(struct clone_memory *m, const char *pod, const char *target,
			uint64_t now_usec);

/* Numeric comparison of resourceVersions; an unreadable one counts as new. */
bool rv_at_least(const char *seen, const char *wanted);

#endif
