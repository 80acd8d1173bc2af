/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/cloneset_default.h"
#include "tests/unit/cases.h"

/* Defaulting gives what a real API server with OpenKruise stored. */
static void stored_cases(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val cases = load_cases(a, "tests/data/cloneset/stored.json");

	assert_true(val_len(&cases) > 15);
	for (size_t i = 0; i < val_len(&cases); i++) {
		const val *c = val_at(&cases, i);
		const val *stored = val_get(c, "stored");
		val got = val_copy(a, val_get(c, "input"));
		val want = val_copy(a, stored);
		struct err e = {0};

		print_message("%s\n", val_cstr(a, val_get(c, "name")));
		assert_int_equal(cloneset_default(a, &got, NULL, false, &e), 0);
		if (val_is_null(stored))
			continue; /* refused by validation */
		val_del(val_get_mut(&want, "metadata"), "generation");
		/* The one case with fields that OpenKruise dropped and we keep. */
		if (val_is(val_get(c, "name"), "grpc-unknown"))
			drop_unknown(&got, &want);
		assert_string_equal(json_str(a, &got, JSON_SORTED),
				    json_str(a, &want, JSON_SORTED));

		/* what is stored stays as it is */
		assert_int_equal(cloneset_default(a, &got, stored, false, &e), 0);
		assert_string_equal(json_str(a, &got, JSON_SORTED),
				    json_str(a, &want, JSON_SORTED));
		assert_int_equal(cloneset_default(a, &got, NULL, false, &e), 0);
		assert_string_equal(json_str(a, &got, JSON_SORTED),
				    json_str(a, &want, JSON_SORTED));
	}
}

static const char bare[] =
    "{'spec':{'replicas':3,'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':"
    "{'labels':{'a':'b'}},'spec':{'containers':[{'name':'m','image':'i'}]}}}}";
static const char bare_template[] =
    "{\"metadata\":{\"creationTimestamp\":null,\"labels\":{\"a\":\"b\"}},\"spec\":"
    "{\"containers\":[{\"image\":\"i\",\"name\":\"m\",\"resources\":{}}]}}";

static void gate_leaves_template(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val v = js(a, bare);

	assert_int_equal(cloneset_default(a, &v, NULL, true, NULL), 0);
	assert_string_equal(json_str(a, val_path(&v, "spec", "template", NULL), JSON_SORTED),
			    bare_template);
	assert_true(val_is(val_path(&v, "spec", "updateStrategy", "maxUnavailable", NULL), "20%"));
}

static void update_defaults_only_changed_templates(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val old = js(a, bare), same = js(a, bare), changed = js(a, bare);
	val *container =
	    val_at_mut(val_path_mut(&changed, "spec", "template", "spec", "containers", NULL), 0);

	assert_int_equal(cloneset_default(a, &same, &old, false, NULL), 0);
	assert_string_equal(json_str(a, val_path(&same, "spec", "template", NULL), JSON_SORTED),
			    bare_template);
	val_set(a, container, "image", val_of_str("j"));
	assert_int_equal(cloneset_default(a, &changed, &old, false, NULL), 0);
	assert_true(val_is(val_path(&changed, "spec", "template", "spec", "restartPolicy", NULL),
			   "Always"));
}

static void fields(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *path[2], *want; /* want NULL: absent */
	} rows[] = {
	    {"{}", {"replicas"}, "1"},
	    {"{}", {"revisionHistoryLimit"}, "10"},
	    {"{'revisionHistoryLimit':0}", {"revisionHistoryLimit"}, "0"},
	    {"{}", {"scaleStrategy"}, "{}"},
	    {"{'replicas':null}", {"replicas"}, "1"},
	    {"{'minReadySeconds':0}", {"minReadySeconds"}, NULL},
	    {"{'minReadySeconds':5}", {"minReadySeconds"}, "5"},
	    {"{'updateStrategy':{'type':''}}", {"updateStrategy", "type"}, "\"ReCreate\""},
	    {"{'updateStrategy':{'paused':false}}", {"updateStrategy", "paused"}, NULL},
	    {"{'updateStrategy':{'partition':'10%'}}", {"updateStrategy", "partition"}, "\"10%\""},
	    {"{'updateStrategy':{'type':'InPlaceOnly'}}",
	     {"updateStrategy", "inPlaceUpdateStrategy"},
	     "{}"},
	    {"{'updateStrategy':{'type':'ReCreate'}}",
	     {"updateStrategy", "inPlaceUpdateStrategy"},
	     NULL},
	    {"{'scaleStrategy':{'podsToDelete':[]}}", {"scaleStrategy"}, "{}"},
	    {"{'lifecycle':{'preDelete':{'markPodNotReady':false,'labelsHandler':{}}}}",
	     {"lifecycle"},
	     "{\"preDelete\":{}}"},
	    {"{'progressDeadlineSeconds':0}", {"progressDeadlineSeconds"}, "0"},
	    {"{'unknown':{'x':0}}", {"unknown"}, "{\"x\":0}"},
	    {"{'selector':null}", {"selector"}, NULL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = val_map();
		const val *got;

		val_set(a, &v, "spec", js(a, rows[i].spec));
		assert_int_equal(cloneset_default(a, &v, NULL, false, NULL), 0);
		got = val_get(val_get(&v, "spec"), rows[i].path[0]);
		if (rows[i].path[1])
			got = val_get(got, rows[i].path[1]);
		if (!rows[i].want)
			assert_null(got);
		else
			assert_string_equal(json_str(a, got, JSON_SORTED), rows[i].want);
	}
}

static void refuses(void **state)
{
	(void)state;
	static const struct {
		const char *object, *message;
	} rows[] = {
	    {"[]", "a CloneSet must be a JSON object"},
	    {"{'spec':[]}", "spec: Invalid value: []: must be an object"},
	    {"{'spec':{'replicas':'3'}}",
	     "spec.replicas: Invalid value: \"3\": must be an integer"},
	    {"{'spec':{'replicas':3000000000}}",
	     "spec.replicas: Invalid value: 3000000000: must be an integer of 32 bits"},
	    {"{'spec':{'updateStrategy':{'partition':true}}}",
	     "spec.updateStrategy.partition: Invalid value: true: must be an integer"},
	    {"{'spec':{'template':{'spec':{'containers':[{'ports':[{'containerPort':'80'}]}]}}}}",
	     "spec.template.spec.containers[0].ports[0].containerPort: Invalid value: \"80\": must "
	     "be an "
	     "integer"},
	    {"{'spec':{'template':{'spec':{'containers':[{'resources':{'requests':{'cpu':'1x'}}}]}}"
	     "}}",
	     "spec.template.spec.containers[0].resources.requests[cpu]: Invalid value: \"1x\": "
	     "must be a "
	     "quantity, such as 500m, 2 or 1Gi"},
	    {"{'spec':{'template':{},'volumeClaimTemplates':[{'spec':3}]}}",
	     "spec.volumeClaimTemplates[0].spec: Invalid value: 3: must be an object"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = js(a, rows[i].object);
		struct err e = {0};

		assert_true(cloneset_default(a, &v, NULL, false, &e) < 0);
		assert_string_equal(e.msg, rows[i].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(stored_cases),
	    cmocka_unit_test(gate_leaves_template),
	    cmocka_unit_test(update_defaults_only_changed_templates),
	    cmocka_unit_test(fields),
	    cmocka_unit_test(refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
