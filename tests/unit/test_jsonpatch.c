/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/json.h"
#include "kube/jsonpatch.h"

#include <errno.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* Test data is written with ' for ". */
static val parse(arena *a, const char *json)
{
	char *text = arena_strndup(a, json, strlen(json));
	val v = val_null();
	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	assert_int_equal(json_parse(a, text, strlen(text), &v, NULL), 0);
	return v;
}

static void assert_json(arena *a, const val *got, const char *want)
{
	val w = parse(a, want);
	assert_string_equal(json_str(a, got, JSON_SORTED), json_str(a, &w, JSON_SORTED));
}

static void diffs(void **state)
{
	(void)state;
	static const char *const rows[][3] = {
	    {"{}", "{}", "[]"},
	    {"{'a':1}", "{'a':1.0}", "[]"},
	    {"{'a':1}", "{'a':2}", "[{'op':'replace','path':'/a','value':2}]"},
	    {"{}", "{'a':null}", "[{'op':'add','path':'/a','value':null}]"},
	    {"{'a':null}", "{}", "[{'op':'remove','path':'/a'}]"},
	    {"{'a':1}", "{'b':1}",
	     "[{'op':'remove','path':'/a'},{'op':'add','path':'/b','value':1}]"},
	    {"{'a\\u0000b':1}", "{}", "[{'op':'remove','path':'/a\\u0000b'}]"},
	    {"{'a/b':1,'c~d':1,'':1}", "{'a/b':2,'c~d':2,'':2}",
	     "[{'op':'replace','path':'/a~1b','value':2},{'op':'replace','path':'/"
	     "c~0d','value':2},{'op':'replace','path':'/','value':2}]"},
	    {"[1,2,3]", "[1,4]",
	     "[{'op':'replace','path':'/1','value':4},{'op':'remove','path':'/2'}]"},
	    {"[1]", "[1,2,3]",
	     "[{'op':'add','path':'/1','value':2},{'op':'add','path':'/2','value':3}]"},
	    {"[1,2,3]", "[]",
	     "[{'op':'remove','path':'/2'},{'op':'remove','path':'/1'},{'op':'remove','path':'/"
	     "0'}]"},
	    {"{'a':[{'b':{'c':1}}]}", "{'a':[{'b':{'c':2}}]}",
	     "[{'op':'replace','path':'/a/0/b/c','value':2}]"},
	    {"{'a':{}}", "{'a':[]}", "[{'op':'replace','path':'/a','value':[]}]"},
	    {"1", "{}", "[{'op':'replace','path':'','value':{}}]"},
	};
	for (size_t i = 0; i < N(rows); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val from = parse(a, rows[i][0]), to = parse(a, rows[i][1]), out;
		val patch = jsonpatch_diff(a, &from, &to);
		assert_json(a, &patch, rows[i][2]);
		assert_int_equal(jsonpatch_apply(a, &from, &patch, &out, NULL), 0);
		assert_true(val_equal(&out, &to));
	}
}

/* Among them the examples of RFC 6902, appendix A. */
static void applies(void **state)
{
	(void)state;
	static const char *const rows[][3] = {
	    {"{'foo':'bar'}", "[{'op':'add','path':'/baz','value':'qux'}]",
	     "{'baz':'qux','foo':'bar'}"},
	    {"{'foo':['bar','baz']}", "[{'op':'add','path':'/foo/1','value':'qux'}]",
	     "{'foo':['bar','qux','baz']}"},
	    {"{'baz':'qux','foo':'bar'}", "[{'op':'remove','path':'/baz'}]", "{'foo':'bar'}"},
	    {"{'foo':['bar','qux','baz']}", "[{'op':'remove','path':'/foo/1'}]",
	     "{'foo':['bar','baz']}"},
	    {"{'baz':'qux','foo':'bar'}", "[{'op':'replace','path':'/baz','value':'boo'}]",
	     "{'baz':'boo','foo':'bar'}"},
	    {"{'foo':{'bar':'baz','waldo':'fred'},'qux':{'corge':'grault'}}",
	     "[{'op':'move','from':'/foo/waldo','path':'/qux/thud'}]",
	     "{'foo':{'bar':'baz'},'qux':{'corge':'grault','thud':'fred'}}"},
	    {"{'foo':['all','grass','cows','eat']}",
	     "[{'op':'move','from':'/foo/1','path':'/foo/3'}]",
	     "{'foo':['all','cows','eat','grass']}"},
	    {"{'baz':'qux','foo':['a',2,'c']}",
	     "[{'op':'test','path':'/baz','value':'qux'},{'op':'test','path':'/foo/1','value':2}]",
	     "{'baz':'qux','foo':['a',2,'c']}"},
	    {"{'foo':'bar'}", "[{'op':'add','path':'/child','value':{'grandchild':{}}}]",
	     "{'foo':'bar','child':{'grandchild':{}}}"},
	    {"{'foo':'bar'}", "[{'op':'add','path':'/baz','value':'qux','xyz':123}]",
	     "{'foo':'bar','baz':'qux'}"},
	    {"{'/':9,'~1':10}", "[{'op':'test','path':'/~01','value':10}]", "{'/':9,'~1':10}"},
	    {"{'foo':['bar']}", "[{'op':'add','path':'/foo/-','value':['abc','def']}]",
	     "{'foo':['bar',['abc','def']]}"},
	    {"{'a':1}", "[{'op':'add','path':'','value':[1]}]", "[1]"},
	    {"{'a':1}", "[{'op':'replace','path':'','value':7}]", "7"},
	    {"{'a':{'b':1}}",
	     "[{'op':'copy','from':'/a','path':'/c'},"
	     "{'op':'replace','path':'/c/b','value':2}]",
	     "{'a':{'b':1},'c':{'b':2}}"},
	    {"{'a':1}", "[{'op':'move','from':'/a','path':'/a'}]", "{'a':1}"},
	    {"{'a':1}", "[{'op':'copy','from':'','path':'/b'}]", "{'a':1,'b':{'a':1}}"},
	    {"{'a':1}", "[]", "{'a':1}"},
	    {"{'':1}", "[{'op':'replace','path':'/','value':2}]", "{'':2}"},
	};
	for (size_t i = 0; i < N(rows); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct err e = {0};
		val doc = parse(a, rows[i][0]), patch = parse(a, rows[i][1]), out;
		assert_int_equal(jsonpatch_apply(a, &doc, &patch, &out, &e), 0);
		assert_json(a, &out, rows[i][2]);
		assert_json(a, &doc, rows[i][0]);
	}
}

static void refuses(void **state)
{
	(void)state;
	static const struct {
		const char *doc, *patch;
		int code;
	} rows[] = {
	    {"{'baz':'qux'}", "[{'op':'test','path':'/baz','value':'bar'}]", EBADMSG},
	    {"{'/':9,'~1':10}", "[{'op':'test','path':'/~01','value':'10'}]", EBADMSG},
	    {"{'foo':'bar'}", "[{'op':'add','path':'/baz/bat','value':'qux'}]", EINVAL},
	    {"{}", "{}", EINVAL},
	    {"{}", "[1]", EINVAL},
	    {"{}", "[{'path':'/a','value':1}]", EINVAL},
	    {"{}", "[{'op':'add','value':1}]", EINVAL},
	    {"{}", "[{'op':'add','path':'/a'}]", EINVAL},
	    {"{}", "[{'op':'add','path':'a','value':1}]", EINVAL},
	    {"{}", "[{'op':'add','path':'/~2','value':1}]", EINVAL},
	    {"{}", "[{'op':'add','path':'/~','value':1}]", EINVAL},
	    {"{}", "[{'op':'frob','path':'/a','value':1}]", EINVAL},
	    {"{}", "[{'op':7,'path':'/a','value':1}]", EINVAL},
	    {"{}", "[{'op':'remove','path':'/a'}]", EINVAL},
	    {"{}", "[{'op':'remove','path':''}]", EINVAL},
	    {"{}", "[{'op':'replace','path':'/a','value':1}]", EINVAL},
	    {"{'a':1}", "[{'op':'move','path':'/b'}]", EINVAL},
	    {"{'a':{'b':1}}", "[{'op':'move','from':'/a','path':'/a/b'}]", EINVAL},
	    {"{'a':1}", "[{'op':'copy','from':'/x','path':'/b'}]", EINVAL},
	    {"[1]", "[{'op':'add','path':'/2','value':1}]", EINVAL},
	    {"[1]", "[{'op':'add','path':'/00','value':1}]", EINVAL},
	    {"[1]", "[{'op':'add','path':'/-1','value':1}]", EINVAL},
	    {"[1]", "[{'op':'add','path':'/1e0','value':1}]", EINVAL},
	    {"[1]", "[{'op':'remove','path':'/1'}]", EINVAL},
	    {"[1]", "[{'op':'remove','path':'/-'}]", EINVAL},
	    {"[]", "[{'op':'replace','path':'/0','value':1}]", EINVAL},
	    {"[1]", "[{'op':'add','path':'/99999999999999999999','value':1}]", EINVAL},
	    {"'s'", "[{'op':'add','path':'/a','value':1}]", EINVAL},
	};
	for (size_t i = 0; i < N(rows); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct err e = {0};
		val doc = parse(a, rows[i].doc), patch = parse(a, rows[i].patch);
		val out = val_of_int(42);
		assert_int_equal(jsonpatch_apply(a, &doc, &patch, &out, &e), -rows[i].code);
		assert_true(e.msg[0] != '\0');
		assert_int_equal(val_int_or(&out, 0), 42);
		assert_int_equal(jsonpatch_apply(a, &doc, &patch, &out, NULL), -rows[i].code);
	}
}

/* A document that doubles with each operation is stopped. */
static void bounds_growth(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val doc = parse(a, "{'a':['0123456789012345678901234567890123456789']}"), out;
	val op = parse(a, "{'op':'copy','from':'/a','path':'/a/-'}"), patch = val_array();
	for (int i = 0; i < 60; i++)
		val_push(a, &patch, op);
	assert_int_equal(jsonpatch_apply(a, &doc, &patch, &out, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(diffs),
	    cmocka_unit_test(applies),
	    cmocka_unit_test(refuses),
	    cmocka_unit_test(bounds_growth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
