/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/inplace.h"

#include "kube/json.h"
#include "kube/time.h"
#include "rules/conditions.h"
#include "rules/content.h"
#include "rules/inplace_env.h"
#include "rules/inplace_state.h"
#include "rules/revision.h"

#include <errno.h>
#include <stdio.h>

#define REASON_START "StartInPlaceUpdate"

bool inplace_needs_not_ready(const val *pod)
{
	const val *c = condition_of(pod, GATE_INPLACE_READY);

	return readiness_gate_has(pod, GATE_INPLACE_READY) &&
	       !(condition_status(c) == COND_FALSE && val_is(val_get(c, "reason"), REASON_START));
}

val inplace_not_ready_patch(arena *a, const val *pod, int64_t now)
{
	const struct condition c = {
	    .type = GATE_INPLACE_READY,
	    .on = false,
	    .reason = REASON_START,
	};
	val conditions = val_array();

	condition_push(a, &conditions, pod, &c, now);
	condition_push_ready_false(a, &conditions, pod, GATE_INPLACE_READY, now);
	return condition_patch(a, pod_uid(pod), pod_resource_version(pod), conditions);
}

val inplace_ready_patch(arena *a, struct str uid, struct str resource_version, int64_t now)
{
	const struct condition c = {.type = GATE_INPLACE_READY, .on = true};
	val conditions = val_array();

	/* without a pod the condition counts as absent: its time is set */
	condition_push(a, &conditions, NULL, &c, now);
	return condition_patch(a, uid, resource_version, conditions);
}

/* The labels of the revision and the lifecycle state. */
static void write_labels(arena *a, const struct inplace_update *u, val *patch)
{
	val *labels = val_ensure_map(a, val_ensure_map(a, patch, "metadata"), "labels");

	val_set(a, labels, LABEL_REVISION_HASH,
		val_of_strn(revision_label(u->revision, u->short_hash)));
	if (u->template_hash)
		val_set(a, labels, LABEL_TEMPLATE_HASH, val_of_strn(revision_short(u->revision)));
	if (u->set_lifecycle)
		lifecycle_set(a, patch, LIFECYCLE_UPDATING, u->now);
}

bool inplace_restarts(const val *pod, const struct inplace_spec *spec)
{
	_cleanup_arena_ arena *a = arena_new();
	struct inplace_change change;

	inplace_change_of(a, pod, spec, &change);
	return inplace_pending_any(&change.pending);
}

static int missing_container(const val *pod, const val *images, struct err *e)
{
	for (size_t i = 0; i < val_len(images); i++) {
		if (!val_find(val_path(pod, "spec", "containers", NULL), "name",
			      val_key(images, i)))
			return err_set(e, EINVAL, "the pod has no container %.*s",
				       STR_ARG(val_key(images, i)));
	}
	return 0;
}

int inplace_update_patch(arena *a, const struct inplace_update *u, val *patch, struct err *e)
{
	struct inplace_change change;
	val state = val_map();
	int r;

	inplace_change_of(a, u->pod, u->spec, &change);
	r = missing_container(u->pod, &change.pending.images, e);
	if (r < 0)
		return r;
	*patch = val_map();
	inplace_precondition(a, u->pod, patch);
	val_set(a, &state, "revision", val_of_strn(u->revision));
	val_set(a, &state, "updateTimestamp", k8s_time_val(a, u->now));
	val_set(a, &state, "lastContainerStatuses",
		val_len(&change.unreplaced) ? change.unreplaced : val_null());
	if (change.env)
		val_set(a, &state, "updateEnvFromMetadata", val_of_bool(true));
	if (u->grace_seconds > 0 && inplace_pending_any(&change.pending)) {
		const struct inplace_grace grace = {.revision = u->revision,
						    .pending = change.pending,
						    .metadata = change.metadata,
						    .seconds = u->grace_seconds,
						    .env = change.env};

		write_labels(a, u, patch);
		inplace_state_write(a, u->pod, &state, patch);
		inplace_grace_remove(a, u->pod, patch);
		inplace_grace_write(a, &grace, patch);
		return 0;
	}
	inplace_put_metadata(a, &change.metadata, patch);
	write_labels(a, u, patch);
	inplace_batch_start(a, u->pod, &change.pending, u->now, &state, patch);
	inplace_state_write(a, u->pod, &state, patch);
	inplace_grace_remove(a, u->pod, patch);
	return 0;
}

int inplace_next_batch_patch(arena *a, const val *pod, int64_t now, val *patch, struct err *e)
{
	const val *images, *refs;
	val state;

	if (inplace_state_read(a, pod, &state) != INPLACE_STATE_OK ||
	    !inplace_state_has_next(&state))
		return err_set(e, EINVAL, "the pod has no next batch");
	images = val_get(&state, "nextContainerImages");
	refs = val_get(&state, "nextContainerRefMetadata");
	const struct inplace_pending pending = {images ? map_clone(a, images) : val_map(),
						refs ? map_clone(a, refs) : val_map()};
	if (missing_container(pod, &pending.images, e) < 0)
		return -EINVAL;
	*patch = val_map();
	inplace_precondition(a, pod, patch);
	inplace_batch_start(a, pod, &pending, now, &state, patch);
	inplace_state_write(a, pod, &state, patch);
	return 0;
}

int inplace_grace_end_patch(arena *a, const val *pod, int64_t now, val *patch, struct err *e)
{
	struct inplace_grace grace;
	val state = val_map();

	if (inplace_grace_read(a, pod, &grace) != INPLACE_STATE_OK)
		return err_set(e, EINVAL, "the pod is in no grace period");
	if (missing_container(pod, &grace.pending.images, e) < 0)
		return -EINVAL;
	if (inplace_state_read(a, pod, &state) != INPLACE_STATE_OK) {
		state = val_map();
		val_set(a, &state, "revision", val_of_strn(grace.revision));
		val_set(a, &state, "updateTimestamp", k8s_time_val(a, now));
	}
	if (grace.env)
		val_set(a, &state, "updateEnvFromMetadata", val_of_bool(true));
	*patch = val_map();
	inplace_put_metadata(a, &grace.metadata, patch);
	/* last: what an annotation says must not set it */
	inplace_precondition(a, pod, patch);
	inplace_batch_start(a, pod, &grace.pending, now, &state, patch);
	inplace_state_write(a, pod, &state, patch);
	inplace_grace_remove(a, pod, patch);
	return 0;
}

val inplace_grace_drop_patch(arena *a, const val *pod)
{
	val patch = val_map();

	inplace_precondition(a, pod, &patch);
	inplace_grace_remove(a, pod, &patch);
	return patch;
}

/* When the grace period ends; 0, so that it has ended, when the start is not known. */
static int64_t grace_end_of(const struct inplace_grace *grace, const val *state)
{
	int64_t start = k8s_time_of(val_get(state, "updateTimestamp"), 0);

	return start > 0 && grace->seconds > 0 && grace->seconds <= INT32_MAX
		   ? start + grace->seconds
		   : 0;
}

static bool batch_done(const val *pod, const val *state, char *why, size_t cap)
{
	const val *last = val_get(state, "lastContainerStatuses");

	for (size_t i = 0; i < val_len(last); i++) {
		struct str id = val_str(val_get(val_value(last, i), "imageID"));

		if (!inplace_container_done(pod, val_key(last, i), id, why, cap))
			return false;
	}
	return !val_bool(val_get(state, "updateEnvFromMetadata")) ||
	       inplace_env_seen(pod, why, cap);
}

static bool required_are_ready(const val *pod, const val *state, char *why, size_t cap)
{
	const val *names = val_path(state, "preCheckBeforeNext", "containersRequiredReady", NULL);
	const val *statuses = val_path(pod, "status", "containerStatuses", NULL);

	for (size_t i = 0; val_is_array(names) && i < val_len(names); i++) {
		struct str name = val_str(val_at(names, i));

		if (val_bool(val_get(val_find(statuses, "name", name), "ready")))
			continue;
		if (why)
			snprintf(why, cap, "container %.*s must become ready before the next batch",
				 STR_ARG(name));
		return false;
	}
	return true;
}

static enum inplace_verdict broken(const char *annotation, char *why, size_t cap)
{
	if (why)
		snprintf(why, cap, "annotation %s is not valid", annotation);
	return INPLACE_BROKEN;
}

static enum inplace_verdict judge_grace(const val *pod, const struct inplace_grace *grace,
					const val *state, int64_t *end, char *why, size_t cap)
{
	struct str label = val_str(val_path(pod, "metadata", "labels", LABEL_REVISION_HASH, NULL));

	if (!revision_matches(label, grace->revision)) {
		if (why)
			snprintf(why, cap, "the grace period was for another revision");
		return INPLACE_GRACE_STALE;
	}
	*end = grace_end_of(grace, state);
	if (why)
		snprintf(why, cap, "the pod is in its grace period");
	return INPLACE_GRACE;
}

static enum inplace_verdict judge(arena *a, const val *pod, int64_t *grace_end, char *why,
				  size_t cap)
{
	val state = val_map();
	struct inplace_grace grace;
	enum inplace_state_found found = inplace_state_read(a, pod, &state);
	enum inplace_state_found in_grace = inplace_grace_read(a, pod, &grace);

	if (found == INPLACE_STATE_BROKEN)
		return broken(ANNO_INPLACE_STATE, why, cap);
	if (in_grace == INPLACE_STATE_BROKEN)
		return broken(ANNO_INPLACE_GRACE, why, cap);
	if (in_grace == INPLACE_STATE_OK)
		return judge_grace(pod, &grace, &state, grace_end, why, cap);
	if (found == INPLACE_STATE_ABSENT)
		return INPLACE_NONE;
	if (!batch_done(pod, &state, why, cap))
		return INPLACE_WAITING;
	if (!inplace_state_has_next(&state))
		return INPLACE_COMPLETE;
	return required_are_ready(pod, &state, why, cap) ? INPLACE_NEXT_BATCH : INPLACE_WAITING;
}

enum inplace_verdict inplace_check(const val *pod, int64_t *grace_end, char *why, size_t cap)
{
	_cleanup_arena_ arena *a = arena_new();
	int64_t ignored;

	if (why && cap)
		*why = '\0';
	return judge(a, pod, grace_end ? grace_end : &ignored, cap ? why : NULL, cap);
}

int64_t inplace_grace_left(const struct pod_view *v, int64_t now)
{
	return v->active && v->inplace == INPLACE_GRACE && v->grace_end > now ? v->grace_end - now
									      : 0;
}

enum inplace_refresh inplace_refresh(const struct pod_view *v, int64_t now)
{
	if (!v->active)
		return INPLACE_KEEP;
	switch (v->inplace) {
	case INPLACE_BROKEN:
		return INPLACE_REPORT;
	case INPLACE_NEXT_BATCH:
		return INPLACE_WRITE_NEXT;
	case INPLACE_WAITING:
		return INPLACE_KEEP;
	case INPLACE_GRACE:
		return v->grace_end > now ? INPLACE_KEEP : INPLACE_END_GRACE;
	case INPLACE_GRACE_STALE:
		return INPLACE_DROP_GRACE;
	case INPLACE_NONE:
	case INPLACE_COMPLETE:
		break;
	}
	return v->gate_inplace && v->cond_inplace != COND_TRUE ? INPLACE_SET_READY : INPLACE_KEEP;
}
