/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/revision.h"
#include "tests/unit/cases.h"

static val revision_of(arena *a, const char *template, int64_t number, const char *created,
		       const char *name)
{
	val r = js(a, "{'metadata':{},'data':{'spec':{}}}");
	val t = js(a, template);

	val_set(a, &t, "$patch", val_of_str("replace"));
	val_set(a, val_path_mut(&r, "data", "spec", NULL), "template", t);
	val_set(a, &r, "revision", val_of_int(number));
	val_set(a, val_get_mut(&r, "metadata"), "creationTimestamp", val_of_str(created));
	val_set(a, val_get_mut(&r, "metadata"), "name", val_of_str(name));
	return r;
}

/* From the stored data of a running OpenKruise, and from the stored templates, the very names
 * follow. */
/* covers: revisions:R1 revisions:R2 revisions:R3 revisions:R4 */
static void names_of_stored_cases(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val cases = load_cases(a, "tests/data/cloneset/stored.json");
	size_t seen = 0;

	(void)state;
	for (size_t i = 0; i < val_len(&cases); i++) {
		const val *c = val_at(&cases, i), *rev = val_get(c, "revision");
		struct str name = val_str(val_get(c, "name"));
		char hash[REVISION_HASH_LEN], have[REVISION_NAME_LEN];
		struct revision_data d;
		char *text;

		if (val_is_null(rev))
			continue;
		print_message("%.*s\n", STR_ARG(name));
		text = json_str(a, val_get(rev, "data"), JSON_SORTED | JSON_GO_HTML);
		revision_hash(str_of(text), 0, hash);
		revision_name(name, hash, have);
		assert_true(str_is(val_str(val_get(rev, "name")), have));
		assert_true(val_is(val_path(rev, "labels", LABEL_CONTROLLER_HASH, NULL), hash));

		if (str_is(name, "grpc-unknown")) /* has a field that OpenKruise dropped */
			continue;
		assert_int_equal(
		    revision_data(a, val_path(c, "stored", "spec", "template", NULL), &d, NULL), 0);
		assert_string_equal(arena_strndup(a, d.json.p, d.json.n), text);
		assert_true(revision_equal(a, rev, &d));
		seen++;
	}
	assert_true(seen >= 15);
}

/* covers: revisions:R2 revisions:R3 revisions:S8 */
static void hashes(void **state)
{
	char a[REVISION_HASH_LEN], b[REVISION_HASH_LEN], name[REVISION_NAME_LEN], owner[300];

	(void)state;
	revision_hash(str_of(""), 0, a);
	revision_hash(str_of(""), 1, b);
	assert_string_not_equal(a, b);
	/* 2166136261 × 16777619 mod 2^32 = 84696351, xor 0x30 = 84696367, each digit's byte mod 27
	 */
	assert_string_equal(a, "d8bfb7bc");
	memset(owner, 'n', sizeof(owner));
	revision_name((struct str){owner, 230}, "abc", name);
	assert_int_equal(strlen(name), REVISION_OWNER_MAX + 4);
	revision_name(str_of("web"), "abc", name);
	assert_string_equal(name, "web-abc");
}

/* covers: revisions:R8 */
static void matching(void **state)
{
	static const struct {
		const char *label, *name;
		bool same;
	} table[] = {
	    {"web-abc", "web-abc", true},   {"abc", "web-abc", true},
	    {"web-abd", "web-abc", false},  {"", "web-abc", false},
	    {"other-abc", "web-abc", true}, {"web", "web-abc", false},
	    {"web-", "web-abc", false},	    {"web-a-abc", "web-a-abc", true},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_int_equal(revision_matches(str_of(table[i].label), str_of(table[i].name)),
				 table[i].same);
	assert_false(revision_matches((struct str){0}, (struct str){0}));
}

#define T(image, more) "{'spec':{'containers':[{'name':'main','image':'" image "'" more "}]}}"

/* covers: revisions:R4b revisions:S1 revisions:S3 */
static void same_content(void **state)
{
	static const struct {
		const char *stored, *now;
		bool same;
	} table[] = {
	    {T("a:1", ""), T("a:1", ""), true},
	    {T("a:1", ""), T("a:2", ""), false},
	    {"{'metadata':{'creationTimestamp':null},'spec':{'containers':[{'image':'a:1',"
	     "'resources':{},'name':'main'}]}}",
	     T("a:1", ""), true},
	    {T("a:1", ",'resources':{'requests':{'cpu':'1000m'}}"),
	     T("a:1", ",'resources':{'requests':{'cpu':1}}"), true},
	    {T("a:1", ",'resources':{'requests':{'cpu':'1000m'}}"),
	     T("a:1", ",'resources':{'requests':{'cpu':2}}"), false},
	    {T("a:1", ",'env':[]"), T("a:1", ""), true},
	    {T("a:1", ",'unknownField':1"), T("a:1", ""), false},
	    {"{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[]}}",
	     "{'spec':{'containers':[]}}", false},
	    {"{'spec':{'containers':[],'volumes':[{'name':'v','emptyDir':{}}]}}",
	     "{'spec':{'containers':[],'volumes':[{'name':'v'}]}}", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val r = revision_of(a, table[i].stored, 1, "", "r"), t = js(a, table[i].now);
		struct revision_data d;

		print_message("%s\n", table[i].stored);
		assert_int_equal(revision_data(a, &t, &d, NULL), 0);
		assert_int_equal(revision_equal(a, &r, &d), table[i].same);
	}
}

/* covers: revisions:R4b revisions:R5 revisions:R6 revisions:S2 */
static void decisions(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val r1 = revision_of(a, T("a:1", ""), 1, "2026-12-01T07:30:41Z", "w-1");
	val r2 = revision_of(a, T("a:2", ""), 2, "2026-12-01T07:30:41Z", "w-2");
	val r3 = revision_of(a, T("a:3", ""), 2, "2026-12-01T07:30:40Z", "w-3");
	const val *list[] = {&r2, &r1, &r3};
	static const struct {
		const char *template;
		enum revision_action action;
		size_t index;
		int64_t number;
	} table[] = {
	    {T("a:2", ""), REVISION_USE, 2, 3},
	    {T("a:1", ""), REVISION_RENUMBER, 0, 3},
	    {T("a:3", ""), REVISION_RENUMBER, 1, 3},
	    {T("a:4", ""), REVISION_CREATE, 0, 3},
	};

	(void)state;
	revision_sort(list, 3);
	assert_ptr_equal(list[0], &r1);
	assert_ptr_equal(list[1], &r3);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		val t = js(a, table[i].template);
		struct revision_data d;
		struct revision_decision have;

		assert_int_equal(revision_data(a, &t, &d, NULL), 0);
		have = revision_decide(a, list, 3, &d);
		assert_int_equal(have.action, table[i].action);
		if (have.action != REVISION_CREATE)
			assert_int_equal(have.index, table[i].index);
		assert_int_equal(have.number, table[i].number);
		have = revision_decide(a, NULL, 0, &d);
		assert_int_equal(have.action, REVISION_CREATE);
		assert_int_equal(have.number, 1);
	}
}

/* covers: revisions:R1 revisions:R2 revisions:R9 */
static void a_new_object(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val owner = js(a, "{'apiVersion':'apps.kruise.io/v1alpha1','kind':'CloneSet','metadata':"
			  "{'name':'web','namespace':'ns','uid':'u1','annotations':{'k':'v'}}}");
	val t = js(a, "{'metadata':{'labels':{'app':'x'}},'spec':{'containers':[]}}");
	val before = val_copy(a, &t), r, restored;
	struct revision_data d;
	char hash[REVISION_HASH_LEN], name[REVISION_NAME_LEN];
	const val *ref;

	(void)state;
	assert_int_equal(revision_data(a, &t, &d, NULL), 0);
	r = revision_new(a, &K8S_CLONESETS_V1ALPHA1, &owner, &d, 4, 1);
	revision_hash(d.json, 1, hash);
	revision_name(str_of("web"), hash, name);
	assert_true(val_is(val_get(&r, "apiVersion"), "apps/v1"));
	assert_true(val_is(val_path(&r, "metadata", "name", NULL), name));
	assert_true(val_is(val_path(&r, "metadata", "namespace", NULL), "ns"));
	assert_true(val_is(val_path(&r, "metadata", "labels", "app", NULL), "x"));
	assert_true(val_is(val_path(&r, "metadata", "labels", LABEL_CONTROLLER_HASH, NULL), hash));
	assert_true(val_is(val_path(&r, "metadata", "annotations", "k", NULL), "v"));
	assert_int_equal(revision_number(&r), 4);
	ref = val_at(val_path(&r, "metadata", "ownerReferences", NULL), 0);
	assert_true(val_is(val_get(ref, "uid"), "u1") && val_bool(val_get(ref, "controller")) &&
		    val_bool(val_get(ref, "blockOwnerDeletion")));
	assert_true(val_is(val_get(ref, "apiVersion"), "apps.kruise.io/v1alpha1"));
	/* nothing of the template was touched on the way */
	assert_true(val_equal(&t, &before));
	assert_null(
	    val_path(revision_template(&r), "metadata", "labels", LABEL_CONTROLLER_HASH, NULL));
	assert_true(revision_equal(a, &r, &d));
	assert_true(revision_restore(a, &r, &restored));
	assert_null(val_get(&restored, "$patch"));
	assert_non_null(val_get(revision_template(&r), "$patch"));
	assert_true(val_is(val_path(&restored, "metadata", "labels", "app", NULL), "x"));
}

/* covers: revisions:R10 revisions:S6 revisions:S7 */
static void trimming(void **state)
{
	static const bool live[] = {false, true, false, false, true};
	uint32_t out[5];

	(void)state;
	assert_int_equal(revision_trim(live, 5, 10, out), 0);
	assert_int_equal(revision_trim(live, 5, 2, out), 1);
	assert_int_equal(out[0], 0);
	assert_int_equal(revision_trim(live, 5, 0, out), 3);
	assert_int_equal(out[1], 2);
	assert_int_equal(out[2], 3);
	assert_int_equal(revision_trim(live, 5, -1, out), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_of_stored_cases),
	    cmocka_unit_test(hashes),
	    cmocka_unit_test(matching),
	    cmocka_unit_test(same_content),
	    cmocka_unit_test(decisions),
	    cmocka_unit_test(a_new_object),
	    cmocka_unit_test(trimming),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
