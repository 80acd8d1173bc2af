/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_TLSCONN_H
#define BENCH_TLSCONN_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"

#include <gnutls/gnutls.h>
#include <stdbool.h>

/* One keep-alive HTTP/1.1 connection over TLS: a request, its answer, the next request. */
struct tls_conn {
	int fd;
	gnutls_session_t session;
	const char *out; /* what is left of the request */
	size_t out_len;
	struct buf in; /* the answer so far */
};

/* Connects and shakes hands, blocking; then the descriptor is non-blocking. ca: loaded credentials,
 * checked only when verify. */
int tls_conn_open(struct tls_conn *c, const char *host, const char *port,
		  gnutls_certificate_credentials_t ca, bool verify, struct err *e);
void tls_conn_close(struct tls_conn *c);

/* Starts a request; the bytes must stay until the answer is complete. */
void tls_conn_send(struct tls_conn *c, const char *request, size_t n);
/* Goes on when poll(2) says so. 1: the answer in c->in is complete, 0: not yet, < 0: broken. */
int tls_conn_turn(struct tls_conn *c, struct err *e);

#endif
