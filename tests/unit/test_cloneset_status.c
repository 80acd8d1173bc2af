/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/cloneset_status.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"

static struct cloneset_status make(arena *a, const val *cloneset, struct pod_view *v, size_t n,
				   struct cloneset_spec *spec)
{
	struct gates g = gates_default();
	const struct pod_view **pods = arena_alloc(a, (n + 1) * sizeof(*pods));
	struct cloneset_state st;

	for (size_t i = 0; i < n; i++)
		pods[i] = &v[i];
	assert_int_equal(cloneset_spec_from(cloneset, &g, false, spec, NULL), 0);
	st = cloneset_classify(a, spec, pods, n, "x-old", "x-new", NOW);
	return cloneset_status_make(cloneset, spec, &st, 2, str_of("app=x"));
}

/* covers: cloneset:S1 */
static void numbers(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val cloneset = js(a, "{'metadata':{'uid':'u','generation':3},'spec':{'replicas':6,"
			     "'minReadySeconds':10,'updateStrategy':{'partition':2}}}");
	struct pod_view v[6];
	struct cloneset_spec spec;
	struct cloneset_status s, read;
	val patch, want;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		v[i] = a_pod("p", i < 4 ? "x-new" : "x-old");
	v[0].cond_ready = COND_FALSE;
	v[1].ready_since = NOW - 5;
	v[2].lifecycle = LIFECYCLE_PREPARING_NORMAL;
	v[4].cond_inplace = COND_FALSE;
	s = make(a, &cloneset, v, 6, &spec);
	patch = cloneset_status_patch(a, &cloneset, &s);
	want = js(a, "{'metadata':{'uid':'u'},'status':{'observedGeneration':3,'replicas':6,"
		     "'readyReplicas':4,'availableReplicas':2,'updatedReplicas':4,"
		     "'updatedReadyReplicas':3,'updatedAvailableReplicas':1,"
		     "'expectedUpdatedReplicas':4,'collisionCount':2,'currentRevision':'x-old',"
		     "'updateRevision':'x-new','labelSelector':'app=x'}}");
	assert_true(val_equal(&patch, &want));
	read = cloneset_status_of(&patch);
	assert_false(cloneset_status_changed(&read, &s));
}

/* currentRevision follows once all replicas are updated, whether ready or not. */
/* covers: cloneset:C6 revisions:R7 */
static void current_revision(void **state)
{
	static const struct {
		const char *spec;
		size_t pods;
		bool follows;
	} table[] = {{"{'replicas':2}", 2, true},
		     {"{'replicas':3}", 2, false},
		     {"{'replicas':1}", 2, false},
		     {"{'replicas':0}", 0, true}};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct pod_view v[2] = {a_pod("p", "x-new"), a_pod("q", "new")};
		struct cloneset_spec spec;
		struct cloneset_status s;
		val cloneset = val_map();

		v[0].cond_ready = COND_FALSE;
		val_set(a, &cloneset, "spec", js(a, table[i].spec));
		s = make(a, &cloneset, v, table[i].pods, &spec);
		assert_true(str_is(s.current_revision, table[i].follows ? "x-new" : "x-old"));
	}
}

/* covers: cloneset:S1 cloneset:C13 */
static void what_counts_as_change(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val object = js(a, "{'status':{'observedGeneration':3,'replicas':6,'readyReplicas':4,"
			   "'currentRevision':'x','updateRevision':'y','labelSelector':'l',"
			   "'conditions':[{'type':'FailedScale','status':'True','message':'m',"
			   "'lastTransitionTime':'2020-01-01T00:00:00Z'}]}}");
	const struct cloneset_status before = cloneset_status_of(&object);
	struct cloneset_status s = before;
	val odd = js(a, "{'status':{'replicas':'x','readyReplicas':99999999999,'conditions':{}}}");

	(void)state;
	assert_false(cloneset_status_changed(&before, &s));
	s.observed_generation = 2;
	assert_false(cloneset_status_changed(&before, &s));
	s.observed_generation = 4;
	assert_true(cloneset_status_changed(&before, &s));
	s = before;
	s.updated_available++;
	assert_true(cloneset_status_changed(&before, &s));
	s = before;
	s.update_revision = str_of("z");
	assert_true(cloneset_status_changed(&before, &s));

	/* the same condition again is none, and keeps its time */
	s = before;
	cloneset_status_condition(a, &s, "FailedScale", true, NULL, "m", NOW);
	assert_false(cloneset_status_changed(&before, &s));
	assert_true(
	    val_is(val_get(val_at(s.conditions, 0), "lastTransitionTime"), "2020-01-01T00:00:00Z"));
	cloneset_status_condition(a, &s, "FailedScale", true, NULL, "n", NOW);
	assert_true(cloneset_status_changed(&before, &s));
	cloneset_status_condition(a, &s, "FailedUpdate", true, "R", "m", NOW);
	assert_int_equal(val_len(s.conditions), 2);
	cloneset_status_condition_clear(a, &s, "FailedUpdate");
	cloneset_status_condition_clear(a, &s, "FailedScale");
	assert_true(cloneset_status_changed(&before, &s));
	object = cloneset_status_patch(a, &object, &s);
	assert_true(val_is_null(val_path(&object, "status", "conditions", NULL)));

	s = cloneset_status_of(&odd);
	assert_int_equal(s.replicas + s.ready, 0);
	assert_null(s.conditions);
}

/* The status that a running OpenKruise ended with has our fields and no others. */
/* covers: cloneset:S1 */
static void fields_of_traces(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val traces = load_cases(a, "tests/data/cloneset/traces.json");

	(void)state;
	for (size_t i = 0; i < val_len(&traces); i++) {
		const val *t = val_at(&traces, i);
		struct cloneset_status s = cloneset_status_of(t);
		val patch = cloneset_status_patch(a, t, &s);

		assert_true(val_equal(val_get(&patch, "status"), val_get(t, "status")));
	}
	assert_int_equal(val_len(&traces), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers),
	    cmocka_unit_test(current_revision),
	    cmocka_unit_test(what_counts_as_change),
	    cmocka_unit_test(fields_of_traces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
