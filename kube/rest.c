/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"
#include "kube/rest_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_IN_FLIGHT 100
#define DEFAULT_TIMEOUT_USEC ((uint64_t)30 * 1000000)
#define DEFAULT_RETRIES 5

static int on_pump(sd_event_source *source, void *userdata)
{
	(void)source;
	client_dispatch(userdata);
	return 0;
}

static int on_qps_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	client_dispatch(userdata);
	return 0;
}

/* libcurl sends the name in the URL as SNI and checks the certificate against it; where to connect
 * is told apart. */
static int make_base_url(struct k8s_client *c, struct err *e)
{
	const struct k8s_config *cfg = c->config;
	if (!cfg->tls_server_name) {
		c->base_url = xstrdup(cfg->server);
		return 0;
	}
	CURLU *u = curl_url();
	char *host = NULL, *port = NULL, *url = NULL;
	int r = 0;
	if (curl_url_set(u, CURLUPART_URL, cfg->server, 0) != CURLUE_OK ||
	    curl_url_get(u, CURLUPART_HOST, &host, 0) != CURLUE_OK ||
	    curl_url_get(u, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) != CURLUE_OK ||
	    curl_url_set(u, CURLUPART_HOST, cfg->tls_server_name, 0) != CURLUE_OK ||
	    curl_url_get(u, CURLUPART_URL, &url, 0) != CURLUE_OK) {
		r = err_set(e, EINVAL, "server \"%s\" or tls-server-name \"%s\" is malformed",
			    cfg->server, cfg->tls_server_name);
	} else {
		_cleanup_free_ char *to =
		    xasprintf("%s:%s:%s:%s", cfg->tls_server_name, port, host, port);
		c->connect_to = curl_slist_append(NULL, to);
		size_t n = strlen(url);
		while (n > 0 && url[n - 1] == '/')
			n--;
		c->base_url = xstrndup(url, n);
	}
	curl_free(host);
	curl_free(port);
	curl_free(url);
	curl_url_cleanup(u);
	return r;
}

static void set_options(struct k8s_client *c, const struct k8s_client_options *o)
{
	static const struct k8s_client_options defaults = {0};
	if (!o)
		o = &defaults;
	c->user_agent =
	    xstrdup(o->user_agent ? o->user_agent : "kruised/" KRUISED_VERSION " (linux/amd64)");
	c->qps = o->qps;
	c->burst = o->burst > 0 ? o->burst : 1;
	c->tokens = c->burst;
	c->tokens_usec = client_mono();
	c->max_in_flight = o->max_in_flight > 0 ? (size_t)o->max_in_flight : DEFAULT_IN_FLIGHT;
	c->timeout_usec = o->timeout_usec ? o->timeout_usec : DEFAULT_TIMEOUT_USEC;
	c->may_write = o->may_write;
	c->may_write_data = o->userdata;
	c->unacked_usec = o->unacked_usec;
	c->max_retries = o->max_retries != 0 ? o->max_retries : DEFAULT_RETRIES;
}

static int add_sources(struct k8s_client *c, struct err *e)
{
	int r = sd_event_add_defer(c->loop, &c->pump, on_pump, c);
	if (r >= 0)
		r = sd_event_source_set_enabled(c->pump, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_time(c->loop, &c->qps_timer, CLOCK_MONOTONIC, UINT64_MAX, 1000,
				      on_qps_timer, c);
	if (r >= 0)
		r = sd_event_source_set_enabled(c->qps_timer, SD_EVENT_OFF);
	if (r < 0)
		return err_set(e, -r, "cannot use the event loop: %s", strerror(-r));
	return 0;
}

static char *host_of(const char *url)
{
	const char *scheme = url ? strstr(url, "://") : NULL;
	const char *host = scheme ? scheme + 3 : url ? url : "";
	return xstrndup(host, strcspn(host, "/"));
}

int k8s_client_new(struct k8s_client **out, sd_event *loop, const struct k8s_config *config,
		   const struct k8s_client_options *options, struct err *e)
{
	struct k8s_client *c = xcalloc(1, sizeof(*c));
	TAILQ_INIT(&c->queue);
	TAILQ_INIT(&c->finished);
	TAILQ_INIT(&c->readable);
	c->loop = sd_event_ref(loop);
	c->config = k8s_config_copy(config);
	set_options(c, options);
	c->host = host_of(c->config->server);
	int r = add_sources(c, e);
	if (r == 0)
		r = http_init(c, e);
	if (r == 0)
		r = make_base_url(c, e);
	if (r == 0)
		r = auth_init(c, e);
	if (r < 0) {
		client_destroy(c);
		return r;
	}
	*out = c;
	return 0;
}

void client_destroy(struct k8s_client *c)
{
	for (struct k8s_call *call; (call = LIST_FIRST(&c->all_calls));)
		call_free(call);
	for (struct k8s_watch *w; (w = LIST_FIRST(&c->all_watches));)
		watch_free(w);
	http_exit(c);
	for (size_t i = 0; i < BODY_OTHER; i++)
		curl_slist_free_all(c->headers[i]);
	curl_slist_free_all(c->connect_to);
	sd_event_source_disable_unref(c->pump);
	sd_event_source_disable_unref(c->qps_timer);
	auth_exit(&c->auth);
	k8s_config_free(c->config);
	free(c->user_agent);
	free(c->base_url);
	free(c->host);
	sd_event_unref(c->loop);
	free(c);
}

void k8s_client_free(struct k8s_client *c)
{
	if (!c)
		return;
	if (c->dispatching)
		c->dead = true; /* inside a callback: when that has returned */
	else
		client_destroy(c);
}

void k8s_client_counts(const struct k8s_client *c, k8s_count_fn fn, void *userdata)
{
	for (size_t i = 0; i < c->n_counts; i++)
		fn(c->counts[i].method, c->counts[i].code, c->counts[i].n, userdata);
}

const char *k8s_client_host(const struct k8s_client *c)
{
	return c->host;
}

size_t k8s_client_in_flight(const struct k8s_client *c)
{
	return c->calls;
}

uint64_t k8s_client_connections(const struct k8s_client *c)
{
	return c->connections;
}

/* ---- calls ---- */

static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};

static const char *static_method(const char *s)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (strcmp(methods[i], s) == 0)
			return methods[i];
	}
	return NULL;
}

static struct k8s_call *new_call(struct k8s_client *c, const char *method, k8s_done_fn done,
				 void *userdata)
{
	struct k8s_call *call = xcalloc(1, sizeof(*call));
	call->t.client = c;
	call->method = static_method(method);
	if (!call->method) {
		call->method = "";
		call->failure = xasprintf("HTTP method \"%s\" is not supported", method);
	}
	call->done = done;
	call->userdata = userdata;
	call->max_body = MAX_OBJECT_BODY;
	return call;
}

static char *make_path(const struct k8s_resource *r, const char *ns, const char *name,
		       const char *sub, const char *query)
{
	struct buf b = {0};
	k8s_path(&b, r, ns, name, sub);
	if (query && *query)
		buf_printf(&b, "?%s", query);
	return b.p;
}

static void set_body(struct k8s_call *call, enum body_type type, const val *v)
{
	struct buf b = {0};
	/* as Go writes it: what the API server keeps as raw bytes (a revision's data) it compares
	 * as bytes */
	json_print(&b, v, JSON_GO_HTML);
	call->type = type;
	call->body = b.p;
	call->body_len = b.len;
}

struct k8s_call *k8s_get(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			 const char *name, k8s_done_fn done, void *userdata)
{
	struct k8s_call *call = new_call(c, "GET", done, userdata);
	call->path = make_path(r, ns, name, NULL, NULL);
	call_submit(call);
	return call;
}

struct k8s_call *k8s_list(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			  const char *query, k8s_done_fn done, void *userdata)
{
	struct k8s_call *call = new_call(c, "GET", done, userdata);
	call->path = make_path(r, ns, NULL, NULL, query);
	call->max_body = MAX_LIST_BODY;
	call_submit(call);
	return call;
}

struct k8s_call *k8s_create(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			    const val *object, k8s_done_fn done, void *userdata)
{
	struct k8s_call *call = new_call(c, "POST", done, userdata);
	call->path = make_path(r, ns, NULL, NULL, NULL);
	set_body(call, BODY_JSON, object);
	call_submit(call);
	return call;
}

struct k8s_call *k8s_update(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			    const char *name, const char *sub, const val *object, k8s_done_fn done,
			    void *userdata)
{
	struct k8s_call *call = new_call(c, "PUT", done, userdata);
	call->path = make_path(r, ns, name, sub, NULL);
	set_body(call, BODY_JSON, object);
	call_submit(call);
	return call;
}

struct k8s_call *k8s_patch(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			   const char *name, const char *sub, enum k8s_patch_type type,
			   const val *patch, k8s_done_fn done, void *userdata)
{
	static const enum body_type types[] = {
	    [K8S_PATCH_JSON] = BODY_JSON_PATCH,
	    [K8S_PATCH_MERGE] = BODY_MERGE,
	    [K8S_PATCH_STRATEGIC] = BODY_STRATEGIC,
	};
	struct k8s_call *call = new_call(c, "PATCH", done, userdata);
	call->path = make_path(r, ns, name, sub, NULL);
	set_body(call, types[type], patch);
	call_submit(call);
	return call;
}

struct k8s_call *k8s_delete(struct k8s_client *c, const struct k8s_resource *r, const char *ns,
			    const char *name, const char *uid, int grace_seconds,
			    const char *propagation, k8s_done_fn done, void *userdata)
{
	struct k8s_call *call = new_call(c, "DELETE", done, userdata);
	call->path = make_path(r, ns, name, NULL, NULL);
	_cleanup_arena_ arena *a = arena_new();
	val options = val_map();
	val_set(a, &options, "apiVersion", val_of_str("v1"));
	val_set(a, &options, "kind", val_of_str("DeleteOptions"));
	if (uid)
		val_set(a, val_ensure_map(a, &options, "preconditions"), "uid", val_of_str(uid));
	if (grace_seconds >= 0)
		val_set(a, &options, "gracePeriodSeconds", val_of_int(grace_seconds));
	if (propagation)
		val_set(a, &options, "propagationPolicy", val_of_str(propagation));
	set_body(call, BODY_JSON, &options);
	call_submit(call);
	return call;
}

struct k8s_call *k8s_raw(struct k8s_client *c, const char *method, const char *path_and_query,
			 const char *content_type, const char *body, size_t body_len,
			 k8s_done_fn done, void *userdata)
{
	struct k8s_call *call = new_call(c, method, done, userdata);
	call->path = xstrdup(path_and_query);
	call->max_body = MAX_LIST_BODY;
	if (body) {
		call->type = BODY_OTHER;
		call->body = xstrndup(body, body_len);
		call->body_len = body_len;
		_cleanup_free_ char *line =
		    xasprintf("Content-Type: %s", content_type ? content_type : "application/json");
		call->headers = curl_slist_append(NULL, "Accept: application/json");
		call->headers = curl_slist_append(call->headers, "Expect:");
		call->headers = curl_slist_append(call->headers, line);
	}
	call_submit(call);
	return call;
}
