/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_METRICS_H
#define IPC_METRICS_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"
#include "kube/value.h"

#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

/*
 * Metrics of one process, in Prometheus' text format. Each process writes its own to
 * RUNDIR/metrics/NAME.prom; webhookd merges the files for /metrics. One thread only.
 */
struct metrics;
struct metric;	      /* a family: a name, a type, label names */
struct metric_series; /* one set of label values; lives as long as the registry, or until
			 metric_clear() */

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

struct metrics *metrics_new(void);
void metrics_free(struct metrics *m);

/* Adds a family, or returns the one of that name. Names are literals of [a-zA-Z_:][a-zA-Z0-9_:]*.
 * labels: NULL-terminated, or NULL for none; at most METRIC_MAX_LABELS. A histogram takes
 * Prometheus' default buckets (5 ms … 10 s) until metric_buckets() says otherwise. */
#define METRIC_MAX_LABELS 8
struct metric *metric_new(struct metrics *m, enum metric_type type, const char *name,
			  const char *help, const char *const *labels);
/* Upper bounds in rising order, without +Inf. Before the first series; the array is copied. */
void metric_buckets(struct metric *f, const double *bounds, size_t n);

/* The series with these label values, as many as the family has labels (no terminator needed beyond
 * them). Values may be any text; they are copied. A family holds at most METRIC_MAX_SERIES; those
 * beyond share one series whose label values are all "other". */
#define METRIC_MAX_SERIES 20000
struct metric_series *metric_with(struct metric *f, const char *const *values);
void series_add(struct metric_series *s, double by);	/* counter (by ≥ 0), gauge */
void series_set(struct metric_series *s, double v);	/* gauge, or a counter kept elsewhere */
void series_observe(struct metric_series *s, double v); /* histogram */
double series_value(const struct metric_series *s);	/* of a histogram: the count */

/* Short forms; label values follow, as many as the family has. */
void metric_add(struct metric *f, double by, ...);
void metric_set(struct metric *f, double v, ...);
void metric_observe(struct metric *f, double v, ...);
void metric_clear(struct metric *f); /* forgets all series: for gauges that describe objects */

void metrics_print(const struct metrics *m, struct buf *out);

/* Writes RUNDIR/metrics/NAME.prom (a new file renamed over the old) at most once a second when
 * something has changed, and when the loop exits. The registry must outlive the loop. update, if
 * not NULL, runs before each write and may set gauges. */
int metrics_serve(struct metrics *m, sd_event *loop, const char *rundir, const char *name,
		  void (*update)(void *userdata), void *userdata, struct err *e);

/* Merges several texts into one valid exposition: families grouped, HELP and TYPE once, equal
 * series summed. Lines that are not well-formed are dropped; so are samples of a family whose TYPE
 * differs from its first. Inputs need no trust. */
void metrics_merge(const struct str *texts, size_t n, struct buf *out);
/* All files of RUNDIR/metrics merged. Each at most 8 MiB. */
int metrics_merge_dir(const char *rundir, struct buf *out, struct err *e);

#endif
