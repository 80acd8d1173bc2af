/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/cloneset_update.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"

#include <stdlib.h>

/*
 * The whole decision of one sync, from the spec as JSON and a set of pods in shorthand to what
 * would be done: "create 2 new", "delete 1 old", "update 1", "nothing".
 *
 * Pods: groups of a number and letters. o: old, n: new; u: not available (not ready); x: labelled
 * specified-delete; p: in PreparingDelete; w: in PreparingUpdate; a: ready, but not for
 * minReadySeconds. After them "; settled" (currentRevision is updateRevision), "; rollback" or ";
 * gate" (CloneSetPartitionRollback, PreparingUpdateAsUpdate on).
 */
struct row {
	const char *spec, *pods, *want;
};

#define SPEC(replicas, partition, unavailable, surge)                        \
	"{'replicas':" #replicas ",'updateStrategy':{'partition':" partition \
	",'maxUnavailable':" unavailable ",'maxSurge':" surge "}}"

static const struct row rows[] = {
    {SPEC(5, "0", "'20%'", "0"), "; settled", "create 5 new"},
    {SPEC(5, "0", "'20%'", "0"), "5o", "update 1"},
    {SPEC(5, "0", "'20%'", "0"), "4o 1nu", "nothing"},
    {SPEC(5, "0", "'20%'", "0"), "3o 1ou 1n", "update 1: u"},
    {SPEC(10, "3", "2", "0"), "10o", "update 2"},
    {SPEC(10, "3", "2", "0"), "3o 7n", "nothing"},
    {SPEC(10, "'90%'", "1", "0"), "10o", "update 1"},
    {SPEC(3, "'99%'", "1", "0"), "3o", "update 1"},
    {SPEC(3, "'100%'", "1", "0"), "3o", "nothing"},
    {SPEC(8, "6", "0", "'50%'"), "8o", "create 2 new"},
    {SPEC(8, "6", "0", "'50%'"), "8o 2n", "delete 2 old"},
    {SPEC(1, "0", "'10%'", "'50%'"), "1o", "create 1 new"},
    {SPEC(1, "0", "'10%'", "'50%'"), "1o 1nu", "nothing"},
    {SPEC(1, "0", "'10%'", "'50%'"), "1o 1n", "delete 1 old"},
    {SPEC(5, "0", "1", "0"), "7n; settled", "delete 2 new"},
    {SPEC(5, "2", "1", "0"), "4o 3n", "delete 2 old"},
    {SPEC(5, "2", "1", "0"), "3n", "create 2 old"},
    {SPEC(5, "0", "1", "0"), "4n 1nx; settled", "delete 1 new"},
    {SPEC(5, "0", "1", "0"), "4n; settled", "create 1 new"},
    {SPEC(5, "0", "1", "0"), "2n 2nx 1nu; settled", "nothing"},
    {SPEC(5, "0", "1", "2"), "3n 2nx; settled", "create 1 new"},
    {"{'replicas':100,'scaleStrategy':{'maxUnavailable':20},"
     "'updateStrategy':{'maxUnavailable':'20%'}}",
     "60nu; settled", "limited"},
    {SPEC(8, "0", "0", "3"), "8o", "create 3 new"},
    {SPEC(3, "3", "1", "0"), "1o 2n; rollback", "back 1"},
    {SPEC(3, "3", "1", "0"), "1o 2n", "nothing"},
    {"{'replicas':5,'updateStrategy':{'maxUnavailable':1,'paused':true}}", "5o", "nothing"},
    {SPEC(4, "0", "'50%'", "'25%'"), "4o", "create 1 new"},

    /* what a row of the table leads to */
    {SPEC(8, "0", "0", "3"), "8o 3nu", "nothing"},
    {SPEC(8, "0", "0", "3"), "8o 2nu 1n", "update 1"},
    {SPEC(8, "0", "0", "3"), "7o 3n", "create 1 new"},
    {SPEC(5, "0", "1", "2"), "4n 2nx; settled", "delete 2 new"},
    {SPEC(4, "0", "'50%'", "'25%'"), "4o 1n", "update 3"},
    {SPEC(3, "3", "1", "0"), "2o 1n; rollback", "back 1"},
    {SPEC(3, "3", "1", "0"), "2ou 1n; rollback", "nothing"},
    {SPEC(3, "3", "1", "0"), "3o; rollback", "nothing"},

    /* F1: fewer pods than replicas must not turn the limit negative */
    {SPEC(10, "0", "0", "0"), "8o", "create 2 new"},
    /* F2: paused, surge is 0; scaling works */
    {"{'replicas':5,'updateStrategy':{'maxSurge':2,'paused':true}}", "5o", "nothing"},
    {"{'replicas':6,'updateStrategy':{'maxSurge':2,'paused':true}}", "5o", "create 1 new"},
    {"{'replicas':4,'updateStrategy':{'maxSurge':2,'paused':true}}", "5o", "delete 1 old"},
    /* F6 */
    {SPEC(1, "'50%'", "1", "0"), "1o", "nothing"},
    {SPEC(2, "'50%'", "1", "0"), "2o", "update 1"},
    {SPEC(100, "'99.5%'", "1", "0"), "1o", "error"},
    /* F8: a pod in PreparingUpdate is old, and by gate new */
    {SPEC(2, "1", "1", "0"), "1o 1ow", "update 1: w"},
    {SPEC(2, "1", "1", "0"), "1o 1ow; gate", "nothing"},

    /* OnDelete, and type as v1beta1 has it */
    {"{'replicas':2,'updateStrategy':{'type':'OnDelete'}}", "2o", "nothing"},
    {"{'replicas':4,'updateStrategy':{'type':'RollingUpdate','rollingUpdate':"
     "{'partition':2,'maxUnavailable':2}}}",
     "4o", "update 2"},
    /* defaults: replicas 1, maxUnavailable 20% */
    {"{}", "; settled", "create 1 new"},
    {"{'replicas':10}", "10o", "update 2"},
    {"{'replicas':10,'updateStrategy':{'partition':null,'maxUnavailable':null}}", "10o",
     "update 2"},
    /* unavailable pods that are deleted need no budget */
    {SPEC(5, "0", "1", "0"), "3n 2nux; settled", "delete 2 new"},
    {SPEC(5, "0", "0", "0"), "5n 2nu; settled", "delete 2 new"},
    /* PreparingDelete counts as existing, unless excluded */
    {SPEC(3, "0", "1", "0"), "3n 1np; settled", "release 1"},
    {"{'replicas':3,'scaleStrategy':{'excludePreparingDelete':true}}", "2n 2np; settled",
     "cancel 1"},
    {"{'replicas':3,'scaleStrategy':{'excludePreparingDelete':true},"
     "'lifecycle':{'preDelete':{'markPodNotReady':true}}}",
     "2n 2np; settled", "create 1 new"},
    /* a pod that is labelled already is not updated, nor is another in its place */
    {SPEC(5, "0", "1", "0"), "3o 1ox 1nu", "nothing"},
    /* minReadySeconds */
    {"{'replicas':5,'minReadySeconds':10,'updateStrategy':{'maxUnavailable':1}}", "4o 1na",
     "nothing"},
    {"{'replicas':5,'minReadySeconds':3,'updateStrategy':{'maxUnavailable':1}}", "4o 1na",
     "update 1"},
    /* values that are out of range or of the wrong type */
    {"{'replicas':-1}", "", "error"},
    {"{'replicas':'5'}", "", "error"},
    {"{'replicas':99999999999}", "", "error"},
    {"{'replicas':2147483647,'updateStrategy':{'maxSurge':'100%'}}", "2o", "create 2147483647 new"},
    {"{'updateStrategy':{'partition':'x'}}", "", "error"},
    {"{'replicas':3,'updateStrategy':{'partition':'300%'}}", "3o", "nothing"},
    {"{'replicas':3,'updateStrategy':{'maxUnavailable':'1000%'}}", "3o", "update 3"},
};

struct world {
	struct pod_view views[512];
	const struct pod_view *pods[512];
	char names[512][8];
	size_t n;
};

static void add_pods(struct world *w, int count, const char *letters, size_t n_letters)
{
	for (; count > 0; count--) {
		struct pod_view v;

		snprintf(w->names[w->n], sizeof(w->names[0]), "p%zu", w->n);
		v = a_pod(w->names[w->n], "x-old");
		for (size_t i = 0; i < n_letters; i++) {
			switch (letters[i]) {
			case 'n':
				v.revision = "x-new";
				break;
			case 'u':
				v.cond_ready = COND_FALSE;
				break;
			case 'a':
				v.ready_since = NOW - 5;
				break;
			case 'x':
				v.specified_delete = true;
				break;
			case 'p':
				v.lifecycle = LIFECYCLE_PREPARING_DELETE;
				break;
			case 'w':
				v.lifecycle = LIFECYCLE_PREPARING_UPDATE;
				break;
			}
		}
		w->views[w->n] = v;
		w->pods[w->n] = &w->views[w->n];
		w->n++;
	}
}

static void make_pods(struct world *w, const char *text)
{
	w->n = 0;
	while (*text && *text != ';') {
		char *letters;
		long n = strtol(text, &letters, 10);
		size_t len = strcspn(letters, " ;");

		add_pods(w, (int)n, letters, len);
		text = letters + len + (letters[len] == ' ');
	}
}

static void describe_deletes(const struct cloneset_state *st, const struct index_list *l, char *out,
			     size_t cap)
{
	size_t old = 0;

	for (size_t i = 0; i < l->n; i++)
		old += !st->flags[l->i[i]].is_new;
	if (old == l->n)
		snprintf(out, cap, "delete %zu old", old);
	else if (old == 0)
		snprintf(out, cap, "delete %zu new", l->n);
	else
		snprintf(out, cap, "delete %zu old %zu new", old, l->n - old);
}

static void decide(arena *a, const struct row *row, struct world *w, char *out, size_t cap)
{
	struct gates g = gates_default();
	val cloneset = val_map();
	struct cloneset_spec spec;
	struct cloneset_state st;
	struct cloneset_counts c;
	struct cloneset_scale_plan scale;
	struct cloneset_update_plan update;

	g = gates_with(g, GATE_CLONESET_PARTITION_ROLLBACK, strstr(row->pods, "rollback"));
	g = gates_with(g, GATE_PREPARING_UPDATE_AS_UPDATE, strstr(row->pods, "gate"));
	val_set(a, &cloneset, "spec", js(a, row->spec));
	snprintf(out, cap, "nothing");
	if (cloneset_spec_from(&cloneset, &g, false, &spec, NULL) < 0) {
		snprintf(out, cap, "error");
		return;
	}
	st = cloneset_classify(a, &spec, w->pods, w->n,
			       strstr(row->pods, "settled") ? "x-new" : "x-old", "x-new", NOW);
	c = cloneset_count(&spec, &st);
	scale = cloneset_scale(a, &spec, &st, &c, NULL);
	if (scale.cancel.n)
		snprintf(out, cap, "cancel %zu", scale.cancel.n);
	else if (scale.create_old && scale.create_new)
		snprintf(out, cap, "create %d old %d new", scale.create_old, scale.create_new);
	else if (scale.create_old || scale.create_new)
		snprintf(out, cap, "create %d %s", scale.create_old + scale.create_new,
			 scale.create_old ? "old" : "new");
	else if (scale.limited)
		snprintf(out, cap, "limited");
	else if (scale.remove.n)
		describe_deletes(&st, &scale.remove, out, cap);
	else if (scale.release.n)
		snprintf(out, cap, "release %zu", scale.release.n);
	if (strcmp(out, "nothing") != 0)
		return;
	update = cloneset_update(a, &spec, &st, &c, NULL);
	if (update.pods.n) {
		const struct pod_view *first = st.pods[update.pods.i[0]];

		snprintf(out, cap, "%s %zu%s", update.to_current ? "back" : "update", update.pods.n,
			 !pod_is_ready(first)				  ? ": u"
			 : first->lifecycle == LIFECYCLE_PREPARING_UPDATE ? ": w"
									  : "");
		assert_string_equal(update.revision, update.to_current ? "x-old" : "x-new");
	}
}

/* covers: cloneset:W1 cloneset:W2 cloneset:W3 cloneset:W4 cloneset:W5 cloneset:W6 cloneset:W7
 * cloneset:W8 cloneset:W9 cloneset:W10 cloneset:W11 cloneset:W12 cloneset:W13 cloneset:W14
 * cloneset:W15 cloneset:W16 cloneset:W17 cloneset:W18 cloneset:W19 cloneset:W20 cloneset:W21
 * cloneset:W22 cloneset:W23 cloneset:W24 cloneset:W25 cloneset:W26 cloneset:R1 cloneset:R2
 * cloneset:R3 cloneset:R4 cloneset:R6 cloneset:R7 cloneset:R8 cloneset:R9 cloneset:R10 cloneset:R11
 * cloneset:R12 cloneset:R13 cloneset:P1 cloneset:P4 cloneset:P5 cloneset:U2 cloneset:U5 cloneset:U9
 * cloneset:F1 cloneset:F2 cloneset:F6 cloneset:F8 */
static void whole_decisions(void **state)
{
	static struct world w;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		char have[64];

		make_pods(&w, rows[i].pods);
		decide(a, &rows[i], &w, have, sizeof(have));
		print_message("%s | %s: %s, %s\n", rows[i].spec, rows[i].pods, have, rows[i].want);
		assert_string_equal(have, rows[i].want);
	}
}

/* Numbers of single rows that the outcome alone does not show. */
/* covers: cloneset:R5 cloneset:R8 cloneset:R9 cloneset:R10 cloneset:R11 cloneset:R12 cloneset:R13
 * cloneset:F1 */
static void numbers(void **state)
{
	static const struct {
		const char *spec, *pods;
		int32_t surge, up, up_old, up_limit, down, down_old, ready_limit, update,
		    update_max, expected;
	} table[] = {
	    {SPEC(8, "6", "0", "'50%'"), "8o", 2, 2, 0, 2, 0, 0, 0, 2, 0, 2},
	    {SPEC(8, "6", "0", "'50%'"), "8o 2n", 0, 0, 0, 0, 2, 2, 2, 0, 2, 2},
	    {SPEC(10, "3", "2", "0"), "3o 7n", 0, 0, 0, 0, 0, 0, 0, 0, 2, 7},
	    {SPEC(5, "2", "1", "0"), "4o 3n", 0, 0, 0, 0, 2, 2, 3, 0, 3, 3},
	    {SPEC(5, "2", "1", "0"), "3n", 0, 2, 2, 2, 0, 0, 0, 0, 0, 3},
	    {SPEC(5, "0", "1", "0"), "2n 2nx 1nu", 0, 0, 0, 0, 0, 0, 0, 0, 1, 5},
	    {SPEC(5, "0", "1", "2"), "3n 2nx", 1, 1, 0, 1, 0, 0, 1, 0, 1, 5},
	    {SPEC(8, "0", "0", "3"), "8o", 3, 3, 0, 3, 0, 0, 0, 8, 0, 8},
	    {SPEC(10, "0", "0", "0"), "8o", 0, 2, 0, 2, 0, 0, 0, 8, 0, 10},
	    {"{'replicas':100,'scaleStrategy':{'maxUnavailable':'30%'}}", "60n 10nu", 0, 30, 0, 20,
	     0, 0, 0, 0, 0, 100},
	};
	static struct world w;
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct gates g = gates_default();
		val cloneset = val_map();
		struct cloneset_spec spec;
		struct cloneset_state st;
		struct cloneset_counts c;

		print_message("%s | %s\n", table[i].spec, table[i].pods);
		make_pods(&w, table[i].pods);
		val_set(a, &cloneset, "spec", js(a, table[i].spec));
		assert_int_equal(cloneset_spec_from(&cloneset, &g, false, &spec, NULL), 0);
		st = cloneset_classify(a, &spec, w.pods, w.n, "x-old", "x-new", NOW);
		c = cloneset_count(&spec, &st);
		assert_int_equal(c.surge, table[i].surge);
		assert_int_equal(c.up, table[i].up);
		assert_int_equal(c.up_old, table[i].up_old);
		assert_int_equal(c.up_limit, table[i].up_limit);
		assert_int_equal(c.down, table[i].down);
		assert_int_equal(c.down_old, table[i].down_old);
		assert_int_equal(c.delete_ready_limit, table[i].ready_limit);
		assert_int_equal(c.update, table[i].update);
		assert_int_equal(c.update_max_unavailable, table[i].update_max);
		assert_int_equal(c.expected_updated, table[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whole_decisions),
	    cmocka_unit_test(numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
