/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of a CloneSet's updateStrategy. */
#include "rules/cloneset_validate_int.h"

#include "kube/intorpercent.h"
#include "kube/selector.h"
#include "rules/strset.h"

/* An int-or-percent field: its parsed value, or an error at its path. */
static bool check_amount(struct field_errors *fe, const val *strategy, const struct fpath *path,
			 const char *field, struct int_or_percent *out)
{
	struct fpath p = fpath_child(path, field);
	const val *v = val_get(strategy, field);
	struct err e = {0};

	*out = (struct int_or_percent){0};
	if (!v)
		return true;
	if (int_or_percent_parse(v, out, &e) < 0) {
		field_error_add(fe, FIELD_INVALID, &p, v,
				"must be an integer or a percentage such as \"25%%\"");
		return false;
	}
	if (out->value < 0) {
		field_error_add(fe, FIELD_INVALID, &p, v, "must be greater than or equal to 0");
		return false;
	}
	return true;
}

static void check_numbers(struct field_errors *fe, const val *strategy, const struct fpath *path,
			  const char *policy, int64_t replicas)
{
	struct fpath surge_path = fpath_child(path, "maxSurge");
	struct fpath unavailable_path = fpath_child(path, "maxUnavailable");
	struct int_or_percent partition, unavailable, surge;
	bool ok;
	int64_t max_unavailable, max_surge;

	check_amount(fe, strategy, path, "partition", &partition);
	ok = check_amount(fe, strategy, path, "maxUnavailable", &unavailable);
	ok = check_amount(fe, strategy, path, "maxSurge", &surge) && ok;
	if (!ok)
		return;
	max_surge = int_or_percent_scale(surge, replicas, true);
	max_unavailable = int_or_percent_scale(unavailable, replicas, true);
	if (max_surge > 0 && val_is(val_get(strategy, policy), "InPlaceOnly"))
		field_error_add(fe, FIELD_INVALID, &surge_path, val_get(strategy, "maxSurge"),
				"cannot be used with the strategy type InPlaceOnly");
	if (replicas > 0 && max_surge < 1 && max_unavailable < 1)
		field_error_add(fe, FIELD_INVALID, &unavailable_path,
				val_get(strategy, "maxUnavailable"),
				"must not be less than 1 when maxSurge is less than 1 too");
}

static void check_policy(struct field_errors *fe, const val *strategy, const struct fpath *path,
			 const char *field)
{
	struct fpath p = fpath_child(path, field);
	const val *type = val_get(strategy, field);

	if (!val_is(type, "ReCreate") && !val_is(type, "InPlaceIfPossible") &&
	    !val_is(type, "InPlaceOnly"))
		field_error_add(fe, FIELD_INVALID, &p, type,
				"must be ReCreate, InPlaceIfPossible or InPlaceOnly");
}

static void check_weight(struct field_errors *fe, const val *term, const struct fpath *path,
			 size_t i)
{
	int64_t weight = val_int_or(val_get(term, "weight"), 0);
	const struct selector *selector;
	struct err e = {0};

	if (weight < 1 || weight > 100)
		field_error_add(fe, FIELD_REQUIRED, path, NULL,
				"weightPriority[%zu].weight must be between 1 and 100", i);
	if (selector_compile(fe->a, val_get(term, "matchSelector"), &selector, &e) < 0)
		field_error_add(fe, FIELD_REQUIRED, path, NULL,
				"weightPriority[%zu].matchSelector is invalid: %s", i, e.msg);
	else if (selector_is_empty(selector))
		field_error_add(fe, FIELD_REQUIRED, path, NULL,
				"weightPriority[%zu].matchSelector must not be empty", i);
}

static void check_priorities(struct field_errors *fe, const val *strategy, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "priorityStrategy");
	const val *priority = val_get(strategy, "priorityStrategy");
	const val *weights = val_get(priority, "weightPriority");
	const val *orders = val_get(priority, "orderPriority");

	if (val_len(weights) && val_len(orders)) {
		field_error_add(fe, FIELD_REQUIRED, &p, NULL,
				"only one of weightPriority and orderPriority can be used");
		return;
	}
	for (size_t i = 0; i < val_len(weights); i++)
		check_weight(fe, val_at(weights, i), &p, i);
	for (size_t i = 0; i < val_len(orders); i++)
		if (!val_str(val_get(val_at(orders, i), "orderedKey")).n)
			field_error_add(fe, FIELD_REQUIRED, &p, NULL,
					"orderPriority[%zu].orderedKey must not be empty", i);
}

static void check_scatter(struct field_errors *fe, const val *strategy, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "scatterStrategy");
	const val *terms = val_get(strategy, "scatterStrategy");
	struct strset seen = strset_new(fe->a, val_len(terms));

	for (size_t i = 0; i < val_len(terms); i++) {
		struct str key = val_str(val_get(val_at(terms, i), "key"));
		struct str value = val_str(val_get(val_at(terms, i), "value"));
		/* a length in front keeps different pairs apart */
		char *pair =
		    arena_printf(fe->a, "%zu:%.*s=%.*s", key.n, STR_ARG(key), STR_ARG(value));

		if (!key.n)
			field_error_add(fe, FIELD_REQUIRED, &p, NULL, "[%zu].key must not be empty",
					i);
		else if (!strset_add(&seen, str_of(pair), NULL))
			field_error_add(fe, FIELD_REQUIRED, &p, NULL,
					"the term %.*s=%.*s occurs more than once", STR_ARG(key),
					STR_ARG(value));
	}
}

/* What steers the roll-out, wherever the version has it. policy: the field with ReCreate etc. */
static void check_rolling(struct field_errors *fe, const val *spec, const val *rolling,
			  const struct fpath *path, const char *policy)
{
	check_numbers(fe, rolling, path, policy, val_int_or(val_get(spec, "replicas"), 1));
	check_priorities(fe, rolling, path);
	check_scatter(fe, rolling, path);
}

static void check_v1beta1(struct field_errors *fe, const val *spec, const val *update,
			  const struct fpath *path)
{
	struct fpath p = fpath_child(path, "rollingUpdate"), type_path = fpath_child(path, "type");
	const val *type = val_get(update, "type"), *rolling = val_get(update, "rollingUpdate");

	if (!val_is(type, "RollingUpdate") && !val_is(type, "OnDelete"))
		field_error_add(fe, FIELD_INVALID, &type_path, type,
				"must be RollingUpdate or OnDelete");
	if (!rolling) /* all of it has its defaults, or is of no use */
		return;
	check_policy(fe, rolling, &p, "podUpdatePolicy");
	check_rolling(fe, spec, rolling, &p, "podUpdatePolicy");
}

void cloneset_check_update_strategy(struct field_errors *fe, const val *spec, const val *old_spec,
				    bool v1beta1, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "updateStrategy");
	const val *update = val_get(spec, "updateStrategy");
	const val *old_type = val_path(old_spec, "updateStrategy", "type", NULL);

	if (v1beta1) {
		check_v1beta1(fe, spec, update, &p);
		return;
	}
	/* Only v1beta1 can ask for OnDelete; a client of v1alpha1 may still write back what it
	 * read. */
	if (!val_is(old_type, "OnDelete") || !val_is(val_get(update, "type"), "OnDelete"))
		check_policy(fe, update, &p, "type");
	check_rolling(fe, spec, update, &p, "type");
}
