/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_RESOURCE_H
#define KUBE_RESOURCE_H

#include "ipc/base/buf.h"

#include <stdbool.h>

/* A kind of object as the API server serves it. All strings are literals; group "" is the core
 * group. */
struct k8s_resource {
	const char *group;
	const char *version;
	const char *plural;
	const char *kind;
	bool namespaced;
};

extern const struct k8s_resource K8S_PODS, K8S_NODES, K8S_EVENTS, K8S_SECRETS, K8S_CONFIGMAPS,
    K8S_NAMESPACES, K8S_PVCS, K8S_SERVICES, K8S_CONTROLLERREVISIONS, K8S_LEASES, K8S_CRDS,
    K8S_MUTATING_WEBHOOKS, K8S_VALIDATING_WEBHOOKS, K8S_CLONESETS, K8S_IMAGEPULLJOBS;
/* As OpenKruise before 1.9 stored it. Owner references name this version: every OpenKruise reads
 * it, and the garbage collector finds it wherever a CloneSet is served. */
extern const struct k8s_resource K8S_CLONESETS_V1ALPHA1;

/* Appends the resource's URL path, "/api/v1/namespaces/NS/pods/NAME/SUB". ns NULL: all namespaces
 * (or cluster scope); name and sub may be NULL. Segments are percent-encoded. */
void k8s_path(struct buf *b, const struct k8s_resource *r, const char *ns, const char *name,
	      const char *sub);

/* "apps/v1", or "v1" for the core group; appended. */
void k8s_api_version(struct buf *b, const struct k8s_resource *r);

/* "pods", "apps.kruise.io/clonesets": the key prefix in the store and the topic of deltas. The text
 * is static: one of a table built from the constants above; the version is not part of it. */
const char *k8s_resource_key(const struct k8s_resource *r);

#endif
