/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCHER_CHANGE_H
#define WATCHER_CHANGE_H

#include "ipc/delta.h"

#include <stddef.h>
#include <stdint.h>

/*
 * What changed between two objects as the store packs them. Values are compared by their bytes: the
 * API server prints fields in the same order every time, and a false "changed" costs one look too
 * many.
 */

/* Mask of enum delta_change. metadata.resourceVersion, managedFields, apiVersion and kind do not
 * count; when nothing else differs, DELTA_OTHER alone. */
uint32_t change_mask(const void *old, size_t old_len, const void *now, size_t now_len);

/* What a delta says of one object. Strings point into it. */
struct change_view {
	bool terminating;
	struct delta_owner owner; /* the controller; absent when there is none */
};
void change_view(const void *object, size_t len, struct change_view *out);

#endif
