/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_CHILD_H
#define IPC_CHILD_H

#include "ipc/base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

/*
 * A child's side of the control channel to the supervisor: a DEALER socket at $KRUISED_CONTROL,
 * every message carrying the token that the supervisor put into $KRUISED_TOKEN of this very child.
 * Heartbeats are sent from the event loop, so that a hung loop is a missing beat. Without
 * $KRUISED_CONTROL (run by hand) all calls succeed and do nothing.
 */
struct child;

struct child_handlers {
	/* Stop in good order, then leave the loop (sd_event_exit). NULL: the loop is left at once.
	 * SIGTERM and SIGINT come here too. */
	void (*stop)(void *userdata);
	void *userdata;
};

/* Also sets up signals (blocked, through sd-event), the log level message and the heartbeat timer.
 */
int child_attach(struct child **out, sd_event *loop, const char *name,
		 const struct child_handlers *handlers, struct err *e);
void child_detach(struct child *c);

/* Gives up starting programs, for good: any attempt ends the process (SIGSYS). For processes that
 * need no credential plugin; `threads_only` also gives up fork. Nothing happens with --sandbox=off,
 * and in sanitizer builds. */
void child_no_exec(bool threads_only);

/* What `kruisectl status` shows and what the supervisor's start conditions look at. Sent at once
 * when changed. note is copied, NULL for none. */
void child_set_ready(struct child *c, bool ready, const char *note);
/* Elector only: leadership is certain until this CLOCK_MONOTONIC time in µs (0: not the leader,
 * UINT64_MAX: no election). The supervisor stops the leader's workers when it has passed. */
void child_set_leader_until(struct child *c, uint64_t usec);
/* Elector only: how many of the leader's workers still run, as the supervisor last said; -1
 * unknown. */
int child_leader_workers(const struct child *c);

/* The leader's workers: whether leadership is certain at this moment. To be asked before each
 * write: the supervisor kills them when it is over, but may itself have been stopped with all its
 * children, and run later than they. True for a child to which the supervisor said nothing of
 * leadership. */
bool child_leads(const struct child *c);

/* $RUNTIME_DIRECTORY as the supervisor passed it ($KRUISED_RUNDIR), or /run/kruised. */
const char *child_rundir(void);

#endif
