/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "kube/json.h"
#include "rules/pod.h"
#include "tests/chaos/chaos.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * Several CloneSets, each changed again and again: mostly when its roll-out is over, sometimes in
 * the middle of it. What is changed is drawn from a table.
 */
#define TICK_USEC 50000u
#define IMPATIENT_PERCENT 25 /* of changes come in the middle of a roll-out */
#define HOOK_LABEL "chaos-hook"

struct plan {
	const char *name, *type;
	int32_t replicas, max_unavailable, max_surge;
	bool hooks, ordered; /* ordered: its containers start one after the other */
	bool beta;	     /* written as v1beta1, else as v1alpha1 */
};

static const struct plan plans[] = {
    {"recreate", "ReCreate", 6, 2, 0, .ordered = true},
    {"surge", "ReCreate", 5, 1, 2, .beta = true},
    {"inplace", "InPlaceIfPossible", 10, 2, 0, .beta = false},
    {"only", "InPlaceOnly", 8, 1, 0, .beta = true},
    {"hooked", "InPlaceIfPossible", 6, 2, 0, .hooks = true},
    {"insurge", "InPlaceIfPossible", 5, 1, 1, .beta = true},
};
#define N_SETS (sizeof(plans) / sizeof(plans[0]))

struct managed {
	const struct plan *plan;
	struct chaos *c;
	bool created, busy; /* busy: a request of ours is under way */
	int32_t replicas, partition, image, previous, note;
	uint64_t sent_usec, changed_usec, next_usec;
	bool late, impatient;
	int64_t rollouts;
	char body[512]; /* of the change under way, which is repeated until it is taken */
};

struct driver {
	struct managed sets[N_SETS];
	bool changing;
	int64_t late;
};

/* What differs between the two versions of the API. */
static const struct k8s_resource *resource_of(const struct plan *p)
{
	return p->beta ? &K8S_CLONESETS : &K8S_CLONESETS_V1ALPHA1;
}

static const char *rolling_of(const struct plan *p)
{
	return p->beta ? "/spec/updateStrategy/rollingUpdate" : "/spec/updateStrategy";
}

static void send_change(struct managed *m);
static void scale(struct managed *m);

static void schedule(struct managed *m)
{
	struct rng *r = &m->c->rng;
	m->impatient = rng_chance(r, IMPATIENT_PERCENT);
	m->next_usec = chaos_now() + (uint64_t)rng_between(r, 100, 1500) * 1000;
}

static void on_changed(const struct k8s_response *r, void *userdata)
{
	struct managed *m = userdata;
	m->busy = false;
	/* the pod that was to go has gone meanwhile */
	if (r->code == 422 && strstr(m->body, "podsToDelete")) {
		scale(m);
		return;
	}
	steady_count(m->c, "change", m->sent_usec, r);
	if (!k8s_ok(r) && r->code != 0 && r->code < 500 && r->code != 409)
		fatal("%s: %s is refused: %s", m->plan->name, m->body, r->error);
	if (!k8s_ok(r)) {
		send_change(m);
		return;
	}
	m->changed_usec = chaos_now();
	m->late = false;
	schedule(m);
}

static void send_change(struct managed *m)
{
	_cleanup_arena_ arena *a = arena_new();
	val patch;
	struct err e = {0};
	if (json_parse(a, m->body, strlen(m->body), &patch, &e) < 0)
		fatal("%s: %s", m->body, e.msg);
	m->busy = true;
	m->sent_usec = chaos_now();
	k8s_patch(m->c->client, resource_of(m->plan), m->c->o->namespace_, m->plan->name, NULL,
		  K8S_PATCH_JSON, &patch, on_changed, m);
}

static void change(struct managed *m, const char *what, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void change(struct managed *m, const char *what, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(m->body, sizeof(m->body), fmt, ap);
	va_end(ap);
	history_add(m->c, m->plan->name, "change: %s", what);
	m->rollouts++;
	send_change(m);
}

#define REPLACE "{\"op\":\"replace\",\"path\":"
#define IMAGE REPLACE "\"/spec/template/spec/containers/0/image\",\"value\":\"nginx:%d\"}"
#define PARTITION REPLACE "\"%s/partition\",\"value\":%d}"
#define REPLICAS REPLACE "\"/spec/replicas\",\"value\":%d}"

static void to_image(struct managed *m, const char *what, int32_t image, int32_t partition)
{
	m->previous = m->image;
	m->image = image;
	m->partition = partition;
	change(m, what, "[" IMAGE "," PARTITION "]", image, rolling_of(m->plan), partition);
}

static void new_image(struct managed *m)
{
	static int32_t last = 1;
	to_image(m, "a new image", ++last, 0);
}

static void staged(struct managed *m)
{
	static int32_t last = 100000;
	to_image(m, "a new image, up to a partition", ++last, m->replicas / 2);
}

static void roll_back(struct managed *m)
{
	to_image(m, "the previous image", m->previous, 0);
}

static void move_partition(struct managed *m)
{
	m->partition = m->partition > 1 ? m->partition / 2 : 0;
	change(m, "the partition moves on", "[" PARTITION "]", rolling_of(m->plan), m->partition);
}

static void scale(struct managed *m)
{
	m->replicas = rng_between(&m->c->rng, 2, m->plan->replicas + 4);
	if (m->partition > m->replicas)
		m->partition = m->replicas;
	change(m, "scaled", "[" REPLICAS "," PARTITION "]", m->replicas, rolling_of(m->plan),
	       m->partition);
}

static void metadata(struct managed *m)
{
	m->partition = 0;
	change(m, "a label of the template",
	       "[" PARTITION "," REPLACE
	       "\"/spec/template/metadata/labels/note\",\"value\":\"n%d\"}]",
	       rolling_of(m->plan), 0, ++m->note);
}

/* Not possible in place. */
static void environment(struct managed *m)
{
	m->partition = 0;
	change(m, "an environment variable",
	       "[" PARTITION "," REPLACE
	       "\"/spec/template/spec/containers/0/env/0/value\",\"value\":\"%d\"}]",
	       rolling_of(m->plan), 0, ++m->note);
}

static void delete_one(struct managed *m)
{
	const char *pod = record_some_pod(m->c, m->plan->name, rng_below(&m->c->rng, 64));
	if (!pod || m->replicas <= 2) {
		scale(m);
		return;
	}
	m->replicas--;
	if (m->partition > m->replicas)
		m->partition = m->replicas;
	change(m, "one pod less, by name",
	       "[" REPLICAS "," PARTITION ",{\"op\":\"add\",\"path\":\"/spec/"
	       "scaleStrategy\",\"value\":{\"podsToDelete\":[\"%s\"]}}]",
	       m->replicas, rolling_of(m->plan), m->partition, pod);
}

struct operation {
	void (*fn)(struct managed *m);
	uint32_t weight;
	bool recreates;
};
static const struct operation operations[] = {
    {new_image, 25, false}, {staged, 15, false},    {roll_back, 15, false},  {scale, 20, false},
    {metadata, 10, false},  {environment, 5, true}, {delete_one, 10, false},
};

static void next_change(struct managed *m)
{
	struct rng *r = &m->c->rng;
	if (m->partition > 0 && rng_chance(r, 70)) {
		move_partition(m);
		return;
	}
	for (;;) {
		uint32_t x = rng_below(r, 100);
		size_t i = 0;
		while (x >= operations[i].weight)
			x -= operations[i++].weight;
		if (operations[i].recreates && strcmp(m->plan->type, "InPlaceOnly") == 0)
			continue;
		operations[i].fn(m);
		return;
	}
}

static void check_deadline(struct managed *m)
{
	const uint64_t limit = (uint64_t)m->c->o->deadline_sec * 1000000;
	if (m->late || chaos_now() < m->changed_usec + limit)
		return;
	m->late = true;
	m->c->driver->late++;
	fprintf(stderr, "chaos: UNFINISHED after %lld s:\n", (long long)m->c->o->deadline_sec);
	record_describe(m->c, m->plan->name);
	history_print(m->c, m->plan->name);
}

static void tick(struct chaos *c)
{
	struct driver *d = c->driver;
	for (size_t i = 0; i < N_SETS; i++) {
		struct managed *m = &d->sets[i];
		if (!m->created || m->busy)
			continue;
		const bool settled = record_settled(c, m->plan->name);
		if (!settled)
			check_deadline(m);
		if (d->changing && chaos_now() >= m->next_usec && (settled || m->impatient))
			next_change(m);
	}
}

static void create(struct managed *m);

static void on_created(const struct k8s_response *r, void *userdata)
{
	struct managed *m = userdata;
	steady_count(m->c, "creation", m->sent_usec, r);
	if (!k8s_ok(r) && !k8s_is_already_exists(r)) {
		if (r->code && r->code < 500)
			fatal("%s: %s", m->plan->name, r->error);
		create(m);
		return;
	}
	m->created = true;
	m->changed_usec = chaos_now();
	schedule(m);
	m->impatient = false;
}

static void create(struct managed *m)
{
	static const char lifecycle[] =
	    ",\"lifecycle\":{\"preDelete\":{\"labelsHandler\":{\"" HOOK_LABEL "\":\"on\"}},"
	    "\"inPlaceUpdate\":{\"labelsHandler\":{\"" HOOK_LABEL "\":\"on\"}}}";
	static const char ordered[] =
	    ",\"annotations\":{\"apps.kruise.io/container-launch-priority\":\"Ordered\"}";
	static const char second[] = ",{\"name\":\"second\",\"image\":\"nginx:1\"}";
	const struct plan *p = m->plan;
	_cleanup_arena_ arena *a = arena_new();
	const char *rolling = arena_printf(
	    a, "\"partition\":0,\"maxUnavailable\":%d,\"maxSurge\":%d,\"%s\":\"%s\"",
	    p->max_unavailable, p->max_surge, p->beta ? "podUpdatePolicy" : "type", p->type);
	const char *text = arena_printf(
	    a,
	    "{\"apiVersion\":\"apps.kruise.io/%s\",\"kind\":\"CloneSet\",\"metadata\":{"
	    "\"name\":\"%s\",\"labels\":{\"chaos-set\":\"%s\"}},\"spec\":{\"replicas\":%d,"
	    "\"selector\":{\"matchLabels\":{\"chaos-set\":\"%s\"}},\"updateStrategy\":{%s%s%s}%s,"
	    "\"template\":{\"metadata\":{\"labels\":{\"chaos-set\":\"%s\",\"note\":\"n0\"%s}%s},"
	    "\"spec\":{\"terminationGracePeriodSeconds\":1,\"automountServiceAccountToken\":false,"
	    "\"containers\":[{\"name\":\"main\",\"image\":\"nginx:1\",\"env\":[{\"name\":\"E\","
	    "\"value\":\"0\"}]}%s]}}}}",
	    resource_of(p)->version, p->name, p->name, p->replicas, p->name,
	    p->beta ? "\"rollingUpdate\":{" : "", rolling, p->beta ? "}" : "",
	    p->hooks ? lifecycle : "", p->name, p->hooks ? ",\"" HOOK_LABEL "\":\"on\"" : "",
	    p->ordered ? ordered : "", p->ordered ? second : "");
	val object;
	struct err e = {0};
	if (json_parse(a, text, strlen(text), &object, &e) < 0)
		fatal("%s", e.msg);
	m->sent_usec = chaos_now();
	k8s_create(m->c->client, resource_of(p), m->c->o->namespace_, &object, on_created, m);
}

void driver_start(struct chaos *c)
{
	c->driver = xcalloc(1, sizeof(*c->driver));
	for (size_t i = 0; i < N_SETS; i++) {
		struct managed *m = &c->driver->sets[i];
		*m = (struct managed){.plan = &plans[i],
				      .c = c,
				      .replicas = plans[i].replicas,
				      .image = 1,
				      .previous = 1,
				      .rollouts = 1};
		create(m);
	}
	chaos_every(c, TICK_USEC, tick);
}

void driver_change(struct chaos *c, bool on)
{
	c->driver->changing = on;
}

bool driver_settled(struct chaos *c)
{
	for (size_t i = 0; i < N_SETS; i++) {
		const struct managed *m = &c->driver->sets[i];
		if (!m->created || m->busy || !record_settled(c, m->plan->name))
			return false;
	}
	return true;
}

int64_t driver_rollouts(const struct chaos *c)
{
	int64_t n = 0;
	for (size_t i = 0; i < N_SETS; i++)
		n += c->driver->sets[i].rollouts;
	return n;
}

int64_t driver_unfinished(struct chaos *c)
{
	return c->driver->late;
}

/* ---- hooks ---- */

static void on_hook(const struct k8s_response *r, void *userdata)
{
	(void)userdata;
	if (!k8s_ok(r) && !k8s_is_not_found(r) && !k8s_is_conflict(r))
		fprintf(stderr, "chaos: hook: %s\n", r->error);
}

/* Who asked for the hook lets the pod go as soon as it is being prepared, and takes it back after
 * its update. */
void driver_pod(struct chaos *c, const char *set, const val *pod)
{
	const val *labels = val_path(pod, "metadata", "labels", NULL);
	const val *state = val_get(labels, LABEL_LIFECYCLE_STATE);
	const bool hooked = val_is(val_get(labels, HOOK_LABEL), "on");
	const bool release =
	    hooked && (val_is(state, "PreparingUpdate") || val_is(state, "PreparingDelete"));
	const bool take_back =
	    !hooked && (val_is(state, "Updated") || val_is(state, "PreparingNormal"));
	if (strcmp(set, "hooked") != 0 || (!release && !take_back))
		return;
	_cleanup_arena_ arena *a = arena_new();
	val patch = val_map();
	val *l = val_ensure_map(a, val_ensure_map(a, &patch, "metadata"), "labels");
	val_set(a, l, HOOK_LABEL, release ? val_null() : val_of_str("on"));
	k8s_patch(c->client, &K8S_PODS, c->o->namespace_,
		  val_cstr(a, val_path(pod, "metadata", "name", NULL)), NULL, K8S_PATCH_MERGE,
		  &patch, on_hook, c);
}
