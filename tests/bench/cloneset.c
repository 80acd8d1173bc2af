/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/base/log.h"
#include "tests/bench/bench.h"
#include "tests/bench/procs.h"
#include "tests/cluster/nodesim/reflect.h"

#include <stdio.h>
#include <string.h>

/*
 * The product at work: a CloneSet is created, later its image is changed. What the status says
 * decides when a phase is over; at its end the pods themselves are looked at once.
 */
#define NEW_IMAGE "nginx:2"

struct run {
	struct bench bench;
	bool answered, gone;
	int64_t generation; /* that the status must have seen */
	int64_t observed, ready, updated, updated_ready;
	int64_t good_pods; /* by the last look; -1: none yet */
	const char *image; /* that good pods run */
};

static void on_set(const val *object, const char *text, size_t n, void *userdata)
{
	struct run *r = userdata;
	const val *status = val_get(object, "status");
	(void)text;
	(void)n;
	if (!val_is(val_path(object, "metadata", "name", NULL), r->bench.args->name))
		return;
	r->gone = false;
	r->observed = val_int_or(val_get(status, "observedGeneration"), 0);
	r->ready = val_int_or(val_get(status, "readyReplicas"), 0);
	r->updated = val_int_or(val_get(status, "updatedReplicas"), 0);
	r->updated_ready = val_int_or(val_get(status, "updatedReadyReplicas"), 0);
}

static void on_set_deleted(const val *object, void *userdata)
{
	struct run *r = userdata;
	if (val_is(val_path(object, "metadata", "name", NULL), r->bench.args->name))
		r->gone = true;
}

static void nothing(void *userdata)
{
	(void)userdata;
}

static const struct reflect_ops ops = {
    .list_begin = nothing,
    .object = on_set,
    .deleted = on_set_deleted,
    .list_end = nothing,
};

static void on_written(const struct k8s_response *res, void *userdata)
{
	struct run *r = userdata;
	if (!k8s_ok(res))
		fatal("the CloneSet: %s", res->error);
	r->generation = val_int_or(val_path(res->object, "metadata", "generation", NULL), 1);
	r->answered = true;
}

static bool answered(void *userdata)
{
	return ((struct run *)userdata)->answered;
}

static bool all_ready(void *userdata)
{
	const struct run *r = userdata;
	return r->answered && r->observed >= r->generation && r->ready == r->bench.args->replicas;
}

static bool all_updated(void *userdata)
{
	const struct run *r = userdata;
	const int64_t n = r->bench.args->replicas;
	return r->answered && r->observed >= r->generation && r->updated == n &&
	       r->updated_ready == n;
}

static void on_pods(const struct k8s_response *res, void *userdata)
{
	struct run *r = userdata;
	const val *items = val_get(res->object, "items");
	r->answered = true;
	r->good_pods = 0;
	for (size_t i = 0; i < val_len(items); i++) {
		const val *pod = val_at(items, i), *status = val_get(pod, "status");
		const val *ready = val_find(val_get(status, "conditions"), "type", str_of("Ready"));
		const val *c = val_at(val_get(status, "containerStatuses"), 0);
		if (val_is(val_get(ready, "status"), "True") &&
		    val_is(val_get(c, "image"), r->image))
			r->good_pods++;
	}
}

static void look_at_pods(struct run *r, const char *image)
{
	_cleanup_free_ char *query = xasprintf("labelSelector=app%%3D%s", r->bench.args->name);
	r->answered = false;
	r->image = image;
	k8s_list(r->bench.client, &K8S_PODS, r->bench.args->namespace_, query, on_pods, r);
	bench_until(&r->bench, answered, r, "the list of pods");
	if (r->good_pods != r->bench.args->replicas)
		fatal("the status says that all is done, but only %lld of %lld pods are ready with "
		      "%s",
		      (long long)r->good_pods, (long long)r->bench.args->replicas, image);
}

static double create(struct run *r)
{
	_cleanup_arena_ arena *a = arena_new();
	const val set = bench_cloneset(a, r->bench.args);
	const double began = bench_now();
	k8s_create(r->bench.client, &K8S_CLONESETS_V1ALPHA1, r->bench.args->namespace_, &set,
		   on_written, r);
	bench_until(&r->bench, all_ready, r, "all pods to be ready");
	const double took = bench_now() - began;
	look_at_pods(r, "nginx:1");
	return took;
}

static double update(struct run *r)
{
	_cleanup_arena_ arena *a = arena_new();
	val op = val_map(), patch = val_array();
	val_set(a, &op, "op", val_of_str("replace"));
	val_set(a, &op, "path", val_of_str("/spec/template/spec/containers/0/image"));
	val_set(a, &op, "value", val_of_str(NEW_IMAGE));
	val_push(a, &patch, op);
	r->answered = false;
	const double began = bench_now();
	k8s_patch(r->bench.client, &K8S_CLONESETS_V1ALPHA1, r->bench.args->namespace_,
		  r->bench.args->name, NULL, K8S_PATCH_JSON, &patch, on_written, r);
	bench_until(&r->bench, all_updated, r, "all pods to be updated");
	const double took = bench_now() - began;
	look_at_pods(r, NEW_IMAGE);
	return took;
}

struct usage {
	double tree, apiserver, nodesim;
};

static struct usage usage_of(const struct bench_args *a)
{
	return (struct usage){
	    .tree = a->pid ? tree_cpu((pid_t)a->pid, "") : 0,
	    .apiserver = a->apiserver_pid ? tree_cpu((pid_t)a->apiserver_pid, "") : 0,
	    .nodesim = a->nodesim_pid ? tree_cpu((pid_t)a->nodesim_pid, "") : 0,
	};
}

int bench_cloneset_run(const struct bench_args *args)
{
	struct run r = {.good_pods = -1};
	bench_open(&r.bench, args, 0);
	struct reflector *f =
	    reflector_new(r.bench.client, r.bench.loop, &K8S_CLONESETS_V1ALPHA1, NULL, &ops, &r);
	const struct usage before = usage_of(args);
	printf("pss_idle_mb=%.1f\n", args->pid ? tree_pss((pid_t)args->pid) : 0);

	bench_say("cloneset: creating %lld replicas", (long long)args->replicas);
	printf("scale_up_s=%.3f\n", create(&r));
	bench_say("cloneset: updating them in place, %lld%% at a time",
		  (long long)args->max_unavailable_pct);
	printf("inplace_s=%.3f\n", update(&r));

	const struct usage after = usage_of(args);
	printf("cpu_s=%.2f\npss_after_mb=%.1f\napiserver_cpu_s=%.2f\nnodesim_cpu_s=%.2f\n",
	       after.tree - before.tree, args->pid ? tree_pss((pid_t)args->pid) : 0,
	       after.apiserver - before.apiserver, after.nodesim - before.nodesim);
	reflector_free(f);
	bench_close(&r.bench);
	return 0;
}
