/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/resource.h"
#include "rules/webhookconfig.h"
#include "webhookd/tls.h"
#include "webhookd/webhookd.h"

#include <string.h>

static bool config_ready(struct webhookd *w, struct store_txn *txn, const struct k8s_resource *r,
			 const char *name)
{
	_cleanup_arena_ arena *a = arena_new();
	struct store_entry entry;
	val config;
	return store_get(txn, k8s_resource_key(r), str_of(""), str_of(name), &entry) > 0 &&
	       store_object(&entry, a, &config, NULL) == 0 &&
	       webhookconfig_trusts(&config, str_of(w->ca_base64));
}

/* CRDs that are not in the store are not ours to wait for. */
static bool conversion_ready(struct webhookd *w, struct store_txn *txn)
{
	_cleanup_arena_ arena *a = arena_new();
	struct store_entry entry;
	val crd;
	for (const char *const *name = conversion_crds; *name; name++) {
		if (store_get(txn, k8s_resource_key(&K8S_CRDS), str_of(""), str_of(*name), &entry) >
			0 &&
		    store_object(&entry, a, &crd, NULL) == 0 &&
		    !conversion_trusts(&crd, str_of(w->ca_base64)))
			return false;
	}
	return true;
}

/* NULL when ready, else why not. */
static const char *unready(struct webhookd *w)
{
	_cleanup_store_txn_ struct store_txn *txn = NULL;
	if (!tls_loaded() || !w->ca_base64)
		return "no certificate yet";
	if (!w->self_answered)
		return w->self_error[0] ? w->self_error : "no answer to our own TLS request yet";
	if (!webhookd_store(w) || store_begin(w->store, &txn, NULL) < 0)
		return "no object store yet";
	if (!config_ready(w, txn, &K8S_MUTATING_WEBHOOKS, MUTATING_CONFIG_NAME))
		return MUTATING_CONFIG_NAME " does not carry our CA yet";
	if (!config_ready(w, txn, &K8S_VALIDATING_WEBHOOKS, VALIDATING_CONFIG_NAME))
		return VALIDATING_CONFIG_NAME " does not carry our CA yet";
	if (!conversion_ready(w, txn))
		return "a CRD's conversion does not carry our CA yet";
	return NULL;
}

static bool only_get(const struct http_request *request, struct http_reply *reply)
{
	if (strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0)
		return true;
	reply->code = 405;
	buf_puts(&reply->body, "the method must be GET\n");
	return false;
}

void webhookd_health(const struct http_request *request, struct http_reply *reply, void *userdata)
{
	if (!only_get(request, reply))
		return;
	if (strcmp(request->path, "/healthz") == 0) {
		reply->code = 200;
		buf_puts(&reply->body, "ok\n");
		return;
	}
	if (strcmp(request->path, "/readyz") != 0) {
		reply->code = 404;
		buf_puts(&reply->body, "there are /healthz and /readyz\n");
		return;
	}
	const char *why = unready(userdata);
	reply->code = why ? 503 : 200;
	buf_printf(&reply->body, "%s\n", why ? why : "ok");
}

void webhookd_metrics(const struct http_request *request, struct http_reply *reply, void *userdata)
{
	struct err e = {0};
	(void)userdata;
	if (!only_get(request, reply))
		return;
	if (strcmp(request->path, "/metrics") != 0) {
		reply->code = 404;
		buf_puts(&reply->body, "there is /metrics\n");
		return;
	}
	reply->code = 200;
	reply->content_type = "text/plain; version=0.0.4; charset=utf-8";
	if (metrics_merge_dir(child_rundir(), &reply->body, &e) < 0) {
		reply->code = 500;
		buf_reset(&reply->body);
		buf_printf(&reply->body, "%s\n", e.msg);
	}
}
