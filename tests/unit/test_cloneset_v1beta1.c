/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults, validation and numbers of v1beta1. What v1alpha1 does is the measure: an object and its
 * conversion must be treated alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/cloneset_convert.h"
#include "rules/cloneset_count.h"
#include "rules/cloneset_default.h"
#include "rules/cloneset_validate.h"
#include "tests/unit/cases.h"

static void defaults(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *scale, *update;
	} rows[] = {
	    {"{}", "{\"enablePVCReuse\":false}",
	     "{\"rollingUpdate\":{\"maxSurge\":0,\"maxUnavailable\":\"20%\",\"partition\":0,"
	     "\"podUpdatePolicy\":\"ReCreate\"},\"type\":\"RollingUpdate\"}"},
	    {"{'scaleStrategy':{'enablePVCReuse':true,'excludePreparingDelete':false}}",
	     "{\"enablePVCReuse\":true}",
	     "{\"rollingUpdate\":{\"maxSurge\":0,\"maxUnavailable\":\"20%\",\"partition\":0,"
	     "\"podUpdatePolicy\":\"ReCreate\"},\"type\":\"RollingUpdate\"}"},
	    {"{'updateStrategy':{'rollingUpdate':{'podUpdatePolicy':'InPlaceIfPossible',"
	     "'partition':'10%','new':1}}}",
	     "{\"enablePVCReuse\":false}",
	     "{\"rollingUpdate\":{\"inPlaceUpdateStrategy\":{},\"maxSurge\":0,\"maxUnavailable\":"
	     "\"20%\",\"new\":1,\"partition\":\"10%\",\"podUpdatePolicy\":\"InPlaceIfPossible\"},"
	     "\"type\":\"RollingUpdate\"}"},
	    {"{'updateStrategy':{'type':'OnDelete'}}", "{\"enablePVCReuse\":false}",
	     "{\"type\":\"OnDelete\"}"},
	    {"{'updateStrategy':{'type':'OnDelete','rollingUpdate':null}}",
	     "{\"enablePVCReuse\":false}", "{\"type\":\"OnDelete\"}"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val v = js(a, "{'apiVersion':'" CLONESET_V1BETA1 "'}");

		val_set(a, &v, "spec", js(a, rows[i].spec));
		for (int again = 0; again < 2; again++) {
			assert_int_equal(cloneset_default(a, &v, NULL, false, NULL), 0);
			assert_string_equal(
			    json_str(a, val_path(&v, "spec", "scaleStrategy", NULL), JSON_SORTED),
			    rows[i].scale);
			assert_string_equal(
			    json_str(a, val_path(&v, "spec", "updateStrategy", NULL), JSON_SORTED),
			    rows[i].update);
		}
		assert_string_equal(json_str(a, val_path(&v, "spec", "replicas", NULL), 0), "1");
	}
}

/* ---- as v1alpha1 ---- */

/* The path of a v1alpha1 error in v1beta1. */
static const char *beta_path(arena *a, const char *path)
{
	static const char update[] = "spec.updateStrategy.";
	const char *field = path + strlen(update);

	if (strncmp(path, update, strlen(update)) != 0)
		return path;
	if (strcmp(field, "type") == 0)
		field = "podUpdatePolicy";
	return arena_printf(a, "%srollingUpdate.%s", update, field);
}

/* covers: cloneset:V8 cloneset:V9 cloneset:V10 cloneset:V11 cloneset:V12 */
static void recorded_cases(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val cases = load_cases(a, "tests/data/cloneset/admission.json");
	size_t compared = 0, errors = 0;

	for (size_t i = 0; i < val_len(&cases); i++) {
		const val *c = val_at(&cases, i);
		val alpha = val_copy(a, val_get(c, "input")), up;
		struct field_errors x, y;

		if (cloneset_convert(a, &alpha, CLONESET_V1BETA1, &up, NULL) < 0)
			continue;
		val beta = val_copy(a, &up);
		print_message("%s\n", val_cstr(a, val_get(c, "name")));
		assert_int_equal(cloneset_default(a, &alpha, NULL, false, NULL),
				 cloneset_default(a, &beta, NULL, false, NULL));
		field_errors_init(&x, a);
		field_errors_init(&y, a);
		cloneset_validate(a, &alpha, NULL, NULL, &x);
		cloneset_validate(a, &beta, NULL, NULL, &y);
		assert_int_equal(x.n, y.n);
		for (size_t j = 0; j < x.n; j++) {
			assert_string_equal(beta_path(a, x.v[j].path), y.v[j].path);
			assert_int_equal(x.v[j].type, y.v[j].type);
		}
		errors += x.n;
		compared++;
	}
	assert_true(compared > 20 && errors > 10);
}

/* ---- OnDelete ---- */

#define TEMPLATE                                                                            \
	"'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}}," \
	"'spec':{'containers':[{'name':'m','image':'i'}]}}"
#define OTHER                                                                               \
	"'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}}," \
	"'spec':{'hostNetwork':true,'containers':[{'name':'m','image':'i'}]}}"
#define TYPE_MESSAGE \
	"Invalid value: \"OnDelete\": must be ReCreate, InPlaceIfPossible or InPlaceOnly"

static val cloneset(arena *a, bool beta, const char *spec)
{
	val v = js(a, "{'metadata':{'name':'x','namespace':'ns','uid':'uid-1'}}");

	val_set(a, &v, "apiVersion", val_of_str(beta ? CLONESET_V1BETA1 : CLONESET_V1ALPHA1));
	val_set(a, &v, "spec", js(a, spec));
	return v;
}

/* covers: cloneset:V8 cloneset:V16 */
static void validates(void **state)
{
	(void)state;
	static const struct {
		bool beta;
		const char *spec, *old, *want;
	} rows[] = {
	    {true, "{" TEMPLATE "}", NULL, ""},
	    {true, "{" TEMPLATE ",'updateStrategy':{'type':'OnDelete'}}", NULL, ""},
	    {true, "{" TEMPLATE ",'updateStrategy':{'type':'RollingUpdate'}}", NULL, ""},
	    {true, "{" TEMPLATE ",'updateStrategy':{'type':'ReCreate'}}", NULL,
	     "spec.updateStrategy.type: Invalid value: \"ReCreate\": must be RollingUpdate or "
	     "OnDelete"},
	    {true,
	     "{" TEMPLATE ",'updateStrategy':{'rollingUpdate':{'podUpdatePolicy':'OnDelete'}}}",
	     NULL, "spec.updateStrategy.rollingUpdate.podUpdatePolicy: " TYPE_MESSAGE},
	    {true, "{" TEMPLATE ",'updateStrategy':{'rollingUpdate':{'partition':-1}}}", NULL,
	     "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than "
	     "or equal to 0"},
	    {true,
	     "{" TEMPLATE ",'updateStrategy':{'type':'OnDelete','rollingUpdate':{'maxSurge':'5'}}}",
	     NULL,
	     "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: \"5\": must be an integer "
	     "or a percentage such as \"25%\""},
	    {true, "{" TEMPLATE ",'scaleStrategy':{'enablePVCReuse':'yes'}}", NULL,
	     "spec.scaleStrategy.enablePVCReuse: Invalid value: \"yes\": must be true or false"},
	    /* in place only: but with OnDelete nothing is updated in place */
	    {true,
	     "{" OTHER ",'updateStrategy':{'rollingUpdate':{'podUpdatePolicy':'InPlaceOnly'}}}",
	     "{" TEMPLATE "}",
	     "spec: Forbidden: with the strategy type InPlaceOnly, of the template's spec only the "
	     "containers' images may change"},
	    {true,
	     "{" OTHER ",'updateStrategy':{'type':'OnDelete','rollingUpdate':{'podUpdatePolicy':"
	     "'InPlaceOnly'}}}",
	     "{" TEMPLATE "}", ""},
	    /* v1alpha1 cannot ask for it, but write back what it has read */
	    {false, "{" TEMPLATE ",'updateStrategy':{'type':'OnDelete'}}", NULL,
	     "spec.updateStrategy.type: " TYPE_MESSAGE},
	    {false, "{" TEMPLATE ",'updateStrategy':{'type':'OnDelete'}}",
	     "{" TEMPLATE ",'updateStrategy':{'type':'ReCreate'}}",
	     "spec.updateStrategy.type: " TYPE_MESSAGE},
	    {false, "{" TEMPLATE ",'replicas':5,'updateStrategy':{'type':'OnDelete'}}",
	     "{" TEMPLATE ",'updateStrategy':{'type':'OnDelete'}}", ""},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		_cleanup_buf_ struct buf text = {0};
		val v = cloneset(a, rows[i].beta, rows[i].spec);
		val old = rows[i].old ? cloneset(a, rows[i].beta, rows[i].old) : val_null();
		struct field_errors fe;

		field_errors_init(&fe, a);
		cloneset_validate(a, &v, rows[i].old ? &old : NULL, NULL, &fe);
		field_errors_print(&text, &fe);
		assert_string_equal(buf_str(&text), rows[i].want);
	}
}

/* ---- what the controller reads ---- */

/* covers: cloneset:U2 */
static void numbers(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	const struct gates g = gates_default();
	struct cloneset_spec s;
	struct err e = {0};
	val v = cloneset(a, true,
			 "{'replicas':10,'updateStrategy':{'type':'RollingUpdate','rollingUpdate':{"
			 "'podUpdatePolicy':'InPlaceOnly','partition':'30%','maxUnavailable':'25%',"
			 "'maxSurge':2,'inPlaceUpdateStrategy':{'gracePeriodSeconds':7}}}}");

	assert_int_equal(cloneset_spec_from(&v, &g, false, &s, NULL), 0);
	assert_int_equal(s.type, CLONESET_INPLACE_ONLY);
	assert_int_equal(s.partition, 3);
	assert_int_equal(s.max_unavailable, 2);
	assert_int_equal(s.max_surge, 2);
	assert_int_equal(s.grace_seconds, 7);
	assert_false(s.on_delete);

	v = cloneset(a, true, "{'replicas':10,'updateStrategy':{'type':'OnDelete'}}");
	assert_int_equal(cloneset_spec_from(&v, &g, false, &s, NULL), 0);
	assert_true(s.on_delete);
	assert_int_equal(s.max_unavailable, 2);

	v = cloneset(a, true, "{'updateStrategy':{'rollingUpdate':{'maxSurge':'x'}}}");
	assert_true(cloneset_spec_from(&v, &g, false, &s, &e) < 0);
	assert_true(str_has_prefix(str_of(e.msg), "spec.updateStrategy.rollingUpdate.maxSurge: "));
	/* flat fields mean nothing in v1beta1 */
	v = cloneset(a, true, "{'replicas':10,'updateStrategy':{'partition':5}}");
	assert_int_equal(cloneset_spec_from(&v, &g, false, &s, NULL), 0);
	assert_int_equal(s.partition, 0);

	/* the label of old is the field of now, in both versions */
	for (int beta = 0; beta < 2; beta++) {
		v = cloneset(a, beta, "{'replicas':1}");
		assert_int_equal(cloneset_spec_from(&v, &g, false, &s, NULL), 0);
		assert_false(s.exclude_preparing_delete);
		val_set(a, val_ensure_map(a, val_get_mut(&v, "metadata"), "labels"),
			LABEL_EXCLUDE_PREPARING_DELETE, val_of_str("true"));
		assert_int_equal(cloneset_spec_from(&v, &g, false, &s, NULL), 0);
		assert_true(s.exclude_preparing_delete);
	}
	/* claims stay by default in v1alpha1, and go in v1beta1 */
	v = cloneset(a, false, "{}");
	assert_true(cloneset_reuses_claims(&v));
	v = cloneset(a, true, "{}");
	assert_false(cloneset_reuses_claims(&v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(defaults),
	    cmocka_unit_test(recorded_cases),
	    cmocka_unit_test(validates),
	    cmocka_unit_test(numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
