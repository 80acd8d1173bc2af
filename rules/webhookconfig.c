/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/webhookconfig.h"

#include "kube/json.h"

#include <string.h>

static const struct {
	const char *name, *kind_name;
} kinds[] = {
    [WEBHOOK_MUTATE] = {MUTATING_CONFIG_NAME, "MutatingWebhookConfiguration"},
    [WEBHOOK_VALIDATE] = {VALIDATING_CONFIG_NAME, "ValidatingWebhookConfiguration"},
};

#define RULE(groups, versions, operations, resources)                                             \
	"[{\"apiGroups\":[" groups "],\"apiVersions\":[" versions "],\"operations\":[" operations \
	"],\"resources\":[" resources "],\"scope\":\"*\"}]"
#define KRUISE "\"apps.kruise.io\"", "\"v1alpha1\",\"v1beta1\""
#define CREATE_UPDATE "\"CREATE\",\"UPDATE\""
#define RULE_OF(...) RULE(__VA_ARGS__) /* KRUISE is two arguments */

/* Pods of the system's own namespaces start without us. An API server before 1.21 puts no
 * metadata.name label on namespaces: there the handler leaves kube-system out. */
#define NOT_OF_THE_SYSTEM                                                                   \
	"{\"matchExpressions\":[{\"key\":\"control-plane\",\"operator\":\"DoesNotExist\"}," \
	"{\"key\":\"kubernetes.io/metadata.name\",\"operator\":\"NotIn\",\"values\":["      \
	"\"kube-system\"]}]}"

/* What is put into a configuration that lacks it. With every default spelled out, so that what the
 * API server returns compares equal. */
static const struct builtin {
	const char *name, *path;
	const char *policy;
	int timeout; /* seconds */
	const char *namespaces, *rules;
} builtins[] = {
    {"mcloneset.kb.io", "/mutate-apps-kruise-io-cloneset", "Fail", 30, "{}",
     RULE_OF(KRUISE, CREATE_UPDATE, "\"clonesets\"")},
    /* The whole cluster's pods wait here. A hung webhookd is replaced within 3 s; whoever is not
     * answered by then will not be. */
    {"mpod.kb.io", "/mutate-pod", "Ignore", 5, NOT_OF_THE_SYSTEM,
     RULE("\"\"", "\"v1\"", "\"CREATE\"", "\"pods\"")},
    {"vcloneset.kb.io", "/validate-apps-kruise-io-cloneset", "Fail", 30, "{}",
     RULE_OF(KRUISE, CREATE_UPDATE ",\"DELETE\"", "\"clonesets\"")},
};

/* The path of a webhook, from either form of clientConfig. */
static struct str path_of(const val *webhook)
{
	const val *client = val_get(webhook, "clientConfig");
	struct str path = val_str(val_path(client, "service", "path", NULL));
	if (path.p)
		return path;
	struct str url = val_str(val_get(client, "url"));
	const char *host =
	    url.n > 8 ? memchr(url.p + 8, '/', url.n - 8) : NULL; /* behind "https://" */
	if (!host)
		return (struct str){0};
	return (struct str){host, url.n - (size_t)(host - url.p)};
}

static bool parse_list(arena *a, struct str text, val *out)
{
	return text.p && json_parse(a, text.p, text.n, out, NULL) == 0 && val_is_array(out);
}

static bool has(const val *list, const struct webhook_path *want)
{
	for (size_t i = 0; i < val_len(list); i++) {
		const struct webhook_path *p = webhook_path_find(path_of(val_at(list, i)));
		if (p && p->kind == want->kind && strcmp(p->resource, want->resource) == 0)
			return true;
	}
	return false;
}

static val make_builtin(arena *a, const struct builtin *b, enum webhook_kind kind)
{
	val webhook;
	const char *text = arena_printf(
	    a,
	    "{\"name\":\"%s\",\"admissionReviewVersions\":[\"v1\",\"v1beta1\"],"
	    "\"clientConfig\":{\"service\":{\"path\":\"%s\"}},\"failurePolicy\":\"%s\","
	    "\"matchPolicy\":\"Equivalent\",%s\"sideEffects\":\"None\",\"timeoutSeconds\":%d,"
	    "\"namespaceSelector\":%s,\"objectSelector\":{},\"rules\":%s}",
	    b->name, b->path, b->policy,
	    kind == WEBHOOK_MUTATE ? "\"reinvocationPolicy\":\"Never\"," : "", b->timeout,
	    b->namespaces, b->rules);
	return json_parse(a, text, strlen(text), &webhook, NULL) < 0 ? val_map() : webhook;
}

/* The webhooks as installed: of the annotation, else of the object. Ours are added when they lack.
 */
static val template_of(arena *a, enum webhook_kind kind, const val *existing)
{
	val list = val_array();
	struct str text =
	    val_str(val_path(existing, "metadata", "annotations", ANNO_WEBHOOK_TEMPLATE, NULL));
	if (!parse_list(a, text, &list)) {
		const val *webhooks = val_get(existing, "webhooks");
		list = val_is_array(webhooks) ? val_copy(a, webhooks) : val_array();
	}
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		const struct webhook_path *p = webhook_path_find(str_of(builtins[i].path));
		if (p->kind == kind && !has(&list, p))
			val_push(a, &list, make_builtin(a, &builtins[i], kind));
	}
	return list;
}

static val client_config(arena *a, struct str path, const struct webhook_endpoint *ep)
{
	val client = val_map();
	if (ep->url) {
		val_set(a, &client, "url",
			val_of_str(arena_printf(a, "%s%.*s", ep->url, STR_ARG(path))));
	} else {
		val *service = val_ensure_map(a, &client, "service");
		val_set(a, service, "namespace", val_of_str(ep->namespace));
		val_set(a, service, "name", val_of_str(ep->service));
		val_set(a, service, "path", val_of_strn(path));
		val_set(a, service, "port", val_of_int(443));
	}
	val_set(a, &client, "caBundle", val_of_str(ep->ca_bundle));
	return client;
}

/* What is kept for later carries no CA: it would be out of date then. */
static val without_bundles(arena *a, const val *list)
{
	val copy = val_copy(a, list);
	for (size_t i = 0; i < val_len(&copy); i++) {
		val *client = val_get_mut(val_at_mut(&copy, i), "clientConfig");
		if (client)
			val_del(client, "caBundle");
	}
	return copy;
}

static val served(arena *a, const val *template, const struct webhook_endpoint *ep)
{
	val out = val_array();
	for (size_t i = 0; i < val_len(template); i++) {
		struct str path = path_of(val_at(template, i));
		const struct webhook_path *p = webhook_path_find(path);
		if (!p || !webhook_path_on(p, &ep->gates))
			continue;
		val webhook = val_copy(a, val_at(template, i));
		val_set(a, &webhook, "clientConfig", client_config(a, path, ep));
		val_push(a, &out, webhook);
	}
	return out;
}

/* Everything in `want` is in `have`; the API server adds defaults to what was written. */
static bool covers(const val *have, const val *want)
{
	if (val_is_map(want)) {
		for (size_t i = 0; i < val_len(want); i++) {
			struct str key = val_key(want, i);
			const val *h = val_getn(have, key);
			bool same = str_is(key, "clientConfig") ? val_equal(h, val_value(want, i))
								: covers(h, val_value(want, i));
			if (!same)
				return false;
		}
		return val_is_map(have);
	}
	if (val_is_array(want)) {
		if (!val_is_array(have) || val_len(have) != val_len(want))
			return false;
		for (size_t i = 0; i < val_len(want); i++) {
			if (!covers(val_at(have, i), val_at(want, i)))
				return false;
		}
		return true;
	}
	return val_equal(have, want);
}

static val skeleton(arena *a, enum webhook_kind kind)
{
	val out = val_map();
	val_set(a, &out, "apiVersion", val_of_str("admissionregistration.k8s.io/v1"));
	val_set(a, &out, "kind", val_of_str(kinds[kind].kind_name));
	val_set(a, val_ensure_map(a, &out, "metadata"), "name", val_of_str(kinds[kind].name));
	return out;
}

bool webhookconfig_desired(arena *a, enum webhook_kind kind, const val *existing,
			   const struct webhook_endpoint *ep, val *out)
{
	val template = template_of(a, kind, existing);
	val webhooks = served(a, &template, ep);
	val kept = without_bundles(a, &template);
	struct str annotation =
	    val_str(val_path(existing, "metadata", "annotations", ANNO_WEBHOOK_TEMPLATE, NULL));
	val parsed;
	bool annotated = parse_list(a, annotation, &parsed) && val_equal(&parsed, &kept);
	if (existing && annotated && covers(val_get(existing, "webhooks"), &webhooks))
		return false;

	*out = existing ? val_copy(a, existing) : skeleton(a, kind);
	val *meta = val_ensure_map(a, out, "metadata");
	val *annotations = val_ensure_map(a, meta, "annotations");
	if (!annotated)
		val_set(a, annotations, ANNO_WEBHOOK_TEMPLATE, val_of_str(json_str(a, &kept, 0)));
	val_set(a, out, "webhooks", webhooks);
	return true;
}

/* ---- conversion ---- */

const char *const conversion_crds[] = {"clonesets.apps.kruise.io", NULL};

static bool needs_conversion(const val *crd)
{
	return val_len(val_path(crd, "spec", "versions", NULL)) > 1;
}

bool conversion_desired(arena *a, const val *crd, const struct webhook_endpoint *ep, val *out)
{
	if (!needs_conversion(crd))
		return false;
	val webhook = val_map(), versions = val_array();
	val_push(a, &versions, val_of_str("v1"));
	val_push(a, &versions, val_of_str("v1beta1"));
	val_set(a, &webhook, "conversionReviewVersions", versions);
	val_set(a, &webhook, "clientConfig", client_config(a, str_of("/convert"), ep));
	val conversion = val_map();
	val_set(a, &conversion, "strategy", val_of_str("Webhook"));
	val_set(a, &conversion, "webhook", webhook);
	if (val_equal(val_path(crd, "spec", "conversion", NULL), &conversion))
		return false;
	*out = val_copy(a, crd);
	val_set(a, val_get_mut(out, "spec"), "conversion", conversion);
	return true;
}

bool conversion_trusts(const val *crd, struct str ca_bundle)
{
	const val *ca =
	    val_path(crd, "spec", "conversion", "webhook", "clientConfig", "caBundle", NULL);
	return !needs_conversion(crd) || (val_is_str(ca) && str_eq(val_str(ca), ca_bundle));
}

bool webhookconfig_trusts(const val *config, struct str ca_bundle)
{
	const val *webhooks = val_get(config, "webhooks");
	for (size_t i = 0; i < val_len(webhooks); i++) {
		const val *ca = val_path(val_at(webhooks, i), "clientConfig", "caBundle", NULL);
		if (!val_is_str(ca) || !str_eq(val_str(ca), ca_bundle))
			return false;
	}
	return val_len(webhooks) > 0;
}
