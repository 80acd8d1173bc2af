/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/runtime.h"

#include "ipc/base/buf.h"

#include <stdlib.h>
#include <string.h>

#define CRASH_BACKOFF_USEC 1000000u
#define CRASH_BACKOFF_MAX_USEC 10000000u
#define USEC 1000000u

/* What a container's step looks at. */
struct context {
	const struct sim_runtime *rt;
	const val *spec;  /* the container */
	struct str image; /* of the spec */
	const struct sim_faults *faults;
	const struct sim_times *times;
	struct sim_now now;
};

static const char *const err_image_pull = "ErrImagePull";
static const char *const err_config = "CreateContainerConfigError";
static const char *const crash_loop = "CrashLoopBackOff";

static void set_image(struct sim_container *c, struct str image)
{
	free(c->image);
	c->image = xstrndup(image.p ? image.p : "", image.n);
}

static bool has_image(const struct sim_container *c, struct str image)
{
	return c->image && str_is(image, c->image);
}

static void leave_terminated(struct sim_container *c)
{
	if (c->state != SIM_TERMINATED)
		return;
	c->last = c->end;
	c->has_last = true;
}

static void start(struct sim_container *c, const struct context *x)
{
	leave_terminated(c);
	if (c->image)
		c->restarts++;
	set_image(c, x->image);
	c->state = SIM_RUNNING;
	c->started = x->now.unix_sec;
	c->ready_at = x->now.mono_usec + x->times->ready;
	c->due = 0;
}

static void terminate(struct sim_container *c, int exit_code, struct sim_now now)
{
	c->end = (struct sim_end){.exit_code = exit_code,
				  .reason = exit_code ? "Error" : "Completed",
				  .started = c->started,
				  .finished = now.unix_sec,
				  .restarts = c->restarts};
	c->state = SIM_TERMINATED;
	c->due = 0;
}

static void wait_with(struct sim_container *c, const char *reason, uint64_t due)
{
	leave_terminated(c);
	c->state = SIM_WAITING;
	c->waiting = reason;
	c->due = due;
}

/* Every variable that comes from a ConfigMap has its key. */
static bool configured(const struct context *x)
{
	const val *env = val_get(x->spec, "env");
	for (size_t i = 0; x->rt->has_key && val_is_array(env) && i < val_len(env); i++) {
		const val *ref = val_path(val_at(env, i), "valueFrom", "configMapKeyRef", NULL);
		if (ref && !val_bool(val_get(ref, "optional")) &&
		    !x->rt->has_key(val_str(val_get(ref, "name")), val_str(val_get(ref, "key")),
				    x->rt->userdata))
			return false;
	}
	return true;
}

/* Starts it, or shows why that is impossible. */
static bool try_start(struct sim_container *c, const struct context *x)
{
	if (!sim_pullable(x->faults, x->image)) {
		wait_with(c, err_image_pull, 0);
		return false;
	}
	if (!configured(x)) {
		wait_with(c, err_config, 0);
		return false;
	}
	start(c, x);
	return true;
}

static bool step_new(struct sim_container *c, const struct context *x)
{
	return try_start(c, x);
}

static void crash(struct sim_container *c, const struct context *x)
{
	c->backoff = c->backoff ? c->backoff * 2 : CRASH_BACKOFF_USEC;
	if (c->backoff > CRASH_BACKOFF_MAX_USEC)
		c->backoff = CRASH_BACKOFF_MAX_USEC;
	terminate(c, 1, x->now);
	wait_with(c, crash_loop, x->now.mono_usec + c->backoff);
}

static bool step_running(struct sim_container *c, const struct context *x)
{
	const struct sim_faults *f = x->faults;
	if (!has_image(c, x->image)) {
		terminate(c, 0, x->now);
		c->due = x->now.mono_usec + x->times->restart;
		c->backoff = 0;
		return true;
	}
	if (str_is(f->crash, c->name)) {
		crash(c, x);
		return false;
	}
	if (!f->exits) {
		c->due = 0;
		return false;
	}
	if (!c->due)
		c->due =
		    x->now.mono_usec + (f->has_exit_after ? f->exit_after_usec : x->times->restart);
	if (x->now.mono_usec < c->due)
		return false;
	terminate(c, f->exit_code, x->now);
	c->done = true;
	return false;
}

static bool step_waiting(struct sim_container *c, const struct context *x)
{
	if (c->waiting == err_image_pull)
		return sim_pullable(x->faults, x->image) && try_start(c, x);
	if (c->waiting == err_config)
		return configured(x) && try_start(c, x);
	/* a changed image does not wait for the back-off of its predecessor */
	const uint64_t soon = x->now.mono_usec + x->times->restart;
	if (!has_image(c, x->image) && soon < c->due)
		c->due = soon;
	return x->now.mono_usec >= c->due && try_start(c, x);
}

static bool step_terminated(struct sim_container *c, const struct context *x)
{
	if (c->done || x->now.mono_usec < c->due)
		return false;
	return try_start(c, x);
}

typedef bool (*step_fn)(struct sim_container *c, const struct context *x);

static const step_fn steps[] = {
    [SIM_NEW] = step_new,
    [SIM_RUNNING] = step_running,
    [SIM_WAITING] = step_waiting,
    [SIM_TERMINATED] = step_terminated,
};

/* One init container; true when it is done and the next may start. */
static bool advance_init(struct sim_container *c, const struct context *x)
{
	if (c->state == SIM_NEW ||
	    (c->state == SIM_WAITING && sim_pullable(x->faults, x->image) && configured(x))) {
		if (!try_start(c, x))
			return false;
		c->due = x->now.mono_usec + x->times->init;
	}
	if (c->state == SIM_RUNNING && x->now.mono_usec >= c->due) {
		terminate(c, 0, x->now);
		c->done = true;
	}
	return c->done;
}

/* The earlier of two times, of which 0 is none. */
static uint64_t earlier(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

static uint64_t next_due(const struct sim_runtime *rt, struct sim_now now)
{
	uint64_t next = now.mono_usec < rt->kill_at ? rt->kill_at : 0;
	if (now.mono_usec < rt->start_at)
		return earlier(next, rt->start_at);
	for (size_t i = 0; i < rt->n; i++) {
		const struct sim_container *c = &rt->containers[i];
		if (!c->done)
			next = earlier(next, c->due);
		if (c->state == SIM_RUNNING && now.mono_usec < c->ready_at)
			next = earlier(next, c->ready_at);
	}
	return next;
}

static void note_deletion(struct sim_runtime *rt, const val *pod, const struct sim_times *t,
			  struct sim_now now)
{
	const val *meta = val_get(pod, "metadata");
	if (rt->kill_at || !val_is_str(val_get(meta, "deletionTimestamp")))
		return;
	const int64_t grace = val_int_or(val_get(meta, "deletionGracePeriodSeconds"), 0);
	uint64_t wait = t->kill;
	if (grace <= 0)
		wait = 0;
	else if ((uint64_t)grace < wait / USEC + 1 && (uint64_t)grace * USEC < wait)
		wait = (uint64_t)grace * USEC;
	rt->kill_at = now.mono_usec + wait;
}

uint64_t sim_runtime_advance(struct sim_runtime *rt, const val *pod, const struct sim_faults *f,
			     const struct sim_times *t, struct sim_now now)
{
	if (rt->killed)
		return 0;
	note_deletion(rt, pod, t, now);
	if (now.mono_usec < rt->start_at)
		return next_due(rt, now);

	const val *spec = val_get(pod, "spec");
	const val *inits = val_get(spec, "initContainers"), *mains = val_get(spec, "containers");
	struct context x = {.rt = rt, .faults = f, .times = t, .now = now};
	for (size_t i = 0; i < rt->n_init; i++) {
		x.spec = val_at(inits, i);
		x.image = val_str(val_get(x.spec, "image"));
		if (!rt->containers[i].done && !advance_init(&rt->containers[i], &x))
			return next_due(rt, now);
	}
	for (size_t i = rt->n_init; i < rt->n; i++) {
		struct sim_container *c = &rt->containers[i];
		x.spec = val_at(mains, i - rt->n_init);
		x.image = val_str(val_get(x.spec, "image"));
		while (steps[c->state](c, &x))
			;
	}
	return next_due(rt, now);
}

bool sim_runtime_kill_due(const struct sim_runtime *rt, struct sim_now now)
{
	return rt->kill_at && !rt->killed && now.mono_usec >= rt->kill_at;
}

void sim_runtime_kill(struct sim_runtime *rt, struct sim_now now)
{
	rt->killed = true;
	for (size_t i = 0; i < rt->n; i++) {
		struct sim_container *c = &rt->containers[i];
		if (c->state == SIM_RUNNING)
			terminate(c, 137, now);
		c->done = true;
	}
}

bool sim_runtime_held(const struct sim_runtime *rt)
{
	for (size_t i = 0; i < rt->n; i++)
		if (rt->containers[i].state == SIM_WAITING &&
		    rt->containers[i].waiting == err_config)
			return true;
	return false;
}

bool sim_container_ready(const struct sim_container *c, const struct sim_faults *f,
			 struct sim_now now)
{
	return c->state == SIM_RUNNING && now.mono_usec >= c->ready_at && !f->never_ready;
}

bool sim_runtime_initialized(const struct sim_runtime *rt)
{
	for (size_t i = 0; i < rt->n_init; i++)
		if (!rt->containers[i].done)
			return false;
	return true;
}

bool sim_runtime_finished(const struct sim_runtime *rt)
{
	for (size_t i = rt->n_init; i < rt->n; i++)
		if (!rt->containers[i].done)
			return false;
	return rt->n > rt->n_init;
}
