/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/conditions.h"
#include "rules/podreadiness.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"
#include "tests/unit/smp.h"

static val pod_with(arena *a, const char *conditions)
{
	val pod = js(a, "{'metadata':{'uid':'u','resourceVersion':'7'},'spec':{'readinessGates':["
			"{'conditionType':'KruisePodReady'}]},'status':{}}");

	val_set(a, val_get_mut(&pod, "status"), "conditions", js(a, conditions));
	return pod;
}

static const char *message(arena *a, const val *pod)
{
	return val_cstr(a, val_get(condition_of(pod, GATE_POD_READY), "message"));
}

/* covers: inplace:K1 */
static void first_time(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod = pod_with(a, "[]"), none = js(a, "{'spec':{}}"), patch;

	(void)state;
	assert_false(podreadiness_needs_init(&none));
	assert_true(podreadiness_needs_init(&pod));
	patch = podreadiness_init_patch(a, &pod, NOW);
	assert_true(val_is(val_path(&patch, "metadata", "resourceVersion", NULL), "7"));
	assert_true(val_is(val_path(&patch, "metadata", "uid", NULL), "u"));
	smp_apply(a, &pod, &patch);
	assert_int_equal(condition_status(condition_of(&pod, GATE_POD_READY)), COND_TRUE);
	assert_false(podreadiness_needs_init(&pod));
}

static void the_gate_at_creation(void **state)
{
#define OWNED(group, more)                                                                    \
	"{'metadata':{'ownerReferences':[{'apiVersion':'" group "','kind':'X','uid':'u'" more \
	"}]},'spec':{}}"
	static const struct {
		const char *pod;
		bool every, gets;
	} rows[] = {
	    {"{'metadata':{},'spec':{}}", false, false},
	    {"{'metadata':{},'spec':{}}", true, true},
	    {OWNED("apps.kruise.io/v1alpha1", ",'controller':true"), false, true},
	    {OWNED("apps.kruise.io/v9", ",'controller':true"), false, true},
	    {OWNED("apps.kruise.io/v1alpha1", ",'controller':false"), false, false},
	    {OWNED("apps.kruise.io/v1alpha1", ""), false, false},
	    {OWNED("apps.kruise.io", ",'controller':true"), false, false},
	    {OWNED("apps.kruise.io.evil/v1", ",'controller':true"), false, false},
	    {OWNED("apps/v1", ",'controller':true"), false, false},
	    {OWNED("apps/v1", ",'controller':true"), true, true},
	    /* of any shape */
	    {"{}", true, false},
	    {"{'spec':7}", true, false},
	    {"{'metadata':{'ownerReferences':7},'spec':{'readinessGates':'x'}}", true, true},
	    {"{'spec':{'readinessGates':[7,null]}}", true, true},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val pod = js(a, rows[i].pod), once;

		print_message("%s\n", rows[i].pod);
		podreadiness_inject(a, &pod, rows[i].every);
		assert_int_equal(readiness_gate_has(&pod, GATE_POD_READY), rows[i].gets);
		once = val_copy(a, &pod);
		podreadiness_inject(a, &pod, rows[i].every);
		assert_true(val_equal(&once, &pod));
	}
}

/* True only after both users' keys are gone. */
/* covers: inplace:K2 inplace:K3 inplace:S24 */
static void two_users(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod = pod_with(a, "[{'type':'KruisePodReady','status':'True'},{'type':'Ready','status':"
			      "'True'},{'type':'ContainersReady','status':'True'}]");
	const struct readiness_key other = {"Another", "k"};
	val patch;

	(void)state;
	assert_true(podreadiness_add(a, &pod, READINESS_PRE_DELETE, NOW, &patch));
	smp_apply(a, &pod, &patch);
	assert_string_equal(message(a, &pod),
			    "[{\"userAgent\":\"Lifecycle\",\"key\":\"preDeleteHook\"}]");
	assert_int_equal(condition_status(condition_of(&pod, "Ready")), COND_FALSE);
	assert_false(podreadiness_add(a, &pod, READINESS_PRE_DELETE, NOW, &patch));

	assert_true(podreadiness_add(a, &pod, other, NOW, &patch));
	smp_apply(a, &pod, &patch);
	assert_string_equal(message(a, &pod),
			    "[{\"userAgent\":\"Another\",\"key\":\"k\"},"
			    "{\"userAgent\":\"Lifecycle\",\"key\":\"preDeleteHook\"}]");

	assert_true(podreadiness_remove(a, &pod, READINESS_PRE_DELETE, NOW, &patch));
	smp_apply(a, &pod, &patch);
	assert_int_equal(condition_status(condition_of(&pod, GATE_POD_READY)), COND_FALSE);
	assert_false(podreadiness_remove(a, &pod, READINESS_PRE_DELETE, NOW, &patch));
	assert_true(podreadiness_remove(a, &pod, other, NOW, &patch));
	smp_apply(a, &pod, &patch);
	assert_int_equal(condition_status(condition_of(&pod, GATE_POD_READY)), COND_TRUE);
	assert_string_equal(message(a, &pod), "[]");
}

/* covers: inplace:K3 */
static void odd_messages(void **state)
{
	static const char *const odd[] = {"x", "{}", "[7,{},{\\'userAgent\\':\\'a\\'}]", "null"};
	_cleanup_arena_ arena *a = arena_new();
	val none = js(a, "{'spec':{'readinessGates':[]}}"), patch;

	(void)state;
	assert_false(podreadiness_add(a, &none, READINESS_PRE_UPDATE, NOW, &patch));
	assert_false(podreadiness_remove(a, &none, READINESS_PRE_UPDATE, NOW, &patch));
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		val pod = pod_with(a, arena_printf(a,
						   "[{'type':'KruisePodReady','status':'False',"
						   "'message':'%s'}]",
						   odd[i]));

		assert_true(podreadiness_add(a, &pod, READINESS_PRE_UPDATE, NOW, &patch));
		smp_apply(a, &pod, &patch);
		assert_string_equal(message(a, &pod),
				    "[{\"userAgent\":\"Lifecycle\",\"key\":\"preUpdateHook\"}]");
	}
}

/* covers: inplace:L7 */
static void lifecycle_states(void **state)
{
#define MARKS "{'preDelete':{'markPodNotReady':true},'inPlaceUpdate':{'markPodNotReady':true}}"
#define MARKS_NOT "{'preDelete':{},'inPlaceUpdate':{'markPodNotReady':false}}"
	static const struct {
		enum lifecycle_state to;
		const char *lifecycle;
		const struct readiness_key *add, *remove;
	} rows[] = {
	    {LIFECYCLE_PREPARING_DELETE, MARKS, &READINESS_PRE_DELETE, NULL},
	    {LIFECYCLE_PREPARING_DELETE, MARKS_NOT, NULL, NULL},
	    {LIFECYCLE_PREPARING_UPDATE, MARKS, &READINESS_PRE_UPDATE, NULL},
	    {LIFECYCLE_PREPARING_UPDATE, MARKS_NOT, NULL, NULL},
	    {LIFECYCLE_UPDATING, MARKS, NULL, NULL},
	    /* also when the hook has been taken out meanwhile */
	    {LIFECYCLE_UPDATED, MARKS, NULL, &READINESS_PRE_UPDATE},
	    {LIFECYCLE_UPDATED, "null", NULL, &READINESS_PRE_UPDATE},
	    {LIFECYCLE_NORMAL, MARKS, NULL, &READINESS_PRE_UPDATE},
	    {LIFECYCLE_NORMAL, "null", NULL, &READINESS_PRE_UPDATE},
	    {LIFECYCLE_PREPARING_NORMAL, MARKS_NOT, NULL, &READINESS_PRE_DELETE},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val lifecycle = js(a, rows[i].lifecycle);
		val pod = pod_with(a, "[{'type':'KruisePodReady','status':'True'}]"), patch;
		struct readiness_change c = podreadiness_of_state(rows[i].to, &lifecycle);

		print_message("row %zu\n", i);
		assert_ptr_equal(c.add, rows[i].add);
		assert_ptr_equal(c.remove, rows[i].remove);
		/* on a pod that is ready there is only something to add */
		assert_int_equal(podreadiness_change_patch(a, &pod, c, NOW, &patch),
				 rows[i].add != NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(first_time),	cmocka_unit_test(the_gate_at_creation),
	    cmocka_unit_test(two_users),	cmocka_unit_test(odd_messages),
	    cmocka_unit_test(lifecycle_states),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
