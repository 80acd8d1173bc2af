/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/json.h"
#include "kube/ownerref.h"

#include <errno.h>
#include <string.h>

static val parse(arena *a, const char *json)
{
	val v = val_null();
	assert_int_equal(json_parse(a, json, strlen(json), &v, NULL), 0);
	return v;
}

static void finds_the_controller(void **state)
{
	(void)state;
	static const struct {
		const char *json, *uid; /* uid NULL: none */
	} rows[] = {
	    {"{}", NULL},
	    {"[]", NULL},
	    {"{\"metadata\":{\"ownerReferences\":7}}", NULL},
	    {"{\"metadata\":{\"ownerReferences\":{\"controller\":true}}}", NULL},
	    {"{\"metadata\":{\"ownerReferences\":[{\"uid\":\"a\"}]}}", NULL},
	    {"{\"metadata\":{\"ownerReferences\":[{\"uid\":\"a\",\"controller\":\"true\"}]}}",
	     NULL},
	    {"{\"metadata\":{\"ownerReferences\":[3,{\"uid\":\"a\",\"controller\":false},{\"uid\":"
	     "\"b\",\"controller\":true}]}}",
	     "b"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = parse(a, rows[i].json);
		struct str uid = ownerref_controller_uid(&v);
		if (!rows[i].uid) {
			assert_null(uid.p);
			assert_false(ownerref_is_controlled_by(&v, str_of("a")));
			assert_false(ownerref_is_controlled_by(&v, (struct str){0}));
			continue;
		}
		assert_true(str_is(uid, rows[i].uid));
		assert_true(ownerref_is_controlled_by(&v, str_of(rows[i].uid)));
		assert_false(ownerref_is_controlled_by(&v, str_of("x")));
	}
	assert_null(ownerref_controller(NULL));
}

static void compares_kinds(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val ref = parse(a, "{\"apiVersion\":\"apps.kruise.io/v1beta1\",\"kind\":\"CloneSet\"}");
	assert_true(ownerref_is_kind(&ref, &K8S_CLONESETS));
	assert_false(ownerref_is_kind(&ref, &K8S_PODS));
	ref = parse(a, "{\"apiVersion\":\"apps/v1\",\"kind\":\"CloneSet\"}");
	assert_false(ownerref_is_kind(&ref, &K8S_CLONESETS));
	ref = parse(a, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}");
	assert_true(ownerref_is_kind(&ref, &K8S_PODS));
	assert_false(ownerref_is_kind(NULL, &K8S_PODS));
}

static void sets_and_removes(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val owner = parse(a, "{\"metadata\":{\"name\":\"cs\",\"uid\":\"u1\"}}");
	val object = parse(a, "{\"metadata\":{\"name\":\"p\"}}");
	val ref = ownerref_make(a, &K8S_CLONESETS_V1ALPHA1, &owner, true);
	assert_string_equal(json_str(a, &ref, 0),
			    "{\"apiVersion\":\"apps.kruise.io/v1alpha1\",\"kind\":\"CloneSet\","
			    "\"name\":\"cs\",\"uid\":\"u1\",\"controller\":true,"
			    "\"blockOwnerDeletion\":true}");
	assert_int_equal(ownerref_set_controller(a, &object, ref), 0);
	assert_int_equal(ownerref_set_controller(a, &object, ref), 0);
	assert_int_equal(val_len(val_path(&object, "metadata", "ownerReferences", NULL)), 1);

	val other = parse(a, "{\"metadata\":{\"name\":\"x\",\"uid\":\"u2\"}}");
	val ref2 = ownerref_make(a, &K8S_CLONESETS_V1ALPHA1, &other, false);
	assert_int_equal(ownerref_set_controller(a, &object, ref2), -EEXIST);
	assert_true(ownerref_is_controlled_by(&object, str_of("u1")));

	assert_false(ownerref_remove(&object, str_of("u2")));
	assert_false(ownerref_remove(&object, (struct str){0}));
	assert_true(ownerref_remove(&object, str_of("u1")));
	assert_null(val_path(&object, "metadata", "ownerReferences", NULL));
	assert_int_equal(ownerref_set_controller(a, &object, ref2), 0);
	assert_true(ownerref_is_controlled_by(&object, str_of("u2")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_the_controller),
	    cmocka_unit_test(compares_kinds),
	    cmocka_unit_test(sets_and_removes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
