/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/cloneset_default.h"
#include "rules/cloneset_validate.h"
#include "tests/unit/cases.h"

static struct pod_facts lookup(struct str namespace, struct str name, void *userdata)
{
	(void)userdata;
	assert_true(str_is(namespace, "ns"));
	return (struct pod_facts){
	    .exists = !str_has_prefix(name, "no"),
	    .terminating = str_has_prefix(name, "going"),
	    .controller_uid = str_of(str_has_prefix(name, "mine") ? "uid-1" : "uid-2"),
	};
}

static struct pod_facts no_pod(struct str namespace, struct str name, void *userdata)
{
	(void)namespace;
	(void)name;
	(void)userdata;
	return (struct pod_facts){0};
}

static bool has_error(const struct field_errors *fe, struct str path, const char *type)
{
	for (size_t i = 0; i < fe->n; i++)
		if (str_is(path, fe->v[i].path) &&
		    strcmp(field_error_type_name(fe->v[i].type), type) == 0)
			return true;
	return false;
}

/* What the recorded message says: every `PATH: TYPE` in it must be among our errors, and each of
 * ours in it. */
static void compare_message(arena *a, const struct field_errors *fe, const char *message)
{
	static const char *const types[] = {"Required value",	 "Invalid value",
					    "Duplicate value",	 "Forbidden",
					    "Unsupported value", "Not found"};
	size_t found = 0;

	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		char *needle = arena_printf(a, ": %s", types[t]);

		for (const char *at = message; (at = strstr(at, needle)); at++) {
			const char *start = at;

			while (start > message && !strchr(" [", start[-1]) && at - start < 200)
				start--;
			/* an index ends in ']' and begins with '[': take it in */
			while (start > message && start[-1] == '[' && start[0] >= '0' &&
			       start[0] <= '9') {
				start--;
				while (start > message && !strchr(" [", start[-1]))
					start--;
			}
			start += *start == '.';
			if (strncmp(start, "spec.", 5) != 0 && strncmp(start, "metadata.", 9) != 0)
				continue;
			assert_true(
			    has_error(fe, (struct str){start, (size_t)(at - start)}, types[t]));
			found++;
		}
	}
	assert_int_equal(found, fe->n);
}

static const struct {
	const char *name, *path, *type; /* path NULL: refused by defaulting already */
} differing[] = {
    /* OpenKruise 1.5 accepted it */
    {"numeric-string", "spec.updateStrategy.maxUnavailable", "Invalid value"},
    /* kubectl or the CRD's schema refused these before a webhook saw them */
    {"no-selector", "spec.selector", "Required value"},
    {"scatter-empty-key", "spec.updateStrategy.scatterStrategy", "Required value"},
    {"bad-quantity", NULL, NULL},
};

static bool check_differing(const char *name, const struct field_errors *fe, int defaulted)
{
	for (size_t i = 0; i < sizeof(differing) / sizeof(differing[0]); i++) {
		if (strcmp(name, differing[i].name) != 0)
			continue;
		if (!differing[i].path) {
			assert_true(defaulted < 0);
			return true;
		}
		assert_int_equal(fe->n, 1);
		assert_true(has_error(fe, str_of(differing[i].path), differing[i].type));
		return true;
	}
	return false;
}

/* covers: cloneset:V1 cloneset:V2 cloneset:V3 cloneset:V4 cloneset:V5 cloneset:V6 cloneset:V8
 * cloneset:V9 cloneset:V10 cloneset:V11 cloneset:V12 cloneset:V15 cloneset:V16 */
static void admission_cases(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val cases = load_cases(a, "tests/data/cloneset/admission.json");
	const struct cloneset_validate_env env = {.pod = no_pod};

	assert_int_equal(val_len(&cases), 24);
	for (size_t i = 0; i < val_len(&cases); i++) {
		const val *c = val_at(&cases, i);
		char *name = val_cstr(a, val_get(c, "name"));
		val v = val_copy(a, val_get(c, "input"));
		struct field_errors fe;
		_cleanup_buf_ struct buf text = {0};
		int r = cloneset_default(a, &v, NULL, false, NULL);

		field_errors_init(&fe, a);
		cloneset_validate(a, &v, NULL, &env, &fe);
		field_errors_print(&text, &fe);
		print_message("%s: %s\n", name, buf_str(&text));
		if (check_differing(name, &fe, r))
			continue;
		assert_int_equal(r, 0);
		assert_int_equal(fe.n == 0, val_bool(val_get(c, "accepted")));
		compare_message(a, &fe, val_cstr(a, val_get(c, "message")));
	}
}

static void stored_cases_pass(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val cases = load_cases(a, "tests/data/cloneset/stored.json");

	for (size_t i = 0; i < val_len(&cases); i++) {
		const val *c = val_at(&cases, i), *stored = val_get(c, "stored");
		val v = val_copy(a, val_get(c, "input"));
		_cleanup_buf_ struct buf text = {0};
		struct field_errors fe;

		assert_int_equal(cloneset_default(a, &v, NULL, false, NULL), 0);
		field_errors_init(&fe, a);
		cloneset_validate(a, &v, NULL, NULL, &fe);
		field_errors_print(&text, &fe);
		assert_string_equal(
		    buf_str(&text),
		    val_is_null(stored)
			? "spec.template.spec.securityContext.fsGroup: Invalid value: "
			  "9007199254740993: must be between 0 and 2147483647, inclusive"
			: "");
	}
}

#define TEMPLATE                                                                                  \
	"'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'m','image':'" \
	"i'}]}}"
#define GOOD "'selector':{'matchLabels':{'a':'b'}}," TEMPLATE

static val cloneset(arena *a, const char *spec)
{
	val v = js(a, "{'metadata':{'name':'x','namespace':'ns','uid':'uid-1'}}");

	val_set(a, &v, "spec", js(a, spec));
	return v;
}

struct row {
	const char *spec, *old, *want; /* want: the printed errors */
};

static void run(const struct row *rows, size_t n)
{
	const struct cloneset_validate_env env = {.pod = lookup};

	for (size_t i = 0; i < n; i++) {
		_cleanup_arena_ arena *a = arena_new();
		_cleanup_buf_ struct buf text = {0};
		val v = cloneset(a, rows[i].spec);
		val old = rows[i].old ? cloneset(a, rows[i].old) : val_null();
		struct field_errors fe;

		field_errors_init(&fe, a);
		cloneset_validate(a, &v, rows[i].old ? &old : NULL, &env, &fe);
		field_errors_print(&text, &fe);
		assert_string_equal(buf_str(&text), rows[i].want);
	}
}

/* covers: cloneset:V1 cloneset:V2 cloneset:V3 cloneset:V4 cloneset:V5 cloneset:V6 cloneset:V7
 * cloneset:V8 cloneset:V9 cloneset:V10 cloneset:V11 cloneset:V12 cloneset:V13 */
static void on_create(void **state)
{
	(void)state;
	static const struct row rows[] = {
	    {"{" GOOD "}", NULL, ""},
	    {"{" GOOD ",'replicas':-1}", NULL,
	     "spec.replicas: Invalid value: -1: must be greater than or equal to 0"},
	    {"{'selector':{'matchLabels':{'a':'b'}}}", NULL,
	     "[spec.template.metadata.labels: Invalid value: null: `selector` does not match "
	     "template "
	     "`labels`, spec.template: Required value]"},
	    {"{" GOOD ",'updateStrategy':{'partition':-1}}", NULL,
	     "spec.updateStrategy.partition: Invalid value: -1: must be greater than or equal to "
	     "0"},
	    {"{" GOOD ",'updateStrategy':{'partition':'-1%'}}", NULL,
	     "spec.updateStrategy.partition: Invalid value: \"-1%\": must be greater than or equal "
	     "to 0"},
	    {"{" GOOD ",'updateStrategy':{'maxUnavailable':'0%'}}", NULL,
	     "spec.updateStrategy.maxUnavailable: Invalid value: \"0%\": must not be less than 1 "
	     "when "
	     "maxSurge is less than 1 too"},
	    {"{" GOOD ",'replicas':0,'updateStrategy':{'maxUnavailable':0}}", NULL, ""},
	    {"{" GOOD ",'updateStrategy':{'maxUnavailable':0,'maxSurge':'10%'}}", NULL, ""},
	    {"{" GOOD ",'replicas':5,'updateStrategy':{'type':'InPlaceOnly','maxSurge':'10%'}}",
	     NULL,
	     "spec.updateStrategy.maxSurge: Invalid value: \"10%\": cannot be used with the "
	     "strategy type "
	     "InPlaceOnly"},
	    {"{" GOOD ",'updateStrategy':{'priorityStrategy':{'weightPriority':[{'weight':0,"
	     "'matchSelector':{}}]}}}",
	     NULL,
	     "[spec.updateStrategy.priorityStrategy: Required value: weightPriority[0].weight must "
	     "be "
	     "between 1 and 100, spec.updateStrategy.priorityStrategy: Required value: "
	     "weightPriority[0].matchSelector must not be empty]"},
	    {"{" GOOD
	     ",'updateStrategy':{'priorityStrategy':{'orderPriority':[{'orderedKey':''}]}}}",
	     NULL,
	     "spec.updateStrategy.priorityStrategy: Required value: orderPriority[0].orderedKey "
	     "must not "
	     "be empty"},
	    {"{" GOOD ",'updateStrategy':{'scatterStrategy':[{'key':'a','value':'b'},{'key':'a',"
	     "'value':'b'},{'key':'a','value':'c'}]}}",
	     NULL,
	     "spec.updateStrategy.scatterStrategy: Required value: the term a=b occurs more than "
	     "once"},
	    {"{" GOOD ",'progressDeadlineSeconds':5,'minReadySeconds':5}", NULL,
	     "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than "
	     "minReadySeconds"},
	    {"{" GOOD ",'progressDeadlineSeconds':6,'minReadySeconds':5}", NULL, ""},
	    {"{" GOOD ",'scaleStrategy':{'podsToDelete':['mine-a']}}", NULL, ""},
	    {"{" GOOD ",'scaleStrategy':{'podsToDelete':['mine-a','none','going','other']}}", NULL,
	     "[spec.scaleStrategy.podsToDelete: Invalid value: \"none\": no such pod, "
	     "spec.scaleStrategy.podsToDelete: Invalid value: \"going\": this pod is being deleted "
	     "already, spec.scaleStrategy.podsToDelete: Invalid value: \"other\": this pod is not "
	     "owned by "
	     "the CloneSet]"},
	    {"{" GOOD ",'scaleStrategy':{'maxUnavailable':'5'}}", NULL,
	     "spec.scaleStrategy.maxUnavailable: Invalid value: \"5\": must be an integer or a "
	     "percentage, "
	     "and not negative"},
	    {"{" GOOD
	     ",'volumeClaimTemplates':[{'metadata':{'name':'d'}},{'metadata':{'name':'d'}},{}]}",
	     NULL,
	     "[spec.volumeClaimTemplates[1].metadata.name: Duplicate value: \"d\", "
	     "spec.volumeClaimTemplates[2].metadata.name: Required value]"},
	    {"{" GOOD ",'volumeClaimTemplates':7}", NULL,
	     "spec.volumeClaimTemplates: Invalid value: 7: must be a list"},
	    {"{'selector':{'matchLabels':{'a':'b c'}}," TEMPLATE "}", NULL,
	     "[spec.selector.matchLabels: Invalid value: \"b c\": must be empty, or up to 63 "
	     "letters, "
	     "digits, '-', '_' or '.', first and last a letter or digit (as in 'MyValue' or "
	     "'12345'), "
	     "spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b c\"}}: label value \"b c\" "
	     "must be "
	     "empty, or up to 63 letters, digits, '-', '_' or '.', first and last a letter or "
	     "digit (as "
	     "in 'MyValue' or '12345')]"},
	};
	run(rows, sizeof(rows) / sizeof(rows[0]));
}

#define IMAGE(i)                                                                                 \
	"'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'m','image':" \
	"'" i "'}]}}"
#define SELECTOR "'selector':{'matchLabels':{'a':'b'}}"
#define IN_PLACE_ONLY "'updateStrategy':{'type':'InPlaceOnly'}"
static const char in_place_only_message[] = "spec: Forbidden: with the strategy type InPlaceOnly, "
					    "of the template's spec only the containers' "
					    "images may change";

/* covers: cloneset:V7 cloneset:V15 cloneset:V16 */
static void on_update(void **state)
{
	(void)state;
	static const struct row rows[] = {
	    {"{" GOOD ",'replicas':3,'minReadySeconds':5,'revisionHistoryLimit':3}", "{" GOOD "}",
	     ""},
	    {"{" SELECTOR "," IMAGE("j") "}", "{" SELECTOR "," IMAGE("i") "}", ""},
	    {"{'selector':{'matchExpressions':[{'key':'a','operator':'Exists'}]}," TEMPLATE "}",
	     "{" GOOD "}",
	     "spec: Forbidden: only replicas, template, lifecycle, scaleStrategy, updateStrategy, "
	     "minReadySeconds, progressDeadlineSeconds, volumeClaimTemplates and "
	     "revisionHistoryLimit may "
	     "change"},
	    {"{" SELECTOR "," IMAGE("j") "," IN_PLACE_ONLY "}",
	     "{" SELECTOR "," IMAGE("i") "," IN_PLACE_ONLY "}", ""},
	    /* defaults are no change */
	    {"{" SELECTOR
	     ",'template':{'metadata':{'labels':{'a':'b'}},'spec':{'restartPolicy':'Always',"
	     "'containers':[{'name':'m','image':'j'}]}}," IN_PLACE_ONLY "}",
	     "{" SELECTOR "," IMAGE("i") "," IN_PLACE_ONLY "}", ""},
	    {"{" SELECTOR
	     ",'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'m',"
	     "'image':'i','env':[{'name':'E','value':'1'}]}]}}," IN_PLACE_ONLY "}",
	     "{" SELECTOR "," IMAGE("i") "," IN_PLACE_ONLY "}", in_place_only_message},
	    {"{" SELECTOR
	     ",'template':{'metadata':{'labels':{'a':'b','c':'d'}},'spec':{'containers':[{"
	     "'name':'m','image':'i'}]}}," IN_PLACE_ONLY "}",
	     "{" SELECTOR "," IMAGE("i") "," IN_PLACE_ONLY "}", ""},
	    /* names that were there before are not looked up */
	    {"{" GOOD ",'scaleStrategy':{'podsToDelete':['none','mine']}}",
	     "{" GOOD ",'scaleStrategy':{'podsToDelete':['none']}}", ""},
	    /* an unchanged spec passes, whatever it is */
	    {"{'replicas':-1}", "{'replicas':-1}", ""},
	};
	run(rows, sizeof(rows) / sizeof(rows[0]));
}

/* covers: cloneset:V14 */
static void metadata(void **state)
{
	(void)state;
	static const struct {
		const char *object, *want;
	} rows[] = {
	    {"[]",
	     "[metadata.name: Required value: name or generateName is required, spec: Required "
	     "value: must be an object]"},
	    {"{'metadata':{'name':'a','labels':{'x':1}},'spec':{" GOOD "}}",
	     "metadata.labels[x]: Invalid value: 1: must be a string"},
	    {"{'metadata':{'generateName':'a-','annotations':{'A.b/C':'any thing'}},'spec':{" GOOD
	     "}}",
	     ""},
	    {"{'metadata':7,'spec':{" GOOD "}}", "metadata: Invalid value: 7: must be an object"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		_cleanup_buf_ struct buf text = {0};
		val v = js(a, rows[i].object);
		struct field_errors fe;

		field_errors_init(&fe, a);
		cloneset_validate(a, &v, NULL, NULL, &fe);
		field_errors_print(&text, &fe);
		assert_string_equal(buf_str(&text), rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(admission_cases), cmocka_unit_test(stored_cases_pass),
	    cmocka_unit_test(on_create),       cmocka_unit_test(on_update),
	    cmocka_unit_test(metadata),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
