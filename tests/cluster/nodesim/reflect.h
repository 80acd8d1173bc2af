/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NODESIM_REFLECT_H
#define NODESIM_REFLECT_H

#include "kube/rest.h"

/*
 * Lists a resource and then watches it for ever: a broken watch continues where it was, an expired
 * one (410) lists anew. Callbacks run from the loop.
 */
struct reflect_ops {
	void (*list_begin)(void *userdata);
	/* An object of a list (text NULL), or an added or changed one: text is its watch event. */
	void (*object)(const val *object, const char *text, size_t n, void *userdata);
	void (*deleted)(const val *object, void *userdata);
	void (*list_end)(void *userdata); /* what the list did not show is gone */
};

struct reflector;

/* query: selectors, "fieldSelector=…", or NULL. ops must outlive the reflector. */
struct reflector *reflector_new(struct k8s_client *c, sd_event *loop, const struct k8s_resource *r,
				const char *query, const struct reflect_ops *ops, void *userdata);
void reflector_free(struct reflector *r);

#endif
