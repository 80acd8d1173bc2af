/* SPDX-License-Identifier: Apache-2.0 */
#include "watcher/reflector.h"

#include "ipc/base/log.h"
#include "kube/json.h"
#include "watcher/keyset.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAGE 500
#define BACKOFF_MIN_USEC 10000u
#define BACKOFF_MAX_USEC 10000000u
#define NOT_SERVED_USEC 2000000u
#define WATCH_SECONDS_MIN 300 /* the server ends a watch after 300…600 s */
/* The server sends a bookmark about every minute: after two and a half, the stream is dead. */
#define STALL_USEC 150000000u
/* A watch that lived this long was a good one: the next failure starts with a short delay. */
#define GOOD_WATCH_USEC 5000000u

enum next { NEXT_LIST, NEXT_WATCH };

struct reflector {
	struct k8s_client *client;
	struct writer *writer;
	struct reflector_options o;
	struct feed feed;
	char *api_version;
	bool tried_other; /* the other version, since the last list that succeeded */

	enum next next; /* what the timer starts */
	sd_event_source *timer;
	uint64_t backoff_usec;
	bool complained;
	unsigned seed;
	enum reflector_health health;

	struct k8s_call *call;
	char *continue_token; /* of the list under way */
	bool whole;	      /* list without pages: a continue token had expired */
	struct keyset listed;

	struct k8s_watch *watch;
	uint64_t watch_start_usec, last_line_usec;
	bool ended_by_event; /* an ERROR event has decided what follows */
	arena *arena;

	struct metric_series *lists, *relists, *events, *bookmarks, *restarts, *stalls, *malformed,
	    *synced;
};

static void start_list(struct reflector *r);
static void start_watch(struct reflector *r);

static uint64_t now_usec(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

enum reflector_health reflector_health(const struct reflector *r)
{
	return r->health;
}

bool reflector_connected(const struct reflector *r)
{
	return r->watch != NULL && !r->ended_by_event;
}

const struct feed *reflector_feed(const struct reflector *r)
{
	return &r->feed;
}

static void set_health(struct reflector *r, enum reflector_health health)
{
	if (r->health == health)
		return;
	r->health = health;
	series_set(r->synced, health == REFLECTOR_SYNCED);
	if (r->o.changed)
		r->o.changed(r->o.userdata);
}

static void set_synced(struct reflector *r, bool synced)
{
	if (r->feed.sync.synced == synced)
		return;
	r->feed.sync.synced = synced;
	writer_touch(r->writer, &r->feed);
}

/* Between half of it and all of it, so that many do not come back together. */
static uint64_t jitter(struct reflector *r, uint64_t usec)
{
	return usec / 2 + (uint64_t)rand_r(&r->seed) % (usec / 2 + 1);
}

static void schedule(struct reflector *r, enum next next, uint64_t delay_usec)
{
	r->next = next;
	sd_event_source_set_time_relative(r->timer, delay_usec);
	sd_event_source_set_enabled(r->timer, SD_EVENT_ONESHOT);
}

static void all_is_well(struct reflector *r)
{
	r->backoff_usec = BACKOFF_MIN_USEC;
	r->complained = false;
}

static void back_off(struct reflector *r, enum next next)
{
	schedule(r, next, jitter(r, r->backoff_usec));
	r->backoff_usec *= 2;
	if (r->backoff_usec > BACKOFF_MAX_USEC)
		r->backoff_usec = BACKOFF_MAX_USEC;
}

static int on_timer(sd_event_source *s, uint64_t usec, void *userdata)
{
	(void)s;
	(void)usec;
	struct reflector *r = userdata;
	if (r->next == NEXT_LIST)
		start_list(r);
	else
		start_watch(r);
	return 0;
}

static void stop_watch(struct reflector *r)
{
	if (r->watch)
		k8s_watch_stop(r->watch);
	r->watch = NULL;
}

static void set_version(struct reflector *r)
{
	_cleanup_buf_ struct buf version = {0};
	k8s_api_version(&version, r->o.resource);
	free(r->api_version);
	r->api_version = xstrdup(buf_str(&version));
}

/* From the version that is not served to the other; false when neither is. */
static bool change_version(struct reflector *r)
{
	const struct k8s_resource *other = r->o.older;
	if (!other)
		return false;
	r->o.older = r->o.resource;
	r->o.resource = other;
	set_version(r);
	r->tried_other = !r->tried_other;
	return r->tried_other;
}

/* The server said no. 404: it does not serve the resource (yet); the store is not to be trusted as
 * complete. */
static void refused(struct reflector *r, int code, const char *error, enum next next)
{
	const char *text = error ? error : "no reason given";
	if (code == 404 && change_version(r)) {
		log_info("%s: trying %s", r->feed.resource, r->api_version);
		set_synced(r, false);
		schedule(r, NEXT_LIST, 0);
		return;
	}
	if (code == 404) {
		if (r->health != REFLECTOR_NOT_SERVED)
			log_info("%s: the API server does not serve it; asking again every 2 s",
				 r->feed.resource);
		set_synced(r, false);
		set_health(r, REFLECTOR_NOT_SERVED);
		schedule(r, NEXT_LIST, NOT_SERVED_USEC);
		return;
	}
	if (code == 401 || code == 403) {
		if (r->health != REFLECTOR_FORBIDDEN)
			log_error("%s: not allowed to list and watch: %s", r->feed.resource, text);
		set_health(r, REFLECTOR_FORBIDDEN);
	} else {
		/* One warning an outage: when the delay first passes a second. */
		bool late = r->backoff_usec >= 1000000 && !r->complained;
		r->complained |= late;
		log_at(late ? LOG_LVL_WARN : LOG_LVL_DEBUG, "%s: %s failed: %d %s",
		       r->feed.resource, next == NEXT_LIST ? "list" : "watch", code, text);
	}
	back_off(r, next);
}

/* Query texts ------------------------------------------------------------------------------- */

static void add_selector(const struct reflector *r, struct buf *b)
{
	if (r->o.field_selector)
		buf_printf(b, "&fieldSelector=%s", r->o.field_selector);
}

static void percent_encode(struct buf *b, const char *s)
{
	static const char safe[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";
	for (; *s; s++) {
		if (strchr(safe, *s))
			buf_putc(b, *s);
		else
			buf_printf(b, "%%%02X", (unsigned char)*s);
	}
}

/* List -------------------------------------------------------------------------------------- */

/* Items of a list come without the kind that watch events have. */
static val with_kind(const struct reflector *r, arena *a, const val *item)
{
	if (!val_is_map(item) || val_get(item, "kind"))
		return *item;
	uint32_t n = item->via.map.size;
	val out = {.type = MSGPACK_OBJECT_MAP};
	out.via.map.size = n + 2;
	out.via.map.ptr = arena_alloc(a, (n + 2) * sizeof(*out.via.map.ptr));
	out.via.map.ptr[0] =
	    (msgpack_object_kv){val_of_str("kind"), val_of_str(r->o.resource->kind)};
	out.via.map.ptr[1] =
	    (msgpack_object_kv){val_of_str("apiVersion"), val_of_str(r->api_version)};
	if (n)
		memcpy(out.via.map.ptr + 2, item->via.map.ptr, n * sizeof(*out.via.map.ptr));
	return out;
}

static void take_items(struct reflector *r, arena *a, const val *items)
{
	for (size_t i = 0; i < val_len(items); i++) {
		val item = with_kind(r, a, val_at(items, i));
		const val *metadata = val_get(&item, "metadata");
		keyset_add(&r->listed, val_str(val_get(metadata, "namespace")),
			   val_str(val_get(metadata, "name")));
		writer_put(r->writer, &r->feed, &item, true);
	}
}

static bool was_listed(struct str ns, struct str name, void *userdata)
{
	const struct reflector *r = userdata;
	return keyset_has(&r->listed, ns, name);
}

static void end_list(struct reflector *r)
{
	keyset_clear(&r->listed);
	free(r->continue_token);
	r->continue_token = NULL;
}

static void finish_list(struct reflector *r, uint64_t rv)
{
	keyset_sort(&r->listed);
	writer_prune(r->writer, &r->feed, was_listed, r);
	log_info("%s: listed %zu objects at resourceVersion %" PRIu64, r->feed.resource,
		 keyset_count(&r->listed), rv);
	end_list(r);
	r->whole = false;
	r->tried_other = false;
	r->feed.sync.rv = rv;
	r->feed.sync.synced = true;
	r->feed.sync.updated_usec = now_usec();
	writer_touch(r->writer, &r->feed);
	writer_flush(r->writer);
	set_health(r, REFLECTOR_SYNCED);
	start_watch(r);
}

static void list_failed(struct reflector *r, const struct k8s_response *resp)
{
	bool paging = r->continue_token != NULL;
	end_list(r);
	if (resp->code == 410 && paging) {
		r->whole = true;
		back_off(r, NEXT_LIST);
		return;
	}
	refused(r, resp->code, resp->error, NEXT_LIST);
}

static void on_list(const struct k8s_response *resp, void *userdata)
{
	struct reflector *r = userdata;
	r->call = NULL;
	if (resp->code < 200 || resp->code > 299) {
		list_failed(r, resp);
		return;
	}
	const val *metadata = val_get(resp->object, "metadata");
	const val *items = val_get(resp->object, "items");
	uint64_t rv = writer_parse_rv(val_str(val_get(metadata, "resourceVersion")));
	if (rv == 0 || (!val_is_array(items) && !val_is_null(items))) {
		end_list(r);
		refused(r, resp->code, "the answer is no list", NEXT_LIST);
		return;
	}
	take_items(r, resp->arena, items);

	struct str next = val_str(val_get(metadata, "continue"));
	free(r->continue_token);
	r->continue_token = next.n ? xstrndup(next.p, next.n) : NULL;
	if (r->continue_token)
		start_list(r);
	else
		finish_list(r, rv);
}

static void start_list(struct reflector *r)
{
	stop_watch(r);
	_cleanup_buf_ struct buf query = {0};
	if (r->whole)
		buf_puts(&query, "limit=0");
	else
		buf_printf(&query, "limit=%d", PAGE);
	if (r->continue_token) {
		buf_puts(&query, "&continue=");
		percent_encode(&query, r->continue_token);
	} else {
		series_add(r->lists, 1);
	}
	add_selector(r, &query);
	r->call = k8s_list(r->client, r->o.resource, r->o.ns, query.p, on_list, r);
}

static void relist(struct reflector *r, const char *why)
{
	log_info("%s: listing again: %s", r->feed.resource, why);
	series_add(r->relists, 1);
	/* the server answers: what made earlier attempts wait is over */
	r->backoff_usec = BACKOFF_MIN_USEC;
	back_off(r, NEXT_LIST);
}

/* Watch ------------------------------------------------------------------------------------- */

enum event_type { EVENT_CHANGED, EVENT_DELETED, EVENT_BOOKMARK, EVENT_ERROR, EVENT_UNKNOWN };

static enum event_type event_type(const val *event)
{
	static const struct {
		const char *name;
		enum event_type type;
	} types[] = {{"ADDED", EVENT_CHANGED},
		     {"MODIFIED", EVENT_CHANGED},
		     {"DELETED", EVENT_DELETED},
		     {"BOOKMARK", EVENT_BOOKMARK},
		     {"ERROR", EVENT_ERROR}};
	const val *type = val_get(event, "type");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (val_is(type, types[i].name))
			return types[i].type;
	return EVENT_UNKNOWN;
}

/* Whether a refusal means that this resourceVersion will never do: too old, not understood, or
 * ahead of the server's. */
static bool needs_list(int code)
{
	return code == 410 || code == 400 || code == 504;
}

static void on_error_event(struct reflector *r, const val *status)
{
	int64_t code = val_int_or(val_get(status, "code"), 0);
	struct str message = val_str(val_get(status, "message"));
	_cleanup_free_ char *text =
	    xstrndup(message.p ? message.p : "error event", message.p ? message.n : 11);
	r->ended_by_event = true;
	if (needs_list((int)code) || val_is(val_get(status, "reason"), "Expired"))
		relist(r, text);
	else
		refused(r, (int)code, text, NEXT_WATCH);
}

static void on_event(struct reflector *r, const val *event)
{
	const val *object = val_get(event, "object");
	enum event_type type = event_type(event);
	if (type == EVENT_ERROR) {
		on_error_event(r, object);
		return;
	}
	const val *metadata = val_get(object, "metadata");
	uint64_t rv = writer_parse_rv(val_str(val_get(metadata, "resourceVersion")));
	if (type == EVENT_UNKNOWN || rv == 0) {
		r->ended_by_event = true;
		relist(r, "an event of unknown form");
		return;
	}
	/* In one transaction: the change and how far the store has come with it. */
	r->feed.sync.rv = rv;
	r->feed.sync.updated_usec = r->last_line_usec;
	writer_touch(r->writer, &r->feed);
	if (type == EVENT_BOOKMARK) {
		series_add(r->bookmarks, 1);
		return;
	}
	series_add(r->events, 1);
	if (type == EVENT_CHANGED)
		writer_put(r->writer, &r->feed, object, false);
	else
		writer_del(r->writer, &r->feed, val_str(val_get(metadata, "namespace")),
			   val_str(val_get(metadata, "name")), rv);
}

static void on_line(const char *line, size_t n, void *userdata)
{
	struct reflector *r = userdata;
	if (r->ended_by_event)
		return;
	val event;
	struct err e;
	r->last_line_usec = now_usec();
	msgpack_zone_clear(r->arena);
	if (json_parse_lean(r->arena, line, n, 1, &event, &e) < 0) {
		/* If the connection broke within it, the next watch brings it again. */
		log_error("%s: an event is no JSON: %s", r->feed.resource, e.msg);
		series_add(r->malformed, 1);
		return;
	}
	if (r->health != REFLECTOR_SYNCED)
		set_health(r, REFLECTOR_SYNCED);
	on_event(r, &event);
	if (!r->ended_by_event)
		all_is_well(r);
}

static void on_end(int code, const char *error, void *userdata)
{
	struct reflector *r = userdata;
	/* "on_end runs once": the client frees the watch */
	r->watch = NULL;
	if (r->ended_by_event)
		return; /* the timer is set */
	series_add(r->restarts, 1);
	if (now_usec() - r->watch_start_usec >= GOOD_WATCH_USEC)
		all_is_well(r);
	if (error && needs_list(code))
		relist(r, error);
	else if (error)
		refused(r, code, error, NEXT_WATCH);
	else
		back_off(r, NEXT_WATCH);
}

static void start_watch(struct reflector *r)
{
	stop_watch(r);
	_cleanup_buf_ struct buf query = {0};
	buf_printf(&query, "allowWatchBookmarks=true&timeoutSeconds=%d&resourceVersion=%" PRIu64,
		   WATCH_SECONDS_MIN + rand_r(&r->seed) % WATCH_SECONDS_MIN, r->feed.sync.rv);
	add_selector(r, &query);
	r->ended_by_event = false;
	r->watch_start_usec = r->last_line_usec = now_usec();
	r->watch = k8s_watch_start(r->client, r->o.resource, r->o.ns, query.p, on_line, on_end, r);
}

void reflector_tick(struct reflector *r, uint64_t now)
{
	if (!reflector_connected(r))
		return;
	if (now > r->last_line_usec && now - r->last_line_usec > STALL_USEC) {
		/* usual where nothing changes: not every server sends bookmarks then */
		log_debug("%s: the watch has been silent for %d s; starting another",
			  r->feed.resource, (int)(STALL_USEC / 1000000));
		series_add(r->stalls, 1);
		stop_watch(r);
		back_off(r, NEXT_WATCH);
		return;
	}
	r->feed.sync.updated_usec = now;
	writer_touch(r->writer, &r->feed);
}

/* Setting up -------------------------------------------------------------------------------- */

static struct metric_series *counter(struct metrics *m, const char *name, const char *help,
				     const char *resource)
{
	static const char *const labels[] = {"resource", NULL};
	return metric_with(metric_new(m, METRIC_COUNTER, name, help, labels), &resource);
}

static void make_metrics(struct reflector *r, struct metrics *m)
{
	static const char *const labels[] = {"resource", NULL};
	const char *res = r->feed.resource;
	r->lists = counter(m, "kruised_watcher_lists_total", "Full lists begun.", res);
	r->relists = counter(m, "kruised_watcher_relists_total",
			     "Lists that a watch needed since it could not go on.", res);
	r->events =
	    counter(m, "kruised_watcher_events_total", "Watch events, without bookmarks.", res);
	r->bookmarks = counter(m, "kruised_watcher_bookmarks_total", "Bookmarks.", res);
	r->restarts = counter(m, "kruised_watcher_watch_ends_total", "Watches that ended.", res);
	r->stalls = counter(m, "kruised_watcher_stalls_total", "Watches given up as silent.", res);
	r->malformed = counter(m, "kruised_watcher_malformed_events_total",
			       "Events that could not be read.", res);
	struct metric *synced =
	    metric_new(m, METRIC_GAUGE, "kruised_watcher_synced",
		       "1 when the resource is completely in the store.", labels);
	r->synced = metric_with(synced, &res);
}

/* What the last watcher left: its position, when that is of use here. */
static int read_position(struct reflector *r, struct store *store, struct err *e)
{
	struct store_txn *t;
	int n = store_begin(store, &t, e);
	if (n < 0)
		return n;
	struct store_sync sync;
	n = store_sync_get(t, r->feed.resource, &sync);
	store_end(t);
	if (n < 0)
		return err_set(e, -n, "store: %s: %s", r->feed.resource, strerror(-n));
	if (n == 1 && r->o.resume)
		r->feed.sync = sync;
	r->feed.sync.epoch = r->o.epoch;
	r->feed.sync.seq = 0;
	writer_touch(r->writer, &r->feed);
	return 0;
}

int reflector_new(struct reflector **out, sd_event *loop, struct k8s_client *client,
		  struct writer *writer, struct store *store, struct metrics *m,
		  const struct reflector_options *options, struct err *e)
{
	struct reflector *r = xcalloc(1, sizeof(*r));
	r->client = client;
	r->writer = writer;
	r->o = *options;
	r->feed.resource = k8s_resource_key(options->resource);
	set_version(r);
	r->backoff_usec = BACKOFF_MIN_USEC;
	r->seed = (unsigned)(options->epoch ^ (uintptr_t)r);
	r->arena = arena_new();
	make_metrics(r, m);

	int n = read_position(r, store, e);
	if (n < 0) {
		reflector_free(r);
		return n;
	}
	n = sd_event_add_time_relative(loop, &r->timer, CLOCK_MONOTONIC, 0, 1000, on_timer, r);
	if (n < 0) {
		reflector_free(r);
		return err_set(e, -n, "timer: %s", strerror(-n));
	}
	bool resume = r->feed.sync.synced && r->feed.sync.rv > 0;
	if (resume) {
		log_info("%s: going on from resourceVersion %" PRIu64, r->feed.resource,
			 r->feed.sync.rv);
		set_health(r, REFLECTOR_SYNCED);
	}
	schedule(r, resume ? NEXT_WATCH : NEXT_LIST, 0);
	*out = r;
	return 0;
}

void reflector_free(struct reflector *r)
{
	if (!r)
		return;
	if (r->feed.dirty)
		writer_flush(r->writer); /* it refers to the feed */
	stop_watch(r);
	if (r->call)
		k8s_call_cancel(r->call);
	end_list(r);
	keyset_free(&r->listed);
	buf_free(&r->feed.deltas);
	sd_event_source_disable_unref(r->timer);
	arena_free(r->arena);
	free(r->api_version);
	free(r);
}
