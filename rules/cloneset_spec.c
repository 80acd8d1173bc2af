/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_count.h"

#include "kube/intorpercent.h"
#include "rules/cloneset_convert.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int32_t clamp(int64_t n, int64_t low, int64_t high)
{
	return (int32_t)(n < low ? low : n > high ? high : n);
}

/* An integer field that must fit int32; absent and null give the fallback. */
static int read_int(const val *v, const char *path, int32_t fallback, int32_t *out, struct err *e)
{
	int64_t n = fallback;

	if (!val_is_null(v) && (!val_int(v, &n) || n < 0 || n > INT32_MAX))
		return err_set(e, EINVAL, "%s must be a number from 0 to %d", path, INT32_MAX);
	*out = (int32_t)n;
	return 0;
}

static int read_scaled(const val *v, const char *path, int32_t replicas, bool up, int64_t fallback,
		       int32_t *out, struct err *e)
{
	int64_t n;
	int r = int_or_percent_resolve(v, replicas, up, fallback, &n, e);

	if (r < 0)
		return err_wrap(e, "%s", path);
	*out = clamp(n, 0, INT32_MAX);
	return 0;
}

/* R6: a percentage other than "100%" leaves at least one pod to update. */
static int read_partition(const val *v, const char *path, int32_t replicas, int32_t *out,
			  struct err *e)
{
	int32_t n = 0;
	int r = read_scaled(v, path, replicas, true, 0, &n, e);

	if (r < 0)
		return r;
	if (val_is_str(v) && !val_is(v, "100%") && n == replicas && replicas > 1)
		n--;
	*out = clamp(n, 0, replicas);
	return 0;
}

static enum cloneset_update_type read_type(struct str text)
{
	if (str_is(text, "InPlaceIfPossible"))
		return CLONESET_INPLACE_IF_POSSIBLE;
	return str_is(text, "InPlaceOnly") ? CLONESET_INPLACE_ONLY : CLONESET_RECREATE;
}

struct path {
	char text[96];
};

static struct path path_of(const val *cloneset, const char *field)
{
	struct path p;

	snprintf(p.text, sizeof(p.text), "spec.updateStrategy.%s%s",
		 cloneset_is_v1beta1(cloneset) ? "rollingUpdate." : "", field);
	return p;
}

static int read_update(const val *cloneset, struct cloneset_spec *out, struct err *e)
{
	const val *u = cloneset_rolling(cloneset);
	int64_t default_unavailable;
	int r;

	out->type = read_type(cloneset_pod_policy(cloneset));
	out->on_delete = cloneset_on_delete(cloneset);
	out->paused = val_bool(val_get(u, "paused"));
	r = read_partition(val_get(u, "partition"), path_of(cloneset, "partition").text,
			   out->replicas, &out->partition, e);
	if (r < 0)
		return r;
	r = read_scaled(val_get(u, "maxSurge"), path_of(cloneset, "maxSurge").text, out->replicas,
			true, 0, &out->max_surge, e);
	if (r < 0)
		return r;
	if (out->paused)
		out->max_surge = 0;
	default_unavailable = int_or_percent_scale((struct int_or_percent){true, 20}, out->replicas,
						   out->max_surge == 0);
	r = read_scaled(val_get(u, "maxUnavailable"), path_of(cloneset, "maxUnavailable").text,
			out->replicas, out->max_surge == 0, default_unavailable,
			&out->max_unavailable, e);
	if (r < 0)
		return r;
	return read_int(val_path(u, "inPlaceUpdateStrategy", "gracePeriodSeconds", NULL),
			path_of(cloneset, "inPlaceUpdateStrategy.gracePeriodSeconds").text, 0,
			&out->grace_seconds, e);
}

int cloneset_spec_from(const val *cloneset, const struct gates *gates,
		       bool exclude_preparing_delete, struct cloneset_spec *out, struct err *e)
{
	const val *spec = val_get(cloneset, "spec");
	const val *scale = val_get(spec, "scaleStrategy");
	const val *names = val_get(scale, "podsToDelete");
	int r;

	memset(out, 0, sizeof(*out));
	r = read_int(val_get(spec, "replicas"), "spec.replicas", 1, &out->replicas, e);
	if (r == 0)
		r = read_int(val_get(spec, "minReadySeconds"), "spec.minReadySeconds", 0,
			     &out->min_ready, e);
	if (r == 0)
		r = read_int(val_get(spec, "revisionHistoryLimit"), "spec.revisionHistoryLimit", 10,
			     &out->history_limit, e);
	if (r == 0)
		r = read_scaled(val_get(scale, "maxUnavailable"),
				"spec.scaleStrategy.maxUnavailable", out->replicas, true,
				CLONESET_NO_LIMIT, &out->scale_max_unavailable, e);
	if (r == 0)
		r = read_update(cloneset, out, e);
	if (r < 0)
		return r;
	out->exclude_preparing_delete =
	    exclude_preparing_delete || cloneset_excludes_preparing_delete(cloneset);
	out->partition_rollback = gate_on(gates, GATE_CLONESET_PARTITION_ROLLBACK);
	out->preparing_update_as_update = gate_on(gates, GATE_PREPARING_UPDATE_AS_UPDATE);
	out->short_hash = gate_on(gates, GATE_CLONESET_SHORT_HASH);
	out->env_from_metadata = gate_on(gates, GATE_INPLACE_ENV_FROM_METADATA);
	out->predownload = gate_on(gates, GATE_PREDOWNLOAD_FOR_INPLACE);
	out->recreate_on_claims = gate_on(gates, GATE_RECREATE_ON_VCT_CHANGE);
	out->pods_to_delete = val_is_array(names) && val_len(names) ? names : NULL;
	out->lifecycle = val_is_map(val_get(spec, "lifecycle")) ? val_get(spec, "lifecycle") : NULL;
	return 0;
}
