/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_INPLACE_ENV_H
#define RULES_INPLACE_ENV_H

#include "kube/value.h"

/*
 * Labels and annotations that a container reads through env: it sees a new value only after a
 * restart, which the node agent does when it finds the container's env outdated.
 */

/* Written by the node agent: what each container really runs with. */
#define ANNO_RUNTIME_CONTAINERS "apps.kruise.io/runtime-containers-meta"

/* Whether an env entry of the container reads this label (or annotation) of its pod. kind: "labels"
 * or "annotations". */
bool inplace_env_reads(const val *container, const char *kind, struct str key);

/* The hash of the values that the container should have by the pod's labels and annotations. */
uint32_t inplace_env_hash(const val *container, const val *pod);

/* R14: every container of the pod runs with the values that it should have, as the node agent says.
 * why (may be NULL; cap bytes) says what is missing. */
bool inplace_env_seen(const val *pod, char *why, size_t cap);

#endif
