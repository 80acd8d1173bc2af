/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/inplace.h"

#include "rules/content.h"
#include "rules/inplace_env.h"
#include "rules/revision.h"

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

/* R5: moves what the container reads of the patch's labels (or annotations) into its refs. Removed
 * ones stay: nothing is left to be read. */
static void take_refs(arena *a, const val *container, const char *kind, const val *patch, val *refs)
{
	struct str name = val_str(val_get(container, "name"));
	const val *changed = val_get(patch, kind), *before = val_getn(refs, name);
	val ref = before ? *before : val_map(), taken = val_map();

	for (size_t i = 0; i < val_len(changed); i++) {
		if (!val_is_null(val_value(changed, i)) &&
		    inplace_env_reads(container, kind, val_key(changed, i)))
			val_setn(a, &taken, val_key(changed, i), *val_value(changed, i));
	}
	if (!val_len(&taken))
		return;
	val_set(a, &ref, kind, taken);
	val_setn(a, refs, name, ref);
}

static void drop_taken(arena *a, const char *kind, const val *refs, val *metadata)
{
	val kept = map_clone(a, val_get(metadata, kind));

	for (size_t i = 0; i < val_len(refs); i++) {
		const val *taken = val_get(val_value(refs, i), kind);

		for (size_t k = 0; k < val_len(taken); k++) {
			struct str key = val_key(taken, k);

			val_del(&kept, arena_strndup(a, key.p, key.n));
		}
	}
	if (val_len(&kept))
		val_set(a, metadata, kind, kept);
	else
		val_del(metadata, kind);
}

static void split_refs(arena *a, const val *containers, struct inplace_spec *out)
{
	static const char *const kinds[] = {"labels", "annotations"};

	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < val_len(containers); i++)
			take_refs(a, val_at(containers, i), kinds[k], &out->metadata, &out->refs);
		drop_taken(a, kinds[k], &out->refs, &out->metadata);
	}
}

/* A revision without the annotation is of an older manager: it says nothing. */
static bool claims_differ(const val *old, const val *new)
{
	const val *a = val_path(old, "metadata", "annotations", ANNO_CLAIMS_HASH, NULL);
	const val *b = val_path(new, "metadata", "annotations", ANNO_CLAIMS_HASH, NULL);

	return a && b && !val_equal(a, b);
}

void inplace_spec_from(arena *a, const val *old_revision, const val *new_revision,
		       const struct inplace_options *o, struct inplace_spec *out)
{
	const val *old = revision_template(old_revision), *new = revision_template(new_revision);
	struct content_path path = {0};

	memset(out, 0, sizeof(*out));
	out->metadata = val_map();
	out->refs = val_map();
	if (!old || !new) {
		snprintf(out->why_not, sizeof(out->why_not), "the %s revision is unknown",
			 old ? "new" : "old");
		return;
	}
	if (o->compare_claims && claims_differ(old_revision, new_revision)) {
		snprintf(out->why_not, sizeof(out->why_not),
			 "volumeClaimTemplates differ, which takes new claims");
		return;
	}
	if (!compare_specs(a, val_get(old, "spec"), val_get(new, "spec"), out, &path)) {
		out->n_images = 0;
		snprintf(out->why_not, sizeof(out->why_not),
			 "template.%s differs, which no running pod can take over", path.text);
		return;
	}
	out->metadata = diff_metadata(a, val_get(old, "metadata"), val_get(new, "metadata"));
	if (o->env_from_metadata)
		split_refs(a, val_path(new, "spec", "containers", NULL), out);
	out->possible = true;
}
