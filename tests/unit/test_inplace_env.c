/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/cloneset_claims.h"
#include "rules/gohash.h"
#include "rules/inplace.h"
#include "rules/inplace_env.h"
#include "tests/unit/cases.h"
#include "tests/unit/pods.h"
#include "tests/unit/smp.h"

#define ENV(name, path) "{'name':'" name "','valueFrom':{'fieldRef':{'fieldPath':'" path "'}}}"
#define LABEL_L ENV("L", "metadata.labels[\\'l\\']")

/* In test data ' stands for ", so that a path's own quotes are written as \'. */
static val parse(arena *a, const char *text)
{
	char *copy = arena_printf(a, "%s", text), *out = copy;
	val v;

	for (const char *p = text; *p; p++) {
		if (p[0] == '\\' && p[1] == '\'')
			*out++ = *++p;
		else
			*out++ = *p == '\'' ? '"' : *p;
	}
	*out = '\0';
	if (json_parse(a, copy, (size_t)(out - copy), &v, NULL) < 0)
		fatal("%s", copy);
	return val_copy(a, &v);
}

/* Values that OpenKruise 1.9 has written. */
static void hashes(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	const char *one =
	    "{'metadata':{'name':'pvc-1'},'spec':{'accessModes':['ReadWriteOnce'],"
	    "'resources':{'requests':{'storage':'1Gi'},'limits':{'storage':'2048Mi'}}}}";
	const char *two = "{'metadata':{'name':'pvc-2','labels':{'l':'1'}},'spec':{'accessModes':["
			  "'ReadWriteOnce'],'resources':{'requests':{'storage':'2Gi'},'limits':{"
			  "'storage':'4Gi'}}},'status':{}}";
	val none = parse(a, "{'spec':{}}");
	val single = parse(a, arena_printf(a, "{'spec':{'volumeClaimTemplates':[%s]}}", one));
	val both = parse(a, arena_printf(a, "{'spec':{'volumeClaimTemplates':[%s,%s]}}", two, one));
	val broken = parse(a, "{'spec':{'volumeClaimTemplates':[7]}}");

	(void)state;
	assert_int_equal(gohash_json(str_of("null")), 86995377);
	assert_string_equal(cloneset_claims_hash(a, &none), "");
	assert_string_equal(cloneset_claims_hash(a, &single), "1129974074");
	assert_string_equal(cloneset_claims_hash(a, &both), "510584408");
	assert_string_equal(cloneset_claims_hash(a, &broken), "");
}

static void what_is_read(void **state)
{
	static const struct {
		const char *env, *kind, *key;
		bool reads;
	} table[] = {
	    {LABEL_L, "labels", "l", true},
	    {LABEL_L, "annotations", "l", false},
	    {LABEL_L, "labels", "m", false},
	    {ENV("A", "metadata.annotations[\\'a/b\\']"), "annotations", "a/b", true},
	    {ENV("A", "metadata.name"), "labels", "name", false},
	    {ENV("A", "metadata.labels[\\'"), "labels", "", false},
	    {ENV("A", "metadata.labels[\\'l\\'"), "labels", "l", false},
	    {ENV("SIDECARSET_VERSION", "metadata.labels[\\'l\\']"), "labels", "l", false},
	    {"{'name':'L','value':'x','valueFrom':{'fieldRef':{'fieldPath':"
	     "'metadata.labels[\\'l\\']'}}}",
	     "labels", "l", false},
	    {"7", "labels", "l", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val c = parse(a, arena_printf(a, "{'env':[%s]}", table[i].env));

		print_message("%s\n", table[i].env);
		assert_int_equal(inplace_env_reads(&c, table[i].kind, str_of(table[i].key)),
				 table[i].reads);
	}
}

/* The hash is of the values, by name, whatever else is in the list. */
static void hash_of_values(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod = parse(a, "{'metadata':{'labels':{'l':'foo','m':'bar'}}}");
	val other = parse(a, "{'metadata':{'labels':{'l':'foo','m':'baz'}}}");
	val one = parse(a, "{'env':[" LABEL_L "," ENV("M", "metadata.labels[\\'m\\']") "]}");
	val two = parse(a, "{'env':[{'name':'x','value':'1'}," ENV(
			       "M", "metadata.labels[\\'m\\']") "," LABEL_L "]}");
	val none = parse(a, "{'env':[{'name':'x','value':'1'}]}");

	(void)state;
	assert_int_equal(inplace_env_hash(&one, &pod),
			 gohash_json(str_of("[{\"name\":\"L\",\"value\":\"foo\"},{\"name\":\"M\","
					    "\"value\":\"bar\"}]")));
	assert_int_equal(inplace_env_hash(&one, &pod), inplace_env_hash(&two, &pod));
	assert_int_not_equal(inplace_env_hash(&one, &pod), inplace_env_hash(&one, &other));
	assert_int_equal(inplace_env_hash(&none, &pod), 86995377);
}

#define REVISION(labels, annotations)                                \
	"{'data':{'spec':{'template':{'metadata':{'labels':{" labels \
	"},'annotations':{" annotations "}},'spec':{'containers':["  \
	"{'name':'a','image':'x:1','env':[" LABEL_L "]},"            \
	"{'name':'b','image':'y:1','env':[" ENV(                     \
	    "A", "metadata.annotations[\\'a\\']") "]},"              \
						  "{'name':'c','image':'z:1'}]}}}}}"
#define STATUS(name) \
	"{'name':'" name "','image':'i','imageID':'1','containerID':'" name "1','ready':true}"
#define RUNNING_POD(barriers)                                                                     \
	"{'metadata':{'name':'p','uid':'u','labels':{'l':'1'},'annotations':{'a':'1'}},"          \
	"'spec':{'containers':[{'name':'a','image':'x:1','env':[" LABEL_L "]},"                   \
	"{'name':'b','image':'y:1','env':[" barriers ENV(                                         \
	    "A", "metadata.annotations[\\'a\\']") "]},{'name':'c','image':'z:1'}]},'status':{"    \
						  "'containerStatuses':[" STATUS("a") "," STATUS( \
						      "b") "," STATUS("c") "]"                    \
									   "}"                    \
									   "}"

static void update(arena *a, val *pod, const char *from, const char *to, bool gate)
{
	val old = parse(a, from), new = parse(a, to), patch;
	struct inplace_spec spec;
	const struct inplace_options options = {.env_from_metadata = gate};
	const struct inplace_update u = {
	    .pod = pod, .spec = &spec, .revision = str_of("web-2"), .now = NOW};

	inplace_spec_from(a, &old, &new, &options, &spec);
	assert_true(spec.possible);
	assert_int_equal(inplace_restarts(pod, &spec), gate);
	assert_int_equal(inplace_update_patch(a, &u, &patch, NULL), 0);
	smp_apply(a, pod, &patch);
}

static val state_of(arena *a, const val *pod)
{
	struct str s = val_str(val_path(pod, "metadata", "annotations", ANNO_INPLACE_STATE, NULL));
	val v;

	assert_int_equal(json_parse(a, s.p, s.n, &v, NULL), 0);
	return v;
}

/* As the node agent says it, by the pod's present labels. */
static void agent_says(arena *a, val *pod, const char *id_of_a)
{
	const val *containers = val_path(pod, "spec", "containers", NULL);
	const char *ids[] = {id_of_a, "b1", "c1"}, *names[] = {"a", "b", "c"};
	_cleanup_buf_ struct buf b = {0};

	for (size_t i = 0; i < 3; i++)
		buf_printf(&b,
			   "%s{\"name\":\"%s\",\"containerID\":\"%s\",\"restartCount\":0,"
			   "\"hashes\":{\"plainHash\":1,\"plainHashWithoutResources\":0,"
			   "\"extractedEnvFromMetadataHash\":%u}}",
			   i ? "," : "{\"containers\":[", names[i], ids[i],
			   inplace_env_hash(val_at(containers, i), pod));
	buf_puts(&b, "]}");
	val_set(a, val_path_mut(pod, "metadata", "annotations", NULL), ANNO_RUNTIME_CONTAINERS,
		val_of_strdup(a, str_of(buf_str(&b))));
}

/* covers: inplace:R5 inplace:R14 inplace:S4 inplace:S5 */
static void completion_waits_for_the_agent(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod = parse(a, RUNNING_POD("")), st;
	char why[200];

	(void)state;
	agent_says(a, &pod, "a1");
	update(a, &pod, REVISION("'l':'1'", "'a':'1','p':'1'"),
	       REVISION("'l':'2'", "'a':'1','p':'2'"), true);
	assert_true(val_is(val_path(&pod, "metadata", "labels", "l", NULL), "2"));
	assert_true(val_is(val_path(&pod, "metadata", "annotations", "p", NULL), "2"));
	st = state_of(a, &pod);
	assert_true(val_bool(val_get(&st, "updateEnvFromMetadata")));
	assert_true(val_is_null(val_get(&st, "lastContainerStatuses")));
	assert_int_equal(
	    val_len(val_get(val_at(val_get(&st, "containerBatchesRecord"), 0), "containers")), 1);
	/* the container has not been restarted */
	assert_int_equal(inplace_check(&pod, NULL, why, sizeof(why)), INPLACE_WAITING);
	assert_non_null(strstr(why, "container a must be restarted by the node agent"));
	/* it has, but status does not show it */
	agent_says(a, &pod, "a2");
	assert_int_equal(inplace_check(&pod, NULL, why, sizeof(why)), INPLACE_WAITING);
	assert_non_null(strstr(why, "container a is not known to the node agent yet"));
	val_set(a, val_at_mut(val_path_mut(&pod, "status", "containerStatuses", NULL), 0),
		"containerID", val_of_str("a2"));
	assert_int_equal(inplace_check(&pod, NULL, NULL, 0), INPLACE_COMPLETE);
	/* no agent, or one that writes nonsense */
	val_set(a, val_path_mut(&pod, "metadata", "annotations", NULL), ANNO_RUNTIME_CONTAINERS,
		val_of_str("{"));
	assert_int_equal(inplace_check(&pod, NULL, NULL, 0), INPLACE_WAITING);
	val_del(val_path_mut(&pod, "metadata", "annotations", NULL), ANNO_RUNTIME_CONTAINERS);
	assert_int_equal(inplace_check(&pod, NULL, NULL, 0), INPLACE_WAITING);

	/* the gate off: patched, and done */
	pod = parse(a, RUNNING_POD(""));
	update(a, &pod, REVISION("'l':'1'", ""), REVISION("'l':'2'", ""), false);
	assert_true(val_is(val_path(&pod, "metadata", "labels", "l", NULL), "2"));
	assert_int_equal(inplace_check(&pod, NULL, NULL, 0), INPLACE_COMPLETE);
}

#define BARRIER(key) \
	"{'name':'KRUISE_CONTAINER_BARRIER','valueFrom':{'configMapKeyRef':{'key':'" key "'}}},"
#define SHARED(labels)                                                                             \
	"{'data':{'spec':{'template':{'metadata':{'labels':{" labels "}},'spec':{'containers':["   \
	"{'name':'a','image':'x:1','env':[" BARRIER("p_10") LABEL_L                                \
	    "]},"                                                                                  \
	    "{'name':'b','image':'y:1','env':[" BARRIER("p_5")                                     \
		ENV("M",                                                                           \
		    "metadata.labels[\\'m\\']") "," LABEL_L "]},"                                  \
						"{'name':'c','image':'z:1','env':[" BARRIER("p_0") \
						    ENV("M", "metadata.labels[\\'m\\'"             \
							     "]") "]},{'name':'d','"               \
								  "image':'w:1','env':"            \
								  "[" BARRIER("p_-1")              \
								      ENV("N", "metadata."         \
									       "labels[\\'"        \
									       "n\\']") "]}"       \
											"]}"       \
											"}}"       \
											"}}"
#define SHARING_POD                                                                                \
	"{'metadata':{'name':'p','uid':'u','labels':{'l':'1','m':'1','n':'1'}},'spec':{"           \
	"'containers':["                                                                           \
	"{'name':'a','image':'x:1','env':[" BARRIER("p_10") LABEL_L                                \
	    "]},"                                                                                  \
	    "{'name':'b','image':'y:1','env':[" BARRIER("p_5")                                     \
		ENV("M",                                                                           \
		    "metadata.labels[\\'m\\']") "," LABEL_L "]},"                                  \
						"{'name':'c','image':'z:1','env':[" BARRIER("p_0") \
						    ENV("M", "metadata.labels[\\'m\\'"             \
							     "]") "]},{'name':'d','"               \
								  "image':'w:1','env':"            \
								  "[" BARRIER("p_-1")              \
								      ENV("N", "metadata."         \
									       "labels[\\'"        \
									       "n\\']") "]}"       \
											"]}"       \
											"}"

/* covers: inplace:R10 inplace:R11 inplace:S7 */
static void who_shares_a_label_restarts_together(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val pod = parse(a, SHARING_POD), st, want;
	const val *names;

	(void)state;
	/* a and b share l, b and c share m; d is for itself */
	update(a, &pod, SHARED("'l':'1','m':'1','n':'1'"), SHARED("'l':'2','m':'2','n':'2'"), true);
	st = state_of(a, &pod);
	names = val_get(val_at(val_get(&st, "containerBatchesRecord"), 0), "containers");
	want = parse(a, "['a','b','c']");
	assert_true(val_equal(names, &want));
	assert_true(val_is(val_path(&pod, "metadata", "labels", "m", NULL), "2"));
	assert_true(val_is(val_path(&pod, "metadata", "labels", "n", NULL), "1"));
	want = parse(a, "{'d':{'labels':{'n':'2'}}}");
	assert_true(val_equal(val_get(&st, "nextContainerRefMetadata"), &want));
	want = parse(a, "{'containersRequiredReady':['a','b','c']}");
	assert_true(val_equal(val_get(&st, "preCheckBeforeNext"), &want));

	/* without a change of l, a stays out of it; b and c still share m */
	pod = parse(a, SHARING_POD);
	update(a, &pod, SHARED("'l':'1','m':'1','n':'1'"), SHARED("'l':'1','m':'2','n':'2'"), true);
	st = state_of(a, &pod);
	names = val_get(val_at(val_get(&st, "containerBatchesRecord"), 0), "containers");
	want = parse(a, "['b','c']");
	assert_true(val_equal(names, &want));

	/* a label that goes is nothing to be read */
	pod = parse(a, SHARING_POD);
	update(a, &pod, SHARED("'l':'1','m':'1','n':'1'"), SHARED("'l':'2','m':'1'"), true);
	assert_null(val_path(&pod, "metadata", "labels", "n", NULL));
	st = state_of(a, &pod);
	assert_null(val_get(&st, "nextContainerRefMetadata"));
}

/* covers: inplace:R3 */
static void other_claims(void **state)
{
	static const struct {
		const char *old, *new;
		bool possible;
	} table[] = {
	    {NULL, NULL, true}, {NULL, "1", true}, {"1", NULL, true}, {"1", "1", true},
	    {"", "", true},	{"1", "2", false}, {"1", "", false},  {"", "1", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val old = parse(a, REVISION("", "")), new = parse(a, REVISION("", ""));
		const char *hash[] = {table[i].old, table[i].new};
		val *revisions[] = {&old, &new};

		for (size_t k = 0; k < 2; k++) {
			val *meta = val_ensure_map(a, revisions[k], "metadata");

			if (hash[k])
				val_set(a, val_ensure_map(a, meta, "annotations"), ANNO_CLAIMS_HASH,
					val_of_str(hash[k]));
		}
		for (int gate = 0; gate < 2; gate++) {
			struct inplace_spec spec;
			const struct inplace_options o = {.compare_claims = gate};

			inplace_spec_from(a, &old, &new, &o, &spec);
			assert_int_equal(spec.possible, !gate || table[i].possible);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hashes),
	    cmocka_unit_test(what_is_read),
	    cmocka_unit_test(hash_of_values),
	    cmocka_unit_test(completion_waits_for_the_agent),
	    cmocka_unit_test(who_shares_a_label_restarts_together),
	    cmocka_unit_test(other_claims),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
