/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/time.h"

#include <string.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void parses(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t usec;
	} rows[] = {
	    {"1970-01-01T00:00:00Z", 0},
	    {"1970-01-01T00:00:01.5Z", 1500000},
	    {"1969-12-31T23:59:59.999999Z", -1},
	    {"2026-12-01T10:00:00Z", 1796119200000000},
	    {"2026-12-01T11:30:00+01:30", 1796119200000000},
	    {"2026-12-01T02:00:00-08:00", 1796119200000000},
	    {"2000-02-29T00:00:00Z", 951782400000000},
	    {"2026-12-01T10:00:00.123456789Z", 1796119200123456},
	    {"0001-01-01T00:00:00Z", -62135596800000000},
	    {"9999-12-31T23:59:59Z", 253402300799000000},
	};
	for (size_t i = 0; i < N(rows); i++) {
		int64_t usec = 42, seconds;
		assert_true(k8s_time_parse_usec(str_of(rows[i].text), &usec));
		assert_int_equal(usec, rows[i].usec);
		assert_true(k8s_time_parse(str_of(rows[i].text), &seconds));
		assert_true(seconds * 1000000 <= usec && usec < (seconds + 1) * 1000000);
	}
}

static void refuses(void **state)
{
	(void)state;
	static const char *const rows[] = {
	    "",
	    "2026-12-01",
	    "2026-12-01T10:00:00",
	    "2026-12-01 10:00:00Z",
	    "2026-13-01T10:00:00Z",
	    "2026-00-01T10:00:00Z",
	    "2026-02-29T10:00:00Z",
	    "1900-02-29T10:00:00Z",
	    "2026-12-32T10:00:00Z",
	    "2026-12-01T24:00:00Z",
	    "2026-12-01T10:60:00Z",
	    "2026-12-01T10:00:60Z",
	    "2026-12-01T10:00:00.Z",
	    "2026-12-01T10:00:00+1:00",
	    "2026-12-01T10:00:00+24:00",
	    "2026-12-01T10:00:00Zx",
	    "+026-12-01T10:00:00Z",
	};
	int64_t usec = 42;
	for (size_t i = 0; i < N(rows); i++)
		assert_false(k8s_time_parse_usec(str_of(rows[i]), &usec));
	assert_int_equal(usec, 42);
	assert_false(k8s_time_parse_usec((struct str){0}, &usec));
	assert_int_equal(k8s_time_of(NULL, 7), 7);
	val v = val_of_int(3);
	assert_int_equal(k8s_time_of(&v, 7), 7);
	v = val_of_str("1970-01-01T00:00:09Z");
	assert_int_equal(k8s_time_of(&v, 7), 9);
	assert_int_equal(k8s_time_usec_of(&v, 7), 9000000);
}

static void formats(void **state)
{
	(void)state;
	char out[K8S_TIME_LEN];
	assert_string_equal(k8s_time_format(out, sizeof(out), 0), "1970-01-01T00:00:00Z");
	assert_string_equal(k8s_time_format(out, sizeof(out), -1), "1969-12-31T23:59:59Z");
	assert_string_equal(k8s_time_format(out, sizeof(out), 951782400), "2000-02-29T00:00:00Z");
	assert_string_equal(k8s_time_format(out, sizeof(out), INT64_MAX), "9999-12-31T23:59:59Z");
	assert_string_equal(k8s_time_format(out, sizeof(out), INT64_MIN), "0000-01-01T00:00:00Z");
	assert_string_equal(k8s_microtime_format(out, sizeof(out), 1796119200000042),
			    "2026-12-01T10:00:00.000042Z");
	assert_string_equal(k8s_microtime_format(out, sizeof(out), -1),
			    "1969-12-31T23:59:59.999999Z");
	/* every day of four centuries goes there and back */
	for (int64_t day = -146097; day < 146097; day++) {
		int64_t back;
		k8s_time_format(out, sizeof(out), day * 86400);
		assert_true(k8s_time_parse(str_of(out), &back));
		assert_int_equal(back, day * 86400);
	}
	_cleanup_arena_ arena *a = arena_new();
	val v = k8s_time_val(a, 1);
	assert_true(val_is(&v, "1970-01-01T00:00:01Z"));
	v = k8s_microtime_val(a, 1);
	assert_true(val_is(&v, "1970-01-01T00:00:00.000001Z"));
}

static void durations(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out; /* out NULL: refused */
		int64_t usec;
	} rows[] = {
	    {"0", "0s", 0},
	    {"0s", "0s", 0},
	    {"1s", "1s", 1000000},
	    {"1h30m", "1h30m0s", 5400000000},
	    {"90m", "1h30m0s", 5400000000},
	    {"61s", "1m1s", 61000000},
	    {"-1.5s", "-1.5s", -1500000},
	    {"+2s", "2s", 2000000},
	    {"300ms", "300ms", 300000},
	    {"1.5ms", "1.5ms", 1500},
	    {"7us", "7\xc2\xb5s", 7},
	    {"7\xc2\xb5s", "7\xc2\xb5s", 7},
	    {"1500ns", "1\xc2\xb5s", 1},
	    {".5s", "500ms", 500000},
	    {"1.s", "1s", 1000000},
	    {"2562047788h", "2562047788h0m0s", 9223372036800000000},
	    {"2562047789h", NULL, 0},
	    {"99999999999999999999s", NULL, 0},
	    {"", NULL, 0},
	    {"-", NULL, 0},
	    {"1", NULL, 0},
	    {"s", NULL, 0},
	    {".s", NULL, 0},
	    {"1d", NULL, 0},
	    {"1s ", NULL, 0},
	    {"1s-1s", NULL, 0},
	};
	for (size_t i = 0; i < N(rows); i++) {
		int64_t usec = 0;
		char out[K8S_DURATION_LEN];
		bool good = k8s_duration_parse(str_of(rows[i].in), &usec);
		assert_int_equal(good, rows[i].out != NULL);
		if (!good)
			continue;
		assert_int_equal(usec, rows[i].usec);
		assert_string_equal(k8s_duration_format(out, sizeof(out), usec), rows[i].out);
	}
	char out[K8S_DURATION_LEN];
	assert_string_equal(k8s_duration_format(out, sizeof(out), INT64_MIN),
			    "-2562047788h0m54.775808s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(parses),
	    cmocka_unit_test(refuses),
	    cmocka_unit_test(formats),
	    cmocka_unit_test(durations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
