/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base64.h"
#include "kube/json.h"
#include "kube/jsonpatch.h"

/* webhookd is a program, not a library: its parts without I/O are compiled in here */
#include "webhookd/admission.c"
#include "webhookd/cloneset.c"
#include "webhookd/handlers.c"
#include "webhookd/pod.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define SPEC(replicas)                                                                             \
	"{\"replicas\":" replicas ",\"selector\":{\"matchLabels\":{\"app\":\"x\"}},\"template\":"  \
	"{\"metadata\":{\"labels\":{\"app\":\"x\"}},\"spec\":{\"containers\":[{\"name\":\"main\"," \
	"\"image\":\"nginx:1.19\"}]}}}"
#define CLONESET(spec)                                                                     \
	"{\"apiVersion\":\"apps.kruise.io/v1alpha1\",\"kind\":\"CloneSet\",\"metadata\":{" \
	"\"namespace\":\"default\",\"name\":\"a\"},\"spec\":" spec "}"
#define REVIEW(version, operation, rest)                                                    \
	"{\"apiVersion\":\"admission.k8s.io/" version                                       \
	"\",\"kind\":\"AdmissionReview\",\"request\":"                                      \
	"{\"uid\":\"u-1\",\"operation\":\"" operation                                       \
	"\",\"namespace\":\"default\",\"name\":\"a\","                                      \
	"\"resource\":{\"group\":\"apps.kruise.io\",\"version\":\"v1alpha1\",\"resource\":" \
	"\"clonesets\"}" rest "}}"

static struct store_txn *no_store(void *userdata)
{
	(void)userdata;
	return NULL;
}
static const struct admission_env env = {.store = no_store};

/* Body in, answering AdmissionReview out, as the server does it. */
static val review(arena *a, const char *path, const char *body)
{
	struct admission_request q;
	struct err e = {0};
	struct buf out = {0};
	val answer;
	if (admission_decode(a, body, strlen(body), &q, &e) < 0)
		fail_msg("%s", e.msg);
	struct admission_env mine = env;
	mine.gates = gates_default();
	struct admission_answer r = handler_find(webhook_path_find(str_of(path)))(a, &q, &mine);
	admission_encode(a, &q, &r, &out);
	char *text = arena_strndup(a, out.p, out.len);
	buf_free(&out);
	if (json_parse(a, text, strlen(text), &answer, &e) < 0)
		fail_msg("%s", e.msg);
	return answer;
}

static void answered_in_the_version_asked(void **state)
{
	static const struct {
		const char *body, *version;
	} cases[] = {
	    {REVIEW("v1", "CREATE", ",\"object\":" CLONESET(SPEC("1"))), "admission.k8s.io/v1"},
	    {REVIEW("v1beta1", "CREATE", ",\"object\":" CLONESET(SPEC("1"))),
	     "admission.k8s.io/v1beta1"},
	    {REVIEW("v1beta1", "CREATE", ",\"dryRun\":true,\"object\":" CLONESET(SPEC("1"))),
	     "admission.k8s.io/v1beta1"},
	};
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < n_webhook_paths; k++) {
			_cleanup_arena_ arena *a = arena_new();
			val r = review(a, webhook_paths[k].path, cases[i].body);
			assert_true(val_is(val_get(&r, "kind"), "AdmissionReview"));
			assert_true(val_is(val_get(&r, "apiVersion"), cases[i].version));
			assert_true(val_is(val_path(&r, "response", "uid", NULL), "u-1"));
			assert_true(val_bool(val_path(&r, "response", "allowed", NULL)));
		}
	}
}

static void the_patch_gives_the_defaults(void **state)
{
	static const char object[] = CLONESET(SPEC("1"));
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf json = {0};
	val r = review(a, "/mutate-apps-kruise-io-v1alpha1-cloneset",
		       REVIEW("v1", "CREATE", ",\"object\":" CLONESET(SPEC("1"))));
	val before, patch, patched, want;
	(void)state;
	assert_true(val_is(val_path(&r, "response", "patchType", NULL), "JSONPatch"));
	struct str text = val_str(val_path(&r, "response", "patch", NULL));
	assert_true(base64_decode(&json, text.p, text.n));
	assert_int_equal(json_parse(a, json.p, json.len, &patch, NULL), 0);
	assert_int_equal(json_parse(a, object, strlen(object), &before, NULL), 0);
	assert_int_equal(jsonpatch_apply(a, &before, &patch, &patched, NULL), 0);
	want = val_copy(a, &before);
	assert_int_equal(cloneset_default(a, &want, NULL, false, NULL), 0);
	assert_true(val_equal(&patched, &want));
	assert_int_equal(val_int_or(val_path(&patched, "spec", "revisionHistoryLimit", NULL), 0),
			 10);
}

static void nothing_to_change_means_no_patch(void **state)
{
	static const char object[] = CLONESET(SPEC("1"));
	_cleanup_arena_ arena *a = arena_new();
	val full;
	(void)state;
	assert_int_equal(json_parse(a, object, strlen(object), &full, NULL), 0);
	full = val_copy(a, &full);
	assert_int_equal(cloneset_default(a, &full, NULL, false, NULL), 0);
	char *body =
	    arena_printf(a, REVIEW("v1", "CREATE", ",\"object\":%s"), json_str(a, &full, 0));
	val r = review(a, "/mutate-apps-kruise-io-cloneset", body);
	assert_true(val_bool(val_path(&r, "response", "allowed", NULL)));
	assert_null(val_path(&r, "response", "patch", NULL));
	assert_null(val_path(&r, "response", "patchType", NULL));
}

static void refusals_name_the_fields(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val r = review(a, "/validate-apps-kruise-io-cloneset",
		       REVIEW("v1", "CREATE", ",\"object\":" CLONESET(SPEC("-1"))));
	const val *status = val_path(&r, "response", "status", NULL);
	(void)state;
	assert_false(val_bool(val_path(&r, "response", "allowed", NULL)));
	assert_int_equal(val_int_or(val_get(status, "code"), 0), 422);
	assert_true(val_is(val_get(status, "reason"), "Invalid"));
	struct str message = val_str(val_get(status, "message"));
	assert_non_null(memmem(message.p, message.n, "spec.replicas", 13));
	const val *cause = val_at(val_path(status, "details", "causes", NULL), 0);
	assert_true(val_is(val_get(cause, "field"), "spec.replicas"));
	assert_true(val_is(val_get(cause, "reason"), "FieldValueInvalid"));
}

static void pods_to_delete_need_the_store(void **state)
{
#define TO_DELETE(list)                                                                   \
	CLONESET(                                                                         \
	    "{\"replicas\":1,\"scaleStrategy\":{\"podsToDelete\":" list "},"              \
	    "\"selector\":{\"matchLabels\":{\"app\":\"x\"}},\"template\":{\"metadata\":{" \
	    "\"labels\":"                                                                 \
	    "{\"app\":\"x\"}},\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"i\"}]}}}")
	_cleanup_arena_ arena *a = arena_new();
	val r =
	    review(a, "/validate-apps-kruise-io-cloneset",
		   REVIEW("v1", "UPDATE",
			  ",\"object\":" TO_DELETE("[\"a-x\"]") ",\"oldObject\":" TO_DELETE("[]")));
	(void)state;
	assert_false(val_bool(val_path(&r, "response", "allowed", NULL)));
	assert_int_equal(val_int_or(val_path(&r, "response", "status", "code", NULL), 0), 503);
}

static void others_business_is_allowed(void **state)
{
	static const char *const bodies[] = {
	    REVIEW("v1", "DELETE", ",\"oldObject\":" CLONESET(SPEC("1"))),
	    REVIEW("v1", "CREATE", ",\"subResource\":\"status\",\"object\":" CLONESET(SPEC("-1"))),
	};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < n_webhook_paths; k++) {
			_cleanup_arena_ arena *a = arena_new();
			val r = review(a, webhook_paths[k].path, bodies[i]);
			assert_true(val_bool(val_path(&r, "response", "allowed", NULL)));
			assert_null(val_path(&r, "response", "patch", NULL));
		}
	}
}

static void malformed_reviews(void **state)
{
	static const struct {
		const char *body, *part; /* of the error */
	} cases[] = {
	    {"", "AdmissionReview"},
	    {"not json", "AdmissionReview"},
	    {"[]", "kind"},
	    {"null", "kind"},
	    {"{\"kind\":\"Pod\"}", "kind"},
	    {"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v2\"}", "apiVersion"},
	    {"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\"}", "request"},
	    {"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{}}",
	     "uid"},
	    {"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/"
	     "v1\",\"request\":{\"uid\":7}}",
	     "uid"},
	    {REVIEW("v1", "READ", ""), "operation"},
	    {REVIEW("v1", "CREATE", ""), "object"},
	    {REVIEW("v1", "CREATE", ",\"object\":null"), "object"},
	    {REVIEW("v1", "CREATE", ",\"object\":[]"), "object"},
	    {REVIEW("v1", "UPDATE", ",\"object\":{}"), "oldObject"},
	    {"{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":"
	     "{\"uid\":\"u\",\"operation\":\"DELETE\"}}",
	     "resource"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct admission_request q;
		struct err e = {0};
		assert_int_equal(admission_decode(a, cases[i].body, strlen(cases[i].body), &q, &e),
				 -EINVAL);
		assert_non_null(strstr(e.msg, cases[i].part));
	}
}

/* n opening brackets where an object's field would be, closed or not. */
static char *nested(arena *a, size_t n, bool closed)
{
	_cleanup_buf_ struct buf b = {0};
	buf_puts(&b, "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\","
		     "\"request\":{\"uid\":\"u\",\"operation\":\"CREATE\",\"resource\":{"
		     "\"resource\":\"clonesets\"},\"object\":{\"x\":");
	for (size_t i = 0; i < n; i++)
		buf_puts(&b, "[");
	for (size_t i = 0; closed && i < n; i++)
		buf_puts(&b, "]");
	buf_puts(&b, closed ? "}}}" : "");
	return arena_strndup(a, buf_str(&b), b.len);
}

static void nesting_has_a_bound(void **state)
{
	static const struct {
		size_t depth;
		bool closed, good;
	} cases[] = {
	    {20, true, true}, {20, false, false}, {100000, true, false}, {1000000, false, false}};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct admission_request q;
		struct err e = {0};
		const char *body = nested(a, cases[i].depth, cases[i].closed);
		int r = admission_decode(a, body, strlen(body), &q, &e);
		assert_int_equal(r, cases[i].good ? 0 : -EINVAL);
	}
}

static void the_request_is_read_whole(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	struct admission_request q;
	const char *body = REVIEW("v1", "UPDATE",
				  ",\"dryRun\":true,\"kind\":{\"kind\":\"CloneSet\"},\"object\":{"
				  "\"o\":1},\"oldObject\":{\"o\":2}");
	(void)state;
	assert_int_equal(admission_decode(a, body, strlen(body), &q, NULL), 0);
	assert_true(q.dry_run);
	assert_true(str_is(q.operation, "UPDATE") && str_is(q.ns, "default") &&
		    str_is(q.name, "a"));
	assert_true(str_is(q.group, "apps.kruise.io") && str_is(q.version, "v1alpha1") &&
		    str_is(q.resource, "clonesets") && str_is(q.kind, "CloneSet"));
	assert_int_equal(val_int_or(val_get(q.object, "o"), 0), 1);
	assert_int_equal(val_int_or(val_get(q.old_object, "o"), 0), 2);
	assert_int_equal(q.sub_resource.n, 0);
}

/* kubectl shows causes only, and puts the field before the message by itself. */
static void a_refusal_by_the_mutating_handler_has_a_cause(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val r = review(a, "/mutate-apps-kruise-io-cloneset",
		       REVIEW("v1", "CREATE", ",\"object\":" CLONESET(SPEC("\"one\""))));
	const val *status = val_path(&r, "response", "status", NULL);
	(void)state;
	assert_false(val_bool(val_path(&r, "response", "allowed", NULL)));
	assert_int_equal(val_len(val_path(status, "details", "causes", NULL)), 1);
	const val *cause = val_at(val_path(status, "details", "causes", NULL), 0);
	assert_true(val_str(val_get(cause, "message")).n > 0);
	assert_null(val_get(cause, "field"));
}

static void every_served_path_has_a_handler(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_webhook_paths; i++)
		assert_non_null(handler_find(&webhook_paths[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(answered_in_the_version_asked),
	    cmocka_unit_test(the_patch_gives_the_defaults),
	    cmocka_unit_test(nothing_to_change_means_no_patch),
	    cmocka_unit_test(refusals_name_the_fields),
	    cmocka_unit_test(pods_to_delete_need_the_store),
	    cmocka_unit_test(others_business_is_allowed),
	    cmocka_unit_test(malformed_reviews),
	    cmocka_unit_test(nesting_has_a_bound),
	    cmocka_unit_test(the_request_is_read_whole),
	    cmocka_unit_test(a_refusal_by_the_mutating_handler_has_a_cause),
	    cmocka_unit_test(every_served_path_has_a_handler),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
