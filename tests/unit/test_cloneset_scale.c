/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/cloneset_update.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"

#include <errno.h>

/* Pods a, b, c … made by a_pod; what a test changes, it changes in place. */
struct set {
	struct pod_view v[16];
	const struct pod_view *pods[16];
	size_t n;
	struct cloneset_spec spec;
	struct cloneset_state st;
	struct cloneset_counts c;
};

static void make(struct set *s, size_t n, const char *revision)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

	s->n = n;
	for (size_t i = 0; i < n; i++) {
		s->v[i] = a_pod(names[i], revision);
		s->pods[i] = &s->v[i];
	}
}

static void count(arena *a, struct set *s, const char *spec)
{
	struct gates g = gates_default();
	val *cloneset = arena_alloc(a, sizeof(*cloneset));

	*cloneset = val_map();
	val_set(a, cloneset, "spec", js(a, spec));
	assert_int_equal(cloneset_spec_from(cloneset, &g, false, &s->spec, NULL), 0);
	s->st = cloneset_classify(a, &s->spec, s->pods, s->n, "x-old", "x-new", NOW);
	s->c = cloneset_count(&s->spec, &s->st);
}

static const char *list(arena *a, const struct set *s, const struct index_list *l)
{
	char *text = arena_alloc(a, l->n + 1);

	for (size_t i = 0; i < l->n; i++)
		text[i] = s->v[l->i[i]].name[0];
	text[l->n] = '\0';
	return text;
}

/* covers: cloneset:P5 cloneset:P6 cloneset:R11 cloneset:R12 revisions:P4 revisions:P5 */
static void which_pods_go(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	struct cloneset_scale_plan p;
	struct set s;

	(void)state;
	/* the lower cost, then the crowded node */
	make(&s, 5, "x-new");
	s.v[3].deletion_cost = -1;
	s.v[1].node = s.v[2].node = "same";
	s.v[2].created++;
	count(a, &s, "{'replicas':3}");
	p = cloneset_scale(a, &s.spec, &s.st, &s.c, NULL);
	assert_string_equal(list(a, &s, &p.remove), "dc");
	assert_int_equal(p.release.n + p.cancel.n + p.held, 0);

	/* named pods first; scale-down waits for them */
	count(a, &s,
	      "{'replicas':2,'scaleStrategy':{'podsToDelete':['b','gone']},"
	      "'updateStrategy':{'maxUnavailable':5}}");
	p = cloneset_scale(a, &s.spec, &s.st, &s.c, NULL);
	assert_string_equal(list(a, &s, &p.remove), "b");

	/* ready pods only while the limit lasts, others at once */
	make(&s, 4, "x-new");
	s.v[0].specified_delete = s.v[1].specified_delete = s.v[2].specified_delete = true;
	s.v[2].cond_ready = COND_FALSE;
	count(a, &s, "{'replicas':4,'updateStrategy':{'maxUnavailable':1}}");
	p = cloneset_scale(a, &s.spec, &s.st, &s.c, NULL);
	assert_string_equal(list(a, &s, &p.remove), "ac");
	assert_int_equal(p.held, 1);
	assert_non_null(strstr(p.why, "1 ready pods"));

	/* spread constraints rank instead of nodes */
	{
		static const char *const zones[] = {"z", "y", "z", "z"};
		const struct pod_spread spread = {false, zones};
		const struct cloneset_ranking ranking = {&spread, 1};

		make(&s, 4, "x-new");
		count(a, &s, "{'replicas':3}");
		p = cloneset_scale(a, &s.spec, &s.st, &s.c, &ranking);
		assert_string_equal(list(a, &s, &p.remove), "a");
		s.v[2].created++;
		p = cloneset_scale(a, &s.spec, &s.st, &s.c, &ranking);
		assert_string_equal(list(a, &s, &p.remove), "c");
	}
	/* old ones for what exceeds the partition, new ones for the rest */
	make(&s, 6, "x-new");
	s.v[1].revision = s.v[4].revision = "x-old";
	s.v[4].created++;
	count(a, &s, "{'replicas':3,'updateStrategy':{'partition':1,'maxUnavailable':3}}");
	assert_int_equal(s.c.down_old, 1);
	p = cloneset_scale(a, &s.spec, &s.st, &s.c, NULL);
	assert_string_equal(list(a, &s, &p.remove), "eac");
}

/* P1: pods in PreparingDelete return when they are needed again. */
/* covers: cloneset:P1 cloneset:P4 inplace:L6 */
static void cancelling(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	struct cloneset_scale_plan p;
	struct set s;

	(void)state;
	make(&s, 4, "x-new");
	s.v[1].lifecycle = s.v[2].lifecycle = s.v[3].lifecycle = LIFECYCLE_PREPARING_DELETE;
	s.v[2].specified_delete = true;
	count(a, &s, "{'replicas':2}");
	p = cloneset_scale(a, &s.spec, &s.st, &s.c, NULL);
	assert_string_equal(list(a, &s, &p.cancel), "b");
	assert_int_equal(p.release.n + p.remove.n, 0);
	/* the labelled one never returns */
	count(a, &s, "{'replicas':4}");
	p = cloneset_scale(a, &s.spec, &s.st, &s.c, NULL);
	assert_string_equal(list(a, &s, &p.cancel), "bd");
	count(a, &s, "{'replicas':1}");
	p = cloneset_scale(a, &s.spec, &s.st, &s.c, NULL);
	assert_int_equal(p.cancel.n, 0);
	assert_string_equal(list(a, &s, &p.release), "bcd");
	count(a, &s, "{'replicas':4,'lifecycle':{'inPlaceUpdate':{'markPodNotReady':true}}}");
	p = cloneset_scale(a, &s.spec, &s.st, &s.c, NULL);
	assert_int_equal(p.cancel.n, 0);
}

#define CLONESET                                                                                  \
	"{'apiVersion':'apps.kruise.io/v1alpha1','kind':'CloneSet','metadata':{'name':'web',"     \
	"'namespace':'ns','uid':'u1','resourceVersion':'5'},'spec':{'selector':{'matchLabels':"   \
	"{'app':'x'}},'volumeClaimTemplates':[{'metadata':{'name':'data','labels':{'l':'1'}},"    \
	"'spec':{'storageClassName':'s'},'status':{}}],'scaleStrategy':{'podsToDelete':['a','z'," \
	"'c']}}}"

/* covers: cloneset:P8 revisions:R9 */
static void a_new_pod(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val cloneset = js(a, CLONESET), pod, again;
	val template =
	    js(a, "{'$patch':'replace','metadata':{'creationTimestamp':null,'labels':"
		  "{'app':'x','controller-revision-hash':'user'},'annotations':{'k':'v'},"
		  "'finalizers':['f']},'spec':{'containers':[{'name':'a'}],'volumes':["
		  "{'name':'data','emptyDir':{}},{'name':'other','emptyDir':{}}],"
		  "'readinessGates':[{'conditionType':'mine'}],'unknown':7}}");
	val before = val_copy(a, &template);
	val want =
	    js(a, "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'web-abcde',"
		  "'namespace':'ns','labels':{'app':'x','controller-revision-hash':'web-77',"
		  "'pod-template-hash':'77','apps.kruise.io/cloneset-instance-id':'abcde',"
		  "'lifecycle.apps.kruise.io/state':'PreparingNormal'},'annotations':{'k':'v',"
		  "'lifecycle.apps.kruise.io/timestamp':'2027-01-15T08:00:00Z'},"
		  "'finalizers':['f'],'ownerReferences':[{'apiVersion':"
		  "'apps.kruise.io/v1alpha1','kind':'CloneSet','name':'web','uid':'u1',"
		  "'controller':true,'blockOwnerDeletion':true}]},'spec':{'containers':["
		  "{'name':'a'}],'volumes':[{'name':'data','persistentVolumeClaim':"
		  "{'claimName':'data-web-abcde'}},{'name':'other','emptyDir':{}}],"
		  "'readinessGates':[{'conditionType':'mine'},{'conditionType':"
		  "'InPlaceUpdateReady'}],'unknown':7}}");

	(void)state;
	assert_int_equal(cloneset_new_pod(a, &cloneset, &template, str_of("web-77"), "abcde", NOW,
					  false, &pod, NULL),
			 0);
	print_message("%s\n", json_str(a, &pod, 0));
	assert_true(val_equal(&pod, &want));
	assert_true(val_equal(&template, &before));
	/* the gate is not added twice; the short hash */
	template = pod;
	assert_int_equal(cloneset_new_pod(a, &cloneset, &template, str_of("web-77"), "bcdfg", NOW,
					  true, &again, NULL),
			 0);
	assert_int_equal(val_len(val_path(&again, "spec", "readinessGates", NULL)), 2);
	assert_true(
	    val_is(val_path(&again, "metadata", "labels", LABEL_REVISION_HASH, NULL), "77"));
	/* errors */
	assert_int_equal(
	    cloneset_new_pod(a, &cloneset, NULL, str_of("web-77"), "abcde", NOW, false, &pod, NULL),
	    -EINVAL);
	cloneset = js(a, "{'metadata':{'name':'web'}}");
	assert_int_equal(cloneset_new_pod(a, &cloneset, &template, str_of("web-77"), "abcde", NOW,
					  false, &pod, NULL),
			 -EINVAL);
}

/* covers: cloneset:P9 */
static void a_new_claim(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val cloneset = js(a, CLONESET), claim, odd = js(a, "{'metadata':{}}");
	const val *template = val_at(val_path(&cloneset, "spec", "volumeClaimTemplates", NULL), 0);
	val want = js(a, "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':"
			 "'data-web-abcde','namespace':'ns','labels':{'l':'1','app':'x',"
			 "'apps.kruise.io/cloneset-instance-id':'abcde'},'ownerReferences':[{"
			 "'apiVersion':'apps.kruise.io/v1alpha1','kind':'CloneSet','name':'web',"
			 "'uid':'u1','controller':true,'blockOwnerDeletion':true}]},'spec':{"
			 "'storageClassName':'s'}}");

	(void)state;
	assert_int_equal(cloneset_new_claim(a, &cloneset, template, "abcde", &claim, NULL), 0);
	assert_true(val_equal(&claim, &want));
	assert_int_equal(cloneset_new_claim(a, &cloneset, &odd, "abcde", &claim, NULL), -EINVAL);
}

/* covers: cloneset:P8 */
static void instance_ids(void **state)
{
	static const struct {
		const char *id;
		bool valid;
	} table[] = {{"bcdfg", true},  {"99999", true},	 {"bcdf", false}, {"bcdfgh", false},
		     {"abcde", false}, {"bcd-g", false}, {"", false},	  {"BCDFG", false}};
	char id[CLONESET_ID_LEN + 1], other[CLONESET_ID_LEN + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_int_equal(cloneset_instance_id_valid(str_of(table[i].id)), table[i].valid);
	assert_false(cloneset_instance_id_valid((struct str){"bcd\0g", 5}));
	for (uint64_t r = 1; r < 1000; r++) {
		cloneset_instance_id(r * UINT64_C(0x9e3779b97f4a7c15), id);
		cloneset_instance_id((r + 1) * UINT64_C(0x9e3779b97f4a7c15), other);
		assert_true(cloneset_instance_id_valid(str_of(id)));
		assert_string_not_equal(id, other);
	}
}

/* covers: cloneset:C12 cloneset:U1 cloneset:U9 */
static void small_patches(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val cloneset = js(a, CLONESET), patch, want;
	struct set s;

	(void)state;
	make(&s, 3, "x-new");
	count(a, &s, "{}");
	assert_true(cloneset_trim_pods_to_delete(a, &cloneset, &s.st, &patch));
	want = js(a, "{'metadata':{'resourceVersion':'5'},'spec':{'scaleStrategy':{'podsToDelete':"
		     "['a','c']}}}");
	assert_true(val_equal(&patch, &want));
	s.st.n = 0;
	assert_true(cloneset_trim_pods_to_delete(a, &cloneset, &s.st, &patch));
	assert_true(val_is_null(val_path(&patch, "spec", "scaleStrategy", "podsToDelete", NULL)));
	cloneset = js(a, "{'spec':{'scaleStrategy':{'podsToDelete':[]}}}");
	assert_false(cloneset_trim_pods_to_delete(a, &cloneset, &s.st, &patch));

	patch = cloneset_specified_delete_patch(a, str_of("u"));
	want =
	    js(a, "{'metadata':{'uid':'u','labels':{'apps.kruise.io/specified-delete':'true'}}}");
	assert_true(val_equal(&patch, &want));
	patch = cloneset_template_hash_patch(a, str_of("web-77"), str_of("u"));
	want = js(a, "{'metadata':{'uid':'u','labels':{'pod-template-hash':'77'}}}");
	assert_true(val_equal(&patch, &want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(which_pods_go), cmocka_unit_test(cancelling),
	    cmocka_unit_test(a_new_pod),     cmocka_unit_test(a_new_claim),
	    cmocka_unit_test(instance_ids),  cmocka_unit_test(small_patches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
