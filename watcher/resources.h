/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCHER_RESOURCES_H
#define WATCHER_RESOURCES_H

#include "kube/resource.h"

#include <stdbool.h>
#include <stddef.h>

/* What is watched. A new resource is one line here. */
struct watched {
	const struct k8s_resource *resource;
	const struct k8s_resource *older; /* asked for where resource is not served; or NULL */
	bool
	    required; /* the watcher is not ready before it is synced; unless the server lacks it */
	bool own_secret; /* only the webhook certificates' Secret in the process's own namespace */
};

extern const struct watched watched_resources[];
extern const size_t n_watched_resources;

#endif
