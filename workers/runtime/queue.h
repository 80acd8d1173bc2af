/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_RUNTIME_QUEUE_H
#define WORKERS_RUNTIME_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

/*
 * The work queue of a controller: keys ("namespace/name"), each at most once waiting and at most
 * once being worked on. A key added while it is worked on comes again afterwards. A burst of
 * additions is one run: after a run starts, the next of the same key starts no earlier than its
 * interval later.
 */
struct queue;

struct queue_options {
	/* how long a key that was due has waited for a free worker; may be NULL */
	void (*waited)(uint64_t usec, void *userdata);
	int workers;		    /* keys worked on at the same time */
	uint64_t base_delay_usec;   /* first back-off of a failing key, doubling… */
	uint64_t max_delay_usec;    /* …up to this */
	uint64_t min_interval_usec; /* between two starts of one key */
};

/* Work on key. The queue counts it as under way until queue_done(). */
typedef void (*queue_fn)(const char *key, void *userdata);

struct queue *queue_new(sd_event *loop, const struct queue_options *options, queue_fn fn,
			void *userdata);
void queue_free(struct queue *q);

void queue_add(struct queue *q, const char *key);
void queue_add_after(struct queue *q, const char *key, uint64_t usec);
/* After a failure: the key's own exponential back-off. */
void queue_retry(struct queue *q, const char *key);
/* The key's work succeeded: its back-off starts anew. */
void queue_forget(struct queue *q, const char *key);
void queue_done(struct queue *q, const char *key);
/* Longer pauses for keys whose work is dear. Never below the option. */
void queue_set_interval(struct queue *q, const char *key, uint64_t usec);
/* The key is not expected again, as when its object is gone: everything known of it is dropped,
 * now or when its work is done, unless it has been added again. */
void queue_drop(struct queue *q, const char *key);

struct queue_stats {
	uint64_t adds, retries;
	size_t depth;  /* waiting and due */
	size_t active; /* being worked on */
};
void queue_stats(const struct queue *q, struct queue_stats *out);

#endif
