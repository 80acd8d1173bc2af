/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_EXPLAIN_H
#define RULES_CLONESET_EXPLAIN_H

#include "ipc/base/buf.h"
#include "rules/cloneset_update.h"

/*
 * What the next step of a CloneSet is and what holds it (B2), told from the very plans that its
 * controller acts on: one verdict for the set, one for each pod. Texts are for people.
 */

/* Where the whole set stands. */
enum cloneset_stand {
	STAND_COMPLETE, /* nothing to do */
	STAND_GOING,	/* this sync acts */
	STAND_DELETING, /* the set is being deleted */
	STAND_GRACE,	/* pods are in their grace period; goes on by itself */
	STAND_SCALE_REFUSED,
	STAND_UPDATE_REFUSED,
	STAND_SCALE_LIMITED, /* scaleStrategy.maxUnavailable; the controller has an event of its own
			      */
	STAND_SCALE_DOWN_WAITING,
	STAND_HOOK, /* all that could go on is held by a lifecycle hook */
	STAND_PAUSED,
	STAND_ON_DELETE,
	STAND_PARTITION,
	STAND_WAITING,	   /* updates wait for pods that are not available */
	STAND_UNAVAILABLE, /* nothing is left to do but to wait for them */
	/* what only an onlooker can tell: */
	STAND_UNSEEN,	  /* the controller has not seen the newest spec yet */
	STAND_STALE,	  /* the store is behind: nothing new is started */
	STAND_NOT_LEADER, /* another replica acts */
	STAND_INVALID,	  /* the spec cannot be acted on */
	N_STANDS
};

/* "RolloutPaused": the event's reason. */
const char *cloneset_stand_name(enum cloneset_stand s);

/* The pods as the controller sees them, and its plans. The plans' texts are not used. */
struct cloneset_explain {
	const struct cloneset_spec *spec;
	const struct cloneset_state *st;
	const struct cloneset_counts *c;
	const struct cloneset_scale_plan *scale;
	const struct cloneset_update_plan *update; /* NULL: not made, since the sync scales first */
	struct str scale_error, update_error;	   /* the API server's last words; absent: none */
	int64_t scale_error_since, update_error_since; /* 0: unknown */
	bool deleting;
	/* The object of a pod of the state, or NULL. Asked for only where a hook may hold the pod,
	 * and for the few pods that a text names. */
	const val *(*object)(size_t pod, void *userdata);
	void *userdata;
};

struct cloneset_verdict {
	enum cloneset_stand stand;
	int64_t since; /* when it began, as far as the pods tell; 0: unknown */
};
struct cloneset_verdict cloneset_verdict(const struct cloneset_explain *x);

/* The verdict as one sentence, up to three pods named with what is wrong with them. */
void cloneset_verdict_text(struct buf *b, const struct cloneset_explain *x,
			   const struct cloneset_verdict *v);

/* What comes next for one pod, in the order in which it is told. */
enum cloneset_step {
	STEP_DELETE,
	STEP_DELETE_WAITS,
	STEP_DELETE_HOOK,
	STEP_CANCEL,
	STEP_UPDATE,
	STEP_UPDATE_HOOK,
	STEP_UPDATE_WAITS,
	STEP_UPDATE_REFUSED,
	STEP_PAUSED,
	STEP_ON_DELETE,
	STEP_GRACE,
	STEP_IN_PLACE,
	STEP_BROKEN,
	STEP_NOT_READY,
	STEP_LIFECYCLE,
	STEP_MIN_READY,
	STEP_UPDATE_LATER,
	STEP_PARTITION,
	STEP_DONE,
	N_STEPS
};
const char *cloneset_step_name(enum cloneset_step s); /* "update-waits" */
const char *cloneset_step_text(enum cloneset_step s); /* "waits to be updated: …" */

/* The step of each of the state's pods; in the arena. */
enum cloneset_step *cloneset_steps(arena *a, const struct cloneset_explain *x);

/* What else is to be said of one pod: since when it is not ready and why, which hook holds it, when
 * its wait ends. max: bytes of each message of others. May append nothing. */
void cloneset_pod_detail(struct buf *b, const struct cloneset_explain *x, enum cloneset_step step,
			 size_t pod, size_t max);

/* ---- events: at most one per change of where the set stands ---- */

/* Remembered between the syncs of one CloneSet; zeroed at first. */
struct cloneset_said {
	bool begun;
	uint32_t stands;   /* those that were said, as bits */
	uint32_t revision; /* hash of the update revision that they were said of */
};

/*
 * Whether the verdict is to be said now. What is an ordinary part of a roll-out must have lasted
 * for a while: then *again is set to the seconds after which to ask again (else it is left alone).
 *
 * seen: the status says that a sync before this one has seen the present spec. A process that has
 * just started then takes what has lasted long enough as said by its predecessor.
 */
bool cloneset_verdict_is_news(struct cloneset_said *said, const struct cloneset_explain *x,
			      const struct cloneset_verdict *v, bool seen, int64_t *again);
bool cloneset_stand_is_warning(enum cloneset_stand s);

#endif
