/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_CLONESET_CLONE_H
#define WORKERS_CLONESET_CLONE_H

#include "rules/cloneset_convert.h"
#include "rules/cloneset_explain.h"
#include "rules/inplace.h"
#include "workers/cloneset/pods.h"
#include "workers/runtime/worker.h"

/* One CloneSet in one sync. Everything lives in the sync's arena and may be used by its callbacks.
 */
struct clone {
	struct sync *s;
	struct clone_memory *memory;
	struct clone_notes *notes;
	val object;
	const struct k8s_resource *kind; /* of the version that object is of: for writes */
	struct str uid;
	char *uid_text;
	struct cloneset_spec spec;
	const struct selector *selector;
	int64_t now; /* seconds */

	const val **revisions; /* of the CloneSet, sorted */
	size_t n_revisions;
	const val *update, *current; /* of these */
	char *update_name, *current_name;
	int32_t collision_count;

	struct owned_pods pods; /* all of them */
	struct cloneset_claim
	    *claims; /* owned PersistentVolumeClaims, once clone_claims() has been called */
	size_t n_claims;
	bool claims_known;
	struct cloneset_state state; /* the active ones */
	struct cloneset_counts counts;
	struct cloneset_scale_plan scale_plan;
	struct cloneset_update_plan update_plan;
	bool update_planned;
	const char *last_update_error; /* of the sync before, NULL when this one tries nothing */
	bool changed;		       /* something was written that the update must wait for */
	bool *postponed;	       /* by clone_refresh; of state.n */
	bool *taken;		       /* clone_update works on the pod; of state.n, or NULL */
};

/* The steps of a sync, in order; each file is one. Those that return bool say whether to go on. */

/* revisions.c: finds or makes updateRevision and currentRevision. False: a write is under way. */
bool clone_revisions(struct clone *c);
/* Deletes what the history limit no longer allows. */
void clone_trim_revisions(struct clone *c);
/* How a change of revision is judged, by the gates that are on. */
struct inplace_options clone_inplace_options(const struct clone *c);
/* The revision that a pod is at, or NULL. */
const val *clone_revision_of(const struct clone *c, const struct pod_view *pod);

/* intents.c: crosses out what the store shows by now. False: something is still open, wait. */
bool clone_intents(struct clone *c);

/* ownership.c: lets go of pods that the selector does not select, adopts orphans that it does.
 * False: a write is under way. */
bool clone_release(struct clone *c);
bool clone_adopt(struct clone *c);
/* A pod or revision without a controller has come or changed: queues the sets that select it. */
void clone_orphan_seen(struct worker *w, const char *resource, struct str ns, struct str name);

/* claims.c: reads the claims that the set owns, once in a sync. False: the store fails. */
bool clone_claims(struct clone *c);
/* Without reuse, claims go with their pods (C4). False: the store fails. */
bool clone_drop_unused_claims(struct clone *c);
/* Of those read: whether one with that name is there to stay. */
bool clone_claim_exists(const struct clone *c, struct str name);
/* Deletes the claims of a pod that has been deleted. Callbacks may use it. */
void clone_delete_claims(struct clone *c, const char *instance_id);

/* create.c: creates pods, so many at currentRevision first, in waves; each after its claims. */
void clone_create_pods(struct clone *c, int32_t n_old, int32_t n_new);

/* predownload.c: jobs that fetch a roll-out's images to the nodes beforehand (gate). */
void clone_predownload(struct clone *c);

/* rank.c: how scale-down ranks pods, NULL for the same-node ranking. */
const struct cloneset_ranking *clone_ranking(struct clone *c);

/* status.c */
void clone_write_status(struct clone *c);

/* refresh.c: in-place states and lifecycle states of all pods; those that an update may be about to
 * take are left out at first, and looked at when it is known which it has taken. */
void clone_refresh(struct clone *c);
void clone_refresh_rest(struct clone *c);

/* scale.c */
void clone_scale(struct clone *c);
/* update.c */
void clone_update(struct clone *c);
/* explain.c: after all the others. */
void clone_explain(struct clone *c);

/* lifecycle.c: writes a lifecycle state, after the readiness that goes with it. object: the pod as
 * a call has just answered it, NULL when planning (it is taken from the store then). hook: labels
 * and finalizers to put on the pod, or NULL. exact: only if the pod is still at the view's version;
 * otherwise its uid is enough: the label is ours alone, a starting pod changes all the time, and
 * what we have written ourselves is seen before (the sync waits for intents and expected versions
 * first). */
void clone_enter_state(struct clone *c, const struct pod_view *pod, const val *object,
		       enum lifecycle_state to, const val *hook, bool exact);

/* ---- helpers ---- */

/* The write was refused for certain. */
void clone_drop_intent(struct clone *c, enum intent_kind kind, const char *name);
/* Nobody knows: the next sync asks the API server about it. */
void clone_doubt_intent(struct clone *c, enum intent_kind kind, const char *name);

/* A pod of the store, copied into the sync's arena; NULL when it is not there. Planning only. */
val *clone_pod_object(struct clone *c, const struct pod_view *pod);
/* An event about the CloneSet. */
void clone_event(struct clone *c, const char *type, const char *reason, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Remembers the version that a write of ours has made of a pod. */
void clone_wrote_pod(struct clone *c, const val *object);
/* Whether an answer leaves open if the request took effect. */
bool clone_uncertain(const struct k8s_response *r);

#endif
