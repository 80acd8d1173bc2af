/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ipc/ctl.h"

#include <errno.h>
#include <string.h>

static void requests(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		int verb; /* -1: refused */
		size_t n_args;
	} cases[] = {
	    {"status", CTL_STATUS, 0},
	    {"  status  ", CTL_STATUS, 0},
	    {"restart cloneset", CTL_RESTART, 1},
	    {"restart  cloneset", CTL_RESTART, 1},
	    {"reload", CTL_RELOAD, 0},
	    {"stop", CTL_STOP, 0},
	    {"log-level all debug", CTL_LOG_LEVEL, 2},
	    {"", -1, 0},
	    {"   ", -1, 0},
	    {"statu", -1, 0},
	    {"status x", -1, 0},
	    {"restart", -1, 0},
	    {"restart a b", -1, 0},
	    {"log-level all", -1, 0},
	    {"status\t", -1, 0},
	    {"status\r", -1, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ctl_request q;
		struct err e = {0};
		int r = ctl_request_parse(cases[i].line, strlen(cases[i].line), &q, &e);
		assert_int_equal(r, cases[i].verb < 0 ? -EINVAL : 0);
		if (r < 0) {
			assert_true(e.msg[0] != '\0');
			continue;
		}
		assert_int_equal(q.verb, cases[i].verb);
		assert_int_equal(q.n_args, cases[i].n_args);
	}
}

static void request_limits(void **state)
{
	(void)state;
	char line[CTL_MAX_REQUEST + 1];
	struct ctl_request q;
	memset(line, ' ', sizeof(line));
	memcpy(line, "status", 6);
	assert_int_equal(ctl_request_parse(line, CTL_MAX_REQUEST, &q, NULL), 0);
	assert_int_equal(ctl_request_parse(line, CTL_MAX_REQUEST + 1, &q, NULL), -EINVAL);
	assert_int_equal(ctl_request_parse("status\0", 7, &q, NULL), -EINVAL);
}

static void request_from_words(void **state)
{
	(void)state;
	_cleanup_buf_ struct buf b = {0};
	char restart[] = "restart", name[] = "cloneset", bad[] = "a b", empty[] = "";
	char *good_words[] = {restart, name};
	char *bad_words[] = {restart, bad};
	char *empty_words[] = {restart, empty};
	assert_int_equal(ctl_request_print(&b, 2, good_words, NULL), 0);
	assert_string_equal(b.p, "restart cloneset\n");
	assert_int_equal(ctl_request_print(&b, 2, bad_words, NULL), -EINVAL);
	assert_int_equal(ctl_request_print(&b, 2, empty_words, NULL), -EINVAL);
}

static void lines(void **state)
{
	(void)state;
	_cleanup_buf_ struct buf b = {0};
	ctl_line_print(&b, CTL_LINE_BODY, "a\tb\nc");
	ctl_line_print(&b, CTL_LINE_ERROR, "no");
	ctl_line_print(&b, CTL_LINE_OK, "ignored");
	assert_string_equal(b.p, "=a\tb c\nerror no\nok\n");

	static const struct {
		const char *line;
		int kind; /* -1: refused */
		const char *text;
	} cases[] = {
	    {"=", CTL_LINE_BODY, ""},
	    {"=x", CTL_LINE_BODY, "x"},
	    {"ok", CTL_LINE_OK, ""},
	    {"error no way", CTL_LINE_ERROR, "no way"},
	    {"", -1, ""},
	    {"okay", -1, ""},
	    {"error", -1, ""},
	    {"=\x1b[31m", -1, ""},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum ctl_line_kind kind;
		struct str text;
		int r = ctl_line_parse(cases[i].line, strlen(cases[i].line), &kind, &text);
		assert_int_equal(r, cases[i].kind < 0 ? -EBADMSG : 0);
		if (r < 0)
			continue;
		assert_int_equal(kind, cases[i].kind);
		assert_true(str_is(text, cases[i].text));
	}
}

static void a_long_line_is_cut(void **state)
{
	(void)state;
	_cleanup_buf_ struct buf b = {0};
	enum ctl_line_kind kind;
	struct str text;
	char big[3 * CTL_MAX_LINE + 1];
	for (size_t i = 0; i + 2 < sizeof(big); i += 2)
		memcpy(big + i, "\xc3\xa4", 2);
	big[sizeof(big) - 1] = '\0';
	ctl_line_print(&b, CTL_LINE_BODY, big);
	assert_int_equal(ctl_line_parse(b.p, b.len - 1, &kind, &text), 0);
	assert_int_equal(text.n % 2, 0); /* not inside a character */
}

static void rows(void **state)
{
	(void)state;
	_cleanup_buf_ struct buf b = {0};
	struct ctl_row in = {.name = str_of("cloneset"),
			     .pid = 4711,
			     .state = str_of("running"),
			     .ready = true,
			     .uptime_usec = 12345678,
			     .restarts = 3,
			     .beat_age_usec = UINT64_MAX,
			     .note = str_of("two\twords\n")};
	struct ctl_row out;
	ctl_row_print(&b, &in);
	assert_int_equal(ctl_row_parse((struct str){b.p, b.len}, &out), 0);
	assert_true(str_is(out.name, "cloneset"));
	assert_int_equal(out.pid, 4711);
	assert_true(str_is(out.state, "running"));
	assert_true(out.ready);
	assert_int_equal(out.uptime_usec, 12345678);
	assert_int_equal(out.restarts, 3);
	assert_true(out.beat_age_usec == UINT64_MAX);
	assert_true(str_is(out.note, "two words "));

	static const char *const bad[] = {
	    "",
	    "a",
	    "a\t1\trunning\tyes\t1\t1\t1",
	    "\t1\trunning\tyes\t1\t1\t1\t",
	    "a\tx\trunning\tyes\t1\t1\t1\t",
	    "a\t-1\trunning\tyes\t1\t1\t1\t",
	    "a\t99999999999\trunning\tyes\t1\t1\t1\t",
	    "a\t1\trunning\tmaybe\t1\t1\t1\t",
	    "a\t1\trunning\tyes\t18446744073709551616\t1\t1\t",
	    "a\t1\trunning\tyes\t1\t-\t1\t",
	    "a\t1\trunning\tyes\t1\t1\t\t",
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ctl_row_parse(str_of(bad[i]), &out), -EBADMSG);
	assert_int_equal(ctl_row_parse((struct str){0}, &out), -EBADMSG);
}

static void facts(void **state)
{
	(void)state;
	_cleanup_buf_ struct buf b = {0};
	struct str key, value;
	ctl_fact_print(&b, "leader", "yes");
	assert_true(ctl_fact_parse((struct str){b.p, b.len}, &key, &value));
	assert_true(str_is(key, "leader"));
	assert_true(str_is(value, "yes"));
	assert_false(ctl_fact_parse(str_of("leader\tyes"), &key, &value));
	assert_false(ctl_fact_parse(str_of("#leader"), &key, &value));
	assert_false(ctl_fact_parse(str_of(""), &key, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(requests),
	    cmocka_unit_test(request_limits),
	    cmocka_unit_test(request_from_words),
	    cmocka_unit_test(lines),
	    cmocka_unit_test(a_long_line_is_cut),
	    cmocka_unit_test(rows),
	    cmocka_unit_test(facts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
