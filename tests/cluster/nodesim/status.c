/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cluster/nodesim/status.h"

#include "ipc/base/buf.h"
#include "kube/time.h"

#include <string.h>

/* Everything that the parts of a status are made from. */
struct view {
	arena *a;
	const val *pod;
	const val *status;
	const struct sim_runtime *rt;
	const struct sim_faults *faults;
	struct sim_now now;
};

struct condition {
	bool yes;
	const char *reason;  /* NULL: none */
	const char *message; /* NULL: none */
};

static val container_id(const struct view *v, const struct sim_container *c, int restarts)
{
	const struct str uid = val_str(val_path(v->pod, "metadata", "uid", NULL));
	return val_of_str(arena_printf(v->a, "sim://%.*s-%s-%d", STR_ARG(uid), c->name, restarts));
}

static val one(arena *a, const char *key, val inner)
{
	val m = val_map();
	val_set(a, &m, key, inner);
	return m;
}

static val ended(const struct view *v, const struct sim_container *c, const struct sim_end *e)
{
	val m = val_map();
	val_set(v->a, &m, "containerID", container_id(v, c, e->restarts));
	val_set(v->a, &m, "exitCode", val_of_int(e->exit_code));
	val_set(v->a, &m, "finishedAt", k8s_time_val(v->a, e->finished));
	val_set(v->a, &m, "reason", val_of_str(e->reason));
	val_set(v->a, &m, "startedAt", k8s_time_val(v->a, e->started));
	return one(v->a, "terminated", m);
}

static val waiting(const struct view *v, const struct sim_container *c, const val *spec)
{
	const char *reason = c->waiting;
	if (c->state == SIM_NEW)
		reason = sim_runtime_initialized(v->rt) ? "ContainerCreating" : "PodInitializing";
	val m = one(v->a, "reason", val_of_str(reason));
	if (strcmp(reason, "CrashLoopBackOff") == 0)
		val_set(v->a, &m, "message",
			val_of_str(arena_printf(v->a, "back-off restarting failed container=%s",
						c->name)));
	if (strcmp(reason, "ErrImagePull") == 0)
		val_set(v->a, &m, "message",
			val_of_str(arena_printf(v->a, "failed to pull and unpack image \"%.*s\"",
						STR_ARG(val_str(val_get(spec, "image"))))));
	return one(v->a, "waiting", m);
}

static val state_of(const struct view *v, const struct sim_container *c, const val *spec)
{
	if (c->state == SIM_TERMINATED)
		return ended(v, c, &c->end);
	if (c->state != SIM_RUNNING)
		return waiting(v, c, spec);
	return one(v->a, "running", one(v->a, "startedAt", k8s_time_val(v->a, c->started)));
}

static val container_status(const struct view *v, const struct sim_container *c, bool init,
			    const val *spec)
{
	arena *a = v->a;
	const bool ready =
	    init ? c->done && c->end.exit_code == 0 : sim_container_ready(c, v->faults, v->now);
	val m = val_map();
	if (c->image)
		val_set(a, &m, "containerID", container_id(v, c, c->restarts));
	val_set(a, &m, "image",
		c->image ? val_of_str(c->image) : val_of_strn(val_str(val_get(spec, "image"))));
	val_set(a, &m, "imageID",
		val_of_str(c->image ? arena_printf(a, "sim://%s", c->image) : ""));
	val_set(a, &m, "lastState", c->has_last ? ended(v, c, &c->last) : val_map());
	val_set(a, &m, "name", val_of_str(c->name));
	val_set(a, &m, "ready", val_of_bool(ready));
	val_set(a, &m, "restartCount", val_of_int(c->restarts));
	if (!init)
		val_set(a, &m, "started", val_of_bool(c->state == SIM_RUNNING));
	val_set(a, &m, "state", state_of(v, c, spec));
	return m;
}

/* These lists have no merge key: they are written whole or not at all. */
static void put_statuses(const struct view *v, val *out, const char *key, const char *spec_key,
			 size_t from, size_t to)
{
	const val *specs = val_path(v->pod, "spec", spec_key, NULL);
	val list = val_array();
	for (size_t i = from; i < to; i++)
		val_push(v->a, &list,
			 container_status(v, &v->rt->containers[i], from < v->rt->n_init,
					  val_at(specs, i - from)));
	if (to > from && !val_equal(val_get(v->status, key), &list))
		val_set(v->a, out, key, list);
}

static void put(const struct view *v, val *out, const char *key, val wanted)
{
	if (!val_equal(val_get(v->status, key), &wanted))
		val_set(v->a, out, key, wanted);
}

/* "text: [a b]" of the containers that are not as they should be; NULL when there are none. */
static const char *names_of(const struct view *v, const char *text, size_t from, size_t to)
{
	_cleanup_buf_ struct buf b = {0};
	for (size_t i = from; i < to; i++) {
		const struct sim_container *c = &v->rt->containers[i];
		if (i < v->rt->n_init ? c->done : sim_container_ready(c, v->faults, v->now))
			continue;
		buf_printf(&b, "%s%s", b.len ? " " : "", c->name);
	}
	return b.len ? arena_printf(v->a, "containers with %s status: [%s]", text, buf_str(&b))
		     : NULL;
}

static struct condition initialized(const struct view *v, const char *phase)
{
	const char *message = names_of(v, "incomplete", 0, v->rt->n_init);
	if (message)
		return (struct condition){false, "ContainersNotInitialized", message};
	return (struct condition){true, strcmp(phase, "Succeeded") == 0 ? "PodCompleted" : NULL,
				  NULL};
}

static struct condition containers_ready(const struct view *v, const char *phase)
{
	if (strcmp(phase, "Succeeded") == 0)
		return (struct condition){false, "PodCompleted", NULL};
	const char *message = names_of(v, "unready", v->rt->n_init, v->rt->n);
	if (message)
		return (struct condition){false, "ContainersNotReady", message};
	return (struct condition){true, NULL, NULL};
}

static struct condition ready(const struct view *v, struct condition containers)
{
	if (!containers.yes)
		return containers;
	const val *gates = val_path(v->pod, "spec", "readinessGates", NULL);
	const val *have = val_get(v->status, "conditions");
	_cleanup_buf_ struct buf b = {0};
	for (size_t i = 0; i < val_len(gates); i++) {
		const struct str type = val_str(val_get(val_at(gates, i), "conditionType"));
		const val *c = val_find(have, "type", type);
		const struct str is = val_str(val_get(c, "status"));
		if (str_is(is, "True"))
			continue;
		if (b.len)
			buf_puts(&b, ", ");
		if (c)
			buf_printf(&b,
				   "the status of pod readiness gate \"%.*s\" is not \"True\", but "
				   "%.*s",
				   STR_ARG(type), STR_ARG(is));
		else
			buf_printf(&b,
				   "corresponding condition of pod readiness gate \"%.*s\" does "
				   "not exist.",
				   STR_ARG(type));
	}
	if (!b.len)
		return (struct condition){true, NULL, NULL};
	return (struct condition){false, "ReadinessGatesNotReady", arena_strndup(v->a, b.p, b.len)};
}

/* Sets the text, or removes with null what the condition has. */
static void put_text(arena *a, val *out, const val *have, const char *key, const char *text)
{
	if (text)
		val_set(a, out, key, val_of_str(text));
	else if (val_get(have, key))
		val_set(a, out, key, val_null());
}

static bool text_is(const val *have, const char *text)
{
	const struct str s = val_str(have);
	return text ? str_is(s, text) : s.n == 0;
}

static void put_condition(const struct view *v, val *out, const char *type, struct condition want)
{
	arena *a = v->a;
	const val *have = val_find(val_get(v->status, "conditions"), "type", str_of(type));
	const char *status = want.yes ? "True" : "False";
	const bool same = val_is(val_get(have, "status"), status);
	if (same && text_is(val_get(have, "reason"), want.reason) &&
	    text_is(val_get(have, "message"), want.message))
		return;
	val c = one(a, "type", val_of_str(type));
	val_set(a, &c, "status", val_of_str(status));
	if (!same) {
		val_set(a, &c, "lastProbeTime", val_null());
		val_set(a, &c, "lastTransitionTime", k8s_time_val(a, v->now.unix_sec));
	}
	put_text(a, &c, have, "reason", want.reason);
	put_text(a, &c, have, "message", want.message);
	val_push(a, out, c);
}

static const char *phase_of(const struct view *v)
{
	const struct sim_runtime *rt = v->rt;
	bool failed = false;
	for (size_t i = rt->n_init; i < rt->n; i++) {
		const struct sim_container *c = &rt->containers[i];
		if (!c->image)
			return "Pending";
		failed |= c->end.exit_code != 0;
	}
	if (rt->killed || !sim_runtime_finished(rt))
		return "Running";
	return failed ? "Failed" : "Succeeded";
}

static void put_conditions(const struct view *v, val *out, const char *phase)
{
	const struct condition containers = containers_ready(v, phase);
	val list = val_array();
	put_condition(v, &list, "Initialized", initialized(v, phase));
	put_condition(v, &list, "Ready", ready(v, containers));
	put_condition(v, &list, "ContainersReady", containers);
	if (!val_find(val_get(v->status, "conditions"), "type", str_of("PodScheduled")))
		put_condition(v, &list, "PodScheduled", (struct condition){true, NULL, NULL});
	if (val_len(&list))
		val_set(v->a, out, "conditions", list);
}

static void put_addresses(const struct view *v, val *out, struct sim_address at)
{
	put(v, out, "hostIP", val_of_str(at.host_ip));
	if (val_str(val_get(v->status, "podIP")).n)
		return;
	val ips = val_array();
	val_push(v->a, &ips, one(v->a, "ip", val_of_str(at.pod_ip)));
	val_set(v->a, out, "podIP", val_of_str(at.pod_ip));
	val_set(v->a, out, "podIPs", ips);
}

bool sim_status_patch(arena *a, const val *pod, const struct sim_runtime *rt,
		      const struct sim_faults *f, struct sim_address at, struct sim_now now,
		      val *patch)
{
	const val *status = val_get(pod, "status");
	const struct view v = {a, pod, status, rt, f, now};
	const val *had = val_get(status, "phase");
	if (now.mono_usec < rt->start_at || val_is(had, "Succeeded") || val_is(had, "Failed"))
		return false;

	const char *phase = phase_of(&v);
	val out = val_map();
	put(&v, &out, "phase", val_of_str(phase));
	put_addresses(&v, &out, at);
	put(&v, &out, "startTime", k8s_time_val(a, rt->start_time));
	put_conditions(&v, &out, phase);
	put_statuses(&v, &out, "initContainerStatuses", "initContainers", 0, rt->n_init);
	put_statuses(&v, &out, "containerStatuses", "containers", rt->n_init, rt->n);
	if (!val_len(&out))
		return false;

	const struct str uid = val_str(val_path(pod, "metadata", "uid", NULL));
	*patch = one(a, "metadata", one(a, "uid", val_of_strn(uid)));
	val_set(a, patch, "status", out);
	return true;
}
