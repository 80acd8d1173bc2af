/* SPDX-License-Identifier: Apache-2.0 */

/*
 * kruise-watcher: keeps the object store equal to the API server's objects and tells the workers
 * what changed. The only process that writes the store.
 */

#include "ipc/base/log.h"
#include "ipc/paceloop.h"
#include "ipc/child.h"
#include "ipc/options.h"
#include "watcher/reflector.h"
#include "watcher/resources.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define TICK_USEC 1000000u
#define REAP_EVERY 30 /* ticks */

struct watcher {
	struct options options;
	sd_event *loop;
	struct child *child;
	struct k8s_config *config;
	struct k8s_client *client;
	struct store *store;
	struct delta_pub *pub;
	struct metrics *metrics;
	struct writer *writer;
	struct reflector **reflectors; /* as watched_resources */
	uint64_t epoch;
	unsigned ticks;
	char *secret_selector;
	struct metric *store_bytes, *requests;
};

static const char *env_or(const char *name, const char *fallback)
{
	const char *s = getenv(name);
	return s && *s ? s : fallback;
}

static uint64_t now_usec(clockid_t clock)
{
	struct timespec ts;
	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

/* "waiting for pods; not served: apps.kruise.io/clonesets; forbidden: secrets" */
static void report(void *userdata)
{
	static const char *const titles[] = {[REFLECTOR_SYNCING] = "waiting for",
					     [REFLECTOR_NOT_SERVED] = "not served:",
					     [REFLECTOR_FORBIDDEN] = "forbidden:"};
	struct watcher *w = userdata;
	_cleanup_buf_ struct buf note = {0};
	bool ready = true;
	for (size_t t = 0; t < sizeof(titles) / sizeof(titles[0]); t++) {
		bool first = true;
		for (size_t i = 0; titles[t] && i < n_watched_resources; i++) {
			if (!w->reflectors[i]) {
				ready = false;
				continue;
			}
			enum reflector_health health = reflector_health(w->reflectors[i]);
			if (health != (enum reflector_health)t)
				continue;
			if (first)
				buf_printf(&note, "%s%s", note.len ? "; " : "", titles[t]);
			buf_printf(&note, "%s %s", first ? "" : ",",
				   reflector_feed(w->reflectors[i])->resource);
			first = false;
			if (watched_resources[i].required && health != REFLECTOR_NOT_SERVED)
				ready = false;
		}
	}
	child_set_ready(w->child, ready, note.len ? note.p : NULL);
}

static int on_tick(sd_event_source *s, uint64_t usec, void *userdata)
{
	(void)usec;
	struct watcher *w = userdata;
	uint64_t now = now_usec(CLOCK_MONOTONIC);
	for (size_t i = 0; i < n_watched_resources; i++)
		reflector_tick(w->reflectors[i], now);
	writer_flush(w->writer);
	for (size_t i = 0; i < n_watched_resources; i++) {
		const struct feed *f = reflector_feed(w->reflectors[i]);
		delta_pub_mark(w->pub, f->resource, f->sync.epoch, f->sync.seq);
	}
	if (++w->ticks % REAP_EVERY == 0) {
		int n = store_reap_readers(w->store);
		if (n > 0)
			log_info("store: freed the places of %d dead readers", n);
	}
	sd_event_source_set_time_relative(s, TICK_USEC);
	return 0;
}

static void count_request(const char *method, int code, uint64_t n, void *userdata)
{
	struct watcher *w = userdata;
	char text[16];
	snprintf(text, sizeof(text), "%d", code);
	const char *values[] = {text, k8s_client_host(w->client), method};
	series_set(metric_with(w->requests, values), (double)n);
}

static void update_metrics(void *userdata)
{
	struct watcher *w = userdata;
	metric_set(w->store_bytes, (double)store_used_bytes(w->store));
	k8s_client_counts(w->client, count_request, w);
}

static int start_metrics(struct watcher *w, struct err *e)
{
	static const char *const labels[] = {"code", "host", "method", NULL};
	w->store_bytes = metric_new(w->metrics, METRIC_GAUGE, "kruised_store_bytes",
				    "Bytes of the object store in use.", NULL);
	w->requests = metric_new(
	    w->metrics, METRIC_COUNTER, "rest_client_requests_total",
	    "Number of HTTP requests, partitioned by status code, method, and host.", labels);
	return metrics_serve(w->metrics, w->loop, w->options.runtime_dir, "watcher", update_metrics,
			     w, e);
}

/* What the store's contents depend on. With another scope the old positions mean nothing. */
static char *scope_text(const struct watcher *w)
{
	return xasprintf("%s\n%s\n%s\n%s", w->config->server,
			 w->options.namespace_ ? w->options.namespace_ : "",
			 env_or("POD_NAMESPACE", "kruise-system"),
			 env_or("SECRET_NAME", "kruise-webhook-certs"));
}

/* 1: the store is of this scope already; 0: it is now. */
static int take_scope(struct watcher *w, struct err *e)
{
	_cleanup_free_ char *want = scope_text(w);
	struct store_txn *t;
	struct str have;
	int r = store_begin(w->store, &t, e);
	if (r < 0)
		return r;
	r = store_scope_get(t, &have);
	bool same = r == 1 && str_is(have, want);
	store_end(t);
	if (same)
		return 1;
	struct store_write *txn;
	r = store_write_begin(w->store, &txn, e);
	if (r < 0)
		return r;
	r = store_scope_set(txn, str_of(want), e);
	if (r < 0) {
		store_write_abort(txn);
		return r;
	}
	return store_write_commit(txn, e);
}

static int start_reflectors(struct watcher *w, struct err *e)
{
	int resume = take_scope(w, e);
	if (resume < 0)
		return resume;
	w->secret_selector =
	    xasprintf("metadata.name%%3D%s", env_or("SECRET_NAME", "kruise-webhook-certs"));
	w->reflectors = xcalloc(n_watched_resources, sizeof(*w->reflectors));
	for (size_t i = 0; i < n_watched_resources; i++) {
		const struct watched *what = &watched_resources[i];
		struct reflector_options o = {
		    .resource = what->resource,
		    .older = what->older,
		    .resume = resume == 1,
		    .epoch = w->epoch,
		    .changed = report,
		    .userdata = w,
		};
		if (what->own_secret) {
			o.ns = env_or("POD_NAMESPACE", "kruise-system");
			o.field_selector = w->secret_selector;
		} else if (what->resource->namespaced) {
			o.ns = w->options.namespace_;
		}
		int r = reflector_new(&w->reflectors[i], w->loop, w->client, w->writer, w->store,
				      w->metrics, &o, e);
		if (r < 0)
			return r;
	}
	/* The new epoch is in the store before the first mark or delta of it is out. */
	writer_flush(w->writer);
	report(w);
	return 0;
}

static int start(struct watcher *w, struct err *e)
{
	const struct child_handlers handlers = {0};
	const struct k8s_client_options client_options = {.user_agent = "kruise-watcher"};
	const char *dir = w->options.runtime_dir;
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return err_set(e, errno, "%s: %s", dir, strerror(errno));
	w->epoch = now_usec(CLOCK_REALTIME);
	w->metrics = metrics_new();

	int r = child_attach(&w->child, w->loop, "watcher", &handlers, e);
	if (r == 0)
		r = k8s_config_load(&w->config, w->options.kubeconfig, NULL, e);
	if (r == 0 && !w->config->exec)
		child_no_exec(false);
	if (r == 0)
		r = k8s_client_new(&w->client, w->loop, w->config, &client_options, e);
	if (r == 0)
		r = store_open_writer(&w->store, dir, e);
	if (r == 0)
		r = delta_pub_new(&w->pub, dir, e);
	if (r == 0)
		r = writer_new(&w->writer, w->loop, w->store, w->pub, w->metrics, e);
	if (r == 0)
		r = start_metrics(w, e);
	return r < 0 ? r : start_reflectors(w, e);
}

static void finish(struct watcher *w)
{
	for (size_t i = 0; w->reflectors && i < n_watched_resources; i++)
		reflector_free(w->reflectors[i]);
	free(w->reflectors);
	k8s_client_free(w->client);
	writer_free(w->writer);
	delta_pub_free(w->pub);
	store_close(w->store);
	child_detach(w->child);
	k8s_config_free(w->config);
	free(w->secret_selector);
}

int main(int argc, char **argv)
{
	struct watcher w = {0};
	struct err e = {0};
	enum log_level level = LOG_LVL_INFO;
	log_init("kruise-watcher", level, false);
	if (options_parse(&w.options, argc, argv, &e) < 0)
		fatal("%s", e.msg);
	log_level_parse(w.options.verbosity, &level);
	log_init("kruise-watcher", level, strcmp(w.options.logging_format, "json") == 0);

	if (sd_event_new(&w.loop) < 0)
		fatal("no event loop");
	if (start(&w, &e) < 0)
		fatal("%s", e.msg);
	sd_event_source *tick = NULL;
	if (sd_event_add_time_relative(w.loop, &tick, CLOCK_MONOTONIC, TICK_USEC, 50000, on_tick,
				       &w) < 0 ||
	    sd_event_source_set_enabled(tick, SD_EVENT_ON) < 0)
		fatal("no timer");

	static const struct pace pace = {.interval_usec = 20000, .burst = 20};
	int r = pace_loop(w.loop, &pace);
	log_info("stopping");
	sd_event_source_disable_unref(tick);
	finish(&w);
	sd_event_unref(w.loop);
	metrics_free(w.metrics);
	return r < 0 ? EXIT_FAILURE : r;
}
