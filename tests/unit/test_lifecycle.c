/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/lifecycle.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"
#include "tests/unit/smp.h"

static void names(void **state)
{
	(void)state;
	for (int s = LIFECYCLE_NONE; s < LIFECYCLE_OTHER; s++)
		assert_int_equal(lifecycle_parse(str_of(lifecycle_name((enum lifecycle_state)s))),
				 s);
	assert_int_equal(lifecycle_parse((struct str){0}), LIFECYCLE_NONE);
	assert_int_equal(lifecycle_parse(str_of("normal")), LIFECYCLE_OTHER);
}

/* covers: inplace:L1 */
static void hooks(void **state)
{
	static const struct {
		const char *hook, *pod;
		bool hooked, all;
	} table[] = {
	    {"null", "{}", false, true},
	    {"{}", "{}", false, true},
	    {"{'labelsHandler':{'a':'1'}}", "{'metadata':{'labels':{'a':'1'}}}", true, true},
	    {"{'labelsHandler':{'a':'1'}}", "{'metadata':{'labels':{'a':'2'}}}", false, false},
	    {"{'labelsHandler':{'a':'1'}}", "{}", false, false},
	    {"{'labelsHandler':{'a':'1','b':'2'}}", "{'metadata':{'labels':{'b':'2'}}}", true,
	     false},
	    {"{'finalizersHandler':['f','g']}", "{'metadata':{'finalizers':['g']}}", true, false},
	    {"{'labelsHandler':{'a':'1'},'finalizersHandler':['f']}",
	     "{'metadata':{'labels':{'a':'1'},'finalizers':['f','x']}}", true, true},
	    {"{'labelsHandler':['a'],'finalizersHandler':{'f':1}}", "{}", false, true},
	    {"{'finalizersHandler':[7]}", "{'metadata':{'finalizers':['g']}}", false, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val hook = js(a, table[i].hook), pod = js(a, table[i].pod);

		assert_int_equal(lifecycle_hooked(&hook, &pod), table[i].hooked);
		assert_int_equal(lifecycle_all_hooked(&hook, &pod), table[i].all);
	}
}

#define HOOK "{'inPlaceUpdate':{'labelsHandler':{'h':'1'}}}"
#define ON "{'metadata':{'labels':{'h':'1'}}}"

/* covers: inplace:L3 */
static void starts(void **state)
{
	static const struct {
		enum lifecycle_state s;
		const char *lifecycle, *pod;
		enum lifecycle_start want;
	} table[] = {
	    {LIFECYCLE_NONE, "null", "{}", LIFECYCLE_START_NOW},
	    {LIFECYCLE_NORMAL, HOOK, ON, LIFECYCLE_START_PREPARE},
	    {LIFECYCLE_NORMAL, HOOK, "{}", LIFECYCLE_START_NOW},
	    {LIFECYCLE_PREPARING_NORMAL, HOOK, ON, LIFECYCLE_START_PREPARE},
	    {LIFECYCLE_PREPARING_UPDATE, HOOK, ON, LIFECYCLE_START_WAIT},
	    {LIFECYCLE_PREPARING_UPDATE, HOOK, "{}", LIFECYCLE_START_NOW},
	    {LIFECYCLE_UPDATING, HOOK, ON, LIFECYCLE_START_NOW},
	    {LIFECYCLE_UPDATED, HOOK, "{}", LIFECYCLE_START_PREPARE},
	    {LIFECYCLE_UPDATED, "null", "{}", LIFECYCLE_START_NOW},
	    {LIFECYCLE_PREPARING_DELETE, "null", "{}", LIFECYCLE_START_REFUSE},
	    {LIFECYCLE_OTHER, "null", "{}", LIFECYCLE_START_REFUSE},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val l = js(a, table[i].lifecycle), pod = js(a, table[i].pod);

		assert_int_equal(lifecycle_start_update(table[i].s, &l, &pod), table[i].want);
	}
}

/* covers: inplace:L2 inplace:L4 inplace:L5 inplace:S15 cloneset:F4 cloneset:F5 */
static void next_states(void **state)
{
#define PN LIFECYCLE_PREPARING_NORMAL
#define PU LIFECYCLE_PREPARING_UPDATE
#define N LIFECYCLE_NORMAL
#define U LIFECYCLE_UPDATED
#define UG LIFECYCLE_UPDATING
#define DONE LIFECYCLE_UPDATE_COMPLETE
#define NOT_DONE LIFECYCLE_UPDATE_PENDING
#define PRE_NORMAL "{'preNormal':{'labelsHandler':{'h':'1'}}}"
	static const struct {
		enum lifecycle_state s;
		bool scheduled, at_target;
		enum lifecycle_update update;
		const char *lifecycle, *pod;
		enum lifecycle_state want;
	} table[] = {
	    {PN, false, true, DONE, "null", "{}", PN}, /* F4 */
	    {PN, true, true, DONE, "null", "{}", N},
	    {PN, true, true, DONE, PRE_NORMAL, "{}", PN},
	    {PN, false, true, DONE, PRE_NORMAL, ON, N},
	    {N, true, false, DONE, HOOK, "{}", N},
	    {UG, true, true, NOT_DONE, "null", "{}", UG},
	    {UG, true, true, DONE, "null", "{}", N},
	    {UG, true, true, DONE, HOOK, "{}", U},
	    {UG, true, true, DONE, HOOK, ON, N},
	    {U, true, true, DONE, HOOK, "{}", U},
	    {U, true, true, DONE, HOOK, ON, N},
	    {U, true, true, DONE, "null", "{}", N},
	    {PU, true, false, DONE, HOOK, ON, PU},
	    {PU, true, true, DONE, HOOK, ON, N}, /* rolled back */
	    {PU, true, true, DONE, HOOK, "{}", U},
	    {LIFECYCLE_PREPARING_DELETE, true, true, DONE, "null", "{}",
	     LIFECYCLE_PREPARING_DELETE},
	    {LIFECYCLE_NONE, true, true, DONE, "null", "{}", LIFECYCLE_NONE},
	    {LIFECYCLE_OTHER, true, true, DONE, "null", "{}", LIFECYCLE_OTHER},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val l = js(a, table[i].lifecycle), pod = js(a, table[i].pod);

		print_message("row %zu\n", i);
		assert_int_equal(lifecycle_next(table[i].s, table[i].scheduled, table[i].at_target,
						table[i].update, &l, &pod),
				 table[i].want);
	}
	/* without hooks no pod is needed */
	assert_int_equal(lifecycle_next(UG, true, true, DONE, NULL, NULL), N);
}

/* covers: inplace:L3 inplace:L8 */
static void patches(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val patch = lifecycle_patch(a, LIFECYCLE_NORMAL, NOW, str_of("9"));
	val want = js(a, "{'metadata':{'resourceVersion':'9','labels':{"
			 "'lifecycle.apps.kruise.io/state':'Normal'},'annotations':{"
			 "'lifecycle.apps.kruise.io/timestamp':'2027-01-15T08:00:00Z'}}}");
	val hook = js(a, "{'labelsHandler':{'h':'1'},'finalizersHandler':['f']}");
	val pod = js(a, "{'metadata':{'labels':{'l':'1'},'finalizers':['x']}}");

	(void)state;
	assert_true(val_equal(&patch, &want));
	patch =
	    lifecycle_patch_with_hook(a, LIFECYCLE_PREPARING_UPDATE, &hook, NOW, (struct str){0});
	assert_null(val_path(&patch, "metadata", "resourceVersion", NULL));
	smp_apply(a, &pod, &patch);
	assert_true(lifecycle_all_hooked(&hook, &pod));
	assert_int_equal(lifecycle_of(&pod), LIFECYCLE_PREPARING_UPDATE);
	assert_true(val_is(val_path(&pod, "metadata", "labels", "l", NULL), "1"));
}

/* covers: inplace:L7 */
static void marks(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val yes = js(a, "{'preDelete':{},'inPlaceUpdate':{'markPodNotReady':true}}");
	val no = js(a, "{'preDelete':{'markPodNotReady':'true'}}");

	(void)state;
	assert_true(lifecycle_any_mark_not_ready(&yes));
	assert_true(lifecycle_mark_not_ready(lifecycle_hook(&yes, "inPlaceUpdate")));
	assert_false(lifecycle_any_mark_not_ready(&no));
	assert_false(lifecycle_any_mark_not_ready(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names),	   cmocka_unit_test(hooks),   cmocka_unit_test(starts),
	    cmocka_unit_test(next_states), cmocka_unit_test(patches), cmocka_unit_test(marks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
