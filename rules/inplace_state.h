/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_INPLACE_STATE_H
#define RULES_INPLACE_STATE_H

#include "ipc/base/err.h"
#include "rules/inplace.h"

/*
 * The state annotation of an in-place update, as a map; for the inplace_*.c files alone. Fields
 * that this version does not know are kept.
 */

enum inplace_state_found { INPLACE_STATE_ABSENT, INPLACE_STATE_OK, INPLACE_STATE_BROKEN };

/* Reads the annotation under its present or its older key. *out is a map, checked to have the right
 * types in all known fields, only with INPLACE_STATE_OK. */
enum inplace_state_found inplace_state_read(arena *a, const val *pod, val *out);

/* Puts the state into a pod patch's annotations, in the order of keys in which Go writes them;
 * removes the older key if the pod has it. */
void inplace_state_write(arena *a, const val *pod, const val *state, val *patch);

/* Whether something waits for the present batch. */
bool inplace_state_has_next(const val *state);

/* Whether a container has been replaced since `recorded` (an imageID) was what it ran (R16). why as
 * for inplace_check. */
bool inplace_container_done(const val *pod, struct str container, struct str recorded, char *why,
			    size_t cap);

/* What containers are still to get, as maps by container: the name of an image; the labels and
 * annotations that the container reads ({"labels": …, "annotations": …}). */
struct inplace_pending {
	val images, refs;
};
bool inplace_pending_any(const struct inplace_pending *p);

/*
 * Starts a batch: of `pending`, the containers whose turn it is get theirs in `patch`; state gets
 * the rest as next batch, what they run now, and a record with the time. (R10, R11)
 */
void inplace_batch_start(arena *a, const val *pod, const struct inplace_pending *pending,
			 int64_t now, val *state, val *patch);

/* What a pod is to get in all: the change between two revisions, and what an earlier update of the
 * pod has left undone. */
struct inplace_change {
	struct inplace_pending pending;
	val metadata;	/* patch of the pod's metadata */
	val unreplaced; /* entries of lastContainerStatuses whose containers still run the old image
			 */
	bool env;	/* a restart for new labels or annotations is needed, or under way */
};
void inplace_change_of(arena *a, const val *pod, const struct inplace_spec *spec,
		       struct inplace_change *out);

/* What waits for the end of a grace period (R9), as the annotation holds it. */
struct inplace_grace {
	struct str revision;
	struct inplace_pending pending;
	val metadata; /* patch of the pod's metadata */
	int64_t seconds;
	bool env;
};
/* Strings point into the pod or the arena. */
enum inplace_state_found inplace_grace_read(arena *a, const val *pod, struct inplace_grace *out);
void inplace_grace_write(arena *a, const struct inplace_grace *g, val *patch);
/* Takes the annotation off, under its present and its older key. */
void inplace_grace_remove(arena *a, const val *pod, val *patch);

/* Merges a patch of metadata into patch.metadata. */
void inplace_put_metadata(arena *a, const val *metadata, val *patch);

/* metadata.uid and resourceVersion of the pod, as precondition of a patch. */
void inplace_precondition(arena *a, const val *pod, val *patch);

#endif
