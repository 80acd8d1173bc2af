/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/metrics.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const resource_label[] = {"resource", NULL};
static const char *const two_labels[] = {"a", "b", NULL};

static void test_print(void **state)
{
	(void)state;
	struct metrics *m = metrics_new();
	struct metric *c = metric_new(m, METRIC_COUNTER, "x_total", "What\nis \\ it.", two_labels);
	assert_ptr_equal(metric_new(m, METRIC_COUNTER, "x_total", "again", NULL), c);
	metric_new(m, METRIC_GAUGE, "unused", "No series, no lines.", NULL);
	metric_add(c, 1, "p", "q\"\\\n");
	metric_add(c, 2.5, "p", "q\"\\\n");
	metric_add(c, -1, "p", "q\"\\\n"); /* counters do not fall */
	metric_add(c, 1, "q", "");
	struct metric *g = metric_new(m, METRIC_GAUGE, "g", "Gauge.", NULL);
	metric_set(g, -INFINITY);
	metric_set(g, 0.1);
	static const double bounds[] = {0.5, 1};
	struct metric *h = metric_new(m, METRIC_HISTOGRAM, "h", "Hist.", resource_label);
	metric_buckets(h, bounds, 2);
	metric_observe(h, 0.5, "r");
	metric_observe(h, 0.75, "r");
	metric_observe(h, 7, "r");
	metric_observe(h, NAN, "r");
	_cleanup_buf_ struct buf b = {0};
	metrics_print(m, &b);
	assert_string_equal(buf_str(&b), "# HELP x_total What\\nis \\\\ it.\n"
					 "# TYPE x_total counter\n"
					 "x_total{a=\"p\",b=\"q\\\"\\\\\\n\"} 3.5\n"
					 "x_total{a=\"q\",b=\"\"} 1\n"
					 "# HELP g Gauge.\n# TYPE g gauge\ng 0.1\n"
					 "# HELP h Hist.\n# TYPE h histogram\n"
					 "h_bucket{resource=\"r\",le=\"0.5\"} 1\n"
					 "h_bucket{resource=\"r\",le=\"1\"} 2\n"
					 "h_bucket{resource=\"r\",le=\"+Inf\"} 3\n"
					 "h_sum{resource=\"r\"} 8.25\n"
					 "h_count{resource=\"r\"} 3\n");
	metric_clear(c);
	metric_add(c, 1, "new", "x");
	buf_reset(&b);
	metrics_print(m, &b);
	assert_non_null(strstr(b.p, "x_total{a=\"new\",b=\"x\"} 1\n# HELP g"));
	metrics_free(m);
}

static void test_many_series(void **state)
{
	(void)state;
	struct metrics *m = metrics_new();
	struct metric *c = metric_new(m, METRIC_COUNTER, "x", "X.", resource_label);
	char name[32];
	for (int i = 0; i < METRIC_MAX_SERIES + 500; i++) {
		snprintf(name, sizeof(name), "r%d", i);
		metric_add(c, 1, name);
	}
	const char *first = "r0", *other = "other";
	assert_true(series_value(metric_with(c, &first)) == 1);
	assert_true(series_value(metric_with(c, &other)) == 500);
	metrics_free(m);
}

static void expect_merge(const char *const *texts, const char *want)
{
	struct str in[8];
	size_t n = 0;
	for (; texts[n]; n++)
		in[n] = str_of(texts[n]);
	_cleanup_buf_ struct buf b = {0};
	metrics_merge(in, n, &b);
	assert_string_equal(buf_str(&b), want);
}

static void test_merge(void **state)
{
	(void)state;
	static const char *const texts[] = {
	    "# HELP a_total A.\n# TYPE a_total counter\na_total{x=\"1\"} 2\na_total{x=\"2\"} 1\n"
	    "# HELP h H.\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\nh_sum 0.5\nh_count 1\n",
	    "# TYPE b gauge\nb 7\n# HELP a_total Other.\n# TYPE a_total counter\na_total{x=\"1\"} "
	    "40\n"
	    "# TYPE h histogram\nh_bucket{le=\"+Inf\"} 2\nh_sum 1\nh_count 2 1700000000000\n",
	    NULL};
	expect_merge(
	    texts,
	    "# HELP a_total A.\n# TYPE a_total counter\na_total{x=\"1\"} 42\na_total{x=\"2\"} 1\n"
	    "# HELP h H.\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 3\nh_sum 1.5\nh_count 3\n"
	    "# TYPE b gauge\nb 7\n");
}

static void test_merge_hostile(void **state)
{
	(void)state;
	static const char *const dropped[] = {
	    "a\n",
	    "a{} \n",
	    "a{x} 1\n",
	    "a{x=1} 1\n",
	    "a{x=\"1} 1\n",
	    "a{x=\"\\q\"} 1\n",
	    "1a 1\n",
	    "a 1 2 3\n",
	    "a one\n",
	    "a{x=\"1\"}1\n",
	    "a 0x10\n",
	    "a{x=\"1\" y=\"2\"} 1\n",
	    "a 1", /* no end of line */
	    "# TYPE a nonsense\n",
	    "#\n",
	    "\n\n",
	    "a\r 1\n",
	    "a{x=\"1\\",
	    "a nan(7)\n",
	    "{x=\"1\"} 1\n",
	};
	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++) {
		const char *texts[] = {dropped[i], "ok 1\n", NULL};
		expect_merge(texts, "ok 1\n");
	}
	/* another type: the second text's samples are left out */
	static const char *const types[] = {"# TYPE a counter\na 1\n", "# TYPE a gauge\na 5\nb 1\n",
					    NULL};
	expect_merge(types, "# TYPE a counter\na 1\nb 1\n");
	/* a histogram's parts never become a family within it */
	static const char *const values[] = {"a +Inf\nb NaN\n", "a{x=\"}\\\" \"} 1\n", NULL};
	expect_merge(values, "a +Inf\na{x=\"}\\\" \"} 1\nb NaN\n");
}

static bool exists(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && st.st_size > 0;
}

static void test_files(void **state)
{
	(void)state;
	char dir[] = "/tmp/test_metrics.XXXXXX";
	assert_non_null(mkdtemp(dir));
	_cleanup_free_ char *path = xasprintf("%s/metrics/one.prom", dir);
	_cleanup_free_ char *two = xasprintf("%s/metrics/two.prom", dir);
	_cleanup_free_ char *not_ours = xasprintf("%s/metrics/three.txt", dir);
	_cleanup_buf_ struct buf b = {0};
	assert_int_equal(metrics_merge_dir(dir, &b, NULL), -ENOENT);

	sd_event *loop;
	struct err e = {0};
	assert_true(sd_event_new(&loop) >= 0);
	struct metrics *m = metrics_new();
	struct metric *c = metric_new(m, METRIC_COUNTER, "x", "X.", NULL);
	metric_add(c, 1);
	if (metrics_serve(m, loop, dir, "one", NULL, NULL, &e) < 0)
		fail_msg("%s", e.msg);
	for (int i = 0; i < 100 && !exists(path); i++)
		assert_true(sd_event_run(loop, 200000) >= 0);
	FILE *f = fopen(two, "w");
	fputs("# TYPE x counter\nx 2\n", f);
	fclose(f);
	f = fopen(not_ours, "w");
	fputs("y 2\n", f);
	fclose(f);
	assert_int_equal(metrics_merge_dir(dir, &b, NULL), 0);
	assert_string_equal(buf_str(&b), "# HELP x X.\n# TYPE x counter\nx 3\n");

	/* the last values are written when the loop ends */
	metric_add(c, 10);
	sd_event_exit(loop, 0);
	sd_event_loop(loop);
	buf_reset(&b);
	assert_int_equal(metrics_merge_dir(dir, &b, NULL), 0);
	assert_non_null(strstr(buf_str(&b), "x 13\n"));
	sd_event_unref(loop);
	metrics_free(m);
	_cleanup_free_ char *cmd = xasprintf("rm -rf '%s'", dir);
	assert_int_equal(system(cmd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_print), cmocka_unit_test(test_many_series),
	    cmocka_unit_test(test_merge), cmocka_unit_test(test_merge_hostile),
	    cmocka_unit_test(test_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
