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
			  int64_t replicas)
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
	if (max_surge > 0 && val_is(val_get(strategy, "type"), "InPlaceOnly"))
		field_error_add(fe, FIELD_INVALID, &surge_path, val_get(strategy, "maxSurge"),
				"cannot be used with the strategy type InPlaceOnly");
	if (replicas > 0 && max_surge < 1 && max_unavailable < 1)
		field_error_add(fe, FIELD_INVALID, &unavailable_path,
				val_get(strategy, "maxUnavailable"),
				"must not be less than 1 when maxSurge is less than 1 too");
}

static void check_type(struct field_errors *fe, const val *strategy, const struct fpath *path)
{
	struct fpath p = fpath_child(path, "type");
	const val *type = val_get(strategy, "type");

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

void cloneset_check_update_strategy(struct field_errors *fe, const val *spec,
				    const struct fpath *path)
{
	struct fpath p = fpath_child(path, "updateStrategy");
	const val *strategy = val_get(spec, "updateStrategy");

	check_type(fe, strategy, &p);
	check_numbers(fe, strategy, &p, val_int_or(val_get(spec, "replicas"), 1));
	check_priorities(fe, strategy, &p);
	check_scatter(fe, strategy, &p);
}
