/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEBHOOKD_WEBHOOKD_H
#define WEBHOOKD_WEBHOOKD_H

#include "ipc/child.h"
#include "ipc/metrics.h"
#include "ipc/options.h"
#include "ipc/store.h"
#include "kube/rest.h"
#include "rules/gates.h"
#include "webhookd/http.h"

/* The process: admission over TLS, health and metrics over plain HTTP, all on one loop. */
struct webhookd {
	struct options options;
	struct gates gates;
	const char *name; /* webhookd-0, webhookd-1 */
	sd_event *loop;
	struct child *child;
	struct store *store;   /* NULL until the watcher has made it */
	struct store_txn *txn; /* of the request that is being answered */
	struct metrics *metrics;
	struct metric *requests, *latency;
	struct http_server *admission, *health, *scrape;
	sd_event_source *drain; /* since it was told to stop */
	uint64_t drain_until_usec;

	/* certificate */
	char *dir; /* RUNDIR/webhook */
	sd_event_source *inotify;
	char *ca_base64;
	/* the TLS request to ourselves */
	struct k8s_client *self;
	sd_event_source *self_timer;
	bool self_answered;
	char self_error[256];
};

/* serve.c: an admission request. */
void webhookd_serve(const struct http_request *request, struct http_reply *reply, void *userdata);
/* The store, opened when it exists; NULL otherwise. */
struct store *webhookd_store(struct webhookd *w);

/* health.c: /healthz, /readyz; /metrics. */
void webhookd_health(const struct http_request *request, struct http_reply *reply, void *userdata);
void webhookd_metrics(const struct http_request *request, struct http_reply *reply, void *userdata);

/* certificate.c: loads the pair that the webhookconfig worker publishes, and again when it changes;
 * then asks itself over TLS. */
int webhookd_certificate_start(struct webhookd *w, struct err *e);
void webhookd_certificate_stop(struct webhookd *w);

#endif
