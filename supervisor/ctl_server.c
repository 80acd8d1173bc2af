/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_CONNECTIONS 16
#define REQUEST_TIMEOUT_USEC 5000000u
#define MAX_PENDING 65536u /* of an answer that nobody reads */

struct connection {
	struct supervisor *s;
	uint64_t id; /* 0: free */
	int fd;
	sd_event_source *io, *timer;
	char request[CTL_MAX_REQUEST + 1];
	size_t n;
	bool asked;    /* the request is complete */
	bool finished; /* the last line is in `out` */
	struct buf out;
	size_t sent;
};

struct ctl_server {
	int fd;
	sd_event_source *io;
	uint64_t last_id;
	struct connection connections[MAX_CONNECTIONS];
};

static void drop(struct connection *c)
{
	sd_event_source_disable_unref(c->io);
	sd_event_source_disable_unref(c->timer);
	close(c->fd);
	buf_free(&c->out);
	*c = (struct connection){0};
}

/* Writes what the peer takes; drops the connection at its end. */
static void flush(struct connection *c)
{
	while (c->sent < c->out.len) {
		ssize_t n = send(c->fd, c->out.p + c->sent, c->out.len - c->sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN) {
			sd_event_source_set_io_events(c->io, EPOLLIN | EPOLLOUT);
			if (c->out.len - c->sent > MAX_PENDING)
				drop(c);
			return;
		}
		if (n <= 0) {
			drop(c);
			return;
		}
		c->sent += (size_t)n;
	}
	buf_reset(&c->out);
	c->sent = 0;
	sd_event_source_set_io_events(c->io, EPOLLIN);
	if (c->finished)
		drop(c);
}

static void answer(struct connection *c, enum ctl_line_kind kind, const char *text)
{
	ctl_line_print(&c->out, kind, text);
	c->finished = kind != CTL_LINE_BODY;
	flush(c);
}

void ctl_reply(struct supervisor *s, uint64_t connection, enum ctl_line_kind kind, const char *fmt,
	       ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (size_t i = 0; s->ctl && i < MAX_CONNECTIONS; i++) {
		struct connection *c = &s->ctl->connections[i];
		if (c->id == connection && connection != 0 && !c->finished) {
			answer(c, kind, text);
			return;
		}
	}
}

static void do_status(struct connection *c, const struct ctl_request *q)
{
	(void)q;
	status_print(c->s, &c->out);
	answer(c, CTL_LINE_OK, "");
}

static void do_restart(struct connection *c, const struct ctl_request *q)
{
	struct err e = {0};
	char text[160];
	int i = service_find(q->args[0].p, q->args[0].n);
	if (i < 0) {
		snprintf(text, sizeof(text), "there is no child named \"%.*s\"",
			 STR_ARG(q->args[0]));
		answer(c, CTL_LINE_ERROR, text);
		return;
	}
	log_info("%s: restart asked for by kruisectl", service_defs[i].name);
	if (reload_one(c->s, &c->s->services[i], &e) < 0)
		answer(c, CTL_LINE_ERROR, e.msg);
	else
		answer(c, CTL_LINE_OK, "");
}

static void do_reload(struct connection *c, const struct ctl_request *q)
{
	(void)q;
	struct err e = {0};
	if (reload_begin(c->s, c->id, &e) < 0)
		answer(c, CTL_LINE_ERROR, e.msg);
}

static void do_stop(struct connection *c, const struct ctl_request *q)
{
	(void)q;
	struct supervisor *s = c->s;
	answer(c, CTL_LINE_OK, "");
	stop_begin(s, "asked for by kruisectl");
}

/* The level outlives the children that run now when it is for all. */
static void set_level(struct connection *c, const char *level, int only)
{
	struct supervisor *s = c->s;
	const struct control_msg m = {.type = CONTROL_LOG_LEVEL, .level = str_of(level)};
	for (size_t i = 0; i < s->n_services; i++)
		if (only < 0 || (size_t)only == i)
			control_send(s, &s->services[i], &m);
	if (only < 0)
		snprintf(s->log_level, sizeof(s->log_level), "%s", level);
}

static void do_log_level(struct connection *c, const struct ctl_request *q)
{
	char level[16], text[160];
	enum log_level parsed;
	snprintf(level, sizeof(level), "%.*s", STR_ARG(q->args[1]));
	if (q->args[1].n >= sizeof(level) || log_level_parse(level, &parsed) < 0) {
		answer(c, CTL_LINE_ERROR,
		       "no such level; known: error, warn, info, debug, trace, 0 to 5");
		return;
	}
	bool all = str_is(q->args[0], "all"), self = str_is(q->args[0], "kruised");
	int only = all || self ? -1 : service_find(q->args[0].p, q->args[0].n);
	if (!all && !self && only < 0) {
		snprintf(text, sizeof(text), "there is no child named \"%.*s\"",
			 STR_ARG(q->args[0]));
		answer(c, CTL_LINE_ERROR, text);
		return;
	}
	if (all || self)
		log_set_level(parsed);
	if (!self)
		set_level(c, level, only);
	answer(c, CTL_LINE_OK, "");
}

static void (*const verbs[])(struct connection *c, const struct ctl_request *q) = {
    [CTL_STATUS] = do_status,	    [CTL_RESTART] = do_restart, [CTL_RELOAD] = do_reload,
    [CTL_LOG_LEVEL] = do_log_level, [CTL_STOP] = do_stop,
};

static void take_request(struct connection *c, size_t line)
{
	struct ctl_request q;
	struct err e = {0};
	c->asked = true;
	sd_event_source_disable_unref(c->timer);
	c->timer = NULL;
	if (ctl_request_parse(c->request, line, &q, &e) < 0)
		answer(c, CTL_LINE_ERROR, e.msg);
	else
		verbs[q.verb](c, &q);
}

static int on_connection(sd_event_source *src, int fd, uint32_t revents, void *userdata)
{
	(void)src;
	struct connection *c = userdata;
	if (revents & EPOLLOUT) {
		flush(c);
		return 0;
	}
	char rest[64];
	char *to = c->asked ? rest : c->request + c->n;
	size_t room = c->asked ? sizeof(rest) : sizeof(c->request) - c->n;
	ssize_t n = recv(fd, to, room, MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0) {
		drop(c);
		return 0;
	}
	if (c->asked) /* what follows the request is not looked at */
		return 0;
	const char *end = memchr(to, '\n', (size_t)n);
	c->n += (size_t)n;
	if (end)
		take_request(c, (size_t)(end - c->request));
	else if (c->n == sizeof(c->request))
		take_request(c, c->n);
	return 0;
}

static int on_timeout(sd_event_source *src, uint64_t usec, void *userdata)
{
	(void)src;
	(void)usec;
	drop(userdata);
	return 0;
}

/* Root, and who runs the supervisor. */
static bool may_ask(int fd)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0)
		return false;
	return peer.uid == 0 || peer.uid == geteuid();
}

static struct connection *free_connection(struct ctl_server *t)
{
	for (size_t i = 0; i < MAX_CONNECTIONS; i++)
		if (t->connections[i].id == 0)
			return &t->connections[i];
	return NULL;
}

/* NULL: there is no room, or no memory; fd is closed. */
static struct connection *add_connection(struct supervisor *s, int fd)
{
	struct connection *c = free_connection(s->ctl);
	if (!c) {
		close(fd);
		return NULL;
	}
	*c = (struct connection){.s = s, .id = ++s->ctl->last_id, .fd = fd};
	if (sd_event_add_io(s->loop, &c->io, fd, EPOLLIN, on_connection, c) < 0) {
		drop(c);
		return NULL;
	}
	return c;
}

uint64_t ctl_server_adopt(struct supervisor *s, int fd)
{
	struct connection *c = add_connection(s, fd);
	if (!c)
		return 0;
	c->asked = true;
	return c->id;
}

int ctl_server_fd(const struct supervisor *s)
{
	return s->ctl ? s->ctl->fd : -1;
}

int ctl_connection_fd(const struct supervisor *s, uint64_t connection)
{
	for (size_t i = 0; s->ctl && i < MAX_CONNECTIONS; i++)
		if (connection != 0 && s->ctl->connections[i].id == connection)
			return s->ctl->connections[i].fd;
	return -1;
}

static int on_accept(sd_event_source *src, int listen_fd, uint32_t revents, void *userdata)
{
	(void)src;
	(void)revents;
	struct supervisor *s = userdata;
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return 0;
	if (!may_ask(fd) || !free_connection(s->ctl)) {
		static const char refusal[] = "error refused: not allowed, or too many at once\n";
		ssize_t w = send(fd, refusal, sizeof(refusal) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		(void)w;
		close(fd);
		return 0;
	}
	struct connection *c = add_connection(s, fd);
	if (c && sd_event_add_time_relative(s->loop, &c->timer, CLOCK_MONOTONIC,
					    REQUEST_TIMEOUT_USEC, 0, on_timeout, c) < 0)
		drop(c);
	return 0;
}

static int listen_at(const char *path, struct err *e)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set(e, errno, "socket: %s", strerror(errno));
	unlink(path); /* of an earlier run: the lock says that nobody serves it */
	mode_t old = umask(0177);
	int r = bind(fd, (struct sockaddr *)&addr, sizeof(addr));
	int saved = errno;
	umask(old);
	if (r < 0 || listen(fd, MAX_CONNECTIONS) < 0) {
		saved = r < 0 ? saved : errno;
		close(fd);
		return err_set(e, saved, "%s: %s", path, strerror(saved));
	}
	return fd;
}

int ctl_server_open(struct supervisor *s, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/ctl", s->options.runtime_dir);
	int fd = s->handover.ctl_fd >= 0 ? s->handover.ctl_fd : listen_at(path, e);
	if (fd < 0)
		return fd;
	s->handover.ctl_fd = -1;
	s->ctl = xcalloc(1, sizeof(*s->ctl));
	s->ctl->fd = fd;
	int r = sd_event_add_io(s->loop, &s->ctl->io, fd, EPOLLIN, on_accept, s);
	return r < 0 ? err_set(e, -r, "%s: %s", path, strerror(-r)) : 0;
}

void ctl_server_close(struct supervisor *s)
{
	struct ctl_server *t = s->ctl;
	if (!t)
		return;
	for (size_t i = 0; i < MAX_CONNECTIONS; i++)
		if (t->connections[i].id)
			drop(&t->connections[i]);
	sd_event_source_disable_unref(t->io);
	close(t->fd);
	_cleanup_free_ char *path = xasprintf("%s/ctl", s->options.runtime_dir);
	unlink(path);
	free(t);
	s->ctl = NULL;
}
