/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of pod templates: the template as a whole and what hangs on its spec directly. */
#include "rules/podtemplate.h"

#include "kube/names.h"
#include "rules/podtemplate_int.h"
#include "rules/podtemplate_schema.h"

#define DNS_NAMESERVERS_MAX 3
#define DNS_SEARCHES_MAX 32
#define DNS_SEARCH_CHARS_MAX 2048

const val PODTEMPLATE_EXTRA_VOLUME = {.type = MSGPACK_OBJECT_NIL};

static const char *const restart_policies[] = {"Always", "OnFailure", "Never", NULL};
static const char *const dns_policies[] = {"ClusterFirstWithHostNet", "ClusterFirst", "Default",
					   "None", NULL};
static const char *const preemption_policies[] = {"PreemptLowerPriority", "Never", NULL};

static const struct {
	const char *field;
	name_check_fn check;
	bool also_empty; /* when it is there at all, it must not be empty */
} names[] = {
    {"serviceAccountName", name_check_dns1123_subdomain, false},
    {"serviceAccount", name_check_dns1123_subdomain, false}, /* the old name of the same */
    {"nodeName", name_check_dns1123_subdomain, false},
    {"hostname", name_check_dns1123_label, false},
    {"subdomain", name_check_dns1123_label, false},
    {"priorityClassName", name_check_dns1123_subdomain, false},
    {"runtimeClassName", name_check_dns1123_subdomain, true},
};

/* A search domain may end with a dot, and may be a lone dot. */
static const char *check_search(struct str s)
{
	if (str_is(s, "."))
		return NULL;
	if (s.n && s.p[s.n - 1] == '.')
		s.n--;
	return name_check_dns1123_subdomain(s);
}

static void check_dns_searches(struct field_errors *fe, const val *config, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "searches");
	const val *searches = val_get(config, "searches");
	size_t chars = 0;

	for (size_t i = 0; i < val_len(searches); i++)
		chars += val_str(val_at(searches, i)).n + (i > 0);
	if (val_len(searches) > DNS_SEARCHES_MAX)
		field_error_add(fe, FIELD_INVALID, &p, searches,
				"must not have more than %d entries", DNS_SEARCHES_MAX);
	if (chars > DNS_SEARCH_CHARS_MAX)
		field_error_add(fe, FIELD_INVALID, &p, searches,
				"must not have more than %d characters in all",
				DNS_SEARCH_CHARS_MAX);
	check_names(fe, config, path, "searches", check_search);
}

static void check_dns(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "dnsConfig");
	struct fpath servers = fpath_child(&p, "nameservers"), options = fpath_child(&p, "options");
	const val *config = val_get(spec, "dnsConfig"), *o = val_get(config, "options");
	size_t n = val_len(val_get(config, "nameservers"));

	if (val_is(val_get(spec, "dnsPolicy"), "None") && n == 0) {
		field_error_add(fe, FIELD_REQUIRED, config ? &servers : &p, NULL,
				"a nameserver is needed when `dnsPolicy` is None");
		return;
	}
	if (n > DNS_NAMESERVERS_MAX)
		field_error_add(fe, FIELD_INVALID, &servers, val_get(config, "nameservers"),
				"must not have more than %d entries", DNS_NAMESERVERS_MAX);
	check_names(fe, config, &p, "nameservers", name_check_ip);
	check_dns_searches(fe, config, &p);
	for (size_t i = 0; i < val_len(o); i++) {
		struct fpath item = fpath_index(&options, i);

		if (!val_str(val_get(val_at(o, i), "name")).n)
			field_error_add(fe, FIELD_REQUIRED, &item, NULL, "must have a name");
	}
}

static void check_host_aliases(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath list = fpath_child(path, "hostAliases");
	const val *aliases = val_get(spec, "hostAliases");

	for (size_t i = 0; i < val_len(aliases); i++) {
		struct fpath item = fpath_index(&list, i), ip = fpath_child(&item, "ip");
		const val *alias = val_at(aliases, i), *address = val_get(alias, "ip");
		const char *why = name_check_ip(val_str(address));

		if (why)
			field_error_add(fe, FIELD_INVALID, &ip, address, "%s", why);
		check_names(fe, alias, &item, "hostnames", name_check_dns1123_subdomain);
	}
}

static void check_readiness_gates(struct field_errors *fe, const val *spec,
				  const struct fpath *path)
{
	struct fpath list = fpath_child(path, "readinessGates");
	const val *gates = val_get(spec, "readinessGates");

	for (size_t i = 0; i < val_len(gates); i++) {
		struct fpath item = fpath_index(&list, i),
			     type = fpath_child(&item, "conditionType");
		const val *v = val_get(val_at(gates, i), "conditionType");
		const char *why = name_check_qualified(val_str(v));

		if (why)
			field_error_add(fe, FIELD_INVALID, &type, v, "%s", why);
	}
}

static void check_deadline(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	check_range(fe, spec, path, "activeDeadlineSeconds", 1, INT32_MAX);
}

static void check_spec(struct field_errors *fe, const val *spec, const struct fpath *path,
		       struct strset *volumes)
{
	struct fpath p = fpath_child(path, "volumes");

	podtemplate_check_volumes(fe, val_get(spec, "volumes"), &p, volumes);
	podtemplate_check_containers(fe, spec, path, volumes);
	check_choice(fe, spec, path, "restartPolicy", restart_policies);
	check_choice(fe, spec, path, "dnsPolicy", dns_policies);
	if (val_get(spec, "preemptionPolicy") && check_required(fe, spec, path, "preemptionPolicy"))
		check_choice(fe, spec, path, "preemptionPolicy", preemption_policies);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].also_empty && val_get(spec, names[i].field))
			check_required(fe, spec, path, names[i].field);
		check_name(fe, spec, path, names[i].field, names[i].check);
	}
	podtemplate_check_pod_security(fe, spec, path);
	podtemplate_check_scheduling(fe, spec, path);
	podtemplate_check_overhead(fe, spec, path);
	check_dns(fe, spec, path);
	check_host_aliases(fe, spec, path);
	check_readiness_gates(fe, spec, path);
	check_deadline(fe, spec, path);
}

static void check_metadata(struct field_errors *fe, const val *metadata, const struct fpath *path)
{
	struct fpath labels = fpath_child(path, "labels");
	struct fpath annotations = fpath_child(path, "annotations");

	check_labels(fe, val_get(metadata, "labels"), &labels);
	check_annotations(fe, val_get(metadata, "annotations"), &annotations);
}

void podtemplate_validate(arena *a, const val *template, const struct fpath *path,
			  const struct str *extra_volumes, size_t n, struct field_errors *out)
{
	struct fpath metadata = fpath_child(path, "metadata"), spec = fpath_child(path, "spec");
	size_t before = out->n;
	struct strset volumes;
	val t;

	/* The rest may rely on types, and on defaults also when the object came without. */
	schema_apply(a, &SCHEMA_POD_TEMPLATE, template, path, SCHEMA_DEFAULTS, &t, out);
	if (out->n != before)
		return;
	podtemplate_dependent_defaults(a, &t);

	volumes = strset_new(a, val_len(val_path(&t, "spec", "volumes", NULL)) + n);
	for (size_t i = 0; i < n; i++)
		strset_add(&volumes, extra_volumes[i], &PODTEMPLATE_EXTRA_VOLUME);
	check_metadata(out, val_get(&t, "metadata"), &metadata);
	check_spec(out, val_get(&t, "spec"), &spec, &volumes);
}
