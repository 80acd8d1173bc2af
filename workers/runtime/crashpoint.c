/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/runtime/crashpoint.h"

#ifdef KRUISED_CRASH_POINTS
#include "ipc/base/buf.h"
#include "ipc/base/log.h"
#include "ipc/child.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	char verb[16], place[16];
	int count, sig; /* count 0: not armed */
} armed;

static void read_orders(void)
{
	const char *name = getenv("KRUISED_NAME");
	_cleanup_free_ char *path = xasprintf("%s/crash-%s", child_rundir(), name ? name : "");
	FILE *f = fopen(path, "re");
	if (!f)
		return;
	if (fscanf(f, "%15s %15s %d %d", armed.verb, armed.place, &armed.count, &armed.sig) != 4)
		armed.count = 0;
	fclose(f);
	unlink(path);
}

static bool reached(const char *verb, const char *place)
{
	read_orders();
	return armed.count > 0 && strcmp(armed.place, place) == 0 &&
	       (strcmp(armed.verb, "*") == 0 || strcmp(armed.verb, verb) == 0) &&
	       --armed.count == 0;
}

static void die(const char *verb, const char *place)
{
	log_warn("crash point: %s %s", verb, place);
	kill(getpid(), armed.sig);
	_exit(1);
}

void crash_point(const char *verb, const char *place)
{
	if (reached(verb, place))
		die(verb, place);
}

static int on_time(sd_event_source *s, uint64_t usec, void *userdata)
{
	(void)s;
	(void)usec;
	die(userdata, "sent");
	return 0;
}

void crash_point_soon(sd_event *loop, const char *verb, const char *place)
{
	if (!reached(verb, place))
		return;
	/* from "not even in the socket" to "the answer is in the socket" */
	const uint64_t usec = (uint64_t)getpid() % 7 * 700;
	if (sd_event_add_time_relative(loop, NULL, CLOCK_MONOTONIC, usec, 1, on_time,
				       (void *)(uintptr_t)verb) < 0)
		die(verb, place);
}
#endif
