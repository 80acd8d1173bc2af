/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults and canonical form of pod templates and volume claims. Most of it is in the tables of
 * rules/podtemplate_schema*.c; here are the defaults that depend on other fields. */
#include "rules/podtemplate.h"

#include "rules/podtemplate_int.h"
#include "rules/podtemplate_schema.h"

#include <string.h>

static int apply(arena *a, const struct schema_type *t, const val *in, const struct fpath *path,
		 unsigned mode, val *out, struct err *e)
{
	struct field_errors fe;

	field_errors_init(&fe, a);
	schema_apply(a, t, in, path, mode, out, &fe);
	return field_errors_to_err(&fe, e);
}

/* Neither a tag nor a digest, or the tag "latest". A tag follows a colon after the last slash. */
static bool is_latest(struct str image)
{
	size_t end = image.n, i;
	const char *at = image.n ? memchr(image.p, '@', image.n) : NULL;

	if (at)
		end = (size_t)(at - image.p);
	for (i = end; i > 0 && image.p[i - 1] != '/' && image.p[i - 1] != ':'; i--)
		;
	if (i == 0 || image.p[i - 1] != ':')
		return !at;
	return str_is((struct str){image.p + i, end - i}, "latest");
}

/*
 * Containers that may be updated in place pull always, as OpenKruise has it; the others by tag, as
 * Kubernetes has it.
 */
static void default_pull_policy(arena *a, val *containers, bool always)
{
	for (size_t i = 0; i < val_len(containers); i++) {
		val *c = val_at_mut(containers, i);

		if (val_str(val_get(c, "imagePullPolicy")).n)
			continue;
		val_set(a, c, "imagePullPolicy",
			val_of_str(always || is_latest(val_str(val_get(c, "image")))
				       ? "Always"
				       : "IfNotPresent"));
	}
}

static void default_host_ports(arena *a, val *containers)
{
	for (size_t i = 0; i < val_len(containers); i++) {
		val *ports = val_get_mut(val_at_mut(containers, i), "ports");

		for (size_t j = 0; j < val_len(ports); j++) {
			val *port = val_at_mut(ports, j);
			int64_t n = val_int_or(val_get(port, "containerPort"), 0);

			if (n && !val_int_or(val_get(port, "hostPort"), 0))
				val_set(a, port, "hostPort", val_of_int(n));
		}
	}
}

/* A volume without source is an empty directory. */
static void default_volume(arena *a, val *volume)
{
	val *claim = val_path_mut(volume, "ephemeral", "volumeClaimTemplate", "spec", NULL);

	if (val_len(volume) == 1)
		val_set(a, volume, "emptyDir", val_map());
	if (claim && val_is_null(val_get(claim, "volumeMode")))
		val_set(a, claim, "volumeMode", val_of_str("Filesystem"));
}

void podtemplate_dependent_defaults(arena *a, val *template)
{
	val *spec = val_get_mut(template, "spec");
	val *containers = val_get_mut(spec, "containers");
	val *init = val_get_mut(spec, "initContainers"), *volumes = val_get_mut(spec, "volumes");

	default_pull_policy(a, containers, true);
	default_pull_policy(a, init, false);
	default_pull_policy(a, val_get_mut(spec, "ephemeralContainers"), false);
	if (val_bool(val_get(spec, "hostNetwork"))) {
		default_host_ports(a, containers);
		default_host_ports(a, init);
	}
	for (size_t i = 0; i < val_len(volumes); i++)
		default_volume(a, val_at_mut(volumes, i));
}

int podtemplate_canonical(arena *a, const val *template, val *out, struct err *e)
{
	struct fpath spec = fpath_root("spec"), path = fpath_child(&spec, "template");

	return apply(a, &SCHEMA_POD_TEMPLATE, template, &path, 0, out, e);
}

int podtemplate_default(arena *a, val *template, struct err *e)
{
	struct fpath root = fpath_root("spec"), path = fpath_child(&root, "template");
	val out;
	int r = apply(a, &SCHEMA_POD_TEMPLATE, template, &path, SCHEMA_DEFAULTS, &out, e);

	if (r < 0)
		return r;
	*template = out;
	podtemplate_dependent_defaults(a, template);
	return 0;
}

int claim_default(arena *a, val *claim, const struct fpath *path, struct err *e)
{
	return apply(a, &SCHEMA_CLAIM, claim, path, SCHEMA_DEFAULTS, claim, e);
}

int claim_canonical(arena *a, const val *claim, const struct fpath *path, val *out, struct err *e)
{
	return apply(a, &SCHEMA_CLAIM, claim, path, 0, out, e);
}
