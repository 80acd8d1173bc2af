/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/cloneset_validate.h"

#include "kube/intorpercent.h"
#include "kube/names.h"
#include "kube/selector.h"
#include "rules/cloneset_convert.h"
#include "rules/cloneset_schema.h"
#include "rules/cloneset_validate_int.h"
#include "rules/fieldcheck.h"
#include "rules/podtemplate.h"
#include "rules/podtemplate_schema.h"
#include "rules/strset.h"

static const char *const always[] = {"Always", NULL};

static void check_metadata(struct field_errors *fe, const val *metadata)
{
	struct fpath path = fpath_root("metadata"), name = fpath_child(&path, "name");
	struct fpath labels = fpath_child(&path, "labels");
	struct fpath annotations = fpath_child(&path, "annotations");
	size_t before = fe->n;
	val typed;

	schema_apply(fe->a, &SCHEMA_OBJECT_META, metadata, &path, 0, &typed, fe);
	if (fe->n != before)
		return;
	if (!val_str(val_get(&typed, "name")).n && !val_str(val_get(&typed, "generateName")).n)
		field_error_add(fe, FIELD_REQUIRED, &name, NULL,
				"name or generateName is required");
	check_name(fe, &typed, &path, "name", name_check_dns1123_subdomain);
	check_labels(fe, val_get(&typed, "labels"), &labels);
	check_annotations(fe, val_get(&typed, "annotations"), &annotations);
}

/* The selector, and that it finds the template's labels. */
static void check_selector(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "selector"), template = fpath_child(path, "template");
	struct fpath metadata = fpath_child(&template, "metadata");
	struct fpath labels_path = fpath_child(&metadata, "labels");
	const val *v = val_get(spec, "selector");
	const val *labels = val_path(spec, "template", "metadata", "labels", NULL);
	const struct selector *selector;
	struct err e = {0};

	if (!v) {
		field_error_add(fe, FIELD_REQUIRED, &p, NULL, "%s", "");
		return;
	}
	check_label_selector(fe, v, &p);
	if (selector_compile(fe->a, v, &selector, &e) < 0)
		field_error_add(fe, FIELD_INVALID, &p, v, "%s", e.msg);
	else if (selector_is_empty(selector))
		field_error_add(fe, FIELD_INVALID, &p, v, "must not be empty");
	else if (!selector_matches(selector, labels))
		field_error_add(fe, FIELD_INVALID, &labels_path, labels,
				"`selector` does not match template `labels`");
}

/* Claim templates: types and names. The names are gathered for the template's validation. */
static size_t check_claims(struct field_errors *fe, const val *claims, const struct fpath *path,
			   struct str *names)
{
	struct strset seen = strset_new(fe->a, val_len(claims));
	size_t n = 0;

	for (size_t i = 0; i < val_len(claims); i++) {
		struct fpath item = fpath_index(path, i), metadata = fpath_child(&item, "metadata");
		struct fpath name_path = fpath_child(&metadata, "name");
		size_t before = fe->n;
		const val *name;
		val typed;

		schema_apply(fe->a, &SCHEMA_CLAIM, val_at(claims, i), &item, 0, &typed, fe);
		if (fe->n != before)
			continue;
		name = val_path(&typed, "metadata", "name", NULL);
		check_name_required(fe, val_get(&typed, "metadata"), &metadata, "name",
				    name_check_dns1123_label);
		if (!val_str(name).n)
			continue;
		if (strset_add(&seen, val_str(name), NULL))
			names[n++] = val_str(name);
		else
			field_error_add(fe, FIELD_DUPLICATE, &name_path, name, "%s", "");
	}
	return n;
}

static void check_template(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "template"), pod = fpath_child(&p, "spec");
	struct fpath restart = fpath_child(&pod, "restartPolicy");
	struct fpath deadline = fpath_child(&pod, "activeDeadlineSeconds");
	struct fpath claims_path = fpath_child(path, "volumeClaimTemplates");
	const val *template = val_get(spec, "template"), *pod_spec = val_get(template, "spec");
	const val *claims = val_get(spec, "volumeClaimTemplates");
	const val *policy = val_get(pod_spec, "restartPolicy");
	struct str *names = arena_alloc(fe->a, (val_len(claims) + 1) * sizeof(*names));
	size_t n = check_claims(fe, claims, &claims_path, names);

	if (val_is_null(template)) {
		field_error_add(fe, FIELD_REQUIRED, &p, NULL, "%s", "");
		return;
	}
	podtemplate_validate(fe->a, template, &p, names, n, fe);
	if (val_is(policy, "OnFailure") || val_is(policy, "Never"))
		field_error_not_supported(fe, &restart, policy, always);
	if (!val_is_null(val_get(pod_spec, "activeDeadlineSeconds")))
		field_error_add(fe, FIELD_FORBIDDEN, &deadline, NULL,
				"a CloneSet does not support it");
}

static void check_pod_to_delete(struct field_errors *fe, const val *name, const val *metadata,
				const struct fpath *path, const struct cloneset_validate_env *env)
{
	struct str uid = val_str(val_get(metadata, "uid"));
	struct pod_facts pod =
	    env->pod(val_str(val_get(metadata, "namespace")), val_str(name), env->userdata);
	const char *why = NULL;

	if (!pod.exists)
		why = "no such pod";
	else if (pod.terminating)
		why = "this pod is being deleted already";
	else if (!uid.n || !str_eq(pod.controller_uid, uid))
		why = "this pod is not owned by the CloneSet";
	if (why)
		field_error_add(fe, FIELD_INVALID, path, name, "%s", why);
}

static struct strset names_of(arena *a, const val *list)
{
	struct strset s = strset_new(a, val_len(list));

	for (size_t i = 0; i < val_len(list); i++)
		strset_add(&s, val_str(val_at(list, i)), NULL);
	return s;
}

static void check_pods_to_delete(struct field_errors *fe, const val *spec, const val *old_spec,
				 const val *metadata, const struct fpath *path,
				 const struct cloneset_validate_env *env)
{
	struct fpath p = fpath_child(path, "podsToDelete");
	const val *names = val_path(spec, "scaleStrategy", "podsToDelete", NULL);
	struct strset seen = strset_new(fe->a, val_len(names));
	struct strset old =
	    names_of(fe->a, val_path(old_spec, "scaleStrategy", "podsToDelete", NULL));

	for (size_t i = 0; i < val_len(names); i++) {
		if (strset_add(&seen, val_str(val_at(names, i)), NULL))
			continue;
		field_error_add(fe, FIELD_INVALID, &p, names, "has duplicates: %.*s",
				STR_ARG(val_str(val_at(names, i))));
		return;
	}
	if (!env || !env->pod)
		return;
	for (size_t i = 0; i < val_len(names); i++)
		if (!strset_has(&old, val_str(val_at(names, i))))
			check_pod_to_delete(fe, val_at(names, i), metadata, &p, env);
}

static void check_scale_limit(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "maxUnavailable");
	const val *v = val_path(spec, "scaleStrategy", "maxUnavailable", NULL);
	struct int_or_percent limit;
	struct err e = {0};

	if (v && (int_or_percent_parse(v, &limit, &e) < 0 || limit.value < 0))
		field_error_add(fe, FIELD_INVALID, &p, v,
				"must be an integer or a percentage, and not negative");
}

static void check_deadline(struct field_errors *fe, const val *spec, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "progressDeadlineSeconds");
	const val *v = val_get(spec, "progressDeadlineSeconds");
	int64_t deadline, ready = val_int_or(val_get(spec, "minReadySeconds"), 0);

	if (!val_int(v, &deadline))
		return;
	check_not_negative(fe, spec, path, "progressDeadlineSeconds");
	if (deadline <= ready)
		field_error_add(fe, FIELD_INVALID, &p, v, "must be greater than minReadySeconds");
}

static void check_spec(struct field_errors *fe, const val *spec, const val *old_spec, bool v1beta1,
		       const val *metadata, const struct cloneset_validate_env *env)
{
	struct fpath path = fpath_root("spec"), scale = fpath_child(&path, "scaleStrategy");

	check_not_negative(fe, spec, &path, "replicas");
	check_selector(fe, spec, &path);
	check_template(fe, spec, &path);
	check_pods_to_delete(fe, spec, old_spec, metadata, &scale, env);
	check_scale_limit(fe, spec, &scale);
	cloneset_check_update_strategy(fe, spec, old_spec, v1beta1, &path);
	check_deadline(fe, spec, &path);
	if (old_spec)
		cloneset_check_update(fe, spec, old_spec, v1beta1, &path);
}

void cloneset_validate(arena *a, const val *cloneset, const val *old,
		       const struct cloneset_validate_env *env, struct field_errors *out)
{
	struct fpath path = fpath_root("spec");
	const val *metadata = val_get(cloneset, "metadata"), *spec = val_get(cloneset, "spec");
	const val *old_spec = val_get(old, "spec");
	struct field_errors ignored;
	size_t before;
	val typed, old_typed;

	check_metadata(out, metadata);
	if (!val_is_map(spec)) {
		field_error_add(out, FIELD_REQUIRED, &path, NULL, "must be an object");
		return;
	}
	/* An unchanged spec never stands in the way, say of removing a finalizer, whoever admitted
	 * it. */
	if (old_spec && val_equal(spec, old_spec))
		return;

	before = out->n;
	schema_apply(a, schema_cloneset_spec(cloneset), spec, &path, SCHEMA_DEFAULTS, &typed, out);
	if (out->n != before)
		return;
	if (old_spec) {
		field_errors_init(&ignored, a);
		schema_apply(a, schema_cloneset_spec(old), old_spec, &path, SCHEMA_DEFAULTS,
			     &old_typed, &ignored);
		old_spec = &old_typed;
	}
	check_spec(out, &typed, old_spec, cloneset_is_v1beta1(cloneset), metadata, env);
}
