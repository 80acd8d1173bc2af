/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/base64.h"
#include "webhookd/tls.h"
#include "webhookd/webhookd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>

#define SELF_RETRY_USEC 200000
#define CA_MAX (64u << 10)

static char *server_name(void)
{
	const char *host = getenv("WEBHOOK_HOST");
	const char *service = getenv("SERVICE_NAME"), *ns = getenv("POD_NAMESPACE");
	if (host && *host)
		return xstrdup(host);
	return xasprintf("%s.%s.svc", service && *service ? service : "kruise-webhook-service",
			 ns && *ns ? ns : "kruise-system");
}

static void again(struct webhookd *w, uint64_t usec)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	uint64_t now = (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
	sd_event_source_set_time(w->self_timer, now + usec);
	sd_event_source_set_enabled(w->self_timer, SD_EVENT_ONESHOT);
}

static void on_self(const struct k8s_response *r, void *userdata)
{
	struct webhookd *w = userdata;
	w->self_answered = r->code == 200;
	if (w->self_answered) {
		child_set_ready(w->child, true, NULL);
		return;
	}
	snprintf(w->self_error, sizeof(w->self_error), "our own TLS request failed: %s",
		 r->error ? r->error : "?");
	child_set_ready(w->child, false, w->self_error);
	again(w, SELF_RETRY_USEC);
}

static int on_self_timer(sd_event_source *s, uint64_t usec, void *userdata)
{
	struct webhookd *w = userdata;
	(void)s;
	(void)usec;
	if (w->self)
		k8s_raw(w->self, "GET", "/healthz", NULL, NULL, 0, on_self, w);
	return 0;
}

/* A client that trusts our CA and nothing else, and expects the name that the API server will
 * expect. */
static int self_client(struct webhookd *w, const char *ca_pem, struct err *e)
{
	const char *port = getenv("WEBHOOK_PORT");
	struct k8s_config config = {
	    .server = xasprintf("https://127.0.0.1:%s", port && *port ? port : "9876"),
	    .tls_server_name = server_name(),
	    .ca_data = xstrdup(ca_pem),
	};
	const struct k8s_client_options options = {.user_agent = "kruise-webhookd",
						   .max_in_flight = 1};
	k8s_client_free(w->self);
	w->self = NULL;
	int r = k8s_client_new(&w->self, w->loop, &config, &options, e);
	free(config.server);
	free(config.tls_server_name);
	free(config.ca_data);
	return r;
}

static int read_ca(struct webhookd *w, char **pem, struct err *e)
{
	_cleanup_free_ char *path = xasprintf("%s/ca-cert.pem", w->dir);
	_cleanup_free_ char *text = xmalloc(CA_MAX + 1);
	FILE *f = fopen(path, "re");
	if (!f)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	size_t n = fread(text, 1, CA_MAX, f);
	fclose(f);
	text[n] = '\0';
	_cleanup_buf_ struct buf b64 = {0};
	base64_encode(&b64, text, n);
	free(w->ca_base64);
	w->ca_base64 = xstrdup(buf_str(&b64));
	*pem = xstrndup(text, n);
	return 0;
}

static void load(struct webhookd *w)
{
	struct err e = {0};
	_cleanup_free_ char *pair = xasprintf("%s/serving.pem", w->dir);
	_cleanup_free_ char *ca = NULL;
	w->self_answered = false;
	if (read_ca(w, &ca, &e) < 0 || tls_load(pair, &e) < 0 || self_client(w, ca, &e) < 0) {
		log_debug("no certificate yet: %s", e.msg);
		child_set_ready(w->child, false, "waiting for the certificate");
		return;
	}
	log_info("certificate loaded");
	again(w, 0);
}

static int on_inotify(sd_event_source *s, const struct inotify_event *event, void *userdata)
{
	(void)s;
	/* serving.pem is written last */
	if (event->len && strcmp(event->name, "serving.pem") == 0)
		load(userdata);
	return 0;
}

int webhookd_certificate_start(struct webhookd *w, struct err *e)
{
	w->dir = xasprintf("%s/webhook", child_rundir());
	if (mkdir(w->dir, 0700) < 0 && errno != EEXIST)
		return err_set(e, errno, "%s: %s", w->dir, strerror(errno));
	int r = sd_event_add_inotify(w->loop, &w->inotify, w->dir, IN_MOVED_TO | IN_CLOSE_WRITE,
				     on_inotify, w);
	if (r >= 0)
		r = sd_event_add_time(w->loop, &w->self_timer, CLOCK_MONOTONIC, 0, 1000,
				      on_self_timer, w);
	if (r < 0)
		return err_set(e, -r, "cannot watch %s: %s", w->dir, strerror(-r));
	sd_event_source_set_enabled(w->self_timer, SD_EVENT_OFF);
	load(w);
	return 0;
}

void webhookd_certificate_stop(struct webhookd *w)
{
	sd_event_source_disable_unref(w->inotify);
	sd_event_source_disable_unref(w->self_timer);
	k8s_client_free(w->self);
	free(w->ca_base64);
	free(w->dir);
	tls_unload();
}
