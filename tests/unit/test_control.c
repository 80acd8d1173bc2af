/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/control.h"

#include "ipc/child.h"
#include "ipc/mp.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

static const struct control_msg messages[] = {
    {.type = CONTROL_HELLO, .hello = {{"secret", 6}, {"watcher", 7}, 4711}},
    {.type = CONTROL_BEAT, .beat = {{"secret", 6}, true, {NULL, 0}, 0}},
    {.type = CONTROL_BEAT, .beat = {{"secret", 6}, false, {"waiting", 7}, UINT64_MAX}},
    {.type = CONTROL_LOG_LEVEL, .level = {"debug", 5}},
    {.type = CONTROL_STOP},
    {.type = CONTROL_LEADER_WORKERS, .count = 3},
    {.type = CONTROL_LEADER_UNTIL, .until_usec = 4711000000},
};
#define N_MESSAGES (sizeof(messages) / sizeof(messages[0]))

static void assert_same(const struct control_msg *a, const struct control_msg *b)
{
	assert_int_equal(a->type, b->type);
	if (a->type == CONTROL_HELLO) {
		assert_true(str_eq(a->hello.token, b->hello.token));
		assert_true(str_eq(a->hello.name, b->hello.name));
		assert_int_equal(a->hello.pid, b->hello.pid);
	} else if (a->type == CONTROL_BEAT) {
		assert_true(str_eq(a->beat.token, b->beat.token));
		assert_true(str_eq(a->beat.note, b->beat.note));
		assert_int_equal(a->beat.ready, b->beat.ready);
		assert_int_equal(a->beat.leader_until_usec, b->beat.leader_until_usec);
	} else if (a->type == CONTROL_LOG_LEVEL) {
		assert_true(str_eq(a->level, b->level));
	} else if (a->type == CONTROL_LEADER_WORKERS) {
		assert_int_equal(a->count, b->count);
	} else if (a->type == CONTROL_LEADER_UNTIL) {
		assert_int_equal(a->until_usec, b->until_usec);
	}
}

static void test_round_trip(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_MESSAGES; i++) {
		_cleanup_buf_ struct buf b = {0};
		struct control_msg m;
		struct err e = {0};
		control_pack(&b, &messages[i]);
		if (control_unpack(b.p, b.len, &m, &e) < 0)
			fail_msg("%zu: %s", i, e.msg);
		assert_same(&m, &messages[i]);
	}
}

static void test_cut_and_extended(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_MESSAGES; i++) {
		_cleanup_buf_ struct buf b = {0};
		struct control_msg m;
		control_pack(&b, &messages[i]);
		for (size_t n = 0; n < b.len; n++)
			assert_int_equal(control_unpack(b.p, n, &m, NULL), -EBADMSG);
		/* one more element is fine, bytes after the end are not */
		b.p[0]++;
		mpw_array(&b, 1);
		mpw_str(&b, str_of("from the future"));
		assert_int_equal(control_unpack(b.p, b.len, &m, NULL), 0);
		assert_same(&m, &messages[i]);
		buf_putc(&b, 0);
		assert_int_equal(control_unpack(b.p, b.len, &m, NULL), -EBADMSG);
	}
}

static void test_malformed(void **state)
{
	(void)state;
	static const struct {
		const char *p;
		size_t n;
	} rows[] = {
	    {"", 0},
	    {"\x90", 1},				  /* no type */
	    {"\x91\xa1x", 3},				  /* a type that is no number */
	    {"\x91\x63", 2},				  /* unknown type */
	    {"\x92\x12\xff", 3},			  /* negative count */
	    {"\x92\x10\xa0", 3},			  /* empty level */
	    {"\x94\x01\xa1t\xa1n\x00", 7},		  /* pid 0 */
	    {"\x94\x01\xa0\xa1n\x01", 6},		  /* no token */
	    {"\x95\x02\xa1t\x01\xc0\x00", 7},		  /* ready is no boolean */
	    {"\xdd\xff\xff\xff\xff\x01", 6},		  /* a count that cannot be */
	    {"\x94\x01\xdb\xff\xff\xff\xff\xa1n\x01", 9}, /* a string longer than the frame */
	    {"\x92\x10\xd9\x41"
	     "0123456789012345678901234567890123456789012345678901234567890123x",
	     69},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct control_msg m;
		if (control_unpack(rows[i].p, rows[i].n, &m, NULL) != -EBADMSG)
			fail_msg("row %zu", i);
	}
}

static void test_long_note(void **state)
{
	(void)state;
	char note[3000];
	for (size_t i = 0; i < sizeof(note); i += 3)
		memcpy(note + i, "\xe2\x82\xac", 3); /* a euro sign */
	const struct control_msg m = {.type = CONTROL_BEAT,
				      .beat = {{"t", 1}, true, {note, sizeof(note)}, 0}};
	_cleanup_buf_ struct buf b = {0};
	struct control_msg out;
	control_pack(&b, &m);
	assert_int_equal(control_unpack(b.p, b.len, &out, NULL), 0);
	assert_int_equal(out.beat.note.n, CONTROL_MAX_NOTE / 3 * 3);
}

/* The child's side against a socket that plays the supervisor. */
struct fixture {
	char dir[64];
	void *ctx, *router;
	sd_event *loop;
	struct child *child;
	bool stopped;
	char identity[64];
	int identity_len;
};

static void on_stop(void *userdata)
{
	((struct fixture *)userdata)->stopped = true;
}

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	strcpy(f->dir, "/tmp/test_control.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	_cleanup_free_ char *endpoint = xasprintf("ipc://%s/control", f->dir);
	f->ctx = zmq_ctx_new();
	f->router = zmq_socket(f->ctx, ZMQ_ROUTER);
	assert_int_equal(zmq_bind(f->router, endpoint), 0);
	setenv("KRUISED_CONTROL", endpoint, 1);
	setenv("KRUISED_TOKEN", "secret", 1);
	setenv("KRUISED_RUNDIR", f->dir, 1);
	assert_true(sd_event_new(&f->loop) >= 0);
	const struct child_handlers handlers = {on_stop, f};
	struct err e = {0};
	if (child_attach(&f->child, f->loop, "cloneset", &handlers, &e) < 0)
		fail_msg("%s", e.msg);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	child_detach(f->child);
	sd_event_unref(f->loop);
	zmq_close(f->router);
	zmq_ctx_term(f->ctx);
	_cleanup_free_ char *cmd = xasprintf("rm -rf '%s'", f->dir);
	assert_int_equal(system(cmd), 0);
	free(f);
	return 0;
}

/* The next message of the child; its loop runs meanwhile. Strings of out point into frame. */
static void receive(struct fixture *f, char frame[CONTROL_MAX], struct control_msg *out)
{
	for (int i = 0; i < 5000; i++) {
		f->identity_len =
		    zmq_recv(f->router, f->identity, sizeof(f->identity), ZMQ_DONTWAIT);
		if (f->identity_len > 0) {
			int n = zmq_recv(f->router, frame, CONTROL_MAX, 0);
			assert_in_range(n, 1, CONTROL_MAX);
			struct err e = {0};
			if (control_unpack(frame, (size_t)n, out, &e) < 0)
				fail_msg("%s", e.msg);
			return;
		}
		assert_true(sd_event_run(f->loop, 2000) >= 0);
	}
	fail_msg("no message");
}

static void send_to_child(struct fixture *f, const struct control_msg *m)
{
	_cleanup_buf_ struct buf b = {0};
	control_pack(&b, m);
	assert_true(zmq_send(f->router, f->identity, (size_t)f->identity_len, ZMQ_SNDMORE) >= 0);
	assert_true(zmq_send(f->router, b.p, b.len, 0) >= 0);
}

static void test_child(void **state)
{
	struct fixture *f = *state;
	char frame[CONTROL_MAX];
	struct control_msg m;
	assert_string_equal(child_rundir(), f->dir);
	receive(f, frame, &m);
	assert_int_equal(m.type, CONTROL_HELLO);
	assert_true(str_is(m.hello.token, "secret") && str_is(m.hello.name, "cloneset"));
	assert_int_equal(m.hello.pid, getpid());
	receive(f, frame, &m);
	assert_int_equal(m.type, CONTROL_BEAT);
	assert_false(m.beat.ready);

	/* a change is told at once, no change is not */
	child_set_ready(f->child, true, "fine");
	child_set_ready(f->child, true, "fine");
	child_set_leader_until(f->child, 99);
	receive(f, frame, &m);
	assert_true(m.beat.ready && str_is(m.beat.note, "fine") && m.beat.leader_until_usec == 0);
	receive(f, frame, &m);
	assert_int_equal(m.beat.leader_until_usec, 99);
	/* and then a beat by the timer */
	receive(f, frame, &m);
	assert_int_equal(m.type, CONTROL_BEAT);
	assert_true(m.beat.ready && m.beat.leader_until_usec == 99);

	assert_int_equal(child_leader_workers(f->child), -1);
	send_to_child(f, &(struct control_msg){.type = CONTROL_LEADER_WORKERS, .count = 2});
	for (int i = 0; i < 1000 && child_leader_workers(f->child) != 2; i++)
		assert_true(sd_event_run(f->loop, 10000) >= 0);
	assert_int_equal(child_leader_workers(f->child), 2);
	send_to_child(f, &(struct control_msg){.type = CONTROL_STOP});
	for (int i = 0; i < 1000 && !f->stopped; i++)
		assert_true(sd_event_run(f->loop, 10000) >= 0);
	assert_true(f->stopped);
}

static bool leads_becomes(struct fixture *f, bool want)
{
	for (int i = 0; i < 1000 && child_leads(f->child) != want; i++)
		assert_true(sd_event_run(f->loop, 10000) >= 0);
	return child_leads(f->child) == want;
}

/* A leader's worker asks before it writes; the answer ends by itself. */
static void test_leads(void **state)
{
	struct fixture *f = *state;
	char frame[CONTROL_MAX];
	struct control_msg m;
	assert_true(child_leads(f->child)); /* nobody spoke of leadership */
	receive(f, frame, &m);
	static const struct {
		uint64_t from_now;
		bool leads;
	} rows[] = {{60000000, true}, {0, false}, {60000000, true}, {100000, false}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		m = (struct control_msg){.type = CONTROL_LEADER_UNTIL,
					 .until_usec = (uint64_t)now.tv_sec * 1000000 +
						       (uint64_t)now.tv_nsec / 1000 +
						       rows[i].from_now};
		send_to_child(f, &m);
		assert_true(leads_becomes(f, rows[i].leads));
	}
	send_to_child(f, &(struct control_msg){.type = CONTROL_LEADER_UNTIL, .until_usec = 0});
	assert_true(leads_becomes(f, false));
	send_to_child(
	    f, &(struct control_msg){.type = CONTROL_LEADER_UNTIL, .until_usec = UINT64_MAX});
	assert_true(leads_becomes(f, true));

	/* and a new one begins with what its supervisor knew */
	setenv("KRUISED_LEADER_UNTIL", "1", 1);
	sd_event *loop;
	struct child *late;
	assert_true(sd_event_new(&loop) >= 0);
	assert_int_equal(child_attach(&late, loop, "cloneset", NULL, NULL), 0);
	assert_false(child_leads(late));
	child_detach(late);
	sd_event_unref(loop);
	unsetenv("KRUISED_LEADER_UNTIL");
}

static void test_sigterm(void **state)
{
	struct fixture *f = *state;
	kill(getpid(), SIGTERM);
	for (int i = 0; i < 1000 && !f->stopped; i++)
		assert_true(sd_event_run(f->loop, 10000) >= 0);
	assert_true(f->stopped);
}

static void test_by_hand(void **state)
{
	(void)state;
	unsetenv("KRUISED_CONTROL");
	unsetenv("KRUISED_RUNDIR");
	sd_event *loop;
	struct child *c;
	assert_true(sd_event_new(&loop) >= 0);
	assert_int_equal(child_attach(&c, loop, "x", NULL, NULL), 0);
	child_set_ready(c, true, NULL);
	assert_string_equal(child_rundir(), "/run/kruised");
	child_detach(c);
	sd_event_unref(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_cut_and_extended),
	    cmocka_unit_test(test_malformed),
	    cmocka_unit_test(test_long_note),
	    cmocka_unit_test_setup_teardown(test_child, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_leads, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_sigterm, setup, teardown),
	    cmocka_unit_test(test_by_hand),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
