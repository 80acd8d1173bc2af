/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_HTTP_SERVER_H
#define TESTS_UNIT_HTTP_SERVER_H

/* A small HTTP/1.1 server on the test's own event loop. The test's function answers each request.
 */
#include "ipc/base/buf.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>
#include <unistd.h>

struct http_request {
	const char *method, *path; /* path with the query */
	const char *head;	   /* request line and headers */
	const char *body;
	size_t body_len;
	size_t number; /* of requests to this server, from 0 */
};

/* Appends the whole answer. False: close without an answer; with nothing appended and true, the
 * request stays unanswered. */
typedef bool (*http_answer_fn)(const struct http_request *r, struct buf *out, void *userdata);

struct http_conn {
	struct http_server *server;
	int fd;
	sd_event_source *source;
	struct buf in;
	LIST_ENTRY(http_conn) link;
};

struct http_server {
	sd_event *loop;
	int fd, port;
	sd_event_source *source;
	http_answer_fn answer;
	void *userdata;
	size_t requests, conns;
	LIST_HEAD(http_conn_list, http_conn) open;
};

static void http_conn_free(struct http_conn *c)
{
	LIST_REMOVE(c, link);
	sd_event_source_disable_unref(c->source);
	close(c->fd);
	buf_free(&c->in);
	free(c);
}

static void http_reply(struct buf *out, int code, const char *headers, const char *body)
{
	buf_printf(
	    out,
	    "HTTP/1.1 %d X\r\nContent-Type: application/json\r\n%sContent-Length: %zu\r\n\r\n%s",
	    code, headers ? headers : "", strlen(body), body);
}

/* Answers one request if it is complete. */
static bool http_serve_one(struct http_conn *c)
{
	char *end = strstr(buf_str(&c->in), "\r\n\r\n");
	if (!end)
		return false;
	size_t head = (size_t)(end - c->in.p) + 4, length = 0;
	const char *h = strcasestr(c->in.p, "\r\ncontent-length:");
	if (h && h < end)
		length = strtoul(h + 17, NULL, 10);
	if (c->in.len < head + length)
		return false;
	*end = '\0';
	char method[16] = "", path[1024] = "";
	if (sscanf(c->in.p, "%15s %1023s", method, path) != 2)
		abort();
	char *body = xstrndup(c->in.p + head, length);
	struct http_request r = {method, path, c->in.p, body, length, c->server->requests++};
	struct buf out = {0};
	bool good = c->server->answer(&r, &out, c->server->userdata);
	if (out.len && write(c->fd, out.p, out.len) != (ssize_t)out.len)
		good = false;
	buf_free(&out);
	free(body);
	memmove(c->in.p, c->in.p + head + length, c->in.len - head - length);
	c->in.len -= head + length;
	c->in.p[c->in.len] = '\0';
	if (!good)
		http_conn_free(c);
	return good;
}

static int http_on_bytes(sd_event_source *s, int fd, uint32_t events, void *userdata)
{
	(void)s;
	(void)events;
	struct http_conn *c = userdata;
	char chunk[65536];
	ssize_t n = read(fd, chunk, sizeof(chunk));
	if (n <= 0) {
		http_conn_free(c);
		return 0;
	}
	buf_add(&c->in, chunk, (size_t)n);
	while (http_serve_one(c))
		;
	return 0;
}

static int http_on_accept(sd_event_source *s, int fd, uint32_t events, void *userdata)
{
	(void)s;
	(void)events;
	struct http_server *srv = userdata;
	struct http_conn *c = xcalloc(1, sizeof(*c));
	c->server = srv;
	c->fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	srv->conns++;
	LIST_INSERT_HEAD(&srv->open, c, link);
	if (c->fd < 0 ||
	    sd_event_add_io(srv->loop, &c->source, c->fd, EPOLLIN, http_on_bytes, c) < 0)
		abort();
	return 0;
}

static void http_server_start(struct http_server *s, sd_event *loop, http_answer_fn answer,
			      void *userdata)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	*s = (struct http_server){.loop = loop, .answer = answer, .userdata = userdata};
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    listen(s->fd, 64) < 0 || getsockname(s->fd, (struct sockaddr *)&a, &len) < 0 ||
	    sd_event_add_io(loop, &s->source, s->fd, EPOLLIN, http_on_accept, s) < 0)
		abort();
	s->port = ntohs(a.sin_port);
}

static void http_server_stop(struct http_server *s)
{
	for (struct http_conn *c; (c = LIST_FIRST(&s->open));)
		http_conn_free(c);
	s->source = sd_event_source_disable_unref(s->source);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

#endif
