/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/runtime/queue.h"

#include "ipc/base/buf.h"
#include "ipc/base/log.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uthash.h>
#include <utlist.h>

#define FAILING_PAUSE_USEC 1000000u

struct item {
	struct queue *q;
	char *key;
	sd_event_source *timer; /* armed while the key waits for its time */
	uint64_t due;		/* CLOCK_MONOTONIC µs; 0 when not waiting for a time */
	bool ready;		/* in the list of those that wait for a free worker */
	bool active;
	bool dirty;	    /* added while active */
	bool dropped;	    /* while active: goes when it is done */
	uint64_t dirty_due; /* when it may start again */
	unsigned failures;
	uint64_t ready_usec; /* since when it is ready */
	uint64_t last_start;
	uint64_t interval;
	struct item *prev, *next;
	UT_hash_handle hh;
};

struct queue {
	sd_event *loop;
	struct queue_options options;
	queue_fn fn;
	void *userdata;
	struct item *items; /* by key */
	struct item *ready; /* FIFO */
	sd_event_source *dispatch;
	size_t active;
	uint64_t adds, retries;
};

static uint64_t now_usec(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void start(struct queue *q, struct item *it)
{
	DL_DELETE(q->ready, it);
	it->ready = false;
	it->active = true;
	it->dropped = false;
	it->last_start = now_usec();
	q->active++;
	if (q->options.waited)
		q->options.waited(it->last_start - it->ready_usec, q->userdata);
	q->fn(it->key, q->userdata);
}

static int on_dispatch(sd_event_source *s, void *userdata)
{
	struct queue *q = userdata;
	(void)s;
	/* one key a turn of the loop: heartbeats and answers come in between */
	if (q->ready && q->active < (size_t)q->options.workers)
		start(q, q->ready);
	bool more = q->ready && q->active < (size_t)q->options.workers;
	sd_event_source_set_enabled(q->dispatch, more ? SD_EVENT_ON : SD_EVENT_OFF);
	return 0;
}

static void make_ready(struct queue *q, struct item *it)
{
	it->due = 0;
	it->ready = true;
	it->ready_usec = now_usec();
	DL_APPEND(q->ready, it);
	sd_event_source_set_enabled(q->dispatch, SD_EVENT_ON);
}

static int on_timer(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct item *it = userdata;
	(void)s;
	(void)usec;
	make_ready(it->q, it);
	return 0;
}

struct queue *queue_new(sd_event *loop, const struct queue_options *options, queue_fn fn,
			void *userdata)
{
	struct queue *q = xcalloc(1, sizeof(*q));
	q->loop = sd_event_ref(loop);
	q->options = *options;
	q->fn = fn;
	q->userdata = userdata;
	if (q->options.workers < 1)
		q->options.workers = 1;
	if (sd_event_add_defer(loop, &q->dispatch, on_dispatch, q) < 0)
		fatal("queue: cannot add an event source");
	sd_event_source_set_enabled(q->dispatch, SD_EVENT_OFF);
	return q;
}

static void item_free(struct queue *q, struct item *it)
{
	HASH_DEL(q->items, it);
	if (it->ready)
		DL_DELETE(q->ready, it);
	sd_event_source_disable_unref(it->timer);
	free(it->key);
	free(it);
}

void queue_free(struct queue *q)
{
	if (!q)
		return;
	struct item *it, *tmp;
	HASH_ITER(hh, q->items, it, tmp)
	item_free(q, it);
	sd_event_source_disable_unref(q->dispatch);
	sd_event_unref(q->loop);
	free(q);
}

static struct item *find(struct queue *q, const char *key)
{
	struct item *it;
	HASH_FIND_STR(q->items, key, it);
	return it;
}

static struct item *find_or_new(struct queue *q, const char *key)
{
	struct item *it = find(q, key);
	if (it)
		return it;
	it = xcalloc(1, sizeof(*it));
	it->q = q;
	it->key = xstrdup(key);
	it->interval = q->options.min_interval_usec;
	HASH_ADD_KEYPTR(hh, q->items, it->key, strlen(it->key), it);
	return it;
}

static void arm(struct queue *q, struct item *it, uint64_t due)
{
	it->due = due;
	if (!it->timer) {
		/* an accuracy of 1 ms: the default of 250 ms would merge wake-ups that we want
		 * apart */
		if (sd_event_add_time(q->loop, &it->timer, CLOCK_MONOTONIC, due, 1000, on_timer,
				      it) < 0)
			fatal("queue: cannot add a timer");
		return;
	}
	sd_event_source_set_time(it->timer, due);
	sd_event_source_set_enabled(it->timer, SD_EVENT_ONESHOT);
}

static uint64_t back_off(const struct queue *q, unsigned failures)
{
	uint64_t delay = q->options.base_delay_usec;
	for (unsigned i = 0; i < failures && delay < q->options.max_delay_usec; i++)
		delay *= 2;
	return delay < q->options.max_delay_usec ? delay : q->options.max_delay_usec;
}

/* Between two starts. Events of a failing key do not get around its back-off, or a failure that
 * causes events would feed itself; they wait for a second at most, since they may bring the cure.
 */
static uint64_t pause_of(const struct queue *q, const struct item *it)
{
	if (it->failures == 0)
		return it->interval;
	uint64_t delay = back_off(q, it->failures);
	delay = delay < FAILING_PAUSE_USEC ? delay : FAILING_PAUSE_USEC;
	return delay > it->interval ? delay : it->interval;
}

static void schedule(struct queue *q, struct item *it, uint64_t due)
{
	uint64_t now = now_usec();
	uint64_t earliest = it->last_start ? it->last_start + pause_of(q, it) : 0;
	if (due < earliest)
		due = earliest;
	if (it->active) {
		if (!it->dirty || due < it->dirty_due)
			it->dirty_due = due;
		it->dirty = true;
		return;
	}
	if (it->ready || (it->due && it->due <= due))
		return;
	if (due > now) {
		arm(q, it, due);
		return;
	}
	if (it->timer)
		sd_event_source_set_enabled(it->timer, SD_EVENT_OFF);
	make_ready(q, it);
}

void queue_add(struct queue *q, const char *key)
{
	q->adds++;
	schedule(q, find_or_new(q, key), 0);
}

void queue_add_after(struct queue *q, const char *key, uint64_t usec)
{
	q->adds++;
	schedule(q, find_or_new(q, key), now_usec() + usec);
}

void queue_retry(struct queue *q, const char *key)
{
	struct item *it = find_or_new(q, key);
	uint64_t due = now_usec() + back_off(q, it->failures);
	it->failures++;
	q->retries++;
	schedule(q, it, due);
}

void queue_forget(struct queue *q, const char *key)
{
	struct item *it = find(q, key);
	if (it)
		it->failures = 0;
}

void queue_done(struct queue *q, const char *key)
{
	struct item *it = find(q, key);
	if (!it || !it->active)
		return;
	it->active = false;
	q->active--;
	if (it->dirty) {
		it->dirty = false;
		schedule(q, it, it->dirty_due);
	} else if (it->dropped) {
		item_free(q, it);
	}
	if (q->ready)
		sd_event_source_set_enabled(q->dispatch, SD_EVENT_ON);
}

void queue_set_interval(struct queue *q, const char *key, uint64_t usec)
{
	struct item *it = find(q, key);
	if (it)
		it->interval =
		    usec > q->options.min_interval_usec ? usec : q->options.min_interval_usec;
}

void queue_drop(struct queue *q, const char *key)
{
	struct item *it = find(q, key);
	if (it && it->active)
		it->dropped = true;
	else if (it && !it->ready && !it->due)
		item_free(q, it);
}

void queue_stats(const struct queue *q, struct queue_stats *out)
{
	*out = (struct queue_stats){.adds = q->adds, .retries = q->retries, .active = q->active};
	for (const struct item *it = q->ready; it; it = it->next)
		out->depth++;
}
