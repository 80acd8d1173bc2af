/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/podreadiness/podreadiness.h"

#include "rules/podreadiness.h"
#include "workers/runtime/worker.h"

static int load_pod(struct store_txn *txn, arena *a, struct str ns, struct str name, val *pod)
{
	struct store_entry entry;
	int r = store_get(txn, k8s_resource_key(&K8S_PODS), ns, name, &entry);
	return r <= 0 ? r : store_object(&entry, a, pod, NULL) < 0 ? 0 : 1;
}

/* The text is in the gate, and in the condition. */
static bool concerns(const struct store_entry *pod)
{
	return worker_mentions(pod, GATE_POD_READY);
}

/* Gates are given at creation only, and kubelets keep conditions of others: what was set once
 * stays. So a pod is looked at when it is new, and most have no such gate. */
static void on_delta(struct worker *w, const char *resource, const struct delta *d)
{
	(void)resource;
	if (d->type == DELTA_ADDED && !d->terminating && worker_concerned(w, d->ns, d->name))
		worker_enqueue(w, d->ns, d->name);
}

static void on_written(struct sync *s, const struct k8s_response *r, void *userdata)
{
	(void)userdata;
	if (k8s_ok(r))
		queue_drop(s->w->queue, s->key);
	else if (k8s_is_conflict(r)) /* the pod has moved on: look at its next version */
		sync_requeue_after(s, 50000);
	else if (!k8s_is_not_found(r))
		sync_fail_response(s, "cannot set KruisePodReady", r);
}

static void podreadiness_sync(struct sync *s)
{
	val pod;
	if (load_pod(s->txn, s->arena, s->ns, s->name, &pod) <= 0 ||
	    !podreadiness_needs_init(&pod)) {
		queue_drop(s->w->queue, s->key);
		return;
	}
	val patch = podreadiness_init_patch(s->arena, &pod, (int64_t)(s->now_usec / 1000000));
	sync_patch(s, &K8S_PODS, s->ns, s->name, "status", K8S_PATCH_STRATEGIC, &patch, on_written,
		   NULL);
}

int podreadiness_main(int argc, char **argv)
{
	static const struct k8s_resource *const watched[] = {&K8S_PODS, NULL};
	static const struct controller controller = {
	    .name = "podreadiness",
	    .component = "podreadiness-controller",
	    .primary = &K8S_PODS,
	    .watched = watched,
	    .required = watched,
	    .concerns = concerns,
	    .on_delta = on_delta,
	    .sync = podreadiness_sync,
	};
	return worker_run(&controller, argc, argv);
}
