/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/runtime.h"

#include "ipc/base/buf.h"
#include "kube/time.h"

#include <stdlib.h>
#include <string.h>

#define ID_PREFIX "sim://"

static struct sim_end end_of(const val *terminated, int restarts)
{
	const int code = (int)val_int_or(val_get(terminated, "exitCode"), 0);
	return (struct sim_end){.exit_code = code,
				.reason = code ? "Error" : "Completed",
				.started = k8s_time_of(val_get(terminated, "startedAt"), 0),
				.finished = k8s_time_of(val_get(terminated, "finishedAt"), 0),
				.restarts = restarts};
}

/* Continues from a container status that an earlier simulator wrote. A waiting container is tried
 * again at once: what it waits for shows up anew. */
static void adopt(struct sim_container *c, const val *status, bool init, bool over,
		  const struct sim_times *t, struct sim_now now)
{
	const val *state = val_get(status, "state");
	const val *running = val_get(state, "running"), *ended = val_get(state, "terminated");
	const val *last = val_path(status, "lastState", "terminated", NULL);
	struct str id = val_str(val_get(status, "imageID"));
	if (str_has_prefix(id, ID_PREFIX)) {
		id.p += strlen(ID_PREFIX);
		id.n -= strlen(ID_PREFIX);
	}
	if (id.n)
		c->image = xstrndup(id.p, id.n);
	c->restarts = (int)val_int_or(val_get(status, "restartCount"), 0);
	if (last) {
		c->has_last = true;
		c->last = end_of(last, c->restarts - 1);
	}
	if (running && c->image) {
		c->state = SIM_RUNNING;
		c->started = k8s_time_of(val_get(running, "startedAt"), now.unix_sec);
		c->due = init ? now.mono_usec + t->init : 0;
	} else if (ended && c->image) {
		c->state = SIM_TERMINATED;
		c->end = end_of(ended, c->restarts);
		c->done = init || over;
		c->due = now.mono_usec + t->restart;
	}
}

static void add(struct sim_runtime *rt, const val *spec_list, const val *statuses, bool init,
		bool over, const struct sim_times *t, struct sim_now now)
{
	for (size_t i = 0; i < val_len(spec_list); i++) {
		struct sim_container *c = &rt->containers[rt->n++];
		const struct str name = val_str(val_get(val_at(spec_list, i), "name"));
		const val *status = val_find(statuses, "name", name);
		c->name = xstrndup(name.p ? name.p : "", name.n);
		if (status)
			adopt(c, status, init, over, t, now);
	}
}

void sim_runtime_init(struct sim_runtime *rt, const val *pod, const struct sim_times *t,
		      struct sim_now now)
{
	const val *spec = val_get(pod, "spec"), *status = val_get(pod, "status");
	const val *inits = val_get(spec, "initContainers"), *mains = val_get(spec, "containers");
	const val *phase = val_get(status, "phase");
	const bool over = val_is(phase, "Succeeded") || val_is(phase, "Failed");
	const size_t n = val_len(inits) + val_len(mains);

	*rt = (struct sim_runtime){.n_init = val_len(inits)};
	rt->containers = xcalloc(n ? n : 1, sizeof(*rt->containers));
	add(rt, inits, val_get(status, "initContainerStatuses"), true, over, t, now);
	add(rt, mains, val_get(status, "containerStatuses"), false, over, t, now);

	rt->start_time = k8s_time_of(val_get(status, "startTime"), 0);
	if (rt->start_time)
		return;
	const struct sim_faults f = sim_faults_of(pod);
	rt->start_time = now.unix_sec;
	rt->start_at = now.mono_usec + (f.has_start_delay ? f.start_delay_usec : t->start);
}

void sim_runtime_free(struct sim_runtime *rt)
{
	for (size_t i = 0; i < rt->n; i++) {
		free(rt->containers[i].name);
		free(rt->containers[i].image);
	}
	free(rt->containers);
	*rt = (struct sim_runtime){0};
}
