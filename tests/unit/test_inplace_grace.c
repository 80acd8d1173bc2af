/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kube/base64.h"
#include "kube/json.h"
#include "rules/inplace.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"
#include "tests/unit/smp.h"

#include <errno.h>

/* Whole updates of one pod, step by step: each patch is applied to the pod as the API server would,
 * containers restart when the test says so. */

struct run {
	arena *a;
	val pod;
	int64_t now;
};

#define POD                                                                                 \
	"{'metadata':{'name':'p','uid':'u','resourceVersion':'7','labels':{"                \
	"'controller-revision-hash':'web-1','keep':'me'}},'spec':{'readinessGates':["       \
	"{'conditionType':'InPlaceUpdateReady'}],'containers':[{'name':'a','image':'x:1'}," \
	"{'name':'b','image':'y:1'}]},'status':{'containerStatuses':["                      \
	"{'name':'a','image':'x:1','imageID':'x1','ready':true},"                           \
	"{'name':'b','image':'y:1','imageID':'y1','ready':true}]}}"

static val revision(arena *a, const char *x, const char *y, const char *labels)
{
	return js(a, arena_printf(a,
				  "{'data':{'spec':{'template':{'metadata':{'labels':{%s}},'spec':{"
				  "'containers':[{'name':'a','image':'%s'},{'name':'b','image':'%s'"
				  "}]}}}}}",
				  labels, x, y));
}

static void update(struct run *r, const char *name, val from, val to, int32_t grace)
{
	struct inplace_spec spec;
	val patch;
	const struct inplace_update u = {.pod = &r->pod,
					 .spec = &spec,
					 .revision = str_of(name),
					 .set_lifecycle = true,
					 .grace_seconds = grace,
					 .now = r->now};

	inplace_spec_from(r->a, &from, &to, &(struct inplace_options){0}, &spec);
	assert_true(spec.possible);
	assert_int_equal(inplace_update_patch(r->a, &u, &patch, NULL), 0);
	smp_apply(r->a, &r->pod, &patch);
}

static struct pod_view look(struct run *r)
{
	struct pod_view v;

	pod_view_from(&r->pod, &v);
	v.active = true;
	return v;
}

static void expect(struct run *r, enum inplace_verdict verdict, enum inplace_refresh what)
{
	struct pod_view v = look(r);

	assert_int_equal(v.inplace, verdict);
	assert_int_equal(inplace_refresh(&v, r->now), what);
	pod_view_free(&v);
}

static void end_grace(struct run *r)
{
	val patch;

	assert_int_equal(inplace_grace_end_patch(r->a, &r->pod, r->now, &patch, NULL), 0);
	smp_apply(r->a, &r->pod, &patch);
}

static void expect_image(struct run *r, const char *container, const char *image)
{
	const val *c =
	    val_find(val_path(&r->pod, "spec", "containers", NULL), "name", str_of(container));

	assert_true(val_is(val_get(c, "image"), image));
}

static const val *annotation(struct run *r, const char *key)
{
	return val_path(&r->pod, "metadata", "annotations", key, NULL);
}

static const val *label(struct run *r, const char *key)
{
	return val_path(&r->pod, "metadata", "labels", key, NULL);
}

static val state_of(struct run *r)
{
	struct str s = val_str(annotation(r, ANNO_INPLACE_STATE));
	val v;

	assert_int_equal(json_parse(r->a, s.p, s.n, &v, NULL), 0);
	return v;
}

/* The container runs what its spec says. */
static void restart(struct run *r, const char *container, const char *image_id)
{
	val *status = val_path_mut(&r->pod, "status", "containerStatuses", NULL);
	const val *c =
	    val_find(val_path(&r->pod, "spec", "containers", NULL), "name", str_of(container));

	for (size_t i = 0; i < val_len(status); i++) {
		val *s = val_at_mut(status, i);

		if (!val_is(val_get(s, "name"), container))
			continue;
		val_set(r->a, s, "image", *val_get(c, "image"));
		val_set(r->a, s, "imageID", val_of_str(image_id));
	}
}

static struct run begin(arena *a)
{
	struct run r = {.a = a, .pod = js(a, POD), .now = NOW};

	return r;
}

/* covers: inplace:R9 inplace:R13 inplace:S8 */
static void nothing_but_labels_until_it_ends(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf patch = {0};
	struct run r = begin(a);
	struct pod_view v;
	val grace, text, st;

	(void)state;
	update(&r, "web-2", revision(a, "x:1", "y:1", "'l':'1','gone':'1'"),
	       revision(a, "x:2", "y:1", "'l':'2'"), 5);
	expect_image(&r, "a", "x:1");
	assert_null(label(&r, "l"));
	assert_true(val_is(label(&r, "controller-revision-hash"), "web-2"));
	assert_true(val_is(label(&r, LABEL_LIFECYCLE_STATE), "Updating"));
	expect(&r, INPLACE_GRACE, INPLACE_KEEP);
	v = look(&r);
	assert_int_equal(inplace_grace_left(&v, NOW), 5);
	assert_int_equal(inplace_grace_left(&v, NOW + 5), 0);
	pod_view_free(&v);

	/* what the other manager would read */
	text = *annotation(&r, ANNO_INPLACE_GRACE);
	assert_int_equal(json_parse(a, val_str(&text).p, val_str(&text).n, &grace, NULL), 0);
	assert_true(val_is(val_get(&grace, "revision"), "web-2"));
	assert_int_equal(val_int_or(val_get(&grace, "graceSeconds"), 0), 5);
	assert_true(val_is(val_path(&grace, "containerImages", "a", NULL), "x:2"));
	text = *val_get(&grace, "metaDataPatch");
	assert_true(base64_decode(&patch, val_str(&text).p, val_str(&text).n));
	assert_string_equal(buf_str(&patch),
			    "{\"metadata\":{\"labels\":{\"gone\":null,\"l\":\"2\"}}}");
	st = state_of(&r);
	assert_null(val_get(&st, "containerBatchesRecord"));

	r.now = NOW + 5;
	expect(&r, INPLACE_GRACE, INPLACE_END_GRACE);
	end_grace(&r);
	expect_image(&r, "a", "x:2");
	expect_image(&r, "b", "y:1");
	assert_true(val_is(label(&r, "l"), "2"));
	assert_true(val_is(label(&r, "keep"), "me"));
	assert_null(annotation(&r, ANNO_INPLACE_GRACE));
	st = state_of(&r);
	assert_int_equal(val_len(val_get(&st, "containerBatchesRecord")), 1);
	expect(&r, INPLACE_WAITING, INPLACE_KEEP);
	restart(&r, "a", "x2");
	expect(&r, INPLACE_COMPLETE, INPLACE_SET_READY);
}

/* covers: inplace:S9 cloneset:F5 */
static void rolled_back_in_time(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	struct run r = begin(a);
	val one = revision(a, "x:1", "y:1", "'l':'1'"), two = revision(a, "x:2", "y:1", "'n':'2'");

	(void)state;
	update(&r, "web-2", one, two, 5);
	update(&r, "web-1", two, one, 5);
	assert_null(annotation(&r, ANNO_INPLACE_GRACE));
	expect_image(&r, "a", "x:1");
	assert_null(label(&r, "n"));
	assert_true(val_is(label(&r, "l"), "1"));
	expect(&r, INPLACE_COMPLETE, INPLACE_SET_READY);
}

/* A third revision within the grace period: what waited joins it, and it has one of its own. */
static void another_update_in_time(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	struct run r = begin(a);
	val one = revision(a, "x:1", "y:1", "'l':'1'");
	val two = revision(a, "x:2", "y:1", "'l':'2','n':'2'");
	val three = revision(a, "x:2", "y:3", "'l':'3','n':'2'");

	(void)state;
	update(&r, "web-2", one, two, 5);
	r.now = NOW + 2;
	update(&r, "web-3", two, three, 5);
	r.now = NOW + 6;
	expect(&r, INPLACE_GRACE, INPLACE_KEEP);
	r.now = NOW + 7;
	expect(&r, INPLACE_GRACE, INPLACE_END_GRACE);
	end_grace(&r);
	expect_image(&r, "a", "x:2");
	expect_image(&r, "b", "y:3");
	assert_true(val_is(label(&r, "l"), "3"));
	assert_true(val_is(label(&r, "n"), "2"));
	restart(&r, "a", "x2");
	expect(&r, INPLACE_WAITING, INPLACE_KEEP);
	restart(&r, "b", "y3");
	expect(&r, INPLACE_COMPLETE, INPLACE_SET_READY);
}

/* covers: inplace:F6 */
static void an_update_on_top_of_one_that_waits(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	struct run r = begin(a);
	val one = revision(a, "x:1", "y:1", ""), two = revision(a, "x:2", "y:1", "");
	val three = revision(a, "x:2", "y:2", ""), st;

	(void)state;
	update(&r, "web-2", one, two, 0);
	/* kubelet has not come to it: the next one starts its grace period */
	update(&r, "web-3", two, three, 5);
	st = state_of(&r);
	assert_true(val_is(val_path(&st, "lastContainerStatuses", "a", "imageID", NULL), "x1"));
	r.now = NOW + 5;
	end_grace(&r);
	restart(&r, "b", "y2");
	expect(&r, INPLACE_WAITING, INPLACE_KEEP);
	restart(&r, "a", "x2");
	expect(&r, INPLACE_COMPLETE, INPLACE_SET_READY);

	/* back before anything has run: what really runs is the old image */
	r = begin(a);
	update(&r, "web-2", one, two, 0);
	update(&r, "web-4", two, revision(a, "x:3", "y:1", ""), 0);
	st = state_of(&r);
	assert_true(val_is(val_path(&st, "lastContainerStatuses", "a", "imageID", NULL), "x1"));
	restart(&r, "a", "x3");
	expect(&r, INPLACE_COMPLETE, INPLACE_SET_READY);
}

/* Somebody else has given the pod another revision. */
static void of_another_revision(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	struct run r = begin(a);
	val patch;

	(void)state;
	update(&r, "web-2", revision(a, "x:1", "y:1", ""), revision(a, "x:2", "y:1", ""), 5);
	val_set(a, val_path_mut(&r.pod, "metadata", "labels", NULL), "controller-revision-hash",
		val_of_str("web-1"));
	expect(&r, INPLACE_GRACE_STALE, INPLACE_DROP_GRACE);
	patch = inplace_grace_drop_patch(a, &r.pod);
	smp_apply(a, &r.pod, &patch);
	assert_null(annotation(&r, ANNO_INPLACE_GRACE));
	expect_image(&r, "a", "x:1");
	expect(&r, INPLACE_COMPLETE, INPLACE_SET_READY);
}

/* The text with " for ' */
static val quoted(arena *a, const char *text)
{
	char *s = arena_printf(a, "%s", text);

	for (char *p = s; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	return val_of_str(s);
}

/* Annotations as others leave them. */
static void found_on_a_pod(void **state)
{
	static const struct {
		const char *grace, *state;
		enum inplace_verdict verdict;
		bool applies;
	} table[] = {
	    {"{'revision':'web-1','containerImages':{'a':'x:2'},'graceSeconds':9}",
	     "{'updateTimestamp':'2027-01-15T08:00:00Z'}", INPLACE_GRACE, true},
	    /* without a state: at once */
	    {"{'revision':'web-1','containerImages':{'a':'x:2'},'graceSeconds':9}", NULL,
	     INPLACE_GRACE, true},
	    {"{'revision':'web-1','containerImages':{'gone':'x:2'}}", NULL, INPLACE_GRACE, false},
	    {"{'revision':'web-2'}", NULL, INPLACE_GRACE_STALE, true},
	    {"{", NULL, INPLACE_BROKEN, false},
	    {"[]", NULL, INPLACE_BROKEN, false},
	    {"{'revision':'web-1','containerImages':{'a':1}}", NULL, INPLACE_BROKEN, false},
	    {"{'revision':'web-1','containerRefMetadata':[]}", NULL, INPLACE_BROKEN, false},
	    {"{'revision':'web-1','metaDataPatch':'!'}", NULL, INPLACE_BROKEN, false},
	    {"{'revision':'web-1','metaDataPatch':'e30='}", NULL, INPLACE_GRACE, true},
	    {"", NULL, INPLACE_NONE, false},
	};
	static const char *const keys[] = {ANNO_INPLACE_GRACE, ANNO_INPLACE_GRACE_OLD};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct run r = begin(a);
		val *annotations =
		    val_ensure_map(a, val_get_mut(&r.pod, "metadata"), "annotations");
		val patch;

		print_message("%s\n", table[i / 2].grace);
		val_set(a, annotations, keys[i % 2], quoted(a, table[i / 2].grace));
		if (table[i / 2].state)
			val_set(a, annotations, ANNO_INPLACE_STATE, quoted(a, table[i / 2].state));
		assert_int_equal(inplace_check(&r.pod, NULL, NULL, 0), table[i / 2].verdict);
		assert_int_equal(inplace_grace_end_patch(a, &r.pod, NOW, &patch, NULL) == 0,
				 table[i / 2].applies);
		if (!table[i / 2].applies)
			continue;
		smp_apply(a, &r.pod, &patch);
		assert_null(annotation(&r, keys[i % 2]));
		assert_int_not_equal(inplace_check(&r.pod, NULL, NULL, 0), INPLACE_BROKEN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_but_labels_until_it_ends),
	    cmocka_unit_test(rolled_back_in_time),
	    cmocka_unit_test(another_update_in_time),
	    cmocka_unit_test(an_update_on_top_of_one_that_waits),
	    cmocka_unit_test(of_another_revision),
	    cmocka_unit_test(found_on_a_pod),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
