/* SPDX-License-Identifier: Apache-2.0 */
/* What an update of a CloneSet may change. */
#include "rules/cloneset_validate_int.h"

#include "rules/podtemplate.h"

static const char *const mutable_fields[] = {
    "replicas",
    "template",
    "lifecycle",
    "scaleStrategy",
    "updateStrategy",
    "minReadySeconds",
    "progressDeadlineSeconds",
    "volumeClaimTemplates",
    "revisionHistoryLimit",
};
#define N_MUTABLE (sizeof(mutable_fields) / sizeof(mutable_fields[0]))

static val immutable_part(arena *a, const val *spec)
{
	val v = val_copy(a, spec);

	for (size_t i = 0; i < N_MUTABLE; i++)
		val_del(&v, mutable_fields[i]);
	return v;
}

/* The template's spec with its defaults and without the containers' images, for comparison. */
static bool without_images(arena *a, const val *template, val *out)
{
	val *containers;

	*out = val_copy(a, template);
	if (podtemplate_default(a, out, NULL) < 0)
		return false;
	*out = *val_get(out, "spec");
	containers = val_get_mut(out, "containers");
	for (size_t i = 0; i < val_len(containers); i++)
		val_set(a, val_at_mut(containers, i), "image", val_of_str(""));
	return true;
}

static bool only_images_differ(arena *a, const val *template, const val *old)
{
	val x, y;

	return without_images(a, template, &x) && without_images(a, old, &y) && val_equal(&x, &y);
}

/* Whether pods are updated in place or not at all. With OnDelete they are never picked. */
static bool in_place_only(const val *spec, bool v1beta1)
{
	const val *update = val_get(spec, "updateStrategy");
	const val *rolling = val_get(update, "rollingUpdate");

	if (!v1beta1)
		return val_is(val_get(update, "type"), "InPlaceOnly");
	return !val_is(val_get(update, "type"), "OnDelete") &&
	       val_is(val_get(rolling, "podUpdatePolicy"), "InPlaceOnly");
}

void cloneset_check_update(struct field_errors *fe, const val *spec, const val *old_spec,
			   bool v1beta1, const struct fpath *path)
{
	val x = immutable_part(fe->a, spec), y = immutable_part(fe->a, old_spec);

	if (!val_equal(&x, &y))
		field_error_add(
		    fe, FIELD_FORBIDDEN, path, NULL,
		    "only replicas, template, lifecycle, scaleStrategy, updateStrategy, "
		    "minReadySeconds, progressDeadlineSeconds, volumeClaimTemplates and "
		    "revisionHistoryLimit may change");
	if (in_place_only(spec, v1beta1) &&
	    !only_images_differ(fe->a, val_get(spec, "template"), val_get(old_spec, "template")))
		field_error_add(
		    fe, FIELD_FORBIDDEN, path, NULL,
		    "with the strategy type InPlaceOnly, of the template's spec only the "
		    "containers' images may change");
}
