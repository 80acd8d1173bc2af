/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* kruised is a program, not a library: the file is compiled in. */
#include "supervisor/backoff.c"

static void doubles_up_to_the_limit(void **state)
{
	(void)state;
	static const uint64_t want_ms[] = {0,	 100,  200,   400,   800,   1600,
					   3200, 6400, 12800, 25600, 30000, 30000};
	struct backoff b = {0};
	for (size_t i = 0; i < sizeof(want_ms) / sizeof(want_ms[0]); i++)
		assert_int_equal(backoff_next(&b, 1000), want_ms[i] * 1000);
}

static void stays_at_the_limit(void **state)
{
	(void)state;
	struct backoff b = {0};
	for (int i = 0; i < 100000; i++)
		backoff_next(&b, 0);
	assert_int_equal(backoff_next(&b, 0), BACKOFF_MAX_USEC);
}

static void forgets_after_a_minute(void **state)
{
	(void)state;
	struct backoff b = {0};
	for (int i = 0; i < 5; i++)
		backoff_next(&b, 0);
	assert_int_equal(backoff_next(&b, BACKOFF_FORGET_USEC - 1), 1600000);
	assert_int_equal(backoff_next(&b, BACKOFF_FORGET_USEC), 0);
	assert_int_equal(backoff_next(&b, 0), 100000);
}

static void reset_starts_anew(void **state)
{
	(void)state;
	struct backoff b = {0};
	backoff_next(&b, 0);
	backoff_next(&b, 0);
	backoff_reset(&b);
	assert_int_equal(backoff_next(&b, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(doubles_up_to_the_limit),
	    cmocka_unit_test(stays_at_the_limit),
	    cmocka_unit_test(forgets_after_a_minute),
	    cmocka_unit_test(reset_starts_anew),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
