/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_OWNERREF_H
#define KUBE_OWNERREF_H

#include "kube/resource.h"
#include "kube/value.h"

/* The entry of metadata.ownerReferences with controller: true, or NULL. */
const val *ownerref_controller(const val *object);

/* Its uid; absent when the object has no controller. */
struct str ownerref_controller_uid(const val *object);

/* Whether the object's controller is the object with this uid. An absent or empty uid owns nothing.
 */
bool ownerref_is_controlled_by(const val *object, struct str uid);

/* Whether a controller reference names this kind: group (any version) and kind are compared. */
bool ownerref_is_kind(const val *ref, const struct k8s_resource *r);

/* A reference to owner with controller: true and the given blockOwnerDeletion. Everything is copied
 * into the arena. */
val ownerref_make(arena *a, const struct k8s_resource *r, const val *owner, bool block_deletion);

/* Changes object (owned by the arena): adds the reference, or replaces that with the same uid.
 * -EEXIST when another object controls it already. */
int ownerref_set_controller(arena *a, val *object, val ref);

/* Strategic merge patches of the object with this uid (a precondition): without its reference to
 * the owner, and with one more. The API server refuses a second controller (422). */
val ownerref_release_patch(arena *a, struct str uid, struct str owner_uid);
val ownerref_adopt_patch(arena *a, struct str uid, val ref);

/* Removes the references with this uid; the empty list goes too. True when there was one. */
bool ownerref_remove(val *object, struct str uid);

#endif
