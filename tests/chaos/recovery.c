/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "tests/chaos/chaos.h"

#include <stdlib.h>
#include <string.h>

/*
 * Times from a death to the first useful act. Restarts at once and those after a back-off, which is
 * part of their time, are kept apart. "admission" is the time after a kill of a webhookd until a
 * review is answered over TLS, by whichever process; apart, when its sibling was down as well.
 */
enum { ADMISSION = N_KINDS, ADMISSION_ALONE, N_SERIES };

struct series {
	uint32_t *usec;
	size_t n, cap;
};

static const char *const names[N_SERIES] = {
    [KIND_WATCHER] = "watcher",
    [KIND_WEBHOOKD] = "webhookd",
    [KIND_CONFIG] = "webhookconfig",
    [KIND_ELECTOR] = "elector",
    [KIND_WORKER] = "worker",
    [ADMISSION] = "admission",
    [ADMISSION_ALONE] = "admission, both killed",
};
static struct series times[N_SERIES][2];

static void add(size_t which, bool delayed, uint64_t usec)
{
	struct series *s = &times[which][delayed];
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 256;
		s->usec = xrealloc(s->usec, s->cap * sizeof(*s->usec));
	}
	s->usec[s->n++] = (uint32_t)usec;
}

void recovery_add(enum kind kind, bool delayed, uint64_t usec)
{
	add((size_t)kind, delayed, usec);
}

static int by_size(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static double quantile(const struct series *s, double q)
{
	return (double)s->usec[(size_t)(q * (double)(s->n - 1) + 0.5)] / 1000;
}

void recovery_print(void)
{
	for (size_t i = 0; i < N_SERIES; i++)
		for (size_t delayed = 0; delayed < 2; delayed++) {
			struct series *s = &times[i][delayed];
			if (!s->n)
				continue;
			qsort(s->usec, s->n, sizeof(*s->usec), by_size);
			printf("recovery: %s%s n=%zu p50_ms=%.1f p99_ms=%.1f worst_ms=%.1f\n",
			       names[i], delayed ? " after a back-off" : "", s->n, quantile(s, 0.5),
			       quantile(s, 0.99), quantile(s, 1));
		}
}

int64_t recovery_worst_ms(void)
{
	uint32_t worst = 0;
	for (size_t i = 0; i < N_SERIES; i++)
		for (size_t k = 0; k < times[i][0].n; k++)
			worst = times[i][0].usec[k] > worst ? times[i][0].usec[k] : worst;
	return worst / 1000;
}

/* ---- the probe ---- */

static struct {
	struct chaos *c;
	struct k8s_client *k8s;
	uint64_t began; /* 0: idle */
	bool up;	/* the sibling was, then */
} probe;

static const char review[] =
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/"
    "v1\",\"request\":{\"uid\":\"1\","
    "\"kind\":{\"group\":\"apps.kruise.io\",\"version\":\"v1alpha1\",\"kind\":\"CloneSet\"},"
    "\"resource\":{\"group\":\"apps.kruise.io\",\"version\":\"v1alpha1\",\"resource\":"
    "\"clonesets\"},"
    "\"name\":\"p\",\"namespace\":\"default\",\"operation\":\"CREATE\",\"userInfo\":{},\"object\":{"
    "\"apiVersion\":\"apps.kruise.io/"
    "v1alpha1\",\"kind\":\"CloneSet\",\"metadata\":{\"name\":\"p\"},"
    "\"spec\":{\"replicas\":0,\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{"
    "\"metadata\":{"
    "\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"m\",\"image\":\"x\"}]}}}},"
    "\"oldObject\":null}}";

static void send_probe(void);

static void on_probe(const struct k8s_response *r, void *userdata)
{
	(void)userdata;
	if (!k8s_ok(r)) {
		send_probe();
		return;
	}
	const uint64_t took = chaos_now() - probe.began;
	probe.began = 0;
	add(probe.up ? ADMISSION : ADMISSION_ALONE, false, took);
	history_add(probe.c, "*", "admission answered after %llu ms",
		    (unsigned long long)took / 1000);
}

static void send_probe(void)
{
	k8s_raw(probe.k8s, "POST", "/mutate-apps-kruise-io-v1alpha1-cloneset", "application/json",
		review, sizeof(review) - 1, on_probe, NULL);
}

void recovery_probe(struct chaos *c)
{
	if (probe.began)
		return;
	probe.up = tree_admission_up(c);
	probe.began = chaos_now();
	send_probe();
}

void recovery_probe_start(struct chaos *c)
{
	struct err e = {0};
	struct k8s_config config = {.server = xstrdup(c->o->webhook),
				    .insecure_skip_tls_verify = true};
	const struct k8s_client_options o = {.user_agent = "kruise-chaos-probe"};
	probe.c = c;
	if (k8s_client_new(&probe.k8s, c->loop, &config, &o, &e) < 0)
		fatal("%s", e.msg);
	free(config.server);
}
