/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_PACELOOP_H
#define IPC_PACELOOP_H

#include <stdint.h>
#include <systemd/sd-event.h>

/*
 * An event loop that wakes up less often the busier it is. What comes alone is handled at once;
 * under a steady stream the loop rests for a moment before it looks again, and finds several events
 * where it would have woken up for each. Most of what a small event costs is the wake-up.
 */
struct pace {
	uint64_t interval_usec; /* the least time between two wake-ups of a steady stream */
	unsigned burst;		/* wake-ups that are free of that after a quiet time */
};

/* Runs the loop until sd_event_exit(); returns its code, or a negative errno. */
int pace_loop(sd_event *loop, const struct pace *p);

#endif
