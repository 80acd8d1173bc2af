/* SPDX-License-Identifier: Apache-2.0 */
#include "webhookd/handlers.h"

#include <string.h>

static const struct {
	const char *resource;
	admission_fn mutate, validate;
} handlers[] = {
    {"clonesets", cloneset_mutate, cloneset_admit},
    {"pods", pod_mutate, NULL},
};

admission_fn handler_find(const struct webhook_path *path)
{
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		if (strcmp(handlers[i].resource, path->resource) == 0)
			return path->kind == WEBHOOK_MUTATE ? handlers[i].mutate
							    : handlers[i].validate;
	}
	return NULL;
}
