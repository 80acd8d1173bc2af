/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/webhookpaths.h"

#define ALWAYS GATE_COUNT

const struct webhook_path webhook_paths[] = {
    {"/mutate-apps-kruise-io-cloneset", WEBHOOK_MUTATE, "clonesets", ALWAYS},
    {"/mutate-apps-kruise-io-v1alpha1-cloneset", WEBHOOK_MUTATE, "clonesets", ALWAYS},
    {"/mutate-pod", WEBHOOK_MUTATE, "pods", GATE_POD_WEBHOOK},
    {"/validate-apps-kruise-io-cloneset", WEBHOOK_VALIDATE, "clonesets", ALWAYS},
    {"/validate-apps-kruise-io-v1alpha1-cloneset", WEBHOOK_VALIDATE, "clonesets", ALWAYS},
};
const size_t n_webhook_paths = sizeof(webhook_paths) / sizeof(webhook_paths[0]);

const struct webhook_path *webhook_path_find(struct str path)
{
	for (size_t i = 0; i < n_webhook_paths; i++) {
		if (str_is(path, webhook_paths[i].path))
			return &webhook_paths[i];
	}
	return NULL;
}

bool webhook_path_on(const struct webhook_path *path, const struct gates *gates)
{
	return path->gate == ALWAYS || gate_on(gates, path->gate);
}
