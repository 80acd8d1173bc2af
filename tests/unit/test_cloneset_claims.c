/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/json.h"
#include "rules/cloneset_claims.h"

#include <string.h>

static const val *parse(arena *a, const char *text)
{
	val *v = arena_alloc(a, sizeof(*v));
	struct err e = {0};
	if (json_parse(a, text, strlen(text), v, &e) < 0)
		fail_msg("%s: %s", text, e.msg);
	return v;
}

static struct cloneset_claim claim(arena *a, const char *name, const char *id, bool going)
{
	return cloneset_claim_view(parse(
	    a,
	    arena_printf(
		a,
		"{\"metadata\":{\"name\":\"%s-%s\",\"uid\":\"u-%s\",\"resourceVersion\":\"7\","
		"\"ownerReferences\":[{\"uid\":\"set\",\"controller\":true},{\"uid\":\"other\"}],"
		"\"labels\":{\"apps.kruise.io/cloneset-instance-id\":\"%s\"}%s}}",
		name, id, id, id, going ? ",\"deletionTimestamp\":\"x\"" : "")));
}

enum state { ACTIVE, TERMINATING, FINISHED };
static const struct pod_view *pod(arena *a, const char *id, enum state state)
{
	struct pod_view *v = arena_alloc(a, sizeof(*v));
	*v = (struct pod_view){.name = arena_printf(a, "web-%s", id),
			       .uid = arena_printf(a, "pod-%s", id),
			       .instance_id = id,
			       .active = state == ACTIVE,
			       .terminating = state == TERMINATING,
			       .finished = state == FINISHED};
	return v;
}

static void views(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	struct cloneset_claim c = claim(a, "data", "bcdfg", true);
	assert_true(str_is(c.name, "data-bcdfg") && str_is(c.uid, "u-bcdfg") &&
		    str_is(c.id, "bcdfg"));
	assert_true(c.going);
	assert_false(claim(a, "data", "bcdfg", false).going);
	/* of any shape */
	c = cloneset_claim_view(parse(a, "[]"));
	assert_true(c.name.n == 0 && c.uid.n == 0 && c.id.n == 0 && !c.going);
}

/* covers: cloneset:C4 */
static void fates(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	const struct cloneset_claim claims[] = {
	    claim(a, "data", "aaaaa", false), /* of an active pod */
	    claim(a, "logs", "aaaaa", false),
	    claim(a, "data", "bbbbb", false), /* of a terminating one */
	    claim(a, "data", "ccccc", false), /* of a finished one */
	    claim(a, "data", "ddddd", false), /* of none */
	    claim(a, "data", "eeeee", true),  /* of none, going already */
	    claim(a, "data", "fffff", false), /* of a terminating one and its successor */
	    claim(a, "data", "", false),      /* no id at all */
	};
	const struct pod_view *pods[] = {pod(a, "fffff", TERMINATING), pod(a, "ccccc", FINISHED),
					 pod(a, "aaaaa", ACTIVE),      pod(a, "bbbbb", TERMINATING),
					 pod(a, "fffff", ACTIVE),      pod(a, "", ACTIVE)};
	static const enum claim_fate want[] = {CLAIM_KEEP,   CLAIM_KEEP, CLAIM_GIVE, CLAIM_GIVE,
					       CLAIM_DELETE, CLAIM_KEEP, CLAIM_KEEP, CLAIM_DELETE};
	enum { N = sizeof(claims) / sizeof(claims[0]) };
	struct claim_plan plans[N];
	cloneset_claim_fates(a, claims, N, pods, sizeof(pods) / sizeof(pods[0]), plans);
	for (size_t i = 0; i < N; i++) {
		print_message("%zu\n", i);
		assert_int_equal(plans[i].fate, want[i]);
	}
	assert_string_equal(plans[2].pod->uid, "pod-bbbbb");
	assert_string_equal(plans[3].pod->uid, "pod-ccccc");
}

/* covers: cloneset:P8 */
static void ids(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	const struct cloneset_claim claims[] = {
	    claim(a, "data", "zzzzz", false), claim(a, "logs", "zzzzz", false),
	    claim(a, "data", "aaaaa", false), claim(a, "data", "bbbbb", false),
	    claim(a, "logs", "bbbbb", false), claim(a, "data", "ccccc", false),
	    claim(a, "data", "ddddd", true),  claim(a, "data", "fffff", false),
	};
	enum { N = sizeof(claims) / sizeof(claims[0]) };
	const struct pod_view *pods[] = {pod(a, "aaaaa", ACTIVE), pod(a, "bbbbb", TERMINATING),
					 pod(a, "ccccc", FINISHED)};
	struct claim_ids got = cloneset_claim_ids(a, claims, N, pods, 3);
	assert_int_equal(got.n_free, 2);
	assert_string_equal(got.free[0], "fffff");
	assert_string_equal(got.free[1], "zzzzz");
	assert_int_equal(got.n_held, 1);
	got = cloneset_claim_ids(a, NULL, 0, NULL, 0);
	assert_int_equal(got.n_free + got.n_held, 0);
	/* going or not, the name is taken */
	assert_true(cloneset_claim_has_id(claims, N, "ddddd"));
	assert_false(cloneset_claim_has_id(claims, N, "ggggg"));
}

/* covers: cloneset:C4 */
static void given_to_a_pod(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	struct cloneset_claim c = claim(a, "data", "bcdfg", false);
	val patch = cloneset_claim_give_patch(a, &c, str_of("set"), pod(a, "bcdfg", TERMINATING));
	assert_string_equal(json_str(a, &patch, JSON_SORTED),
			    "{\"metadata\":{\"ownerReferences\":[{\"uid\":\"other\"},"
			    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"web-bcdfg\","
			    "\"uid\":\"pod-bcdfg\"}],"
			    "\"resourceVersion\":\"7\",\"uid\":\"u-bcdfg\"}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(views),
	    cmocka_unit_test(fates),
	    cmocka_unit_test(ids),
	    cmocka_unit_test(given_to_a_pod),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
