/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_EVENTS_INT_H
#define KUBE_EVENTS_INT_H

#include "kube/events.h"

#include <sys/queue.h>

/*
 * Decides what becomes of an event: it knows what was recorded lately, in bounded memory (the least
 * recently used is forgotten). No I/O and no clock of its own.
 */
struct correlator;

#define CORRELATOR_MAX_ENTRIES 4096
#define CORRELATOR_SIMILAR 10	      /* more different messages than this are combined … */
#define CORRELATOR_WINDOW_SECONDS 600 /* … when they come within this time */
#define CORRELATOR_BURST 25
#define CORRELATOR_REFILL_SECONDS 300

enum verdict {
	EVENT_NEW,	  /* create it, and tell correlator_created() */
	EVENT_AGAIN,	  /* count up the event `name` */
	EVENT_SUPPRESSED, /* the object has had too many */
};

struct correlation {
	char *key;     /* owned */
	char *name;    /* owned; of the event to count up */
	char *message; /* owned; the combined one where it applies */
	int64_t count;
	int64_t first, last; /* seconds */
	bool combined;
};

struct correlator *correlator_new(void);
void correlator_free(struct correlator *c);
enum verdict correlate(struct correlator *c, const struct k8s_object_ref *ref, const char *type,
		       const char *reason, const char *message, int64_t now,
		       struct correlation *out);
void correlation_clear(struct correlation *c);
void correlator_created(struct correlator *c, const char *key, const char *name);
/* The event was not created after all. Nothing happens when it has another name by now. */
void correlator_forget(struct correlator *c, const char *key, const char *name);
size_t correlator_size(const struct correlator *c); /* entries */

#endif
