/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/events.h"
#include "kube/events_int.h"
#include "kube/json.h"
#include "tests/unit/http_server.h"

#include <time.h>

static struct k8s_object_ref ref_of(const char *name)
{
	return (struct k8s_object_ref){
	    .resource = &K8S_PODS, .ns = str_of("ns"), .name = str_of(name)};
}

static enum verdict say(struct correlator *c, const char *object, const char *reason,
			const char *message, int64_t now, struct correlation *out)
{
	struct k8s_object_ref ref = ref_of(object);
	enum verdict v = correlate(c, &ref, "Normal", reason, message, now, out);
	if (v == EVENT_NEW)
		correlator_created(c, out->key, out->message);
	return v;
}

static void counts_the_same(void **state)
{
	(void)state;
	struct correlator *c = correlator_new();
	struct correlation x;
	assert_int_equal(say(c, "p", "R", "m", 100, &x), EVENT_NEW);
	assert_int_equal(x.count, 1);
	correlation_clear(&x);
	assert_int_equal(say(c, "p", "R", "m", 105, &x), EVENT_AGAIN);
	assert_int_equal(x.count, 2);
	assert_int_equal(x.first, 100);
	assert_int_equal(x.last, 105);
	assert_string_equal(x.name, "m");
	/* not created after all */
	correlator_forget(c, x.key, "another name");
	assert_int_equal(correlator_size(c), 3);
	correlator_forget(c, x.key, "m");
	correlation_clear(&x);
	static const char *const others[][3] = {
	    {"p", "R", "m"}, {"q", "R", "m"}, {"p", "S", "m"}, {"p", "R", "n"}, {"p/R", "", "m"},
	};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(say(c, others[i][0], others[i][1], others[i][2], 106, &x),
				 EVENT_NEW);
		correlation_clear(&x);
	}
	correlator_free(c);
}

static void combines_the_similar(void **state)
{
	(void)state;
	struct correlator *c = correlator_new();
	struct correlation x;
	char message[32];
	for (int i = 0; i < 14; i++) {
		snprintf(message, sizeof(message), "m%d", i);
		enum verdict v = say(c, "p", "R", message, 100 + i, &x);
		assert_int_equal(v, i <= 10 ? EVENT_NEW : EVENT_AGAIN);
		assert_int_equal(x.combined, i >= 10);
		correlation_clear(&x);
	}
	/* the ones known before the limit go on by themselves */
	assert_int_equal(say(c, "p", "R", "m3", 120, &x), EVENT_AGAIN);
	assert_false(x.combined);
	correlation_clear(&x);
	assert_int_equal(say(c, "p", "R", "m99", 121, &x), EVENT_AGAIN);
	assert_string_equal(x.message, "(combined from similar events): m99");
	assert_int_equal(x.count, 5);
	correlation_clear(&x);
	/* after ten quiet minutes all starts anew */
	assert_int_equal(say(c, "p", "R", "m100", 121 + 601, &x), EVENT_NEW);
	assert_false(x.combined);
	correlation_clear(&x);
	correlator_free(c);
}

static void limits_an_object(void **state)
{
	(void)state;
	struct correlator *c = correlator_new();
	struct correlation x;
	for (int i = 0; i < 27; i++) {
		enum verdict v = say(c, "p", "R", "m", 100, &x);
		correlation_clear(&x);
		assert_int_equal(v == EVENT_SUPPRESSED, i >= 25);
	}
	static const struct {
		int64_t now;
		bool passes;
	} rows[] = {{399, false}, {400, true},	{400, false},
		    {1000, true}, {1000, true}, {1000, false}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum verdict v = say(c, "p", "R", "m", rows[i].now, &x);
		correlation_clear(&x);
		assert_int_equal(v != EVENT_SUPPRESSED, rows[i].passes);
	}
	assert_int_equal(say(c, "q", "R", "m", 1000, &x), EVENT_NEW);
	correlation_clear(&x);
	correlator_free(c);
}

static void memory_is_bounded(void **state)
{
	(void)state;
	struct correlator *c = correlator_new();
	struct correlation x;
	char name[32];
	for (int i = 0; i < 3 * CORRELATOR_MAX_ENTRIES; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		say(c, name, "R", "m", 100, &x);
		correlation_clear(&x);
		assert_true(correlator_size(c) <= CORRELATOR_MAX_ENTRIES);
	}
	assert_int_equal(say(c, name, "R", "m", 100, &x), EVENT_AGAIN);
	correlation_clear(&x);
	assert_int_equal(say(c, "p0", "R", "m", 100, &x), EVENT_NEW);
	correlation_clear(&x);
	correlator_free(c);
}

/* ---- the recorder, with a server ---- */

struct fixture {
	sd_event *loop;
	struct http_server server;
	struct k8s_config config;
	char url[64];
	struct k8s_client *client;
	int code[8];
	struct buf seen;
};

static bool answer(const struct http_request *r, struct buf *out, void *userdata)
{
	struct fixture *f = userdata;
	buf_printf(&f->seen, "%s %.*s\n", r->method, (int)strcspn(r->path, "."), r->path);
	buf_printf(&f->seen, "%.*s\n", (int)r->body_len, r->body);
	http_reply(out, r->number < 8 && f->code[r->number] ? f->code[r->number] : 201, NULL, "{}");
	return true;
}

static void open_fixture(struct fixture *f)
{
	*f = (struct fixture){0};
	assert_true(sd_event_new(&f->loop) >= 0);
	http_server_start(&f->server, f->loop, answer, f);
	snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%d", f->server.port);
	f->config.server = f->url;
	assert_int_equal(k8s_client_new(&f->client, f->loop, &f->config, NULL, NULL), 0);
}

static void close_fixture(struct fixture *f)
{
	k8s_client_free(f->client);
	http_server_stop(&f->server);
	sd_event_unref(f->loop);
	buf_free(&f->seen);
}

static void settle(struct fixture *f, struct k8s_recorder *r, uint64_t want)
{
	struct k8s_recorder_stats s = {0};
	for (int i = 0; i < 1000 && s.created + s.updated + s.dropped < want; i++) {
		assert_true(sd_event_run(f->loop, 100000) >= 0);
		s = k8s_recorder_get_stats(r);
	}
	assert_int_equal(s.created + s.updated + s.dropped, want);
}

static void writes_events(void **state)
{
	(void)state;
	struct fixture f;
	open_fixture(&f);
	struct k8s_recorder *r = k8s_recorder_new(f.client, f.loop, "me");
	struct k8s_object_ref pod = ref_of("p");
	pod.uid = str_of("u1");
	pod.field_path = str_of("spec.containers{main}");
	k8s_event(r, &pod, K8S_EVENT_WARNING, "Failed", "no %s", "way");
	k8s_event(r, &pod, K8S_EVENT_WARNING, "Failed", "no %s", "way");
	struct k8s_object_ref node = {.resource = &K8S_NODES, .name = str_of("n")};
	char *big = xcalloc(1, 3000);
	for (int i = 0; i < 1400; i += 2)
		memcpy(big + 1 + i, "\xc3\xa9", 2); /* the limit falls inside a character */
	big[0] = 'x';
	k8s_event(r, &node, K8S_EVENT_NORMAL, "Big", "%s", big);
	free(big);
	settle(&f, r, 3);
	assert_non_null(strstr(f.seen.p, "POST /api/v1/namespaces/ns/events\n"));
	assert_non_null(strstr(
	    f.seen.p, "\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"ns\",\"name\":"
		      "\"p\",\"uid\":\"u1\",\"apiVersion\":\"v1\",\"fieldPath\":"
		      "\"spec.containers{main}\"},\"type\":\"Warning\",\"reason\":\"Failed\","
		      "\"message\":\"no way\",\"source\":{\"component\":\"me\"}"));
	assert_non_null(strstr(f.seen.p, "PATCH /api/v1/namespaces/ns/events/p\n{\"count\":2,"
					 "\"lastTimestamp\":\""));
	assert_non_null(strstr(f.seen.p, "POST /api/v1/namespaces/default/events\n"));
	const char *message = strstr(f.seen.p, "\"message\":\"x");
	assert_non_null(message);
	assert_int_equal(strcspn(message + 11, "\""), 1023);
	k8s_recorder_free(r);
	close_fixture(&f);
}

static void survives_refusals(void **state)
{
	(void)state;
	struct fixture f;
	open_fixture(&f);
	f.code[0] = 403; /* the first is dropped and forgotten … */
	f.code[2] = 404; /* … and one that is gone is made again */
	struct k8s_recorder *r = k8s_recorder_new(f.client, f.loop, "me");
	struct k8s_object_ref pod = ref_of("p");
	for (uint64_t i = 1; i <= 3; i++) {
		k8s_event(r, &pod, K8S_EVENT_NORMAL, "R", "m");
		settle(&f, r, i);
	}
	struct k8s_recorder_stats s = k8s_recorder_get_stats(r);
	assert_int_equal(s.dropped, 1);
	assert_int_equal(s.created, 2);
	assert_int_equal(f.server.requests, 4); /* POST, POST, PATCH, POST */
	k8s_event(r, &pod, K8S_EVENT_NORMAL, "R", "m");
	k8s_event(r, &pod, K8S_EVENT_NORMAL, "R", "m");
	k8s_recorder_free(r); /* with events under way */
	assert_int_equal(k8s_client_in_flight(f.client), 0);
	close_fixture(&f);
}

static void refers_to_objects(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	static const char json[] =
	    "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\",\"uid\":\"u\","
	    "\"resourceVersion\":\"7\"}}";
	val v;
	assert_int_equal(json_parse(a, json, strlen(json), &v, NULL), 0);
	struct k8s_object_ref r = k8s_object_ref_of(&K8S_PODS, &v);
	assert_true(str_is(r.name, "p") && str_is(r.ns, "n") && str_is(r.uid, "u") &&
		    str_is(r.resource_version, "7"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counts_the_same),	 cmocka_unit_test(combines_the_similar),
	    cmocka_unit_test(limits_an_object),	 cmocka_unit_test(memory_is_bounded),
	    cmocka_unit_test(writes_events),	 cmocka_unit_test(survives_refusals),
	    cmocka_unit_test(refers_to_objects),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
