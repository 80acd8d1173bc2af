/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/conditions.h"

#include "ipc/base/buf.h"
#include "kube/time.h"

#include <string.h>

const val *condition_of(const val *pod, const char *type)
{
	return val_find(val_path(pod, "status", "conditions", NULL), "type", str_of(type));
}

enum pod_condition condition_status(const val *condition)
{
	const val *status = val_get(condition, "status");

	if (!condition)
		return COND_ABSENT;
	if (val_is(status, "True"))
		return COND_TRUE;
	return val_is(status, "False") ? COND_FALSE : COND_UNKNOWN;
}

bool readiness_gate_has(const val *pod, const char *type)
{
	return val_find(val_path(pod, "spec", "readinessGates", NULL), "conditionType",
			str_of(type)) != NULL;
}

void condition_push(arena *a, val *array, const val *pod, const struct condition *c, int64_t now)
{
	enum pod_condition want = c->on ? COND_TRUE : COND_FALSE;
	val v = val_map();

	val_set(a, &v, "type", val_of_str(c->type));
	val_set(a, &v, "status", val_of_str(c->on ? "True" : "False"));
	val_set(a, &v, "reason", c->reason ? val_of_str(c->reason) : val_null());
	val_set(a, &v, "message", c->message.p ? val_of_strn(c->message) : val_null());
	if (condition_status(condition_of(pod, c->type)) != want)
		val_set(a, &v, "lastTransitionTime", k8s_time_val(a, now));
	val_push(a, array, v);
}

/* The sentences that kubelet writes for gates that are not true; `changed` counts as False. */
static struct str unready_message(arena *a, const val *pod, const char *changed)
{
	const val *gates = val_path(pod, "spec", "readinessGates", NULL);
	_cleanup_buf_ struct buf b = {0};

	for (size_t i = 0; i < val_len(gates); i++) {
		struct str type = val_str(val_get(val_at(gates, i), "conditionType"));
		const val *c = val_find(val_path(pod, "status", "conditions", NULL), "type", type);
		struct str status = val_str(val_get(c, "status"));

		if (!type.p)
			continue;
		if (str_is(type, changed))
			status = str_of("False");
		else if (!c) {
			buf_printf(&b,
				   "%scorresponding condition of pod readiness gate \"%.*s\" does "
				   "not exist.",
				   b.len ? ", " : "", STR_ARG(type));
			continue;
		}
		if (!str_is(status, "True"))
			buf_printf(&b,
				   "%sthe status of pod readiness gate \"%.*s\" is not \"True\", "
				   "but %.*s",
				   b.len ? ", " : "", STR_ARG(type), STR_ARG(status));
	}
	return (struct str){arena_strndup(a, buf_str(&b), b.len), b.len};
}

void condition_push_ready_false(arena *a, val *array, const val *pod, const char *changed,
				int64_t now)
{
	const val *ready = condition_of(pod, "Ready");
	const struct condition c = {
	    .type = "Ready",
	    .on = false,
	    .reason = "ReadinessGatesNotReady",
	    .message = unready_message(a, pod, changed),
	};

	if (!ready || condition_status(condition_of(pod, "ContainersReady")) != COND_TRUE)
		return;
	condition_push(a, array, pod, &c, now);
}

val condition_patch(arena *a, struct str uid, struct str resource_version, val array)
{
	val patch = val_map();
	val *meta = val_ensure_map(a, &patch, "metadata");

	if (uid.n)
		val_set(a, meta, "uid", val_of_strn(uid));
	if (resource_version.n)
		val_set(a, meta, "resourceVersion", val_of_strn(resource_version));
	val_set(a, val_ensure_map(a, &patch, "status"), "conditions", array);
	return patch;
}

struct str pod_uid(const val *pod)
{
	return val_str(val_path(pod, "metadata", "uid", NULL));
}

struct str pod_resource_version(const val *pod)
{
	return val_str(val_path(pod, "metadata", "resourceVersion", NULL));
}
