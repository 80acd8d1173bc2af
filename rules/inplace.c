/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/inplace.h"

#include "kube/json.h"
#include "kube/time.h"
#include "rules/conditions.h"
#include "rules/content.h"
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

/*
 * What an earlier update of this pod has left undone: images of later batches, which become pending
 * unless the new update names the container too, and containers that have not been replaced yet.
 */
static void carry_over(arena *a, const val *pod, const val *old, val *pending, val *state)
{
	const val *next = val_get(old, "nextContainerImages");
	const val *last = val_get(old, "lastContainerStatuses");
	val kept = val_map();

	for (size_t i = 0; i < val_len(next); i++) {
		struct str name = val_key(next, i);
		bool exists = val_find(val_path(pod, "spec", "containers", NULL), "name", name);

		if (exists && !val_getn(pending, name))
			val_setn(a, pending, name, *val_value(next, i));
	}
	for (size_t i = 0; i < val_len(last); i++) {
		struct str id = val_str(val_get(val_value(last, i), "imageID"));

		if (!inplace_container_done(pod, val_key(last, i), id, NULL, 0))
			val_setn(a, &kept, val_key(last, i), *val_value(last, i));
	}
	if (val_len(&kept))
		val_set(a, state, "lastContainerStatuses", kept);
}

/* Labels and annotations of the template's change, then those of the update itself. */
static void write_metadata(arena *a, const struct inplace_update *u, val *patch)
{
	struct str hash = revision_short(u->revision);
	val *meta = val_ensure_map(a, patch, "metadata"), *labels;

	for (size_t i = 0; i < val_len(&u->spec->metadata); i++) {
		const val *v = val_value(&u->spec->metadata, i);

		val_setn(a, meta, val_key(&u->spec->metadata, i),
			 val_is_map(v) ? map_clone(a, v) : *v);
	}
	labels = val_ensure_map(a, meta, "labels");
	val_set(a, labels, LABEL_REVISION_HASH,
		val_of_strn(revision_label(u->revision, u->short_hash)));
	if (u->template_hash)
		val_set(a, labels, LABEL_TEMPLATE_HASH, val_of_strn(hash));
	if (u->set_lifecycle)
		lifecycle_set(a, patch, LIFECYCLE_UPDATING, u->now);
}

int inplace_update_patch(arena *a, const struct inplace_update *u, val *patch, struct err *e)
{
	val old, state = val_map(), pending = val_map();
	int r;

	if (u->grace_seconds > 0)
		return err_set(e, ENOTSUP,
			       "inPlaceUpdateStrategy.gracePeriodSeconds is not supported");
	*patch = val_map();
	inplace_precondition(a, u->pod, patch);
	write_metadata(a, u, patch);

	val_set(a, &state, "revision", val_of_strn(u->revision));
	val_set(a, &state, "updateTimestamp", k8s_time_val(a, u->now));
	for (size_t i = 0; i < u->spec->n_images; i++)
		val_setn(a, &pending, u->spec->images[i].container,
			 val_of_strn(u->spec->images[i].image));
	if (inplace_state_read(a, u->pod, &old) == INPLACE_STATE_OK)
		carry_over(a, u->pod, &old, &pending, &state);
	r = inplace_batch_start(a, u->pod, &pending, u->now, &state, patch, e);
	if (r < 0)
		return r;
	inplace_state_write(a, u->pod, &state, patch);
	if (val_path(u->pod, "metadata", "annotations", ANNO_INPLACE_GRACE, NULL))
		val_set(a, val_ensure_map(a, val_ensure_map(a, patch, "metadata"), "annotations"),
			ANNO_INPLACE_GRACE, val_null());
	return 0;
}

/* Labels and annotations that containers read, left by a manager that knows how to restart them:
 * they are applied as plain metadata, all at once. */
static void write_ref_metadata(arena *a, const val *refs, val *patch)
{
	static const char *const kinds[] = {"labels", "annotations"};

	for (size_t i = 0; i < val_len(refs); i++) {
		for (size_t k = 0; k < 2; k++) {
			const val *from = val_get(val_value(refs, i), kinds[k]);
			val *meta = val_ensure_map(a, patch, "metadata");

			for (size_t j = 0; val_is_map(from) && j < val_len(from); j++)
				val_setn(a, val_ensure_map(a, meta, kinds[k]), val_key(from, j),
					 *val_value(from, j));
		}
	}
}

int inplace_next_batch_patch(arena *a, const val *pod, int64_t now, val *patch, struct err *e)
{
	val state, pending;
	int r;

	if (inplace_state_read(a, pod, &state) != INPLACE_STATE_OK ||
	    !inplace_state_has_next(&state))
		return err_set(e, EINVAL, "the pod has no next batch");
	*patch = val_map();
	inplace_precondition(a, pod, patch);
	pending = map_clone(a, val_get(&state, "nextContainerImages"));
	write_ref_metadata(a, val_get(&state, "nextContainerRefMetadata"), patch);
	/* resources of running containers are not changed by this version */
	val_del(&state, "nextContainerRefMetadata");
	val_del(&state, "nextContainerResources");
	r = inplace_batch_start(a, pod, &pending, now, &state, patch, e);
	if (r < 0)
		return r;
	inplace_state_write(a, pod, &state, patch);
	return 0;
}

/* When the grace period that the two annotations describe ends; `now` is not known here, so 0 for
 * garbage: it has ended. */
static int64_t grace_end_of(arena *a, const val *pod, const val *state)
{
	struct str text =
	    val_str(val_path(pod, "metadata", "annotations", ANNO_INPLACE_GRACE, NULL));
	int64_t start = k8s_time_of(val_get(state, "updateTimestamp"), 0), seconds;
	val grace;

	if (!text.p || json_parse(a, text.p, text.n, &grace, NULL) < 0)
		return 0;
	seconds = val_int_or(val_get(&grace, "graceSeconds"), 0);
	return start > 0 && seconds > 0 && seconds <= INT32_MAX ? start + seconds : 0;
}

static bool batch_done(const val *pod, const val *state, char *why, size_t cap)
{
	const val *last = val_get(state, "lastContainerStatuses");

	for (size_t i = 0; i < val_len(last); i++) {
		struct str id = val_str(val_get(val_value(last, i), "imageID"));

		if (!inplace_container_done(pod, val_key(last, i), id, why, cap))
			return false;
	}
	return true;
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

static enum inplace_verdict judge(arena *a, const val *pod, int64_t *grace_end, char *why,
				  size_t cap)
{
	val state = val_map();
	enum inplace_state_found found = inplace_state_read(a, pod, &state);

	if (found == INPLACE_STATE_BROKEN) {
		if (why)
			snprintf(why, cap, "annotation " ANNO_INPLACE_STATE " is not valid");
		return INPLACE_BROKEN;
	}
	if (val_path(pod, "metadata", "annotations", ANNO_INPLACE_GRACE, NULL)) {
		*grace_end = grace_end_of(a, pod, &state);
		if (why)
			snprintf(why, cap, "the pod is in its grace period");
		return INPLACE_GRACE;
	}
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

enum inplace_refresh inplace_refresh(const struct pod_view *v)
{
	if (!v->active)
		return INPLACE_KEEP;
	switch (v->inplace) {
	case INPLACE_BROKEN:
		return INPLACE_REPORT;
	case INPLACE_NEXT_BATCH:
		return INPLACE_WRITE_NEXT;
	case INPLACE_WAITING:
	case INPLACE_GRACE:
		return INPLACE_KEEP;
	case INPLACE_NONE:
	case INPLACE_COMPLETE:
		break;
	}
	return v->gate_inplace && v->cond_inplace != COND_TRUE ? INPLACE_SET_READY : INPLACE_KEEP;
}
