/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/paceloop.h"

#include <time.h>

static uint64_t now_usec(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void rest(uint64_t usec)
{
	const struct timespec ts = {.tv_sec = (time_t)(usec / 1000000),
				    .tv_nsec = (long)(usec % 1000000) * 1000};
	(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL); /* a signal ends it early: fine */
}

/* Time is the account: each wake-up books one interval, and the account may be ahead of the clock
 * by the burst. */
static void before_wait(const struct pace *p, uint64_t *account)
{
	const uint64_t now = now_usec(), allowed = now + p->burst * p->interval_usec;
	if (*account < now)
		*account = now;
	*account += p->interval_usec;
	if (*account > allowed)
		rest(*account - allowed);
}

int pace_loop(sd_event *loop, const struct pace *p)
{
	uint64_t account = 0;
	int r = 0, code = 0;
	while (r >= 0 && sd_event_get_state(loop) != SD_EVENT_FINISHED) {
		r = sd_event_run(loop, 0);
		if (r != 0)
			continue; /* there may be more that is due already */
		before_wait(p, &account);
		r = sd_event_run(loop, UINT64_MAX);
	}
	if (r >= 0)
		r = sd_event_get_exit_code(loop, &code);
	return r < 0 ? r : code;
}
