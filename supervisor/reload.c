/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>

#define REPLACE_STOP_USEC 5000000u
#define REPLACE_READY_USEC 30000000u

/* One child after the other: the next is touched when the new process of the one before is as ready
 * as its old one was. */
struct reload {
	uint64_t connection; /* who waits for the answer; 0: nobody */
	size_t next;	     /* service to replace next */
	struct service *current;
	uint64_t old_starts; /* of current */
	bool was_ready;
	uint64_t deadline_usec;
	unsigned replaced;
};

int reload_one(struct supervisor *s, struct service *v, struct err *e)
{
	if (s->stopping)
		return err_set(e, ESHUTDOWN, "kruised is stopping");
	backoff_reset(&v->backoff);
	if (!service_alive(v)) {
		/* at once, instead of after the back-off; if its conditions allow */
		v->state = SERVICE_WAITING;
		return 0;
	}
	/* An elector that stops in good order gives the Lease away. A new one takes over the
	 * identity, so killing it costs nothing. */
	if (v->def->flags & SERVICE_ELECTOR)
		process_kill(v, END_REPLACE);
	else if (v->state == SERVICE_STARTING || v->state == SERVICE_RUNNING)
		process_stop(s, v, END_REPLACE, REPLACE_STOP_USEC);
	return 0;
}

int reload_begin(struct supervisor *s, uint64_t connection, struct err *e)
{
	if (s->stopping)
		return err_set(e, ESHUTDOWN, "kruised is stopping");
	if (s->reload)
		return err_set(e, EBUSY, "a reload is under way");
	s->reload = xcalloc(1, sizeof(*s->reload));
	s->reload->connection = connection;
	log_info("reload: replacing all children");
	char text[96];
	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%llu",
		 (unsigned long long)now_usec());
	sd_notify(0, text);
	return 0;
}

static void finish(struct supervisor *s, const char *error)
{
	struct reload *r = s->reload;
	if (error) {
		log_error("reload: %s", error);
		if (r->connection)
			ctl_reply(s, r->connection, CTL_LINE_ERROR, "%s", error);
	} else {
		log_info("reload: %u children replaced", r->replaced);
		if (r->connection)
			ctl_reply(s, r->connection, CTL_LINE_OK, "%s", "");
	}
	sd_notify(0, "READY=1");
	free(r);
	s->reload = NULL;
}

void reload_cancel(struct supervisor *s, const char *why)
{
	if (s->reload)
		finish(s, why);
}

/* True when the new process does what the old one did. */
static bool replaced(const struct reload *r)
{
	const struct service *v = r->current;
	if (v->starts == r->old_starts || v->state != SERVICE_RUNNING)
		return false;
	return v->ready || !r->was_ready;
}

static void replace_next(struct supervisor *s, uint64_t now)
{
	struct reload *r = s->reload;
	while (r->next < s->n_services) {
		struct service *v = &s->services[r->next++];
		/* what does not run yet will start from the new binary anyway */
		if (v->state != SERVICE_RUNNING && v->state != SERVICE_STARTING)
			continue;
		r->current = v;
		r->old_starts = v->starts;
		r->was_ready = v->ready;
		r->deadline_usec = now + REPLACE_STOP_USEC + REPLACE_READY_USEC;
		reload_one(s, v, NULL);
		return;
	}
	finish(s, NULL);
}

uint64_t reload_step(struct supervisor *s, uint64_t now)
{
	struct reload *r = s->reload;
	if (!r)
		return UINT64_MAX;
	struct service *v = r->current;
	if (v && replaced(r)) {
		r->replaced++;
		if (r->connection)
			ctl_reply(s, r->connection, CTL_LINE_BODY, "%s: replaced, pid %d",
				  v->def->name, (int)v->pid);
		v = r->current = NULL;
	} else if (v && v->state == SERVICE_WAITING && !service_alive(v)) {
		struct conditions c = monitor_conditions(s);
		if (!service_may_start(v->def, &c)) /* leadership went meanwhile */
			v = r->current = NULL;
	}
	if (v && now >= r->deadline_usec) {
		char text[200];
		snprintf(text, sizeof(text),
			 "the new %s did not become ready; the children after it were left as they "
			 "were",
			 v->def->name);
		finish(s, text);
		return UINT64_MAX;
	}
	if (!v)
		replace_next(s, now);
	return s->reload ? s->reload->deadline_usec : UINT64_MAX;
}
