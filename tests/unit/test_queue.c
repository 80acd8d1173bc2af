/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "workers/runtime/queue.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct run {
	sd_event *loop;
	struct queue *q;
	char order[256]; /* keys as they were started */
	int started;
	uint64_t at[16]; /* when */
	bool hold;	 /* do not call queue_done */
};

static uint64_t now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void work(const char *key, void *userdata)
{
	struct run *r = userdata;
	if (r->started < 16)
		r->at[r->started] = now();
	r->started++;
	strncat(r->order, key, sizeof(r->order) - strlen(r->order) - 1);
	if (!r->hold)
		queue_done(r->q, key);
}

static void begin(struct run *r, int workers, uint64_t interval)
{
	const struct queue_options o = {.workers = workers,
					.base_delay_usec = 1000,
					.max_delay_usec = 4000,
					.min_interval_usec = interval};
	memset(r, 0, sizeof(*r));
	assert_true(sd_event_new(&r->loop) >= 0);
	r->q = queue_new(r->loop, &o, work, r);
}

static void end(struct run *r)
{
	queue_free(r->q);
	sd_event_unref(r->loop);
}

/* Runs the loop until n starts have happened, or nothing is left to do for a while. */
static void spin(struct run *r, int n)
{
	while (r->started < n && sd_event_run(r->loop, 200000) > 0)
		;
}

static void idle(struct run *r)
{
	while (sd_event_run(r->loop, 0) > 0)
		;
}

/* covers: cloneset:B1 */
static void a_burst_is_one_run(void **state)
{
	(void)state;
	struct run r;
	begin(&r, 3, 0);
	for (int i = 0; i < 100; i++)
		queue_add(r.q, "a");
	queue_add(r.q, "b");
	spin(&r, 2);
	idle(&r);
	assert_string_equal(r.order, "ab");
	end(&r);
}

static void added_while_active_runs_again_afterwards(void **state)
{
	(void)state;
	struct run r;
	begin(&r, 3, 0);
	r.hold = true;
	queue_add(r.q, "a");
	spin(&r, 1);
	queue_add(r.q, "a");
	queue_add(r.q, "a");
	idle(&r);
	assert_int_equal(r.started, 1);
	r.hold = false;
	queue_done(r.q, "a");
	spin(&r, 2);
	idle(&r);
	assert_int_equal(r.started, 2);
	end(&r);
}

static void no_more_than_workers_at_once(void **state)
{
	(void)state;
	struct run r;
	struct queue_stats st;
	begin(&r, 2, 0);
	r.hold = true;
	queue_add(r.q, "a");
	queue_add(r.q, "b");
	queue_add(r.q, "c");
	spin(&r, 2);
	idle(&r);
	assert_string_equal(r.order, "ab");
	queue_stats(r.q, &st);
	assert_int_equal(st.active, 2);
	assert_int_equal(st.depth, 1);
	queue_done(r.q, "b");
	spin(&r, 3);
	assert_string_equal(r.order, "abc");
	end(&r);
}

static void interval_and_delay_are_kept(void **state)
{
	(void)state;
	struct run r;
	begin(&r, 3, 20000);
	queue_add(r.q, "a");
	spin(&r, 1);
	queue_add(r.q, "a");
	spin(&r, 2);
	assert_true(r.at[1] - r.at[0] >= 20000);
	uint64_t t = now();
	queue_add_after(r.q, "b", 30000);
	spin(&r, 3);
	assert_true(r.at[2] >= t + 30000);
	/* an earlier addition wins over a later one */
	t = now();
	queue_add_after(r.q, "c", 10000000);
	queue_add_after(r.q, "c", 5000);
	spin(&r, 4);
	assert_string_equal(r.order, "aabc");
	assert_true(r.at[3] < t + 10000000);
	end(&r);
}

static void back_off_doubles_up_to_its_limit(void **state)
{
	(void)state;
	struct run r;
	begin(&r, 3, 0);
	static const uint64_t want[] = {1000, 2000, 4000, 4000};
	for (int i = 0; i < 4; i++) {
		uint64_t t = now();
		queue_retry(r.q, "a");
		spin(&r, i + 1);
		assert_true(r.at[i] >= t + want[i]);
	}
	queue_forget(r.q, "a");
	struct queue_stats st;
	queue_stats(r.q, &st);
	assert_int_equal(st.retries, 4);
	end(&r);
}

static void dropping(void **state)
{
	(void)state;
	struct run r;
	begin(&r, 3, 0);
	queue_drop(r.q, "nothing");
	queue_add(r.q, "a");
	queue_drop(r.q, "a"); /* it waits: it stays */
	spin(&r, 1);
	assert_int_equal(r.started, 1);
	queue_drop(r.q, "a");
	queue_add(r.q, "a");
	spin(&r, 2);
	assert_int_equal(r.started, 2);
	end(&r);
}

/* What is dropped during its own work goes with it: nothing delays the same key later. */
static void dropped_while_active(void **state)
{
	(void)state;
	struct run r;
	begin(&r, 3, 10000000);
	r.hold = true;
	queue_add(r.q, "a");
	spin(&r, 1);
	queue_drop(r.q, "a");
	queue_done(r.q, "a");
	queue_add(r.q, "a"); /* a new one: its interval does not count */
	spin(&r, 2);
	assert_int_equal(r.started, 2);
	/* added again meanwhile: it comes again, as if it had not been dropped */
	queue_drop(r.q, "a");
	queue_add(r.q, "a");
	queue_done(r.q, "a");
	idle(&r);
	assert_int_equal(r.started, 2);
	struct queue_stats st;
	queue_stats(r.q, &st);
	assert_int_equal(st.active, 0);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_burst_is_one_run),
	    cmocka_unit_test(added_while_active_runs_again_afterwards),
	    cmocka_unit_test(no_more_than_workers_at_once),
	    cmocka_unit_test(interval_and_delay_are_kept),
	    cmocka_unit_test(back_off_doubles_up_to_its_limit),
	    cmocka_unit_test(dropping),
	    cmocka_unit_test(dropped_while_active),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
