/* SPDX-License-Identifier: Apache-2.0 */

/* The reflector against a pretended API client: its calls are recorded, its answers given by hand.
 * The store and the subscriber are real. */

#include "ipc/base/log.h"
#include "kube/json.h"
#include "watcher/change.h"
#include "watcher/keyset.h"
#include "watcher/reflector.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The programs' own sources are in no library. */
#include "watcher/change.c"
#define now_usec writer_now_usec
#define compare writer_compare
#include "watcher/writer.c"
#undef now_usec
#undef compare
#define compare keyset_compare
#define put keyset_put
#include "watcher/keyset.c"
#undef compare
#undef put
#include "watcher/reflector.c"

/* The pretended client ---------------------------------------------------------------------- */

struct k8s_call {
	bool open;
	const struct k8s_resource *resource;
	char query[512];
	k8s_done_fn done;
	void *userdata;
};

struct k8s_watch {
	bool open;
	char query[512];
	k8s_line_fn on_line;
	k8s_end_fn on_end;
	void *userdata;
};

static struct k8s_call the_call;
static struct k8s_watch the_watch;
static unsigned n_lists, n_watches;

struct k8s_call *k8s_list(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			  const char *query, k8s_done_fn done, void *userdata)
{
	(void)c;
	(void)ns;
	assert_false(the_call.open);
	the_call =
	    (struct k8s_call){.open = true, .resource = r, .done = done, .userdata = userdata};
	snprintf(the_call.query, sizeof(the_call.query), "%s", query);
	n_lists++;
	return &the_call;
}

void k8s_call_cancel(struct k8s_call *call)
{
	assert_true(call->open);
	call->open = false;
}

struct k8s_watch *k8s_watch_start(struct k8s_client *c, const struct k8s_resource *r,
				  const char *ns, const char *query, k8s_line_fn on_line_,
				  k8s_end_fn on_end_, void *userdata)
{
	(void)c;
	(void)r;
	(void)ns;
	assert_false(the_watch.open);
	the_watch = (struct k8s_watch){
	    .open = true, .on_line = on_line_, .on_end = on_end_, .userdata = userdata};
	snprintf(the_watch.query, sizeof(the_watch.query), "%s", query);
	n_watches++;
	return &the_watch;
}

void k8s_watch_stop(struct k8s_watch *w)
{
	assert_true(w->open);
	w->open = false;
}

/* Fixture ----------------------------------------------------------------------------------- */

struct fixture {
	char dir[64];
	sd_event *loop;
	struct store *store;
	struct delta_pub *pub;
	struct metrics *metrics;
	struct writer *writer;
	struct reflector *r;
	arena *a;
};

static void make(struct fixture *f, bool resume, uint64_t epoch)
{
	struct err e = {0};
	const struct reflector_options o = {
	    .resource = &K8S_PODS, .resume = resume, .epoch = epoch};
	if (reflector_new(&f->r, f->loop, NULL, f->writer, f->store, f->metrics, &o, &e) < 0)
		fail_msg("%s", e.msg);
	writer_flush(f->writer);
}

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct err e = {0};
	log_set_level(LOG_LVL_ERROR);
	the_call.open = the_watch.open = false;
	n_lists = n_watches = 0;
	/* tmpfs as in real life, where there is one */
	bool shm = access("/dev/shm", W_OK) == 0;
	snprintf(f->dir, sizeof(f->dir), "%s/test_reflector.XXXXXX", shm ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(f->dir));
	assert_true(sd_event_new(&f->loop) >= 0);
	f->metrics = metrics_new();
	f->a = arena_new();
	if (store_open_writer(&f->store, f->dir, &e) < 0 ||
	    delta_pub_new(&f->pub, f->dir, &e) < 0 ||
	    writer_new(&f->writer, f->loop, f->store, f->pub, f->metrics, &e) < 0)
		fail_msg("%s", e.msg);
	make(f, true, 1);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	reflector_free(f->r);
	writer_free(f->writer);
	delta_pub_free(f->pub);
	store_close(f->store);
	metrics_free(f->metrics);
	sd_event_unref(f->loop);
	arena_free(f->a);
	_cleanup_free_ char *cmd = xasprintf("rm -rf '%s'", f->dir);
	assert_int_equal(system(cmd), 0);
	free(f);
	return 0;
}

/* Runs the loop until a list, or a watch, is under way. */
static void wait_for(struct fixture *f, const bool *open)
{
	for (int i = 0; i < 1000 && !*open; i++)
		assert_true(sd_event_run(f->loop, 100000) >= 0);
	assert_true(*open);
}

static void answer(struct fixture *f, int code, const char *body)
{
	struct k8s_response resp = {.code = code, .arena = f->a};
	val v;
	struct err e = {0};
	assert_true(the_call.open);
	the_call.open = false;
	if (code >= 200 && code < 300) {
		if (json_parse(f->a, body, strlen(body), &v, &e) < 0)
			fail_msg("%s: %s", body, e.msg);
		resp.object = &v;
	} else {
		resp.error = body;
	}
	the_call.done(&resp, the_call.userdata);
}

static void line(const char *text)
{
	assert_true(the_watch.open);
	the_watch.on_line(text, strlen(text), the_watch.userdata);
}

static void end(int code, const char *error)
{
	assert_true(the_watch.open);
	the_watch.open = false;
	the_watch.on_end(code, error, the_watch.userdata);
}

#define POD(name, rv, rest)                                                         \
	"{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"d\",\"uid\":\"u" name \
	"\",\"resourceVersion\":\"" rv "\"}" rest "}"
#define LIST(rv, cont, items)                                                \
	"{\"metadata\":{\"resourceVersion\":\"" rv "\",\"continue\":\"" cont \
	"\"},\"items\":[" items "]}"
#define EVENT(type, pod) "{\"type\":\"" type "\",\"object\":" pod "}"

static int add_name(const struct store_entry *entry, void *userdata)
{
	buf_printf(userdata, "%.*s@%" PRIu64 " ", STR_ARG(entry->name), entry->rv);
	return 0;
}

/* What is in the store, as "name@rv …", then ":" and the resource's state. */
static void expect(struct fixture *f, const char *want)
{
	writer_flush(f->writer);
	struct store_txn *t;
	struct store_sync s;
	_cleanup_buf_ struct buf b = {0};
	assert_int_equal(store_begin(f->store, &t, NULL), 0);
	assert_int_equal(store_list(t, "pods", (struct str){0}, add_name, &b), 0);
	assert_true(store_sync_get(t, "pods", &s) >= 0);
	store_end(t);
	buf_printf(&b, ": %s rv=%" PRIu64 " epoch=%" PRIu64 " seq=%" PRIu64,
		   s.synced ? "synced" : "unsynced", s.rv, s.epoch, s.seq);
	assert_string_equal(buf_str(&b), want);
}

static void first_list(struct fixture *f)
{
	wait_for(f, &the_call.open);
	answer(f, 200, LIST("100", "", POD("a", "10", "") "," POD("b", "20", "")));
	assert_true(the_watch.open);
}

/* Tests ------------------------------------------------------------------------------------- */

static void test_list_then_watch(void **state)
{
	struct fixture *f = *state;
	expect(f, ": unsynced rv=0 epoch=1 seq=0");
	assert_int_equal(reflector_health(f->r), REFLECTOR_SYNCING);
	wait_for(f, &the_call.open);
	assert_string_equal(the_call.query, "limit=500");
	answer(f, 200, LIST("90", "to/ken=", POD("a", "10", "")));
	expect(f, "a@10 : unsynced rv=0 epoch=1 seq=1");
	assert_string_equal(the_call.query, "limit=500&continue=to%2Fken%3D");
	answer(f, 200, LIST("100", "", POD("b", "20", "")));
	expect(f, "a@10 b@20 : synced rv=100 epoch=1 seq=2");
	assert_int_equal(reflector_health(f->r), REFLECTOR_SYNCED);
	assert_non_null(strstr(the_watch.query, "resourceVersion=100"));
	assert_non_null(strstr(the_watch.query, "allowWatchBookmarks=true"));
}

static void test_events(void **state)
{
	struct fixture *f = *state;
	first_list(f);
	line(EVENT("ADDED", POD("c", "101", "")));
	line(EVENT("MODIFIED", POD("a", "102", "")));
	line(EVENT("DELETED", POD("b", "103", "")));
	expect(f, "a@102 c@101 : synced rv=103 epoch=1 seq=5");
	/* told again: nothing happens, but the position moves */
	line(EVENT("ADDED", POD("c", "101", "")));
	line(EVENT("DELETED", POD("b", "103", "")));
	line("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"150\"}}}");
	expect(f, "a@102 c@101 : synced rv=150 epoch=1 seq=5");
	/* a deletion older than what is stored */
	line(EVENT("DELETED", POD("a", "50", "")));
	expect(f, "a@102 c@101 : synced rv=50 epoch=1 seq=5");
}

static void test_watch_goes_on(void **state)
{
	struct fixture *f = *state;
	first_list(f);
	line(EVENT("ADDED", POD("c", "101", "")));
	static const struct {
		int code;
		const char *error;
	} ends[] = {{200, NULL}, {0, "connection reset"}, {500, "internal"}, {429, "slow down"}};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		end(ends[i].code, ends[i].error);
		wait_for(f, &the_watch.open);
		assert_non_null(strstr(the_watch.query, "resourceVersion=101"));
	}
	assert_int_equal(n_lists, 1);
	expect(f, "a@10 b@20 c@101 : synced rv=101 epoch=1 seq=3");
}

static void relisted(struct fixture *f)
{
	wait_for(f, &the_call.open);
	assert_false(the_watch.open);
	assert_string_equal(the_call.query, "limit=500");
	/* b was deleted, c came, a is the same */
	answer(f, 200, LIST("200", "", POD("a", "10", "") "," POD("c", "180", "")));
	expect(f, "a@10 c@180 : synced rv=200 epoch=1 seq=4");
	assert_non_null(strstr(the_watch.query, "resourceVersion=200"));
	assert_int_equal(series_value(f->r->relists), 1);
}

static void test_gone_by_status(void **state)
{
	struct fixture *f = *state;
	first_list(f);
	end(410, "too old resource version");
	relisted(f);
}

static void test_gone_by_event(void **state)
{
	struct fixture *f = *state;
	first_list(f);
	line("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":"
	     "\"Expired\"}}");
	line(EVENT("ADDED", POD("late", "300", ""))); /* not looked at */
	end(200, NULL);
	relisted(f);
}

static void test_strange_events(void **state)
{
	static const char *const strange[] = {
	    "{}", "[]", "{\"type\":\"ADDED\"}",
	    "{\"type\":\"WHAT\",\"object\":" POD("x", "1", "") "}",
	    "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}"};
	struct fixture *f = *state;
	wait_for(f, &the_call.open);
	for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++) {
		answer(f, 200, LIST("100", "", POD("a", "10", "")));
		line(strange[i]);
		wait_for(f, &the_call.open);
	}
	/* no JSON at all: left out, the rest goes on */
	answer(f, 200, LIST("100", "", POD("a", "10", "")));
	line("{\"type\":\"ADDED\",\"obj");
	line(EVENT("ADDED", POD("b", "101", "")));
	expect(f, "a@10 b@101 : synced rv=101 epoch=1 seq=2");
	assert_int_equal(series_value(f->r->malformed), 1);
}

static void test_not_served(void **state)
{
	struct fixture *f = *state;
	wait_for(f, &the_call.open);
	answer(f, 404, "the server could not find the requested resource");
	assert_int_equal(reflector_health(f->r), REFLECTOR_NOT_SERVED);
	assert_false(the_call.open);
	uint64_t at, now;
	sd_event_source_get_time(f->r->timer, &at);
	sd_event_now(f->loop, CLOCK_MONOTONIC, &now);
	assert_in_range(at, now + 1000000, now + 2100000);
	expect(f, ": unsynced rv=0 epoch=1 seq=0");
}

/* An old server: the other version is taken, and kept; a new one takes over from it. */
static void test_older_version(void **state)
{
	static const struct k8s_resource older = {"", "v0", "pods", "Pod", true};
	struct fixture *f = *state;
	f->r->o.older = &older;
	wait_for(f, &the_call.open);
	assert_ptr_not_equal(the_call.resource, &older);
	answer(f, 404, "no such resource");
	wait_for(f, &the_call.open);
	assert_ptr_equal(the_call.resource, &older);
	/* neither */
	answer(f, 404, "no such resource");
	assert_int_equal(reflector_health(f->r), REFLECTOR_NOT_SERVED);
	assert_ptr_not_equal(f->r->o.resource, &older);
	sd_event_source_set_time_relative(f->r->timer, 0);
	wait_for(f, &the_call.open);
	answer(f, 404, "no such resource");
	wait_for(f, &the_call.open);
	assert_ptr_equal(the_call.resource, &older);
	first_list(f);
	assert_int_equal(reflector_health(f->r), REFLECTOR_SYNCED);
	assert_ptr_equal(f->r->o.resource, &older);
	assert_string_equal(f->r->api_version, "v0");
}

static void test_forbidden(void **state)
{
	struct fixture *f = *state;
	wait_for(f, &the_call.open);
	answer(f, 403, "pods is forbidden");
	assert_int_equal(reflector_health(f->r), REFLECTOR_FORBIDDEN);
	first_list(f);
	assert_int_equal(reflector_health(f->r), REFLECTOR_SYNCED);
}

static void test_page_token_expired(void **state)
{
	struct fixture *f = *state;
	wait_for(f, &the_call.open);
	answer(f, 200, LIST("90", "t", POD("a", "10", "")));
	answer(f, 410, "the continue token has expired");
	wait_for(f, &the_call.open);
	assert_string_equal(the_call.query, "limit=0");
	answer(f, 200, LIST("100", "", POD("b", "20", "")));
	expect(f, "b@20 : synced rv=100 epoch=1 seq=3");
}

static void test_no_list_at_all(void **state)
{
	static const char *const bodies[] = {
	    "{}", "[]", "{\"items\":[]}", "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":{}}",
	    "{\"metadata\":{\"resourceVersion\":\"x\"},\"items\":[]}"};
	struct fixture *f = *state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		wait_for(f, &the_call.open);
		answer(f, 200, bodies[i]);
	}
	expect(f, ": unsynced rv=0 epoch=1 seq=0");
	first_list(f);
}

/* A new watcher on a complete store watches from where the old one stood. */
static void test_restart(void **state)
{
	struct fixture *f = *state;
	first_list(f);
	line(EVENT("ADDED", POD("c", "101", "")));
	reflector_free(f->r);
	make(f, true, 2);
	expect(f, "a@10 b@20 c@101 : synced rv=101 epoch=2 seq=0");
	wait_for(f, &the_watch.open);
	assert_non_null(strstr(the_watch.query, "resourceVersion=101"));
	assert_int_equal(n_lists, 1);
	line(EVENT("DELETED", POD("a", "102", "")));
	expect(f, "b@20 c@101 : synced rv=102 epoch=2 seq=1");
	/* another server, or another selection: what is there is not trusted before a list */
	reflector_free(f->r);
	make(f, false, 3);
	expect(f, "b@20 c@101 : unsynced rv=0 epoch=3 seq=0");
	wait_for(f, &the_call.open);
	/* going back in time: c is older here */
	answer(f, 200, LIST("60", "", POD("c", "55", "")));
	expect(f, "c@55 : synced rv=60 epoch=3 seq=3");
}

static void test_stall(void **state)
{
	struct fixture *f = *state;
	first_list(f);
	uint64_t t0 = now_usec();
	reflector_tick(f->r, t0 + STALL_USEC / 2);
	assert_true(the_watch.open);
	reflector_tick(f->r, t0 + STALL_USEC + 1000000);
	assert_false(the_watch.open);
	assert_false(reflector_connected(f->r));
	wait_for(f, &the_watch.open);
	assert_int_equal(n_lists, 1);
}

/* The cost of an event, with pods of a usual size. */
#define SPEED_PODS 1000
#define SPEED_ROUNDS 8

static const char *speed_event(struct buf *b, int pod, int round)
{
	buf_reset(b);
	buf_printf(
	    b,
	    "{\"type\":\"%s\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
	    "\"name\":\"p%d\",\"generateName\":\"p\",\"namespace\":\"d\",\"uid\":\"u%d\","
	    "\"resourceVersion\":\"%d\",\"labels\":{",
	    round ? "MODIFIED" : "ADDED", pod, pod, 1000 + round * SPEED_PODS + pod);
	for (int i = 0; i < 8; i++)
		buf_printf(b, "%s\"label-%d.example.com/x\":\"value\"", i ? "," : "", i);
	buf_puts(
	    b,
	    "},\"ownerReferences\":[{\"apiVersion\":\"apps.kruise.io/v1alpha1\",\"kind\":"
	    "\"CloneSet\",\"name\":\"c\",\"uid\":\"o\",\"controller\":true}],\"managedFields\":[");
	for (int i = 0; i < 40; i++)
		buf_printf(b, "%s{\"f:spec\":{\"f:containers\":{\"k:%d\":{}}}}", i ? "," : "", i);
	buf_puts(b, "]},\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\",\"env\":[");
	for (int i = 0; i < 30; i++)
		buf_printf(b, "%s{\"name\":\"VARIABLE_%d\",\"value\":\"some value of it\"}",
			   i ? "," : "", i);
	buf_printf(b, "]}]},\"status\":{\"phase\":\"Running\",\"round\":%d,\"conditions\":[",
		   round);
	for (int i = 0; i < 5; i++)
		buf_printf(b,
			   "%s{\"type\":\"T%d\",\"status\":\"True\",\"lastProbeTime\":null,"
			   "\"lastTransitionTime\":\"2024-01-01T00:00:00Z\"}",
			   i ? "," : "", i);
	buf_puts(b, "]}}}");
	return b->p;
}

static uint64_t cpu_usec(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

static void test_speed(void **state)
{
	struct fixture *f = *state;
	wait_for(f, &the_call.open);
	answer(f, 200, LIST("100", "", ""));
	_cleanup_buf_ struct buf b = {0};
	uint64_t spent = 0;
	for (int round = 0; round < SPEED_ROUNDS; round++) {
		for (int pod = 0; pod < SPEED_PODS; pod++) {
			const char *text = speed_event(&b, pod, round);
			uint64_t start = cpu_usec();
			line(text);
			spent += cpu_usec() - start;
		}
	}
	uint64_t start = cpu_usec();
	writer_flush(f->writer);
	spent += cpu_usec() - start;
	assert_int_equal(f->r->feed.sync.seq, SPEED_PODS * SPEED_ROUNDS);
	print_message("%zu bytes an event, %.1f us of CPU each\n", b.len,
		      (double)spent / (SPEED_PODS * SPEED_ROUNDS));
}

/* Changes ----------------------------------------------------------------------------------- */

static uint32_t mask_of(const char *from, const char *to)
{
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf x = {0}, y = {0};
	val v;
	struct err e = {0};
	if (json_parse(a, from, strlen(from), &v, &e) < 0)
		fail_msg("%s: %s", from, e.msg);
	val_pack(&x, &v);
	if (json_parse(a, to, strlen(to), &v, &e) < 0)
		fail_msg("%s: %s", to, e.msg);
	val_pack(&y, &v);
	return change_mask(x.p, x.len, y.p, y.len);
}

static void test_change_mask(void **state)
{
	(void)state;
#define M(fields) "{\"metadata\":{" fields "}}"
	static const struct {
		const char *from, *to;
		uint32_t mask;
	} rows[] = {
	    {"{}", "{}", DELTA_OTHER},
	    {M("\"resourceVersion\":\"1\""), M("\"resourceVersion\":\"2\""), DELTA_OTHER},
	    {"{\"spec\":{\"a\":1}}", "{\"spec\":{\"a\":2}}", DELTA_SPEC},
	    {"{\"data\":{\"a\":\"1\"}}", "{}", DELTA_SPEC},
	    {"{}", "{\"status\":{}}", DELTA_STATUS},
	    {"{\"status\":{\"x\":1},\"spec\":{}}", "{\"spec\":{},\"status\":{\"x\":2}}",
	     DELTA_STATUS},
	    {M("\"labels\":{\"a\":\"b\"}"), M("\"labels\":{\"a\":\"c\"}"), DELTA_LABELS},
	    {M("\"annotations\":{\"a\":\"b\"}"), M(""), DELTA_ANNOTATIONS},
	    {M(""), M("\"finalizers\":[\"x\"]"), DELTA_FINALIZERS},
	    {M(""), M("\"deletionTimestamp\":\"t\",\"deletionGracePeriodSeconds\":30"),
	     DELTA_DELETION | DELTA_OTHER},
	    {M("\"ownerReferences\":[]"), M("\"ownerReferences\":[{\"uid\":\"a\"}]"), DELTA_OWNER},
	    {M("\"generation\":1"), M("\"generation\":2"), DELTA_GENERATION},
	    {"{\"kind\":\"a\"}", "{\"kind\":\"b\",\"apiVersion\":\"c\"}", DELTA_OTHER},
	    {"[]", "{}", UINT32_MAX},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (mask_of(rows[i].from, rows[i].to) != rows[i].mask)
			fail_msg("row %zu: %x", i, mask_of(rows[i].from, rows[i].to));
}

static void test_change_view(void **state)
{
	(void)state;
	static const struct {
		const char *object, *uid;
		bool terminating;
	} rows[] = {
	    {"{}", NULL, false},
	    {"{\"metadata\":{\"deletionTimestamp\":\"x\"}}", NULL, true},
	    {M("\"ownerReferences\":[{\"uid\":\"a\",\"controller\":false},{\"controller\":true,"
	       "\"uid\":"
	       "\"b\",\"kind\":\"CloneSet\"}]"),
	     "b", false},
	    {M("\"ownerReferences\":[{\"uid\":\"a\"}]"), NULL, false},
	    {M("\"ownerReferences\":[{\"uid\":7,\"controller\":true},3]"), NULL, false},
	    {M("\"ownerReferences\":{}"), NULL, false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		_cleanup_buf_ struct buf x = {0};
		val v;
		assert_int_equal(json_parse(a, rows[i].object, strlen(rows[i].object), &v, NULL),
				 0);
		val_pack(&x, &v);
		struct change_view view;
		change_view(x.p, x.len, &view);
		assert_int_equal(view.terminating, rows[i].terminating);
		if (rows[i].uid)
			assert_true(str_is(view.owner.uid, rows[i].uid));
		else
			assert_null(view.owner.uid.p);
	}
}

int main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
	    T(test_list_then_watch),
	    T(test_events),
	    T(test_watch_goes_on),
	    T(test_gone_by_status),
	    T(test_gone_by_event),
	    T(test_strange_events),
	    T(test_not_served),
	    T(test_older_version),
	    T(test_forbidden),
	    T(test_page_token_expired),
	    T(test_no_list_at_all),
	    T(test_restart),
	    T(test_stall),
	    T(test_speed),
	    cmocka_unit_test(test_change_mask),
	    cmocka_unit_test(test_change_view),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
