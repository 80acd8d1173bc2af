/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEBHOOKD_HTTP_H
#define WEBHOOKD_HTTP_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"

#include <stdbool.h>
#include <systemd/sd-event.h>

/* An HTTP server (libmicrohttpd) on the process's event loop. */
struct http_server;

struct http_request {
	const char *method;
	const char *path; /* without the query */
	const char *body;
	size_t body_len;
};
struct http_reply {
	int code;
	const char *content_type;
	struct buf body;
};
/* Fills the reply; called from the loop. */
typedef void (*http_fn)(const struct http_request *request, struct http_reply *reply,
			void *userdata);

struct http_options {
	int fd;	  /* listening socket, duplicated: the caller keeps its own */
	bool tls; /* the certificate is that of webhookd/tls.h */
	unsigned max_connections;
	unsigned idle_seconds;
	size_t max_body; /* longer ones are answered with 413 */
	http_fn fn;
	void *userdata;
};

int http_server_new(struct http_server **out, sd_event *loop, const struct http_options *options,
		    struct err *e);
void http_server_free(struct http_server *s);
/* Accepts no more (new connections are for the sibling); what is open is answered, and closed with
 * the answer. */
void http_server_drain(struct http_server *s);
unsigned http_server_connections(const struct http_server *s);

#endif
