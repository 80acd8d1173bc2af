/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/time.h"
#include "rules/inplace.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"

static const char typical[] =
    "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'web-abcde','namespace':'default',"
    "'uid':'11111111-2222-3333-4444-555555555555','resourceVersion':'123456',"
    "'creationTimestamp':'2026-12-01T07:30:41Z','labels':{'app':'web',"
    "'apps.kruise.io/cloneset-instance-id':'abcde',"
    "'controller-revision-hash':'web-dffdcc69b','pod-template-hash':'dffdcc69b',"
    "'lifecycle.apps.kruise.io/state':'Normal'},'annotations':{"
    "'lifecycle.apps.kruise.io/timestamp':'2026-12-01T07:30:41Z',"
    "'controller.kubernetes.io/pod-deletion-cost':'-7'}},"
    "'spec':{'nodeName':'node-1','containers':[{'name':'main','image':'nginx:1.19'}],"
    "'readinessGates':[{'conditionType':'KruisePodReady'},"
    "{'conditionType':'InPlaceUpdateReady'}]},"
    "'status':{'phase':'Running','conditions':["
    "{'type':'Initialized','status':'True','lastTransitionTime':'2026-12-01T07:30:42Z'},"
    "{'type':'Ready','status':'True','lastTransitionTime':'2026-12-01T07:30:43Z'},"
    "{'type':'PodScheduled','status':'True'},{'type':'InPlaceUpdateReady','status':'True'},"
    "{'type':'KruisePodReady','status':'False'}],"
    "'containerStatuses':[{'name':'a','restartCount':2},{'name':'main','restartCount':5,"
    "'image':'nginx:1.19','imageID':'x'}]}}";

static void a_typical_pod(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod = js(a, typical);
	struct pod_view v;

	(void)state;
	pod_view_from(&pod, &v);
	assert_string_equal(v.name, "web-abcde");
	assert_string_equal(v.uid, "11111111-2222-3333-4444-555555555555");
	assert_string_equal(v.rv, "123456");
	assert_string_equal(v.node, "node-1");
	assert_string_equal(v.revision, "web-dffdcc69b");
	assert_string_equal(v.instance_id, "abcde");
	assert_int_equal(v.created,
			 k8s_time_of(val_path(&pod, "metadata", "creationTimestamp", NULL), 0));
	assert_int_equal(v.ready_since, v.created + 2);
	assert_int_equal(v.deletion_cost, -7);
	assert_int_equal(v.restarts, 5);
	assert_int_equal(v.phase, POD_RUNNING);
	assert_int_equal(v.lifecycle, LIFECYCLE_NORMAL);
	assert_int_equal(v.inplace, INPLACE_NONE);
	assert_int_equal(v.cond_ready, COND_TRUE);
	assert_int_equal(v.cond_inplace, COND_TRUE);
	assert_int_equal(v.cond_pod_ready, COND_FALSE);
	assert_true(v.active && v.scheduled && v.gate_inplace && v.gate_pod_ready);
	assert_true(v.has_template_hash);
	assert_false(v.terminating || v.finished || v.specified_delete || v.has_inplace_state ||
		     v.has_grace);
	assert_true(sizeof(v) + strlen(v.uid) + 100 <= 320);
	pod_view_free(&v);
	assert_null(v.mem);
}

/* Objects of any shape give a view with absent fields. */
static void odd_objects(void **state)
{
	static const char *const odd[] = {
	    "{}",
	    "[]",
	    "null",
	    "'x'",
	    "{'metadata':[],'spec':7,'status':'x'}",
	    "{'metadata':{'name':7,'labels':[],'annotations':'x','deletionTimestamp':null}}",
	    "{'status':{'conditions':{},'containerStatuses':{'a':1},'phase':[]}}",
	    "{'status':{'conditions':[7,null,{}],'containerStatuses':[null,{'restartCount':'x'}]},"
	    "'spec':{'readinessGates':{},'nodeName':null}}",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val pod = js(a, odd[i]);
		struct pod_view v;

		pod_view_from(&pod, &v);
		assert_string_equal(v.name, "");
		assert_string_equal(v.node, "");
		assert_int_equal(v.phase, POD_PENDING);
		assert_int_equal(v.restarts, 0);
		assert_false(pod_is_ready(&v));
		assert_false(v.scheduled);
		assert_true(v.active);
		pod_view_free(&v);
	}
}

/* covers: revisions:P1 */
static void activity(void **state)
{
	static const struct {
		const char *pod;
		bool active, terminating, scheduled;
	} table[] = {
	    {"{'status':{'phase':'Running'}}", true, false, false},
	    {"{'status':{'phase':'Succeeded'}}", false, false, false},
	    {"{'status':{'phase':'Failed'}}", false, false, false},
	    {"{'metadata':{'deletionTimestamp':'2026-12-01T07:30:41Z'}}", false, true, false},
	    {"{'spec':{'nodeName':'n'}}", true, false, true},
	    {"{'status':{'conditions':[{'type':'PodScheduled','status':'True'}]}}", true, false,
	     true},
	    {"{'status':{'conditions':[{'type':'PodScheduled','status':'False'}]}}", true, false,
	     false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val pod = js(a, table[i].pod);
		struct pod_view v;

		pod_view_from(&pod, &v);
		assert_int_equal(v.active, table[i].active);
		assert_int_equal(v.terminating, table[i].terminating);
		assert_int_equal(v.scheduled, table[i].scheduled);
		pod_view_free(&v);
	}
}

/* covers: revisions:P2 revisions:P3 */
static void readiness(void **state)
{
	static const struct {
		enum pod_phase phase;
		enum pod_condition ready, inplace;
		enum lifecycle_state lifecycle;
		int64_t since;
		int32_t min_ready;
		bool is_ready, available, counted;
		int64_t in;
	} table[] = {
	    {POD_RUNNING, COND_TRUE, COND_ABSENT, LIFECYCLE_NONE, 0, 0, 1, 1, 1, 0},
	    {POD_RUNNING, COND_TRUE, COND_TRUE, LIFECYCLE_NORMAL, 0, 0, 1, 1, 1, 0},
	    {POD_RUNNING, COND_TRUE, COND_FALSE, LIFECYCLE_NORMAL, 0, 0, 0, 0, 0, 0},
	    {POD_RUNNING, COND_TRUE, COND_UNKNOWN, LIFECYCLE_NORMAL, 0, 0, 0, 0, 0, 0},
	    {POD_RUNNING, COND_FALSE, COND_TRUE, LIFECYCLE_NORMAL, 0, 0, 0, 0, 0, 0},
	    {POD_PENDING, COND_TRUE, COND_TRUE, LIFECYCLE_NORMAL, 0, 0, 0, 0, 0, 0},
	    {POD_RUNNING, COND_TRUE, COND_TRUE, LIFECYCLE_PREPARING_NORMAL, 0, 0, 1, 1, 0, 0},
	    {POD_RUNNING, COND_TRUE, COND_TRUE, LIFECYCLE_UPDATING, 0, 0, 1, 1, 0, 0},
	    {POD_RUNNING, COND_TRUE, COND_TRUE, LIFECYCLE_OTHER, 0, 0, 1, 1, 0, 0},
	    {POD_RUNNING, COND_TRUE, COND_TRUE, LIFECYCLE_NORMAL, NOW - 9, 10, 1, 0, 0, 1},
	    {POD_RUNNING, COND_TRUE, COND_TRUE, LIFECYCLE_NORMAL, NOW - 10, 10, 1, 1, 1, 0},
	    /* a node's clock that is ahead */
	    {POD_RUNNING, COND_TRUE, COND_TRUE, LIFECYCLE_NORMAL, NOW + 99, 10, 1, 0, 0, 10},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct pod_view v = a_pod("p", "r");

		v.phase = table[i].phase;
		v.cond_ready = table[i].ready;
		v.cond_inplace = table[i].inplace;
		v.lifecycle = table[i].lifecycle;
		v.ready_since = table[i].since;
		assert_int_equal(pod_is_ready(&v), table[i].is_ready);
		assert_int_equal(pod_is_available(&v, table[i].min_ready, NOW), table[i].available);
		assert_int_equal(cloneset_pod_available(&v, table[i].min_ready, NOW),
				 table[i].counted);
		assert_int_equal(pod_available_in(&v, table[i].min_ready, NOW), table[i].in);
	}
}

/* covers: revisions:S12 */
static void deletion_costs(void **state)
{
	static const struct {
		const char *text;
		int32_t cost;
	} table[] = {
	    {"0", 0},
	    {"5", 5},
	    {"+5", 0},
	    {"007", 0},
	    {"-3", -3},
	    {"x", 0},
	    {"", 0},
	    {"-", 0},
	    {"5 ", 0},
	    {"2147483647", 2147483647},
	    {"2147483648", 0},
	    {"-2147483648", INT32_MIN},
	    {"-2147483649", 0},
	    {"99999999999999999999", 0},
	    {"1e3", 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_int_equal(pod_deletion_cost(str_of(table[i].text)), table[i].cost);
	assert_int_equal(pod_deletion_cost((struct str){0}), 0);
}

/* Each rule alone: the first of the two goes first, and does so in both orders of input. */
/* covers: revisions:P4 revisions:S9 */
static void order_of_deletion(void **state)
{
	struct pod_view a[16], b[16];
	double ranks[16][2] = {0};
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		a[i] = a_pod("a", "r");
		b[i] = a_pod("b", "r");
		a[i].node = b[i].node = "n";
	}
	/* 1 unassigned, though everything else speaks for it */
	a[n].node = "";
	a[n].deletion_cost = 100;
	n++;
	/* 2 phase */
	a[n].phase = POD_PENDING;
	b[n].phase = POD_UNKNOWN;
	a[n].deletion_cost = 100;
	n++;
	a[n].phase = POD_UNKNOWN;
	a[n].created = 1;
	n++;
	/* 3 not available, not ready */
	a[n].ready_since = NOW - 5;
	a[n].deletion_cost = 100;
	n++;
	a[n].cond_ready = COND_FALSE;
	b[n].ready_since = NOW - 5;
	n++;
	/* 4 cost before rank */
	b[n].deletion_cost = 1;
	ranks[n][1] = 7;
	n++;
	/* 5 rank before time */
	ranks[n][0] = 1;
	b[n].ready_since = NOW - 50000;
	n++;
	/* 6 ready for less time; no time first of all */
	a[n].ready_since = NOW - 80000;
	b[n].restarts = 9;
	n++;
	a[n].ready_since = 0;
	b[n].ready_since = NOW - 20;
	n++;
	/* 7 restarts before age */
	a[n].restarts = 1;
	b[n].created = NOW - 20;
	n++;
	/* 8 newer */
	b[n].created = NOW - 100001;
	n++;
	a[n].created = 0;
	n++;
	/* ties: by name */
	n++;
	for (size_t i = 0; i < n; i++) {
		const struct pod_view *ab[2] = {&a[i], &b[i]}, *ba[2] = {&b[i], &a[i]};
		double swapped[2] = {ranks[i][1], ranks[i][0]};
		struct pod_order o = {ab, ranks[i], 10, NOW}, p = {ba, swapped, 10, NOW};
		uint32_t idx[2] = {0, 1};

		print_message("row %zu\n", i);
		pod_sort(&o, POD_ORDER_DELETE, idx, 2);
		assert_int_equal(idx[0], 0);
		idx[0] = 0;
		idx[1] = 1;
		pod_sort(&p, POD_ORDER_DELETE, idx, 2);
		assert_int_equal(idx[0], 1);
	}
}

/* The order of update knows neither cost nor availability nor ranks. */
/* covers: cloneset:U4 */
static void order_of_update(void **state)
{
	struct pod_view a = a_pod("a", "r"), b = a_pod("b", "r");
	const struct pod_view *pods[2] = {&a, &b};
	double ranks[2] = {0, 9};
	struct pod_order o = {pods, ranks, 10, NOW};
	uint32_t idx[2] = {1, 0};

	(void)state;
	a.node = b.node = "n";
	b.deletion_cost = -5;
	pod_sort(&o, POD_ORDER_UPDATE, idx, 2);
	assert_int_equal(idx[0], 0);
	b.cond_ready = COND_FALSE;
	pod_sort(&o, POD_ORDER_UPDATE, idx, 2);
	assert_int_equal(idx[0], 1);
}

/* Pods 3, 1, 1 over three nodes: of the three, the one that goes first has rank 2. */
/* covers: revisions:P5 revisions:S10 */
static void same_node_ranks(void **state)
{
	struct pod_view v[6];
	const struct pod_view *pods[6];
	static const char *const nodes[6] = {"x", "y", "x", "z", "x", ""};
	uint32_t idx[6] = {0, 1, 2, 3, 4, 5};
	double ranks[6] = {9, 9, 9, 9, 9, 9};
	struct pod_order o = {pods, NULL, 0, NOW};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		v[i] = a_pod("p", "r");
		v[i].node = nodes[i];
		v[i].created += (int64_t)i; /* later ones are newer: they go first */
		pods[i] = &v[i];
	}
	pod_rank_same_node(&o, idx, 6, ranks);
	assert_true(ranks[4] == 2 && ranks[2] == 1 && ranks[0] == 0);
	assert_true(ranks[1] == 0 && ranks[3] == 0 && ranks[5] == 0);
	o.ranks = ranks;
	pod_sort(&o, POD_ORDER_DELETE, idx, 6);
	assert_int_equal(idx[0], 5); /* unassigned */
	assert_int_equal(idx[1], 4);
	assert_int_equal(idx[2], 2);
	assert_int_equal(idx[3], 3); /* the newest of the rest */
	assert_int_equal(idx[5], 0);
}

/* Zones a (3 pods), b (1) and one unknown node. */
/* covers: revisions:P5 revisions:S11 */
static void spread_ranks(void **state)
{
	struct pod_view v[5];
	const struct pod_view *pods[5];
	static const char *const zones[5] = {"a", "a", "b", "", "a"};
	static const char *const hosts[5] = {"h1", "h2", "h3", "h4", "h1"};
	const struct pod_spread both[2] = {{false, zones}, {true, hosts}};
	uint32_t idx[5] = {0, 1, 2, 3, 4};
	double ranks[5], ln4 = 1.3862943611198906, ln6 = 1.791759469228055;
	struct pod_order o = {pods, NULL, 0, NOW};

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		v[i] = a_pod("p", "r");
		v[i].node = hosts[i];
		v[i].created += (int64_t)i;
		pods[i] = &v[i];
	}
	pod_rank_spread(&o, idx, 5, both, 1, ranks);
	/* in zone a: pod 4 (newest, and it shares its node), 1, 0 */
	assert_float_equal(ranks[4], 3 * ln4, 1e-9);
	assert_float_equal(ranks[1], 2 * ln4, 1e-9);
	assert_float_equal(ranks[0], 1 * ln4, 1e-9);
	assert_float_equal(ranks[2], 1 * ln4, 1e-9);
	assert_float_equal(ranks[3], 0, 1e-9);
	pod_rank_spread(&o, idx, 5, both, 2, ranks);
	assert_float_equal(ranks[4], 3 * ln4 + 2 * ln6, 1e-9);
	assert_float_equal(ranks[0], 1 * ln4 + 1 * ln6, 1e-9);
	assert_float_equal(ranks[3], ln6, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_typical_pod),   cmocka_unit_test(odd_objects),
	    cmocka_unit_test(activity),	       cmocka_unit_test(readiness),
	    cmocka_unit_test(deletion_costs),  cmocka_unit_test(order_of_deletion),
	    cmocka_unit_test(order_of_update), cmocka_unit_test(same_node_ranks),
	    cmocka_unit_test(spread_ranks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
