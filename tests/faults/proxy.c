/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A TLS proxy in front of an API server that misbehaves on demand:
 *
 *   test-proxy --listen PORT --upstream PORT --cert FILE --key FILE [--expired-cert FILE] --control
 * FILE
 *              --log FILE
 *
 * The control file has one line, "FAULT [NUMBER [PART]]"; it is looked at for each request, and ten
 * times a second while an answer is under way: an answer that began before the fault is cut. With
 * PART only requests whose path and query have it are meant. Faults:
 *
 *   none             hand through
 *   delay MS         answers come later
 *   cut BYTES        the connection is broken after so many bytes of the answer
 *   status CODE      an answer with this code, 429 with Retry-After
 *   garbage          200, and a body that is no JSON
 *   noise            what is no HTTP at all
 *   half             200, and the first half of a watch event
 *   long MIB         200, and one line of so many MiB
 *   silence          no answer, and the connection stays open
 *   refuse           the connection is closed at once
 *   expired          the certificate of --expired-cert
 *
 * HTTP/1.1, one request a connection; a process for each. The log gets a line for each request: the
 * fault, method and path.
 */
#include "ipc/base/buf.h"
#include "ipc/base/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <gnutls/gnutls.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_HEAD 65536u
#define LOOK_MS 100

struct settings {
	int listen, upstream;
	const char *cert, *key, *expired, *control, *log;
};

struct fault {
	char name[32], part[256];
	long number;
};

struct link {
	gnutls_session_t tls;
	int fd;
};

struct exchange {
	const struct settings *settings;
	struct link client, server;
	struct buf request;
	char line[1024]; /* "GET /path" */
	struct fault fault;
};

static void read_fault(const struct settings *s, struct fault *out)
{
	*out = (struct fault){.name = "none"};
	FILE *f = fopen(s->control, "re");
	if (!f)
		return;
	char line[512] = "";
	if (fgets(line, sizeof(line), f) &&
	    sscanf(line, "%31s %ld %255s", out->name, &out->number, out->part) < 1)
		snprintf(out->name, sizeof(out->name), "none");
	fclose(f);
}

static bool meant(const struct fault *f, const char *line)
{
	return !*f->part || strstr(line, f->part);
}

static bool is(const struct exchange *x, const char *name)
{
	return strcmp(x->fault.name, name) == 0;
}

static void send_all(struct link *l, const void *p, size_t n)
{
	while (n > 0) {
		ssize_t r = gnutls_record_send(l->tls, p, n);
		if (r == GNUTLS_E_AGAIN || r == GNUTLS_E_INTERRUPTED)
			continue;
		if (r <= 0)
			exit(0);
		p = (const char *)p + r;
		n -= (size_t)r;
	}
}

static void send_text(struct exchange *x, const char *text)
{
	send_all(&x->client, text, strlen(text));
}

static ssize_t receive(struct link *l, void *p, size_t n)
{
	ssize_t r;
	do {
		r = gnutls_record_recv(l->tls, p, n);
	} while (r == GNUTLS_E_AGAIN || r == GNUTLS_E_INTERRUPTED);
	return r;
}

static void shake_hands(struct link *l)
{
	static const gnutls_datum_t http = {(unsigned char *)(uintptr_t) "http/1.1", 8};
	gnutls_alpn_set_protocols(l->tls, &http, 1, 0);
	gnutls_set_default_priority(l->tls);
	gnutls_transport_set_int(l->tls, l->fd);
	int r;
	do {
		r = gnutls_handshake(l->tls);
	} while (r < 0 && !gnutls_error_is_fatal(r));
	if (r < 0)
		exit(0);
}

static void accept_tls(struct exchange *x)
{
	gnutls_certificate_credentials_t c;
	bool expired = is(x, "expired") && x->settings->expired;
	gnutls_certificate_allocate_credentials(&c);
	if (gnutls_certificate_set_x509_key_file(c,
						 expired ? x->settings->expired : x->settings->cert,
						 x->settings->key, GNUTLS_X509_FMT_PEM) < 0)
		fatal("%s: no certificate", x->settings->cert);
	gnutls_init(&x->client.tls, GNUTLS_SERVER);
	gnutls_credentials_set(x->client.tls, GNUTLS_CRD_CERTIFICATE, c);
	shake_hands(&x->client);
}

static void dial(struct exchange *x)
{
	gnutls_certificate_credentials_t c;
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons((uint16_t)x->settings->upstream),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	x->server.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(x->server.fd, (const struct sockaddr *)&to, sizeof(to)) < 0)
		exit(0);
	gnutls_certificate_allocate_credentials(&c);
	gnutls_init(&x->server.tls, GNUTLS_CLIENT);
	gnutls_credentials_set(x->server.tls, GNUTLS_CRD_CERTIFICATE, c);
	shake_hands(&x->server);
}

/* ---- the request ---- */

static size_t content_length(const char *head)
{
	const char *p = strcasestr(head, "\r\nContent-Length:");
	return p ? strtoul(p + 17, NULL, 10) : 0;
}

static void read_request(struct exchange *x)
{
	char chunk[16384];
	const char *end = NULL;
	size_t want = 0;
	while (!end || x->request.len < want) {
		ssize_t n = receive(&x->client, chunk, sizeof(chunk));
		if (n <= 0)
			exit(0);
		buf_add(&x->request, chunk, (size_t)n);
		if (!end && (end = strstr(buf_str(&x->request), "\r\n\r\n")))
			want = (size_t)(end - x->request.p) + 4 + content_length(x->request.p);
		if (!end && x->request.len > MAX_HEAD)
			exit(0);
	}
	snprintf(x->line, sizeof(x->line), "%.*s", (int)strcspn(x->request.p, "\r\n"),
		 x->request.p);
	char *version = strstr(x->line, " HTTP/");
	if (version)
		*version = '\0';
}

static void note_request(const struct exchange *x)
{
	char text[1200];
	int n = snprintf(text, sizeof(text), "%s %s\n", x->fault.name, x->line);
	int fd = open(x->settings->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		log_warn("%s: %m", x->settings->log);
	close(fd);
}

/* Ours is the only request on the connection. */
static void forward_request(struct exchange *x)
{
	const char *line_end = strstr(x->request.p, "\r\n") + 2;
	size_t first = (size_t)(line_end - x->request.p);
	send_all(&x->server, x->request.p, first);
	send_all(&x->server, "Connection: close\r\n", 19);
	send_all(&x->server, line_end, x->request.len - first);
}

/* ---- the answer ---- */

static void end(struct exchange *x)
{
	gnutls_bye(x->client.tls, GNUTLS_SHUT_WR);
	exit(0);
}

static bool fault_came(const struct exchange *x)
{
	struct fault now;
	read_fault(x->settings, &now);
	return meant(&now, x->line) && strcmp(now.name, "none") != 0 &&
	       (strcmp(now.name, x->fault.name) != 0 || now.number != x->fault.number);
}

static void hand_through(struct exchange *x, size_t limit)
{
	char chunk[16384];
	size_t sent = 0;
	for (;;) {
		struct pollfd p[2] = {{.fd = x->server.fd, .events = POLLIN},
				      {.fd = x->client.fd, .events = POLLIN}};
		if (gnutls_record_check_pending(x->server.tls) == 0) {
			if (poll(p, 2, LOOK_MS) < 0)
				exit(0);
			if (fault_came(x) || p[1].revents) /* or the client has gone */
				exit(0);
			if (!p[0].revents)
				continue;
		}
		ssize_t n = receive(&x->server, chunk, sizeof(chunk));
		if (n <= 0)
			end(x);
		size_t part = sent + (size_t)n > limit ? limit - sent : (size_t)n;
		send_all(&x->client, chunk, part);
		sent += part;
		if (sent == limit)
			exit(0); /* without a goodbye */
	}
}

static void answer_none(struct exchange *x)
{
	dial(x);
	forward_request(x);
	hand_through(x, is(x, "cut") ? (size_t)x->fault.number : SIZE_MAX);
}

static void answer_delay(struct exchange *x)
{
	const struct timespec ts = {x->fault.number / 1000, x->fault.number % 1000 * 1000000};
	nanosleep(&ts, NULL);
	answer_none(x);
}

static void answer_status(struct exchange *x)
{
	_cleanup_buf_ struct buf body = {0};
	_cleanup_buf_ struct buf all = {0};
	buf_printf(&body,
		   "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
		   "\"message\":\"fault\",\"reason\":\"%s\",\"code\":%ld}",
		   x->fault.number == 410 ? "Expired" : "Fault", x->fault.number);
	buf_printf(&all,
		   "HTTP/1.1 %ld Fault\r\nContent-Type: application/json\r\n%s"
		   "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
		   x->fault.number, x->fault.number == 429 ? "Retry-After: 1\r\n" : "", body.len,
		   buf_str(&body));
	send_text(x, buf_str(&all));
	end(x);
}

#define OPEN_ANSWER "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"

static void answer_garbage(struct exchange *x)
{
	send_text(x, OPEN_ANSWER "\x01\x02{]}\xff\xfe not json\n\n\n{{{{\n");
	end(x);
}

static void answer_noise(struct exchange *x)
{
	send_text(x, "\x16\x03 SSH-2.0 \r\n\x00\xff\xff\r\n\r\n");
	end(x);
}

static void answer_half(struct exchange *x)
{
	send_text(x, OPEN_ANSWER "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Pod\",\"meta");
	exit(0);
}

static void answer_long(struct exchange *x)
{
	static char block[1 << 20];
	memset(block, 'x', sizeof(block));
	send_text(x, OPEN_ANSWER "{\"type\":\"ADDED\",\"object\":\"");
	for (long i = 0; i < x->fault.number; i++)
		send_all(&x->client, block, sizeof(block));
	end(x);
}

static void answer_silence(struct exchange *x)
{
	for (;;) {
		struct pollfd p = {.fd = x->client.fd, .events = POLLIN};
		struct fault now;
		if (poll(&p, 1, LOOK_MS) > 0)
			exit(0);
		read_fault(x->settings, &now);
		if (strcmp(now.name, "silence") != 0)
			exit(0);
	}
}

static const struct {
	const char *name;
	void (*answer)(struct exchange *x);
} answers[] = {{"delay", answer_delay},	    {"status", answer_status}, {"garbage", answer_garbage},
	       {"noise", answer_noise},	    {"half", answer_half},     {"long", answer_long},
	       {"silence", answer_silence}, {"none", answer_none}};

static void serve(const struct settings *s, int fd)
{
	struct exchange x = {.settings = s, .client.fd = fd};
	read_fault(s, &x.fault);
	if (is(&x, "refuse"))
		exit(0);
	accept_tls(&x);
	read_request(&x);
	read_fault(s, &x.fault);
	if (!meant(&x.fault, x.line))
		x.fault = (struct fault){.name = "none"};
	note_request(&x);
	size_t i = 0;
	while (i < sizeof(answers) / sizeof(answers[0]) - 1 && !is(&x, answers[i].name))
		i++;
	answers[i].answer(&x);
}

static int listen_on(int port)
{
	const struct sockaddr_in at = {.sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 512) < 0)
		fatal("port %d: %m", port);
	return fd;
}

static void parse(int argc, char **argv, struct settings *s)
{
	static const struct option options[] = {{"listen", required_argument, NULL, 'l'},
						{"upstream", required_argument, NULL, 'u'},
						{"cert", required_argument, NULL, 'c'},
						{"key", required_argument, NULL, 'k'},
						{"expired-cert", required_argument, NULL, 'e'},
						{"control", required_argument, NULL, 'f'},
						{"log", required_argument, NULL, 'o'},
						{NULL, 0, NULL, 0}};
	int c;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		const struct {
			int letter;
			const char **text;
			int *number;
		} table[] = {{'l', NULL, &s->listen},  {'u', NULL, &s->upstream},
			     {'c', &s->cert, NULL},    {'k', &s->key, NULL},
			     {'e', &s->expired, NULL}, {'f', &s->control, NULL},
			     {'o', &s->log, NULL}};
		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
			if (table[i].letter != c)
				continue;
			if (table[i].text)
				*table[i].text = optarg;
			else
				*table[i].number = atoi(optarg);
		}
	}
	if (!s->listen || !s->upstream || !s->cert || !s->key || !s->control || !s->log)
		fatal("flags are missing");
}

int main(int argc, char **argv)
{
	struct settings s = {0};
	log_init("test-proxy", LOG_LVL_INFO, false);
	parse(argc, argv, &s);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	int at = listen_on(s.listen);
	for (;;) {
		int fd = accept4(at, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
			close(at);
			serve(&s, fd);
			return 0;
		}
		close(fd);
	}
}
