/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"
#include "rules/webhookconfig.h"
#include "tests/unit/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

/* with the gates given: none, so only what no gate rules is served */
static const struct webhook_endpoint by_url = {.url = "https://127.0.0.1:9876",
					       .ca_bundle = "Q0E="};
static const struct webhook_endpoint by_service = {
    .namespace = "kruise-system", .service = "kruise-webhook-service", .ca_bundle = "Q0E="};

static val parse(arena *a, const char *text)
{
	val v;
	struct err e = {0};
	if (json_parse(a, text, strlen(text), &v, &e) < 0)
		fail_msg("%s", e.msg);
	return v;
}

static const val *webhook(const val *config, const char *name)
{
	return val_find(val_get(config, "webhooks"), "name", str_of(name));
}

static void made_when_absent(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val out;
	(void)state;
	assert_true(webhookconfig_desired(a, WEBHOOK_MUTATE, NULL, &by_url, &out));
	assert_true(val_is(val_get(&out, "kind"), "MutatingWebhookConfiguration"));
	assert_true(val_is(val_path(&out, "metadata", "name", NULL), MUTATING_CONFIG_NAME));
	const val *w = webhook(&out, "mcloneset.kb.io");
	assert_true(val_is(val_path(w, "clientConfig", "url", NULL),
			   "https://127.0.0.1:9876/mutate-apps-kruise-io-cloneset"));
	assert_true(val_is(val_path(w, "clientConfig", "caBundle", NULL), "Q0E="));
	assert_null(val_path(w, "clientConfig", "service", NULL));
	assert_true(webhookconfig_trusts(&out, str_of("Q0E=")));
	assert_false(webhookconfig_trusts(&out, str_of("T0xE")));

	assert_true(webhookconfig_desired(a, WEBHOOK_VALIDATE, NULL, &by_service, &out));
	w = webhook(&out, "vcloneset.kb.io");
	const val *service = val_path(w, "clientConfig", "service", NULL);
	assert_true(val_is(val_get(service, "namespace"), "kruise-system"));
	assert_true(val_is(val_get(service, "name"), "kruise-webhook-service"));
	assert_true(val_is(val_get(service, "path"), "/validate-apps-kruise-io-cloneset"));
	assert_int_equal(val_int_or(val_get(service, "port"), 0), 443);
	assert_null(val_path(w, "clientConfig", "url", NULL));
}

/* covers: manager:W4 */
static void nothing_to_write_when_right(void **state)
{
	static const enum webhook_kind kinds[] = {WEBHOOK_MUTATE, WEBHOOK_VALIDATE};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		_cleanup_arena_ arena *a = arena_new();
		val first, second;
		assert_true(webhookconfig_desired(a, kinds[i], NULL, &by_url, &first));
		assert_false(webhookconfig_desired(a, kinds[i], &first, &by_url, &second));
		/* another address, another CA: written again, and then right again */
		assert_true(webhookconfig_desired(a, kinds[i], &first, &by_service, &second));
		assert_false(webhookconfig_desired(a, kinds[i], &second, &by_service, &first));
	}
}

/* As OpenKruise leaves it: another server's CA, paths of features that are not served here. */
static const char taken_over[] =
    "{\"metadata\":{\"name\":\"kruise-mutating-webhook-configuration\",\"resourceVersion\":\"7\","
    "\"labels\":{\"keep\":\"me\"}},\"webhooks\":["
    "{\"name\":\"mpod.kb.io\",\"clientConfig\":{\"caBundle\":\"T0xE\",\"service\":{\"name\":\"s\","
    "\"namespace\":\"n\",\"path\":\"/mutate-pod\"}}},"
    "{\"name\":\"mcloneset.kb.io\",\"timeoutSeconds\":7,\"clientConfig\":{\"caBundle\":\"T0xE\","
    "\"service\":{\"name\":\"s\",\"namespace\":\"n\",\"path\":\"/mutate-apps-kruise-io-v1alpha1-"
    "cloneset\"}}}]}";

static void taken_over_from_openkruise(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val existing = parse(a, taken_over), out, again;
	(void)state;
	assert_true(webhookconfig_desired(a, WEBHOOK_MUTATE, &existing, &by_service, &out));
	assert_int_equal(val_len(val_get(&out, "webhooks")), 1);
	assert_null(webhook(&out, "mpod.kb.io"));
	const val *w = webhook(&out, "mcloneset.kb.io");
	assert_int_equal(val_int_or(val_get(w, "timeoutSeconds"), 0), 7); /* the user's own */
	assert_true(val_is(val_path(w, "clientConfig", "caBundle", NULL), "Q0E="));
	assert_true(val_is(val_path(w, "clientConfig", "service", "path", NULL),
			   "/mutate-apps-kruise-io-v1alpha1-cloneset"));
	assert_true(val_is(val_path(&out, "metadata", "labels", "keep", NULL), "me"));
	assert_true(val_is(val_path(&out, "metadata", "resourceVersion", NULL), "7"));

	/* what was installed is kept, without the old CA */
	struct str text =
	    val_str(val_path(&out, "metadata", "annotations", ANNO_WEBHOOK_TEMPLATE, NULL));
	val kept = parse(a, arena_strndup(a, text.p, text.n));
	assert_int_equal(val_len(&kept), 2);
	const val *pod = val_find(&kept, "name", str_of("mpod.kb.io"));
	assert_true(val_is(val_path(pod, "clientConfig", "service", "path", NULL), "/mutate-pod"));
	assert_null(val_path(pod, "clientConfig", "caBundle", NULL));
	assert_false(webhookconfig_desired(a, WEBHOOK_MUTATE, &out, &by_service, &again));
}

/* The objects of a cluster that OpenKruise 1.5 managed, with a `template` of its own making. */
static const struct {
	enum webhook_kind kind;
	const char *file, *name, *path;
} recorded[] = {
    {WEBHOOK_MUTATE, "tests/data/webhook/openkruise-1.5-mutating.json", "mcloneset.kb.io",
     "/mutate-apps-kruise-io-v1alpha1-cloneset"},
    {WEBHOOK_VALIDATE, "tests/data/webhook/openkruise-1.5-validating.json", "vcloneset.kb.io",
     "/validate-apps-kruise-io-v1alpha1-cloneset"},
};

static void recorded_configurations_are_taken_over(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val existing = load_cases(a, recorded[i].file), out, again;
		size_t n = val_len(val_get(&existing, "webhooks"));
		assert_true(n > 1);
		assert_true(
		    webhookconfig_desired(a, recorded[i].kind, &existing, &by_service, &out));
		assert_int_equal(val_len(val_get(&out, "webhooks")), 1);

		/* the webhook itself: all as it was but for the CA */
		const val *was = webhook(&existing, recorded[i].name);
		val is = val_copy(a, webhook(&out, recorded[i].name));
		val *client = val_get_mut(&is, "clientConfig");
		assert_true(val_is(val_path(client, "service", "path", NULL), recorded[i].path));
		assert_true(val_is(val_get(client, "caBundle"), "Q0E="));
		val_set(a, &is, "clientConfig", val_copy(a, val_get(was, "clientConfig")));
		assert_true(val_equal(was, &is));

		/* the template names every webhook still, so that another manager finds them */
		struct str text =
		    val_str(val_path(&out, "metadata", "annotations", ANNO_WEBHOOK_TEMPLATE, NULL));
		val kept = parse(a, arena_strndup(a, text.p, text.n));
		assert_int_equal(val_len(&kept), n);
		assert_true(val_equal(val_path(&out, "metadata", "uid", NULL),
				      val_path(&existing, "metadata", "uid", NULL)));
		assert_false(webhookconfig_desired(a, recorded[i].kind, &out, &by_service, &again));
	}
}

/* covers: manager:W1 */
static void the_other_address_goes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val existing = load_cases(a, recorded[i].file), url, service, again;
		assert_true(webhookconfig_desired(a, recorded[i].kind, &existing, &by_url, &url));
		const val *client = val_get(webhook(&url, recorded[i].name), "clientConfig");
		assert_null(val_get(client, "service"));
		assert_true(val_is(val_get(client, "url"),
				   arena_printf(a, "%s%s", by_url.url, recorded[i].path)));

		assert_true(
		    webhookconfig_desired(a, recorded[i].kind, &url, &by_service, &service));
		client = val_get(webhook(&service, recorded[i].name), "clientConfig");
		assert_null(val_get(client, "url"));
		assert_true(val_is(val_path(client, "service", "name", NULL), by_service.service));
		assert_true(val_is(val_path(client, "service", "path", NULL), recorded[i].path));
		assert_false(
		    webhookconfig_desired(a, recorded[i].kind, &service, &by_service, &again));
	}
}

/* What an API server adds by itself is no difference, what somebody has changed is one. */
static void only_real_differences_are_written(void **state)
{
	static const struct {
		const char *edit; /* merged into the webhook */
		bool write;
	} cases[] = {
	    {"{'matchConditions':[]}", false},
	    {"{'newDefault':{'a':1}}", false},
	    {"{'failurePolicy':'Ignore'}", true},
	    {"{'timeoutSeconds':1}", true},
	    {"{'rules':[]}", true},
	    {"{'sideEffects':'Some'}", true},
	    {"{'clientConfig':{'url':'https://127.0.0.1:9876','caBundle':'Q0E='}}", true},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val config, out;
		assert_true(webhookconfig_desired(a, WEBHOOK_MUTATE, NULL, &by_url, &config));
		val edit = js(a, cases[i].edit);
		val *w = val_at_mut(val_get_mut(&config, "webhooks"), 0);
		for (size_t k = 0; k < val_len(&edit); k++)
			val_set(a, w, arena_printf(a, "%.*s", STR_ARG(val_key(&edit, k))),
				*val_value(&edit, k));
		assert_int_equal(webhookconfig_desired(a, WEBHOOK_MUTATE, &config, &by_url, &out),
				 cases[i].write);
		assert_false(cases[i].write &&
			     webhookconfig_desired(a, WEBHOOK_MUTATE, &out, &by_url, &config));
	}
}

static size_t mpods(const val *list)
{
	return val_find(list, "name", str_of("mpod.kb.io")) ? 1 : 0;
}

static val kept_of(arena *a, const val *config)
{
	struct str text =
	    val_str(val_path(config, "metadata", "annotations", ANNO_WEBHOOK_TEMPLATE, NULL));
	return parse(a, arena_strndup(a, text.p, text.n));
}

/* Off takes it out of the object and keeps it in the template, on brings it back as it was. */
static void pods_come_and_go_with_their_gate(void **state)
{
	struct webhook_endpoint on = by_url, off = by_url;
	(void)state;
	on.gates = gates_default();
	assert_int_equal(gates_parse("PodWebhook=false", NULL, &off.gates, NULL), 0);
	_cleanup_arena_ arena *a = arena_new();
	val first, second, third, none;
	assert_true(webhookconfig_desired(a, WEBHOOK_MUTATE, NULL, &on, &first));
	assert_int_equal(val_len(val_get(&first, "webhooks")), 2);
	assert_non_null(webhook(&first, "mpod.kb.io"));
	assert_false(webhookconfig_desired(a, WEBHOOK_MUTATE, &first, &on, &none));

	assert_true(webhookconfig_desired(a, WEBHOOK_MUTATE, &first, &off, &second));
	assert_int_equal(val_len(val_get(&second, "webhooks")), 1);
	assert_null(webhook(&second, "mpod.kb.io"));
	val kept = kept_of(a, &second);
	assert_int_equal(mpods(&kept), 1);
	assert_false(webhookconfig_desired(a, WEBHOOK_MUTATE, &second, &off, &none));

	assert_true(webhookconfig_desired(a, WEBHOOK_MUTATE, &second, &on, &third));
	assert_true(val_equal(val_get(&first, "webhooks"), val_get(&third, "webhooks")));
	/* pods are not validated */
	assert_true(webhookconfig_desired(a, WEBHOOK_VALIDATE, NULL, &on, &none));
	assert_int_equal(val_len(val_get(&none, "webhooks")), 1);
}

/* Nobody's pods may wait long for us, and the control plane's not at all. */
static void the_pod_webhook_is_careful(void **state)
{
	struct webhook_endpoint on = by_url;
	_cleanup_arena_ arena *a = arena_new();
	val out;
	(void)state;
	on.gates = gates_default();
	assert_true(webhookconfig_desired(a, WEBHOOK_MUTATE, NULL, &on, &out));
	const val *w = webhook(&out, "mpod.kb.io");
	assert_true(val_is(val_get(w, "failurePolicy"), "Ignore"));
	assert_in_range(val_int_or(val_get(w, "timeoutSeconds"), 0), 3, 10);
	val rules = js(a, "[{'apiGroups':[''],'apiVersions':['v1'],'operations':['CREATE'],"
			  "'resources':['pods'],'scope':'*'}]");
	assert_true(val_equal(val_get(w, "rules"), &rules));
	val selector =
	    js(a, "{'matchExpressions':[{'key':'control-plane','operator':'DoesNotExist'},{'key':"
		  "'kubernetes.io/metadata.name','operator':'NotIn','values':['kube-system']}]}");
	assert_true(val_equal(val_get(w, "namespaceSelector"), &selector));
	assert_true(
	    val_is(val_path(w, "clientConfig", "url", NULL), "https://127.0.0.1:9876/mutate-pod"));
}

/* A configuration that lacks one of ours, as an older version has left it, gets it; what is there
 * stays the user's. */
static void what_lacks_is_added(void **state)
{
	struct webhook_endpoint on = by_url;
	_cleanup_arena_ arena *a = arena_new();
	val existing = parse(a, taken_over), out;
	(void)state;
	on.gates = gates_default();
	assert_true(webhookconfig_desired(a, WEBHOOK_MUTATE, &existing, &on, &out));
	assert_int_equal(val_len(val_get(&out, "webhooks")), 2);
	assert_null(val_get(webhook(&out, "mpod.kb.io"), "failurePolicy"));
	val *webhooks = val_get_mut(&existing, "webhooks");
	val_remove_at(webhooks, 0);
	assert_true(webhookconfig_desired(a, WEBHOOK_MUTATE, &existing, &on, &out));
	assert_int_equal(val_len(val_get(&out, "webhooks")), 2);
	assert_true(val_is(val_get(webhook(&out, "mpod.kb.io"), "failurePolicy"), "Ignore"));
}

/* covers: manager:W4 */
static void edits_are_put_back(void **state)
{
	_cleanup_arena_ arena *a = arena_new();
	val config, out;
	(void)state;
	assert_true(webhookconfig_desired(a, WEBHOOK_VALIDATE, NULL, &by_url, &config));
	val edited = val_copy(a, &config);
	val *client = val_get_mut(val_at_mut(val_get_mut(&edited, "webhooks"), 0), "clientConfig");
	val_set(a, client, "caBundle", val_of_str("T0xE"));
	assert_true(webhookconfig_desired(a, WEBHOOK_VALIDATE, &edited, &by_url, &out));
	assert_true(webhookconfig_trusts(&out, str_of("Q0E=")));
	/* a webhook that somebody removed comes back from the template */
	val_set(a, &edited, "webhooks", val_array());
	assert_true(webhookconfig_desired(a, WEBHOOK_VALIDATE, &edited, &by_url, &out));
	assert_non_null(webhook(&out, "vcloneset.kb.io"));
}

/* covers: manager:W4 */
static void conversion(void **state)
{
	(void)state;
	_cleanup_arena_ arena *a = arena_new();
	val crd = parse(a, "{\"metadata\":{\"name\":\"clonesets.apps.kruise.io\"},\"spec\":{"
			   "\"versions\":[{\"name\":\"v1alpha1\"},{\"name\":\"v1beta1\"}],"
			   "\"conversion\":{\"strategy\":\"None\"}}}");
	val out, again;

	/* with several versions and no conversion, the API server would mix them up */
	assert_false(conversion_trusts(&crd, str_of("Q0E=")));
	assert_true(conversion_desired(a, &crd, &by_url, &out));
	assert_string_equal(json_str(a, val_path(&out, "spec", "conversion", NULL), JSON_SORTED),
			    "{\"strategy\":\"Webhook\",\"webhook\":{\"clientConfig\":{\"caBundle\":"
			    "\"Q0E=\",\"url\":\"https://127.0.0.1:9876/convert\"},"
			    "\"conversionReviewVersions\":[\"v1\",\"v1beta1\"]}}");
	assert_true(conversion_trusts(&out, str_of("Q0E=")));
	assert_false(conversion_desired(a, &out, &by_url, &again));
	/* the other address goes, an edited CA too */
	assert_true(conversion_desired(a, &out, &by_service, &again));
	assert_null(val_path(&again, "spec", "conversion", "webhook", "clientConfig", "url", NULL));
	val_set(a, val_path_mut(&out, "spec", "conversion", "webhook", "clientConfig", NULL),
		"caBundle", val_of_str("T0xE"));
	assert_false(conversion_trusts(&out, str_of("Q0E=")));
	assert_true(conversion_desired(a, &out, &by_url, &again));
	assert_true(conversion_trusts(&again, str_of("Q0E=")));

	/* the CRD of OpenKruise 1.1 has one version: nothing to convert */
	crd = parse(a, "{\"spec\":{\"versions\":[{\"name\":\"v1alpha1\"}]}}");
	assert_false(conversion_desired(a, &crd, &by_url, &out));
	assert_true(conversion_trusts(&crd, str_of("Q0E=")));
	crd = parse(a, "{\"spec\":{\"versions\":[1,2],\"conversion\":7}}");
	assert_true(conversion_desired(a, &crd, &by_url, &out));
	crd = val_null();
	assert_false(conversion_desired(a, &crd, &by_url, &out));
}

static void odd_objects_do_no_harm(void **state)
{
	static const char *const texts[] = {
	    "{}",
	    "{\"webhooks\":7}",
	    "{\"webhooks\":[7,null,[]]}",
	    "{\"metadata\":{\"annotations\":{\"template\":\"not json\"}}}",
	    "{\"metadata\":{\"annotations\":{\"template\":\"{}\"}},\"webhooks\":[{\"clientConfig\":"
	    "1}]}",
	    "{\"webhooks\":[{\"clientConfig\":{\"url\":\"https://"
	    "\"}},{\"clientConfig\":{\"url\":\"x\"}}]}",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		_cleanup_arena_ arena *a = arena_new();
		val existing = parse(a, texts[i]), out, again;
		assert_true(webhookconfig_desired(a, WEBHOOK_MUTATE, &existing, &by_url, &out));
		assert_int_equal(val_len(val_get(&out, "webhooks")), 1);
		assert_false(webhookconfig_desired(a, WEBHOOK_MUTATE, &out, &by_url, &again));
	}
}

static void paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_webhook_paths; i++)
		assert_ptr_equal(webhook_path_find(str_of(webhook_paths[i].path)),
				 &webhook_paths[i]);
	assert_null(webhook_path_find(str_of("/mutate-pods")));
	assert_null(webhook_path_find(str_of("")));
	assert_null(webhook_path_find((struct str){0}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(made_when_absent),
	    cmocka_unit_test(nothing_to_write_when_right),
	    cmocka_unit_test(taken_over_from_openkruise),
	    cmocka_unit_test(recorded_configurations_are_taken_over),
	    cmocka_unit_test(the_other_address_goes),
	    cmocka_unit_test(only_real_differences_are_written),
	    cmocka_unit_test(pods_come_and_go_with_their_gate),
	    cmocka_unit_test(the_pod_webhook_is_careful),
	    cmocka_unit_test(what_lacks_is_added),
	    cmocka_unit_test(edits_are_put_back),
	    cmocka_unit_test(conversion),
	    cmocka_unit_test(odd_objects_do_no_harm),
	    cmocka_unit_test(paths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
