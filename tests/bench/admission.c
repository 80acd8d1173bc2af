/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/json.h"
#include "tests/bench/bench.h"
#include "tests/bench/procs.h"
#include "tests/bench/tlsconn.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A closed loop: each connection sends its next AdmissionReview when the last one is answered,
 * mutating and validating in turn. Latency is from the first byte sent to the last byte of the
 * answer read.
 */
#define WARM_UP_SEC 1.0
#define MAX_CONNECTIONS 256
#define KINDS 2

struct load {
	const struct bench_args *args;
	char host[256], port[16];
	gnutls_certificate_credentials_t credentials;
	struct buf request[KINDS];
	struct tls_conn conn[MAX_CONNECTIONS];
	double sent[MAX_CONNECTIONS];
	unsigned turn[MAX_CONNECTIONS]; /* which kind is next */
	struct pollfd poll[MAX_CONNECTIONS];
	float *latency_ms;
	size_t answers, size, refused;
};

static val review(arena *a, const struct bench_args *args)
{
	val r = val_map(), kind = val_map(), resource = val_map();
	val_set(a, &r, "apiVersion", val_of_str("admission.k8s.io/v1"));
	val_set(a, &r, "kind", val_of_str("AdmissionReview"));
	val *q = val_ensure_map(a, &r, "request");
	val_set(a, &kind, "group", val_of_str("apps.kruise.io"));
	val_set(a, &kind, "version", val_of_str("v1alpha1"));
	resource = val_copy(a, &kind);
	val_set(a, &kind, "kind", val_of_str("CloneSet"));
	val_set(a, &resource, "resource", val_of_str("clonesets"));
	val_set(a, q, "uid", val_of_str("705ab4f5-6393-11e8-b7cc-42010a800002"));
	val_set(a, q, "kind", kind);
	val_set(a, q, "resource", resource);
	val_set(a, q, "requestKind", val_copy(a, &kind));
	val_set(a, q, "requestResource", val_copy(a, &resource));
	val_set(a, q, "name", val_of_str(args->name));
	val_set(a, q, "namespace", val_of_str(args->namespace_));
	val_set(a, q, "operation", val_of_str("CREATE"));
	val_set(a, val_ensure_map(a, q, "userInfo"), "username", val_of_str("kubernetes-admin"));
	val object = bench_cloneset(a, args);
	val *meta = val_get_mut(&object, "metadata");
	val_set(a, meta, "uid", val_of_str("0df28fbd-5f5f-11e8-bc74-36e6bb280816"));
	val_set(a, meta, "generation", val_of_int(1));
	val_set(a, meta, "creationTimestamp", val_of_str("2026-12-01T00:00:00Z"));
	val_set(a, q, "object", object);
	val_set(a, q, "oldObject", val_null());
	val_set(a, q, "dryRun", val_of_bool(false));
	return r;
}

static void make_requests(struct load *l)
{
	static const char *const paths[KINDS] = {"/mutate-apps-kruise-io-v1alpha1-cloneset",
						 "/validate-apps-kruise-io-v1alpha1-cloneset"};
	_cleanup_arena_ arena *a = arena_new();
	const val r = review(a, l->args);
	const char *body = json_str(a, &r, 0);
	for (size_t i = 0; i < KINDS; i++)
		buf_printf(&l->request[i],
			   "POST %s?timeout=30s HTTP/1.1\r\nHost: %s:%s\r\n"
			   "Content-Type: application/json\r\nAccept: application/json\r\n"
			   "Content-Length: %zu\r\n\r\n%s",
			   paths[i], l->host, l->port, strlen(body), body);
}

static void open_one(struct load *l, size_t i)
{
	struct err e = {0};
	if (tls_conn_open(&l->conn[i], l->host, l->port, l->credentials, l->args->ca, &e) < 0)
		fatal("%s", e.msg);
	l->poll[i] = (struct pollfd){.fd = l->conn[i].fd, .events = POLLIN};
}

static void open_all(struct load *l)
{
	const bool verify = l->args->ca;
	if (!l->args->url ||
	    sscanf(l->args->url, "https://%255[^:/]:%15[0-9]", l->host, l->port) != 2)
		fatal("--url must be https://HOST:PORT");
	gnutls_certificate_allocate_credentials(&l->credentials);
	if (verify && gnutls_certificate_set_x509_trust_file(l->credentials, l->args->ca,
							     GNUTLS_X509_FMT_PEM) < 1)
		fatal("%s: no certificate", l->args->ca);
	make_requests(l);
	for (int64_t i = 0; i < l->args->connections; i++) {
		open_one(l, (size_t)i);
		l->turn[i] = (unsigned)i % KINDS;
	}
}

static void send_next(struct load *l, size_t i)
{
	struct buf *request = &l->request[l->turn[i]++ % KINDS];
	l->sent[i] = bench_now();
	tls_conn_send(&l->conn[i], request->p, request->len);
}

static void count(struct load *l, size_t i)
{
	const char *answer = buf_str(&l->conn[i].in);
	if (strncmp(answer, "HTTP/1.1 200", 12) != 0 || !strstr(answer, "\"allowed\":true")) {
		if (!l->refused++)
			bench_say("admission: an answer that is no approval: %.400s", answer);
	}
	if (l->answers == l->size) {
		l->size = l->size ? l->size * 2 : 65536;
		l->latency_ms = xrealloc(l->latency_ms, l->size * sizeof(*l->latency_ms));
	}
	l->latency_ms[l->answers++] = (float)((bench_now() - l->sent[i]) * 1000);
}

/* webhookd keeps connections under load only: the first answers of the warm-up close theirs. */
static void reopen_if_closed(struct load *l, size_t i)
{
	const char *answer = buf_str(&l->conn[i].in);
	const char *end = strstr(answer, "\r\n\r\n"),
		   *close = strcasestr(answer, "\r\nConnection: close\r\n");
	if (!close || !end || close > end)
		return;
	tls_conn_close(&l->conn[i]);
	open_one(l, i);
}

static void turn(struct load *l, size_t i)
{
	struct err e = {0};
	int r;
	/* an answer may be there as soon as the request is out: poll() would not tell */
	while ((r = tls_conn_turn(&l->conn[i], &e)) > 0) {
		count(l, i);
		reopen_if_closed(l, i);
		send_next(l, i);
	}
	if (r < 0)
		fatal("connection %zu: %s", i, e.msg);
}

static void run_until(struct load *l, double end)
{
	const size_t n = (size_t)l->args->connections;
	while (bench_now() < end) {
		if (poll(l->poll, n, 1000) < 0)
			fatal("poll: %m");
		for (size_t i = 0; i < n; i++)
			if (l->poll[i].revents)
				turn(l, i);
	}
}

static int by_size(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

static double quantile(const struct load *l, double q)
{
	const size_t i = (size_t)(q * (double)(l->answers - 1));
	return (double)l->latency_ms[i];
}

int bench_admission(const struct bench_args *args)
{
	static struct load l;
	l.args = args;
	if (args->connections < 1 || args->connections > MAX_CONNECTIONS)
		fatal("--connections must be 1 to %d", MAX_CONNECTIONS);
	open_all(&l);
	for (int64_t i = 0; i < args->connections; i++) {
		send_next(&l, (size_t)i);
		turn(&l, (size_t)i);
	}
	run_until(&l, bench_now() + WARM_UP_SEC);

	l.answers = 0;
	const pid_t root = (pid_t)args->pid;
	const double cpu = root ? tree_cpu(root, args->process) : 0, began = bench_now();
	run_until(&l, began + (double)args->seconds);
	const double took = bench_now() - began;
	const double used = root ? tree_cpu(root, args->process) - cpu : 0;
	if (!l.answers)
		fatal("no request was answered");
	qsort(l.latency_ms, l.answers, sizeof(*l.latency_ms), by_size);
	printf("admission_rps=%.0f\nadmission_p50_ms=%.3f\nadmission_p99_ms=%.3f\n"
	       "admission_cpu_ms=%.4f\n",
	       (double)l.answers / took, quantile(&l, 0.5), quantile(&l, 0.99),
	       used * 1000 / (double)l.answers);
	bench_say("admission: %zu answers, %zu not approved", l.answers, l.refused);

	for (int64_t i = 0; i < args->connections; i++)
		tls_conn_close(&l.conn[i]);
	for (size_t i = 0; i < KINDS; i++)
		buf_free(&l.request[i]);
	gnutls_certificate_free_credentials(l.credentials);
	free(l.latency_ms);
	return 0;
}
