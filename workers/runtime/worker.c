/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/runtime/worker.h"

#include "ipc/base/log.h"
#include "ipc/paceloop.h"
#include "workers/runtime/sync.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STORE_RETRY_USEC 20000 /* between attempts to open a store that is not there yet */
#define STORE_STALE_USEC \
	10000000 /* no sign of life from the API server for that long: start nothing */
#define NOT_SYNCED_RETRY_USEC 50000
#define MIN_SYNC_INTERVAL_USEC 20000

void worker_key(struct buf *b, struct str ns, struct str name)
{
	buf_add(b, ns.p, ns.n);
	buf_putc(b, '/');
	buf_add(b, name.p, name.n);
}

void worker_enqueue(struct worker *w, struct str ns, struct str name)
{
	_cleanup_buf_ struct buf key = {0};
	worker_key(&key, ns, name);
	queue_add(w->queue, buf_str(&key));
}

static bool may_write(void *userdata)
{
	const struct worker *w = userdata;
	return child_leads(w->child);
}

/*
 * A controller's writes end with leadership. None begins after its time, which lies before the end
 * of the Lease; and what the network holds back is forgotten within the time between the two.
 */
static void fence(struct worker *w, struct k8s_client_options *o)
{
	if (!w->controller || !w->options.leader_elect)
		return;
	o->may_write = may_write;
	o->userdata = w;
	o->unacked_usec = w->options.lease_duration_usec - w->options.renew_deadline_usec;
}

static int load_client(struct worker *w, struct err *e)
{
	struct k8s_config *config = NULL;
	int r = k8s_config_load(&config, w->options.kubeconfig, NULL, e);
	if (r < 0)
		return r;
	_cleanup_free_ char *agent = xasprintf("kruised/%s %s", KRUISED_VERSION, w->name);
	struct k8s_client_options options = {
	    .user_agent = agent,
	    .qps = w->options.rest_qps,
	    .burst = (int)w->options.rest_burst,
	    .max_in_flight = 32,
	};
	if (w->short_calls) {
		options.timeout_usec = w->options.renew_deadline_usec / 2;
		options.max_retries = -1;
	}
	fence(w, &options);
	if (!config->exec)
		child_no_exec(false);
	r = k8s_client_new(&w->client, w->loop, config, &options, e);
	k8s_config_free(config);
	return r;
}

static void count_requests(const char *method, int code, uint64_t n, void *userdata)
{
	struct worker *w = userdata;
	char text[16];
	snprintf(text, sizeof(text), "%d", code);
	metric_set(w->requests, (double)n, text, k8s_client_host(w->client), method);
}

static void on_metrics(void *userdata)
{
	struct worker *w = userdata;
	k8s_client_counts(w->client, count_requests, w);
	if (w->queue)
		sync_metrics_collect(w);
}

int worker_init(struct worker *w, const char *name, const char *component, int argc, char **argv,
		const struct child_handlers *handlers, struct err *e)
{
	w->name = name;
	int r = options_parse(&w->options, argc, argv, e);
	if (r < 0)
		return r;
	enum log_level level = LOG_LVL_INFO;
	if (w->options.verbosity && log_level_parse(w->options.verbosity, &level) < 0)
		return err_set(e, EINVAL, "--v: not a level: %s", w->options.verbosity);
	log_init(name, level,
		 w->options.logging_format && strcmp(w->options.logging_format, "json") == 0);
	r = gates_parse(w->options.feature_gates, getenv("CUSTOM_RESOURCE_ENABLE"), &w->gates, e);
	if (r < 0)
		return err_wrap(e, "--feature-gates");
	if (sd_event_default(&w->loop) < 0)
		return err_set(e, ENOMEM, "no event loop");
	r = child_attach(&w->child, w->loop, name, handlers, e);
	if (r == 0)
		r = load_client(w, e);
	if (r < 0)
		return r;
	w->metrics = metrics_new();
	if (component)
		w->recorder = k8s_recorder_new(w->client, w->loop, component);
	static const char *const labels[] = {"code", "host", "method", NULL};
	w->requests = metric_new(
	    w->metrics, METRIC_COUNTER, "rest_client_requests_total",
	    "Number of HTTP requests, partitioned by status code, method, and host.", labels);
	return metrics_serve(w->metrics, w->loop, child_rundir(), name, on_metrics, w, e);
}

int worker_loop(struct worker *w)
{
	static const struct pace pace = {.interval_usec = 20000, .burst = 20};
	int r = pace_loop(w->loop, &pace);
	return r < 0 ? EXIT_FAILURE : r;
}

void worker_exit(struct worker *w)
{
	delta_sub_free(w->deltas);
	queue_free(w->queue);
	k8s_recorder_free(w->recorder);
	k8s_client_free(w->client);
	store_close(w->store);
	journal_close(w->journal);
	child_detach(w->child);
	metrics_free(w->metrics);
	free(w->stats);
	sd_event_unref(w->loop);
}

bool worker_store_fresh(struct worker *w, struct store_txn *txn)
{
	for (const struct k8s_resource *const *r = w->controller->required; *r; r++) {
		struct store_sync sync;
		if (store_sync_get(txn, k8s_resource_key(*r), &sync) <= 0 || !sync.synced)
			return false;
		if (mono_usec() > sync.updated_usec + STORE_STALE_USEC)
			return false;
	}
	return true;
}

static void on_queue(const char *key, void *userdata)
{
	sync_run(userdata, key);
}

static void on_waited(uint64_t usec, void *userdata)
{
	sync_metrics_waited(userdata, usec);
}

static void forget_intents(struct worker *w, struct str uid)
{
	_cleanup_free_ char *text = xstrndup(uid.p, uid.n);
	journal_clear_owner(w->journal, text);
}

/* Before the start everything is going to be looked at anyway. */
static void on_delta(const char *resource, const struct delta *d, void *userdata)
{
	struct worker *w = userdata;
	if (!w->started)
		return;
	if (d->type == DELTA_DELETED &&
	    strcmp(resource, k8s_resource_key(w->controller->primary)) == 0)
		forget_intents(w, d->uid);
	w->controller->on_delta(w, resource, d);
}

bool worker_mentions(const struct store_entry *entry, const char *text)
{
	return memmem(entry->object, entry->object_len, text, strlen(text)) != NULL;
}

static bool concerned(const struct worker *w, const struct store_entry *entry)
{
	return !w->controller->concerns || w->controller->concerns(entry);
}

bool worker_concerned(struct worker *w, struct str ns, struct str name)
{
	_cleanup_store_txn_ struct store_txn *txn = NULL;
	struct store_entry entry;
	const char *resource = k8s_resource_key(w->controller->primary);
	/* on failure it counts as concerned: the sync finds out */
	if (store_begin(w->store, &txn, NULL) < 0)
		return true;
	int r = store_get(txn, resource, ns, name, &entry);
	return r < 0 || (r > 0 && concerned(w, &entry));
}

static int enqueue_entry(const struct store_entry *entry, void *userdata)
{
	if (concerned(userdata, entry))
		worker_enqueue(userdata, entry->ns, entry->name);
	return 0;
}

static void enqueue_all(struct worker *w)
{
	_cleanup_store_txn_ struct store_txn *txn = NULL;
	struct err e = {0};
	if (store_begin(w->store, &txn, &e) < 0 ||
	    store_list(txn, k8s_resource_key(w->controller->primary), (struct str){0},
		       enqueue_entry, w) < 0)
		log_error("store: %s", e.msg[0] ? e.msg : "cannot list");
}

/* Whatever was missed of any resource may concern any object of ours: they all have a look. */
static void on_gap(const char *resource, void *userdata)
{
	struct worker *w = userdata;
	if (!w->started)
		return;
	log_info("deltas of %s were missed, looking at everything", resource);
	if (w->controller->on_gap)
		w->controller->on_gap(w);
	enqueue_all(w);
}

struct owner_search {
	const char *uid;
	struct worker *w;
	struct store_txn *txn;
};

static int is_owner(const struct store_entry *entry, void *userdata)
{
	const struct owner_search *search = userdata;
	return str_is(entry->uid, search->uid) ? 1 : 0;
}

static bool owner_exists(const char *uid, void *userdata)
{
	struct owner_search *search = userdata;
	search->uid = uid;
	/* on failure it counts as there: intents are kept */
	return store_list(search->txn, k8s_resource_key(search->w->controller->primary),
			  (struct str){0}, is_owner, search) != 0;
}

/* What a predecessor has left about objects that have gone since. */
static void prune_journal(struct worker *w)
{
	_cleanup_store_txn_ struct store_txn *txn = NULL;
	if (store_begin(w->store, &txn, NULL) < 0)
		return;
	struct owner_search search = {.w = w, .txn = txn};
	journal_retain(w->journal, owner_exists, &search);
	journal_flush(w->journal);
}

static bool required_synced(struct worker *w)
{
	_cleanup_store_txn_ struct store_txn *txn = NULL;
	if (store_begin(w->store, &txn, NULL) < 0)
		return false;
	for (const struct k8s_resource *const *r = w->controller->required; *r; r++) {
		struct store_sync sync;
		if (store_sync_get(txn, k8s_resource_key(*r), &sync) <= 0 || !sync.synced)
			return false;
	}
	/* deltas from here on belong to what enqueue_all() is about to read, or come after it */
	for (const struct k8s_resource *const *r = w->controller->watched; *r; r++) {
		struct store_sync sync;
		if (store_sync_get(txn, k8s_resource_key(*r), &sync) > 0)
			delta_sub_seen(w->deltas, k8s_resource_key(*r), sync.epoch, sync.seq);
	}
	return true;
}

static void again(sd_event_source *s, uint64_t usec)
{
	sd_event_source_set_time(s, mono_usec() + usec);
	sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

/* Start-up in steps, repeated until each holds: the store exists, it is complete, the controller
 * runs. */
static int on_start(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct worker *w = userdata;
	struct err e = {0};
	(void)usec;
	if (!w->store && store_open_reader(&w->store, child_rundir(), &e) < 0) {
		child_set_ready(w->child, false, "waiting for the store");
		again(s, STORE_RETRY_USEC);
		return 0;
	}
	if (!required_synced(w)) {
		child_set_ready(w->child, false, "waiting for the watcher's first lists");
		again(s, NOT_SYNCED_RETRY_USEC);
		return 0;
	}
	prune_journal(w);
	w->started = true;
	enqueue_all(w);
	child_set_ready(w->child, true, NULL);
	return 0;
}

static void on_stop(void *userdata)
{
	struct worker *w = userdata;
	w->stopping = true;
	/* answers that are under way are worth a moment: they clear intents */
	if (w->active_syncs == 0)
		sd_event_exit(w->loop, 0);
}

static int subscribe(struct worker *w, struct err *e)
{
	const char *topics[16];
	size_t n = 0;
	for (const struct k8s_resource *const *r = w->controller->watched; *r && n < 15; r++)
		topics[n++] = k8s_resource_key(*r);
	topics[n] = NULL;
	return delta_sub_new(&w->deltas, w->loop, child_rundir(), topics, on_delta, on_gap, w, e);
}

static int start_controller(struct worker *w, int argc, char **argv, sd_event_source **timer,
			    struct err *e)
{
	const struct controller *c = w->controller;
	const struct child_handlers handlers = {.stop = on_stop, .userdata = w};
	int r = worker_init(w, c->name, c->component, argc, argv, &handlers, e);
	if (r < 0)
		return r;
	const struct queue_options options = {
	    .workers = (int)w->options.cloneset_workers,
	    .base_delay_usec = w->options.rate_base_usec,
	    .max_delay_usec = w->options.rate_max_usec,
	    .min_interval_usec = MIN_SYNC_INTERVAL_USEC,
	    .waited = on_waited,
	};
	w->queue = queue_new(w->loop, &options, on_queue, w);
	sync_metrics_init(w);
	r = journal_open(&w->journal, child_rundir(), c->name, e);
	if (r == 0 && c->start)
		r = c->start(w, e);
	if (r == 0)
		r = subscribe(w, e);
	if (r < 0)
		return r;
	r = sd_event_add_time(w->loop, timer, CLOCK_MONOTONIC, 0, 1000, on_start, w);
	return r < 0 ? err_set(e, -r, "cannot add a timer") : 0;
}

int worker_run(const struct controller *c, int argc, char **argv)
{
	struct worker w = {.controller = c};
	struct err e = {0};
	sd_event_source *timer = NULL;
	if (start_controller(&w, argc, argv, &timer, &e) < 0)
		fatal("%s", e.msg);
	int rc = worker_loop(&w);
	sd_event_source_disable_unref(timer);
	if (c->stop)
		c->stop(&w);
	worker_exit(&w);
	return rc;
}
