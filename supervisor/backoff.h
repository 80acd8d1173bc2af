/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_BACKOFF_H
#define SUPERVISOR_BACKOFF_H

#include <stdint.h>

/*
 * How long a child that died waits for its restart: not at all the first time, then 100 ms,
 * doubling up to 30 s; all is forgotten once a child has lived for 60 s. Pure: the caller passes
 * the times. Zero-initialise it.
 */
#define BACKOFF_FIRST_USEC 100000u
#define BACKOFF_MAX_USEC 30000000u
#define BACKOFF_FORGET_USEC 60000000u

struct backoff {
	unsigned failures; /* deaths in a row */
};

/* The delay in µs for a child that lived for this long. */
uint64_t backoff_next(struct backoff *b, uint64_t lived_usec);
void backoff_reset(struct backoff *b);

#endif
