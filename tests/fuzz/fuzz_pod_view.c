/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"
#include "kube/mergepatch.h"
#include "rules/inplace.h"
#include "rules/pod_problem.h"
#include "rules/podreadiness.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What we write, we can read: the annotations of the pod once the patch has been applied. */
static void read_back(arena *a, const val *pod, const val *patch)
{
	val annotations = val_map(), after;

	val_set(a, val_ensure_map(a, &annotations, "metadata"), "annotations",
		*val_path(patch, "metadata", "annotations", NULL));
	after = mergepatch_apply(a, pod, &annotations);
	if (inplace_check(&after, NULL, NULL, 0) == INPLACE_BROKEN)
		abort();
}

static void all_patches(arena *a, const val *pod, const struct pod_view *v)
{
	struct inplace_spec spec;
	struct inplace_update u = {.pod = pod, .spec = &spec, .revision = str_of("r-1")};
	val patch;

	const struct inplace_options options = {.env_from_metadata = true, .compare_claims = true};
	val revision = val_map();

	val_set(a, val_ensure_map(a, val_ensure_map(a, &revision, "data"), "spec"), "template",
		*pod);
	inplace_spec_from(a, &revision, &revision, &options, &spec);
	/* the object as both templates: the same in place, or no template at all */
	if (!spec.possible && val_is_map(pod))
		abort();
	inplace_update_patch(a, &u, &patch, NULL);
	if (inplace_next_batch_patch(a, pod, 0, &patch, NULL) == 0)
		read_back(a, pod, &patch);
	u.grace_seconds = 5;
	if (inplace_update_patch(a, &u, &patch, NULL) == 0)
		read_back(a, pod, &patch);
	inplace_grace_end_patch(a, pod, 0, &patch, NULL);
	inplace_grace_drop_patch(a, pod);
	if (v->active && inplace_refresh(v, 0) == INPLACE_WRITE_NEXT && !v->has_inplace_state)
		abort();
	inplace_not_ready_patch(a, pod, 0);
	podreadiness_init_patch(a, pod, 0);
	podreadiness_add(a, pod, READINESS_PRE_DELETE, 0, &patch);
	podreadiness_remove(a, pod, READINESS_PRE_DELETE, 0, &patch);
}

/* Any JSON as a pod: the view, every verdict on it, and every patch made from it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf problem = {0};
	val pod, wrapped = val_map();
	struct pod_view v;

	/* as the text of the state annotation */
	val_set(a, val_ensure_map(a, val_ensure_map(a, &wrapped, "metadata"), "annotations"),
		ANNO_INPLACE_STATE, val_of_strn((struct str){(const char *)data, size}));
	pod_view_from(&wrapped, &v);
	if (!v.has_inplace_state || v.inplace == INPLACE_NONE)
		abort();
	all_patches(a, &wrapped, &v);
	pod_view_free(&v);

	if (json_parse(a, (const char *)data, size, &pod, NULL) < 0)
		return 0;
	pod_view_from(&pod, &v);
	if (v.active == (v.terminating || v.finished) || strlen(v.name) > size)
		abort();
	pod_is_available(&v, 10, 1800000000);
	all_patches(a, &pod, &v);
	pod_problem(&problem, &pod, 50);
	if (problem.len > 1000 || memchr(buf_str(&problem), '\033', problem.len))
		abort();
	pod_view_free(&v);
	return 0;
}
