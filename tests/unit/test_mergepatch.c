/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/json.h"
#include "kube/mergepatch.h"

#include <string.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

static val parse(arena *a, const char *json)
{
	val v = val_null();
	assert_int_equal(json_parse(a, json, strlen(json), &v, NULL), 0);
	return v;
}

/* The examples of RFC 7386, appendix A, and a few more. */
static void applies(void **state)
{
	(void)state;
	static const char *const rows[][3] = {
	    {"{'a':'b'}", "{'a':'c'}", "{'a':'c'}"},
	    {"{'a':'b'}", "{'b':'c'}", "{'a':'b','b':'c'}"},
	    {"{'a':'b'}", "{'a':null}", "{}"},
	    {"{'a':'b','b':'c'}", "{'a':null}", "{'b':'c'}"},
	    {"{'a':['b']}", "{'a':'c'}", "{'a':'c'}"},
	    {"{'a':'c'}", "{'a':['b']}", "{'a':['b']}"},
	    {"{'a':{'b':'c'}}", "{'a':{'b':'d','c':null}}", "{'a':{'b':'d'}}"},
	    {"{'a':[{'b':'c'}]}", "{'a':[1]}", "{'a':[1]}"},
	    {"['a','b']", "['c','d']", "['c','d']"},
	    {"{'a':'b'}", "['c']", "['c']"},
	    {"{'a':'foo'}", "null", "null"},
	    {"{'a':'foo'}", "'bar'", "'bar'"},
	    {"{'e':null}", "{'a':1}", "{'e':null,'a':1}"},
	    {"[1,2]", "{'a':'b','c':null}", "{'a':'b'}"},
	    {"{}", "{'a':{'bb':{'ccc':null}}}", "{'a':{'bb':{}}}"},
	    {"{'a':1,'b':2,'c':3}", "{'b':5}", "{'a':1,'b':5,'c':3}"},
	};
	for (size_t i = 0; i < N(rows); i++) {
		_cleanup_arena_ arena *a = arena_new();
		char *text[3];
		for (int k = 0; k < 3; k++) {
			text[k] = arena_strndup(a, rows[i][k], strlen(rows[i][k]));
			for (char *p = text[k]; *p; p++)
				*p = *p == '\'' ? '"' : *p;
		}
		val doc = parse(a, text[0]), patch = parse(a, text[1]);
		val out = mergepatch_apply(a, &doc, &patch);
		assert_string_equal(json_str(a, &out, 0), text[2]);
		assert_string_equal(json_str(a, &doc, 0), text[0]);
	}
}

static void creates(void **state)
{
	(void)state;
	static const char *const rows[][3] = {
	    {"{'a':1}", "{'a':1}", "{}"},
	    {"{'a':1}", "{'a':2}", "{'a':2}"},
	    {"{'a':1,'b':2}", "{'b':2}", "{'a':null}"},
	    {"{'a':{'x':1,'y':2}}", "{'a':{'x':1,'y':3}}", "{'a':{'y':3}}"},
	    {"{'a':{'x':1}}", "{'a':{'x':1,'z':{}}}", "{'a':{'z':{}}}"},
	    {"{'a':[1,2]}", "{'a':[1,3]}", "{'a':[1,3]}"},
	    {"{'a':1}", "{'a':{'b':1,'c':null}}", "{'a':{'b':1}}"},
	    {"{'a':1}", "{'a':null}", "{'a':null}"},
	    {"{}", "{'a':null}", "{}"},
	    {"[1]", "{'a':1}", "{'a':1}"},
	    {"{'a':1}", "7", "7"},
	};
	for (size_t i = 0; i < N(rows); i++) {
		_cleanup_arena_ arena *a = arena_new();
		char *text[3];
		for (int k = 0; k < 3; k++) {
			text[k] = arena_strndup(a, rows[i][k], strlen(rows[i][k]));
			for (char *p = text[k]; *p; p++)
				*p = *p == '\'' ? '"' : *p;
		}
		val from = parse(a, text[0]), to = parse(a, text[1]);
		val patch = mergepatch_create(a, &from, &to);
		assert_string_equal(json_str(a, &patch, 0), text[2]);
		if (strstr(text[1], "null"))
			continue;
		val back = mergepatch_apply(a, &from, &patch);
		assert_true(val_equal(&back, &to));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(applies),
	    cmocka_unit_test(creates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
