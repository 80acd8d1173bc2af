/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A steady stream of admission requests, each on a connection of its own, as the API server sends
 * them below the rate at which connections are kept:
 *
 *   test-steady PORT PATH BODY RATE STOPFILE
 *
 * RATE requests a second, from several processes, while STOPFILE exists. Prints "N answered, N
 * failed" again and again, the last time for all of them; a failed one is any that got no answer of
 * 200. Reasons go to stderr.
 */
#include "ipc/base/buf.h"
#include "ipc/base/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES 4
#define TIMEOUT_SECONDS 10
#define REPORT_USEC 100000

struct counts {
	_Atomic unsigned answered, failed;
};

static int dial(uint16_t port)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct timeval limit = {.tv_sec = TIMEOUT_SECONDS};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		fatal("socket: %m");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	close(fd);
	return -1;
}

static const char *exchange(gnutls_session_t tls, const struct buf *request)
{
	char answer[4096];
	size_t n = 0;
	ssize_t r;
	do {
		r = gnutls_handshake(tls);
	} while (r < 0 && !gnutls_error_is_fatal((int)r) && r != GNUTLS_E_AGAIN);
	if (r < 0)
		return gnutls_strerror((int)r);
	if (gnutls_record_send(tls, request->p, request->len) != (ssize_t)request->len)
		return "the request cannot be sent";
	while (n < sizeof(answer) - 1) {
		r = gnutls_record_recv(tls, answer + n, sizeof(answer) - 1 - n);
		if (r <= 0)
			break;
		n += (size_t)r;
	}
	answer[n] = '\0';
	if (strncmp(answer, "HTTP/1.1 200", 12) == 0)
		return NULL;
	return n ? "an answer that is not 200" : "no answer";
}

static const char *ask(uint16_t port, const struct buf *request,
		       gnutls_certificate_credentials_t credentials)
{
	gnutls_session_t tls;
	int fd = dial(port);
	if (fd < 0)
		return strerror(errno);
	gnutls_init(&tls, GNUTLS_CLIENT);
	gnutls_set_default_priority(tls);
	gnutls_credentials_set(tls, GNUTLS_CRD_CERTIFICATE, credentials);
	gnutls_transport_set_int(tls, fd);
	const char *error = exchange(tls, request);
	gnutls_deinit(tls);
	close(fd);
	return error;
}

static void make_request(struct buf *out, const char *path, const char *file)
{
	_cleanup_buf_ struct buf body = {0};
	char chunk[4096];
	FILE *f = fopen(file, "re");
	size_t n;
	if (!f)
		fatal("%s: %m", file);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_add(&body, chunk, n);
	fclose(f);
	buf_printf(out,
		   "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
		   "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
		   path, body.len, buf_str(&body));
}

static void run(uint16_t port, const struct buf *request, double rate, const char *stop,
		struct counts *counts)
{
	gnutls_certificate_credentials_t credentials;
	struct timespec next;
	gnutls_certificate_allocate_credentials(&credentials);
	clock_gettime(CLOCK_MONOTONIC, &next);
	while (access(stop, F_OK) == 0) {
		const char *error = ask(port, request, credentials);
		if (error) {
			counts->failed++;
			log_error("failed: %s", error);
		} else {
			counts->answered++;
		}
		next.tv_nsec += (long)(1e9 / rate);
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	gnutls_certificate_free_credentials(credentials);
}

static unsigned report(const struct counts *counts)
{
	unsigned answered = 0, failed = 0;
	for (int i = 0; i < PROCESSES; i++) {
		answered += counts[i].answered;
		failed += counts[i].failed;
	}
	printf("%u answered, %u failed\n", answered, failed);
	fflush(stdout);
	return failed;
}

int main(int argc, char **argv)
{
	_cleanup_buf_ struct buf request = {0};
	log_init("test-steady", LOG_LVL_INFO, false);
	if (argc != 6)
		fatal("usage: test-steady PORT PATH BODY RATE STOPFILE");
	make_request(&request, argv[2], argv[3]);
	struct counts *counts = mmap(NULL, PROCESSES * sizeof(*counts), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		fatal("mmap: %m");
	for (int i = 0; i < PROCESSES; i++) {
		pid_t pid = fork();
		if (pid < 0)
			fatal("fork: %m");
		if (pid == 0) {
			run((uint16_t)atoi(argv[1]), &request, atof(argv[4]) / PROCESSES, argv[5],
			    &counts[i]);
			buf_free(&request);
			return 0;
		}
	}
	while (access(argv[5], F_OK) == 0) {
		report(counts);
		usleep(REPORT_USEC);
	}
	while (wait(NULL) > 0)
		;
	return report(counts) ? 1 : 0;
}
