/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_RUNTIME_CRASHPOINT_H
#define WORKERS_RUNTIME_CRASHPOINT_H

/*
 * Places around each write where a worker can be made to die, for tests. In the product they are
 * nothing. With -DKRUISED_CRASH_POINTS the file RUNDIR/crash-WORKER says "VERB PLACE COUNT SIGNAL":
 * at the COUNTth time that a write of this verb (create, patch, delete, get; * for any) passes this
 * place, the process sends itself the signal. The file is removed when it has been read.
 *
 * Places: before the request, sent (some milliseconds later, the answer is not there yet),
 * answered (before the controller sees the answer), done (after it has), journal and journaled
 * (before and after intents are committed), clear and cleared (before and after those that are
 * crossed out are removed from the file).
 */
#ifdef KRUISED_CRASH_POINTS
#include <systemd/sd-event.h>
void crash_point(const char *verb, const char *place);
/* The same, a few milliseconds later. */
void crash_point_soon(sd_event *loop, const char *verb, const char *place);
#else
#define crash_point(verb, place) ((void)0)
#define crash_point_soon(loop, verb, place) ((void)0)
#endif

#endif
