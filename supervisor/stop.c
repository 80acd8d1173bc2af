/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"

#include <systemd/sd-daemon.h>

/* All phases together end before 10 s: each has up to 5 s, and leaves a second to those after it.
 */
#define STOP_TOTAL_USEC 9500000u
#define STOP_ONE_USEC 5000000u
#define STOP_RESERVE_USEC 1000000u

static uint64_t phase_limit(const struct supervisor *s, uint64_t now)
{
	uint64_t gone = now - s->stop_started_usec;
	uint64_t reserve = (SERVICE_STOP_PHASES - 1 - s->stop_phase) * STOP_RESERVE_USEC;
	if (gone + reserve >= STOP_TOTAL_USEC)
		return 0;
	uint64_t left = STOP_TOTAL_USEC - gone - reserve;
	return left < STOP_ONE_USEC ? left : STOP_ONE_USEC;
}

static void stop_phase_children(struct supervisor *s)
{
	uint64_t limit = phase_limit(s, now_usec());
	for (size_t i = 0; i < s->n_services; i++) {
		struct service *v = &s->services[i];
		if (v->def->stop_phase != s->stop_phase)
			continue;
		if (!service_alive(v))
			v->state = SERVICE_STOPPED;
		else if (v->state == SERVICE_HUNG || v->state == SERVICE_KILLED)
			process_kill(v, END_SHUTDOWN);
		else
			process_stop(s, v, END_SHUTDOWN, limit);
	}
}

static bool phase_done(const struct supervisor *s)
{
	for (size_t i = 0; i < s->n_services; i++)
		if (s->services[i].def->stop_phase == s->stop_phase &&
		    service_alive(&s->services[i]))
			return false;
	return true;
}

void stop_begin(struct supervisor *s, const char *why)
{
	if (s->stopping)
		return;
	log_info("stopping: %s", why);
	sd_notify(0, "STOPPING=1");
	reload_cancel(s, "kruised stops");
	s->stopping = true;
	s->stop_phase = 0;
	s->stop_started_usec = now_usec();
	stop_phase_children(s);
}

void stop_step(struct supervisor *s)
{
	if (!s->stopping)
		return;
	while (s->stop_phase < SERVICE_STOP_PHASES && phase_done(s)) {
		if (++s->stop_phase == SERVICE_STOP_PHASES) {
			log_info("all children have ended");
			sd_event_exit(s->loop, 0);
			return;
		}
		stop_phase_children(s);
	}
}
