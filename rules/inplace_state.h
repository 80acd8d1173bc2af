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

/*
 * Starts a batch: of the map `pending` (container: image), the containers whose turn it is get
 * their image in `patch`; state gets the rest as next batch, what they run now, and a record with
 * the time. (R10, R11)
 */
int inplace_batch_start(arena *a, const val *pod, const val *pending, int64_t now, val *state,
			val *patch, struct err *e);

/* metadata.uid and resourceVersion of the pod, as precondition of a patch. */
void inplace_precondition(arena *a, const val *pod, val *patch);

#endif
