/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/json.h"
#include "kube/rest.h"
#include "tests/unit/http_server.h"

#include <time.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
	sd_event *loop;
	struct http_server server;
	struct k8s_config config;
	char url[64];
	struct k8s_client *client;
	/* the script: what is answered in turn; the last one repeats */
	const char *const *script;
	size_t n_script;
	struct buf seen; /* "METHOD path body\n" of each request */
	struct buf heads;
};

/* "code|headers|body"; "close", or "silent". */
static bool answer(const struct http_request *r, struct buf *out, void *userdata)
{
	struct fixture *f = userdata;
	size_t i = r->number < f->n_script ? r->number : f->n_script - 1;
	buf_printf(&f->seen, "%s %s %.*s\n", r->method, r->path, (int)r->body_len, r->body);
	buf_puts(&f->heads, r->head);
	if (strcmp(f->script[i], "close") == 0)
		return false;
	if (strcmp(f->script[i], "silent") == 0)
		return true;
	char *text = xstrdup(f->script[i]);
	char *headers = strchr(text, '|');
	*headers++ = '\0';
	char *body = strchr(headers, '|');
	*body++ = '\0';
	char *line = *headers ? xasprintf("%s\r\n", headers) : xstrdup("");
	http_reply(out, atoi(text), line, body);
	free(line);
	free(text);
	return true;
}

static void open_fixture(struct fixture *f, const char *const *script, size_t n,
			 const struct k8s_client_options *options)
{
	struct err e = {0};
	*f = (struct fixture){.script = script, .n_script = n};
	assert_true(sd_event_new(&f->loop) >= 0);
	http_server_start(&f->server, f->loop, answer, f);
	snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%d", f->server.port);
	f->config.server = f->url;
	assert_int_equal(k8s_client_new(&f->client, f->loop, &f->config, options, &e), 0);
}

static void close_fixture(struct fixture *f)
{
	k8s_client_free(f->client);
	http_server_stop(&f->server);
	sd_event_unref(f->loop);
	buf_free(&f->seen);
	buf_free(&f->heads);
}

struct got {
	size_t n;
	int code, retry_after;
	char error[512], reason[64];
	char field[64];
	bool object;
	uint64_t at;
	struct k8s_client *free_in_callback;
};

static uint64_t mono(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void keep(const struct k8s_response *r, void *userdata)
{
	struct got *g = userdata;
	g->n++;
	g->code = r->code;
	g->retry_after = r->retry_after;
	g->object = r->object != NULL;
	g->at = mono();
	snprintf(g->error, sizeof(g->error), "%s", r->error ? r->error : "");
	snprintf(g->reason, sizeof(g->reason), "%s", r->reason);
	struct str field = val_str(val_get(val_at(r->causes, 0), "field"));
	snprintf(g->field, sizeof(g->field), "%.*s", STR_ARG(field));
	assert_int_equal(k8s_ok(r), r->code / 100 == 2 && !r->error);
	k8s_client_free(g->free_in_callback);
}

static void run_until(struct fixture *f, const size_t *n, size_t want)
{
	uint64_t end = mono() + 30 * 1000000;
	while (*n < want && mono() < end)
		assert_true(sd_event_run(f->loop, 100000) >= 0);
	assert_int_equal(*n, want);
}

#define FAST                                             \
	{                                                \
		.timeout_usec = 300000, .max_retries = 2 \
	}

/* What is tried again, and what is not. */
/* covers: cloneset:B4 */
static void retries(void **state)
{
	(void)state;
	static const struct {
		const char *method;
		const char *script[4];
		size_t requests;
		int code;
	} rows[] = {
	    {"GET", {"200||{}"}, 1, 200},
	    {"GET", {"500||x", "200||{}"}, 2, 200},
	    {"GET", {"500||x", "502||x", "503||x", "200||{}"}, 3, 503},
	    {"GET", {"close", "200||{}"}, 2, 200},
	    {"GET", {"404||{}", "200||{}"}, 1, 404},
	    {"GET", {"silent", "200||{}"}, 2, 200},
	    {"GET", {"silent", "silent", "200||{}"}, 2, 0},
	    {"GET", {"401||{}", "200||{}"}, 1, 401},
	    {"POST", {"500||x", "200||{}"}, 1, 500},
	    {"POST", {"503||x", "200||{}"}, 1, 503},
	    {"POST", {"close", "200||{}"}, 1, 0},
	    {"POST", {"silent", "200||{}"}, 1, 0},
	    {"POST", {"503|Retry-After: 1|x", "201||{}"}, 2, 201},
	    {"DELETE", {"429|Retry-After: 1|x", "200||{}"}, 2, 200},
	};
	for (size_t i = 0; i < N(rows); i++) {
		struct fixture f;
		struct got g = {0};
		size_t n = 0;
		while (n < 4 && rows[i].script[n])
			n++;
		struct k8s_client_options o = FAST;
		open_fixture(&f, rows[i].script, n, &o);
		uint64_t start = mono();
		bool get = strcmp(rows[i].method, "GET") == 0;
		k8s_raw(f.client, rows[i].method, "/x", NULL, get ? NULL : "{}", 2, keep, &g);
		run_until(&f, &g.n, 1);
		if (g.code != rows[i].code || f.server.requests != rows[i].requests)
			fail_msg("row %zu: code %d, %zu requests", i, g.code, f.server.requests);
		if (strstr(rows[i].script[0], "Retry-After"))
			assert_true(g.at - start >= 1000000);
		assert_int_equal(k8s_client_in_flight(f.client), 0);
		close_fixture(&f);
	}
}

static void explains_errors(void **state)
{
	(void)state;
	static const struct {
		const char *answer, *error, *reason, *field;
		int retry_after;
	} rows[] = {
	    {"404||{\"kind\":\"Status\",\"message\":\"pods \\\"a\\\" not "
	     "found\",\"reason\":\"NotFound\"}",
	     "pods \"a\" not found", "NotFound", "", 0},
	    {"422||{\"kind\":\"Status\",\"message\":\"m\",\"reason\":\"Invalid\",\"details\":{"
	     "\"causes\":[{\"field\":\"spec.x\"}]}}",
	     "m", "Invalid", "spec.x", 0},
	    {"409||{\"kind\":\"Status\",\"message\":\"m\",\"details\":{\"retryAfterSeconds\":3}}",
	     "m", "", "", 3},
	    {"403||<html>\n  no\x01 entry </html>",
	     "the API server answered 403 Forbidden: <html> no entry </html>", "", "", 0},
	    {"418||", "the API server answered 418", "", "", 0},
	    {"400||{\"kind\":\"Status\",\"message\":7,\"details\":[]}",
	     "the API server answered 400 Bad Request", "", "", 0},
	    {"200||{\"a\":", "the API server's answer cannot be read: ", "", "", 0},
	};
	for (size_t i = 0; i < N(rows); i++) {
		struct fixture f;
		struct got g = {0};
		open_fixture(&f, &rows[i].answer, 1, NULL);
		k8s_get(f.client, &K8S_PODS, "ns", "a", keep, &g);
		run_until(&f, &g.n, 1);
		size_t n = strlen(rows[i].error);
		if (rows[i].error[n - 1] == ' ')
			assert_memory_equal(g.error, rows[i].error, n);
		else
			assert_string_equal(g.error, rows[i].error);
		assert_string_equal(g.reason, rows[i].reason);
		assert_string_equal(g.field, rows[i].field);
		assert_int_equal(g.retry_after, rows[i].retry_after);
		close_fixture(&f);
	}
}

static void sends_what_is_asked(void **state)
{
	(void)state;
	static const char *const script[] = {"200||{}"};
	struct fixture f;
	struct got g = {0};
	_cleanup_arena_ arena *a = arena_new();
	val v = val_map();
	val_set(a, &v, "a", val_of_int(1));
	struct k8s_client_options o = {.max_in_flight = 1, .user_agent = "me/1"};
	open_fixture(&f, script, 1, &o);
	struct k8s_client *c = f.client;
	k8s_get(c, &K8S_PODS, "n/s", "..", keep, &g);
	k8s_list(c, &K8S_CLONESETS, NULL, "limit=1", keep, &g);
	k8s_create(c, &K8S_PODS, "ns", &v, keep, &g);
	k8s_update(c, &K8S_NODES, NULL, "n", "status", &v, keep, &g);
	k8s_patch(c, &K8S_PODS, "ns", "p", NULL, K8S_PATCH_JSON, &v, keep, &g);
	k8s_patch(c, &K8S_PODS, "ns", "p", NULL, K8S_PATCH_MERGE, &v, keep, &g);
	k8s_patch(c, &K8S_PODS, "ns", "p", "status", K8S_PATCH_STRATEGIC, &v, keep, &g);
	k8s_delete(c, &K8S_PODS, "ns", "p", "u", 0, "Orphan", keep, &g);
	k8s_delete(c, &K8S_PODS, "ns", "p", NULL, -1, NULL, keep, &g);
	assert_int_equal(g.n, 0);
	assert_int_equal(k8s_client_in_flight(c), 9);
	run_until(&f, &g.n, 9);
	assert_string_equal(
	    f.seen.p,
	    "GET /api/v1/namespaces/n%2Fs/pods/%2E%2E \n"
	    "GET /apis/apps.kruise.io/v1beta1/clonesets?limit=1 \n"
	    "POST /api/v1/namespaces/ns/pods {\"a\":1}\n"
	    "PUT /api/v1/nodes/n/status {\"a\":1}\n"
	    "PATCH /api/v1/namespaces/ns/pods/p {\"a\":1}\n"
	    "PATCH /api/v1/namespaces/ns/pods/p {\"a\":1}\n"
	    "PATCH /api/v1/namespaces/ns/pods/p/status {\"a\":1}\n"
	    "DELETE /api/v1/namespaces/ns/pods/p {\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\","
	    "\"preconditions\":{\"uid\":\"u\"},\"gracePeriodSeconds\":0,\"propagationPolicy\":"
	    "\"Orphan\"}\n"
	    "DELETE /api/v1/namespaces/ns/pods/p "
	    "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\"}\n");
	static const char *const headers[] = {
	    "Content-Type: application/json-patch+json",
	    "Content-Type: application/merge-patch+json",
	    "Content-Type: application/strategic-merge-patch+json",
	    "Content-Type: application/json\r\n",
	    "Accept: application/json",
	    "User-Agent: me/1",
	};
	for (size_t i = 0; i < N(headers); i++)
		assert_non_null(strstr(f.heads.p, headers[i]));
	assert_int_equal(f.server.conns, 1);
	close_fixture(&f);
}

static void add_count(const char *method, int code, uint64_t n, void *userdata)
{
	buf_printf(userdata, "%s %d %d\n", method, code, (int)n);
}

static void counts(void **state)
{
	(void)state;
	static const char *const script[] = {"500||x", "200||{}", "404||{}", "200||{}"};
	struct fixture f;
	struct got g = {0};
	_cleanup_buf_ struct buf b = {0};
	struct k8s_client_options o = {.max_in_flight = 1};
	open_fixture(&f, script, 4, &o);
	for (int i = 0; i < 4; i++)
		k8s_get(f.client, &K8S_PODS, "ns", "p", keep, &g);
	run_until(&f, &g.n, 4);
	k8s_client_counts(f.client, add_count, &b);
	assert_non_null(strstr(b.p, "GET 500 1\n"));
	assert_non_null(strstr(b.p, "GET 404 1\n"));
	assert_non_null(strstr(b.p, "GET 200 3\n"));
	assert_int_equal(strncmp(k8s_client_host(f.client), "127.0.0.1:", 10), 0);
	close_fixture(&f);
}

static void limits_the_rate(void **state)
{
	(void)state;
	static const char *const script[] = {"200||{}"};
	struct fixture f;
	struct got g = {0};
	struct k8s_client_options o = {.qps = 50, .burst = 5};
	open_fixture(&f, script, 1, &o);
	uint64_t start = mono();
	for (int i = 0; i < 25; i++)
		k8s_get(f.client, &K8S_PODS, "ns", "p", keep, &g);
	run_until(&f, &g.n, 25);
	/* 5 at once, 20 more at 50 per second */
	assert_true(mono() - start >= 390000);
	close_fixture(&f);
}

static bool as_often_as_said(void *userdata)
{
	int *left = userdata;
	return (*left)-- > 0;
}

/* Writes are asked about before each try, reads are not; what may not be sent is not sent. */
static void asks_before_writes(void **state)
{
	(void)state;
	static const char *const script[] = {"503|Retry-After: 1|x", "200||{}"};
	struct fixture f;
	struct got g = {0};
	int left = 1;
	struct k8s_client_options o = {.may_write = as_often_as_said, .userdata = &left};
	open_fixture(&f, script, 2, &o);
	/* the first try passes and is turned away; the second is not sent any more */
	k8s_raw(f.client, "POST", "/a", NULL, "{}", 2, keep, &g);
	run_until(&f, &g.n, 1);
	assert_int_equal(f.server.requests, 1);
	assert_int_equal(g.code, 0);
	assert_non_null(strstr(g.error, "may not write"));
	/* on the connection that stands, and on a new one */
	k8s_raw(f.client, "DELETE", "/b", NULL, "{}", 2, keep, &g);
	k8s_raw(f.client, "PATCH", "/c", NULL, "{}", 2, keep, &g);
	run_until(&f, &g.n, 3);
	assert_int_equal(f.server.requests, 1);
	k8s_get(f.client, &K8S_PODS, "ns", "p", keep, &g);
	run_until(&f, &g.n, 4);
	assert_int_equal(g.code, 200);
	assert_int_equal(f.server.requests, 2);
	left = 1;
	k8s_raw(f.client, "POST", "/d", NULL, "{}", 2, keep, &g);
	run_until(&f, &g.n, 5);
	assert_int_equal(g.code, 200);
	assert_int_equal(k8s_client_in_flight(f.client), 0);
	close_fixture(&f);
}

static void reports_an_unreachable_server(void **state)
{
	(void)state;
	static const char *const script[] = {"200||{}"};
	struct fixture f;
	struct got g = {0};
	struct k8s_client_options o = {.max_retries = 3};
	open_fixture(&f, script, 1, &o);
	http_server_stop(&f.server);
	uint64_t start = mono();
	k8s_raw(f.client, "POST", "/x", NULL, "{}", 2, keep, &g);
	assert_int_equal(g.n, 0);
	run_until(&f, &g.n, 1);
	assert_int_equal(g.code, 0);
	assert_non_null(strstr(g.error, "cannot reach the API server http://127.0.0.1:"));
	assert_true(g.at - start >= (50 + 100 + 200) * 1000);
	g.n = 0;
	k8s_raw(f.client, "BREW", "/x", NULL, NULL, 0, keep, &g);
	run_until(&f, &g.n, 1);
	assert_string_equal(g.error, "HTTP method \"BREW\" is not supported");
	close_fixture(&f);
}

/* In flight, queued, waiting for a retry; and the client itself, inside a callback. */
static void cancels(void **state)
{
	(void)state;
	static const char *const script[] = {"503|Retry-After: 30|x", "200||{}"};
	struct fixture f;
	struct got never = {0}, g = {0};
	struct k8s_client_options o = {.max_in_flight = 1};
	open_fixture(&f, script, 2, &o);
	struct k8s_call *waiting = k8s_get(f.client, &K8S_PODS, "ns", "a", keep, &never);
	struct k8s_call *queued = k8s_get(f.client, &K8S_PODS, "ns", "b", keep, &never);
	k8s_call_cancel(queued);
	k8s_get(f.client, &K8S_PODS, "ns", "c", keep, &g);
	run_until(&f, &g.n, 1); /* the first has been turned away by now */
	assert_int_equal(k8s_client_in_flight(f.client), 1);
	k8s_call_cancel(waiting);
	k8s_call_cancel(NULL);
	assert_int_equal(k8s_client_in_flight(f.client), 0);

	g = (struct got){.free_in_callback = f.client};
	k8s_get(f.client, &K8S_PODS, "ns", "d", keep, &g);
	k8s_get(f.client, &K8S_PODS, "ns", "e", keep, &never);
	run_until(&f, &g.n, 1);
	assert_true(sd_event_run(f.loop, 0) >= 0);
	assert_int_equal(never.n, 0);
	f.client = NULL;
	close_fixture(&f);
}

static arena *stolen;
static const val *stolen_object;

static void steal(const struct k8s_response *r, void *userdata)
{
	stolen = k8s_response_steal(r);
	stolen_object = r->object;
	++*(size_t *)userdata;
}

static void steals(void **state)
{
	(void)state;
	static const char *const script[] = {"200||{\"kind\":\"Pod\"}"};
	struct fixture f;
	size_t n = 0;
	open_fixture(&f, script, 1, NULL);
	k8s_get(f.client, &K8S_PODS, "ns", "a", steal, &n);
	run_until(&f, &n, 1);
	close_fixture(&f);
	assert_true(val_is(val_get(stolen_object, "kind"), "Pod"));
	arena_free(stolen);
}

struct lines {
	struct buf text;
	size_t ended;
	int code;
	char error[256];
};

static void on_line(const char *line, size_t n, void *userdata)
{
	struct lines *l = userdata;
	buf_printf(&l->text, "<%.*s>", (int)n, line);
}

static void on_end(int code, const char *error, void *userdata)
{
	struct lines *l = userdata;
	l->ended++;
	l->code = code;
	snprintf(l->error, sizeof(l->error), "%s", error ? error : "-");
}

static void watches(void **state)
{
	(void)state;
	static const struct {
		const char *answer, *lines, *error;
		int code;
	} rows[] = {
	    {"200||{\"a\":1}\n{\"b\":2}\n\n{\"c\":3}\n", "<{\"a\":1}><{\"b\":2}><{\"c\":3}>", "-",
	     200},
	    {"200||", "", "-", 200},
	    {"200||{\"a\":1}\n{\"cut", "<{\"a\":1}>", "-", 200},
	    {"410||{\"kind\":\"Status\",\"message\":\"too old\"}\n", "", "too old", 410},
	    {"close", "", "the call to the API server ", 0},
	};
	for (size_t i = 0; i < N(rows); i++) {
		struct fixture f;
		struct lines l = {0};
		open_fixture(&f, &rows[i].answer, 1, NULL);
		k8s_watch_start(f.client, &K8S_PODS, "ns", "resourceVersion=5", on_line, on_end,
				&l);
		run_until(&f, &l.ended, 1);
		assert_string_equal(buf_str(&l.text), rows[i].lines);
		assert_int_equal(l.code, rows[i].code);
		size_t n = strlen(rows[i].error);
		assert_memory_equal(l.error, rows[i].error, n);
		assert_string_equal(f.seen.p,
				    "GET /api/v1/namespaces/ns/pods?watch=1&resourceVersion=5 \n");
		close_fixture(&f);
		buf_free(&l.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(retries),
	    cmocka_unit_test(explains_errors),
	    cmocka_unit_test(sends_what_is_asked),
	    cmocka_unit_test(counts),
	    cmocka_unit_test(limits_the_rate),
	    cmocka_unit_test(asks_before_writes),
	    cmocka_unit_test(reports_an_unreachable_server),
	    cmocka_unit_test(cancels),
	    cmocka_unit_test(steals),
	    cmocka_unit_test(watches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
