/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base64.h"
#include "kube/json.h"
#include "rules/content.h"
#include "rules/inplace_state.h"

/* Reads metaDataPatch: base64 of a patch of the pod, of which only metadata counts. */
static bool read_metadata(arena *a, const val *text, val *out)
{
	_cleanup_buf_ struct buf b = {0};
	struct str s = val_str(text);
	val patch;

	*out = val_map();
	if (val_is_null(text))
		return true;
	if (!s.p || !base64_decode(&b, s.p, s.n))
		return false;
	s = (struct str){arena_strndup(a, buf_str(&b), b.len), b.len};
	if (json_parse(a, s.p, s.n, &patch, NULL) < 0 || !val_is_map(&patch))
		return false;
	*out = map_clone(a, val_get(&patch, "metadata"));
	/* whose pod it is was settled before the patch was made */
	val_del(out, "name");
	val_del(out, "namespace");
	val_del(out, "uid");
	val_del(out, "resourceVersion");
	return true;
}

static bool read_map(arena *a, const val *v, bool (*is)(const val *), val *out)
{
	*out = val_map();
	if (val_is_null(v))
		return true;
	if (!val_is_map(v))
		return false;
	for (size_t i = 0; i < val_len(v); i++) {
		if (!is(val_value(v, i)))
			return false;
	}
	*out = map_clone(a, v);
	return true;
}

enum inplace_state_found inplace_grace_read(arena *a, const val *pod, struct inplace_grace *out)
{
	const val *annotations = val_path(pod, "metadata", "annotations", NULL);
	const val *text = val_get(annotations, ANNO_INPLACE_GRACE);
	struct str s;
	val v;

	if (!text)
		text = val_get(annotations, ANNO_INPLACE_GRACE_OLD);
	s = val_str(text);
	if (!text || (s.p && s.n == 0))
		return INPLACE_STATE_ABSENT;
	if (!s.p || json_parse(a, s.p, s.n, &v, NULL) < 0 || !val_is_map(&v))
		return INPLACE_STATE_BROKEN;
	out->revision = val_str(val_get(&v, "revision"));
	out->seconds = val_int_or(val_get(&v, "graceSeconds"), 0);
	out->env = val_bool(val_get(&v, "updateEnvFromMetadata"));
	if (!read_map(a, val_get(&v, "containerImages"), val_is_str, &out->pending.images) ||
	    !read_map(a, val_get(&v, "containerRefMetadata"), val_is_map, &out->pending.refs) ||
	    !read_metadata(a, val_get(&v, "metaDataPatch"), &out->metadata))
		return INPLACE_STATE_BROKEN;
	return INPLACE_STATE_OK;
}

static val metadata_patch(arena *a, const val *metadata)
{
	_cleanup_buf_ struct buf json = {0}, text = {0};
	val patch = val_map();

	val_set(a, &patch, "metadata", *metadata);
	json_print(&json, &patch, JSON_SORTED | JSON_GO_HTML);
	base64_encode(&text, json.p, json.len);
	return val_of_strdup(a, (struct str){buf_str(&text), text.len});
}

void inplace_grace_write(arena *a, const struct inplace_grace *g, val *patch)
{
	val v = val_map();
	const char *text;

	val_set(a, &v, "revision", val_of_strn(g->revision));
	if (val_len(&g->pending.images))
		val_set(a, &v, "containerImages", g->pending.images);
	if (val_len(&g->pending.refs))
		val_set(a, &v, "containerRefMetadata", g->pending.refs);
	if (val_len(&g->metadata))
		val_set(a, &v, "metaDataPatch", metadata_patch(a, &g->metadata));
	if (g->env)
		val_set(a, &v, "updateEnvFromMetadata", val_of_bool(true));
	val_set(a, &v, "graceSeconds", val_of_int(g->seconds));
	text = json_str(a, &v, JSON_GO_HTML);
	val_set(a, val_ensure_map(a, val_ensure_map(a, patch, "metadata"), "annotations"),
		ANNO_INPLACE_GRACE, val_of_str(text));
}

void inplace_grace_remove(arena *a, const val *pod, val *patch)
{
	static const char *const keys[] = {ANNO_INPLACE_GRACE, ANNO_INPLACE_GRACE_OLD};
	const val *have = val_path(pod, "metadata", "annotations", NULL);

	for (size_t i = 0; i < 2; i++) {
		val *meta = val_ensure_map(a, patch, "metadata");

		if (val_get(have, keys[i]))
			val_set(a, val_ensure_map(a, meta, "annotations"), keys[i], val_null());
	}
}
