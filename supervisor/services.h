/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_SERVICES_H
#define SUPERVISOR_SERVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The children that kruised keeps running, and when each may run. Pure data and decisions. A new
 * controller is one line in the table of services.c.
 */
enum service_flags {
	SERVICE_SOCKETS = 1 << 0,   /* inherits the listening sockets */
	SERVICE_ADMISSION = 1 << 1, /* the unit is ready when these are */
	SERVICE_LEADER_ONLY =
	    1 << 2, /* runs only while leadership is certain and webhooks are set up */
	SERVICE_ELECTOR = 1 << 3, /* its beats say until when leadership is certain */
	SERVICE_CONFIG =
	    1 << 4, /* sets up the webhooks: leader-only ones wait for its first readiness */
};

struct service_def {
	const char *name;    /* in the status, the logs, and $KRUISED_NAME */
	const char *program; /* in the libexec folder */
	const char *worker;  /* first argument; NULL: none */
	unsigned flags;
	unsigned stop_phase; /* on stop: 0 first; the next phase begins when all of one are gone */
	uint64_t beat_usec;  /* no beat for this long: hung */
	uint64_t memory;     /* bytes */
};

#define SERVICE_STOP_PHASES 5
#define SERVICE_GRACE_USEC                                                    \
	10000000u /* until the first message of a child, if the limit is less \
		   */

extern const struct service_def service_defs[];
extern const size_t n_service_defs;

/* -1 when there is none. */
int service_find(const char *name, size_t n);

/* What the supervisor knows when it decides. */
struct conditions {
	bool election;	 /* --enable-leader-election */
	bool leader;	 /* leadership is certain now */
	bool configured; /* webhookconfig has been ready since the supervisor started */
};
/* May it be started? */
bool service_may_start(const struct service_def *d, const struct conditions *c);
/* May it go on running? Less strict: being configured is not undone. */
bool service_may_run(const struct service_def *d, const struct conditions *c);

/* The time from a child's start to its first message. */
uint64_t service_grace_usec(const struct service_def *d);

/*
 * Leadership, as the elector's beats tell it. What an elector said holds until its time even if
 * that elector dies: nobody else may take the Lease before. So a new elector, which has to look
 * first and says 0, takes nothing back; one that had it and says 0 does.
 */
struct leadership {
	bool election;
	uint64_t until_usec; /* CLOCK_MONOTONIC; UINT64_MAX: without end */
	bool spoken;	     /* the elector that runs now has said a time */
};
void leadership_init(struct leadership *l, bool election);
void leadership_new_elector(struct leadership *l);
void leadership_beat(struct leadership *l, uint64_t until_usec);
bool leadership_certain(const struct leadership *l, uint64_t now_usec);

#endif
