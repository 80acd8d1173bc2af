/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base64.h"
#include "kube/json.h"
#include "kube/jsonpatch.h"
#include "tests/unit/cases.h"

/* webhookd is a program, not a library: its parts without I/O are compiled in here */
#include "webhookd/admission.c"
#include "webhookd/pod.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define REQUEST(more)                                                                             \
	"{'apiVersion':'admission.k8s.io/v1','kind':'AdmissionReview','request':{'uid':'u',"      \
	"'operation':'CREATE','namespace':'ns','resource':{'group':'','version':'v1','resource':" \
	"'pods'}" more "}}"
#define OWNER                                                                                  \
	"'ownerReferences':[{'apiVersion':'apps.kruise.io/v1alpha1','kind':'CloneSet','name':" \
	"'c','uid':'o','controller':true}]"
#define ORDERED "'annotations':{'apps.kruise.io/container-launch-priority':'Ordered'}"
#define TWO "'spec':{'containers':[{'name':'a'},{'name':'b'}]}"
#define POD(meta, spec) ",'object':{'metadata':{" meta "}," spec "}"

static struct store_txn *no_store(void *userdata)
{
	(void)userdata;
	return NULL;
}

struct outcome {
	bool allowed;
	size_t ops;	   /* of the patch */
	val pod;	   /* the object with the patch */
	const val *status; /* of a refusal */
};

static struct outcome admit(arena *a, const char *gates, const char *text)
{
	struct outcome out = {0};
	struct admission_env env = {.store = no_store};
	struct admission_request q;
	struct err e = {0};
	struct buf buf = {0};
	val *answer = arena_alloc(a, sizeof(*answer)), patch;
	const val review = js(a, text);
	const char *body = json_str(a, &review, 0);
	assert_int_equal(gates_parse(gates, NULL, &env.gates, NULL), 0);
	if (admission_decode(a, body, strlen(body), &q, &e) < 0)
		fail_msg("%s", e.msg);
	struct admission_answer r = pod_mutate(a, &q, &env);
	admission_encode(a, &q, &r, &buf);
	char *reply = arena_strndup(a, buf.p, buf.len);
	buf_free(&buf);
	assert_int_equal(json_parse(a, reply, strlen(reply), answer, NULL), 0);
	out.allowed = val_bool(val_path(answer, "response", "allowed", NULL));
	out.status = val_path(answer, "response", "status", NULL);
	out.pod = val_copy(a, q.object ? q.object : q.old_object);
	struct str base64 = val_str(val_path(answer, "response", "patch", NULL));
	if (!base64.n)
		return out;
	_cleanup_buf_ struct buf json = {0};
	assert_true(base64_decode(&json, base64.p, base64.n));
	assert_int_equal(json_parse(a, arena_strndup(a, json.p, json.len), json.len, &patch, NULL),
			 0);
	out.ops = val_len(&patch);
	assert_int_equal(jsonpatch_apply(a, q.object, &patch, &out.pod, NULL), 0);
	return out;
}

static bool gated(const val *pod)
{
	return val_find(val_path(pod, "spec", "readinessGates", NULL), "conditionType",
			str_of("KruisePodReady")) != NULL;
}

static bool ordered(const val *pod)
{
	const val *c = val_at(val_path(pod, "spec", "containers", NULL), 1);
	const val *item = val_find(val_get(c, "env"), "name", str_of("KRUISE_CONTAINER_BARRIER"));
	return val_is(val_path(item, "valueFrom", "configMapKeyRef", "key", NULL), "p_-1");
}

/* covers: inplace:P2 */
static void what_is_done_to_whom(void **state)
{
	static const struct {
		const char *gates, *review;
		bool gated, ordered;
	} rows[] = {
	    {"", REQUEST(POD("'name':'p'", TWO)), false, false},
	    {"", REQUEST(POD("'name':'p'," OWNER, TWO)), true, false},
	    {"", REQUEST(POD("'name':'p'," ORDERED, TWO)), false, true},
	    {"", REQUEST(POD("'name':'p'," OWNER "," ORDERED, TWO)), true, true},
	    {"", REQUEST(",'dryRun':true" POD("'name':'p'," OWNER "," ORDERED, TWO)), true, true},
	    {"KruisePodReadinessGate=true", REQUEST(POD("'name':'p'", TWO)), true, false},
	    {"PodWebhook=false", REQUEST(POD("'name':'p'," OWNER "," ORDERED, TWO)), false, false},
	    {"PodWebhook=false,KruisePodReadinessGate=true", REQUEST(POD("'name':'p'", TWO)), false,
	     false},
	    /* not the birth of a pod that we care for */
	    {"", REQUEST(",'subResource':'binding'" POD("'name':'p'," OWNER "," ORDERED, TWO)),
	     false, false},
	    {"",
	     REQUEST(POD("'name':'p'," OWNER ",'annotations':{'kubernetes.io/config.mirror':'x',"
			 "'apps.kruise.io/container-launch-priority':'Ordered'}",
			 TWO)),
	     false, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		print_message("%s %s\n", rows[i].gates, rows[i].review);
		struct outcome o = admit(a, rows[i].gates, rows[i].review);
		assert_true(o.allowed);
		assert_int_equal(gated(&o.pod), rows[i].gated);
		assert_int_equal(ordered(&o.pod), rows[i].ordered);
		assert_int_equal(o.ops > 0, rows[i].gated || rows[i].ordered);
	}
}

/* Operations other than CREATE, other resources, namespaces of the system: as if we were not there.
 */
static void others_are_left_alone(void **state)
{
	static const struct {
		const char *from, *to;
	} edits[] = {
	    {"'CREATE'", "'UPDATE'"},	      {"'CREATE'", "'DELETE'"},
	    {"'CREATE'", "'CONNECT'"},	      {"'pods'", "'podtemplates'"},
	    {"'group':''", "'group':'apps'"}, {"'namespace':'ns'", "'namespace':'kube-system'"},
	};
	static const char text[] =
	    REQUEST(",'oldObject':{'metadata':{}}" POD("'name':'p'," OWNER "," ORDERED, TWO));
	(void)state;
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		const char *at = strstr(text, edits[i].from);
		assert_non_null(at);
		const char *edited = arena_printf(a, "%.*s%s%s", (int)(at - text), text,
						  edits[i].to, at + strlen(edits[i].from));
		struct outcome o = admit(a, "KruisePodReadinessGate=true", edited);
		print_message("%s\n", edits[i].to);
		assert_true(o.allowed);
		assert_int_equal(o.ops, 0);
	}
}

/* One that is patched anyway gets the namespace; a pod that is not is left as it came. */
static void the_namespace_is_the_requests(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	struct outcome o = admit(a, "", REQUEST(POD("'name':'p'," OWNER, TWO)));
	(void)state;
	assert_true(val_is(val_path(&o.pod, "metadata", "namespace", NULL), "ns"));
	o = admit(a, "", REQUEST(POD("'name':'p','namespace':'own'," OWNER, TWO)));
	assert_true(val_is(val_path(&o.pod, "metadata", "namespace", NULL), "own"));
	assert_int_equal(o.ops, 1);
}

/* covers: inplace:P1 */
static void a_bad_priority_is_refused(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	struct outcome o =
	    admit(a, "",
		  REQUEST(POD("'name':'p'," OWNER,
			      "'spec':{'containers':[{'name':'a'},{'name':'b','env':[{'name':"
			      "'KRUISE_CONTAINER_PRIORITY','value':'high'}]}]}")));
	(void)state;
	assert_false(o.allowed);
	assert_int_equal(o.ops, 0);
	assert_int_equal(val_int_or(val_get(o.status, "code"), 0), 422);
	const val *cause = val_at(val_path(o.status, "details", "causes", NULL), 0);
	assert_true(val_is(val_get(cause, "field"), "spec.containers[1].env[0].value"));
}

static void odd_pods_do_no_harm(void **state)
{
	static const char *const objects[] = {
	    "{}",
	    "{'metadata':7}",
	    "{'metadata':{'ownerReferences':{},'annotations':7},'spec':[]}",
	    "{'spec':{'containers':7,'readinessGates':7}}",
	    "{'metadata':{'namespace':7," ORDERED "},'spec':{'containers':[7,null,{'env':7}]}}",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		struct outcome o = admit(a, "KruisePodReadinessGate=true",
					 arena_printf(a, REQUEST(",'object':%s"), objects[i]));
		assert_true(o.allowed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_done_to_whom),
	    cmocka_unit_test(others_are_left_alone),
	    cmocka_unit_test(the_namespace_is_the_requests),
	    cmocka_unit_test(a_bad_priority_is_refused),
	    cmocka_unit_test(odd_pods_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
