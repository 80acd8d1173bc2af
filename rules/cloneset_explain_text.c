/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/time.h"
#include "rules/cloneset_explain_int.h"
#include "rules/pod_problem.h"

/* Pods that a sentence names, and bytes of each message of others in it. */
#define MAX_NAMED 3
#define MAX_WORDS 160
#define MAX_ERROR 600

static const char *pods(size_t n)
{
	return n == 1 ? "pod" : "pods";
}

static const char *waits(size_t n)
{
	return n == 1 ? "waits" : "wait";
}

static void name_pod(struct buf *b, const struct cloneset_explain *x, size_t i, size_t n)
{
	size_t at = b->len;

	buf_printf(b, "%s%s", n ? ", " : "", x->st->pods[i]->name);
	at = b->len;
	buf_puts(b, " (");
	cloneset_pod_detail(b, x, STEP_NOT_READY, i, MAX_WORDS);
	if (b->len == at + 2)
		b->len = at;
	else
		buf_putc(b, ')');
}

static void name_rest(struct buf *b, size_t all)
{
	if (all > MAX_NAMED)
		buf_printf(b, " and %zu more", all - MAX_NAMED);
}

static void name_unavailable(struct buf *b, const struct cloneset_explain *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->st->n; i++) {
		if (x->st->flags[i].available && !x->st->flags[i].to_delete)
			continue;
		if (n < MAX_NAMED)
			name_pod(b, x, i, n);
		n++;
	}
	name_rest(b, n);
}

static void name_hooked(struct buf *b, const struct cloneset_explain *x, const struct index_list *l,
			enum cloneset_step step)
{
	for (size_t k = 0; k < l->n && k < MAX_NAMED; k++) {
		buf_printf(b, "%s%s (", k ? ", " : "", x->st->pods[l->i[k]]->name);
		cloneset_pod_detail(b, x, step, l->i[k], MAX_WORDS);
		buf_putc(b, ')');
	}
	name_rest(b, l->n);
}

static void text_waiting(struct buf *b, const struct cloneset_explain *x)
{
	size_t n = x->update->waiting.n;
	int32_t limit = x->c->update_max_unavailable;

	buf_printf(b, "%zu %s %s to be updated: ", n, pods(n), waits(n));
	if (limit <= 0) {
		buf_puts(b, "maxUnavailable allows no pod to be unavailable");
		return;
	}
	buf_printf(b, "maxUnavailable lets %d be unavailable, used up by ", limit);
	name_unavailable(b, x);
}

static void text_hook(struct buf *b, const struct cloneset_explain *x)
{
	bool deletes = x->scale->release.n > 0;
	const struct index_list *l = deletes ? &x->scale->release : &x->update->pods;

	buf_printf(b, "%zu %s %s to be %s: the hook %s holds ", l->n, pods(l->n), waits(l->n),
		   deletes ? "deleted" : "updated", deletes ? "preDelete" : "inPlaceUpdate");
	name_hooked(b, x, l, deletes ? STEP_DELETE_HOOK : STEP_UPDATE_HOOK);
}

static void text_going(struct buf *b, const struct cloneset_explain *x)
{
	const struct cloneset_scale_plan *s = x->scale;
	int32_t create = s->create_old + s->create_new;
	const struct {
		size_t n;
		const char *what;
	} parts[] = {
	    {(size_t)create, "to be created"},
	    {s->remove.n + s->release.n, "to be deleted"},
	    {s->cancel.n, "kept after all"},
	    {x->update ? x->update->pods.n : 0, "to be updated"},
	};
	const char *comma = "";

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].n == 0)
			continue;
		buf_printf(b, "%s%zu %s %s now", comma, parts[i].n, pods(parts[i].n),
			   parts[i].what);
		comma = ", ";
	}
}

static void text_grace(struct buf *b, const struct cloneset_explain *x)
{
	char until[K8S_TIME_LEN];
	size_t n = 0;

	for (size_t i = 0; i < x->st->n; i++)
		n += x->st->pods[i]->has_grace;
	buf_printf(b, "%zu %s in the grace period, the first until %s", n,
		   n == 1 ? "pod is" : "pods are",
		   k8s_time_format(until, sizeof(until), cloneset_explain_grace_end(x)));
}

static void text_partition(struct buf *b, const struct cloneset_explain *x)
{
	size_t old = 0;

	for (size_t i = 0; i < x->st->n; i++)
		old += !x->st->flags[i].updated;
	buf_printf(b, "%d of %d pods are updated and available, partition keeps %zu at %s",
		   x->c->expected_updated, x->spec->replicas, old, x->st->current_revision);
}

static void text_complete(struct buf *b, const struct cloneset_explain *x)
{
	buf_printf(b, "%zu %s as %s should be", x->st->n, x->st->n == 1 ? "pod is" : "pods are",
		   x->st->n == 1 ? "it" : "they");
}

static void text_deleting(struct buf *b, const struct cloneset_explain *x)
{
	(void)x;
	buf_puts(b, "the CloneSet is being deleted: its pods are left to the garbage collector");
}

static void text_scale_refused(struct buf *b, const struct cloneset_explain *x)
{
	int32_t create = x->scale->create_old + x->scale->create_new;

	if (create > 0)
		buf_printf(b, "%d %s cannot be created: ", create, pods((size_t)create));
	else
		buf_puts(b, "pods cannot be deleted: ");
	pod_problem_words(b, x->scale_error, MAX_ERROR);
}

static void text_update_refused(struct buf *b, const struct cloneset_explain *x)
{
	buf_puts(b, "pods cannot be updated: ");
	pod_problem_words(b, x->update_error, MAX_ERROR);
}

static void text_scale_limited(struct buf *b, const struct cloneset_explain *x)
{
	buf_printf(b, "%d %s %s to be created: scaleStrategy.maxUnavailable (%d) is used up by ",
		   x->c->up, pods((size_t)x->c->up), waits((size_t)x->c->up),
		   x->spec->scale_max_unavailable);
	name_unavailable(b, x);
}

static void text_scale_down_waiting(struct buf *b, const struct cloneset_explain *x)
{
	size_t n = x->scale->kept.n;

	buf_printf(b, "%zu ready %s %s to be deleted: maxUnavailable (%d) is used up by ", n,
		   pods(n), waits(n), x->spec->max_unavailable);
	name_unavailable(b, x);
}

static void text_paused(struct buf *b, const struct cloneset_explain *x)
{
	size_t n = x->update->waiting.n;

	buf_printf(b, "%zu %s %s to be updated: the update is paused", n, pods(n), waits(n));
}

static void text_on_delete(struct buf *b, const struct cloneset_explain *x)
{
	size_t n = x->update->waiting.n;

	buf_printf(b, "%zu %s %s to be deleted by the user: the type is OnDelete", n, pods(n),
		   waits(n));
}

static void text_unavailable(struct buf *b, const struct cloneset_explain *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->st->n; i++)
		n += !x->st->flags[i].available;
	buf_printf(b, "%zu %s not available: ", n, n == 1 ? "pod is" : "pods are");
	name_unavailable(b, x);
}

static const struct stand stands[N_STANDS] = {
    [STAND_COMPLETE] = {"Complete", -1, false, false, text_complete},
    [STAND_GOING] = {"RolloutProgressing", -1, false, false, text_going},
    [STAND_DELETING] = {"Deleting", -1, false, false, text_deleting},
    [STAND_GRACE] = {"RolloutInGracePeriod", -1, false, false, text_grace},
    [STAND_SCALE_REFUSED] = {"ScaleRefused", 5, true, false, text_scale_refused},
    [STAND_UPDATE_REFUSED] = {"UpdateRefused", 5, true, false, text_update_refused},
    [STAND_SCALE_LIMITED] = {"ScaleUpLimited", -1, true, false, text_scale_limited},
    [STAND_SCALE_DOWN_WAITING] = {"ScaleDownWaiting", 30, true, false, text_scale_down_waiting},
    [STAND_HOOK] = {"RolloutHeldByHook", 30, false, false, text_hook},
    [STAND_PAUSED] = {"RolloutPaused", 0, false, true, text_paused},
    [STAND_ON_DELETE] = {"RolloutOnDelete", 0, false, true, text_on_delete},
    [STAND_PARTITION] = {"RolloutPartitionReached", 0, false, true, text_partition},
    [STAND_WAITING] = {"RolloutWaiting", 30, true, false, text_waiting},
    [STAND_UNAVAILABLE] = {"PodsNotAvailable", 30, true, false, text_unavailable},
    [STAND_UNSEEN] = {"NotSeenYet", -1, false, false, NULL},
    [STAND_STALE] = {"StoreStale", -1, true, false, NULL},
    [STAND_NOT_LEADER] = {"NotLeader", -1, false, false, NULL},
    [STAND_INVALID] = {"SpecInvalid", -1, true, false, NULL},
};

const struct stand *cloneset_explain_stand(enum cloneset_stand s)
{
	return &stands[s];
}

const char *cloneset_stand_name(enum cloneset_stand s)
{
	return stands[s].name;
}

bool cloneset_stand_is_warning(enum cloneset_stand s)
{
	return stands[s].warning;
}

void cloneset_verdict_text(struct buf *b, const struct cloneset_explain *x,
			   const struct cloneset_verdict *v)
{
	if (stands[v->stand].text)
		stands[v->stand].text(b, x);
}
