/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_DEFAULT_H
#define RULES_CLONESET_DEFAULT_H

#include "ipc/base/err.h"
#include "kube/value.h"

/*
 * Admission defaults for a CloneSet of either version, in place: its own fields, the pod
 * template and the volume claims get their defaults, and spec gets the form that OpenKruise's typed
 * encoding gives it (empty optional fields left out, quantities canonical); unknown fields stay.
 * metadata and status are not touched.
 *
 * cloneset: writable memory of `a` (val_copy). old: the object before an update, NULL on creation;
 * template and claim defaults are then applied only if the template changed. template_no_defaults:
 * the gate TemplateNoDefaults.
 *
 * Returns 0, or -EINVAL naming the field when a known field has the wrong type.
 */
int cloneset_default(arena *a, val *cloneset, const val *old, bool template_no_defaults,
		     struct err *e);

#endif
