/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/webhookconfig/webhookconfig.h"

#include "ipc/base/log.h"

/* The objects that say where we are and which CA to trust, one after the other. */
struct target {
	const struct k8s_resource *resource;
	const char *name;
	enum webhook_kind kind; /* of a webhook configuration; CRDs have none */
};

#define N_CONFIGS 2
static const struct target configs[N_CONFIGS] = {
    {&K8S_MUTATING_WEBHOOKS, MUTATING_CONFIG_NAME, WEBHOOK_MUTATE},
    {&K8S_VALIDATING_WEBHOOKS, VALIDATING_CONFIG_NAME, WEBHOOK_VALIDATE},
};

static bool target_of(size_t i, struct target *out)
{
	if (i < N_CONFIGS)
		*out = configs[i];
	else
		*out =
		    (struct target){.resource = &K8S_CRDS, .name = conversion_crds[i - N_CONFIGS]};
	return out->name != NULL;
}

static bool is_crd(const struct target *t)
{
	return t->resource == &K8S_CRDS;
}

static void look_at(struct webhookconfig *wc, size_t i);

static void next(struct webhookconfig *wc)
{
	look_at(wc, wc->target + 1);
}

static void on_written(const struct k8s_response *r, void *userdata)
{
	struct webhookconfig *wc = userdata;
	struct target t;
	target_of(wc->target, &t);
	if (k8s_is_conflict(r) || k8s_is_already_exists(r)) {
		look_at(wc, wc->target);
		return;
	}
	if (!k8s_ok(r)) {
		webhookconfig_failed(wc, "cannot write %s: %s", t.name, r->error);
		return;
	}
	log_info("%s is up to date", t.name);
	next(wc);
}

static bool desired_of(struct webhookconfig *wc, arena *a, const struct target *t,
		       const val *existing, val *out)
{
	const struct webhook_endpoint endpoint = {
	    .url = wc->url,
	    .namespace = wc->namespace,
	    .service = wc->service,
	    .ca_bundle = wc->ca_base64,
	    .gates = wc->w.gates,
	};
	if (is_crd(t)) /* to install one is not for us to do */
		return existing && conversion_desired(a, existing, &endpoint, out);
	return webhookconfig_desired(a, t->kind, existing, &endpoint, out);
}

static void on_target(const struct k8s_response *r, void *userdata)
{
	struct webhookconfig *wc = userdata;
	struct target t;
	_cleanup_arena_ arena *a = arena_new();
	val desired;
	target_of(wc->target, &t);
	if (!k8s_ok(r) && !k8s_is_not_found(r)) {
		webhookconfig_failed(wc, "cannot read %s: %s", t.name, r->error);
		return;
	}
	const val *existing = k8s_ok(r) ? r->object : NULL;
	if (!desired_of(wc, a, &t, existing, &desired))
		next(wc);
	else if (existing)
		k8s_update(wc->w.client, t.resource, NULL, t.name, NULL, &desired, on_written, wc);
	else
		k8s_create(wc->w.client, t.resource, NULL, &desired, on_written, wc);
}

static void look_at(struct webhookconfig *wc, size_t i)
{
	struct target t;
	wc->target = i;
	if (target_of(i, &t))
		k8s_get(wc->w.client, t.resource, NULL, t.name, on_target, wc);
	else
		webhookconfig_done(wc);
}

bool webhookconfig_is_target(struct str name)
{
	struct target t;
	for (size_t i = 0; target_of(i, &t); i++) {
		if (str_is(name, t.name))
			return true;
	}
	return false;
}

void webhookconfig_configure(struct webhookconfig *wc)
{
	look_at(wc, 0);
}
