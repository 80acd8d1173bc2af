/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rules/launchpriority.h"
#include "tests/unit/cases.h"

#define P(value) "{'name':'x','env':[{'name':'KRUISE_CONTAINER_PRIORITY','value':'" value "'}]}"
#define NONE "{'name':'y'}"
#define POD(meta, containers) "{'metadata':{" meta "},'spec':{'containers':[" containers "]}}"
#define NAMED(containers) POD("'name':'web'", containers)
#define ORDERED(containers)                                                                      \
	POD("'name':'web','annotations':{'apps.kruise.io/container-launch-priority':'Ordered'}", \
	    containers)

/* "KEY KEY …" of all containers, "-" for one without barrier, "?" for one that is not ours. */
static const char *keys(arena *a, const val *pod)
{
	const val *containers = val_path(pod, "spec", "containers", NULL);
	const char *text = "";
	for (size_t i = 0; i < val_len(containers); i++) {
		const val *env = val_get(val_at(containers, i), "env");
		const val *item = val_find(env, "name", str_of(ENV_LAUNCH_BARRIER));
		const val *ref = val_path(item, "valueFrom", "configMapKeyRef", NULL);
		struct str key = item ? val_str(val_get(ref, "key")) : str_of("-");
		if (item && !val_is(val_get(ref, "name"), "web-barrier"))
			key = str_of("?");
		text = arena_printf(a, "%s%s%.*s", text, i ? " " : "", STR_ARG(key));
	}
	return text;
}

/* covers: inplace:P1 inplace:P2 */
static void what_containers_get(void **state)
{
	static const struct {
		const char *pod, *keys;
	} rows[] = {
	    {ORDERED(NONE "," NONE "," NONE), "p_0 p_-1 p_-2"},
	    /* in order, whatever the variables say, even nonsense */
	    {ORDERED(P("1") "," P("x")), "p_0 p_-1"},
	    {ORDERED(NONE), "-"},
	    {NAMED(P("1") "," NONE), "p_1 p_0"},
	    {NAMED(NONE "," P("-2") "," P("7")), "p_0 p_-2 p_7"},
	    {NAMED(P("+5") "," P("007")), "p_5 p_7"},
	    {NAMED(P("5") "," P("9223372036854775807")), "p_5 p_9223372036854775807"},
	    {NAMED(P("-9223372036854775808") "," NONE), "p_-9223372036854775808 p_0"},
	    /* all equal */
	    {NAMED(NONE "," NONE), "- -"},
	    {NAMED(P("3") "," P("3")), "- -"},
	    {NAMED(P("0") "," NONE), "- -"},
	    {NAMED(P("3")), "-"},
	    /* another mode is no mode */
	    {POD("'name':'web','annotations':{'apps.kruise.io/"
		 "container-launch-priority':'ordered'}",
		 NONE "," NONE),
	     "- -"},
	    /* the last one counts */
	    {NAMED("{'env':[{'name':'KRUISE_CONTAINER_PRIORITY','value':'1'},{'name':"
		   "'KRUISE_CONTAINER_PRIORITY','value':'2'}]}," NONE),
	     "p_2 p_0"},
	    /* from another pod's text */
	    {ORDERED("{'env':[{'name':'KRUISE_CONTAINER_BARRIER','valueFrom':{'configMapKeyRef':{"
		     "'name':'old-barrier','key':'p_9'}}}]}," NONE),
	     "p_0 p_-1"},
	    /* of any shape */
	    {"{}", ""},
	    {"{'spec':{'containers':{}}}", ""},
	    {ORDERED("7,null"), "- -"},
	    {ORDERED("{'env':7},{'env':null},{'env':[7]}"), "p_0 p_-1 p_-2"},
	    {POD("", P("1") "," NONE), "- -"}, /* no name, and none can be made */
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val pod = js(a, rows[i].pod), once;
		struct field_errors errors;
		field_errors_init(&errors, a);
		print_message("%s\n", rows[i].pod);
		launchpriority_inject(a, &pod, 1, &errors);
		assert_int_equal(errors.n, 0);
		assert_string_equal(keys(a, &pod), rows[i].keys);
		once = val_copy(a, &pod);
		launchpriority_inject(a, &pod, 2, &errors);
		assert_true(val_equal(&once, &pod));
	}
}

/* covers: inplace:P2 */
static void it_is_appended(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod = js(a, ORDERED("{'env':[{'name':'A','value':'b'}]}," NONE)), want;
	struct field_errors errors;
	(void)state;
	field_errors_init(&errors, a);
	launchpriority_inject(a, &pod, 1, &errors);
	want = js(a, "[{'name':'A','value':'b'},{'name':'KRUISE_CONTAINER_BARRIER','valueFrom':{"
		     "'configMapKeyRef':{'name':'web-barrier','key':'p_0'}}}]");
	assert_true(val_equal(val_get(val_at(val_path(&pod, "spec", "containers", NULL), 0), "env"),
			      &want));
	assert_null(val_path(&pod, "spec", "initContainers", NULL));
}

/* covers: inplace:P1 */
static void no_integer_is_refused(void **state)
{
	static const char *const values[] = {
	    "",
	    "x",
	    "1.0",
	    " 1",
	    "1 ",
	    "0x1",
	    "--1",
	    "+",
	    "-",
	    "1_000",
	    "9223372036854775808",
	    "1e3",
	    "one",
	    "11111111111111111111111111111111111111111111",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		_cleanup_buf_ struct buf text = {0};
		val pod = js(a, arena_printf(a, NAMED(NONE "," P("%s")), values[i])), before;
		struct field_errors errors;
		field_errors_init(&errors, a);
		before = val_copy(a, &pod);
		launchpriority_inject(a, &pod, 1, &errors);
		assert_int_equal(errors.n, 1);
		field_errors_print(&text, &errors);
		assert_non_null(strstr(buf_str(&text), "spec.containers[1].env[0].value: Invalid"));
		assert_true(val_equal(&before, &pod));
	}
	/* one that is no text at all, in a pod with one container */
	_cleanup_arena_ arena *a = arena_new();
	val pod = js(a, NAMED("{'env':[{'name':'KRUISE_CONTAINER_PRIORITY','valueFrom':{}}]}"));
	struct field_errors errors;
	field_errors_init(&errors, a);
	launchpriority_inject(a, &pod, 1, &errors);
	assert_int_equal(errors.n, 1);
}

/* covers: inplace:P2 */
static void names(void **state)
{
#define X10 "xxxxxxxxxx"
#define X50 X10 X10 X10 X10 X10
	static const struct {
		const char *meta, *base; /* NULL: no name is made */
	} rows[] = {
	    {"'generateName':'web-'", "web-"},
	    {"'generateName':'web-','name':''", "web-"},
	    {"'generateName':'" X50 "12345678'", X50 "12345678"},
	    {"'generateName':'" X50 "1234567890'", X50 "12345678"},
	    {"'generateName':'other-','name':'web'", NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val pod = js(a, arena_printf(a, POD("%s", P("1") "," NONE), rows[i].meta));
		struct field_errors errors;
		field_errors_init(&errors, a);
		launchpriority_inject(a, &pod, 0x123456789abcdef, &errors);
		const char *name = val_cstr(a, val_path(&pod, "metadata", "name", NULL));
		if (!rows[i].base) {
			assert_string_equal(name, "web");
			continue;
		}
		size_t n = strlen(rows[i].base);
		assert_int_equal(strncmp(name, rows[i].base, n), 0);
		assert_int_equal(strlen(name), n + 5);
		assert_int_equal(strspn(name + n, "bcdfghjklmnpqrstvwxz2456789"), 5);
		const val *env =
		    val_get(val_at(val_path(&pod, "spec", "containers", NULL), 1), "env");
		assert_true(
		    val_is(val_path(val_at(env, 0), "valueFrom", "configMapKeyRef", "name", NULL),
			   arena_printf(a, "%s-barrier", name)));
	}
	/* without priorities the API server makes the name */
	_cleanup_arena_ arena *a = arena_new();
	val pod = js(a, POD("'generateName':'web-'", NONE "," NONE));
	struct field_errors errors;
	field_errors_init(&errors, a);
	launchpriority_inject(a, &pod, 1, &errors);
	assert_null(val_path(&pod, "metadata", "name", NULL));
}

static void a_name_must_leave_room(void **state)
{
	static const struct {
		size_t len;
		bool good;
	} rows[] = {{245, true}, {246, false}, {253, false}};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		_cleanup_buf_ struct buf name = {0};
		struct field_errors errors;
		field_errors_init(&errors, a);
		while (name.len < rows[i].len)
			buf_putc(&name, 'x');
		val pod =
		    js(a, arena_printf(a, POD("'name':'%s'", P("1") "," NONE), buf_str(&name)));
		launchpriority_inject(a, &pod, 1, &errors);
		assert_int_equal(errors.n, rows[i].good ? 0 : 1);
		if (errors.n)
			assert_string_equal(errors.v[0].path, "metadata.name");
	}
}

#define C(name, key)                                                                 \
	"{'name':'" name "','env':[{'name':'KRUISE_CONTAINER_BARRIER','valueFrom':{" \
	"'configMapKeyRef':{'name':'web-barrier','key':'" key "'}}}]}"
#define THREE C("a", "p_0") "," C("b", "p_-1") "," C("c", "p_-2")
#define READY(name) "{'name':'" name "','ready':true}"
#define UNREADY(name) "{'name':'" name "','ready':false,'state':{'running':{}}}"
#define HELD(name)                                                       \
	"{'name':'" name "','ready':false,'state':{'waiting':{'reason':" \
	"'CreateContainerConfigError'}}}"
#define STARTING(meta, containers, statuses, more)                                       \
	"{'metadata':{'name':'web','uid':'u'" meta "},'spec':{'containers':[" containers \
	"]},'status':{'containerStatuses':[" statuses "]" more "}}"

/* covers: inplace:P3 */
static void who_is_next(void **state)
{
	static const struct {
		const char *pod;
		const char *key; /* NULL: over */
		bool last, held;
	} rows[] = {
	    {STARTING("", THREE, "", ""), "p_0", false, false},
	    {STARTING("", THREE, HELD("a") "," HELD("b") "," HELD("c"), ""), "p_0", false, true},
	    {STARTING("", THREE, UNREADY("a") "," HELD("b") "," HELD("c"), ""), "p_0", false,
	     false},
	    {STARTING("", THREE, READY("a") "," HELD("b") "," HELD("c"), ""), "p_-1", false, true},
	    {STARTING("", THREE, READY("a") "," UNREADY("b") "," HELD("c"), ""), "p_-1", false,
	     false},
	    {STARTING("", THREE, READY("c") "," READY("b") "," READY("a"), ""), NULL, false, false},
	    {STARTING("", THREE, READY("a") "," READY("b"), ""), "p_-2", true, false},
	    /* back to the first when it is no longer ready */
	    {STARTING("", THREE, UNREADY("a") "," READY("b"), ""), "p_0", false, false},
	    /* several of one priority, some without any */
	    {STARTING("", C("a", "p_5") "," C("b", "p_5") ",{'name':'s'}", READY("a"), ""), "p_5",
	     true, false},
	    {STARTING("", C("a", "p_5") "," C("b", "p_5") ",{'name':'s'}",
		      READY("a") "," READY("b") "," UNREADY("s"), ""),
	     NULL, false, false},
	    {STARTING("", C("a", "p_5") "," C("b", "p_5"), UNREADY("a") "," HELD("b"), ""), "p_5",
	     true, true},
	    {STARTING("", C("a", "p_-9223372036854775808") "," C("b", "p_9223372036854775807"), "",
		      ""),
	     "p_9223372036854775807", false, false},
	    /* over */
	    {STARTING(
		 ",'annotations':{'apps.kruise.io/container-launch-priority-completed':'true'}",
		 THREE, "", ""),
	     NULL, false, false},
	    {STARTING(",'annotations':{'apps.kruise.io/container-launch-priority-completed':'no'}",
		      THREE, "", ""),
	     "p_0", false, false},
	    {STARTING(",'deletionTimestamp':'2026-01-01T00:00:00Z'", THREE, "", ""), NULL, false,
	     false},
	    {STARTING("", THREE, "", ",'phase':'Failed'"), NULL, false, false},
	    {STARTING("", THREE, "", ",'phase':'Succeeded'"), NULL, false, false},
	    {STARTING("", THREE, "", ",'conditions':[{'type':'ContainersReady','status':'True'}]"),
	     NULL, false, false},
	    {STARTING("", THREE, "", ",'conditions':[{'type':'ContainersReady','status':'False'}]"),
	     "p_0", false, false},
	    /* not ours, or of any shape */
	    {STARTING("", "{'name':'a'},{'name':'b'}", "", ""), NULL, false, false},
	    {STARTING("", C("a", "0") "," C("b", "p_") "," C("c", "p_x") "," C("d", "q_1"), "", ""),
	     NULL, false, false},
	    {STARTING("", "{'name':'a','env':[{'name':'KRUISE_CONTAINER_BARRIER','value':'p_1'}]}",
		      "", ""),
	     NULL, false, false},
	    {STARTING("",
		      "{'env':[{'name':'KRUISE_CONTAINER_BARRIER','valueFrom':{'configMapKeyRef':{"
		      "'name':'other-barrier','key':'p_1'}}}]}",
		      "", ""),
	     NULL, false, false},
	    {STARTING("", THREE, "7,null,{}", ""), "p_0", false, false},
	    {"{}", NULL, false, false},
	    {"{'spec':{'containers':7},'status':[]}", NULL, false, false},
	    {"{'metadata':7,'spec':{'containers':[7,{'env':7},{'env':[null]}]},'status':{"
	     "'containerStatuses':7}}",
	     NULL, false, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val pod = js(a, rows[i].pod);
		struct launch_plan plan = launchpriority_plan(a, &pod);
		print_message("%s\n", rows[i].pod);
		assert_int_equal(plan.over, rows[i].key == NULL);
		if (rows[i].key)
			assert_string_equal(plan.key, rows[i].key);
		assert_int_equal(plan.last, rows[i].last);
		assert_int_equal(plan.held, rows[i].held);
	}
}

/* covers: inplace:P3 */
static void what_is_written(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod = js(a, "{'metadata':{'namespace':'ns','name':'web','uid':'u'}}");
	val barrier = launchpriority_barrier(a, &pod, "p_-1");
	val want =
	    js(a, "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'namespace':'ns','name':"
		  "'web-barrier','ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':"
		  "'web','uid':'u'}]},'data':{'p_-1':'true'}}");
	(void)state;
	assert_true(val_equal(&barrier, &want));
	assert_true(launchpriority_has_key(&barrier, "p_-1"));
	assert_false(launchpriority_has_key(&barrier, "p_1"));
	val patch = launchpriority_key_patch(a, str_of("m"), "p_-2");
	want = js(a, "{'metadata':{'uid':'m'},'data':{'p_-2':'true'}}");
	assert_true(val_equal(&patch, &want));
	patch = launchpriority_completed_patch(a, &pod);
	want = js(a, "{'metadata':{'uid':'u','annotations':{"
		     "'apps.kruise.io/container-launch-priority-completed':'true'}}}");
	assert_true(val_equal(&patch, &want));
}

static void whose_barrier_it_is(void **state)
{
#define OWNERS(list) "{'metadata':{'ownerReferences':" list "}}"
	static const struct {
		const char *barrier;
		bool predecessors;
	} rows[] = {
	    {OWNERS("[{'kind':'Pod','name':'web','uid':'u'}]"), false},
	    {OWNERS("[{'kind':'Pod','name':'web','uid':'old'}]"), true},
	    {OWNERS(
		 "[{'kind':'Pod','name':'web','uid':'old'},{'kind':'Pod','name':'web','uid':'u'}]"),
	     false},
	    {OWNERS("[{'kind':'Pod','name':'other','uid':'old'}]"), false},
	    {OWNERS("[{'kind':'ReplicaSet','name':'web','uid':'old'}]"), false},
	    {OWNERS("[]"), false},
	    {OWNERS("7"), false},
	    {"{}", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val pod = js(a, "{'metadata':{'name':'web','uid':'u'}}");
		val barrier = js(a, rows[i].barrier);
		assert_int_equal(launchpriority_is_predecessors(&barrier, &pod),
				 rows[i].predecessors);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_containers_get),    cmocka_unit_test(it_is_appended),
	    cmocka_unit_test(no_integer_is_refused),  cmocka_unit_test(names),
	    cmocka_unit_test(a_name_must_leave_room), cmocka_unit_test(who_is_next),
	    cmocka_unit_test(what_is_written),	      cmocka_unit_test(whose_barrier_it_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
