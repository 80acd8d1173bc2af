/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/json.h"
#include "rules/cloneset_convert.h"
#include "rules/pod.h"
#include "tests/chaos/chaos.h"
#include "tests/chaos/invariant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

/*
 * Both watches come from one etcd, so that resourceVersions put the events of both into one order.
 * An event is held back for a moment, until what came before it on the other watch has arrived.
 */
#define HOLD_USEC 400000u
#define DRAIN_USEC 50000u
#define MAX_SETS 32

struct event {
	TAILQ_ENTRY(event) link;
	uint64_t rv, at_usec;
	bool pod, gone;
	arena *a;
	val object;
};

struct set {
	char name[32];
	struct inv_set inv;
	char update_revision[80];
	int64_t generation, observed;
	bool deleted;
};

struct record {
	TAILQ_HEAD(event_list, event) held; /* by rv */
	struct set sets[MAX_SETS];
	size_t n_sets;
	struct record_faults faults;
	int listed;
};

struct stream {
	struct chaos *c;
	const struct k8s_resource *resource;
	uint64_t rv; /* the last one seen */
};

static struct set *set_of(const struct chaos *c, struct str name, bool create)
{
	struct record *r = c->record;
	for (size_t i = 0; i < r->n_sets; i++)
		if (str_is(name, r->sets[i].name))
			return &r->sets[i];
	if (!create || r->n_sets == MAX_SETS || name.n >= sizeof(r->sets[0].name))
		return NULL;
	struct set *s = &r->sets[r->n_sets++];
	memcpy(s->name, name.p, name.n);
	return s;
}

static void copy(char *out, size_t size, const val *v)
{
	const struct str s = val_str(v);
	snprintf(out, size, "%.*s", STR_ARG(s));
}

static void judged(struct chaos *c, struct set *s, const char *pod, unsigned breach)
{
	struct record_faults *f = &c->record->faults;
	if (!breach)
		return;
	f->extra_pods += !!(breach & INV_EXTRA);
	f->unavailable_breaches += !!(breach & INV_UNAVAILABLE);
	f->same_ids += !!(breach & INV_SAME_ID);
	fprintf(stderr,
		"chaos: BREACH of %s by pod %s:%s%s%s; active %d of at most %d, available %d of at "
		"least %d\n",
		s->name, pod, breach & INV_EXTRA ? " a pod too many" : "",
		breach & INV_UNAVAILABLE ? " too many unavailable" : "",
		breach & INV_SAME_ID ? " an instance id twice" : "", s->inv.active,
		inv_most_active(&s->inv), s->inv.available, inv_least_available(&s->inv));
	history_print(c, s->name);
}

static void take_pod(struct chaos *c, const struct event *ev)
{
	const val *meta = val_get(&ev->object, "metadata"), *labels = val_get(meta, "labels");
	struct set *s = set_of(c, val_str(val_get(labels, "chaos-set")), false);
	if (!s)
		return;
	struct pod_view view;
	struct inv_pod p = {0};
	pod_view_from(&ev->object, &view);
	snprintf(p.name, sizeof(p.name), "%s", view.name);
	snprintf(p.id, sizeof(p.id), "%s", view.instance_id);
	snprintf(p.revision, sizeof(p.revision), "%s", view.revision);
	p.active = view.active;
	p.available = view.active && view.phase == POD_RUNNING && view.cond_ready == COND_TRUE;
	pod_view_free(&view);
	const unsigned breach = inv_pod_seen(&s->inv, &p, ev->gone, chaos_now());
	const struct str state = val_str(val_get(labels, LABEL_LIFECYCLE_STATE));
	history_add(c, s->name, "pod %s rv %llu%s%s%s %s %.*s; %d active, %d available", p.name,
		    (unsigned long long)ev->rv, ev->gone ? " gone" : "",
		    p.active ? "" : " terminating", p.available ? " ready" : "", p.revision,
		    STR_ARG(state), s->inv.active, s->inv.available);
	judged(c, s, p.name, breach);
	if (!ev->gone)
		driver_pod(c, s->name, &ev->object);
}

static void take_set(struct chaos *c, const struct event *ev)
{
	const val *meta = val_get(&ev->object, "metadata"), *spec = val_get(&ev->object, "spec"),
		  *strategy = cloneset_rolling(&ev->object),
		  *status = val_get(&ev->object, "status");
	struct set *s = set_of(c, val_str(val_get(meta, "name")), true);
	if (!s)
		return;
	const struct inv_spec is = {
	    .generation = val_int_or(val_get(meta, "generation"), 0),
	    .replicas = (int32_t)val_int_or(val_get(spec, "replicas"), 1),
	    .partition = (int32_t)val_int_or(val_get(strategy, "partition"), 0),
	    .max_surge = (int32_t)val_int_or(val_get(strategy, "maxSurge"), 0),
	    .max_unavailable = (int32_t)val_int_or(val_get(strategy, "maxUnavailable"), 0),
	};
	const bool changed = is.generation != s->generation;
	s->generation = is.generation;
	s->observed = val_int_or(val_get(status, "observedGeneration"), 0);
	s->deleted = ev->gone;
	copy(s->update_revision, sizeof(s->update_revision), val_get(status, "updateRevision"));
	inv_spec_seen(&s->inv, &is, s->observed, chaos_now());
	if (changed)
		history_add(c, s->name,
			    "generation %lld rv %llu: replicas %d partition %d maxSurge %d "
			    "maxUnavailable %d",
			    (long long)is.generation, (unsigned long long)ev->rv, is.replicas,
			    is.partition, is.max_surge, is.max_unavailable);
}

static void drain(struct chaos *c)
{
	struct record *r = c->record;
	struct event *ev;
	while ((ev = TAILQ_FIRST(&r->held)) && ev->at_usec + HOLD_USEC < chaos_now()) {
		TAILQ_REMOVE(&r->held, ev, link);
		if (ev->pod)
			take_pod(c, ev);
		else
			take_set(c, ev);
		arena_free(ev->a);
		free(ev);
	}
}

static void hold(struct chaos *c, struct event *ev)
{
	struct event_list *held = &c->record->held;
	struct event *before = TAILQ_LAST(held, event_list);
	while (before && before->rv > ev->rv)
		before = TAILQ_PREV(before, event_list, link);
	if (before)
		TAILQ_INSERT_AFTER(held, before, ev, link);
	else
		TAILQ_INSERT_HEAD(held, ev, link);
}

static uint64_t rv_of(const val *object)
{
	const struct str s = val_str(val_path(object, "metadata", "resourceVersion", NULL));
	char text[32];
	snprintf(text, sizeof(text), "%.*s", STR_ARG(s));
	return strtoull(text, NULL, 10);
}

static void watch(struct stream *st);

static void on_line(const char *line, size_t n, void *userdata)
{
	struct stream *st = userdata;
	arena *a = arena_new();
	val v;
	struct err e = {0};
	if (json_parse(a, arena_strndup(a, line, n), n, &v, &e) < 0)
		fatal("recorder: %s", e.msg);
	const val *type = val_get(&v, "type"), *object = val_get(&v, "object");
	if (val_is(type, "ERROR"))
		fatal("recorder: the watch of %s was lost: %.*s", st->resource->plural, (int)n,
		      line);
	st->rv = rv_of(object);
	if (val_is(type, "BOOKMARK")) {
		arena_free(a);
		return;
	}
	struct event *ev = xcalloc(1, sizeof(*ev));
	*ev = (struct event){.rv = st->rv,
			     .at_usec = chaos_now(),
			     .pod = st->resource == &K8S_PODS,
			     .gone = val_is(type, "DELETED"),
			     .a = a,
			     .object = *object};
	hold(st->c, ev);
}

static void on_end(int code, const char *error, void *userdata)
{
	struct stream *st = userdata;
	if (error)
		fatal("recorder: the watch of %s ended (%d): %s", st->resource->plural, code,
		      error);
	watch(st);
}

static void watch(struct stream *st)
{
	_cleanup_free_ char *query =
	    xasprintf("allowWatchBookmarks=true&timeoutSeconds=3000&labelSelector=chaos-set&"
		      "resourceVersion=%llu",
		      (unsigned long long)st->rv);
	k8s_watch_start(st->c->client, st->resource, st->c->o->namespace_, query, on_line, on_end,
			st);
}

/* Nothing of ours exists yet: only where the watch begins is of interest. */
static void on_list(const struct k8s_response *r, void *userdata)
{
	struct stream *st = userdata;
	if (!k8s_ok(r))
		fatal("recorder: %s", r->error);
	st->rv = rv_of(r->object);
	st->c->record->listed++;
	watch(st);
}

void record_start(struct chaos *c)
{
	static const struct k8s_resource *const what[] = {&K8S_CLONESETS, &K8S_PODS};
	static struct stream streams[2];
	c->record = xcalloc(1, sizeof(*c->record));
	TAILQ_INIT(&c->record->held);
	for (size_t i = 0; i < 2; i++) {
		streams[i] = (struct stream){.c = c, .resource = what[i]};
		k8s_list(c->client, what[i], c->o->namespace_, "limit=1&labelSelector=chaos-set",
			 on_list, &streams[i]);
	}
	chaos_every(c, DRAIN_USEC, drain);
}

bool record_synced(const struct chaos *c)
{
	return c->record->listed == 2;
}

bool record_settled(const struct chaos *c, const char *name)
{
	const struct set *s = set_of(c, str_of(name), false);
	return s && s->generation && s->observed == s->generation &&
	       inv_settled(&s->inv, s->update_revision);
}

struct record_faults record_faults(const struct chaos *c)
{
	return c->record->faults;
}

void record_describe(const struct chaos *c, const char *name)
{
	const struct set *s = set_of(c, str_of(name), false);
	if (!s) {
		fprintf(stderr, "chaos: %s was never seen\n", name);
		return;
	}
	const struct inv_spec *spec = &s->inv.spec[s->inv.n_specs - 1];
	fprintf(stderr,
		"chaos: %s: generation %lld observed %lld, replicas %d partition %d, %d active, %d "
		"available, update revision %s\n",
		name, (long long)s->generation, (long long)s->observed, spec->replicas,
		spec->partition, s->inv.active, s->inv.available, s->update_revision);
	for (size_t i = 0; i < s->inv.n_pods; i++)
		fprintf(stderr, "chaos:   %s %s%s%s\n", s->inv.pods[i].name,
			s->inv.pods[i].revision, s->inv.pods[i].active ? "" : " terminating",
			s->inv.pods[i].available ? " ready" : "");
}

const char *record_some_pod(const struct chaos *c, const char *name, uint32_t random)
{
	const struct set *s = set_of(c, str_of(name), false);
	for (size_t i = 0; s && i < s->inv.n_pods; i++) {
		const struct inv_pod *p = &s->inv.pods[(i + random) % s->inv.n_pods];
		if (p->active)
			return p->name;
	}
	return NULL;
}
