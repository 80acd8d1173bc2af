/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"
#include "rules/cloneset_explain.h"
#include "rules/cloneset_progress.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW INT64_C(1800000000)
#define MAX_PODS 50

struct set {
	const val *cloneset, *pods;
	struct pod_view views[MAX_PODS];
	const struct pod_view *active[MAX_PODS];
	size_t index[MAX_PODS]; /* of the active ones in pods */
	size_t n_views, n;
};

static const val *object(size_t pod, void *userdata)
{
	const struct set *s = userdata;

	return val_at(s->pods, s->index[pod]);
}

static void judge(arena *a, struct set *s, const struct cloneset_spec *spec)
{
	_cleanup_buf_ struct buf text = {0};
	struct cloneset_status before = cloneset_status_of(s->cloneset), after;
	struct cloneset_state st =
	    cloneset_classify(a, spec, s->active, s->n, "x-old", "x-new", NOW);
	struct cloneset_counts c = cloneset_count(spec, &st);
	struct cloneset_scale_plan scale = cloneset_scale(a, spec, &st, &c, NULL);
	struct cloneset_update_plan update = cloneset_update(a, spec, &st, &c, NULL);
	const struct cloneset_explain x = {.spec = spec,
					   .st = &st,
					   .c = &c,
					   .scale = &scale,
					   .update = &update,
					   .object = object,
					   .userdata = s};
	struct cloneset_verdict v = cloneset_verdict(&x);
	struct cloneset_said said = {0};
	enum cloneset_step *steps = cloneset_steps(a, &x);
	int64_t again = 0;

	cloneset_verdict_text(&text, &x, &v);
	if (text.len == 0)
		abort();
	for (size_t i = 0; i < s->n; i++)
		cloneset_pod_detail(&text, &x, steps[i], i, 100);
	/* nothing is said twice */
	cloneset_verdict_is_news(&said, &x, &v, false, &again);
	if (again < 0 || cloneset_verdict_is_news(&said, &x, &v, false, &again))
		abort();
	after = cloneset_status_make(s->cloneset, spec, &st, 0, str_of(""));
	if (cloneset_progress(a, s->cloneset, spec, &before, &after, NOW) < 0)
		abort();
}

/* [CloneSet, [pods…]], of any shape: every verdict and every text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ arena *a = arena_new();
	struct gates g = gates_default();
	struct cloneset_spec spec;
	struct set s = {0};
	val in;

	if (json_parse(a, (const char *)data, size, &in, NULL) < 0 || !val_is_array(&in) ||
	    val_len(&in) != 2 || !val_is_array(val_at(&in, 1)))
		return 0;
	s.cloneset = val_at(&in, 0);
	s.pods = val_at(&in, 1);
	if (cloneset_spec_from(s.cloneset, &g, false, &spec, NULL) < 0)
		return 0;
	for (size_t i = 0; i < val_len(s.pods) && i < MAX_PODS; i++) {
		struct pod_view *v = &s.views[s.n_views++];

		pod_view_from(val_at(s.pods, i), v);
		if (!v->active)
			continue;
		s.index[s.n] = i;
		s.active[s.n++] = v;
	}
	judge(a, &s, &spec);
	while (s.n_views)
		pod_view_free(&s.views[--s.n_views]);
	return 0;
}
