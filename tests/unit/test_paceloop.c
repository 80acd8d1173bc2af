/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "ipc/paceloop.h"

#include <errno.h>
#include <stdint.h>

struct fixture {
	sd_event *loop;
	unsigned fired, limit;
};

static int on_defer(sd_event_source *s, void *userdata)
{
	struct fixture *f = userdata;
	sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
	return ++f->fired == f->limit ? sd_event_exit(f->loop, 42) : 0;
}

static int on_timer(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct fixture *f = userdata;
	(void)usec;
	sd_event_source_set_time_relative(s, 1);
	sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
	return ++f->fired == f->limit ? sd_event_exit(f->loop, 7) : 0;
}

static const struct pace pace = {.interval_usec = 2000, .burst = 3};

/* What is due already is all done before the loop rests. */
static void test_deferred_work(void **state)
{
	(void)state;
	struct fixture f = {.limit = 100000};
	assert_true(sd_event_new(&f.loop) >= 0);
	assert_true(sd_event_add_defer(f.loop, NULL, on_defer, &f) >= 0);
	assert_int_equal(pace_loop(f.loop, &pace), 42);
	assert_int_equal(f.fired, f.limit);
	sd_event_unref(f.loop);
}

/* Nothing is lost beyond the burst, and the exit code comes back. */
static void test_steady_stream(void **state)
{
	(void)state;
	struct fixture f = {.limit = 20};
	assert_true(sd_event_new(&f.loop) >= 0);
	assert_true(sd_event_add_time_relative(f.loop, NULL, CLOCK_MONOTONIC, 1, 1, on_timer, &f) >=
		    0);
	assert_int_equal(pace_loop(f.loop, &pace), 7);
	assert_int_equal(f.fired, f.limit);
	sd_event_unref(f.loop);
}

static int on_error(sd_event_source *s, void *userdata)
{
	(void)s;
	(void)userdata;
	return -EIO;
}

/* A source that fails is switched off, as sd_event_loop() does; the loop goes on. */
static void test_failing_source(void **state)
{
	(void)state;
	struct fixture f = {.limit = 2};
	assert_true(sd_event_new(&f.loop) >= 0);
	assert_true(sd_event_add_defer(f.loop, NULL, on_error, &f) >= 0);
	assert_true(sd_event_add_time_relative(f.loop, NULL, CLOCK_MONOTONIC, 1, 1, on_timer, &f) >=
		    0);
	assert_int_equal(pace_loop(f.loop, &pace), 7);
	sd_event_unref(f.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_deferred_work),
	    cmocka_unit_test(test_steady_stream),
	    cmocka_unit_test(test_failing_source),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
