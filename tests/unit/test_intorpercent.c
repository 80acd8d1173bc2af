/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/intorpercent.h"
#include "kube/json.h"

#include <errno.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

static val parse(arena *a, const char *json)
{
	val v = val_null();
	assert_int_equal(json_parse(a, json, strlen(json), &v, NULL), 0);
	return v;
}

/* covers: revisions:N1 */
static void scales(void **state)
{
	(void)state;
	static const struct {
		const char *json;
		int64_t total, down, up;
	} rows[] = {
	    {"5", 100, 5, 5},
	    {"0", 100, 0, 0},
	    {"-3", 100, -3, -3},
	    {"\"25%\"", 10, 2, 3},
	    {"\"20%\"", 10, 2, 2},
	    {"\"0%\"", 10, 0, 0},
	    {"\"100%\"", 7, 7, 7},
	    {"\"150%\"", 10, 15, 15},
	    {"\"1%\"", 1, 0, 1},
	    {"\"33%\"", 3, 0, 1},
	    {"\"-25%\"", 10, -3, -2},
	    {"\"50%\"", 0, 0, 0},
	    {"2147483647", 1, 2147483647, 2147483647},
	    {"\"2147483647%\"", INT64_MAX, INT64_MAX, INT64_MAX},
	};
	for (size_t i = 0; i < N(rows); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = parse(a, rows[i].json);
		struct int_or_percent p;
		int64_t out;
		assert_int_equal(int_or_percent_parse(&v, &p, NULL), 0);
		assert_int_equal(int_or_percent_scale(p, rows[i].total, false), rows[i].down);
		assert_int_equal(int_or_percent_resolve(&v, rows[i].total, true, -99, &out, NULL),
				 0);
		assert_int_equal(out, rows[i].up);
		val back = int_or_percent_val(a, p);
		assert_true(val_equal(&back, &v));
	}
}

/* covers: revisions:N1 cloneset:V9 */
static void refuses(void **state)
{
	(void)state;
	static const char *const rows[] = {
	    "\"\"",	   "\"5\"",
	    "\"%\"",	   "\"a%\"",
	    "\"5 %\"",	   "\"5%%\"",
	    "\"1.5%\"",	   "1.5",
	    "true",	   "{}",
	    "[]",	   "2147483648",
	    "\"-%\"",	   "\" 5%\"",
	    "\"5% \"",	   "\"99999999999%\"",
	    "-2147483649", "18446744073709551615",
	};
	for (size_t i = 0; i < N(rows); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = parse(a, rows[i]);
		struct int_or_percent p;
		struct err e = {0};
		int64_t out = 1;
		assert_int_equal(int_or_percent_parse(&v, &p, &e), -EINVAL);
		assert_true(e.msg[0] != '\0');
		assert_int_equal(int_or_percent_resolve(&v, 10, true, 5, &out, NULL), -EINVAL);
		assert_int_equal(out, 1);
	}
}

static void absent(void **state)
{
	(void)state;
	struct int_or_percent p;
	int64_t out;
	val null = val_null();
	assert_int_equal(int_or_percent_parse(NULL, &p, NULL), -EINVAL);
	assert_int_equal(int_or_percent_resolve(NULL, 10, true, 5, &out, NULL), 0);
	assert_int_equal(out, 5);
	assert_int_equal(int_or_percent_resolve(&null, 10, true, 6, &out, NULL), 0);
	assert_int_equal(out, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(scales),
	    cmocka_unit_test(refuses),
	    cmocka_unit_test(absent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
