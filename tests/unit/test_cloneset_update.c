/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/cloneset_update.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"

/* Pods a, b, c …, old unless a test says otherwise, with labels from JSON. */
struct set {
	struct pod_view v[32];
	const struct pod_view *pods[32];
	const val *labels[32];
	char names[32][2];
	size_t n;
};

static void make(arena *a, struct set *s, const char *labels)
{
	val list = js(a, labels);

	s->n = val_len(&list);
	for (size_t i = 0; i < s->n; i++) {
		val *copy = arena_alloc(a, sizeof(*copy));

		*copy = *val_at(&list, i);
		s->labels[i] = copy;
		s->names[i][0] = (char)('a' + i);
		s->names[i][1] = '\0';
		s->v[i] = a_pod(s->names[i], "x-old");
		s->v[i].node = "n";
		s->pods[i] = &s->v[i];
	}
}

static struct cloneset_update_plan plan(arena *a, struct set *s, const char *spec, char *out)
{
	struct gates g = gates_default();
	struct cloneset_spec numbers;
	struct cloneset_strategy strategy;
	struct cloneset_state st;
	struct cloneset_counts c;
	struct cloneset_update_plan p;
	val cloneset = val_map();

	val_set(a, &cloneset, "spec", js(a, spec));
	assert_int_equal(cloneset_spec_from(&cloneset, &g, false, &numbers, NULL), 0);
	st = cloneset_classify(a, &numbers, s->pods, s->n, "x-old", "x-new", NOW);
	c = cloneset_count(&numbers, &st);
	cloneset_strategy_from(&cloneset, &strategy);
	strategy.labels = s->labels;
	p = cloneset_update(a, &numbers, &st, &c, &strategy);
	for (size_t i = 0; i < p.pods.n; i++)
		out[i] = s->names[p.pods.i[i]][0];
	out[p.pods.n] = '\0';
	return p;
}

#define ALL "'maxUnavailable':100"
#define EIGHT "[{},{},{},{},{},{},{},{}]"

/* covers: cloneset:U4 cloneset:U6 revisions:N2 */
static void orders(void **state)
{
	static const struct {
		const char *labels, *strategy, *want;
	} table[] = {
	    {"[{},{},{},{}]", "", "abcd"},
	    /* weights add up */
	    {"[{'t':'1'},{'t':'2'},{'t':'2','u':'1'},{}]",
	     ",'priorityStrategy':{'weightPriority':[{'weight':10,'matchSelector':{'matchLabels':"
	     "{'t':'2'}}},{'weight':5,'matchSelector':{'matchExpressions':[{'key':'u','operator':"
	     "'Exists'}]}},{'weight':'x','matchSelector':7}]}",
	     "cbad"},
	    /* the first key that a pod has, then the number at the end of its value */
	    {"[{'k2':'v9'},{'k1':'v1'},{'k1':'v20'},{'k2':'v10','k1':'x'},{},{'k1':'v3'}]",
	     ",'priorityStrategy':{'orderPriority':[{'orderedKey':'k1'},{'orderedKey':'k2'}]}",
	     "cfbdae"},
	    {"[{'k':'99999999999999999999'},{'k':'1'}]",
	     ",'priorityStrategy':{'orderPriority':[{'orderedKey':'k'}]}", "ab"},
	    /* two of six, spread, the last one at the end */
	    {"[{'s':'1'},{'s':'1'},{},{},{},{}]", ",'scatterStrategy':[{'key':'s','value':'1'}]",
	     "cdaefb"},
	    {"[{'s':'1'},{'s':'1'},{'s':'1'},{'s':'2'}]",
	     ",'scatterStrategy':[{'key':'s','value':'1'}]", "dabc"},
	    {"[{'s':'1'},{},{}]", ",'scatterStrategy':[{'key':'x','value':'1'}]", "abc"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct set s;
		char have[40];

		print_message("%s\n", table[i].strategy);
		make(a, &s, table[i].labels);
		plan(a, &s,
		     arena_printf(a, "{'replicas':%zu,'updateStrategy':{" ALL "%s}}", s.n,
				  table[i].strategy),
		     have);
		assert_string_equal(have, table[i].want);
	}
}

/* Of 20 pods 5 match: no two of them side by side, the last at the end. */
/* covers: cloneset:U6 revisions:N2 */
static void even_spread(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf b = {0};
	struct set s;
	char have[40];
	int last = -1;

	(void)state;
	for (int i = 0; i < 20; i++)
		buf_printf(&b, "%s%s", i ? "," : "[", i % 2 && i < 10 ? "{'s':'1'}" : "{}");
	buf_puts(&b, "]");
	make(a, &s, buf_str(&b));
	plan(a, &s,
	     "{'replicas':20,'updateStrategy':{" ALL
	     ",'scatterStrategy':[{'key':'s','value':'1'}]}}",
	     have);
	assert_int_equal(strlen(have), 20);
	for (int i = 0; i < 20; i++) {
		if (!val_get(s.labels[have[i] - 'a'], "s"))
			continue;
		assert_int_equal(i - last, 4);
		last = i;
	}
	assert_int_equal(last, 19);
}

/* covers: cloneset:U3 cloneset:U4 inplace:F5 */
static void candidates(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	struct set s;
	char have[40];

	(void)state;
	make(a, &s, EIGHT);
	s.v[0].revision = "x-new";
	s.v[1].revision = "new";
	s.v[2].lifecycle = LIFECYCLE_PREPARING_DELETE;
	s.v[3].has_grace = true;
	s.v[3].grace_end = NOW + 7;
	s.v[4].lifecycle = LIFECYCLE_UPDATED;
	s.v[5].lifecycle = LIFECYCLE_PREPARING_UPDATE;
	s.v[6].specified_delete = true;
	plan(a, &s, "{'replicas':8,'updateStrategy':{" ALL "}}", have);
	/* h is ready and newest in order, but PreparingUpdate goes to the front */
	/* one in a grace period for another revision need not wait for its end */
	assert_string_equal(have, "fdeh");
	/* nothing is known of this one, so it is not touched; only a replacement would do */
	s.v[7].inplace = INPLACE_BROKEN;
	plan(a, &s, "{'replicas':8,'updateStrategy':{'type':'InPlaceIfPossible'," ALL "}}", have);
	assert_string_equal(have, "fde");
	plan(a, &s, "{'replicas':8,'updateStrategy':{'type':'ReCreate'," ALL "}}", have);
	assert_string_equal(have, "fdeh");
}

/* covers: cloneset:U2 cloneset:U5 */
static void limits(void **state)
{
	static const struct {
		const char *spec, *down, *want, *why;
	} table[] = {
	    {"{'replicas':8,'updateStrategy':{'maxUnavailable':3}}", "", "abc", ""},
	    {"{'replicas':8,'updateStrategy':{'maxUnavailable':3,'partition':6}}", "", "ab", ""},
	    {"{'replicas':8,'updateStrategy':{'maxUnavailable':0}}", "", "",
	     "8 pods wait to be updated: 0 pods are unavailable, 0 may be"},
	    /* unavailable ones first, and they cost nothing */
	    {"{'replicas':8,'updateStrategy':{'maxUnavailable':2}}", "g", "ga", ""},
	    {"{'replicas':8,'updateStrategy':{'maxUnavailable':2}}", "gh", "gh", ""},
	    {"{'replicas':8,'updateStrategy':{'maxUnavailable':2}}", "fgh", "fg", ""},
	    {"{'replicas':8,'updateStrategy':{'maxUnavailable':2,'paused':true}}", "", "",
	     "8 pods are not updated: updateStrategy.paused is true"},
	    {"{'replicas':8,'updateStrategy':{'type':'OnDelete'}}", "", "",
	     "8 pods are not updated: the type is OnDelete"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct cloneset_update_plan p;
		struct set s;
		char have[40];

		make(a, &s, EIGHT);
		for (const char *c = table[i].down; *c; c++)
			s.v[*c - 'a'].cond_ready = COND_FALSE;
		p = plan(a, &s, table[i].spec, have);
		print_message("%s: %s (%s)\n", table[i].spec, have, p.why);
		assert_string_equal(have, table[i].want);
		if (*table[i].why)
			assert_string_equal(p.why, table[i].why);
		assert_false(p.to_current);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(orders),
	    cmocka_unit_test(even_spread),
	    cmocka_unit_test(candidates),
	    cmocka_unit_test(limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
