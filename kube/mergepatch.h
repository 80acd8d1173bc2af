/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_MERGEPATCH_H
#define KUBE_MERGEPATCH_H

#include "kube/value.h"

/* RFC 7386. The document after the patch; points into doc, patch and the arena, neither of which is
 * changed. doc may be NULL (absent). */
val mergepatch_apply(arena *a, const val *doc, const val *patch);

/*
 * The merge patch that turns `from` into `to`; an empty map when they are equal. Arrays are
 * replaced as a whole. A null inside `to` cannot be expressed by a merge patch: that key counts as
 * absent. When one of them is no map, the patch is `to` itself. Points into `to` and the arena.
 */
val mergepatch_create(arena *a, const val *from, const val *to);

#endif
