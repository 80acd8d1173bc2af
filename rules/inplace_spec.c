/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/inplace.h"

#include "rules/content.h"

#include <stdio.h>
#include <string.h>

/* Compares two containers apart from `image`; a changed image is noted. */
static bool compare_container(const val *old, const val *new, struct inplace_spec *out,
			      struct content_path *path)
{
	val rest_old, rest_new;
	arena *a = arena_new();
	bool same;

	rest_old = map_clone(a, old);
	rest_new = map_clone(a, new);
	if (val_is_str(val_get(old, "image")) && val_is_str(val_get(new, "image"))) {
		val_del(&rest_old, "image");
		val_del(&rest_new, "image");
	}
	same = content_equal((struct str){0}, &rest_old, &rest_new, path);
	arena_free(a);
	if (same && !str_eq(val_str(val_get(old, "image")), val_str(val_get(new, "image"))))
		out->images[out->n_images++] = (struct inplace_image){
		    .container = val_str(val_get(new, "name")),
		    .image = val_str(val_get(new, "image")),
		};
	return same;
}

static bool compare_containers(arena *a, const val *old, const val *new, struct inplace_spec *out,
			       struct content_path *path)
{
	size_t len = path->len;

	if (!val_is_array(old) || !val_is_array(new) || val_len(old) != val_len(new))
		return content_equal((struct str){0}, old, new, path);
	out->images = arena_alloc(a, (val_len(new) + 1) * sizeof(*out->images));
	for (size_t i = 0; i < val_len(new); i++) {
		content_path_index(path, i);
		if (!compare_container(val_at(old, i), val_at(new, i), out, path))
			return false;
		content_path_cut(path, len);
	}
	return true;
}

/* Everything of spec but containers[].image must be the same. */
static bool compare_specs(arena *a, const val *old, const val *new, struct inplace_spec *out,
			  struct content_path *path)
{
	val rest_old = map_clone(a, old), rest_new = map_clone(a, new);
	size_t len;

	content_path_key(path, str_of("spec"));
	len = path->len;
	content_path_key(path, str_of("containers"));
	if (!compare_containers(a, val_get(old, "containers"), val_get(new, "containers"), out,
				path))
		return false;
	content_path_cut(path, len);
	val_del(&rest_old, "containers");
	val_del(&rest_new, "containers");
	return content_equal((struct str){0}, &rest_old, &rest_new, path);
}

/* The patch of one map of strings: changed and new keys with their value, removed ones null. */
static void diff_strings(arena *a, const char *key, const val *old, const val *new, val *metadata)
{
	const val *from = val_get(old, key), *to = val_get(new, key);
	val patch = val_map();

	for (size_t i = 0; val_is_map(to) && i < val_len(to); i++) {
		if (!val_equal(val_value(to, i), val_getn(from, val_key(to, i))))
			val_setn(a, &patch, val_key(to, i), *val_value(to, i));
	}
	for (size_t i = 0; val_is_map(from) && i < val_len(from); i++) {
		if (val_is_null(val_getn(to, val_key(from, i))))
			val_setn(a, &patch, val_key(from, i), val_null());
	}
	if (val_len(&patch))
		val_set(a, metadata, key, patch);
}

static bool list_has(const val *list, struct str s)
{
	for (size_t i = 0; i < val_len(list); i++) {
		if (str_eq(val_str(val_at(list, i)), s))
			return true;
	}
	return false;
}

/* Entries of `list` that `other` lacks. */
static val list_minus(arena *a, const val *list, const val *other)
{
	val out = val_array();

	for (size_t i = 0; val_is_array(list) && i < val_len(list); i++) {
		if (val_is_str(val_at(list, i)) && !list_has(other, val_str(val_at(list, i))))
			val_push(a, &out, *val_at(list, i));
	}
	return out;
}

/* Finalizers merge as a set, with a directive for what goes. */
static void diff_finalizers(arena *a, const val *old, const val *new, val *metadata)
{
	const val *from = val_get(old, "finalizers"), *to = val_get(new, "finalizers");
	val added = list_minus(a, to, from), removed = list_minus(a, from, to);

	if (val_len(&added))
		val_set(a, metadata, "finalizers", added);
	if (val_len(&removed))
		val_set(a, metadata, "$deleteFromPrimitiveList/finalizers", removed);
}

static val diff_metadata(arena *a, const val *old, const val *new)
{
	val metadata = val_map();

	diff_strings(a, "labels", old, new, &metadata);
	diff_strings(a, "annotations", old, new, &metadata);
	diff_finalizers(a, old, new, &metadata);
	return metadata;
}

void inplace_spec_from(arena *a, const val *old_template, const val *new_template,
		       struct inplace_spec *out)
{
	struct content_path path = {0};

	memset(out, 0, sizeof(*out));
	out->metadata = val_map();
	if (!val_is_map(old_template) || !val_is_map(new_template)) {
		snprintf(out->why_not, sizeof(out->why_not), "the %s revision is unknown",
			 val_is_map(old_template) ? "new" : "old");
		return;
	}
	if (!compare_specs(a, val_get(old_template, "spec"), val_get(new_template, "spec"), out,
			   &path)) {
		out->n_images = 0;
		snprintf(out->why_not, sizeof(out->why_not),
			 "template.%s differs, which no running pod can take over", path.text);
		return;
	}
	out->metadata =
	    diff_metadata(a, val_get(old_template, "metadata"), val_get(new_template, "metadata"));
	out->possible = true;
}

bool inplace_spec_restarts(const struct inplace_spec *spec)
{
	return spec->n_images > 0;
}
