/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"
#include "supervisor/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define REPLACE_STOP_USEC 5000000u
#define REPLACE_READY_USEC 30000000u

#define CHECK_USEC 10000000u

/* First the supervisor itself, then one child after the other: the next is touched when the new
 * process of the one before is as ready as its old one was. */
struct reload {
	pid_t check;	     /* of `kruised --version`, what is installed now; 0: done */
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

/* Whether what is installed runs at all: libraries, architecture, a half-written file. */
static pid_t start_check(const struct supervisor *s)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid < 0 ? -errno : pid;
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	dup2(s->null_fd, STDIN_FILENO);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(null, STDOUT_FILENO);
	execl(s->program, "kruised", "--version", (char *)NULL);
	_exit(127);
}

static void notify_reloading(void)
{
	char text[96];
	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%llu",
		 (unsigned long long)now_usec());
	sd_notify(0, text);
}

int reload_begin(struct supervisor *s, uint64_t connection, struct err *e)
{
	if (s->stopping)
		return err_set(e, ESHUTDOWN, "kruised is stopping");
	if (s->reload)
		return err_set(e, EBUSY, "a reload is under way");
	pid_t pid = start_check(s);
	if (pid < 0)
		return err_set(e, -pid, "cannot start %s: %s", s->program, strerror(-pid));
	s->reload = xcalloc(1, sizeof(*s->reload));
	s->reload->connection = connection;
	s->reload->check = pid;
	s->reload->deadline_usec = now_usec() + CHECK_USEC;
	log_info("reload: replacing kruised and all children");
	notify_reloading();
	return 0;
}

void reload_resume(struct supervisor *s)
{
	int fd = s->handover.client_fd;
	s->handover.client_fd = -1;
	s->reload = xcalloc(1, sizeof(*s->reload));
	s->reload->connection = fd >= 0 ? ctl_server_adopt(s, fd) : 0;
	if (s->reload->connection)
		ctl_reply(s, s->reload->connection, CTL_LINE_BODY, "kruised: replaced, pid %d",
			  (int)getpid());
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

/* Comes back only when the new program could not be started. */
static void replace_self(struct supervisor *s)
{
	struct err e = {0};
	int client = ctl_connection_fd(s, s->reload->connection);
	log_info("reload: kruised hands over to %s", s->program);
	if (handover_exec(s, s->program, client, &e) < 0)
		finish(s, e.msg);
}

bool reload_exited(struct supervisor *s, pid_t pid, int status)
{
	struct reload *r = s->reload;
	if (!r || r->check != pid)
		return false;
	r->check = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		replace_self(s);
		return true;
	}
	char text[512];
	snprintf(text, sizeof(text),
		 "%s does not run (status 0x%x of --version); nothing was replaced", s->program,
		 (unsigned)status);
	finish(s, text);
	return true;
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
	if (r->check) {
		if (now >= r->deadline_usec)
			kill(r->check, SIGKILL);
		return now >= r->deadline_usec ? now + CHECK_USEC : r->deadline_usec;
	}
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
