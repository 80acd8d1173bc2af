/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define ABORT_TO_KILL_USEC 500000u
#define REPLACE_LIMIT_USEC 5000000u
#define LATE_USEC 1000000u
#define MAX_SLEEP_USEC 1000000u

uint64_t now_usec(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

bool service_alive(const struct service *v)
{
	return v->pid > 0;
}

struct conditions monitor_conditions(const struct supervisor *s)
{
	return (struct conditions){
	    .election = s->options.leader_elect,
	    .leader = leadership_certain(&s->leadership, now_usec()),
	    .configured = s->configured,
	};
}

/* What a child's state demands now; returns when to look again at the latest. */
typedef uint64_t (*step_fn)(struct supervisor *s, struct service *v, uint64_t now);

static uint64_t step_waiting(struct supervisor *s, struct service *v, uint64_t now)
{
	(void)now;
	struct conditions c = monitor_conditions(s);
	if (!s->stopping && service_may_start(v->def, &c))
		process_start(s, v);
	return UINT64_MAX;
}

static uint64_t step_backoff(struct supervisor *s, struct service *v, uint64_t now)
{
	struct conditions c = monitor_conditions(s);
	if (!service_may_start(v->def, &c)) {
		v->state = SERVICE_WAITING;
		return UINT64_MAX;
	}
	if (now < v->restart_usec)
		return v->restart_usec;
	process_start(s, v);
	return UINT64_MAX;
}

static uint64_t declare_hung(struct service *v, uint64_t now, const char *what)
{
	log_error("%s: hung: %s; SIGABRT to pid %d", v->def->name, what, (int)v->pid);
	process_signal(v, SIGABRT);
	v->hung++;
	v->reason = END_HUNG;
	v->state = SERVICE_HUNG;
	v->deadline_usec = now + ABORT_TO_KILL_USEC;
	return v->deadline_usec;
}

/* True when it has been killed, since its leadership is over. */
static bool end_of_leadership(struct supervisor *s, struct service *v)
{
	struct conditions c = monitor_conditions(s);
	if (service_may_run(v->def, &c))
		return false;
	log_warn("%s: leadership is over; SIGKILL to pid %d", v->def->name, (int)v->pid);
	process_kill(v, END_LEADERSHIP);
	return true;
}

static uint64_t step_starting(struct supervisor *s, struct service *v, uint64_t now)
{
	if (end_of_leadership(s, v))
		return UINT64_MAX;
	uint64_t limit = v->started_usec + service_grace_usec(v->def);
	return now < limit ? limit : declare_hung(v, now, "no message since its start");
}

static uint64_t step_running(struct supervisor *s, struct service *v, uint64_t now)
{
	if (end_of_leadership(s, v))
		return UINT64_MAX;
	uint64_t limit = v->beat_usec + v->def->beat_usec;
	return now < limit ? limit : declare_hung(v, now, "no heartbeat within its limit");
}

static uint64_t step_hung(struct supervisor *s, struct service *v, uint64_t now)
{
	if (end_of_leadership(s, v))
		return UINT64_MAX;
	if (now < v->deadline_usec)
		return v->deadline_usec;
	log_warn("%s: still there; SIGKILL to pid %d", v->def->name, (int)v->pid);
	process_kill(v, END_HUNG);
	return UINT64_MAX;
}

static uint64_t step_stopping(struct supervisor *s, struct service *v, uint64_t now)
{
	if (end_of_leadership(s, v))
		return UINT64_MAX;
	if (now >= v->term_usec) {
		process_signal(v, SIGTERM);
		v->term_usec = UINT64_MAX;
	}
	if (now >= v->deadline_usec) {
		log_warn("%s: did not stop in time; SIGKILL to pid %d", v->def->name, (int)v->pid);
		process_kill(v, v->reason);
		return UINT64_MAX;
	}
	return v->term_usec < v->deadline_usec ? v->term_usec : v->deadline_usec;
}

static uint64_t step_nothing(struct supervisor *s, struct service *v, uint64_t now)
{
	(void)s;
	(void)v;
	(void)now;
	return UINT64_MAX;
}

static const struct {
	const char *name;
	step_fn step;
} states[] = {
    [SERVICE_WAITING] = {"waiting", step_waiting},    [SERVICE_BACKOFF] = {"backoff", step_backoff},
    [SERVICE_STARTING] = {"starting", step_starting}, [SERVICE_RUNNING] = {"running", step_running},
    [SERVICE_STOPPING] = {"stopping", step_stopping}, [SERVICE_HUNG] = {"hung", step_hung},
    [SERVICE_KILLED] = {"killed", step_nothing},      [SERVICE_STOPPED] = {"stopped", step_nothing},
};

const char *service_state_name(const struct service *v)
{
	return states[v->state].name;
}

static void log_exit(const struct service *v, int status)
{
	const char *planned = v->reason == END_CRASH ? " unexpectedly" : "";
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		log_error("%s: pid %d made a system call that its seccomp filter forbids, and was "
			  "ended (the kernel's log has the number)",
			  v->def->name, (int)v->pid);
	else if (WIFSIGNALED(status))
		log_warn("%s: pid %d was ended by signal %d (%s)%s", v->def->name, (int)v->pid,
			 WTERMSIG(status), strsignal(WTERMSIG(status)),
			 WCOREDUMP(status) ? ", core dumped" : "");
	else if (WEXITSTATUS(status) == 127)
		log_error("%s: pid %d exited with status 127: is %s in the libexec folder?",
			  v->def->name, (int)v->pid, v->def->program);
	else
		log_info("%s: pid %d exited%s with status %d", v->def->name, (int)v->pid, planned,
			 WEXITSTATUS(status));
}

void monitor_died(struct supervisor *s, struct service *v)
{
	uint64_t now = now_usec();
	v->state = s->stopping ? SERVICE_STOPPED : SERVICE_BACKOFF;
	if (s->stopping)
		return;
	uint64_t delay = backoff_next(&v->backoff, now - v->started_usec);
	v->restart_usec = now + delay;
	log_info("%s: restarts in %llu ms", v->def->name, (unsigned long long)delay / 1000);
}

void monitor_exited(struct supervisor *s, struct service *v, int status)
{
	log_exit(v, status);
	enum end_reason reason = v->reason;
	v->pid = 0;
	v->identity_len = 0;
	v->ready = false;
	v->note[0] = '\0';
	v->token[0] = '\0';
	if (s->stopping) {
		v->state = SERVICE_STOPPED;
	} else if (reason == END_REPLACE || reason == END_LEADERSHIP) {
		backoff_reset(&v->backoff);
		v->state = SERVICE_WAITING;
	} else {
		monitor_died(s, v);
	}
}

/* The elector gives the Lease away only when this is 0. */
static void tell_elector(struct supervisor *s)
{
	int64_t count = 0;
	for (size_t i = 0; i < s->n_services; i++)
		if ((s->services[i].def->flags & SERVICE_LEADER_ONLY) &&
		    service_alive(&s->services[i]))
			count++;
	if (count == s->told_workers)
		return;
	const struct control_msg m = {.type = CONTROL_LEADER_WORKERS, .count = count};
	for (size_t i = 0; i < s->n_services; i++)
		if ((s->services[i].def->flags & SERVICE_ELECTOR) &&
		    control_send(s, &s->services[i], &m) == 0)
			s->told_workers = count;
}

/* The supervisor itself was held up (stopped, or starved): beats could not be read, and silence is
 * no sign of a hung child. */
static void forgive_if_late(struct supervisor *s, uint64_t now)
{
	if (s->tick_planned_usec == 0 || now < s->tick_planned_usec + LATE_USEC)
		return;
	log_warn("the supervisor itself was held up for %llu ms; children get new time",
		 (unsigned long long)(now - s->tick_planned_usec) / 1000);
	for (size_t i = 0; i < s->n_services; i++) {
		struct service *v = &s->services[i];
		if (v->state == SERVICE_RUNNING)
			v->beat_usec = now;
		else if (v->state == SERVICE_STARTING)
			v->started_usec = now;
	}
}

static void tick(struct supervisor *s)
{
	/* Beats that have arrived count before silence does. */
	control_drain(s);
	uint64_t now = now_usec();
	forgive_if_late(s, now);
	uint64_t next = now + MAX_SLEEP_USEC;
	for (size_t i = 0; i < s->n_services; i++) {
		struct service *v = &s->services[i];
		uint64_t at = states[v->state].step(s, v, now);
		next = at < next ? at : next;
		/* a start has changed the state, and with it the time */
		at = v->state == SERVICE_STARTING ? v->started_usec + service_grace_usec(v->def)
						  : UINT64_MAX;
		next = at < next ? at : next;
	}
	if (s->leadership.until_usec > now && s->leadership.until_usec < next)
		next = s->leadership.until_usec;
	tell_elector(s);
	uint64_t at = reload_step(s, now);
	next = at < next ? at : next;
	stop_step(s);
	status_notify(s);
	telemetry_step(s, now);
	rundir_check(s, now);
	s->tick_planned_usec = next;
	sd_event_source_set_time(s->tick_timer, next);
	sd_event_source_set_enabled(s->tick_timer, SD_EVENT_ONESHOT);
}

static int on_timer(sd_event_source *src, uint64_t usec, void *userdata)
{
	(void)src;
	(void)usec;
	(void)userdata;
	return 0; /* on_post does the work, after this event as after any other */
}

static int on_post(sd_event_source *src, void *userdata)
{
	(void)src;
	tick(userdata);
	return 0;
}

int monitor_start(struct supervisor *s, struct err *e)
{
	int r = sd_event_add_time(s->loop, &s->tick_timer, CLOCK_MONOTONIC, 0, 1000, on_timer, s);
	if (r >= 0)
		r = sd_event_add_post(s->loop, &s->tick_post, on_post, s);
	if (r < 0)
		return err_set(e, -r, "event loop: %s", strerror(-r));
	s->told_workers = -1;
	tick(s);
	return 0;
}
