/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/pod.h"

#include "ipc/base/buf.h"
#include "kube/time.h"
#include "rules/conditions.h"
#include "rules/inplace.h"

#include <string.h>

static enum pod_phase phase_of(struct str phase)
{
	if (str_is(phase, "Running"))
		return POD_RUNNING;
	return str_is(phase, "Unknown") ? POD_UNKNOWN : POD_PENDING;
}

/* Walks the conditions once; all that are of interest are picked out by their first letters. */
static void read_conditions(const val *conditions, struct pod_view *v)
{
	for (size_t i = 0; i < val_len(conditions); i++) {
		const val *c = val_at(conditions, i);
		struct str type = val_str(val_get(c, "type"));

		if (str_is(type, "Ready")) {
			v->cond_ready = condition_status(c);
			v->ready_since = k8s_time_of(val_get(c, "lastTransitionTime"), 0);
		} else if (str_is(type, GATE_INPLACE_READY)) {
			v->cond_inplace = condition_status(c);
		} else if (str_is(type, GATE_POD_READY)) {
			v->cond_pod_ready = condition_status(c);
		} else if (str_is(type, "PodScheduled")) {
			v->scheduled |= condition_status(c) == COND_TRUE;
		}
	}
}

static int32_t max_restarts(const val *statuses)
{
	int64_t max = 0;

	for (size_t i = 0; i < val_len(statuses); i++) {
		int64_t n = val_int_or(val_get(val_at(statuses, i), "restartCount"), 0);

		max = n > max ? n : max;
	}
	return max > INT32_MAX ? INT32_MAX : (int32_t)max;
}

static void read_status(const val *status, struct pod_view *v)
{
	struct str phase = val_str(val_get(status, "phase"));
	const val *conditions = val_get(status, "conditions");
	const val *statuses = val_get(status, "containerStatuses");

	v->phase = phase_of(phase);
	v->finished = str_is(phase, "Succeeded") || str_is(phase, "Failed");
	if (val_is_array(conditions))
		read_conditions(conditions, v);
	if (val_is_array(statuses))
		v->restarts = max_restarts(statuses);
}

static void read_gates(const val *gates, struct pod_view *v)
{
	if (!val_is_array(gates))
		return;
	for (size_t i = 0; i < val_len(gates); i++) {
		const val *type = val_get(val_at(gates, i), "conditionType");

		v->gate_inplace |= val_is(type, GATE_INPLACE_READY);
		v->gate_pod_ready |= val_is(type, GATE_POD_READY);
	}
}

static void read_labels(const val *labels, struct pod_view *v, struct str *revision, struct str *id)
{
	*revision = val_str(val_get(labels, LABEL_REVISION_HASH));
	*id = val_str(val_get(labels, LABEL_INSTANCE_ID));
	v->lifecycle = lifecycle_parse(val_str(val_get(labels, LABEL_LIFECYCLE_STATE)));
	v->has_template_hash = val_str(val_get(labels, LABEL_TEMPLATE_HASH)).n > 0;
	v->specified_delete = val_get(labels, LABEL_SPECIFIED_DELETE) != NULL;
}

static void read_annotations(const val *annotations, struct pod_view *v)
{
	v->deletion_cost = pod_deletion_cost(val_str(val_get(annotations, ANNO_DELETION_COST)));
	v->has_grace = val_get(annotations, ANNO_INPLACE_GRACE) ||
		       val_get(annotations, ANNO_INPLACE_GRACE_OLD);
	v->has_inplace_state = val_get(annotations, ANNO_INPLACE_STATE) ||
			       val_get(annotations, ANNO_INPLACE_STATE_OLD);
}

/* One allocation for all strings. A NUL inside a string would end it early; the API has none. */
static void copy_strings(struct pod_view *v, const struct str *from, const char **const *to,
			 size_t count)
{
	size_t total = 0;
	char *p;

	for (size_t i = 0; i < count; i++)
		total += from[i].n + 1;
	v->mem = p = xmalloc(total);
	for (size_t i = 0; i < count; i++) {
		if (from[i].n)
			memcpy(p, from[i].p, from[i].n);
		p[from[i].n] = '\0';
		*to[i] = p;
		p += from[i].n + 1;
	}
}

void pod_view_from(const val *pod, struct pod_view *out)
{
	const val *meta = val_get(pod, "metadata");
	const val *spec = val_get(pod, "spec");
	struct str from[6];
	const char **const to[] = {&out->name, &out->uid,      &out->rv,
				   &out->node, &out->revision, &out->instance_id};

	memset(out, 0, sizeof(*out));
	from[0] = val_str(val_get(meta, "name"));
	from[1] = val_str(val_get(meta, "uid"));
	from[2] = val_str(val_get(meta, "resourceVersion"));
	from[3] = val_str(val_get(spec, "nodeName"));
	read_labels(val_get(meta, "labels"), out, &from[4], &from[5]);
	read_annotations(val_get(meta, "annotations"), out);
	read_gates(val_get(spec, "readinessGates"), out);
	read_status(val_get(pod, "status"), out);

	out->created = k8s_time_of(val_get(meta, "creationTimestamp"), 0);
	out->terminating = val_is_str(val_get(meta, "deletionTimestamp"));
	out->active = !out->terminating && !out->finished;
	out->scheduled |= from[3].n > 0;
	if (out->has_inplace_state || out->has_grace)
		out->inplace = inplace_check(pod, &out->grace_end, NULL, 0);
	copy_strings(out, from, to, sizeof(to) / sizeof(to[0]));
}

void pod_view_free(struct pod_view *v)
{
	free_ptr(&v->mem);
	memset(v, 0, sizeof(*v));
}

bool pod_is_ready(const struct pod_view *v)
{
	return v->phase == POD_RUNNING && v->cond_ready == COND_TRUE &&
	       (v->cond_inplace == COND_ABSENT || v->cond_inplace == COND_TRUE);
}

int64_t pod_available_in(const struct pod_view *v, int32_t min_ready, int64_t now)
{
	if (!pod_is_ready(v) || min_ready <= 0 || v->ready_since <= now - min_ready)
		return 0;
	/* a clock behind the node's must not make it longer than the whole time */
	return v->ready_since > now ? min_ready : v->ready_since + min_ready - now;
}

bool pod_is_available(const struct pod_view *v, int32_t min_ready, int64_t now)
{
	return pod_is_ready(v) && pod_available_in(v, min_ready, now) == 0;
}

bool cloneset_pod_available(const struct pod_view *v, int32_t min_ready, int64_t now)
{
	return (v->lifecycle == LIFECYCLE_NONE || v->lifecycle == LIFECYCLE_NORMAL) &&
	       pod_is_available(v, min_ready, now);
}

int32_t pod_deletion_cost(struct str s)
{
	bool negative = s.n > 0 && s.p[0] == '-';
	size_t i = negative;
	int64_t cost = 0;

	if (i == s.n || s.n > 12 || (!negative && s.p[0] == '0' && s.n > 1))
		return 0;
	for (; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return 0;
		cost = cost * 10 + (s.p[i] - '0');
	}
	cost = negative ? -cost : cost;
	return cost < INT32_MIN || cost > INT32_MAX ? 0 : (int32_t)cost;
}
