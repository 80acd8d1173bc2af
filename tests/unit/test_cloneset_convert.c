/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/cloneset_convert.h"
#include "rules/cloneset_default.h"
#include "tests/unit/cases.h"

#include <stdlib.h>

static val object(arena *a, const char *version, const char *spec)
{
	val v = val_map();

	val_set(a, &v, "apiVersion", val_of_str(version));
	val_set(a, &v, "kind", val_of_str("CloneSet"));
	val_set(
	    a, &v, "metadata",
	    js(a, "{'name':'c','uid':'u','generation':3,'finalizers':['f'],'labels':{'a':'b'}}"));
	if (spec)
		val_set(a, &v, "spec", js(a, spec));
	val_set(a, &v, "status", js(a, "{'replicas':2,'unknown':[1,{'x':null}]}"));
	return v;
}

static val convert(arena *a, const val *v, const char *version)
{
	struct err e = {0};
	val out;

	if (cloneset_convert(a, v, version, &out, &e) < 0)
		fail_msg("%s", e.msg);
	return out;
}

static const char *spec_text(arena *a, const val *v)
{
	return json_str(a, val_get(v, "spec"), JSON_SORTED);
}

static const val *kept(const val *v)
{
	return val_path(v, "metadata", "annotations", ANNO_CLONESET_CONVERSION, NULL);
}

/* What a user of one version sees of an object of the other: both ways, without the annotation. */
static const struct {
	const char *v1alpha1, *v1beta1;
} pairs[] = {
    {"{'scaleStrategy':{},'updateStrategy':{'type':'ReCreate','partition':0,'maxUnavailable':'20%',"
     "'maxSurge':0}}",
     "{'scaleStrategy':{'enablePVCReuse':true},'updateStrategy':{'type':'RollingUpdate',"
     "'rollingUpdate':{'podUpdatePolicy':'ReCreate','partition':0,'maxUnavailable':'20%',"
     "'maxSurge':0}}}"},
    {"{'replicas':3,'selector':{'matchLabels':{'a':'b'}},'template':{'x':1},'minReadySeconds':5,"
     "'volumeClaimTemplates':[{}],'revisionHistoryLimit':2,'lifecycle':{'preDelete':{}},"
     "'progressDeadlineSeconds':9,'unknown':{'deep':[1]},"
     "'scaleStrategy':{'podsToDelete':['p'],'maxUnavailable':'5%','disablePVCReuse':true,"
     "'excludePreparingDelete':true,'unknown':1},"
     "'updateStrategy':{'type':'InPlaceIfPossible','partition':'50%','maxUnavailable':1,"
     "'maxSurge':2,'paused':true,'priorityStrategy':{'weightPriority':[{'weight':50,"
     "'matchSelector':{'matchLabels':{'k':'v'}}}]},'scatterStrategy':[{'key':'k','value':'v'}],"
     "'inPlaceUpdateStrategy':{'gracePeriodSeconds':7,'imagePreDownloadParallelism':'10%'},"
     "'unknown':2}}",
     "{'replicas':3,'selector':{'matchLabels':{'a':'b'}},'template':{'x':1},'minReadySeconds':5,"
     "'volumeClaimTemplates':[{}],'revisionHistoryLimit':2,'lifecycle':{'preDelete':{}},"
     "'progressDeadlineSeconds':9,'unknown':{'deep':[1]},"
     "'scaleStrategy':{'podsToDelete':['p'],'maxUnavailable':'5%','enablePVCReuse':false,"
     "'excludePreparingDelete':true,'unknown':1},"
     "'updateStrategy':{'type':'RollingUpdate','rollingUpdate':{'podUpdatePolicy':"
     "'InPlaceIfPossible','partition':'50%','maxUnavailable':1,'maxSurge':2,'paused':true,"
     "'priorityStrategy':{'weightPriority':[{'weight':50,'matchSelector':{'matchLabels':"
     "{'k':'v'}}}]},'scatterStrategy':[{'key':'k','value':'v'}],"
     "'inPlaceUpdateStrategy':{'gracePeriodSeconds':7,'imagePreDownloadParallelism':'10%'},"
     "'unknown':2}}}"},
    {"{'scaleStrategy':{'disablePVCReuse':true},'updateStrategy':{'type':'OnDelete'}}",
     "{'scaleStrategy':{'enablePVCReuse':false},'updateStrategy':{'type':'OnDelete'}}"},
    {"{'scaleStrategy':{},'updateStrategy':{'type':'InPlaceOnly'}}",
     "{'scaleStrategy':{'enablePVCReuse':true},'updateStrategy':{'type':'RollingUpdate',"
     "'rollingUpdate':{'podUpdatePolicy':'InPlaceOnly'}}}"},
    /* nothing set: the defaults of one version are not those of the other */
    {"{'scaleStrategy':{},'updateStrategy':{}}",
     "{'scaleStrategy':{'enablePVCReuse':true},'updateStrategy':{}}"},
};

/* covers: cloneset:V8 */
static void both_ways(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val alpha = object(a, CLONESET_V1ALPHA1, pairs[i].v1alpha1);
		val beta = object(a, CLONESET_V1BETA1, pairs[i].v1beta1);
		val up = convert(a, &alpha, CLONESET_V1BETA1);
		val down = convert(a, &beta, CLONESET_V1ALPHA1);

		assert_string_equal(json_str(a, &up, JSON_SORTED), json_str(a, &beta, JSON_SORTED));
		assert_string_equal(json_str(a, &down, JSON_SORTED),
				    json_str(a, &alpha, JSON_SORTED));
		/* the same again changes nothing */
		val again = convert(a, &up, CLONESET_V1BETA1);
		assert_true(val_equal(&again, &up));
		/* both are read as the same */
		assert_true(str_eq(cloneset_pod_policy(&alpha), cloneset_pod_policy(&beta)) ||
			    cloneset_on_delete(&beta));
		assert_int_equal(cloneset_on_delete(&alpha), cloneset_on_delete(&beta));
		assert_int_equal(cloneset_reuses_claims(&alpha), cloneset_reuses_claims(&beta));
		assert_int_equal(cloneset_excludes_preparing_delete(&alpha),
				 cloneset_excludes_preparing_delete(&beta));
	}
}

/* ---- what the other version cannot say ---- */

static const char unsayable[] =
    "{'updateStrategy':{'type':'OnDelete','unknown':1,'rollingUpdate':{'podUpdatePolicy':"
    "'InPlaceOnly','partition':2,'paused':true}}}";

static void edit(arena *a, val *v, const char *field, val to)
{
	*v = val_copy(a, v);
	val_set(a, val_path_mut(v, "spec", "updateStrategy", NULL), field, to);
}

static void a_change_meanwhile_wins(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val beta = object(a, CLONESET_V1BETA1, unsayable);
	val alpha = convert(a, &beta, CLONESET_V1ALPHA1);

	assert_non_null(kept(&alpha));
	assert_string_equal(
	    spec_text(a, &alpha),
	    "{\"scaleStrategy\":{\"disablePVCReuse\":true},"
	    "\"updateStrategy\":{\"partition\":2,\"paused\":true,\"type\":\"OnDelete\"}}");
	val back = convert(a, &alpha, CLONESET_V1BETA1);
	assert_string_equal(json_str(a, &back, JSON_SORTED), json_str(a, &beta, JSON_SORTED));

	/* another field is changed: the rest stays as it was */
	val changed = alpha;
	edit(a, &changed, "partition", val_of_int(1));
	val_del(val_path_mut(&changed, "spec", "updateStrategy", NULL), "paused");
	back = convert(a, &changed, CLONESET_V1BETA1);
	assert_string_equal(spec_text(a, &back),
			    "{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":1,"
			    "\"podUpdatePolicy\":\"InPlaceOnly\"},\"type\":\"OnDelete\","
			    "\"unknown\":1}}");
	assert_null(kept(&back));

	/* the type is changed: what was kept for it is out of date */
	changed = alpha;
	edit(a, &changed, "type", val_of_str("ReCreate"));
	val_set(a, val_path_mut(&changed, "spec", "scaleStrategy", NULL), "disablePVCReuse",
		val_of_bool(false));
	back = convert(a, &changed, CLONESET_V1BETA1);
	assert_string_equal(spec_text(a, &back),
			    "{\"scaleStrategy\":{\"enablePVCReuse\":true},"
			    "\"updateStrategy\":{\"rollingUpdate\":{\"partition\":2,\"paused\":"
			    "true,\"podUpdatePolicy\":\"ReCreate\"},\"type\":\"RollingUpdate\","
			    "\"unknown\":1}}");
}

/* An annotation that is not ours to read is dropped, whatever it says. */
static void foreign_annotation(void **state)
{
	(void)state;
	static const char *const texts[] = {
	    "", "{", "[]", "{\"apiVersion\":\"x\"}",
	    "{\"apiVersion\":\"" CLONESET_V1ALPHA1 "\",\"updateStrategy\":{\"type\":\"Foo\"}}",
	    /* smuggles what no schema has seen */
	    "{\"apiVersion\":\"" CLONESET_V1BETA1 "\",\"scaleStrategy\":{\"enablePVCReuse\":7},"
	    "\"updateStrategy\":{\"rollingUpdate\":[]}}"};
	_cleanup_arena_ arena *a = arena_new();

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		val v = object(a, CLONESET_V1ALPHA1, pairs[0].v1alpha1);
		val *m = val_get_mut(&v, "metadata");

		val_set(a, val_ensure_map(a, m, "annotations"), ANNO_CLONESET_CONVERSION,
			val_of_str(texts[i]));
		val_set(a, val_ensure_map(a, m, "annotations"), "mine", val_of_str("1"));
		val up = convert(a, &v, CLONESET_V1BETA1);
		assert_null(kept(&up));
		assert_true(val_is(val_path(&up, "metadata", "annotations", "mine", NULL), "1"));
		val want = js(a, pairs[0].v1beta1);
		assert_true(val_equal(val_get(&up, "spec"), &want));
	}
}

/* ---- any object, there and back ---- */

static const char *pick(unsigned *seed, const char *const *from, size_t n)
{
	return from[(size_t)rand_r(seed) % n];
}
#define PICK(seed, list) pick(seed, list, sizeof(list) / sizeof((list)[0]))

static val some_value(arena *a, unsigned *seed)
{
	static const char *const texts[] = {
	    "0",   "1",	   "'20%'",  "true",	     "false",
	    "'x'", "[]",   "[1,{}]", "{}",	     "{'a':{'b':1}}",
	    "1.5", "null", "''",     "{'type':'x'}", "-1"};
	return js(a, PICK(seed, texts));
}

static void some_fields(arena *a, unsigned *seed, val *map, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rand_r(seed) % 3 == 0)
			val_set(a, map, names[i], some_value(a, seed));
}
#define SOME_FIELDS(a, seed, map, list) \
	some_fields(a, seed, map, list, sizeof(list) / sizeof((list)[0]))

static val some_object(arena *a, unsigned *seed, bool beta)
{
	static const char *const rolling[] = {
	    "partition", "maxSurge",	   "paused", "scatterStrategy", "inPlaceUpdateStrategy",
	    "new",	 "disablePVCReuse"};
	static const char *const policies[] = {
	    "ReCreate", "InPlaceOnly", "OnDelete", "RollingUpdate", "", "Other"};
	static const char *const odd[] = {"podUpdatePolicy", "rollingUpdate"};
	val v = object(a, beta ? CLONESET_V1BETA1 : CLONESET_V1ALPHA1, "{'replicas':1}");
	val *spec = val_get_mut(&v, "spec");
	val update = val_map(), scale = val_map(), inner = val_map();

	SOME_FIELDS(a, seed, &update, rolling);
	SOME_FIELDS(a, seed, &inner, rolling);
	SOME_FIELDS(a, seed, &scale, rolling);
	if (rand_r(seed) % 4)
		val_set(a, &update, "type", val_of_str(PICK(seed, policies)));
	if (!beta)
		SOME_FIELDS(a, seed, &update, odd);
	if (rand_r(seed) % 4)
		val_set(a, &inner, "podUpdatePolicy", val_of_str(PICK(seed, policies)));
	if (beta && rand_r(seed) % 4)
		val_set(a, &update, "rollingUpdate", inner);
	val_del(&scale, "disablePVCReuse");
	if (rand_r(seed) % 2)
		val_set(a, &scale, beta ? "enablePVCReuse" : "disablePVCReuse",
			val_of_bool(rand_r(seed) % 2));
	if (rand_r(seed) % 3 == 0) /* the other version's field, unknown in this one */
		val_set(a, &scale, beta ? "disablePVCReuse" : "enablePVCReuse",
			some_value(a, seed));
	if (val_len(&scale) || rand_r(seed) % 2)
		val_set(a, spec, "scaleStrategy", scale);
	if (val_len(&update) || rand_r(seed) % 2)
		val_set(a, spec, "updateStrategy", update);
	return v;
}

/* An absent strategy and an empty one say the same. */
static void fill_empty(arena *a, val *v)
{
	val_ensure_map(a, val_get_mut(v, "spec"), "scaleStrategy");
	val_ensure_map(a, val_get_mut(v, "spec"), "updateStrategy");
}

static void nothing_is_lost(void **state)
{
	(void)state;
	unsigned seed = 1;
	size_t with_annotation = 0;

	for (int i = 0; i < 20000; i++) {
		_cleanup_arena_ arena *a = arena_new();
		bool beta = i % 2;
		val v = some_object(a, &seed, beta);
		val there = convert(a, &v, beta ? CLONESET_V1ALPHA1 : CLONESET_V1BETA1);
		val back = convert(a, &there, beta ? CLONESET_V1BETA1 : CLONESET_V1ALPHA1);
		/* what has come back goes the same way again */
		val again = convert(a, &back, beta ? CLONESET_V1ALPHA1 : CLONESET_V1BETA1);
		val copy = val_copy(a, &v), back_copy = val_copy(a, &back);

		with_annotation += kept(&there) != NULL;
		fill_empty(a, &copy);
		fill_empty(a, &back_copy);
		if (!val_equal(&copy, &back_copy) || !val_equal(&there, &again))
			fail_msg("%s\n%s\n%s", json_str(a, &v, 0), json_str(a, &there, 0),
				 json_str(a, &back, 0));
		assert_true(val_equal(val_get(&v, "status"), val_get(&there, "status")));
	}
	assert_in_range(with_annotation, 1000, 19000);
}

/* What admission lets be stored needs no annotation: users see none. */
static void admitted_objects_need_no_annotation(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val cases = load_cases(a, "tests/data/cloneset/stored.json");
	size_t n = 0;

	for (size_t i = 0; i < val_len(&cases); i++) {
		const val *stored = val_get(val_at(&cases, i), "stored");

		if (val_is_null(stored))
			continue;
		val up = convert(a, stored, CLONESET_V1BETA1);
		val down = convert(a, &up, CLONESET_V1ALPHA1);
		assert_null(kept(&up));
		assert_string_equal(json_str(a, &down, JSON_SORTED),
				    json_str(a, stored, JSON_SORTED));

		/* and it is what v1beta1's own defaults would be */
		val defaulted = val_copy(a, &up);
		assert_int_equal(cloneset_default(a, &defaulted, NULL, false, NULL), 0);
		assert_string_equal(json_str(a, &defaulted, JSON_SORTED),
				    json_str(a, &up, JSON_SORTED));
		n++;
	}
	assert_true(n > 10);
}

static const struct {
	const char *object, *message;
} refused[] = {
    {"[]", "must be an object"},
    {"{}", "apiVersion: must be " CLONESET_V1ALPHA1 " or " CLONESET_V1BETA1},
    {"{'apiVersion':'apps.kruise.io/v2'}",
     "apiVersion: must be " CLONESET_V1ALPHA1 " or " CLONESET_V1BETA1},
    {"{'apiVersion':'" CLONESET_V1BETA1 "','spec':[]}", "spec: must be an object"},
    {"{'apiVersion':'" CLONESET_V1BETA1 "','spec':{'scaleStrategy':1}}",
     "spec.scaleStrategy: must be an object"},
    {"{'apiVersion':'" CLONESET_V1BETA1 "','spec':{'scaleStrategy':{'enablePVCReuse':'x'}}}",
     "spec.scaleStrategy.enablePVCReuse: must be true or false"},
    {"{'apiVersion':'" CLONESET_V1BETA1 "','spec':{'updateStrategy':'x'}}",
     "spec.updateStrategy: must be an object"},
    {"{'apiVersion':'" CLONESET_V1BETA1 "','spec':{'updateStrategy':{'rollingUpdate':1}}}",
     "spec.updateStrategy.rollingUpdate: must be an object"},
    {"{'apiVersion':'" CLONESET_V1BETA1 "','spec':{'updateStrategy':{'type':1}}}",
     "spec.updateStrategy.type: must be a string"},
    {"{'apiVersion':'" CLONESET_V1BETA1
     "','spec':{'updateStrategy':{'rollingUpdate':{'podUpdatePolicy':[]}}}}",
     "spec.updateStrategy.rollingUpdate.podUpdatePolicy: must be a string"},
};

static void refuses(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct err e = {0};
		val v = js(a, refused[i].object), out;

		assert_true(cloneset_convert(a, &v, CLONESET_V1ALPHA1, &out, &e) < 0);
		assert_string_equal(e.msg, refused[i].message);
	}
	_cleanup_arena_ arena *a = arena_new();
	struct err e = {0};
	val v = object(a, CLONESET_V1ALPHA1, NULL), out;
	assert_true(cloneset_convert(a, &v, "apps.kruise.io/v2", &out, &e) < 0);
	assert_string_equal(e.msg, "apiVersion: there is no CloneSet of apps.kruise.io/v2");
	/* no spec: nothing to convert */
	out = convert(a, &v, CLONESET_V1BETA1);
	assert_null(val_get(&out, "spec"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(both_ways),
	    cmocka_unit_test(a_change_meanwhile_wins),
	    cmocka_unit_test(foreign_annotation),
	    cmocka_unit_test(nothing_is_lost),
	    cmocka_unit_test(admitted_objects_need_no_annotation),
	    cmocka_unit_test(refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
