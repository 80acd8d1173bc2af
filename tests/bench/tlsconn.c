/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/tlsconn.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_ANSWER (4u << 20)

static int dial(const char *host, const char *port, struct err *e)
{
	struct addrinfo *list, hints = {.ai_socktype = SOCK_STREAM};
	const int r = getaddrinfo(host, port, &hints, &list);
	if (r)
		return err_set(e, EHOSTUNREACH, "%s: %s", host, gai_strerror(r));
	int fd = -1;
	for (const struct addrinfo *i = list; i && fd < 0; i = i->ai_next) {
		fd = socket(i->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 && connect(fd, i->ai_addr, i->ai_addrlen) < 0) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (fd < 0)
		return err_set(e, errno, "%s:%s: %s", host, port, strerror(errno));
	const int one = 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

int tls_conn_open(struct tls_conn *c, const char *host, const char *port,
		  gnutls_certificate_credentials_t ca, bool verify, struct err *e)
{
	*c = (struct tls_conn){.fd = dial(host, port, e)};
	if (c->fd < 0)
		return c->fd;
	gnutls_init(&c->session, GNUTLS_CLIENT);
	gnutls_set_default_priority(c->session);
	gnutls_credentials_set(c->session, GNUTLS_CRD_CERTIFICATE, ca);
	if (verify)
		gnutls_session_set_verify_cert(c->session, host, 0);
	gnutls_transport_set_int(c->session, c->fd);
	int r;
	do
		r = gnutls_handshake(c->session);
	while (r < 0 && !gnutls_error_is_fatal(r));
	if (r < 0) {
		tls_conn_close(c);
		return err_set(e, EPROTO, "%s:%s: %s", host, port, gnutls_strerror(r));
	}
	fcntl(c->fd, F_SETFL, fcntl(c->fd, F_GETFL) | O_NONBLOCK);
	return 0;
}

void tls_conn_close(struct tls_conn *c)
{
	if (c->session)
		gnutls_deinit(c->session);
	if (c->fd >= 0)
		close(c->fd);
	buf_free(&c->in);
	*c = (struct tls_conn){.fd = -1};
}

void tls_conn_send(struct tls_conn *c, const char *request, size_t n)
{
	c->out = request;
	c->out_len = n;
	buf_reset(&c->in);
}

static bool try_again(ssize_t r)
{
	return r == GNUTLS_E_AGAIN || r == GNUTLS_E_INTERRUPTED;
}

/* The answer has its header and as many bytes as Content-Length says. */
static bool complete(struct buf *in)
{
	const char *head = buf_str(in), *end = strstr(head, "\r\n\r\n");
	const char *length = end ? strcasestr(head, "\r\nContent-Length:") : NULL;
	if (!length || length > end)
		return false;
	const size_t body = strtoul(length + strlen("\r\nContent-Length:"), NULL, 10);
	return in->len >= (size_t)(end - head) + 4 + body;
}

int tls_conn_turn(struct tls_conn *c, struct err *e)
{
	while (c->out_len) {
		const ssize_t n = gnutls_record_send(c->session, c->out, c->out_len);
		if (try_again(n))
			return 0;
		if (n < 0)
			return err_set(e, EPIPE, "send: %s", gnutls_strerror((int)n));
		c->out += n;
		c->out_len -= (size_t)n;
	}
	for (;;) {
		char chunk[16384];
		const ssize_t n = gnutls_record_recv(c->session, chunk, sizeof(chunk));
		if (try_again(n))
			return 0;
		if (n <= 0)
			return err_set(e, EPIPE, "receive: %s",
				       n ? gnutls_strerror((int)n) : "closed");
		buf_add(&c->in, chunk, (size_t)n);
		if (c->in.len > MAX_ANSWER)
			return err_set(e, EMSGSIZE, "the answer is too long");
		if (complete(&c->in))
			return 1;
	}
}
