/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/reflect.h"

#include "ipc/base/log.h"
#include "kube/json.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 500
#define RETRY_MIN_USEC 100000u
#define RETRY_MAX_USEC 2000000u

struct reflector {
	struct k8s_client *client;
	const struct k8s_resource *resource;
	char *query;
	const struct reflect_ops *ops;
	void *userdata;
	sd_event_source *retry;
	uint64_t backoff;
	struct k8s_call *list;
	struct k8s_watch *watch;
	char *version; /* to watch from; NULL: list first */
	char *next;    /* page token of a list under way */
};

static void begin(struct reflector *r);

static void set_str(char **p, struct str s)
{
	free(*p);
	*p = s.n ? xstrndup(s.p, s.n) : NULL;
}

static void later(struct reflector *r)
{
	r->backoff = r->backoff ? r->backoff * 2 : RETRY_MIN_USEC;
	if (r->backoff > RETRY_MAX_USEC)
		r->backoff = RETRY_MAX_USEC;
	sd_event_source_set_time_relative(r->retry, r->backoff);
	sd_event_source_set_enabled(r->retry, SD_EVENT_ONESHOT);
}

static int on_retry(sd_event_source *s, uint64_t usec, void *userdata)
{
	(void)s;
	(void)usec;
	begin(userdata);
	return 0;
}

/* A watch line. False: the stream is of no more use. */
static bool handle_event(struct reflector *r, const val *event, const char *line, size_t n)
{
	const val *type = val_get(event, "type"), *object = val_get(event, "object");
	if (val_is(type, "ERROR")) {
		log_warn("watch of %s: %.*s", r->resource->plural,
			 STR_ARG(val_str(val_get(object, "message"))));
		set_str(&r->version, (struct str){0});
		return false;
	}
	set_str(&r->version, val_str(val_path(object, "metadata", "resourceVersion", NULL)));
	if (val_is(type, "ADDED") || val_is(type, "MODIFIED"))
		r->ops->object(object, line, n, r->userdata);
	else if (val_is(type, "DELETED"))
		r->ops->deleted(object, r->userdata);
	return true;
}

static void on_line(const char *line, size_t n, void *userdata)
{
	struct reflector *r = userdata;
	_cleanup_arena_ arena *a = arena_new();
	struct err e = {0};
	val event;
	r->backoff = 0;
	if (json_parse(a, line, n, &event, &e) < 0) {
		log_error("watch of %s: %s", r->resource->plural, e.msg);
		set_str(&r->version, (struct str){0});
		return;
	}
	handle_event(r, &event, line, n);
}

static void on_watch_end(int code, const char *error, void *userdata)
{
	struct reflector *r = userdata;
	r->watch = NULL;
	if (error)
		log_info("watch of %s ended: %s", r->resource->plural, error);
	if (code == 410)
		set_str(&r->version, (struct str){0});
	later(r);
}

static void start_watch(struct reflector *r)
{
	_cleanup_buf_ struct buf b = {0};
	buf_printf(&b, "allowWatchBookmarks=true&resourceVersion=%s%s%s", r->version,
		   r->query ? "&" : "", r->query ? r->query : "");
	if (r->watch)
		k8s_watch_stop(r->watch);
	r->watch =
	    k8s_watch_start(r->client, r->resource, NULL, buf_str(&b), on_line, on_watch_end, r);
}

static void on_list(const struct k8s_response *res, void *userdata)
{
	struct reflector *r = userdata;
	r->list = NULL;
	if (!k8s_ok(res)) {
		log_warn("list of %s: %s", r->resource->plural, res->error);
		set_str(&r->next, (struct str){0});
		later(r);
		return;
	}
	const val *items = val_get(res->object, "items"), *meta = val_get(res->object, "metadata");
	for (size_t i = 0; i < val_len(items); i++)
		r->ops->object(val_at(items, i), NULL, 0, r->userdata);
	set_str(&r->next, val_str(val_get(meta, "continue")));
	if (!r->next) {
		set_str(&r->version, val_str(val_get(meta, "resourceVersion")));
		r->ops->list_end(r->userdata);
	}
	r->backoff = 0;
	begin(r);
}

static void begin(struct reflector *r)
{
	if (r->version) {
		start_watch(r);
		return;
	}
	_cleanup_buf_ struct buf b = {0};
	buf_printf(&b, "limit=%d%s%s", PAGE, r->query ? "&" : "", r->query ? r->query : "");
	if (r->next)
		buf_printf(&b, "&continue=%s", r->next);
	else
		r->ops->list_begin(r->userdata);
	r->list = k8s_list(r->client, r->resource, NULL, buf_str(&b), on_list, r);
}

struct reflector *reflector_new(struct k8s_client *c, sd_event *loop, const struct k8s_resource *r,
				const char *query, const struct reflect_ops *ops, void *userdata)
{
	struct reflector *f = xcalloc(1, sizeof(*f));
	*f = (struct reflector){.client = c,
				.resource = r,
				.query = query ? xstrdup(query) : NULL,
				.ops = ops,
				.userdata = userdata};
	if (sd_event_add_time_relative(loop, &f->retry, CLOCK_MONOTONIC, 0, 1000, on_retry, f) < 0)
		fatal("cannot add a timer");
	return f;
}

void reflector_free(struct reflector *r)
{
	if (!r)
		return;
	if (r->list)
		k8s_call_cancel(r->list);
	if (r->watch)
		k8s_watch_stop(r->watch);
	sd_event_source_disable_unref(r->retry);
	free(r->query);
	free(r->version);
	free(r->next);
	free(r);
}
