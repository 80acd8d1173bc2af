/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODESIM_CONFIGS_H
#define NODESIM_CONFIGS_H

#include "kube/rest.h"

/* The keys of all ConfigMaps, which containers may wait for. */
struct sim_configs;

/* changed: a key may have come. */
struct sim_configs *sim_configs_new(struct k8s_client *c, sd_event *loop,
				    void (*changed)(void *userdata), void *userdata);
void sim_configs_free(struct sim_configs *s);
bool sim_configs_has(const struct sim_configs *s, struct str ns, struct str name, struct str key);

#endif
