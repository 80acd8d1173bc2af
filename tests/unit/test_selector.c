/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/selector.h"
#include "tests/unit/cases.h"

static void text_form(void **state)
{
	(void)state;
	static const struct {
		const char *selector, *text;
		bool empty;
	} rows[] = {
	    {"null", "", false},
	    {"{}", "", true},
	    {"{'matchLabels':{},'matchExpressions':[]}", "", true},
	    {"{'matchLabels':{'b':'2','a':'1'}}", "a=1,b=2", false},
	    {"{'matchLabels':{'app':'x'},'matchExpressions':[{'key':'tier','operator':'In','values'"
	     ":['b',"
	     "'a']},{'key':'c','operator':'DoesNotExist'},{'key':'z','operator':'NotIn','values':['"
	     "q']},"
	     "{'key':'d','operator':'Exists'}]}",
	     "app=x,!c,d,tier in (a,b),z notin (q)", false},
	    {"{'matchLabels':{'a':''}}", "a=", false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		_cleanup_buf_ struct buf b = {0};
		val v = js(a, rows[i].selector);
		const struct selector *s;

		assert_int_equal(selector_compile(a, &v, &s, NULL), 0);
		selector_print(&b, s);
		assert_string_equal(buf_str(&b), rows[i].text);
		assert_int_equal(selector_is_empty(s), rows[i].empty);
	}
}

static void matches(void **state)
{
	(void)state;
	static const struct {
		const char *selector, *labels;
		bool want;
	} rows[] = {
	    {"null", "{'a':'b'}", false},
	    {"{}", "{'a':'b'}", true},
	    {"{}", "null", true},
	    {"{'matchLabels':{'a':'b'}}", "{'a':'b','c':'d'}", true},
	    {"{'matchLabels':{'a':'b'}}", "{'a':'c'}", false},
	    {"{'matchLabels':{'a':'b'}}", "null", false},
	    {"{'matchLabels':{'a':''}}", "{}", false},
	    {"{'matchLabels':{'a':''}}", "{'a':''}", true},
	    {"{'matchExpressions':[{'key':'a','operator':'In','values':['x','b']}]}", "{'a':'b'}",
	     true},
	    {"{'matchExpressions':[{'key':'a','operator':'In','values':['x']}]}", "{}", false},
	    {"{'matchExpressions':[{'key':'a','operator':'NotIn','values':['x']}]}", "{'a':'x'}",
	     false},
	    {"{'matchExpressions':[{'key':'a','operator':'NotIn','values':['x']}]}", "{}", true},
	    {"{'matchExpressions':[{'key':'a','operator':'Exists'}]}", "{'a':''}", true},
	    {"{'matchExpressions':[{'key':'a','operator':'Exists'}]}", "{}", false},
	    {"{'matchExpressions':[{'key':'a','operator':'DoesNotExist'}]}", "{}", true},
	    {"{'matchExpressions':[{'key':'a','operator':'DoesNotExist'}]}", "{'a':''}", false},
	    {"{'matchLabels':{'a':'b'},'matchExpressions':[{'key':'a','operator':'NotIn','values':["
	     "'b']}]}",
	     "{'a':'b'}", false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = js(a, rows[i].selector), labels = js(a, rows[i].labels);
		const struct selector *s;

		assert_int_equal(selector_compile(a, &v, &s, NULL), 0);
		assert_int_equal(selector_matches(s, &labels), rows[i].want);
	}
}

static void refuses(void **state)
{
	(void)state;
	static const struct {
		const char *selector, *message; /* the beginning of it */
	} rows[] = {
	    {"[]", "a label selector must be an object"},
	    {"{'matchLabels':[]}", "matchLabels must be a map"},
	    {"{'matchExpressions':{}}", "matchLabels must be a map"},
	    {"{'matchLabels':{'a b':'c'}}", "label key \"a b\" must be"},
	    {"{'matchLabels':{'a':'b c'}}", "label value \"b c\" must be"},
	    {"{'matchLabels':{'a':1}}", "a label value must be a string"},
	    {"{'matchExpressions':[7]}", "label key \"\" must be"},
	    {"{'matchExpressions':[{'key':'a','operator':'Gt','values':['1']}]}",
	     "operator \"Gt\" is"},
	    {"{'matchExpressions':[{'key':'a','operator':'In'}]}",
	     "operator In of label key \"a\" needs"},
	    {"{'matchExpressions':[{'key':'a','operator':'Exists','values':['x']}]}",
	     "operator Exists of label key \"a\" takes no"},
	    {"{'matchExpressions':[{'key':'a','operator':'In','values':'x'}]}",
	     "values of label key"},
	    {"{'matchExpressions':[{'key':'a','operator':'In','values':[1]}]}",
	     "a label value must"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = js(a, rows[i].selector);
		const struct selector *s;
		struct err e = {0};

		assert_true(selector_compile(a, &v, &s, &e) < 0);
		assert_true(str_has_prefix(str_of(e.msg), rows[i].message));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_form),
	    cmocka_unit_test(matches),
	    cmocka_unit_test(refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
