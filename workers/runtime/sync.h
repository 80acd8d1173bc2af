/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKERS_RUNTIME_SYNC_H
#define WORKERS_RUNTIME_SYNC_H

#include "workers/runtime/worker.h"

/* The runtime's inside: what ties queue, sync and metrics together. Controllers use worker.h. */

/* Starts a sync of the key; it frees itself when over. */
void sync_run(struct worker *w, const char *key);

/* controller_runtime_* and workqueue_* families, with OpenKruise's names. */
void sync_metrics_init(struct worker *w);
void sync_metrics(struct worker *w, const char *result, uint64_t usec);
void sync_metrics_waited(struct worker *w, uint64_t usec); /* in the queue */
void sync_metrics_collect(struct worker *w); /* gauges, just before they are written */

#endif
