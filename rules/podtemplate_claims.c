/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of the spec of a PersistentVolumeClaim. */
#include "rules/podtemplate_int.h"

#include "kube/names.h"
#include "kube/quantity.h"

static const char *const access_modes[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
					   "ReadWriteOncePod", NULL};
static const char *const volume_modes[] = {"Block", "Filesystem", NULL};

static void check_access_modes(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath list = fpath_child(path, "accessModes");
	const val *modes = val_get(spec, "accessModes");

	if (!val_len(modes))
		field_error_add(fe, FIELD_REQUIRED, &list, NULL,
				"at least 1 access mode is required");
	for (size_t i = 0; i < val_len(modes); i++) {
		const val *mode = val_at(modes, i);
		bool known = false;

		for (size_t k = 0; access_modes[k]; k++)
			known = known || val_is(mode, access_modes[k]);
		if (!known)
			field_error_not_supported(fe, &list, mode, access_modes);
	}
}

static void check_storage(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath resources = fpath_child(path, "resources");
	struct fpath p = fpath_key(&resources, str_of("storage"));
	const val *storage = val_path(spec, "resources", "requests", "storage", NULL);
	struct quantity q;

	if (!storage)
		field_error_add(fe, FIELD_REQUIRED, &p, NULL, "%s", "");
	else if (quantity_from_val(storage, &q) == 0 && (q.negative || !q.nanos))
		field_error_add(fe, FIELD_INVALID, &p, storage, "must be greater than zero");
}

static void check_data_source(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "dataSource");
	const val *source = val_get(spec, "dataSource");

	if (!source)
		return;
	check_required(fe, source, &p, "name");
	check_required(fe, source, &p, "kind");
	if (!val_str(val_get(source, "apiGroup")).n &&
	    !val_is(val_get(source, "kind"), "PersistentVolumeClaim"))
		field_error_add(fe, FIELD_INVALID, &p, val_get(source, "kind"),
				"needs an apiGroup unless it is a PersistentVolumeClaim");
}

void podtemplate_check_claim_spec(struct field_errors *fe, const val *spec,
				  const struct fpath *path)
{
	struct fpath selector = fpath_child(path, "selector");

	check_access_modes(fe, spec, path);
	check_label_selector(fe, val_get(spec, "selector"), &selector);
	check_storage(fe, spec, path);
	check_name(fe, spec, path, "storageClassName", name_check_dns1123_subdomain);
	check_choice(fe, spec, path, "volumeMode", volume_modes);
	check_data_source(fe, spec, path);
}
