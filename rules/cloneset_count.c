/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_count.h"

#include "rules/nameset.h"
#include "rules/revision.h"

#include <string.h>

static int32_t min32(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int32_t max32(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* a − b with b up to CLONESET_NO_LIMIT; never below 0. */
static int32_t sub_or_0(int64_t a, int64_t b)
{
	int64_t d = a - b;

	return d < 0 ? 0 : d > INT32_MAX ? INT32_MAX : (int32_t)d;
}

/* Most pods carry the very text of one of two revisions: the last answer is kept. */
struct matcher {
	const char *last;
	bool answer;
	struct str revision;
};

static bool matches(struct matcher *m, const char *label)
{
	if (!m->last || strcmp(m->last, label) != 0) {
		m->last = label;
		m->answer = revision_matches(str_of(label), m->revision);
	}
	return m->answer;
}

struct cloneset_state cloneset_classify(arena *a, const struct cloneset_spec *spec,
					const struct pod_view *const *pods, size_t n,
					const char *current_revision, const char *update_revision,
					int64_t now)
{
	struct nameset names = nameset_of(a, spec->pods_to_delete);
	struct cloneset_pod *flags = arena_alloc(a, (n + 1) * sizeof(*flags));
	struct matcher m = {.revision = str_of(update_revision)};

	for (size_t i = 0; i < n; i++) {
		const struct pod_view *v = pods[i];
		bool updated = matches(&m, v->revision);
		bool pre = v->lifecycle == LIFECYCLE_PREPARING_DELETE;
		bool named = v->specified_delete || nameset_has(&names, str_of(v->name));

		flags[i] = (struct cloneset_pod){
		    .updated = updated,
		    .is_new = updated || (spec->preparing_update_as_update &&
					  v->lifecycle == LIFECYCLE_PREPARING_UPDATE),
		    .pre_deleting = pre,
		    .named = named,
		    .to_delete = named && !pre,
		    .available = cloneset_pod_available(v, spec->min_ready, now),
		    .ready = pod_is_ready(v),
		};
	}
	return (struct cloneset_state){
	    .pods = pods,
	    .flags = flags,
	    .n = n,
	    .now = now,
	    .current_revision = current_revision,
	    .update_revision = update_revision,
	};
}

static void tally(const struct cloneset_state *st, struct cloneset_counts *c)
{
	for (size_t i = 0; i < st->n; i++) {
		const struct cloneset_pod *p = &st->flags[i];
		int32_t *pods = p->is_new ? &c->new_pods : &c->old_pods;
		int32_t *active = p->is_new ? &c->active_new : &c->active_old;

		++*pods;
		if (p->pre_deleting) {
			c->pre_deleting++;
			continue;
		}
		++*active;
		if (p->to_delete)
			++*(p->is_new ? &c->to_delete_new : &c->to_delete_old);
		else if (!p->available)
			++*(p->is_new ? &c->unavailable_new : &c->unavailable_old);
	}
	c->pods = c->new_pods + c->old_pods;
	c->total_unavailable = c->pre_deleting + c->unavailable_new + c->unavailable_old;
}

/* R7 */
static void count_diffs(const struct cloneset_spec *spec, const struct cloneset_state *st,
			struct cloneset_counts *c)
{
	bool one_way = !spec->partition_rollback ||
		       str_eq(str_of(st->current_revision), str_of(st->update_revision));

	c->expected_updated = spec->replicas - spec->partition;
	c->old_diff = c->active_old - spec->partition;
	c->new_diff = c->active_new - c->expected_updated;
	if (one_way) {
		c->old_diff = max32(c->old_diff, 0);
		c->new_diff = min32(c->new_diff, 0);
	}
}

static int32_t magnitude(int32_t n)
{
	return n < 0 ? -n : n;
}

/* R8: what deletions need, against what the update needs. */
static void count_surge(const struct cloneset_spec *spec, struct cloneset_counts *c)
{
	int32_t to_delete = c->to_delete_new + c->to_delete_old;
	int32_t missing =
	    sub_or_0((int64_t)c->total_unavailable + to_delete, spec->max_unavailable);
	int32_t scale = min32(missing, to_delete);
	int32_t scale_old = max32(scale - c->to_delete_new, 0);
	int32_t update = 0, update_old = 0;

	if ((c->old_diff > 0 && c->new_diff < 0) || (c->old_diff < 0 && c->new_diff > 0)) {
		bool by_old = magnitude(c->old_diff) <= magnitude(c->new_diff);

		update = by_old ? magnitude(c->old_diff) : magnitude(c->new_diff);
		/* the two have opposite signs: both conditions say that old pods are missing */
		update_old = c->old_diff < 0 ? update : 0;
	}
	if (scale >= update) {
		c->surge = min32(spec->max_surge, scale);
		c->surge_old = min32(c->surge, scale_old);
	} else {
		c->surge = min32(spec->max_surge, update);
		c->surge_old = min32(c->surge, update_old);
	}
}

/* R9 to R12 */
static void count_scale(const struct cloneset_spec *spec, struct cloneset_counts *c)
{
	int32_t to_delete = c->to_delete_new + c->to_delete_old;
	int64_t total = (int64_t)spec->replicas + c->surge;
	int32_t old = spec->partition + c->surge_old;
	int32_t existing = spec->exclude_preparing_delete ? c->active_new + c->active_old : c->pods;
	int32_t existing_old = spec->exclude_preparing_delete ? c->active_old : c->old_pods;

	c->up = sub_or_0(total, existing);
	if (c->up > 0) {
		c->up_old = min32(max32(old - existing_old, 0), c->up);
		c->up_limit =
		    min32(c->up, sub_or_0(spec->scale_max_unavailable, c->total_unavailable));
		c->up_limited = c->up_limit < c->up;
	}
	c->down = sub_or_0(existing - to_delete, total);
	if (c->down > 0)
		c->down_old = max32(existing_old - c->to_delete_old - old, 0);
	if (to_delete > 0 || c->down > 0)
		c->delete_ready_limit = sub_or_0((int64_t)spec->max_unavailable + c->pods,
						 (int64_t)spec->replicas + c->total_unavailable);
}

struct cloneset_counts cloneset_count(const struct cloneset_spec *spec,
				      const struct cloneset_state *st)
{
	struct cloneset_counts c = {0};

	tally(st, &c);
	count_diffs(spec, st, &c);
	if (spec->max_surge > 0)
		count_surge(spec, &c);
	count_scale(spec, &c);
	c.update = magnitude(c.old_diff) <= magnitude(c.new_diff) ? c.old_diff : -c.new_diff;
	c.update_max_unavailable =
	    sub_or_0((int64_t)spec->max_unavailable + c.pods, spec->replicas);
	return c;
}
