/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_INPLACE_H
#define RULES_INPLACE_H

#include "ipc/base/err.h"
#include "rules/pod.h"

/*
 * In-place update of pods: when a change of revision can be applied to a running pod, what is
 * written, and when it is complete. Used by every workload. Patches are for strategic merge
 * (application/strategic-merge-patch+json) and carry metadata.uid and, where said,
 * metadata.resourceVersion as precondition: the API server answers 409 when the pod has changed
 * meanwhile.
 */
#define ANNO_INPLACE_STATE "apps.kruise.io/inplace-update-state"
#define ANNO_INPLACE_STATE_OLD "inplace-update-state"
#define ANNO_INPLACE_GRACE "apps.kruise.io/inplace-update-grace"
#define ANNO_INPLACE_GRACE_OLD "inplace-update-grace"
/* Of a CloneSet's ControllerRevision: hash of its volumeClaimTemplates, "" for none. */
#define ANNO_CLAIMS_HASH "kruise.io/cloneset-volumeclaimtemplate-hash"
#define ENV_CONTAINER_BARRIER "KRUISE_CONTAINER_BARRIER"

struct inplace_image {
	struct str container, image;
};

/* The difference between two revisions (R1 to R5). Points into the two templates and the arena. */
struct inplace_spec {
	bool possible;
	char why_not[200]; /* a sentence that names the field, if not possible */
	struct inplace_image *images;
	size_t n_images;
	val metadata; /* patch of the pod's metadata (labels, annotations; removed keys are null);
			 an empty map when nothing changes */
	val refs;     /* new values of labels and annotations that containers read through env, by
			 container: {"main":{"labels":{…},"annotations":{…}}}; these are not in
			 metadata */
};

/* Feature gates. */
struct inplace_options {
	bool env_from_metadata; /* R5: a container that reads a changed label is restarted */
	bool compare_claims;	/* R3: other volumeClaimTemplates are not possible in place */
};

/* old and new: ControllerRevisions; NULL for an unknown one: not possible (R2). */
void inplace_spec_from(arena *a, const val *old_revision, const val *new_revision,
		       const struct inplace_options *o, struct inplace_spec *out);

/* Whether the update of this pod from one revision to the next will restart a container of it, with
 * what an earlier update has left undone. If not, InPlaceUpdateReady need not be touched. */
bool inplace_restarts(const val *pod, const struct inplace_spec *spec);

/* R6: whether the pod's conditions must be set not ready first: it has the readiness gate and the
 * condition is not False with this reason already. */
bool inplace_needs_not_ready(const val *pod);
/* R6: patch of the pod's status sub-resource. With resourceVersion. */
val inplace_not_ready_patch(arena *a, const val *pod, int64_t now);

struct inplace_update {
	const val *pod; /* as fresh as possible; its uid and resourceVersion become preconditions */
	const struct inplace_spec *spec;
	struct str revision;   /* full name of the target */
	bool short_hash;       /* gate CloneSetShortHash: the label holds the hash alone */
	bool template_hash;    /* CloneSet: write label pod-template-hash too */
	bool set_lifecycle;    /* write lifecycle state Updating */
	int32_t grace_seconds; /* between not ready and the change, if a container restarts */
	int64_t now;
};
/*
 * R7 to R11: the one patch that starts the update. What an earlier, unfinished update of this pod
 * left to do (a grace period's change, next batches, containers not yet replaced) is carried over.
 * -EINVAL when the pod lacks a container whose image should change.
 */
int inplace_update_patch(arena *a, const struct inplace_update *u, val *patch, struct err *e);

/* Section 4. why (may be NULL; cap bytes): what is waited for, a sentence; "" when complete.
 * *grace_end (may be NULL): see pod_view. */
enum inplace_verdict inplace_check(const val *pod, int64_t *grace_end, char *why, size_t cap);

/* R12: the patch that writes the next batch, for INPLACE_NEXT_BATCH. With resourceVersion. */
int inplace_next_batch_patch(arena *a, const val *pod, int64_t now, val *patch, struct err *e);

/* R9: the patch that ends the grace period and writes what waited for it. With resourceVersion. */
int inplace_grace_end_patch(arena *a, const val *pod, int64_t now, val *patch, struct err *e);
/* R9: the patch that forgets what waited: the pod is at another revision by now. */
val inplace_grace_drop_patch(arena *a, const val *pod);

/* What U1 must do for a pod, by its view alone. */
enum inplace_refresh {
	INPLACE_KEEP,
	INPLACE_SET_READY,  /* write inplace_ready_patch: an update is complete, or the condition is
			       missing */
	INPLACE_WRITE_NEXT, /* write inplace_next_batch_patch */
	INPLACE_END_GRACE,  /* write inplace_grace_end_patch */
	INPLACE_DROP_GRACE, /* write inplace_grace_drop_patch */
	INPLACE_REPORT,	    /* an annotation is broken: event, leave it (F5) */
};
enum inplace_refresh inplace_refresh(const struct pod_view *v, int64_t now);
/* Seconds until the pod's grace period ends, 0 when it is in none or it has ended. */
int64_t inplace_grace_left(const struct pod_view *v, int64_t now);
/* R17: condition InPlaceUpdateReady True, no reason; of the status sub-resource, against the very
 * version of the view's pod. */
val inplace_ready_patch(arena *a, struct str uid, struct str resource_version, int64_t now);

#endif
