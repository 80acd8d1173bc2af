/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/delta.h"

#include "ipc/base/log.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const struct delta sample = {
    .epoch = UINT64_MAX,
    .seq = 1,
    .type = DELTA_MODIFIED,
    .ns = {"default", 7},
    .name = {"p", 1},
    .uid = {"u-1", 3},
    .rv = 1234567890123,
    .changed = DELTA_STATUS | DELTA_OTHER,
    .terminating = true,
    .owner = {{"apps.kruise.io/v1alpha1", 23}, {"CloneSet", 8}, {"c", 1}, {"o-1", 3}},
};

static void test_round_trip(void **state)
{
	(void)state;
	_cleanup_buf_ struct buf b = {0};
	delta_pack(&b, &sample);
	struct delta d;
	struct err e;
	size_t used;
	assert_int_equal(delta_unpack(b.p, b.len, &d, &used, &e), 0);
	assert_int_equal(used, b.len);
	assert_true(d.epoch == sample.epoch && d.seq == 1 && d.type == 'M' && d.rv == sample.rv);
	assert_true(str_is(d.ns, "default") && str_is(d.name, "p") && str_is(d.uid, "u-1"));
	assert_true(d.changed == sample.changed && d.terminating);
	assert_true(str_is(d.owner.kind, "CloneSet") && str_is(d.owner.uid, "o-1") &&
		    str_is(d.owner.name, "c") &&
		    str_is(d.owner.api_version, "apps.kruise.io/v1alpha1"));
	assert_null(d.old_owner.uid.p);
}

static void test_malformed(void **state)
{
	(void)state;
	_cleanup_buf_ struct buf b = {0};
	delta_pack(&b, &sample);
	struct delta d;
	struct err e;
	size_t used;
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(delta_unpack(b.p, n, &d, &used, &e), -EBADMSG);
	/* the next one of the frame is left alone */
	size_t first = b.len;
	buf_putc(&b, 0);
	assert_int_equal(delta_unpack(b.p, b.len, &d, &used, &e), 0);
	assert_int_equal(used, first);
	/* a type that is none */
	struct delta strange = sample;
	strange.type = 'X';
	buf_reset(&b);
	delta_pack(&b, &strange);
	assert_int_equal(delta_unpack(b.p, b.len, &d, &used, &e), -EBADMSG);
	/* one beyond the limit */
	char *big = xmalloc(DELTA_MAX);
	memset(big, 'x', DELTA_MAX);
	strange = sample;
	strange.name = (struct str){big, DELTA_MAX};
	buf_reset(&b);
	delta_pack(&b, &strange);
	assert_int_equal(delta_unpack(b.p, b.len, &d, &used, &e), -EBADMSG);
	free(big);
}

/* A publisher in a process of its own, told what to do through a pipe. */
struct order {
	char what; /* s: send, m: mark, q: quit */
	const char *resource;
	uint64_t epoch, first;
	uint64_t n;
};

static void publisher(const char *dir, int in, int out)
{
	struct delta_pub *p;
	struct order o;
	struct delta d = sample;
	char done = 'd';
	if (delta_pub_new(&p, dir, NULL) < 0 || write(out, &done, 1) != 1)
		_exit(1);
	while (read(in, &o, sizeof(o)) == (ssize_t)sizeof(o) && o.what != 'q') {
		d.epoch = o.epoch;
		for (d.seq = o.first; o.what == 's' && d.seq < o.first + o.n; d.seq++)
			delta_pub_send(p, o.resource, &d);
		if (o.what == 'm')
			delta_pub_mark(p, o.resource, o.epoch, o.first);
	}
	_exit(0);
}

#define PODS "pods"
#define PODS2 "pods2"
#define CLONESETS "apps.kruise.io/clonesets"

struct fixture {
	char dir[64];
	sd_event *loop;
	struct delta_sub *sub;
	sd_event_source *tick;
	pid_t pid;
	int orders, answers;
	unsigned deltas[2], gaps[2];
	uint64_t last;
	bool disordered;
	/* the tick marks until a first message shows that the subscription is in force */
	bool probing;
};

static int index_of(const char *resource)
{
	return strcmp(resource, CLONESETS) == 0;
}

static void on_delta(const char *resource, const struct delta *d, void *userdata)
{
	struct fixture *f = userdata;
	if (!index_of(resource)) {
		f->disordered |= f->deltas[0] > 0 && d->seq <= f->last;
		f->last = d->seq;
	}
	f->deltas[index_of(resource)]++;
}

static void on_gap(const char *resource, void *userdata)
{
	struct fixture *f = userdata;
	f->gaps[index_of(resource)]++;
}

static void order(struct fixture *f, char what, const char *resource, uint64_t epoch,
		  uint64_t first, uint64_t n)
{
	struct order o = {what, resource, epoch, first, n};
	assert_int_equal(write(f->orders, &o, sizeof(o)), sizeof(o));
}

static void start_publisher(struct fixture *f)
{
	int to[2], from[2];
	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	f->pid = fork();
	if (f->pid == 0) {
		close(to[1]);
		close(from[0]);
		publisher(f->dir, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	f->orders = to[1];
	f->answers = from[0];
	char c;
	assert_int_equal(read(f->answers, &c, 1), 1);
}

static void stop_publisher(struct fixture *f, int sig)
{
	if (sig)
		kill(f->pid, sig);
	else
		order(f, 'q', NULL, 0, 0, 0);
	int status;
	waitpid(f->pid, &status, 0);
	close(f->orders);
	close(f->answers);
}

/* Wakes the loop, so that waits for a condition end. */
static int on_tick(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct fixture *f = userdata;
	if (f->probing)
		order(f, 'm', PODS, 1, f->gaps[0] ? 2 : 1, 0);
	(void)usec;
	sd_event_source_set_time_relative(s, 5000);
	return 0;
}

static void run_until(struct fixture *f, bool (*done)(struct fixture *f))
{
	uint64_t now, deadline;
	sd_event_now(f->loop, CLOCK_MONOTONIC, &now);
	deadline = now + 20000000;
	while (!done(f)) {
		assert_true(sd_event_run(f->loop, 1000000) >= 0);
		sd_event_now(f->loop, CLOCK_MONOTONIC, &now);
		if (now > deadline)
			fail_msg("timed out: %u deltas, %u gaps", f->deltas[0], f->gaps[0]);
	}
}

static bool first_gap(struct fixture *f)
{
	return f->gaps[0] > 0;
}

/* The subscription is in force once a mark beyond what was "seen" has been told. */
static void subscribe(struct fixture *f)
{
	static const char *const resources[] = {PODS, CLONESETS, NULL};
	struct err e;
	if (delta_sub_new(&f->sub, f->loop, f->dir, resources, on_delta, on_gap, f, &e) < 0)
		fail_msg("%s", e.msg);
	delta_sub_seen(f->sub, PODS, 1, 0);
	f->probing = true;
	run_until(f, first_gap);
	f->probing = false;
	f->gaps[0] = 0;
	/* marks that are still on the way say 1 or 2 */
	delta_sub_seen(f->sub, PODS, 1, 2);
}

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	strcpy(f->dir, "/tmp/test_delta.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	assert_true(sd_event_new(&f->loop) >= 0);
	assert_true(sd_event_add_time_relative(f->loop, &f->tick, CLOCK_MONOTONIC, 1000, 1, on_tick,
					       f) >= 0);
	sd_event_source_set_enabled(f->tick, SD_EVENT_ON);
	start_publisher(f);
	subscribe(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	stop_publisher(f, 0);
	delta_sub_free(f->sub);
	sd_event_source_disable_unref(f->tick);
	sd_event_unref(f->loop);
	_cleanup_free_ char *socket = xasprintf("%s/deltas", f->dir);
	unlink(socket);
	rmdir(f->dir);
	free(f);
	return 0;
}

static bool ten(struct fixture *f)
{
	return f->deltas[0] >= 10;
}

static bool one_clonesets(struct fixture *f)
{
	return f->deltas[1] >= 1;
}

static void test_topics(void **state)
{
	struct fixture *f = *state;
	order(f, 's', PODS2, 1, 1, 5);
	order(f, 's', PODS, 1, 3, 10);
	order(f, 's', CLONESETS, 1, 1, 1);
	run_until(f, one_clonesets);
	assert_int_equal(f->deltas[0], 10);
	assert_int_equal(f->gaps[0] + f->gaps[1], 0);
	assert_false(f->disordered);
}

/* The edge-triggered descriptor must not leave messages lying, whatever the burst. */
#define BURST 50000
static bool burst(struct fixture *f)
{
	return f->deltas[0] >= BURST;
}

static void test_burst(void **state)
{
	struct fixture *f = *state;
	order(f, 's', PODS, 1, 3, BURST);
	run_until(f, burst);
	assert_int_equal(f->gaps[0], 0);
	assert_false(f->disordered);
	/* and single ones after it */
	for (uint64_t i = 0; i < 20; i++) {
		f->deltas[1] = 0;
		order(f, 's', CLONESETS, 1, 1 + i, 1);
		run_until(f, one_clonesets);
	}
	assert_int_equal(f->deltas[0], BURST);
}

static void test_gap(void **state)
{
	struct fixture *f = *state;
	order(f, 's', PODS, 1, 3, 5);
	order(f, 's', PODS, 1, 9, 5); /* 8 is missing */
	run_until(f, ten);
	assert_int_equal(f->gaps[0], 1);
}

static void test_old_deltas_are_dropped(void **state)
{
	struct fixture *f = *state;
	delta_sub_seen(f->sub, PODS, 1, 100);
	order(f, 's', PODS, 1, 91, 20); /* 101…110 are new */
	run_until(f, ten);
	assert_int_equal(f->last, 110);
	assert_int_equal(f->deltas[0], 10);
	assert_int_equal(f->gaps[0], 0);
}

static void test_lost_tail(void **state)
{
	struct fixture *f = *state;
	order(f, 's', PODS, 1, 3, 10);
	run_until(f, ten);
	order(f, 'm', PODS, 1, 12, 0);
	order(f, 's', CLONESETS, 1, 1, 1);
	run_until(f, one_clonesets);
	assert_int_equal(f->gaps[0], 0);
	order(f, 'm', PODS, 1, 13, 0);
	run_until(f, first_gap);
}

static void test_publisher_returns(void **state)
{
	struct fixture *f = *state;
	order(f, 's', PODS, 1, 3, 10);
	run_until(f, ten);
	stop_publisher(f, SIGKILL);
	start_publisher(f);
	f->deltas[0] = 0;
	/* The new one marks until heard; a new epoch is a gap. */
	for (int i = 0; i < 400 && !f->gaps[0]; i++) {
		order(f, 'm', PODS, 2, 0, 0);
		assert_true(sd_event_run(f->loop, 50000) >= 0);
	}
	assert_int_equal(f->gaps[0], 1);
	order(f, 's', PODS, 2, 1, 10);
	run_until(f, ten);
	assert_int_equal(f->gaps[0], 1);
}

/* A subscriber that does not read is cut off at the mark; the publisher is not held up, and the
 * loss is noticed. */
static void test_slow_subscriber(void **state)
{
	struct fixture *f = *state;
	uint64_t n = 3 * DELTA_HWM + 100000;
	order(f, 's', PODS, 1, 3, n);
	order(f, 's', PODS, 1, 3 + n, 1);
	stop_publisher(f, 0); /* it could say everything although nobody has read */
	start_publisher(f);
	for (int i = 0; i < 4000 && !f->gaps[0]; i++) {
		order(f, 'm', PODS, 1, 3 + n, 0);
		for (int k = 0; k < 200; k++)
			assert_true(sd_event_run(f->loop, 1000) >= 0);
	}
	assert_int_equal(f->gaps[0], 1);
	assert_false(f->disordered);
}

int main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_malformed),
	    T(test_topics),
	    T(test_burst),
	    T(test_gap),
	    T(test_old_deltas_are_dropped),
	    T(test_lost_tail),
	    T(test_publisher_returns),
	    T(test_slow_subscriber),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
