/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define BACKLOG 4096 /* the kernel cuts it to net.core.somaxconn */

static const struct {
	const char *name; /* FileDescriptorName= in a socket unit */
	const char *flag; /* for messages */
} kinds[N_SOCKETS] = {
    [SOCKET_WEBHOOK] = {"webhook", "WEBHOOK_PORT"},
    [SOCKET_HEALTH] = {"health", "--health-probe-addr"},
    [SOCKET_METRICS] = {"metrics", "--metrics-addr"},
};

struct address {
	char host[128]; /* empty: any */
	char port[16];
};

/* "HOST:PORT", ":PORT", "[v6]:PORT". */
static int parse_address(const char *text, struct address *out, struct err *e)
{
	const char *colon = strrchr(text, ':');
	if (!colon)
		return err_set(e, EINVAL, "no port in \"%s\"", text);
	const char *host = text;
	size_t n = (size_t)(colon - text);
	if (n >= 2 && host[0] == '[' && host[n - 1] == ']') {
		host++;
		n -= 2;
	} else if (memchr(host, ':', n)) {
		return err_set(e, EINVAL, "an IPv6 address needs brackets in \"%s\"", text);
	}
	size_t digits = strspn(colon + 1, "0123456789");
	if (n >= sizeof(out->host) || digits == 0 || digits > 5 || colon[1 + digits] != '\0' ||
	    atoi(colon + 1) > 65535)
		return err_set(e, EINVAL, "\"%s\" is no address", text);
	memcpy(out->host, host, n);
	out->host[n] = '\0';
	snprintf(out->port, sizeof(out->port), "%s", colon + 1);
	return 0;
}

/* A listening socket, or -errno. */
static int listen_on(const struct addrinfo *ai)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	int one = 1, zero = 0;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (ai->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0) {
		int saved = errno;
		close(fd);
		return -saved;
	}
	return fd;
}

static int bind_address(const struct address *a, struct err *e)
{
	/* "any" is both families where there is IPv6, and IPv4 where there is not */
	const char *const hosts[] = {*a->host ? a->host : "::", *a->host ? NULL : "0.0.0.0"};
	int r = -EADDRNOTAVAIL;
	for (size_t i = 0; i < 2 && hosts[i]; i++) {
		const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
					       .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
		struct addrinfo *list = NULL;
		int g = getaddrinfo(hosts[i], a->port, &hints, &list);
		if (g != 0)
			return err_set(e, EINVAL, "%s: %s", hosts[i], gai_strerror(g));
		for (const struct addrinfo *ai = list; ai; ai = ai->ai_next) {
			r = listen_on(ai);
			if (r >= 0)
				break;
		}
		freeaddrinfo(list);
		if (r >= 0 || r == -EADDRINUSE || r == -EACCES)
			break;
	}
	return r < 0 ? err_set(e, -r, "%s", strerror(-r)) : r;
}

static uint16_t port_of(int fd)
{
	struct sockaddr_storage ss;
	socklen_t n = sizeof(ss);
	if (getsockname(fd, (struct sockaddr *)&ss, &n) < 0)
		return 0;
	if (ss.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&ss)->sin6_port);
	if (ss.ss_family == AF_INET)
		return ntohs(((struct sockaddr_in *)&ss)->sin_port);
	return 0;
}

/* Takes what systemd passed, by the sockets' names. */
static int take_inherited(struct supervisor *s, struct err *e)
{
	char **names = NULL;
	int n = sd_listen_fds_with_names(1, &names);
	if (n < 0)
		return err_set(e, -n, "LISTEN_FDS: %s", strerror(-n));
	int r = 0;
	for (int i = 0; i < n; i++) {
		int fd = SD_LISTEN_FDS_START + i;
		size_t k = 0;
		while (k < N_SOCKETS && strcmp(names[i], kinds[k].name) != 0)
			k++;
		if (k == N_SOCKETS || s->sockets[k].fd >= 0) {
			log_warn("a socket named \"%s\" was passed and is not used; known names: "
				 "webhook, health, metrics",
				 names[i]);
			close(fd);
		} else if (sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) <= 0) {
			r = err_set(e, EINVAL, "the passed socket \"%s\" is no listening one",
				    names[i]);
		} else {
			fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
			s->sockets[k].fd = fd;
			log_info("took the listening socket \"%s\" from systemd", names[i]);
		}
		free(names[i]);
	}
	free(names);
	return r;
}

static int open_one(struct supervisor *s, size_t k, const char *text, struct err *e)
{
	struct listener *l = &s->sockets[k];
	if (l->fd < 0) {
		struct address a;
		int r = parse_address(text, &a, e);
		if (r >= 0)
			r = bind_address(&a, e);
		if (r < 0)
			return err_wrap(e, "%s: cannot listen on %s", kinds[k].flag, text);
		l->fd = r;
	}
	l->port = port_of(l->fd);
	log_info("listening for %s on port %u", l->name, l->port);
	return 0;
}

static int write_ports(const struct supervisor *s, struct err *e)
{
	_cleanup_buf_ struct buf b = {0};
	for (size_t k = 0; k < N_SOCKETS; k++)
		if (s->sockets[k].fd >= 0)
			buf_printf(&b, "%s=%u\n", s->sockets[k].name, s->sockets[k].port);
	return rundir_write(s, "ports", buf_str(&b), e);
}

int sockets_open(struct supervisor *s, struct err *e)
{
	for (size_t k = 0; k < N_SOCKETS; k++)
		s->sockets[k].name = kinds[k].name; /* one may be open, from a handover */
	int r = take_inherited(s, e);
	if (r < 0)
		return r;
	const char *port = getenv("WEBHOOK_PORT");
	_cleanup_free_ char *webhook = xasprintf(":%s", port && *port ? port : "9876");
	const char *const addresses[N_SOCKETS] = {
	    [SOCKET_WEBHOOK] = webhook,
	    [SOCKET_HEALTH] = s->options.health_probe_addr,
	    [SOCKET_METRICS] = s->options.metrics_addr,
	};
	for (size_t k = 0; k < N_SOCKETS; k++) {
		/* "0" turns an endpoint off, as in controller-runtime */
		if (k != SOCKET_WEBHOOK && strcmp(addresses[k], "0") == 0)
			continue;
		r = open_one(s, k, addresses[k], e);
		if (r < 0)
			return r;
	}
	return write_ports(s, e);
}
