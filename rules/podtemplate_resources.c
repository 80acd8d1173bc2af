/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of resource requests and limits. */
#include "rules/podtemplate_int.h"

#include "kube/names.h"
#include "kube/quantity.h"

#include <stdio.h>
#include <string.h>

static const char *const standard[] = {"cpu", "memory", "ephemeral-storage"};

static bool has_slash(struct str s)
{
	return s.n && memchr(s.p, '/', s.n);
}

static bool is_hugepages(struct str name)
{
	return str_has_prefix(name, "hugepages-");
}

/* Kubernetes' own resources; everything else is an extended resource, in whole numbers and not
 * overcommitted. */
static bool is_native(struct str name)
{
	return !has_slash(name) || memmem(name.p, name.n, "kubernetes.io/", 14);
}

static const char *check_resource_name(struct str name)
{
	static const char unknown[] =
	    "must be cpu, memory, ephemeral-storage, hugepages-SIZE, or an "
	    "extended resource with a domain prefix";
	char quota[512];
	int n;

	if (name_check_qualified(name))
		return name_check_qualified(name);
	if (!has_slash(name)) {
		for (size_t i = 0; i < sizeof(standard) / sizeof(standard[0]); i++)
			if (str_is(name, standard[i]))
				return NULL;
		return is_hugepages(name) ? NULL : unknown;
	}
	if (is_native(name))
		return NULL;
	/* It must still be a name when quotas put their prefix before it. */
	n = snprintf(quota, sizeof(quota), "requests.%.*s", STR_ARG(name));
	if (str_has_prefix(name, "requests.") ||
	    name_check_qualified((struct str){quota, (size_t)n}))
		return unknown;
	return NULL;
}

static void check_amount(struct field_errors *fe, struct str name, const val *v,
			 const struct fpath *path)
{
	struct quantity q;

	if (quantity_from_val(v, &q) < 0)
		return; /* the schema has said so */
	if (q.negative)
		field_error_add(fe, FIELD_INVALID, path, v, "must be greater than or equal to 0");
	if (!is_native(name) && !quantity_is_integer(&q))
		field_error_add(fe, FIELD_INVALID, path, v, "must be an integer");
}

static void check_list(struct field_errors *fe, const val *list, const struct fpath *path)
{
	for (size_t i = 0; i < val_len(list); i++) {
		struct str name = val_key(list, i);
		struct fpath p = fpath_key(path, name);
		const char *why = check_resource_name(name);
		val shown = val_of_strn(name);

		if (why)
			field_error_add(fe, FIELD_INVALID, &p, &shown, "%s", why);
		check_amount(fe, name, val_value(list, i), &p);
	}
}

/* Requests do not exceed limits; what cannot be overcommitted has a limit, and requests just that.
 */
static void check_against_limits(struct field_errors *fe, const val *resources,
				 const struct fpath *path)
{
	struct fpath requests = fpath_child(path, "requests"), limits = fpath_child(path, "limits");
	const val *list = val_get(resources, "requests"),
		  *limit_list = val_get(resources, "limits");

	for (size_t i = 0; i < val_len(list); i++) {
		struct str name = val_key(list, i);
		const val *v = val_value(list, i), *limit = val_getn(limit_list, name);
		bool overcommit = is_native(name) && !is_hugepages(name);
		struct quantity q, l;

		if (!limit && !overcommit)
			field_error_add(fe, FIELD_REQUIRED, &limits, NULL,
					"a limit of %.*s must be set, it cannot be overcommitted",
					STR_ARG(name));
		if (quantity_from_val(v, &q) < 0 || quantity_from_val(limit, &l) < 0)
			continue;
		if (!overcommit && quantity_cmp(&q, &l) != 0)
			field_error_add(fe, FIELD_INVALID, &requests, v,
					"must be equal to %.*s limit", STR_ARG(name));
		else if (quantity_cmp(&q, &l) > 0)
			field_error_add(fe, FIELD_INVALID, &requests, v,
					"must be less than or equal to %.*s limit", STR_ARG(name));
	}
}

static bool lists_hugepages(const val *list)
{
	for (size_t i = 0; i < val_len(list); i++)
		if (is_hugepages(val_key(list, i)))
			return true;
	return false;
}

void podtemplate_check_resources(struct field_errors *fe, const val *resources,
				 const struct fpath *path)
{
	struct fpath limits_path = fpath_child(path, "limits");
	struct fpath requests_path = fpath_child(path, "requests");
	const val *limits = val_get(resources, "limits"),
		  *requests = val_get(resources, "requests");
	bool compute = val_get(limits, "cpu") || val_get(limits, "memory") ||
		       val_get(requests, "cpu") || val_get(requests, "memory");

	check_list(fe, limits, &limits_path);
	check_list(fe, requests, &requests_path);
	check_against_limits(fe, resources, path);
	if (!compute && (lists_hugepages(limits) || lists_hugepages(requests)))
		field_error_add(fe, FIELD_FORBIDDEN, path, NULL, "HugePages require cpu or memory");
}

void podtemplate_check_overhead(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "overhead");

	check_list(fe, val_get(spec, "overhead"), &p);
}
