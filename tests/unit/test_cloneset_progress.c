/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/time.h"
#include "rules/cloneset_progress.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"

/* The numbers of a status: pods, of them updated, ready of these, available of these. */
struct numbers {
	int32_t replicas, updated, ready, available;
	const char *current;
};

struct row {
	const char *what;
	const char *strategy;
	int64_t deadline;    /* progressDeadlineSeconds; 0: none */
	const char *reason;  /* of the stored condition; NULL: there is none */
	int64_t age;	     /* of its lastUpdateTime */
	struct numbers then; /* the stored status */
	struct numbers now;
	const char *want; /* NULL: no condition */
	int64_t want_age; /* of its lastUpdateTime */
	int64_t again;
};

#define ALL_OLD                      \
	{                            \
		10, 0, 0, 0, "x-old" \
	}
#define HALF                         \
	{                            \
		10, 5, 5, 5, "x-old" \
	}
#define DONE                            \
	{                               \
		10, 10, 10, 10, "x-new" \
	}

static const struct row rows[] = {
    {"no deadline", "", 0, NULL, 0, ALL_OLD, ALL_OLD, NULL, 0, 0},
    {"the deadline is taken away", "", 0, "CloneSetUpdated", 5, HALF, HALF, NULL, 0, 0},
    {"2147483647 is none", "", 2147483647, "CloneSetUpdated", 5, HALF, HALF, NULL, 0, 0},
    {"a roll-out starts", "", 60, NULL, 0, ALL_OLD, ALL_OLD, "CloneSetUpdated", 0, 61},
    {"under way", "", 60, "CloneSetUpdated", 20, HALF, HALF, "CloneSetUpdated", 20, 41},
    {"a pod was updated",
     "",
     60,
     "CloneSetUpdated",
     20,
     HALF,
     {10, 6, 5, 5, "x-old"},
     "CloneSetUpdated",
     0,
     61},
    {"a pod became ready",
     "",
     60,
     "CloneSetUpdated",
     20,
     {10, 6, 5, 5, "x-old"},
     {10, 6, 6, 5, "x-old"},
     "CloneSetUpdated",
     0,
     61},
    {"a pod was lost",
     "",
     60,
     "CloneSetUpdated",
     20,
     HALF,
     {10, 5, 4, 4, "x-old"},
     "CloneSetUpdated",
     20,
     41},
    {"an old pod went",
     "",
     60,
     "CloneSetUpdated",
     20,
     HALF,
     {9, 5, 5, 5, "x-old"},
     "CloneSetUpdated",
     0,
     61},
    {"the last second", "", 60, "CloneSetUpdated", 59, HALF, HALF, "CloneSetUpdated", 59, 2},
    {"passed", "", 60, "CloneSetUpdated", 60, HALF, HALF, "ProgressDeadlineExceeded", 0, 0},
    {"progress at the last moment",
     "",
     60,
     "CloneSetUpdated",
     600,
     HALF,
     {10, 6, 5, 5, "x-old"},
     "CloneSetUpdated",
     0,
     61},
    {"stays passed",
     "",
     60,
     "ProgressDeadlineExceeded",
     5,
     HALF,
     {10, 6, 6, 6, "x-old"},
     "ProgressDeadlineExceeded",
     0,
     0},
    {"stays passed, nothing moves", "", 60, "ProgressDeadlineExceeded", 5, HALF, HALF,
     "ProgressDeadlineExceeded", 5, 0},
    {"passed, then done after all", "", 60, "ProgressDeadlineExceeded", 5, HALF, DONE,
     "CloneSetAvailable", 0, 0},
    {"done", "", 60, "CloneSetUpdated", 20, HALF, DONE, "CloneSetAvailable", 0, 0},
    {"done for long", "", 60, "CloneSetAvailable", 5000, DONE, DONE, "CloneSetAvailable", 5000, 0},
    {"a pod fails after that",
     "",
     60,
     "CloneSetAvailable",
     5000,
     DONE,
     {10, 10, 9, 9, "x-new"},
     "CloneSetUpdated",
     0,
     61},
    {"all updated, not all available",
     "",
     60,
     "CloneSetUpdated",
     20,
     {10, 10, 9, 9, "x-new"},
     {10, 10, 9, 9, "x-new"},
     "CloneSetUpdated",
     20,
     41},
    {"too few pods",
     "",
     60,
     "CloneSetUpdated",
     20,
     {9, 9, 9, 9, "x-new"},
     {9, 9, 9, 9, "x-new"},
     "CloneSetUpdated",
     20,
     41},
    {"paused", "'paused':true", 60, "CloneSetUpdated", 5000, HALF, HALF, "CloneSetPaused", 0, 0},
    {"paused when done", "'paused':true", 60, NULL, 0, DONE, DONE, "CloneSetAvailable", 0, 0},
    {"paused at the partition", "'paused':true,'partition':5", 60, NULL, 0, HALF, HALF,
     "CloneSetPaused", 0, 0},
    {"resumed after long", "", 60, "CloneSetPaused", 5000, HALF, HALF, "CloneSetUpdated", 0, 61},
    {"partition reached", "'partition':5", 60, "CloneSetUpdated", 20, HALF, HALF,
     "ProgressPartitionAvailable", 0, 0},
    {"partition reached, not available",
     "'partition':'50%'",
     60,
     "CloneSetUpdated",
     20,
     {10, 5, 5, 4, "x-old"},
     {10, 5, 5, 4, "x-old"},
     "CloneSetUpdated",
     20,
     41},
    {"partition lowered after long", "'partition':3", 60, "ProgressPartitionAvailable", 5000, HALF,
     HALF, "CloneSetUpdated", 0, 61},
};

static struct cloneset_status status_of(const struct numbers *n, int32_t expected)
{
	return (struct cloneset_status){
	    .replicas = n->replicas,
	    .updated = n->updated,
	    .updated_ready = n->ready,
	    .updated_available = n->available,
	    .expected_updated = expected,
	    .current_revision = str_of(n->current),
	    .update_revision = str_of("x-new"),
	};
}

static void stored_condition(arena *a, struct cloneset_status *s, const char *reason, int64_t age)
{
	bool off = strcmp(reason, "ProgressDeadlineExceeded") == 0;
	val c = val_map();

	val_set(a, &c, "type", val_of_str(CONDITION_PROGRESSING));
	val_set(a, &c, "status", val_of_str(off ? "False" : "True"));
	val_set(a, &c, "reason", val_of_str(reason));
	val_set(a, &c, "lastUpdateTime", k8s_time_val(a, NOW - age));
	val_set(a, &c, "lastTransitionTime", k8s_time_val(a, NOW - 9000));
	cloneset_status_set(a, s, c);
}

static void spec_of(arena *a, const struct row *r, val *cloneset, struct cloneset_spec *spec)
{
	struct gates g = gates_default();
	val text = js(a, arena_printf(a, "{'replicas':10,'updateStrategy':{%s}}", r->strategy));

	*cloneset = val_map();
	if (r->deadline)
		val_set(a, &text, "progressDeadlineSeconds", val_of_int(r->deadline));
	val_set(a, cloneset, "spec", text);
	assert_int_equal(cloneset_spec_from(cloneset, &g, false, spec, NULL), 0);
}

/* covers: cloneset:S2 */
static void reasons_in_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		const struct row *r = &rows[i];
		struct cloneset_status before, after;
		struct cloneset_spec spec;
		const val *c;
		val cloneset;
		int64_t again;

		print_message("%s\n", r->what);
		spec_of(a, r, &cloneset, &spec);
		before = status_of(&r->then, 10 - spec.partition);
		if (r->reason)
			stored_condition(a, &before, r->reason, r->age);
		after = status_of(&r->now, 10 - spec.partition);
		after.conditions = before.conditions;
		again = cloneset_progress(a, &cloneset, &spec, &before, &after, NOW);
		assert_int_equal(again, r->again);
		c = val_find(after.conditions, "type", str_of(CONDITION_PROGRESSING));
		assert_int_equal(c != NULL, r->want != NULL);
		if (!r->want)
			continue;
		assert_true(val_is(val_get(c, "reason"), r->want));
		assert_true(val_is(val_get(c, "status"),
				   strcmp(r->want, "ProgressDeadlineExceeded") ? "True" : "False"));
		assert_int_equal(NOW - k8s_time_of(val_get(c, "lastUpdateTime"), 0), r->want_age);
	}
}

/* covers: cloneset:S2 */
static void a_new_revision_starts_anew(void **state)
{
	static const char *const reasons[] = {"CloneSetUpdated", "ProgressDeadlineExceeded",
					      "CloneSetAvailable"};
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct row r = {.strategy = "", .deadline = 60};
		struct numbers n = ALL_OLD;
		struct cloneset_status before = status_of(&n, 10), after = before;
		struct cloneset_spec spec;
		val cloneset;

		spec_of(a, &r, &cloneset, &spec);
		before.update_revision = str_of("x-older");
		stored_condition(a, &before, reasons[i], 5000);
		after.conditions = before.conditions;
		assert_int_equal(cloneset_progress(a, &cloneset, &spec, &before, &after, NOW), 61);
		assert_true(
		    val_is(val_get(val_at(after.conditions, 0), "reason"), "CloneSetUpdated"));
	}
}

/* covers: cloneset:S1 cloneset:S2 */
static void times_alone_are_not_written(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	struct numbers n = HALF;
	struct cloneset_status before = status_of(&n, 10), after = before;

	(void)state;
	stored_condition(a, &before, "CloneSetUpdated", 5000);
	stored_condition(a, &after, "CloneSetUpdated", 0);
	cloneset_status_condition(a, &before, "FailedScale", true, "", "m", NOW - 50);
	cloneset_status_condition(a, &after, "FailedScale", true, "", "m", NOW);
	assert_false(cloneset_status_changed(&before, &after));
	cloneset_status_condition(a, &after, "FailedScale", true, "", "other", NOW);
	assert_true(cloneset_status_changed(&before, &after));
	after = before;
	stored_condition(a, &after, "CloneSetPaused", 5000);
	assert_true(cloneset_status_changed(&before, &after));
	after = before;
	cloneset_status_condition_clear(a, &after, CONDITION_PROGRESSING);
	assert_true(cloneset_status_changed(&before, &after));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reasons_in_order),
	    cmocka_unit_test(a_new_revision_starts_anew),
	    cmocka_unit_test(times_alone_are_not_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
