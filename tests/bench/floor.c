/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/floor.h"

#include "ipc/base/log.h"
#include "tests/cluster/nodesim/reflect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The least that any controller must do: the same writes, the same number at a time, the same waits
 * for the (simulated) kubelets, without deciding anything.
 *
 *   new pod:   POST; gate condition True; lifecycle state Normal
 *   in place:  gate condition False; image and metadata; (kubelet restarts it) gate condition True;
 *              lifecycle state Normal
 */
#define QUERY "labelSelector=app%3D" FLOOR_APP
#define NEW_IMAGE "nginx:2"

enum step {
	CREATE,
	OPEN_GATE,
	NORMAL,
	IDLE,
	CLOSE_GATE,
	IMAGE,
	RUNNING,
	REOPEN_GATE,
	NORMAL_AGAIN,
	DONE
};

struct floor_pod {
	struct floor *all;
	int64_t index;
	char name[32];
	enum step step;
	bool ready;   /* condition Ready is True */
	bool updated; /* the new image runs */
	bool counted; /* as unavailable, by the wave */
};

struct floor {
	struct bench bench;
	struct floor_pod *pods;
	int64_t n, next, unavailable, limit; /* of the wave */
	char *owner_uid;
	uint64_t writes;
};

static void write_step(struct floor_pod *p);

/* A pod that is available again makes room for another. */
static void advance_wave(struct floor *f)
{
	while (f->next < f->n && f->unavailable < f->limit) {
		struct floor_pod *p = &f->pods[f->next++];
		p->step = CLOSE_GATE;
		p->counted = true;
		f->unavailable++;
		write_step(p);
	}
}

static void on_written(const struct k8s_response *r, void *userdata)
{
	struct floor_pod *p = userdata;
	if (!k8s_ok(r))
		fatal("%s: %s", p->name, r->error);
	p->all->writes++;
	p->step++;
	if (p->step == RUNNING && p->updated)
		p->step = REOPEN_GATE; /* the kubelet was faster than the answer */
	if (p->step != IDLE && p->step != RUNNING && p->step != DONE)
		write_step(p);
}

static void patch(struct floor_pod *p, const char *sub, const val *body)
{
	k8s_patch(p->all->bench.client, &K8S_PODS, p->all->bench.args->namespace_, p->name, sub,
		  K8S_PATCH_STRATEGIC, body, on_written, p);
}

static void write_step(struct floor_pod *p)
{
	_cleanup_arena_ arena *a = arena_new();
	struct floor *f = p->all;
	val body;
	switch (p->step) {
	case CREATE:
		body = floor_pod(a, p->index, str_of(f->owner_uid));
		k8s_create(f->bench.client, &K8S_PODS, f->bench.args->namespace_, &body, on_written,
			   p);
		return;
	case OPEN_GATE:
	case CLOSE_GATE:
	case REOPEN_GATE:
		body = floor_gate_patch(a, p->step != CLOSE_GATE);
		patch(p, "status", &body);
		return;
	case NORMAL:
	case NORMAL_AGAIN:
		body = floor_state_patch(a, "Normal");
		patch(p, NULL, &body);
		return;
	case IMAGE:
		body = floor_image_patch(a, NEW_IMAGE);
		patch(p, NULL, &body);
		return;
	case IDLE:
	case RUNNING:
	case DONE:
		return;
	}
}

static struct floor_pod *find(struct floor *f, const val *object)
{
	const struct str name = val_str(val_path(object, "metadata", "name", NULL));
	char number[8];
	if (name.n != strlen(FLOOR_APP) + 6)
		return NULL;
	snprintf(number, sizeof(number), "%.5s", name.p + strlen(FLOOR_APP) + 1);
	const int64_t i = atol(number);
	return i < f->n ? &f->pods[i] : NULL;
}

static void on_object(const val *object, const char *text, size_t n, void *userdata)
{
	struct floor *f = userdata;
	struct floor_pod *p = find(f, object);
	(void)text;
	(void)n;
	if (!p)
		return;
	const val *status = val_get(object, "status");
	const val *ready = val_find(val_get(status, "conditions"), "type", str_of("Ready"));
	p->ready = val_is(val_get(ready, "status"), "True");
	p->updated = val_is(val_get(val_at(val_get(status, "containerStatuses"), 0), "imageID"),
			    "sim://" NEW_IMAGE);
	if (p->step == RUNNING && p->updated) {
		p->step = REOPEN_GATE;
		write_step(p);
	}
	if (p->counted && p->ready && p->step >= REOPEN_GATE) {
		p->counted = false;
		f->unavailable--;
		advance_wave(f);
	}
}

static void nothing(void *userdata)
{
	(void)userdata;
}

static void nothing_deleted(const val *object, void *userdata)
{
	(void)object;
	(void)userdata;
}

static const struct reflect_ops ops = {
    .list_begin = nothing,
    .object = on_object,
    .deleted = nothing_deleted,
    .list_end = nothing,
};

static bool all_at(const struct floor *f, enum step step)
{
	for (int64_t i = 0; i < f->n; i++)
		if (f->pods[i].step != step || !f->pods[i].ready)
			return false;
	return true;
}

static bool all_created(void *userdata)
{
	return all_at(userdata, IDLE);
}

static bool all_updated(void *userdata)
{
	const struct floor *f = userdata;
	for (int64_t i = 0; i < f->n; i++)
		if (!f->pods[i].updated)
			return false;
	return all_at(userdata, DONE);
}

static void on_owner(const struct k8s_response *r, void *userdata)
{
	struct floor *f = userdata;
	if (!k8s_ok(r))
		fatal("the owner of the pods: %s", r->error);
	const struct str uid = val_str(val_path(r->object, "metadata", "uid", NULL));
	f->owner_uid = xstrndup(uid.p, uid.n);
}

static bool has_owner(void *userdata)
{
	return ((struct floor *)userdata)->owner_uid;
}

static void prepare(struct floor *f, const struct bench_args *args)
{
	_cleanup_arena_ arena *a = arena_new();
	bench_open(&f->bench, args, (int)args->concurrency);
	bench_delete_all(&f->bench, &K8S_PODS, QUERY);
	bench_delete_all(&f->bench, &K8S_CONFIGMAPS, QUERY);
	const val owner = floor_owner(a);
	k8s_create(f->bench.client, &K8S_CONFIGMAPS, args->namespace_, &owner, on_owner, f);
	bench_until(&f->bench, has_owner, f, "the owner");

	f->n = args->replicas;
	f->limit = (f->n * args->max_unavailable_pct + 99) / 100;
	f->pods = xcalloc((size_t)f->n, sizeof(*f->pods));
	for (int64_t i = 0; i < f->n; i++) {
		f->pods[i] = (struct floor_pod){.all = f, .index = i};
		snprintf(f->pods[i].name, sizeof(f->pods[i].name), FLOOR_APP "-%05lld",
			 (long long)i);
	}
}

int bench_floor(const struct bench_args *args)
{
	struct floor f = {0};
	if (args->replicas < 1 || args->replicas > 99999)
		fatal("--replicas must be 1 to 99999");
	prepare(&f, args);
	struct reflector *r =
	    reflector_new(f.bench.client, f.bench.loop, &K8S_PODS, QUERY, &ops, &f);

	bench_say("floor: creating %lld pods, %lld requests at a time", (long long)f.n,
		  (long long)args->concurrency);
	double began = bench_now();
	for (int64_t i = 0; i < f.n; i++)
		write_step(&f.pods[i]);
	bench_until(&f.bench, all_created, &f, "all pods to be ready");
	printf("floor_scale_up_s=%.3f\n", bench_now() - began);
	const uint64_t first = f.writes;

	bench_say("floor: updating them, %lld at a time", (long long)f.limit);
	began = bench_now();
	advance_wave(&f);
	bench_until(&f.bench, all_updated, &f, "all pods to be updated");
	printf("floor_inplace_s=%.3f\n", bench_now() - began);
	bench_say("floor: %llu writes, then %llu", (unsigned long long)first,
		  (unsigned long long)(f.writes - first));

	reflector_free(r);
	if (!args->keep) {
		bench_delete_all(&f.bench, &K8S_PODS, QUERY);
		bench_delete_all(&f.bench, &K8S_CONFIGMAPS, QUERY);
	}
	bench_close(&f.bench);
	free(f.pods);
	free(f.owner_uid);
	return 0;
}
