/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/events.h"

#include "ipc/base/log.h"
#include "kube/events_int.h"
#include "kube/time.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this many unanswered ones the API server is not keeping up: new events are dropped. */
#define MAX_WAITING 1000
#define MAX_MESSAGE 1024

struct k8s_recorder {
	struct k8s_client *client;
	char *component;
	struct correlator *correlator;
	struct k8s_recorder_stats stats;
	size_t waiting;
	TAILQ_HEAD(posting_queue, posting)
	postings; /* one is on its way at a time, so that counts stay in order */
	uint64_t last_name;
};

/* An event on its way. */
struct posting {
	struct k8s_recorder *recorder;
	struct k8s_call *call;
	char *key; /* of the correlator */
	char *ns;
	char *name;
	arena *arena;
	val event; /* to create it again when the one to count up is gone */
	bool patch;
	TAILQ_ENTRY(posting) link;
};

struct k8s_recorder *k8s_recorder_new(struct k8s_client *client, sd_event *loop,
				      const char *component)
{
	(void)loop; /* the client's */
	struct k8s_recorder *r = xcalloc(1, sizeof(*r));
	r->client = client;
	r->component = xstrdup(component);
	r->correlator = correlator_new();
	TAILQ_INIT(&r->postings);
	return r;
}

static void posting_free(struct posting *p)
{
	TAILQ_REMOVE(&p->recorder->postings, p, link);
	p->recorder->waiting--;
	arena_free(p->arena);
	free(p->key);
	free(p->ns);
	free(p->name);
	free(p);
}

void k8s_recorder_free(struct k8s_recorder *r)
{
	if (!r)
		return;
	for (struct posting *p; (p = TAILQ_FIRST(&r->postings));) {
		k8s_call_cancel(p->call);
		posting_free(p);
	}
	correlator_free(r->correlator);
	free(r->component);
	free(r);
}

struct k8s_recorder_stats k8s_recorder_get_stats(const struct k8s_recorder *r)
{
	return r->stats;
}

struct k8s_object_ref k8s_object_ref_of(const struct k8s_resource *r, const val *object)
{
	const val *meta = val_get(object, "metadata");
	return (struct k8s_object_ref){
	    .resource = r,
	    .ns = val_str(val_get(meta, "namespace")),
	    .name = val_str(val_get(meta, "name")),
	    .uid = val_str(val_get(meta, "uid")),
	    .resource_version = val_str(val_get(meta, "resourceVersion")),
	};
}

/* At most MAX_MESSAGE bytes, not cutting a UTF-8 character in two. */
static size_t cut(const char *s)
{
	size_t n = strlen(s);
	if (n <= MAX_MESSAGE)
		return n;
	n = MAX_MESSAGE;
	while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void set_if(arena *a, val *map, const char *key, struct str s)
{
	if (s.n)
		val_set(a, map, key, val_of_strdup(a, s));
}

static val involved_object(arena *a, const struct k8s_object_ref *ref)
{
	_cleanup_buf_ struct buf version = {0};
	val v = val_map();
	k8s_api_version(&version, ref->resource);
	val_set(a, &v, "kind", val_of_str(ref->resource->kind));
	set_if(a, &v, "namespace", ref->ns);
	set_if(a, &v, "name", ref->name);
	set_if(a, &v, "uid", ref->uid);
	set_if(a, &v, "apiVersion", str_of(buf_str(&version)));
	set_if(a, &v, "resourceVersion", ref->resource_version);
	set_if(a, &v, "fieldPath", ref->field_path);
	return v;
}

/* "object.16f0a1b2c3d4e5f6": unique, since the time never repeats within a process. */
static void make_name(struct k8s_recorder *r, struct posting *p, struct str object)
{
	uint64_t now = (uint64_t)k8s_now_usec() * 1000;
	if (now <= r->last_name)
		now = r->last_name + 1;
	r->last_name = now;
	int n = object.n < 200 ? (int)object.n : 200;
	p->name = xasprintf("%.*s.%llx", n, object.p ? object.p : "", (unsigned long long)now);
}

static val build(struct posting *p, const struct k8s_object_ref *ref, const char *type,
		 const char *reason, const struct correlation *c)
{
	arena *a = p->arena;
	val meta = val_map(), source = val_map(), v = val_map();
	val_set(a, &meta, "name", val_of_str(p->name));
	val_set(a, &meta, "namespace", val_of_str(p->ns));
	val_set(a, &source, "component", val_of_str(p->recorder->component));
	val_set(a, &v, "apiVersion", val_of_str("v1"));
	val_set(a, &v, "kind", val_of_str("Event"));
	val_set(a, &v, "metadata", meta);
	val_set(a, &v, "involvedObject", involved_object(a, ref));
	set_if(a, &v, "type", str_of(type));
	set_if(a, &v, "reason", str_of(reason));
	val_set(a, &v, "message", val_of_strdup(a, (struct str){c->message, cut(c->message)}));
	val_set(a, &v, "source", source);
	val_set(a, &v, "firstTimestamp", k8s_time_val(a, c->first));
	val_set(a, &v, "lastTimestamp", k8s_time_val(a, c->last));
	val_set(a, &v, "count", val_of_int(c->count));
	return v;
}

static void post(struct posting *p);

static void on_answer(const struct k8s_response *r, void *userdata)
{
	struct posting *p = userdata;
	struct k8s_recorder *rec = p->recorder;
	if (p->patch && k8s_is_not_found(r)) { /* its time to live is over */
		p->patch = false;
		post(p);
		return;
	}
	if (k8s_ok(r)) {
		rec->stats.created += !p->patch;
		rec->stats.updated += p->patch;
	} else {
		rec->stats.dropped++;
		if (!p->patch)
			correlator_forget(rec->correlator, p->key, p->name);
		log_debug("event %s/%s dropped: %s", p->ns, p->name, r->error);
	}
	posting_free(p);
	if (!TAILQ_EMPTY(&rec->postings))
		post(TAILQ_FIRST(&rec->postings));
}

static void post(struct posting *p)
{
	struct k8s_client *c = p->recorder->client;
	if (!p->patch) {
		p->call = k8s_create(c, &K8S_EVENTS, p->ns, &p->event, on_answer, p);
		return;
	}
	val patch = val_map();
	static const char *const fields[] = {"count", "lastTimestamp", "message"};
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		val_set(p->arena, &patch, fields[i], *val_get(&p->event, fields[i]));
	p->call =
	    k8s_patch(c, &K8S_EVENTS, p->ns, p->name, NULL, K8S_PATCH_MERGE, &patch, on_answer, p);
}

void k8s_event(struct k8s_recorder *r, const struct k8s_object_ref *ref, const char *type,
	       const char *reason, const char *fmt, ...)
{
	char *message = NULL;
	va_list ap;
	va_start(ap, fmt);
	if (vasprintf(&message, fmt, ap) < 0)
		abort();
	va_end(ap);

	struct correlation c = {0};
	enum verdict verdict = correlate(r->correlator, ref, type, reason, message, k8s_now(), &c);
	if (verdict == EVENT_SUPPRESSED || r->waiting >= MAX_WAITING) {
		r->stats.suppressed += verdict == EVENT_SUPPRESSED;
		r->stats.dropped += verdict != EVENT_SUPPRESSED;
		correlation_clear(&c);
		free(message);
		return;
	}
	r->stats.combined += c.combined;
	struct posting *p = xcalloc(1, sizeof(*p));
	p->recorder = r;
	p->arena = arena_new();
	p->key = c.key;
	c.key = NULL;
	p->ns = ref->ns.n ? xstrndup(ref->ns.p, ref->ns.n) : xstrdup("default");
	p->patch = verdict == EVENT_AGAIN;
	if (p->patch)
		p->name = xstrdup(c.name);
	else
		make_name(r, p, ref->name);
	if (!p->patch)
		correlator_created(r->correlator, p->key, p->name);
	p->event = build(p, ref, type, reason, &c);
	TAILQ_INSERT_TAIL(&r->postings, p, link);
	r->waiting++;
	if (TAILQ_FIRST(&r->postings) == p)
		post(p);
	correlation_clear(&c);
	free(message);
}
