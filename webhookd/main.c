/* SPDX-License-Identifier: Apache-2.0 */
#include "webhookd/webhookd.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADMISSION_BODY_MAX (16u << 20)
#define PLAIN_BODY_MAX 4096
#define ADMISSION_CONNECTIONS 1000
#define PLAIN_CONNECTIONS 32
#define DRAIN_LIMIT_USEC 1500000u
#define DRAIN_POLL_USEC 5000u
#define IDLE_SECONDS 120 /* the API server keeps its connections for 90 */

/* A listening socket that the supervisor has bound, passed as $KRUISED_FD_<name>. -1: none. */
static int inherited(const char *name)
{
	_cleanup_free_ char *var = xasprintf("KRUISED_FD_%s", name);
	const char *text = getenv(var);
	char *end;
	if (!text || !*text)
		return -1;
	long fd = strtol(text, &end, 10);
	return *end || fd < 3 || fd > 1 << 20 ? -1 : (int)fd;
}

static int serve(struct webhookd *w, struct http_server **out, const char *name, http_fn fn,
		 bool tls, struct err *e)
{
	const struct http_options options = {
	    .fd = inherited(name),
	    .tls = tls,
	    .max_connections = tls ? ADMISSION_CONNECTIONS : PLAIN_CONNECTIONS,
	    .idle_seconds = IDLE_SECONDS,
	    .max_body = tls ? ADMISSION_BODY_MAX : PLAIN_BODY_MAX,
	    .fn = fn,
	    .userdata = w,
	};
	if (options.fd < 0) {
		if (tls)
			return err_set(
			    e, EINVAL,
			    "KRUISED_FD_%s is not set: webhookd is started by kruised, which owns "
			    "the listening sockets",
			    name);
		return 0; /* turned off */
	}
	return http_server_new(out, w->loop, &options, e);
}

/* The end: when the last request that is under way has been answered. A connection that is idle in
 * the API server's pool is not waited for beyond the limit. */
static int on_drain(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct webhookd *w = userdata;
	if (http_server_connections(w->admission) == 0 || usec >= w->drain_until_usec) {
		sd_event_exit(w->loop, 0);
		return 0;
	}
	sd_event_source_set_time_relative(source, DRAIN_POLL_USEC);
	sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

static void on_stop(void *userdata)
{
	struct webhookd *w = userdata;
	uint64_t now = 0;
	http_server_drain(w->admission);
	if (sd_event_now(w->loop, CLOCK_MONOTONIC, &now) < 0 ||
	    sd_event_add_time(w->loop, &w->drain, CLOCK_MONOTONIC, now, 1, on_drain, w) < 0)
		sd_event_exit(w->loop, 0);
	w->drain_until_usec = now + DRAIN_LIMIT_USEC;
}

static int init_metrics(struct webhookd *w, struct err *e)
{
	static const char *const by_code[] = {"webhook", "code", NULL};
	static const char *const by_path[] = {"webhook", NULL};
	static const double buckets[] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
					 0.01,	 0.025,	  0.05,	  0.1,	 1};
	w->metrics = metrics_new();
	w->requests =
	    metric_new(w->metrics, METRIC_COUNTER, "controller_runtime_webhook_requests_total",
		       "Admission requests by path and HTTP status code.", by_code);
	w->latency =
	    metric_new(w->metrics, METRIC_HISTOGRAM, "controller_runtime_webhook_latency_seconds",
		       "Time to answer an admission request.", by_path);
	metric_buckets(w->latency, buckets, sizeof(buckets) / sizeof(buckets[0]));
	return metrics_serve(w->metrics, w->loop, child_rundir(), w->name, NULL, NULL, e);
}

static int start(struct webhookd *w, int argc, char **argv, struct err *e)
{
	int r = options_parse(&w->options, argc, argv, e);
	if (r < 0)
		return r;
	enum log_level level = LOG_LVL_INFO;
	if (w->options.verbosity && log_level_parse(w->options.verbosity, &level) < 0)
		return err_set(e, EINVAL, "--v: not a level: %s", w->options.verbosity);
	log_init(w->name, level,
		 w->options.logging_format && strcmp(w->options.logging_format, "json") == 0);
	r = gates_parse(w->options.feature_gates, getenv("CUSTOM_RESOURCE_ENABLE"), &w->gates, e);
	if (r < 0)
		return err_wrap(e, "--feature-gates");
	if (sd_event_default(&w->loop) < 0)
		return err_set(e, ENOMEM, "no event loop");
	const struct child_handlers handlers = {.stop = on_stop, .userdata = w};
	r = child_attach(&w->child, w->loop, w->name, &handlers, e);
	if (r == 0)
		r = init_metrics(w, e);
	if (r == 0)
		r = serve(w, &w->admission, "webhook", webhookd_serve, true, e);
	if (r == 0)
		r = serve(w, &w->health, "health", webhookd_health, false, e);
	if (r == 0)
		r = serve(w, &w->scrape, "metrics", webhookd_metrics, false, e);
	if (r == 0)
		r = webhookd_certificate_start(w, e);
	return r;
}

int main(int argc, char **argv)
{
	struct err e = {0};
	const char *name = getenv("KRUISED_NAME");
	struct webhookd w = {.name = name && *name ? name : "webhookd"};
	if (start(&w, argc, argv, &e) < 0)
		fatal("%s", e.msg);
	child_no_exec(true);
	int r = sd_event_loop(w.loop);
	sd_event_source_disable_unref(w.drain);
	webhookd_certificate_stop(&w);
	http_server_free(w.admission);
	http_server_free(w.health);
	http_server_free(w.scrape);
	store_close(w.store);
	metrics_free(w.metrics);
	child_detach(w.child);
	sd_event_unref(w.loop);
	return r < 0 ? EXIT_FAILURE : r;
}
