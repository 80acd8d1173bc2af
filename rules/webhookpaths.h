/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_WEBHOOKPATHS_H
#define RULES_WEBHOOKPATHS_H

#include "kube/value.h"
#include "rules/gates.h"

#include <stddef.h>

/*
 * The admission paths that webhookd serves. Resources of OpenKruise have two: with the API version,
 * as OpenKruise 1.1 named them, and without. webhookd's handlers and the webhook configurations
 * both follow this table: a webhook whose path is not in it, or whose gate is off, does not stay in
 * a configuration.
 */
enum webhook_kind { WEBHOOK_MUTATE, WEBHOOK_VALIDATE };

struct webhook_path {
	const char *path;
	enum webhook_kind kind;
	const char *resource; /* "clonesets": what the handler is chosen by */
	enum gate gate;	      /* GATE_COUNT: always */
};
extern const struct webhook_path webhook_paths[];
extern const size_t n_webhook_paths;

/* NULL when it is not served. */
const struct webhook_path *webhook_path_find(struct str path);

/* Whether the path belongs in a configuration. */
bool webhook_path_on(const struct webhook_path *path, const struct gates *gates);

#endif
