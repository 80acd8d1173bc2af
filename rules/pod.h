/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_POD_H
#define RULES_POD_H

#include "kube/value.h"
#include "rules/lifecycle.h"

#define LABEL_INSTANCE_ID "apps.kruise.io/cloneset-instance-id"
#define LABEL_SPECIFIED_DELETE "apps.kruise.io/specified-delete"
#define LABEL_REVISION_HASH "controller-revision-hash"
#define LABEL_TEMPLATE_HASH "pod-template-hash"
#define ANNO_DELETION_COST "controller.kubernetes.io/pod-deletion-cost"
#define GATE_INPLACE_READY "InPlaceUpdateReady"
#define GATE_POD_READY "KruisePodReady"

enum pod_phase {	      /* ordered as deletion and update order want it */
		 POD_PENDING, /* also: none, Succeeded, Failed */
		 POD_UNKNOWN,
		 POD_RUNNING,
};

enum pod_condition {
	COND_ABSENT,
	COND_FALSE,
	COND_UNKNOWN, /* also any other text */
	COND_TRUE,
};

/* Where an in-place update of the pod stands (rules/inplace.h judges). */
enum inplace_verdict {
	INPLACE_NONE,	     /* no state annotation */
	INPLACE_COMPLETE,    /* the recorded update is done */
	INPLACE_WAITING,     /* containers of the present batch have not been replaced */
	INPLACE_NEXT_BATCH,  /* the present batch is done and ready, the next must be written */
	INPLACE_GRACE,	     /* in its grace period, see grace_end */
	INPLACE_GRACE_STALE, /* the grace period was for another revision than the pod's */
	INPLACE_BROKEN,	     /* an annotation is not valid: say so, leave the pod alone */
};

/*
 * All that the workload rules need to know of one pod, so that a pod that has not changed is never
 * looked into again. Strings live in one allocation of the view's own; absent ones are "". About
 * 300 bytes with its strings. Times are seconds since 1970, 0 when there is none.
 */
struct pod_view {
	char *mem; /* what the strings below point into */
	const char *name, *uid, *rv, *node;
	const char *revision;	 /* label controller-revision-hash: full name or short hash */
	const char *instance_id; /* label */
	int64_t created;
	int64_t ready_since; /* lastTransitionTime of condition Ready, whatever its status */
	int64_t grace_end;   /* with INPLACE_GRACE: when the grace period ends */
	int32_t deletion_cost;
	int32_t restarts; /* the highest restartCount of its containers */
	enum pod_phase phase : 4;
	enum lifecycle_state lifecycle : 4;
	enum inplace_verdict inplace : 4;
	enum pod_condition cond_ready : 3;
	enum pod_condition cond_inplace : 3;
	enum pod_condition cond_pod_ready : 3; /* KruisePodReady */
	bool active : 1;		       /* neither finished nor terminating */
	bool terminating : 1;		       /* has a deletionTimestamp */
	bool finished : 1;		       /* Succeeded or Failed */
	bool scheduled : 1;		       /* PodScheduled is True, or it has a node */
	bool gate_inplace : 1;		       /* has readiness gate InPlaceUpdateReady */
	bool gate_pod_ready : 1;	       /* has readiness gate KruisePodReady */
	bool has_template_hash : 1;	       /* label pod-template-hash, not empty */
	bool specified_delete : 1;	       /* label, whatever its value */
	bool has_inplace_state : 1;	       /* the annotation exists */
	bool has_grace : 1;		       /* the grace annotation exists */
	bool matches : 1; /* its owner's selector; set by who made the view, not by pod_view_from */
};

/* Fills *out from a pod object of any shape (nothing is trusted). Never fails; free it with
 * pod_view_free. */
void pod_view_from(const val *pod, struct pod_view *out);
void pod_view_free(struct pod_view *v); /* leaves it zeroed */

/* Running, condition Ready True, and InPlaceUpdateReady, if present, True. */
bool pod_is_ready(const struct pod_view *v);
/* Ready for at least min_ready seconds. */
bool pod_is_available(const struct pod_view *v, int32_t min_ready, int64_t now);
/* Available, and lifecycle state none or Normal: what CloneSet counts. */
bool cloneset_pod_available(const struct pod_view *v, int32_t min_ready, int64_t now);
/* Seconds until a ready pod has been ready for min_ready seconds; 0 when it is available, or not
 * ready. */
int64_t pod_available_in(const struct pod_view *v, int32_t min_ready, int64_t now);

/* The value of annotation pod-deletion-cost: a decimal int32 without leading plus or zero;
 * otherwise 0. */
int32_t pod_deletion_cost(struct str annotation);

/*
 * What ordering pods needs. ranks may be NULL; pod i's rank is ranks[i]. Orders are total: ties are
 * broken by name.
 */
struct pod_order {
	const struct pod_view *const *pods;
	const double *ranks;
	int32_t min_ready;
	int64_t now;
};
enum pod_order_kind {
	POD_ORDER_DELETE, /* rule P4: first deleted first */
	POD_ORDER_UPDATE, /* rule U4, first part: least ready first; no cost, no ranks */
};
/* Sorts n indexes into o->pods. */
void pod_sort(const struct pod_order *o, enum pod_order_kind kind, uint32_t *idx, size_t n);

/* Same-node ranks (rule P5) of the n pods at idx; ranks has room for all pods of o and is set to 0
 * first for those n. o->ranks is ignored. */
void pod_rank_same_node(const struct pod_order *o, const uint32_t *idx, size_t n, double *ranks);

/* One topologySpreadConstraint, resolved: domain[i] is the value of the key on pod i's node, "" for
 * an unknown node or one without the key (those pods get nothing). */
struct pod_spread {
	bool hostname; /* the key is kubernetes.io/hostname */
	const char *const *domain;
};
/* Topology-spread ranks (rule P5); otherwise as pod_rank_same_node. */
void pod_rank_spread(const struct pod_order *o, const uint32_t *idx, size_t n,
		     const struct pod_spread *constraints, size_t n_constraints, double *ranks);

#endif
