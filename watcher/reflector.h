/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WATCHER_REFLECTOR_H
#define WATCHER_REFLECTOR_H

#include "ipc/metrics.h"
#include "kube/rest.h"
#include "watcher/writer.h"

#include <systemd/sd-event.h>

/*
 * Keeps one resource of the store equal to the API server's: a paged list, then a watch from the
 * list's resourceVersion, for ever. A watch that ends is resumed where it ended; a resourceVersion
 * that the server has forgotten (410) means a new list, of which only the differences reach the
 * store. A reflector that finds a complete store watches from there, without a list.
 */
struct reflector;

struct reflector_options {
	const struct k8s_resource *resource;
	const struct k8s_resource
	    *older;		    /* another version, for when that is not served; or NULL */
	const char *ns;		    /* NULL: all */
	const char *field_selector; /* percent-encoded, or NULL */
	bool resume; /* the stored resourceVersion is of the same server and selection */
	uint64_t epoch;
	void (*changed)(void *userdata); /* state changed; may be NULL */
	void *userdata;
};

enum reflector_health {
	REFLECTOR_SYNCING,
	REFLECTOR_SYNCED,
	REFLECTOR_NOT_SERVED, /* 404, in either version: asked again every two seconds */
	REFLECTOR_FORBIDDEN,  /* 403 */
};

/* Reflectors do not outlive client, writer, store and metrics. Work starts with the loop. */
int reflector_new(struct reflector **out, sd_event *loop, struct k8s_client *client,
		  struct writer *writer, struct store *store, struct metrics *m,
		  const struct reflector_options *options, struct err *e);
void reflector_free(struct reflector *r);

enum reflector_health reflector_health(const struct reflector *r);
bool reflector_connected(const struct reflector *r); /* a watch is open */
const struct feed *reflector_feed(const struct reflector *r);
/* Once a second: writes the sign of life, and restarts a watch that has been silent for too long.
 */
void reflector_tick(struct reflector *r, uint64_t now_usec);

#endif
