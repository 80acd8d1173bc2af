/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_CONVERT_H
#define RULES_CLONESET_CONVERT_H

#include "ipc/base/err.h"
#include "kube/value.h"

/*
 * The two versions of a CloneSet's API. They differ in two places of spec: v1beta1 has what steers
 * a roll-out one level deeper, in updateStrategy.rollingUpdate, with v1alpha1's updateStrategy.type
 * as podUpdatePolicy; and scaleStrategy.disablePVCReuse of v1alpha1 is enablePVCReuse there, false
 * when absent either way.
 */
#define CLONESET_V1ALPHA1 "apps.kruise.io/v1alpha1"
#define CLONESET_V1BETA1 "apps.kruise.io/v1beta1"

/* What an object of one version said that the other version cannot say, as JSON. It is in converted
 * objects only, and gone when they are converted back. */
#define ANNO_CLONESET_CONVERSION "apps.kruise.io/cloneset-conversion-data"
/* The old way of scaleStrategy.excludePreparingDelete, by the value "true". */
#define LABEL_EXCLUDE_PREPARING_DELETE "apps.kruise.io/cloneset-scaling-exclude-preparing-delete"

/* By apiVersion; an object without one is told by its fields. */
bool cloneset_is_v1beta1(const val *cloneset);

/* The map in which partition, maxUnavailable, maxSurge, paused, priorityStrategy, scatterStrategy
 * and inPlaceUpdateStrategy are; NULL or no map when there is none. */
const val *cloneset_rolling(const val *cloneset);
/* ReCreate, InPlaceIfPossible, InPlaceOnly; absent when not set (ReCreate). */
struct str cloneset_pod_policy(const val *cloneset);
bool cloneset_on_delete(const val *cloneset);
/* Whether claims of a deleted pod stay for a new one. */
bool cloneset_reuses_claims(const val *cloneset);
bool cloneset_excludes_preparing_delete(const val *cloneset);

/*
 * The object in the other form; *out shares with it what is not changed. Nothing is lost: fields
 * that neither version knows go along, and what the new version has no place for is kept in an
 * annotation (a change that is made meanwhile wins over it). Besides that annotation, metadata and
 * status are not touched.
 *
 * api_version: one of the two above. -EINVAL naming the field when the object has a wrong form.
 */
int cloneset_convert(arena *a, const val *cloneset, const char *api_version, val *out,
		     struct err *e);

#endif
