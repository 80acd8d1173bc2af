/* SPDX-License-Identifier: Apache-2.0 */
#include "workers/containerlaunchpriority/containerlaunchpriority.h"

#include "rules/conditions.h"
#include "rules/launchpriority.h"
#include "workers/containerlaunchpriority/launches.h"
#include "workers/runtime/worker.h"

#include <string.h>

#define AGAIN_USEC 50000 /* after an answer that says that things have moved on */
/* Kubelet takes a while to try again. A container that it still cannot start after this time may
 * miss its key, because somebody has deleted the barrier. */
#define RECHECK_USEC 30000000

/* One sync. */
struct step {
	val pod;
	struct launch_plan plan;
	struct str barrier; /* name */
};

static bool concerns(const struct store_entry *pod)
{
	return worker_mentions(pod, ENV_LAUNCH_BARRIER);
}

/* Barriers are given to containers at creation only: a pod that is not known by then is none of
 * ours, and costs a look-up at most. */
static void on_delta(struct worker *w, const char *resource, const struct delta *d)
{
	struct launches *launches = w->state;
	_cleanup_buf_ struct buf key = {0};
	(void)resource;
	if (d->type == DELTA_ADDED) {
		if (!d->terminating && worker_concerned(w, d->ns, d->name))
			worker_enqueue(w, d->ns, d->name);
		return;
	}
	if (!launches->pods)
		return;
	worker_key(&key, d->ns, d->name);
	if (!launches_find(launches, buf_str(&key)))
		return;
	if (d->type == DELTA_DELETED) {
		launches_forget(launches, buf_str(&key));
		queue_drop(w->queue, buf_str(&key));
	} else if (d->changed & (DELTA_STATUS | DELTA_ANNOTATIONS | DELTA_DELETION)) {
		queue_add(w->queue, buf_str(&key));
	}
}

/* NULL when another pod of that name has come meanwhile. */
static struct launch *launch_of(struct sync *s)
{
	const struct step *step = s->state;
	struct launch *l = launches_find(s->w->state, s->key);
	return l && str_is(pod_uid(&step->pod), l->pod_uid) ? l : NULL;
}

static void forget(struct sync *s)
{
	launches_forget(s->w->state, s->key);
	queue_drop(s->w->queue, s->key);
}

/* Somebody else was there first, or the object is gone: look again. */
static void start_over(struct sync *s)
{
	struct launch *l = launch_of(s);
	if (l)
		launch_unknown(l);
	sync_requeue_after(s, AGAIN_USEC);
}

static void on_completed(struct sync *s, const struct k8s_response *r, void *userdata)
{
	(void)userdata;
	if (k8s_ok(r) || k8s_is_not_found(r) || k8s_is_other_uid(r)) {
		if (launch_of(s))
			forget(s);
		return;
	}
	sync_fail_response(s, "cannot mark the launch as completed", r);
}

static void complete(struct sync *s)
{
	const struct step *step = s->state;
	val patch = launchpriority_completed_patch(s->arena, &step->pod);
	sync_patch(s, &K8S_PODS, s->ns, s->name, NULL, K8S_PATCH_MERGE, &patch, on_completed, NULL);
}

/* The key is in the barrier that the API server has answered with. */
static void opened(struct sync *s, const val *barrier)
{
	const struct step *step = s->state;
	struct launch *l = launch_of(s);
	if (l)
		launch_opened(l, val_str(val_path(barrier, "metadata", "uid", NULL)),
			      step->plan.key, mono_usec());
	if (l && step->plan.last)
		complete(s);
}

static void on_patched(struct sync *s, const struct k8s_response *r, void *userdata)
{
	(void)userdata;
	if (k8s_ok(r))
		opened(s, r->object);
	else if (k8s_is_other_uid(r) || k8s_is_conflict(r) || k8s_is_not_found(r))
		start_over(s);
	else
		sync_fail_response(s, "cannot write the barrier", r);
}

static void add_key(struct sync *s, struct str barrier_uid)
{
	const struct step *step = s->state;
	val patch = launchpriority_key_patch(s->arena, barrier_uid, step->plan.key);
	sync_patch(s, &K8S_CONFIGMAPS, s->ns, step->barrier, NULL, K8S_PATCH_MERGE, &patch,
		   on_patched, NULL);
}

static void on_removed(struct sync *s, const struct k8s_response *r, void *userdata)
{
	(void)userdata;
	if (k8s_ok(r) || k8s_is_conflict(r) || k8s_is_not_found(r))
		start_over(s);
	else
		sync_fail_response(s, "cannot remove the barrier of an earlier pod", r);
}

static void on_found(struct sync *s, const struct k8s_response *r, void *userdata)
{
	const struct step *step = s->state;
	const struct str uid = val_str(val_path(r->object, "metadata", "uid", NULL));
	(void)userdata;
	if (k8s_is_not_found(r))
		start_over(s);
	else if (!k8s_ok(r))
		sync_fail_response(s, "cannot read the barrier", r);
	else if (launchpriority_is_predecessors(r->object, &step->pod))
		sync_delete(s, &K8S_CONFIGMAPS, s->ns, step->barrier, uid, on_removed, NULL);
	else if (launchpriority_has_key(r->object, step->plan.key))
		opened(s, r->object);
	else
		add_key(s, uid);
}

static void look(struct sync *s)
{
	const struct step *step = s->state;
	sync_get(s, &K8S_CONFIGMAPS, s->ns, step->barrier, on_found, NULL);
}

static void on_created(struct sync *s, const struct k8s_response *r, void *userdata)
{
	(void)userdata;
	if (k8s_ok(r))
		opened(s, r->object);
	else if (k8s_is_already_exists(r))
		look(s);
	else
		sync_fail_response(s, "cannot create the barrier", r);
}

/* The key was put there by us: usually there is nothing to do but wait for the container. */
static void wait_for_kubelet(struct sync *s, const struct launch *l)
{
	const struct step *step = s->state;
	const uint64_t due = l->checked_usec + RECHECK_USEC;
	if (step->plan.last)
		complete(s); /* an earlier attempt has failed */
	else if (step->plan.held && mono_usec() >= due)
		look(s);
	else if (step->plan.held)
		sync_requeue_after(s, due - mono_usec());
}

static bool load_pod(struct sync *s, val *pod)
{
	struct store_entry entry;
	val found;
	if (store_get(s->txn, k8s_resource_key(&K8S_PODS), s->ns, s->name, &entry) <= 0 ||
	    store_object(&entry, s->arena, &found, NULL) < 0)
		return false;
	*pod = val_copy(s->arena, &found);
	return true;
}

static void containerlaunchpriority_sync(struct sync *s)
{
	struct step *step = arena_alloc(s->arena, sizeof(*step));
	s->state = step;
	if (!load_pod(s, &step->pod)) {
		forget(s);
		return;
	}
	step->plan = launchpriority_plan(s->arena, &step->pod);
	if (step->plan.over) {
		forget(s);
		return;
	}
	step->barrier = str_of(launchpriority_barrier_name(s->arena, s->name));
	struct launch *l = launches_of(s->w->state, s->key, pod_uid(&step->pod));
	if (l->opened && strcmp(l->opened, step->plan.key) == 0) {
		wait_for_kubelet(s, l);
	} else if (!worker_store_fresh(s->w, s->txn)) {
		sync_requeue_after(s, AGAIN_USEC);
	} else if (l->barrier_uid) {
		add_key(s, str_of(l->barrier_uid));
	} else {
		val barrier = launchpriority_barrier(s->arena, &step->pod, step->plan.key);
		sync_create(s, &K8S_CONFIGMAPS, s->ns, &barrier, on_created, NULL);
	}
}

static int start(struct worker *w, struct err *e)
{
	(void)e;
	w->state = xcalloc(1, sizeof(struct launches));
	return 0;
}

static void stop(struct worker *w)
{
	launches_forget_all(w->state);
	free(w->state);
}

int containerlaunchpriority_main(int argc, char **argv)
{
	static const struct k8s_resource *const watched[] = {&K8S_PODS, NULL};
	static const struct controller controller = {
	    .name = "containerlaunchpriority",
	    .component = "container-launch-priority-controller",
	    .primary = &K8S_PODS,
	    .watched = watched,
	    .required = watched,
	    .start = start,
	    .stop = stop,
	    .concerns = concerns,
	    .on_delta = on_delta,
	    .sync = containerlaunchpriority_sync,
	};
	return worker_run(&controller, argc, argv);
}
