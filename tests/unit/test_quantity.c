/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/quantity.h"
#include "tests/unit/cases.h"

/* Canonical text, and the same after rounding to 10^-3, as Kubernetes 1.20 prints them. */
static void canonical(void **state)
{
	(void)state;
	static const struct {
		const char *in, *text, *milli; /* milli NULL: as text */
	} rows[] = {
	    {"0", "0", NULL},
	    {"0.5", "500m", NULL},
	    {"1024Mi", "1Gi", NULL},
	    {"1e3", "1e3", NULL},
	    {"1E3", "1E3", NULL},
	    {"1000m", "1", NULL},
	    {"0.1Gi", "107374182400m", NULL},
	    {"1.5Gi", "1536Mi", NULL},
	    {"+5", "+5", NULL},
	    {"1.500", "1.500", NULL},
	    {"007", "007", NULL},
	    {"1.", "1.", NULL},
	    {".5", "500m", NULL},
	    {"0.0000000001", "1n", "1m"},
	    {"100u", "100u", "1m"},
	    {"1500u", "1500u", "2m"},
	    {"-0", "0", NULL},
	    {"-0.5", "-500m", NULL},
	    {"-1.5Ki", "-1536", NULL},
	    {"00", "0", NULL},
	    {"m", "0", NULL},
	    {"1E", "1E", NULL},
	    {"1Ei", "1Ei", NULL},
	    {"8Ei", "9223372036854775807", NULL},
	    {"0.5Ki", "512", NULL},
	    {"1023Ki", "1023Ki", NULL},
	    {"2048Ki", "2Mi", NULL},
	    {"1.1Ki", "1126400m", NULL},
	    {"1e-12", "1e-9", "1e-3"},
	    {"1e10", "10e9", NULL},
	    {"12e2", "1200", NULL},
	    {"5E+2", "500", NULL},
	    {"1000", "1k", NULL},
	    {"1000k", "1M", NULL},
	    {"10.10", "10100m", NULL},
	    {"1.23456789Gi", "1325607178060431360n", "1325607178061m"},
	    {"12345678901234567890", "12345678901234567890", NULL},
	    {"1e40", "1e40", NULL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct quantity q;

		assert_int_equal(quantity_parse(str_of(rows[i].in), &q), 0);
		assert_string_equal(quantity_str(a, &q), rows[i].text);
		quantity_round_to_milli(&q);
		assert_string_equal(quantity_str(a, &q),
				    rows[i].milli ? rows[i].milli : rows[i].text);
	}
}

static void refuses(void **state)
{
	(void)state;
	static const char *const rows[] = {"",	  "x",	   "1x",   " 1",    "1Mi ",	    "1K",
					   "1mi", "1i",	   "1ee3", "1e 3",  "1e",	    "1e1e1",
					   "1_0", "1,000", "--1",  "1.1.1", "1e99999999999"};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct quantity q;

		assert_true(quantity_parse(str_of(rows[i]), &q) < 0);
	}
}

static void from_json(void **state)
{
	(void)state;
	static const struct {
		const char *json, *text; /* text NULL: refused */
	} rows[] = {{"2", "2"},	     {"0.5", "500m"},	   {"0.1", "100m"}, {"1000", "1k"},
		    {"1e300", NULL}, {"' 1Gi\\n'", "1Gi"}, {"true", NULL},  {"null", NULL},
		    {"[]", NULL},    {"''", NULL}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = js(a, rows[i].json);
		struct quantity q;
		int r = quantity_from_val(&v, &q);

		assert_int_equal(r == 0, rows[i].text != NULL);
		if (r == 0)
			assert_string_equal(quantity_str(a, &q), rows[i].text);
	}
}

static void compares(void **state)
{
	(void)state;
	static const struct {
		const char *a, *b;
		int want;
	} rows[] = {{"1", "1000m", 0}, {"1Gi", "1G", 1},   {"-1", "1", -1},	{"-2", "-1", -1},
		    {"0", "-0", 0},    {"1e3", "1k", 0},   {"0.5Ki", "512", 0}, {"1n", "0", 1},
		    {"1Ei", "1E", 1},  {"1e40", "1Ei", 1}, {"-1n", "0", -1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct quantity x, y;

		assert_int_equal(quantity_parse(str_of(rows[i].a), &x), 0);
		assert_int_equal(quantity_parse(str_of(rows[i].b), &y), 0);
		assert_int_equal(quantity_cmp(&x, &y), rows[i].want);
		assert_int_equal(quantity_cmp(&y, &x), -rows[i].want);
	}
}

static void integers(void **state)
{
	(void)state;
	static const struct {
		const char *in;
		bool want;
	} rows[] = {{"1", true}, {"1000m", true}, {"1500m", false},
		    {"0", true}, {"1n", false},	  {"1Ki", true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct quantity q;

		assert_int_equal(quantity_parse(str_of(rows[i].in), &q), 0);
		assert_int_equal(quantity_is_integer(&q), rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(canonical), cmocka_unit_test(refuses),  cmocka_unit_test(from_json),
	    cmocka_unit_test(compares),	 cmocka_unit_test(integers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
