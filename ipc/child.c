/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/child.h"

#include "ipc/base/buf.h"
#include "ipc/base/log.h"
#include "ipc/control.h"
#include "ipc/zloop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

struct child {
	sd_event *loop;
	char *name;
	char *token;
	struct child_handlers handlers;

	void *ctx, *socket;
	struct zloop *zloop;
	sd_event_source *beat_timer;
	sd_event_source *sigterm, *sigint;

	bool ready;
	char *note;
	uint64_t leader_until_usec;
	int leader_workers;
	uint64_t leads_until_usec; /* as the supervisor says */
	bool stopping;
};

const char *child_rundir(void)
{
	const char *dir = getenv("KRUISED_RUNDIR");
	return dir && *dir ? dir : "/run/kruised";
}

static void send_msg(struct child *c, const struct control_msg *m)
{
	if (!c->socket)
		return;
	_cleanup_buf_ struct buf b = {0};
	control_pack(&b, m);
	/* A supervisor that does not read must not stop the loop; the next beat says it all again.
	 */
	if (zmq_send(c->socket, b.p, b.len, ZMQ_DONTWAIT) < 0 && errno != EAGAIN)
		log_warn("control channel: %s", zmq_strerror(errno));
	zloop_touched(c->zloop);
}

static void send_hello(struct child *c)
{
	send_msg(
	    c, &(struct control_msg){
		   .type = CONTROL_HELLO,
		   .hello = {.token = str_of(c->token), .name = str_of(c->name), .pid = getpid()}});
}

static void send_beat(struct child *c)
{
	send_msg(c, &(struct control_msg){.type = CONTROL_BEAT,
					  .beat = {.token = str_of(c->token),
						   .ready = c->ready,
						   .note = str_of(c->note),
						   .leader_until_usec = c->leader_until_usec}});
}

static void stop(struct child *c)
{
	if (c->stopping)
		return;
	c->stopping = true;
	if (c->handlers.stop)
		c->handlers.stop(c->handlers.userdata);
	else
		sd_event_exit(c->loop, 0);
}

static void set_log_level(struct str level)
{
	char text[CONTROL_MAX_NAME + 1];
	memcpy(text, level.p, level.n);
	text[level.n] = '\0';
	enum log_level l;
	if (log_level_parse(text, &l) < 0) {
		log_warn("unknown log level from the supervisor: %s", text);
		return;
	}
	log_set_level(l);
}

static void handle(struct child *c, const void *p, size_t n)
{
	struct control_msg m;
	struct err e;
	if (control_unpack(p, n, &m, &e) < 0) {
		log_warn("from the supervisor: %s", e.msg);
		return;
	}
	if (m.type == CONTROL_STOP)
		stop(c);
	else if (m.type == CONTROL_LOG_LEVEL)
		set_log_level(m.level);
	else if (m.type == CONTROL_LEADER_UNTIL)
		c->leads_until_usec = m.until_usec;
	else if (m.type == CONTROL_LEADER_WORKERS)
		c->leader_workers = m.count > INT32_MAX ? INT32_MAX : (int)m.count;
}

static void on_readable(void *socket, void *userdata)
{
	char frame[CONTROL_MAX];
	for (int i = 0; i < 64; i++) {
		int n = zmq_recv(socket, frame, sizeof(frame), ZMQ_DONTWAIT);
		if (n < 0)
			return;
		if ((size_t)n <= sizeof(frame))
			handle(userdata, frame, (size_t)n);
	}
}

static int on_beat(sd_event_source *s, uint64_t usec, void *userdata)
{
	(void)usec;
	send_beat(userdata);
	sd_event_source_set_time_relative(s, CONTROL_BEAT_USEC);
	return 0;
}

static int on_signal(sd_event_source *s, const struct signalfd_siginfo *si, void *userdata)
{
	(void)s;
	(void)si;
	stop(userdata);
	return 0;
}

static int add_signals(struct child *c, struct err *e)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return err_set(e, errno, "sigprocmask: %s", strerror(errno));
	signal(SIGPIPE, SIG_IGN);
	int r = sd_event_add_signal(c->loop, &c->sigterm, SIGTERM, on_signal, c);
	if (r >= 0)
		r = sd_event_add_signal(c->loop, &c->sigint, SIGINT, on_signal, c);
	if (r < 0)
		return err_set(e, -r, "signals: %s", strerror(-r));
	return 0;
}

static int connect_control(struct child *c, const char *endpoint, struct err *e)
{
	int r = zsock_new(&c->ctx, &c->socket, ZMQ_DEALER, e);
	if (r < 0)
		return r;
	/* Beats of a supervisor that is gone are worth nothing later. */
	zsock_option(c->socket, ZMQ_SNDHWM, 16);
	zsock_option(c->socket, ZMQ_RECONNECT_IVL, 50);
	zsock_option(c->socket, ZMQ_RECONNECT_IVL_MAX, 1000);
	if (zmq_connect(c->socket, endpoint) != 0)
		return err_set(e, errno, "connect %s: %s", endpoint, zmq_strerror(errno));
	r = zloop_add(&c->zloop, c->loop, c->socket, on_readable, c, e);
	if (r < 0)
		return r;
	r = sd_event_add_time_relative(c->loop, &c->beat_timer, CLOCK_MONOTONIC, CONTROL_BEAT_USEC,
				       20000, on_beat, c);
	if (r >= 0)
		r = sd_event_source_set_enabled(c->beat_timer, SD_EVENT_ON);
	if (r < 0)
		return err_set(e, -r, "heartbeat timer: %s", strerror(-r));
	send_hello(c);
	send_beat(c);
	return 0;
}

/* Siblings run as the same user: none may look into another's memory or environment, where tokens
 * and keys are. */
static void hide_memory(void)
{
	const char *dumps = getenv("KRUISED_CORE_DUMPS");
	if (dumps && strcmp(dumps, "0") == 0)
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int child_attach(struct child **out, sd_event *loop, const char *name,
		 const struct child_handlers *handlers, struct err *e)
{
	struct child *c = xcalloc(1, sizeof(*c));
	c->loop = sd_event_ref(loop);
	c->name = xstrdup(name);
	const char *token = getenv("KRUISED_TOKEN");
	c->token = xstrdup(token ? token : "");
	if (handlers)
		c->handlers = *handlers;
	c->leader_workers = -1;
	const char *until = getenv("KRUISED_LEADER_UNTIL");
	c->leads_until_usec = until ? strtoull(until, NULL, 10) : UINT64_MAX;
	hide_memory();

	int r = add_signals(c, e);
	const char *endpoint = getenv("KRUISED_CONTROL");
	if (r >= 0 && endpoint && *endpoint)
		r = *c->token ? connect_control(c, endpoint, e)
			      : err_set(e, EINVAL, "KRUISED_CONTROL without KRUISED_TOKEN");
	if (r < 0) {
		child_detach(c);
		return r;
	}
	*out = c;
	return 0;
}

void child_detach(struct child *c)
{
	if (!c)
		return;
	sd_event_source_disable_unref(c->beat_timer);
	sd_event_source_disable_unref(c->sigterm);
	sd_event_source_disable_unref(c->sigint);
	zloop_remove(c->zloop);
	zsock_free(c->ctx, c->socket);
	sd_event_unref(c->loop);
	free(c->name);
	free(c->token);
	free(c->note);
	free(c);
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

void child_set_ready(struct child *c, bool ready, const char *note)
{
	if (c->ready == ready && same(c->note, note))
		return;
	c->ready = ready;
	free(c->note);
	c->note = note ? xstrdup(note) : NULL;
	send_beat(c);
}

void child_set_leader_until(struct child *c, uint64_t usec)
{
	if (c->leader_until_usec == usec)
		return;
	c->leader_until_usec = usec;
	send_beat(c);
}

int child_leader_workers(const struct child *c)
{
	return c->leader_workers;
}

bool child_leads(const struct child *c)
{
	struct timespec now;
	if (c->leads_until_usec == UINT64_MAX)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000 < c->leads_until_usec;
}
