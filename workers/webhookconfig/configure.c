/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/webhookconfig/webhookconfig.h"

#include "ipc/base/log.h"

static const struct {
	const struct k8s_resource *resource;
	const char *name;
} configs[] = {
    [WEBHOOK_MUTATE] = {&K8S_MUTATING_WEBHOOKS, MUTATING_CONFIG_NAME},
    [WEBHOOK_VALIDATE] = {&K8S_VALIDATING_WEBHOOKS, VALIDATING_CONFIG_NAME},
};

static void look_at(struct webhookconfig *wc, enum webhook_kind kind);

static void next(struct webhookconfig *wc)
{
	if (wc->kind == WEBHOOK_MUTATE)
		look_at(wc, WEBHOOK_VALIDATE);
	else
		webhookconfig_done(wc);
}

static void on_written(const struct k8s_response *r, void *userdata)
{
	struct webhookconfig *wc = userdata;
	if (k8s_is_conflict(r) || k8s_is_already_exists(r)) {
		look_at(wc, wc->kind);
		return;
	}
	if (!k8s_ok(r)) {
		webhookconfig_failed(wc, "cannot write %s: %s", configs[wc->kind].name, r->error);
		return;
	}
	log_info("%s is up to date", configs[wc->kind].name);
	next(wc);
}

static void on_config(const struct k8s_response *r, void *userdata)
{
	struct webhookconfig *wc = userdata;
	const struct k8s_resource *resource = configs[wc->kind].resource;
	const char *name = configs[wc->kind].name;
	_cleanup_arena_ arena *a = arena_new();
	val desired;
	if (!k8s_ok(r) && !k8s_is_not_found(r)) {
		webhookconfig_failed(wc, "cannot read %s: %s", name, r->error);
		return;
	}
	const struct webhook_endpoint endpoint = {
	    .url = wc->url,
	    .namespace = wc->namespace,
	    .service = wc->service,
	    .ca_bundle = wc->ca_base64,
	    .gates = wc->w.gates,
	};
	const val *existing = k8s_ok(r) ? r->object : NULL;
	if (!webhookconfig_desired(a, wc->kind, existing, &endpoint, &desired))
		next(wc);
	else if (existing)
		k8s_update(wc->w.client, resource, NULL, name, NULL, &desired, on_written, wc);
	else
		k8s_create(wc->w.client, resource, NULL, &desired, on_written, wc);
}

static void look_at(struct webhookconfig *wc, enum webhook_kind kind)
{
	wc->kind = kind;
	k8s_get(wc->w.client, configs[kind].resource, NULL, configs[kind].name, on_config, wc);
}

void webhookconfig_configure(struct webhookconfig *wc)
{
	look_at(wc, WEBHOOK_MUTATE);
}
