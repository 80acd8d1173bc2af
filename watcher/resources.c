/* SPDX-License-Identifier: Apache-2.0 */
#include "watcher/resources.h"

const struct watched watched_resources[] = {
    {.resource = &K8S_PODS, .required = true},
    {.resource = &K8S_CONTROLLERREVISIONS, .required = true},
    {.resource = &K8S_CLONESETS, .older = &K8S_CLONESETS_V1ALPHA1, .required = true},
    {.resource = &K8S_PVCS, .required = true},
    {.resource = &K8S_NODES, .required = true},
    {.resource = &K8S_MUTATING_WEBHOOKS},
    {.resource = &K8S_VALIDATING_WEBHOOKS},
    {.resource = &K8S_CRDS},
    {.resource = &K8S_SECRETS, .own_secret = true},
};

const size_t n_watched_resources = sizeof(watched_resources) / sizeof(watched_resources[0]);
