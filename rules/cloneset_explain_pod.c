/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/time.h"
#include "rules/cloneset_explain_int.h"
#include "rules/inplace.h"
#include "rules/pod_problem.h"

#include <string.h>

static const struct step {
	const char *name, *text;
} steps[N_STEPS] = {
    [STEP_DELETE] = {"delete", "is deleted next"},
    [STEP_DELETE_WAITS] = {"delete-waits",
			   "is to be deleted, and waits: maxUnavailable is used up by other pods"},
    [STEP_DELETE_HOOK] = {"delete-hook", "is to be deleted, and waits for its preDelete hook"},
    [STEP_CANCEL] = {"cancel", "was to be deleted, and stays after all"},
    [STEP_UPDATE] = {"update", "is updated next"},
    [STEP_UPDATE_HOOK] = {"update-hook", "is to be updated, and waits for its inPlaceUpdate hook"},
    [STEP_UPDATE_WAITS] = {"update-waits", "waits to be updated: maxUnavailable is used up"},
    [STEP_UPDATE_REFUSED] = {"update-refused", "is to be updated, which failed; it is tried again"},
    [STEP_PAUSED] = {"paused", "waits to be updated: the update is paused"},
    [STEP_ON_DELETE] = {"on-delete", "waits until it is deleted: the type is OnDelete"},
    [STEP_GRACE] = {"grace", "is being updated in place: grace period"},
    [STEP_IN_PLACE] = {"in-place", "is being updated in place"},
    [STEP_BROKEN] = {"broken", "is left alone: its in-place update state is not valid"},
    [STEP_NOT_READY] = {"not-ready", "is not ready yet"},
    [STEP_LIFECYCLE] = {"lifecycle",
			"is ready, and waits for its lifecycle state to become Normal"},
    [STEP_MIN_READY] = {"min-ready", "is ready, and becomes available after minReadySeconds"},
    [STEP_UPDATE_LATER] = {"update-later", "is to be updated after the scaling that comes first"},
    [STEP_PARTITION] = {"partition", "stays at its revision: the partition keeps it"},
    [STEP_DONE] = {"done", "is as it should be"},
};

const char *cloneset_step_name(enum cloneset_step s)
{
	return steps[s].name;
}

const char *cloneset_step_text(enum cloneset_step s)
{
	return steps[s].text;
}

/* ---- steps ---- */

static void mark(enum cloneset_step *out, const struct index_list *l, enum cloneset_step s)
{
	for (size_t k = 0; k < l->n; k++)
		out[l->i[k]] = s;
}

static bool at_target(const struct cloneset_explain *x, size_t i)
{
	bool back = x->update && x->update->to_current;

	return x->st->flags[i].updated != back;
}

/* What a pod that no plan names does by itself. */
static enum cloneset_step own_step(const struct cloneset_explain *x, size_t i)
{
	const struct pod_view *v = x->st->pods[i];
	const struct cloneset_pod *f = &x->st->flags[i];

	if (f->pre_deleting)
		return STEP_DELETE;
	if (f->to_delete)
		return STEP_DELETE_WAITS;
	if (v->has_grace)
		return STEP_GRACE;
	if (v->inplace == INPLACE_BROKEN)
		return STEP_BROKEN;
	if (v->inplace == INPLACE_WAITING || v->inplace == INPLACE_NEXT_BATCH)
		return STEP_IN_PLACE;
	if (!at_target(x, i))
		return x->update || x->c->update == 0 ? STEP_PARTITION : STEP_UPDATE_LATER;
	if (!f->ready)
		return STEP_NOT_READY;
	if (f->available)
		return STEP_DONE;
	return pod_is_available(v, x->spec->min_ready, x->st->now) ? STEP_LIFECYCLE
								   : STEP_MIN_READY;
}

/* Of those that would go, the ones that a hook holds. */
static enum cloneset_step through_hook(const struct cloneset_explain *x, size_t i,
				       enum cloneset_step s)
{
	enum lifecycle_state l = x->st->pods[i]->lifecycle;

	if (s == STEP_DELETE && l == LIFECYCLE_PREPARING_DELETE &&
	    cloneset_explain_hooked(x, i, "preDelete"))
		return STEP_DELETE_HOOK;
	if (s == STEP_UPDATE && l == LIFECYCLE_PREPARING_UPDATE &&
	    cloneset_explain_hooked(x, i, "inPlaceUpdate"))
		return STEP_UPDATE_HOOK;
	return s == STEP_UPDATE && x->update_error.n ? STEP_UPDATE_REFUSED : s;
}

enum cloneset_step *cloneset_steps(arena *a, const struct cloneset_explain *x)
{
	static const enum cloneset_step of_hold[] = {
	    [HOLD_NONE] = STEP_UPDATE_WAITS,	     [HOLD_SCALE_LIMIT] = STEP_UPDATE_WAITS,
	    [HOLD_DELETE_LIMIT] = STEP_UPDATE_WAITS, [HOLD_PAUSED] = STEP_PAUSED,
	    [HOLD_ON_DELETE] = STEP_ON_DELETE,	     [HOLD_MAX_UNAVAILABLE] = STEP_UPDATE_WAITS,
	};
	enum cloneset_step *out = arena_alloc(a, (x->st->n + 1) * sizeof(*out));

	for (size_t i = 0; i < x->st->n; i++)
		out[i] = own_step(x, i);
	if (x->update) {
		mark(out, &x->update->waiting, of_hold[x->update->hold]);
		mark(out, &x->update->pods, STEP_UPDATE);
	}
	mark(out, &x->scale->kept, STEP_DELETE_WAITS);
	mark(out, &x->scale->release, STEP_DELETE);
	mark(out, &x->scale->remove, STEP_DELETE);
	mark(out, &x->scale->cancel, STEP_CANCEL);
	for (size_t i = 0; i < x->st->n; i++)
		out[i] = through_hook(x, i, out[i]);
	return out;
}

/* ---- details ---- */

static void add_time(struct buf *b, const char *word, int64_t t)
{
	char text[K8S_TIME_LEN];

	if (!t)
		return;
	if (b->len && !strchr("( ", b->p[b->len - 1]))
		buf_putc(b, ' ');
	buf_printf(b, "%s %s", word, k8s_time_format(text, sizeof(text), t));
}

static void add_not_ready(struct buf *b, const struct cloneset_explain *x, size_t i, size_t max)
{
	const struct pod_view *v = x->st->pods[i];
	const val *object = x->object ? x->object(i, x->userdata) : NULL;
	size_t at;

	buf_puts(b, "not ready");
	/* the condition's time is that of its present status */
	add_time(b, "since", v->cond_ready == COND_TRUE || !v->ready_since ? 0 : v->ready_since);
	at = b->len;
	buf_puts(b, ": ");
	pod_problem(b, object, max);
	if (b->len == at + 2)
		b->len = at;
}

/* The labels and finalizers of the hook that are on the pod. */
static void add_handlers(struct buf *b, const struct cloneset_explain *x, size_t i,
			 const char *name)
{
	const val *hook = lifecycle_hook(x->spec->lifecycle, name);
	const val *labels = val_get(hook, "labelsHandler");
	const val *finalizers = val_get(hook, "finalizersHandler");
	const val *pod = x->object ? x->object(i, x->userdata) : NULL;
	const val *meta = val_get(pod, "metadata");
	const val *have = val_get(meta, "finalizers");
	const char *comma = "";

	for (size_t k = 0; val_is_map(labels) && k < val_len(labels); k++) {
		struct str key = val_key(labels, k), value = val_str(val_value(labels, k));

		if (!str_eq(val_str(val_getn(val_get(meta, "labels"), key)), value))
			continue;
		buf_printf(b, "%slabel %.*s=%.*s", comma, STR_ARG(key), STR_ARG(value));
		comma = ", ";
	}
	for (size_t k = 0; val_is_array(finalizers) && k < val_len(finalizers); k++) {
		struct str f = val_str(val_at(finalizers, k));

		for (size_t j = 0; val_is_array(have) && j < val_len(have); j++) {
			if (!str_eq(val_str(val_at(have, j)), f))
				continue;
			buf_printf(b, "%sfinalizer %.*s", comma, STR_ARG(f));
			comma = ", ";
		}
	}
	add_time(b, "since",
		 k8s_time_of(val_path(meta, "annotations", ANNO_LIFECYCLE_TIMESTAMP, NULL), 0));
}

static void add_in_place(struct buf *b, const struct cloneset_explain *x, size_t i)
{
	const val *pod = x->object ? x->object(i, x->userdata) : NULL;
	char why[256] = "";

	if (pod)
		inplace_check(pod, NULL, why, sizeof(why));
	if (why[0])
		buf_printf(b, "%s; ", why);
}

static void add_lifecycle(struct buf *b, const struct cloneset_explain *x, size_t i)
{
	const struct pod_view *v = x->st->pods[i];
	const char *hook =
	    v->lifecycle == LIFECYCLE_PREPARING_NORMAL ? "preNormal" : "inPlaceUpdate";

	buf_puts(b, v->lifecycle == LIFECYCLE_OTHER ? "an unknown state"
						    : lifecycle_name(v->lifecycle));
	if (lifecycle_hook_exists(lifecycle_hook(x->spec->lifecycle, hook)))
		buf_printf(b, ", until the hook %s is on the pod", hook);
}

void cloneset_pod_detail(struct buf *b, const struct cloneset_explain *x, enum cloneset_step step,
			 size_t i, size_t max)
{
	const struct pod_view *v = x->st->pods[i];
	const struct cloneset_pod *f = &x->st->flags[i];
	bool available = f->available;

	switch (step) {
	case STEP_DELETE_HOOK:
		add_handlers(b, x, i, "preDelete");
		return;
	case STEP_UPDATE_HOOK:
		add_handlers(b, x, i, "inPlaceUpdate");
		return;
	case STEP_GRACE:
		if (v->grace_end)
			add_time(b, "until", v->grace_end);
		return;
	case STEP_IN_PLACE:
		add_in_place(b, x, i);
		break;
	default:
		break;
	}
	if (available) {
		if (f->to_delete && step == STEP_NOT_READY)
			buf_puts(b, "to be deleted");
		return;
	}
	if (!f->ready)
		add_not_ready(b, x, i, max);
	else if (pod_is_available(v, x->spec->min_ready, x->st->now))
		add_lifecycle(b, x, i);
	else
		add_time(b, "available at", v->ready_since + x->spec->min_ready);
}
