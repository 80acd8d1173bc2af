/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/runtime/sync.h"

/* The families that users of controller-runtime know, and two of our own. */
struct sync_stats {
	struct metric *total, *errors, *seconds, *active;
	struct metric *depth, *adds, *retries, *waited;
	struct metric *intents;
};

void sync_metrics_init(struct worker *w)
{
	static const char *const controller[] = {"controller", NULL};
	static const char *const by_result[] = {"controller", "result", NULL};
	static const char *const queue[] = {"name", NULL};
	struct sync_stats *st = xcalloc(1, sizeof(*st));
	struct metrics *m = w->metrics;

	st->total = metric_new(m, METRIC_COUNTER, "controller_runtime_reconcile_total",
			       "Syncs by result.", by_result);
	st->errors = metric_new(m, METRIC_COUNTER, "controller_runtime_reconcile_errors_total",
				"Syncs that failed.", controller);
	st->seconds = metric_new(m, METRIC_HISTOGRAM, "controller_runtime_reconcile_time_seconds",
				 "Time from the start of a sync to its last answer.", controller);
	st->active = metric_new(m, METRIC_GAUGE, "controller_runtime_active_workers",
				"Syncs under way.", controller);
	st->depth =
	    metric_new(m, METRIC_GAUGE, "workqueue_depth", "Keys that are due and wait.", queue);
	st->adds = metric_new(m, METRIC_COUNTER, "workqueue_adds_total", "Keys added.", queue);
	st->retries = metric_new(m, METRIC_COUNTER, "workqueue_retries_total",
				 "Keys added again after a failure.", queue);
	st->waited = metric_new(m, METRIC_HISTOGRAM, "workqueue_queue_duration_seconds",
				"Time that a key that is due waits for its sync.", queue);
	st->intents = metric_new(m, METRIC_GAUGE, "kruised_worker_intents",
				 "Writes that the store does not show yet.", controller);
	w->stats = st;
}

void sync_metrics(struct worker *w, const char *result, uint64_t usec)
{
	struct sync_stats *st = w->stats;
	const char *name = w->controller->name;
	metric_add(st->total, 1, name, result);
	if (result[0] == 'e')
		metric_add(st->errors, 1, name);
	metric_observe(st->seconds, (double)usec / 1e6, name);
}

void sync_metrics_waited(struct worker *w, uint64_t usec)
{
	metric_observe(w->stats->waited, (double)usec / 1e6, w->controller->name);
}

void sync_metrics_collect(struct worker *w)
{
	struct sync_stats *st = w->stats;
	const char *name = w->controller->name;
	struct queue_stats q;
	queue_stats(w->queue, &q);
	metric_set(st->active, (double)q.active, name);
	metric_set(st->depth, (double)q.depth, name);
	metric_set(st->adds, (double)q.adds, name);
	metric_set(st->retries, (double)q.retries, name);
	metric_set(st->intents, (double)journal_count(w->journal), name);
}
