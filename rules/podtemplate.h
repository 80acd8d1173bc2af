/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_PODTEMPLATE_H
#define RULES_PODTEMPLATE_H

#include "ipc/base/err.h"
#include "kube/value.h"
#include "rules/fielderror.h"

/*
 * Pod templates (Kubernetes' PodTemplateSpec) of a workload: types, defaults, canonical form and
 * validation. All of it is driven by one table of the types, rules/podtemplate_schema.h. Fields
 * that the table does not know are kept untouched and unchecked.
 */

/*
 * Fills in what Kubernetes' API server fills in for a workload's template, in place; `template`
 * must be writable memory of arena `a` (val_copy). Returns 0, or -EINVAL with the field's path
 * under "spec.template" when a known field has the wrong type or is no number, quantity … (nothing
 * useful is done then).
 */
int podtemplate_default(arena *a, val *template, struct err *e);

/*
 * The template as Kubernetes' Go types encode it, apart from key order:
 * `metadata.creationTimestamp: null`, `resources` in every container, empty optional fields left
 * out, quantities in canonical form, unknown fields as they are. No defaults are added. *out shares
 * strings with `template`, and lives in `a`. Errors as above.
 */
int podtemplate_canonical(arena *a, const val *template, val *out, struct err *e);

/*
 * Adds what Kubernetes' validation would refuse in a defaulted template; docs/admission.md lists
 * what is checked. `path` is the template's place ("spec.template"). extra_volumes: names that
 * containers may mount besides the template's own volumes (a workload's volume claims), n of them.
 */
void podtemplate_validate(arena *a, const val *template, const struct fpath *path,
			  const struct str *extra_volumes, size_t n, struct field_errors *out);

/* The first two for one PersistentVolumeClaim of volumeClaimTemplates; `path` is its place. As
 * OpenKruise does it, the claim gets no volumeMode: the API server defaults that when the claim is
 * created. */
int claim_default(arena *a, val *claim, const struct fpath *path, struct err *e);
int claim_canonical(arena *a, const val *claim, const struct fpath *path, val *out, struct err *e);

#endif
