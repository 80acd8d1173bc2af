/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/supervisor.h"

#include "ipc/base/log.h"
#include "ipc/metrics.h"

#include <stdlib.h>
#include <string.h>

#define PERIOD_USEC 1000000u

/* What the supervisor knows of its children, for /metrics: RUNDIR/metrics/kruised.prom, which
 * webhookd merges with the children's own files. */
struct telemetry {
	struct metrics *metrics;
	struct metric *up, *ready, *starts, *hung, *refused;
	uint64_t due_usec;
	bool complained;
	struct buf text, written;
};

struct telemetry *telemetry_new(void)
{
	static const char *const child[] = {"child", NULL};
	struct telemetry *t = xcalloc(1, sizeof(*t));
	struct metrics *m = t->metrics = metrics_new();
	t->up = metric_new(m, METRIC_GAUGE, "kruised_child_up", "1 while the process runs.", child);
	t->ready = metric_new(m, METRIC_GAUGE, "kruised_child_ready", "1 while it says so.", child);
	t->starts = metric_new(m, METRIC_COUNTER, "kruised_child_starts_total",
			       "Processes started for this child.", child);
	t->hung = metric_new(m, METRIC_COUNTER, "kruised_child_hung_total",
			     "Processes ended since they did not send heartbeats.", child);
	t->refused = metric_new(m, METRIC_COUNTER, "kruised_control_refused_total",
				"Messages on the control channel that were refused.", NULL);
	return t;
}

void telemetry_free(struct telemetry *t)
{
	if (!t)
		return;
	metrics_free(t->metrics);
	buf_free(&t->text);
	buf_free(&t->written);
	free(t);
}

static void collect(const struct supervisor *s)
{
	struct telemetry *t = s->telemetry;
	for (size_t i = 0; i < s->n_services; i++) {
		const struct service *v = &s->services[i];
		const char *const labels[] = {v->def->name};
		series_set(metric_with(t->up, labels), service_alive(v));
		series_set(metric_with(t->ready, labels), v->ready);
		series_set(metric_with(t->starts, labels), (double)v->starts);
		series_set(metric_with(t->hung, labels), (double)v->hung);
	}
	series_set(metric_with(t->refused, NULL), (double)s->bad_messages);
}

void telemetry_step(struct supervisor *s, uint64_t now)
{
	struct telemetry *t = s->telemetry;
	struct err e = {0};
	if (now < t->due_usec)
		return;
	t->due_usec = now + PERIOD_USEC;
	collect(s);
	buf_reset(&t->text);
	metrics_print(t->metrics, &t->text);
	if (strcmp(buf_str(&t->text), buf_str(&t->written)) == 0)
		return;
	if (rundir_write(s, "metrics/kruised.prom", buf_str(&t->text), &e) < 0) {
		if (!t->complained)
			log_warn("metrics: %s", e.msg);
		t->complained = true;
		return;
	}
	t->complained = false;
	buf_reset(&t->written);
	buf_puts(&t->written, buf_str(&t->text));
}
