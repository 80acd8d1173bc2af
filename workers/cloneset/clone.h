/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_CLONESET_CLONE_H
#define WORKERS_CLONESET_CLONE_H

#include "rules/cloneset_convert.h"
#include "rules/cloneset_explain.h"
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
	int64_t now; /* seconds */

	const val **revisions; /* of the CloneSet, sorted */
	size_t n_revisions;
	const val *update, *current; /* of these */
	char *update_name, *current_name;
	int32_t collision_count;

	struct owned_pods pods;	     /* all of them */
	struct cloneset_state state; /* the active ones */
	struct cloneset_counts counts;
	struct cloneset_scale_plan scale_plan;
	struct cloneset_update_plan update_plan;
	bool update_planned;
	const char *last_update_error; /* of the sync before, NULL when this one tries nothing */
	bool changed;		       /* something was written that the update must wait for */
};

/* The steps of a sync, in order; each file is one. Those that return bool say whether to go on. */

/* revisions.c: finds or makes updateRevision and currentRevision. False: a write is under way. */
bool clone_revisions(struct clone *c);
/* Deletes what the history limit no longer allows. */
void clone_trim_revisions(struct clone *c);
/* The revision that a pod is at, or NULL. */
const val *clone_revision_of(const struct clone *c, const struct pod_view *pod);

/* intents.c: crosses out what the store shows by now. False: something is still open, wait. */
bool clone_intents(struct clone *c);

/* status.c */
void clone_write_status(struct clone *c);

/* refresh.c: in-place states and lifecycle states of all pods. */
void clone_refresh(struct clone *c);

/* scale.c */
void clone_scale(struct clone *c);
/* update.c */
void clone_update(struct clone *c);
/* explain.c: after all the others. */
void clone_explain(struct clone *c);

/* ---- helpers ---- */

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
