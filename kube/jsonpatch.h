/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_JSONPATCH_H
#define KUBE_JSONPATCH_H

#include "ipc/base/err.h"
#include "kube/value.h"

/* Not more operations than this in a patch that comes from outside. */
#define JSONPATCH_MAX_OPS 10000

/*
 * RFC 6902. The operations that turn `from` into `to`, an array of {op, path, value}; empty when
 * they are equal. Maps are compared key by key, arrays element by element by index; what an array
 * has more or less is added or removed at its end. Made of add, replace and remove only. The result
 * points into `to` and the arena.
 */
val jsonpatch_diff(arena *a, const val *from, const val *to);

/*
 * Applies a patch with any of the six operations to a copy of doc. Types, bounds and paths are
 * checked: -EINVAL for a malformed patch or a path that does not exist, -EBADMSG for a test that
 * failed. *out is written on success only; it shares no memory with doc and patch.
 */
int jsonpatch_apply(arena *a, const val *doc, const val *patch, val *out, struct err *e);

#endif
