/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/runtime/sync.h"

#include "ipc/base/log.h"
#include "workers/runtime/crashpoint.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t clock_usec(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

uint64_t mono_usec(void)
{
	return clock_usec(CLOCK_MONOTONIC);
}

uint64_t wall_usec(void)
{
	return clock_usec(CLOCK_REALTIME);
}

/* A heavy sync makes its key wait longer for the next one: at most a twentieth of a CPU goes into
 * planning for one object, whatever the rate of events. */
#define INTERVAL_PER_PLAN 19
#define MAX_INTERVAL_USEC 1000000

/* A sync that has written to that many objects has held them all: the memory goes back to the
 * system. */
#define LARGE_SYNC_CALLS 64

static void finish(struct sync *s)
{
	struct worker *w = s->w;
	const char *result = s->failed ? "error" : s->requeue_after ? "requeue_after" : "success";
	sync_metrics(w, result, mono_usec() - s->started_usec);

	uint64_t interval = s->plan_usec * INTERVAL_PER_PLAN;
	queue_set_interval(w->queue, s->key,
			   interval < MAX_INTERVAL_USEC ? interval : MAX_INTERVAL_USEC);
	if (s->failed) {
		log_warn("%s: %s", s->key, s->err.msg);
		queue_retry(w->queue, s->key);
	} else {
		queue_forget(w->queue, s->key);
		if (s->requeue_after)
			queue_add_after(w->queue, s->key, s->requeue_after);
	}
	journal_flush(w->journal);
	if (!w->first_sync_done) {
		w->first_sync_done = true;
		log_info("first sync finished: %s", s->key);
	}
	w->active_syncs--;
	queue_done(w->queue, s->key);
	bool large = s->calls > LARGE_SYNC_CALLS;
	arena_free(s->arena);
	free(s->key);
	free(s);
	if (large)
		malloc_trim(0);
	if (w->stopping && w->active_syncs == 0)
		sd_event_exit(w->loop, 0);
}

static void release(struct sync *s)
{
	if (s->returned && s->outstanding == 0)
		finish(s);
}

void sync_run(struct worker *w, const char *key)
{
	struct sync *s = xcalloc(1, sizeof(*s));
	s->w = w;
	s->key = xstrdup(key);
	const char *slash = strchr(s->key, '/');
	s->ns = slash ? (struct str){s->key, (size_t)(slash - s->key)} : (struct str){"", 0};
	s->name = str_of(slash ? slash + 1 : s->key);
	s->arena = arena_new();
	s->started_usec = mono_usec();
	s->now_usec = wall_usec();
	w->active_syncs++;

	uint64_t cpu = clock_usec(CLOCK_PROCESS_CPUTIME_ID);
	struct err e = {0};
	if (store_begin(w->store, &s->txn, &e) < 0) {
		sync_fail(s, "store: %s", e.msg);
	} else {
		w->controller->sync(s);
		store_end(s->txn);
		s->txn = NULL;
	}
	s->plan_usec = clock_usec(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	s->returned = true;
	release(s);
}

struct op {
	struct sync *s;
	const char *verb;
	sync_fn fn;
	void *userdata;
};

static void op_done(const struct k8s_response *r, void *userdata)
{
	struct op *op = userdata;
	struct sync *s = op->s;
	crash_point(op->verb, "answered");
	if (op->fn)
		op->fn(s, r, op->userdata);
	else if (!k8s_ok(r))
		sync_fail(s, "%s", r->error);
	crash_point(op->verb, "done");
	s->outstanding--;
	release(s);
}

/* Ops live in the sync's arena: the sync outlives its calls. */
static struct op *op_new(struct sync *s, const char *verb, sync_fn fn, void *userdata)
{
	struct op *op = arena_alloc(s->arena, sizeof(*op));
	*op = (struct op){s, verb, fn, userdata};
	s->outstanding++;
	s->calls++;
	crash_point(verb, "before");
	return op;
}

static const char *cstr(struct sync *s, struct str v)
{
	return v.p ? arena_strndup(s->arena, v.p, v.n) : NULL;
}

void sync_get(struct sync *s, const struct k8s_resource *r, struct str ns, struct str name,
	      sync_fn fn, void *userdata)
{
	k8s_get(s->w->client, r, cstr(s, ns), cstr(s, name), op_done,
		op_new(s, "get", fn, userdata));
	crash_point_soon(s->w->loop, "get", "sent");
}

void sync_create(struct sync *s, const struct k8s_resource *r, struct str ns, const val *object,
		 sync_fn fn, void *userdata)
{
	k8s_create(s->w->client, r, cstr(s, ns), object, op_done,
		   op_new(s, "create", fn, userdata));
	crash_point_soon(s->w->loop, "create", "sent");
}

void sync_patch(struct sync *s, const struct k8s_resource *r, struct str ns, struct str name,
		const char *sub, enum k8s_patch_type type, const val *patch, sync_fn fn,
		void *userdata)
{
	k8s_patch(s->w->client, r, cstr(s, ns), cstr(s, name), sub, type, patch, op_done,
		  op_new(s, "patch", fn, userdata));
	crash_point_soon(s->w->loop, "patch", "sent");
}

void sync_delete(struct sync *s, const struct k8s_resource *r, struct str ns, struct str name,
		 struct str uid, sync_fn fn, void *userdata)
{
	k8s_delete(s->w->client, r, cstr(s, ns), cstr(s, name), cstr(s, uid), -1, NULL, op_done,
		   op_new(s, "delete", fn, userdata));
	crash_point_soon(s->w->loop, "delete", "sent");
}

void sync_fail(struct sync *s, const char *fmt, ...)
{
	if (s->failed)
		return;
	s->failed = true;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(s->err.msg, sizeof(s->err.msg), fmt, ap);
	va_end(ap);
}

void sync_fail_response(struct sync *s, const char *what, const struct k8s_response *r)
{
	sync_fail(s, "%s: %s", what, r->error ? r->error : "no answer");
}

void sync_requeue_after(struct sync *s, uint64_t usec)
{
	if (!s->requeue_after || usec < s->requeue_after)
		s->requeue_after = usec ? usec : 1;
}
