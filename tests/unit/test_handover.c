/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "supervisor/handover_text.c"
#include "supervisor/services.c"

#define MAX_SERVICES 64

struct fixture {
	struct supervisor s;
	struct service services[MAX_SERVICES];
	struct sandbox_report reports[MAX_SERVICES];
};

static void init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->s.services = f->services;
	f->s.n_services = n_service_defs;
	assert_true(n_service_defs <= MAX_SERVICES);
	for (size_t i = 0; i < n_service_defs; i++)
		f->services[i] =
		    (struct service){.def = &service_defs[i], .sandbox = &f->reports[i]};
	leadership_init(&f->s.leadership, true);
}

static int parse(struct fixture *f, const char *text, size_t *n_unknown)
{
	int *unknown = NULL;
	size_t n = 0;
	int r = handover_parse(&f->s, text, strlen(text), &unknown, &n, NULL);
	if (r == 0)
		free(unknown);
	if (n_unknown)
		*n_unknown = n;
	return r;
}

static void test_round_trip(void **state)
{
	static struct fixture a, b;
	(void)state;
	init(&a);
	init(&b);
	a.s.begun_usec = 12;
	a.s.configured = true;
	a.s.leadership.until_usec = 99;
	strcpy(a.s.log_level, "debug");
	struct service *v = &a.services[0];
	v->pid = 77;
	v->state = SERVICE_STOPPING;
	v->reason = END_REPLACE;
	strcpy(v->token, "0123456789abcdef0123456789abcdef");
	v->started_usec = 5;
	v->term_usec = UINT64_MAX;
	v->deadline_usec = 1234567890123;
	v->ready = true;
	v->starts = 3;
	v->backoff.failures = 2;
	strcpy(v->note, "two  words\nand child x 1");
	a.reports[0].layer[LAYER_TMP] = -1;
	a.services[1].state = SERVICE_BACKOFF;
	a.services[1].restart_usec = 4711;

	_cleanup_buf_ struct buf text = {0};
	handover_print(&a.s, &text);
	assert_int_equal(parse(&b, buf_str(&text), NULL), 0);
	assert_int_equal(b.s.begun_usec, 12);
	assert_true(b.s.configured);
	assert_int_equal(b.s.leadership.until_usec, 99);
	assert_string_equal(b.s.log_level, "debug");
	const struct service *w = &b.services[0];
	assert_int_equal(w->pid, 77);
	assert_int_equal(w->state, SERVICE_STOPPING);
	assert_int_equal(w->reason, END_REPLACE);
	assert_string_equal(w->token, v->token);
	assert_true(w->term_usec == UINT64_MAX && w->deadline_usec == 1234567890123);
	assert_true(w->ready && w->starts == 3 && w->backoff.failures == 2);
	assert_string_equal(w->note, "two  words and child x 1");
	assert_int_equal(b.reports[0].layer[LAYER_TMP], -1);
	assert_int_equal(b.services[1].state, SERVICE_BACKOFF);
	assert_int_equal(b.services[1].restart_usec, 4711);
}

#define CHILD(name, pid, state) \
	"child " name " " pid " " state " 0 0123456789abcdef0123456789abcdef 1 2 3 4 5 1 1 0 0\n"

static void test_other_versions(void **state)
{
	static const struct {
		const char *what, *text;
		int r;
		size_t unknown;
	} rows[] = {
	    {"empty", "", -EBADMSG, 0},
	    {"another version", "kruised-handover 2\n" CHILD("watcher", "9", "3"), -EBADMSG, 0},
	    {"garbage", "\x01\x02\n", -EBADMSG, 0},
	    {"cut off", "kruised-handover 1\nchild watcher 9 3", -EBADMSG, 0},
	    {"fields missing", "kruised-handover 1\nchild watcher 9 3\n", -EBADMSG, 0},
	    {"no such state", "kruised-handover 1\n" CHILD("watcher", "9", "99"), -EBADMSG, 0},
	    {"a process that waits", "kruised-handover 1\n" CHILD("watcher", "9", "0"), -EBADMSG,
	     0},
	    {"init as a child", "kruised-handover 1\n" CHILD("watcher", "1", "3"), -EBADMSG, 0},
	    {"a negative pid", "kruised-handover 1\n" CHILD("watcher", "-1", "3"), -EBADMSG, 0},
	    {"lines of the future", "kruised-handover 1\nfuture x\n" CHILD("watcher", "9", "3"), 0,
	     0},
	    {"a child that is no more", "kruised-handover 1\n" CHILD("gone", "9", "3"), 0, 1},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static struct fixture f;
		size_t unknown;
		init(&f);
		if (parse(&f, rows[i].text, &unknown) != rows[i].r || unknown != rows[i].unknown)
			fail_msg("%s", rows[i].what);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_other_versions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
