/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of environment variables, and of references to fields of the pod. */
#include "rules/podtemplate_int.h"

#include "kube/names.h"
#include "kube/quantity.h"

#include <string.h>

static const char *const env_fields[] = {
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
    NULL,
};

/* Fields that exist for this purpose somewhere; any other path is no field at all. */
static const char *const known_fields[] = {
    "metadata.annotations", "metadata.labels", "spec.restartPolicy",
    "spec.schedulerName",   "status.phase",    NULL,
};

static const char *const resource_fields[] = {
    "limits.cpu",   "limits.ephemeral-storage",	  "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory",
    NULL,
};

static const char *const divisors_cpu[] = {"1m", "1", NULL};
static const char *const divisors_bytes[] = {"1",   "1k",  "1M",  "1G",	 "1T",	"1P",  "1E",
					     "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei", NULL};

static bool contains(const char *const *list, struct str s)
{
	for (size_t i = 0; list[i]; i++)
		if (str_is(s, list[i]))
			return true;
	return false;
}

/* "metadata.labels['key']": the key, or the absent string */
static struct str subscript_of(struct str path, struct str *base)
{
	const char *open = path.n ? memchr(path.p, '[', path.n) : NULL;
	size_t n = open ? (size_t)(open - path.p) : 0;

	if (!open || path.n < n + 4 || memcmp(open, "['", 2) != 0 ||
	    memcmp(path.p + path.n - 2, "']", 2) != 0)
		return (struct str){0};
	*base = (struct str){path.p, n};
	return (struct str){open + 2, path.n - n - 4};
}

static void check_subscript(struct field_errors *fe, const val *field_path,
			    const struct fpath *path, struct str base, struct str key)
{
	const char *why = "no field with a subscript; metadata.labels['KEY'] and "
			  "metadata.annotations['KEY'] are supported";

	if (str_is(base, "metadata.labels"))
		why = name_check_qualified(key);
	else if (str_is(base, "metadata.annotations"))
		why = name_check_annotation_key(key);
	if (why)
		field_error_add(fe, FIELD_INVALID, path, field_path, "%s", why);
}

void podtemplate_check_field_ref(struct field_errors *fe, const val *ref, const struct fpath *path,
				 const char *const *supported)
{
	struct fpath p = fpath_child(path, "fieldPath"), version = fpath_child(path, "apiVersion");
	const val *v = val_get(ref, "fieldPath");
	struct str base = {0}, key = subscript_of(val_str(v), &base);

	if (!val_is(val_get(ref, "apiVersion"), "v1"))
		field_error_add(fe, FIELD_INVALID, &version, val_get(ref, "apiVersion"),
				"must be v1");
	else if (!check_required(fe, ref, path, "fieldPath"))
		return;
	else if (base.p)
		check_subscript(fe, v, &p, base, key);
	else if (contains(supported, val_str(v)))
		return;
	else if (contains(known_fields, val_str(v)) || contains(env_fields, val_str(v)))
		field_error_not_supported(fe, &p, v, supported);
	else
		field_error_add(fe, FIELD_INVALID, &p, v, "is no field that can be referred to");
}

static void check_divisor(struct field_errors *fe, const val *ref, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "divisor");
	struct str resource = val_str(val_get(ref, "resource"));
	const val *divisor = val_get(ref, "divisor");
	bool cpu = str_is(resource, "limits.cpu") || str_is(resource, "requests.cpu");
	struct quantity q;
	struct str text;

	if (quantity_from_val(divisor, &q) < 0 || !q.nanos)
		return;
	text = str_of(quantity_str(fe->a, &q));
	if (contains(cpu ? divisors_cpu : divisors_bytes, text))
		return;
	field_error_add(fe, FIELD_INVALID, &p, divisor,
			cpu ? "must be 1m or 1 for cpu"
			    : "must be 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi or 1Ei");
}

void podtemplate_check_resource_ref(struct field_errors *fe, const val *ref,
				    const struct fpath *path, bool in_volume)
{
	struct fpath p = fpath_child(path, "resource");
	const val *resource = val_get(ref, "resource");
	struct str s = val_str(resource);

	if (in_volume)
		check_required(fe, ref, path, "containerName");
	if (!check_required(fe, ref, path, "resource"))
		return;
	if (!contains(resource_fields, s) && !str_has_prefix(s, "requests.hugepages-") &&
	    !str_has_prefix(s, "limits.hugepages-"))
		field_error_not_supported(fe, &p, resource, resource_fields);
	else
		check_divisor(fe, ref, path);
}

static void check_env_field(struct field_errors *fe, const val *ref, const struct fpath *path)
{
	podtemplate_check_field_ref(fe, ref, path, env_fields);
}

static void check_env_resource(struct field_errors *fe, const val *ref, const struct fpath *path)
{
	podtemplate_check_resource_ref(fe, ref, path, false);
}

/* A key of a ConfigMap or Secret. */
static void check_key_ref(struct field_errors *fe, const val *ref, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "name");
	const char *why = name_check_dns1123_subdomain(val_str(val_get(ref, "name")));

	if (why)
		field_error_add(fe, FIELD_INVALID, &p, val_get(ref, "name"), "%s", why);
	check_name_required(fe, ref, path, "key", name_check_config_key);
}

static void check_source_ref(struct field_errors *fe, const val *ref, const struct fpath *path)
{
	check_name_required(fe, ref, path, "name", name_check_dns1123_subdomain);
}

struct source {
	const char *name;
	void (*check)(struct field_errors *fe, const val *ref, const struct fpath *path);
};

static const struct source value_sources[] = {
    {"fieldRef", check_env_field},
    {"resourceFieldRef", check_env_resource},
    {"configMapKeyRef", check_key_ref},
    {"secretKeyRef", check_key_ref},
    {0},
};

static const struct source env_sources[] = {
    {"configMapRef", check_source_ref},
    {"secretRef", check_source_ref},
    {0},
};

/* Checks the sources that are there, and says how many. */
static size_t check_sources(struct field_errors *fe, const val *v, const struct fpath *path,
			    const struct source *sources)
{
	size_t n = 0;

	for (; sources->name; sources++) {
		struct fpath p = fpath_child(path, sources->name);
		const val *ref = val_get(v, sources->name);

		if (!ref)
			continue;
		n++;
		sources->check(fe, ref, &p);
	}
	return n;
}

static void check_value_from(struct field_errors *fe, const val *env, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "valueFrom");
	const val *from = val_get(env, "valueFrom"), shown = val_of_str("");
	const char *why = NULL;
	size_t n;

	if (!from)
		return;
	n = check_sources(fe, from, &p, value_sources);
	if (n == 0)
		why = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or "
		      "`secretKeyRef`";
	else if (val_str(val_get(env, "value")).n)
		why = "may not be specified when `value` is not empty";
	else if (n > 1)
		why = "may not have more than one field specified at a time";
	if (why)
		field_error_add(fe, FIELD_INVALID, &p, &shown, "%s", why);
}

static void check_env_from(struct field_errors *fe, const val *from, const struct fpath *path)
{
	const val shown = val_of_str("");
	size_t n = check_sources(fe, from, path, env_sources);

	check_name(fe, from, path, "prefix", name_check_env_var);
	if (n != 1)
		field_error_add(fe, FIELD_INVALID, path, &shown,
				n ? "may not have more than one field specified at a time"
				  : "must specify one of: `configMapRef` or `secretRef`");
}

void podtemplate_check_env(struct field_errors *fe, const val *container, const struct fpath *path)
{
	struct fpath list = fpath_child(path, "env"), from_list = fpath_child(path, "envFrom");
	const val *env = val_get(container, "env"), *from = val_get(container, "envFrom");

	for (size_t i = 0; i < val_len(env); i++) {
		struct fpath item = fpath_index(&list, i);

		check_name_required(fe, val_at(env, i), &item, "name", name_check_env_var);
		check_value_from(fe, val_at(env, i), &item);
	}
	for (size_t i = 0; i < val_len(from); i++) {
		struct fpath item = fpath_index(&from_list, i);

		check_env_from(fe, val_at(from, i), &item);
	}
}
