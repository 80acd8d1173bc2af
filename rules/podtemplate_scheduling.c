/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of what guides the scheduler: affinity, tolerations, spreading, node selector. */
#include "rules/podtemplate_int.h"

#include "kube/names.h"

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static const char *const toleration_operators[] = {"Equal", "Exists", NULL};
static const char *const taint_effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute", NULL};
static const char *const spread_actions[] = {"DoNotSchedule", "ScheduleAnyway", NULL};
static const char *const node_policies[] = {"Honor", "Ignore", NULL};

/* Which operators a node selector knows, and how many values each takes. */
static const struct {
	const char *name;
	size_t min, max;
	enum field_error_type type;
	const char *why;
} node_operators[] = {
    {"In", 1, SIZE_MAX, FIELD_REQUIRED, "must be specified when `operator` is 'In' or 'NotIn'"},
    {"NotIn", 1, SIZE_MAX, FIELD_REQUIRED, "must be specified when `operator` is 'In' or 'NotIn'"},
    {"Exists", 0, 0, FIELD_FORBIDDEN,
     "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"},
    {"DoesNotExist", 0, 0, FIELD_FORBIDDEN,
     "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"},
    {"Gt", 1, 1, FIELD_REQUIRED, "must be a single value when `operator` is 'Lt' or 'Gt'"},
    {"Lt", 1, 1, FIELD_REQUIRED, "must be a single value when `operator` is 'Lt' or 'Gt'"},
};

static void check_key(struct field_errors *fe, const val *obj, const struct fpath *path,
		      const char *field)
{
	struct fpath p = fpath_child(path, field);
	const val *key = val_get(obj, field);
	const char *why = name_check_qualified(val_str(key));

	if (why)
		field_error_add(fe, FIELD_INVALID, &p, key, "%s", why);
}

static void check_node_expression(struct field_errors *fe, const val *expr,
				  const struct fpath *path)
{
	struct fpath values = fpath_child(path, "values"), p = fpath_child(path, "operator");
	const val *op = val_get(expr, "operator");
	size_t n = val_len(val_get(expr, "values"));

	check_key(fe, expr, path, "key");
	for (size_t i = 0; i < sizeof(node_operators) / sizeof(node_operators[0]); i++) {
		if (!val_is(op, node_operators[i].name))
			continue;
		if (n < node_operators[i].min || n > node_operators[i].max)
			field_error_add(fe, node_operators[i].type, &values, NULL, "%s",
					node_operators[i].why);
		return;
	}
	field_error_add(fe, FIELD_INVALID, &p, op,
			"must be one of In, NotIn, Exists, DoesNotExist, Gt and Lt");
}

static void check_node_field(struct field_errors *fe, const val *expr, const struct fpath *path)
{
	struct fpath values = fpath_child(path, "values"), p = fpath_child(path, "operator");
	struct fpath key = fpath_child(path, "key");
	const val *op = val_get(expr, "operator");

	if (!val_is(op, "In") && !val_is(op, "NotIn"))
		field_error_add(fe, FIELD_INVALID, &p, op, "must be one of In and NotIn");
	else if (val_len(val_get(expr, "values")) != 1)
		field_error_add(fe, FIELD_REQUIRED, &values, NULL, "must be a single value");
	if (!val_is(val_get(expr, "key"), "metadata.name"))
		field_error_add(fe, FIELD_INVALID, &key, val_get(expr, "key"),
				"must be metadata.name");
	else
		check_names(fe, expr, path, "values", name_check_dns1123_subdomain);
}

static void check_node_term(struct field_errors *fe, const val *term, const struct fpath *path)
{
	struct fpath exprs = fpath_child(path, "matchExpressions");
	struct fpath fields = fpath_child(path, "matchFields");
	const val *e = val_get(term, "matchExpressions"), *f = val_get(term, "matchFields");

	for (size_t i = 0; i < val_len(e); i++) {
		struct fpath p = fpath_index(&exprs, i);

		check_node_expression(fe, val_at(e, i), &p);
	}
	for (size_t i = 0; i < val_len(f); i++) {
		struct fpath p = fpath_index(&fields, i);

		check_node_field(fe, val_at(f, i), &p);
	}
}

static void check_node_affinity(struct field_errors *fe, const val *affinity,
				const struct fpath *path)
{
	struct fpath required = fpath_child(path, REQUIRED);
	struct fpath terms_path = fpath_child(&required, "nodeSelectorTerms");
	struct fpath preferred_path = fpath_child(path, PREFERRED);
	const val *selector = val_get(affinity, REQUIRED),
		  *preferred = val_get(affinity, PREFERRED);
	const val *terms = val_get(selector, "nodeSelectorTerms");

	if (selector && !val_len(terms))
		field_error_add(fe, FIELD_REQUIRED, &terms_path, NULL,
				"must have at least one node selector term");
	for (size_t i = 0; i < val_len(terms); i++) {
		struct fpath p = fpath_index(&terms_path, i);

		check_node_term(fe, val_at(terms, i), &p);
	}
	for (size_t i = 0; i < val_len(preferred); i++) {
		struct fpath p = fpath_index(&preferred_path, i);
		struct fpath preference = fpath_child(&p, "preference");

		check_range(fe, val_at(preferred, i), &p, "weight", 1, 100);
		check_node_term(fe, val_get(val_at(preferred, i), "preference"), &preference);
	}
}

static void check_pod_term(struct field_errors *fe, const val *term, const struct fpath *path)
{
	struct fpath selector = fpath_child(path, "labelSelector");
	struct fpath namespaces = fpath_child(path, "namespaceSelector");

	check_label_selector(fe, val_get(term, "labelSelector"), &selector);
	check_label_selector(fe, val_get(term, "namespaceSelector"), &namespaces);
	check_names(fe, term, path, "namespaces", name_check_dns1123_label);
	check_name_required(fe, term, path, "topologyKey", name_check_qualified);
}

/* Affinity and anti-affinity alike. */
static void check_pod_affinity(struct field_errors *fe, const val *affinity,
			       const struct fpath *path)
{
	struct fpath required_path = fpath_child(path, REQUIRED);
	struct fpath preferred_path = fpath_child(path, PREFERRED);
	const val *required = val_get(affinity, REQUIRED),
		  *preferred = val_get(affinity, PREFERRED);

	for (size_t i = 0; i < val_len(required); i++) {
		struct fpath p = fpath_index(&required_path, i);

		check_pod_term(fe, val_at(required, i), &p);
	}
	for (size_t i = 0; i < val_len(preferred); i++) {
		struct fpath p = fpath_index(&preferred_path, i);
		struct fpath term = fpath_child(&p, "podAffinityTerm");

		check_range(fe, val_at(preferred, i), &p, "weight", 1, 100);
		check_pod_term(fe, val_get(val_at(preferred, i), "podAffinityTerm"), &term);
	}
}

static void check_affinity(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "affinity"), node = fpath_child(&p, "nodeAffinity");
	struct fpath pod = fpath_child(&p, "podAffinity"),
		     anti = fpath_child(&p, "podAntiAffinity");
	const val *affinity = val_get(spec, "affinity");

	check_node_affinity(fe, val_get(affinity, "nodeAffinity"), &node);
	check_pod_affinity(fe, val_get(affinity, "podAffinity"), &pod);
	check_pod_affinity(fe, val_get(affinity, "podAntiAffinity"), &anti);
}

static void check_toleration(struct field_errors *fe, const val *t, const struct fpath *path)
{
	struct fpath op_path = fpath_child(path, "operator"), effect = fpath_child(path, "effect");
	const val *op = val_get(t, "operator"), *value = val_get(t, "value");
	bool exists = val_is(op, "Exists");
	const char *why = exists ? NULL : name_check_label_value(val_str(value));

	check_name(fe, t, path, "key", name_check_qualified);
	check_choice(fe, t, path, "operator", toleration_operators);
	check_choice(fe, t, path, "effect", taint_effects);
	if (!val_str(val_get(t, "key")).n && !exists)
		field_error_add(fe, FIELD_INVALID, &op_path, op,
				"must be Exists when `key` is empty, which matches all taints");
	if (val_get(t, "tolerationSeconds") && !val_is(val_get(t, "effect"), "NoExecute"))
		field_error_add(fe, FIELD_INVALID, &effect, val_get(t, "effect"),
				"must be 'NoExecute' when `tolerationSeconds` is set");
	if (why)
		field_error_add(fe, FIELD_INVALID, &op_path, value, "%s", why);
	if (exists && val_str(value).n)
		field_error_add(fe, FIELD_INVALID, &op_path, value,
				"value must be empty when `operator` is 'Exists'");
}

static void check_tolerations(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath list = fpath_child(path, "tolerations");
	const val *tolerations = val_get(spec, "tolerations");

	for (size_t i = 0; i < val_len(tolerations); i++) {
		struct fpath p = fpath_index(&list, i);

		check_toleration(fe, val_at(tolerations, i), &p);
	}
}

static void check_positive(struct field_errors *fe, const val *obj, const struct fpath *path,
			   const char *field)
{
	struct fpath p = fpath_child(path, field);
	const val *v = val_get(obj, field);

	if (v && val_int_or(v, 0) <= 0)
		field_error_add(fe, FIELD_INVALID, &p, v, "must be greater than zero");
}

static void check_spread_constraint(struct field_errors *fe, const val *c, const struct fpath *path,
				    struct strset *seen)
{
	struct fpath pair = fpath_child(path, "{topologyKey, whenUnsatisfiable}");
	const val *when = val_get(c, "whenUnsatisfiable");
	char *text =
	    arena_printf(fe->a, "{%.*s, %.*s}", STR_ARG(val_str(val_get(c, "topologyKey"))),
			 STR_ARG(val_str(when)));
	val shown = val_of_str(text);

	check_positive(fe, c, path, "maxSkew");
	check_positive(fe, c, path, "minDomains");
	check_required(fe, c, path, "topologyKey");
	check_choice(fe, c, path, "whenUnsatisfiable", spread_actions);
	check_choice(fe, c, path, "nodeAffinityPolicy", node_policies);
	check_choice(fe, c, path, "nodeTaintsPolicy", node_policies);
	if (!strset_add(seen, str_of(text), NULL))
		field_error_add(fe, FIELD_DUPLICATE, &pair, &shown, "%s", "");
}

static void check_spread(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath list = fpath_child(path, "topologySpreadConstraints");
	const val *constraints = val_get(spec, "topologySpreadConstraints");
	struct strset seen = strset_new(fe->a, val_len(constraints));

	for (size_t i = 0; i < val_len(constraints); i++) {
		struct fpath p = fpath_index(&list, i);

		check_spread_constraint(fe, val_at(constraints, i), &p, &seen);
	}
}

void podtemplate_check_scheduling(struct field_errors *fe, const val *spec,
				  const struct fpath *path)
{
	struct fpath selector = fpath_child(path, "nodeSelector");

	check_labels(fe, val_get(spec, "nodeSelector"), &selector);
	check_affinity(fe, spec, path);
	check_tolerations(fe, spec, path);
	check_spread(fe, spec, path);
}
