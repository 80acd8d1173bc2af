/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_default.h"

#include "rules/cloneset_convert.h"
#include "rules/cloneset_schema.h"
#include "rules/podtemplate.h"

#include <errno.h>

/* Whether template defaults are due: always on creation, on update only when the template is
 * another one. */
static int template_changed(arena *a, const val *template, const val *old, bool *out, struct err *e)
{
	const val *before = val_path(old, "spec", "template", NULL);
	val x, y;
	int r;

	*out = true;
	if (!old)
		return 0;
	r = podtemplate_canonical(a, template, &x, e);
	if (r < 0)
		return r;
	/* What was stored before may be anything; unreadable counts as different. */
	*out = podtemplate_canonical(a, before, &y, NULL) < 0 || !val_equal(&x, &y);
	return 0;
}

static int default_claims(arena *a, val *claims, bool defaults, struct err *e)
{
	struct fpath spec = fpath_root("spec");
	struct fpath list = fpath_child(&spec, "volumeClaimTemplates");

	for (size_t i = 0; i < val_len(claims); i++) {
		struct fpath path = fpath_index(&list, i);
		val *claim = val_at_mut(claims, i);
		int r = defaults ? claim_default(a, claim, &path, e)
				 : claim_canonical(a, claim, &path, claim, e);

		if (r < 0)
			return r;
	}
	return 0;
}

static int default_template(arena *a, val *template, bool defaults, struct err *e)
{
	return defaults ? podtemplate_default(a, template, e)
			: podtemplate_canonical(a, template, template, e);
}

/* v1beta1: the roll-out has defaults of its own, which OnDelete has no use for. */
static int default_rolling(arena *a, val *update, struct err *e)
{
	struct fpath spec = fpath_root("spec"), path = fpath_child(&spec, "updateStrategy");
	struct field_errors fe;
	const val *rolling = val_get(update, "rollingUpdate");
	val out;

	if (!val_is(val_get(update, "type"), "RollingUpdate") || !val_is_null(rolling))
		return 0;
	val_set(a, update, "rollingUpdate", val_map());
	field_errors_init(&fe, a);
	schema_apply(a, &SCHEMA_CLONESET_UPDATE_V1BETA1, update, &path, SCHEMA_DEFAULTS, &out, &fe);
	*update = out;
	return field_errors_to_err(&fe, e);
}

static void default_in_place(arena *a, val *rolling, const char *policy)
{
	const val *type = val_get(rolling, policy);

	if (!val_is(type, "InPlaceIfPossible") && !val_is(type, "InPlaceOnly"))
		return;
	if (val_is_null(val_get(rolling, "inPlaceUpdateStrategy")))
		val_set(a, rolling, "inPlaceUpdateStrategy", val_map());
}

static int default_update(arena *a, val *update, bool v1beta1, struct err *e)
{
	int r = v1beta1 ? default_rolling(a, update, e) : 0;

	if (r < 0)
		return r;
	if (v1beta1)
		default_in_place(a, val_get_mut(update, "rollingUpdate"), "podUpdatePolicy");
	else
		default_in_place(a, update, "type");
	return 0;
}

int cloneset_default(arena *a, val *cloneset, const val *old, bool template_no_defaults,
		     struct err *e)
{
	struct fpath path = fpath_root("spec");
	struct field_errors fe;
	bool defaults = true;
	val *spec, *template;
	val out;
	int r;

	if (!val_is_map(cloneset))
		return err_set(e, EINVAL, "a CloneSet must be a JSON object");
	spec = val_get_mut(cloneset, "spec");
	if (val_is_null(spec))
		return 0; /* validation says that it is missing */

	field_errors_init(&fe, a);
	schema_apply(a, schema_cloneset_spec(cloneset), spec, &path, SCHEMA_DEFAULTS, &out, &fe);
	r = field_errors_to_err(&fe, e);
	if (r < 0)
		return r;
	*spec = out;
	r = default_update(a, val_get_mut(spec, "updateStrategy"), cloneset_is_v1beta1(cloneset),
			   e);
	if (r < 0)
		return r;

	template = val_get_mut(spec, "template");
	if (val_is_null(template))
		return 0;
	r = template_changed(a, template, old, &defaults, e);
	if (r < 0)
		return r;
	defaults = defaults && !template_no_defaults;
	r = default_template(a, template, defaults, e);
	if (r < 0)
		return r;
	return default_claims(a, val_get_mut(spec, "volumeClaimTemplates"), defaults, e);
}
