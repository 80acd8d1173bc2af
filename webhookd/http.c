/* SPDX-License-Identifier: Apache-2.0 */
#include "webhookd/http.h"

#include "ipc/base/log.h"
#include "webhookd/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A body that is too long is read and dropped, so that the client gets to see the answer; up to
 * this. */
#define DISCARD_FACTOR 4
#define KEEP_ALIVE_RATE 200 /* requests per second from which on connections are kept */

struct http_server {
	struct MHD_Daemon *daemon;
	struct http_options options;
	sd_event_source *io, *timer;
	/* requests in the present second, see keep_connection() */
	uint64_t second_usec;
	unsigned in_second;
	bool busy;
	bool draining;
};

struct conn {
	struct buf body;
	size_t received;
};

/* ---- the loop ---- */

static uint64_t now_usec(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void arm_timer(struct http_server *s)
{
	MHD_UNSIGNED_LONG_LONG ms;
	if (MHD_get_timeout(s->daemon, &ms) != MHD_YES) {
		sd_event_source_set_enabled(s->timer, SD_EVENT_OFF);
		return;
	}
	sd_event_source_set_time(s->timer, now_usec() + ms * 1000);
	sd_event_source_set_enabled(s->timer, SD_EVENT_ONESHOT);
}

static int on_io(sd_event_source *src, int fd, uint32_t events, void *userdata)
{
	struct http_server *s = userdata;
	(void)src;
	(void)fd;
	(void)events;
	MHD_run(s->daemon);
	arm_timer(s);
	return 0;
}

static int on_timer(sd_event_source *src, uint64_t usec, void *userdata)
{
	struct http_server *s = userdata;
	(void)src;
	(void)usec;
	MHD_run(s->daemon);
	arm_timer(s);
	return 0;
}

/* ---- one request ---- */

/*
 * A connection that waits in the client's pool is lost when this process hangs: a request that is
 * sent on it gets no answer, while one on a new connection would have been accepted by the sibling.
 * So connections are kept only while requests come so fast that handshakes would cost more than
 * that risk is worth.
 */
static bool keep_connection(struct http_server *s)
{
	uint64_t now = now_usec();
	if (now - s->second_usec >= 1000000) {
		s->busy = s->in_second >= KEEP_ALIVE_RATE && now - s->second_usec < 2000000;
		s->second_usec = now;
		s->in_second = 0;
	}
	s->in_second++;
	return s->busy || s->in_second >= KEEP_ALIVE_RATE;
}

static enum MHD_Result send_reply(struct http_server *s, struct MHD_Connection *c,
				  struct http_reply *reply)
{
	/* the response takes the memory over */
	struct MHD_Response *r = MHD_create_response_from_buffer(
	    reply->body.len, reply->body.p ? reply->body.p : strdup(""), MHD_RESPMEM_MUST_FREE);
	if (!r) {
		buf_free(&reply->body);
		return MHD_NO;
	}
	if (!keep_connection(s) || s->draining)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	if (reply->content_type)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, reply->content_type);
	enum MHD_Result q = MHD_queue_response(c, (unsigned)reply->code, r);
	MHD_destroy_response(r);
	return q;
}

static enum MHD_Result answer(struct http_server *s, struct MHD_Connection *c, const char *url,
			      const char *method, struct conn *conn)
{
	struct http_reply reply = {.code = 500, .content_type = "text/plain; charset=utf-8"};
	if (conn->received > s->options.max_body) {
		reply.code = 413;
		buf_puts(&reply.body, "the body is too long\n");
		return send_reply(s, c, &reply);
	}
	const struct http_request request = {.method = method,
					     .path = url,
					     .body = buf_str(&conn->body),
					     .body_len = conn->body.len};
	s->options.fn(&request, &reply, s->options.userdata);
	return send_reply(s, c, &reply);
}

static enum MHD_Result on_access(void *cls, struct MHD_Connection *c, const char *url,
				 const char *method, const char *version, const char *data,
				 size_t *size, void **state)
{
	struct http_server *s = cls;
	struct conn *conn = *state;
	(void)version;
	if (!conn) {
		*state = xcalloc(1, sizeof(*conn));
		return MHD_YES;
	}
	if (*size == 0)
		return answer(s, c, url, method, conn);
	conn->received += *size;
	if (conn->received > s->options.max_body * DISCARD_FACTOR)
		return MHD_NO;
	if (conn->received <= s->options.max_body)
		buf_add(&conn->body, data, *size);
	else
		buf_free(&conn->body);
	*size = 0;
	return MHD_YES;
}

static void on_completed(void *cls, struct MHD_Connection *c, void **state,
			 enum MHD_RequestTerminationCode why)
{
	struct conn *conn = *state;
	(void)cls;
	(void)c;
	(void)why;
	if (!conn)
		return;
	buf_free(&conn->body);
	free(conn);
	*state = NULL;
}

static void on_log(void *cls, const char *fmt, va_list ap)
{
	char text[256];
	(void)cls;
	vsnprintf(text, sizeof(text), fmt, ap);
	text[strcspn(text, "\n")] = '\0';
	log_debug("http: %s", text);
}

/* ---- set-up ---- */

static struct MHD_Daemon *start_daemon(struct http_server *s, int fd)
{
	unsigned flags = MHD_USE_EPOLL | MHD_USE_ERROR_LOG | (s->options.tls ? MHD_USE_TLS : 0);
	struct MHD_OptionItem tls[] = {
	    {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)tls_retrieve},
	    {MHD_OPTION_HTTPS_PRIORITIES, 0,
	     (void *)(uintptr_t) "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
	    {MHD_OPTION_END, 0, NULL},
	};
	struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
	return MHD_start_daemon(
	    flags, 0, NULL, NULL, on_access, s, MHD_OPTION_EXTERNAL_LOGGER, on_log, s,
	    MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, s->options.max_connections,
	    MHD_OPTION_CONNECTION_TIMEOUT, s->options.idle_seconds, MHD_OPTION_NOTIFY_COMPLETED,
	    on_completed, s, MHD_OPTION_ARRAY, s->options.tls ? tls : plain, MHD_OPTION_END);
}

int http_server_new(struct http_server **out, sd_event *loop, const struct http_options *options,
		    struct err *e)
{
	/* MHD closes its socket; the one that we inherited stays with the supervisor and the
	 * sibling */
	int fd = fcntl(options->fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return err_set(e, errno, "cannot duplicate the listening socket: %s",
			       strerror(errno));
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	struct http_server *s = xcalloc(1, sizeof(*s));
	s->options = *options;
	s->daemon = start_daemon(s, fd);
	if (!s->daemon) {
		close(fd);
		free(s);
		return err_set(e, EIO, "cannot start the HTTP server");
	}
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info || sd_event_add_io(loop, &s->io, info->epoll_fd, EPOLLIN, on_io, s) < 0 ||
	    sd_event_add_time(loop, &s->timer, CLOCK_MONOTONIC, 0, 1000, on_timer, s) < 0) {
		http_server_free(s);
		return err_set(e, EIO, "cannot watch the HTTP server");
	}
	*out = s;
	return 0;
}

void http_server_free(struct http_server *s)
{
	if (!s)
		return;
	sd_event_source_disable_unref(s->io);
	sd_event_source_disable_unref(s->timer);
	MHD_stop_daemon(s->daemon);
	free(s);
}

void http_server_drain(struct http_server *s)
{
	if (!s || s->draining)
		return;
	s->draining = true;
	int fd = MHD_quiesce_daemon(s->daemon);
	if (fd >= 0)
		close(fd); /* ours alone: the supervisor and the sibling have theirs */
}

unsigned http_server_connections(const struct http_server *s)
{
	const union MHD_DaemonInfo *info =
	    s ? MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS) : NULL;
	return info ? info->num_connections : 0;
}
