/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/inplace.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"
#include "tests/unit/smp.h"

#include <errno.h>

#define C(name, rest) "{'name':'" name "'" rest "}"
#define IMG(name, image) C(name, ",'image':'" image "'")
#define SPEC(containers) "{'spec':{'containers':[" containers "]}}"
#define META(meta) "{'metadata':{" meta "},'spec':{'containers':[" IMG("a", "x:1") "]}}"

/* A ControllerRevision that holds the template. */
static val revision(arena *a, const char *template)
{
	val r = val_map(), t = js(a, template);

	val_set(a, val_ensure_map(a, val_ensure_map(a, &r, "data"), "spec"), "template", t);
	return r;
}

static const struct inplace_options no_options;

/* covers: inplace:R1 inplace:R2 inplace:R4 inplace:S18 inplace:S19 */
static void when_possible(void **state)
{
	static const struct {
		const char *old, *new, *why, *images, *metadata;
	} table[] = {
	    {SPEC(IMG("a", "x:1")), SPEC(IMG("a", "x:2")), NULL, "a=x:2 ", "{}"},
	    {SPEC(IMG("a", "x:1") "," IMG("b", "y:1")), SPEC(IMG("a", "x:2") "," IMG("b", "y:2")),
	     NULL, "a=x:2 b=y:2 ", "{}"},
	    {SPEC(IMG("a", "x:1")), SPEC(IMG("a", "x:1")), NULL, "", "{}"},
	    {META("'labels':{'l':'1','gone':'1'}"), META("'labels':{'l':'2','new':'3'}"), NULL, "",
	     "{'labels':{'gone':null,'l':'2','new':'3'}}"},
	    {META("'annotations':{'a':'1'}"), META("'creationTimestamp':null"), NULL, "",
	     "{'annotations':{'a':null}}"},
	    {META("'finalizers':['f1','f2']"), META("'finalizers':['f2','f3']"), NULL, "",
	     "{'$deleteFromPrimitiveList/finalizers':['f1'],'finalizers':['f3']}"},
	    /* what Go adds or leaves out is no difference */
	    {SPEC(C("a", ",'image':'x:1','resources':{},'env':[]")), SPEC(IMG("a", "x:2")), NULL,
	     "a=x:2 ", "{}"},
	    {SPEC(IMG("a", "x:1")), SPEC(C("a", ",'image':'x:2','env':[{'name':'k'}]")),
	     "template.spec.containers[0].env", NULL, NULL},
	    {SPEC(IMG("a", "x:1")), SPEC(IMG("b", "x:1")), "template.spec.containers[0].name", NULL,
	     NULL},
	    {SPEC(IMG("a", "x:1")), SPEC(IMG("a", "x:1") "," IMG("b", "y:1")),
	     "template.spec.containers", NULL, NULL},
	    {SPEC(IMG("a", "x:1")), SPEC(C("a", "")), "template.spec.containers[0].image", NULL,
	     NULL},
	    {SPEC(IMG("a", "x:1")),
	     "{'spec':{'containers':[" IMG("a", "x:1") "],'hostNetwork':true}}",
	     "template.spec.hostNetwork", NULL, NULL},
	    {"{'spec':{'containers':[],'initContainers':[" IMG("i", "x:1") "]}}",
	     "{'spec':{'containers':[],'initContainers':[" IMG("i", "x:2") "]}}",
	     "template.spec.initContainers[0].image", NULL, NULL},
	    {SPEC(C("a", ",'image':'x:1','resources':{'limits':{'cpu':'1'}}")),
	     SPEC(C("a", ",'image':'x:1','resources':{'limits':{'cpu':'2'}}")),
	     "template.spec.containers[0].resources.limits.cpu", NULL, NULL},
	    {"null", SPEC(IMG("a", "x:1")), "the old revision is unknown", NULL, NULL},
	    {SPEC(IMG("a", "x:1")), "7", "the new revision is unknown", NULL, NULL},
	    {"{'spec':{'containers':7}}", "{'spec':{'containers':8}}", "template.spec.containers",
	     NULL, NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		_cleanup_buf_ struct buf images = {0};
		val old = revision(a, table[i].old), new = revision(a, table[i].new), want;
		struct inplace_spec s;

		print_message("%s -> %s\n", table[i].old, table[i].new);
		inplace_spec_from(a, &old, &new, &no_options, &s);
		assert_int_equal(s.possible, !table[i].why);
		if (table[i].why) {
			assert_non_null(strstr(s.why_not, table[i].why));
			continue;
		}
		for (size_t k = 0; k < s.n_images; k++)
			buf_printf(&images, "%.*s=%.*s ", STR_ARG(s.images[k].container),
				   STR_ARG(s.images[k].image));
		assert_string_equal(buf_str(&images), table[i].images);
		assert_int_equal(inplace_restarts(&new, &s), *table[i].images != '\0');
		want = js(a, table[i].metadata);
		assert_true(val_equal(&s.metadata, &want));
	}
}

/* Pod with containers a (priority from the webhook or none) and b; both run version 1. */
#define BARRIER(key)                                                                             \
	",'env':[{'name':'KRUISE_CONTAINER_BARRIER','valueFrom':{'configMapKeyRef':{'key':'" key \
	"'}}}]"
#define POD(a, b, annotations)                                                                \
	"{'metadata':{'name':'p','uid':'u','resourceVersion':'7','annotations':{" annotations \
	"}},'spec':{'readinessGates':[{'conditionType':'InPlaceUpdateReady'}],'containers':[" \
	"{'name':'a','image':'x:1'" a "},{'name':'b','image':'y:1'" b "}]},'status':{"        \
	"'containerStatuses':[{'name':'a','image':'x:1','imageID':'x1','ready':true},"        \
	"{'name':'b','image':'y:1','imageID':'y1','ready':true}]}}"

static int start(arena *a, const val *pod, const char *old, const char *new, val *patch)
{
	val from = revision(a, old), to = revision(a, new);
	struct inplace_spec *spec = arena_alloc(a, sizeof(*spec));
	struct inplace_update u = {
	    .pod = pod,
	    .spec = spec,
	    .revision = str_of("web-77"),
	    .template_hash = true,
	    .set_lifecycle = true,
	    .now = NOW,
	};

	inplace_spec_from(a, &from, &to, &no_options, spec);
	assert_true(spec->possible);
	return inplace_update_patch(a, &u, patch, NULL);
}

static struct str state_text(const val *object)
{
	return val_str(val_path(object, "metadata", "annotations", ANNO_INPLACE_STATE, NULL));
}

#define T "2027-01-15T08:00:00Z"

/* covers: inplace:R7 inplace:R8 inplace:R10 inplace:R11 */
/* The annotation's exact bytes. */
static void the_state_annotation(void **state)
{
	static const struct {
		const char *pod, *old, *new, *text;
	} table[] = {
	    {POD("", "", ""), SPEC(IMG("a", "x:1") "," IMG("b", "y:1")),
	     SPEC(IMG("a", "x:1") "," IMG("b", "y:2")),
	     "{\"revision\":\"web-77\",\"updateTimestamp\":\"" T
	     "\",\"lastContainerStatuses\":{\"b\":{\"imageID\":\"y1\"}},"
	     "\"containerBatchesRecord\":[{\"timestamp\":\"" T "\",\"containers\":[\"b\"]}]}"},
	    /* without priorities both at once */
	    {POD("", "", ""), SPEC(IMG("b", "y:1") "," IMG("a", "x:1")),
	     SPEC(IMG("b", "y:2") "," IMG("a", "x:2")),
	     "{\"revision\":\"web-77\",\"updateTimestamp\":\"" T
	     "\",\"lastContainerStatuses\":{\"a\":{\"imageID\":\"x1\"},\"b\":{\"imageID\":"
	     "\"y1\"}},\"containerBatchesRecord\":[{\"timestamp\":\"" T
	     "\",\"containers\":[\"a\",\"b\"]}]}"},
	    /* negative priorities, and one without */
	    {POD(BARRIER("p_-1"), BARRIER("p_0"), ""), SPEC(IMG("a", "x:1") "," IMG("b", "y:1")),
	     SPEC(IMG("a", "x:2") "," IMG("b", "y:2")),
	     "{\"revision\":\"web-77\",\"updateTimestamp\":\"" T
	     "\",\"lastContainerStatuses\":{\"b\":{\"imageID\":\"y1\"}},"
	     "\"nextContainerImages\":{\"a\":\"x:2\"},\"preCheckBeforeNext\":{"
	     "\"containersRequiredReady\":[\"b\"]},\"containerBatchesRecord\":[{\"timestamp\":\"" T
	     "\",\"containers\":[\"b\"]}]}"},
	    {POD(BARRIER("p_-1"), "", ""), SPEC(IMG("a", "x:1") "," IMG("b", "y:1")),
	     SPEC(IMG("a", "x:2") "," IMG("b", "y:2")),
	     "{\"revision\":\"web-77\",\"updateTimestamp\":\"" T
	     "\",\"lastContainerStatuses\":{\"a\":{\"imageID\":\"x1\"},\"b\":{\"imageID\":"
	     "\"y1\"}},\"containerBatchesRecord\":[{\"timestamp\":\"" T
	     "\",\"containers\":[\"a\",\"b\"]}]}"},
	    /* only those that change count */
	    {POD(BARRIER("p_5"), BARRIER("p_1"), ""), SPEC(IMG("a", "x:1") "," IMG("b", "y:1")),
	     SPEC(IMG("a", "x:1") "," IMG("b", "y:2")),
	     "{\"revision\":\"web-77\",\"updateTimestamp\":\"" T
	     "\",\"lastContainerStatuses\":{\"b\":{\"imageID\":\"y1\"}},"
	     "\"containerBatchesRecord\":[{\"timestamp\":\"" T "\",\"containers\":[\"b\"]}]}"},
	    {POD("", "", ""), META("'labels':{'l':'1'}"), META("'labels':{'l':'<2>'}"),
	     "{\"revision\":\"web-77\",\"updateTimestamp\":\"" T
	     "\",\"lastContainerStatuses\":null,\"containerBatchesRecord\":[{\"timestamp\":\"" T
	     "\",\"containers\":[]}]}"},
	    /* an update on top of an unfinished one: a was to go to x:5 in the next batch; b runs
	     * what its spec says, so it is not waited for */
	    {POD("", "",
		 "'apps.kruise.io/inplace-update-state':'{\\'lastContainerStatuses\\':{\\'b\\':{"
		 "\\'imageID\\':\\'y1\\'}},\\'nextContainerImages\\':{\\'a\\':\\'x:5\\'}}'"),
	     META("'labels':{'l':'1'}"), META("'labels':{'l':'2'}"),
	     "{\"revision\":\"web-77\",\"updateTimestamp\":\"" T
	     "\",\"lastContainerStatuses\":{\"a\":{\"imageID\":\"x1\"}},"
	     "\"containerBatchesRecord\":[{\"timestamp\":\"" T "\",\"containers\":[\"a\"]}]}"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val pod = js(a, table[i].pod), patch;
		struct str text;

		assert_int_equal(start(a, &pod, table[i].old, table[i].new, &patch), 0);
		text = state_text(&patch);
		assert_string_equal(arena_strndup(a, text.p, text.n), table[i].text);
		assert_true(val_is(val_path(&patch, "metadata", "resourceVersion", NULL), "7"));
		assert_true(val_is(val_path(&patch, "metadata", "uid", NULL), "u"));
		assert_true(val_is(
		    val_path(&patch, "metadata", "labels", LABEL_REVISION_HASH, NULL), "web-77"));
		assert_true(val_is(
		    val_path(&patch, "metadata", "labels", LABEL_TEMPLATE_HASH, NULL), "77"));
		assert_true(
		    val_is(val_path(&patch, "metadata", "labels", LABEL_LIFECYCLE_STATE, NULL),
			   "Updating"));
	}
}

/* covers: inplace:L3 inplace:F6 inplace:R16 */
/* The imageID that is recorded is the one that runs, when a second update comes before the first is
 * done; the container of the first is still waited for. */
static void an_update_on_top(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod = js(a, POD("", "", "")), patch, annotation;
	char why[100];

	(void)state;
	assert_int_equal(start(a, &pod, SPEC(IMG("a", "x:1") "," IMG("b", "y:1")),
			       SPEC(IMG("a", "x:2") "," IMG("b", "y:1")), &patch),
			 0);
	smp_apply(a, &pod, &patch);
	assert_int_equal(inplace_check(&pod, NULL, why, sizeof(why)), INPLACE_WAITING);
	assert_string_equal(why, "container a does not run image x:2 yet");
	assert_int_equal(start(a, &pod, SPEC(IMG("a", "x:2") "," IMG("b", "y:1")),
			       SPEC(IMG("a", "x:2") "," IMG("b", "y:2")), &patch),
			 0);
	smp_apply(a, &pod, &patch);
	assert_int_equal(json_parse(a, state_text(&pod).p, state_text(&pod).n, &annotation, NULL),
			 0);
	assert_true(
	    val_is(val_path(&annotation, "lastContainerStatuses", "a", "imageID", NULL), "x1"));
	assert_true(
	    val_is(val_path(&annotation, "lastContainerStatuses", "b", "imageID", NULL), "y1"));
	assert_int_equal(inplace_check(&pod, NULL, NULL, 0), INPLACE_WAITING);
	/* kubelet catches up with b, then with a */
	val_set(a, val_at_mut(val_path_mut(&pod, "status", "containerStatuses", NULL), 1),
		"imageID", val_of_str("y2"));
	assert_int_equal(inplace_check(&pod, NULL, NULL, 0), INPLACE_WAITING);
	val_set(a, val_at_mut(val_path_mut(&pod, "status", "containerStatuses", NULL), 0),
		"imageID", val_of_str("x2"));
	assert_int_equal(inplace_check(&pod, NULL, NULL, 0), INPLACE_COMPLETE);
}

/* covers: inplace:R8 inplace:S20 */
static void odd_updates(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod = js(a, "{'metadata':{'uid':'u','annotations':{'inplace-update-state':'{}',"
			"'apps.kruise.io/inplace-update-grace':'{}'}},'spec':{'containers':["
			"{'name':'a','image':'x:1'}]}}"),
	    patch;
	struct inplace_spec spec = {.possible = true, .metadata = val_map()};
	struct inplace_update u = {.pod = &pod,
				   .spec = &spec,
				   .revision = str_of("web-77"),
				   .short_hash = true,
				   .grace_seconds = 5,
				   .now = NOW};

	(void)state;
	/* the pod lacks a container */
	assert_int_equal(start(a, &pod, SPEC(IMG("b", "x:1")), SPEC(IMG("b", "x:2")), &patch),
			 -EINVAL);
	/* nothing restarts, so that there is nothing to wait for */
	assert_int_equal(inplace_update_patch(a, &u, &patch, NULL), 0);
	assert_true(
	    val_is(val_path(&patch, "metadata", "labels", LABEL_REVISION_HASH, NULL), "77"));
	assert_null(val_path(&patch, "metadata", "labels", LABEL_TEMPLATE_HASH, NULL));
	assert_null(val_path(&patch, "metadata", "labels", LABEL_LIFECYCLE_STATE, NULL));
	/* the older key and a left-over grace period go */
	assert_non_null(val_path(&patch, "metadata", "annotations", ANNO_INPLACE_STATE_OLD, NULL));
	assert_true(
	    val_is_null(val_path(&patch, "metadata", "annotations", ANNO_INPLACE_STATE_OLD, NULL)));
	assert_true(
	    val_is_null(val_path(&patch, "metadata", "annotations", ANNO_INPLACE_GRACE, NULL)));
	/* without readiness gate there is nothing to turn false first */
	assert_false(inplace_needs_not_ready(&pod));
}

#define STATUS(image, id) "[{'name':'a','image':'" image "','imageID':'" id "','ready':true}]"

/* covers: inplace:R8 inplace:R12 inplace:R13 inplace:R16 inplace:F2 inplace:F3 inplace:F4
 * inplace:F5 */
static void completion(void **state)
{
	static const struct {
		const char *annotation, *image, *statuses;
		enum inplace_verdict verdict;
	} table[] = {
	    {"{'lastContainerStatuses':null}", "x:1", "[]", INPLACE_COMPLETE},
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}}}", "x:2", STATUS("x:2", "2"),
	     INPLACE_COMPLETE},
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}}}", "x:2", STATUS("x:1", "1"),
	     INPLACE_WAITING},
	    /* another name of the same content (F2), and :latest */
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}}}", "x:2", STATUS("x:2", "1"),
	     INPLACE_COMPLETE},
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}}}", "h:5000/x",
	     STATUS("h:5000/x:latest", "1"), INPLACE_COMPLETE},
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}}}", "x:2", STATUS("x:2:latest", "1"),
	     INPLACE_WAITING},
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}}}", "x@d", STATUS("x@d:latest", "1"),
	     INPLACE_WAITING},
	    /* nothing runs yet, or the status is missing (F4) */
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}}}", "x:2", STATUS("x:2", ""),
	     INPLACE_WAITING},
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}}}", "x:2", "[]", INPLACE_WAITING},
	    {"{'lastContainerStatuses':{'a':{}}}", "x:2", "7", INPLACE_WAITING},
	    /* batches */
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}},'nextContainerImages':{'b':'y'}}",
	     "x:2", STATUS("x:2", "2"), INPLACE_NEXT_BATCH},
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}},'nextContainerImages':{'b':'y'},"
	     "'preCheckBeforeNext':{'containersRequiredReady':['a']}}",
	     "x:2", STATUS("x:2", "2"), INPLACE_NEXT_BATCH},
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}},'nextContainerImages':{'b':'y'},"
	     "'preCheckBeforeNext':{'containersRequiredReady':['a']}}",
	     "x:2", "[{'name':'a','imageID':'2','ready':false}]", INPLACE_WAITING},
	    {"{'lastContainerStatuses':{'a':{'imageID':'1'}},'nextContainerImages':{'b':'y'}}",
	     "x:2", STATUS("x:1", "1"), INPLACE_WAITING},
	    /* F3 */
	    {"{'nextContainerResources':{'a':{}}}", "x:2", "[]", INPLACE_NEXT_BATCH},
	    {"{'nextContainerImages':{},'nextContainerRefMetadata':{}}", "x:2", "[]",
	     INPLACE_COMPLETE},
	    /* broken (F5) */
	    {"{", "x:2", "[]", INPLACE_BROKEN},
	    {"", "x:2", "[]", INPLACE_BROKEN},
	    {"[]", "x:2", "[]", INPLACE_BROKEN},
	    {"{'lastContainerStatuses':{'a':'1'}}", "x:2", "[]", INPLACE_BROKEN},
	    {"{'nextContainerImages':{'a':1}}", "x:2", "[]", INPLACE_BROKEN},
	    {"{'containerBatchesRecord':{}}", "x:2", "[]", INPLACE_BROKEN},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val pod =
		    js(a, "{'metadata':{'annotations':{}},'spec':{'containers':[{'name':'a'}]},"
			  "'status':{}}");
		char *text = arena_printf(a, "%s", table[i].annotation);
		struct pod_view v;
		char why[100];

		print_message("%s\n", table[i].annotation);
		for (char *p = text; *p; p++)
			*p = *p == '\'' ? '"' : *p;
		val_set(a, val_path_mut(&pod, "metadata", "annotations", NULL), ANNO_INPLACE_STATE,
			val_of_str(text));
		val_set(a, val_at_mut(val_path_mut(&pod, "spec", "containers", NULL), 0), "image",
			val_of_str(table[i].image));
		val_set(a, val_get_mut(&pod, "status"), "containerStatuses",
			js(a, table[i].statuses));
		assert_int_equal(inplace_check(&pod, NULL, why, sizeof(why)), table[i].verdict);
		assert_int_equal(*why == '\0', table[i].verdict == INPLACE_COMPLETE ||
						   table[i].verdict == INPLACE_NEXT_BATCH);
		pod_view_from(&pod, &v);
		assert_int_equal(v.inplace, table[i].verdict);
		assert_true(v.has_inplace_state);
		pod_view_free(&v);
	}
}

/* covers: inplace:F3 */
/* Ref metadata and resources that a manager with more features has left: applied, or dropped, not
 * stuck. */
static void foreign_next_batch(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod =
		js(a, "{'metadata':{'uid':'u','annotations':{'apps.kruise.io/inplace-update-state':"
		      "'{\\'future\\':1,\\'nextContainerRefMetadata\\':{\\'a\\':{\\'labels\\':{"
		      "\\'l\\':\\'v\\'}}},\\'nextContainerResources\\':{\\'a\\':{}}}'}}}"),
	    patch, none = val_map();

	(void)state;
	assert_int_equal(inplace_next_batch_patch(a, &none, NOW, &patch, NULL), -EINVAL);
	assert_int_equal(inplace_next_batch_patch(a, &pod, NOW, &patch, NULL), 0);
	assert_true(val_is(val_path(&patch, "metadata", "labels", "l", NULL), "v"));
	smp_apply(a, &pod, &patch);
	assert_int_equal(inplace_check(&pod, NULL, NULL, 0), INPLACE_COMPLETE);
	assert_non_null(
	    strstr(arena_strndup(a, state_text(&pod).p, state_text(&pod).n), "\"future\":1}"));
}

/* covers: inplace:R13 inplace:F4 inplace:F5 inplace:F7 cloneset:F7 */
static void refresh(void **state)
{
	static const struct {
		bool active, gate;
		enum pod_condition condition;
		enum inplace_verdict verdict;
		enum inplace_refresh want;
	} table[] = {
	    {true, true, COND_ABSENT, INPLACE_NONE, INPLACE_SET_READY},
	    {true, true, COND_FALSE, INPLACE_GRACE_STALE, INPLACE_DROP_GRACE},
	    {false, true, COND_FALSE, INPLACE_GRACE_STALE, INPLACE_KEEP},
	    {true, true, COND_TRUE, INPLACE_NONE, INPLACE_KEEP},
	    {true, false, COND_ABSENT, INPLACE_NONE, INPLACE_KEEP},
	    {true, true, COND_FALSE, INPLACE_COMPLETE, INPLACE_SET_READY},
	    {true, true, COND_FALSE, INPLACE_NONE, INPLACE_SET_READY}, /* died between R6 and R7 */
	    {true, true, COND_FALSE, INPLACE_WAITING, INPLACE_KEEP},
	    {true, true, COND_FALSE, INPLACE_GRACE, INPLACE_KEEP},
	    {true, true, COND_FALSE, INPLACE_NEXT_BATCH, INPLACE_WRITE_NEXT},
	    {true, false, COND_ABSENT, INPLACE_NEXT_BATCH, INPLACE_WRITE_NEXT},
	    {true, true, COND_FALSE, INPLACE_BROKEN, INPLACE_REPORT},
	    {false, true, COND_FALSE, INPLACE_COMPLETE, INPLACE_KEEP}, /* F7 */
	    {false, true, COND_FALSE, INPLACE_NEXT_BATCH, INPLACE_KEEP},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct pod_view v = a_pod("p", "r");

		v.active = table[i].active;
		v.gate_inplace = table[i].gate;
		v.cond_inplace = table[i].condition;
		v.inplace = table[i].verdict;
		v.grace_end = NOW + 3;
		assert_int_equal(inplace_refresh(&v, NOW), table[i].want);
		v.grace_end = NOW;
		if (v.active && v.inplace == INPLACE_GRACE)
			assert_int_equal(inplace_refresh(&v, NOW), INPLACE_END_GRACE);
	}
}

static const val *condition_in(const val *patch, const char *type)
{
	return val_find(val_path(patch, "status", "conditions", NULL), "type", str_of(type));
}

/* covers: inplace:R6 inplace:F1 */
/* Ready is only turned false where kubelet would have said True. */
static void not_ready_patches(void **state)
{
	static const struct {
		const char *conditions;
		const char *message; /* NULL: Ready is left alone */
		bool new_time;
	} table[] = {
	    {"[{'type':'Ready','status':'True'},{'type':'ContainersReady','status':'True'}]",
	     "the status of pod readiness gate \"InPlaceUpdateReady\" is not \"True\", but False, "
	     "corresponding condition of pod readiness gate \"Other\" does not exist.",
	     true},
	    {"[{'type':'Ready','status':'False'},{'type':'ContainersReady','status':'True'},"
	     "{'type':'Other','status':'True'},{'type':'InPlaceUpdateReady','status':'True'}]",
	     "the status of pod readiness gate \"InPlaceUpdateReady\" is not \"True\", but False",
	     false},
	    {"[{'type':'Ready','status':'False'},{'type':'ContainersReady','status':'False'}]",
	     NULL, false},
	    {"[]", NULL, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val pod = js(
			a,
			"{'metadata':{'uid':'u','resourceVersion':'7'},'spec':{'readinessGates':["
			"{'conditionType':'InPlaceUpdateReady'},{'conditionType':'Other'}]},"
			"'status':{}}"),
		    patch;
		const val *ready, *own;

		val_set(a, val_get_mut(&pod, "status"), "conditions", js(a, table[i].conditions));
		assert_true(inplace_needs_not_ready(&pod));
		patch = inplace_not_ready_patch(a, &pod, NOW);
		own = condition_in(&patch, "InPlaceUpdateReady");
		assert_true(val_is(val_get(own, "status"), "False"));
		assert_true(val_is(val_get(own, "reason"), "StartInPlaceUpdate"));
		assert_true(val_is(val_get(own, "lastTransitionTime"), T));
		ready = condition_in(&patch, "Ready");
		if (!table[i].message) {
			assert_null(ready);
		} else {
			assert_true(val_is(val_get(ready, "status"), "False"));
			assert_true(val_is(val_get(ready, "message"), table[i].message));
			assert_int_equal(val_get(ready, "lastTransitionTime") != NULL,
					 table[i].new_time);
		}
		assert_true(val_is(val_path(&patch, "metadata", "resourceVersion", NULL), "7"));
		smp_apply(a, &pod, &patch);
		assert_false(inplace_needs_not_ready(&pod));
	}
}

/* covers: inplace:R17 inplace:F1 */
/* Of the very version that was judged; for a condition that is missing, of any. */
static void the_ready_patch(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod = js(a, "{'metadata':{'uid':'u','resourceVersion':'7'},'spec':{},'status':{"
			"'conditions':[{'type':'InPlaceUpdateReady','status':'False','reason':"
			"'StartInPlaceUpdate','message':'m'},{'type':'Ready','status':'False'}]}}");
	val patch = inplace_ready_patch(a, str_of("u"), str_of("7"), NOW);
	const val *c;

	(void)state;
	assert_true(val_is(val_path(&patch, "metadata", "uid", NULL), "u"));
	assert_true(val_is(val_path(&patch, "metadata", "resourceVersion", NULL), "7"));
	/* kubelet turns Ready itself */
	assert_null(condition_in(&patch, "Ready"));
	smp_apply(a, &pod, &patch);
	c = val_find(val_path(&pod, "status", "conditions", NULL), "type",
		     str_of(GATE_INPLACE_READY));
	assert_true(val_is(val_get(c, "status"), "True"));
	assert_true(val_is(val_get(c, "lastTransitionTime"), T));
	assert_true(val_is_null(val_get(c, "reason")));
	assert_true(val_is_null(val_get(c, "message")));
	patch = inplace_ready_patch(a, str_of("u"), (struct str){0}, NOW);
	assert_null(val_path(&patch, "metadata", "resourceVersion", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(when_possible),	cmocka_unit_test(the_state_annotation),
	    cmocka_unit_test(an_update_on_top), cmocka_unit_test(odd_updates),
	    cmocka_unit_test(completion),	cmocka_unit_test(foreign_next_batch),
	    cmocka_unit_test(refresh),		cmocka_unit_test(not_ready_patches),
	    cmocka_unit_test(the_ready_patch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
