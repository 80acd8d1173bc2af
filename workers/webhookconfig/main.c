/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/webhookconfig/main.h"

#include "ipc/base/log.h"
#include "rules/certrenewal.h"
#include "workers/webhookconfig/webhookconfig.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_USEC 60000000u	 /* everything is re-checked that often */
#define FIRST_RETRY_USEC 200000u /* doubling… */
#define MAX_RETRY_USEC 10000000u /* …up to this */

static const char *env_or(const char *name, const char *fallback)
{
	const char *v = getenv(name);
	return v && *v ? v : fallback;
}

static void next_round(struct webhookconfig *wc, uint64_t usec)
{
	sd_event_source_set_time(wc->timer, mono_usec() + usec);
	sd_event_source_set_enabled(wc->timer, SD_EVENT_ONESHOT);
}

static int on_timer(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct webhookconfig *wc = userdata;
	(void)s;
	(void)usec;
	wc->busy = true;
	wc->again = false;
	webhookconfig_certs(wc);
	return 0;
}

void webhookconfig_have_certs(struct webhookconfig *wc)
{
	webhookconfig_configure(wc);
}

void webhookconfig_done(struct webhookconfig *wc)
{
	wc->busy = false;
	wc->failures = 0;
	wc->soonest = 0;
	wc->set_up = true;
	child_set_ready(wc->w.child, true, NULL);
	next_round(wc, wc->again ? 0 : ROUND_USEC);
}

void webhookconfig_failed(struct webhookconfig *wc, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_warn("%s", text);
	/* what has been set up goes on serving: readiness is not taken back, the note tells */
	child_set_ready(wc->w.child, wc->set_up, text);
	uint64_t delay = FIRST_RETRY_USEC;
	for (unsigned i = 0; i < wc->failures && delay < MAX_RETRY_USEC; i++)
		delay *= 2;
	wc->failures++;
	wc->busy = false;
	delay = delay < MAX_RETRY_USEC ? delay : MAX_RETRY_USEC;
	wc->soonest = mono_usec() + delay;
	next_round(wc, delay);
}

static void kick(struct webhookconfig *wc)
{
	if (wc->busy) {
		wc->again = true;
		return;
	}
	uint64_t now = mono_usec();
	next_round(wc, wc->soonest > now ? wc->soonest - now : 0);
}

/* Somebody has touched a configuration, a CRD or the Secret: see that it is as it should be. */
static void on_delta(const char *resource, const struct delta *d, void *userdata)
{
	struct webhookconfig *wc = userdata;
	(void)resource;
	if (webhookconfig_is_target(d->name) || str_is(d->name, wc->secret_name))
		kick(wc);
}

static void on_gap(const char *resource, void *userdata)
{
	(void)resource;
	kick(userdata);
}

static int read_environment(struct webhookconfig *wc, struct err *e)
{
	const char *host = env_or("WEBHOOK_HOST", NULL);
	const char *port = env_or("WEBHOOK_PORT", "9876");
	const char *writer = env_or("WEBHOOK_CERT_WRITER", host ? "fs" : "secret");
	wc->namespace = env_or("POD_NAMESPACE", "kruise-system");
	wc->service = env_or("SERVICE_NAME", "kruise-webhook-service");
	wc->secret_name = env_or("SECRET_NAME", "kruise-webhook-certs");
	wc->cert_dir = env_or("WEBHOOK_CERT_DIR", "/tmp/kruise-webhook-certs");
	wc->files = strcmp(writer, "fs") == 0;
	if (!wc->files && strcmp(writer, "secret") != 0)
		return err_set(e, EINVAL, "WEBHOOK_CERT_WRITER: must be secret or fs: %s", writer);
	if (host) {
		bool v6 = strchr(host, ':') != NULL;
		wc->host = xstrdup(host);
		wc->url = xasprintf(v6 ? "https://[%s]:%s" : "https://%s:%s", host, port);
	} else {
		wc->host = xasprintf("%s.%s.svc", wc->service, wc->namespace);
	}
	return certs_renew_before(getenv("CERTS_RENEW_BEFORE"), &wc->renew_before, e);
}

static int start(struct webhookconfig *wc, int argc, char **argv, struct err *e)
{
	const char *const topics[] = {
	    k8s_resource_key(&K8S_MUTATING_WEBHOOKS), k8s_resource_key(&K8S_VALIDATING_WEBHOOKS),
	    k8s_resource_key(&K8S_CRDS), k8s_resource_key(&K8S_SECRETS), NULL};
	int r = worker_init(&wc->w, "webhookconfig", NULL, argc, argv, NULL, e);
	if (r == 0)
		r = read_environment(wc, e);
	if (r == 0)
		r = delta_sub_new(&wc->w.deltas, wc->w.loop, child_rundir(), topics, on_delta,
				  on_gap, wc, e);
	if (r < 0)
		return r;
	r = sd_event_add_time(wc->w.loop, &wc->timer, CLOCK_MONOTONIC, 0, 1000, on_timer, wc);
	return r < 0 ? err_set(e, -r, "cannot add a timer") : 0;
}

int webhookconfig_main(int argc, char **argv)
{
	struct webhookconfig wc = {0};
	struct err e = {0};
	if (start(&wc, argc, argv, &e) < 0)
		fatal("%s", e.msg);
	int rc = worker_loop(&wc.w);
	sd_event_source_disable_unref(wc.timer);
	cert_set_free(&wc.certs);
	free(wc.ca_base64);
	free(wc.host);
	free(wc.url);
	worker_exit(&wc.w);
	return rc;
}
