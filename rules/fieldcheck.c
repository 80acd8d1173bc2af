/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/fieldcheck.h"

#include "kube/names.h"

#include <string.h>

#define ANNOTATIONS_MAX (256 * 1024) /* bytes of all keys and values */

bool check_required(struct field_errors *fe, const val *obj, const struct fpath *path,
		    const char *field)
{
	struct fpath p = fpath_child(path, field);
	const val *v = val_get(obj, field);

	if (val_str(v).n || val_len(v))
		return true;
	field_error_add(fe, FIELD_REQUIRED, &p, NULL, "%s", "");
	return false;
}

static void check_value(struct field_errors *fe, const val *v, const struct fpath *path,
			name_check_fn check)
{
	const char *why = check(val_str(v));

	if (why)
		field_error_add(fe, FIELD_INVALID, path, v, "%s", why);
}

void check_name(struct field_errors *fe, const val *obj, const struct fpath *path,
		const char *field, name_check_fn check)
{
	struct fpath p = fpath_child(path, field);
	const val *v = val_get(obj, field);

	if (val_str(v).n)
		check_value(fe, v, &p, check);
}

void check_name_required(struct field_errors *fe, const val *obj, const struct fpath *path,
			 const char *field, name_check_fn check)
{
	if (check_required(fe, obj, path, field))
		check_name(fe, obj, path, field, check);
}

void check_names(struct field_errors *fe, const val *obj, const struct fpath *path,
		 const char *field, name_check_fn check)
{
	struct fpath list = fpath_child(path, field);
	const val *names = val_get(obj, field);

	for (size_t i = 0; i < val_len(names); i++) {
		struct fpath p = fpath_index(&list, i);

		check_value(fe, val_at(names, i), &p, check);
	}
}

void check_choice(struct field_errors *fe, const val *obj, const struct fpath *path,
		  const char *field, const char *const *choices)
{
	struct fpath p = fpath_child(path, field);
	const val *v = val_get(obj, field);

	if (!v)
		return;
	for (size_t i = 0; choices[i]; i++)
		if (val_is(v, choices[i]))
			return;
	field_error_not_supported(fe, &p, v, choices);
}

void check_range(struct field_errors *fe, const val *obj, const struct fpath *path,
		 const char *field, int64_t min, int64_t max)
{
	struct fpath p = fpath_child(path, field);
	const val *v = val_get(obj, field);
	int64_t i;

	if (val_int(v, &i) && (i < min || i > max))
		field_error_add(fe, FIELD_INVALID, &p, v,
				"must be between %lld and %lld, inclusive", (long long)min,
				(long long)max);
}

void check_not_negative(struct field_errors *fe, const val *obj, const struct fpath *path,
			const char *field)
{
	struct fpath p = fpath_child(path, field);
	const val *v = val_get(obj, field);
	int64_t i;

	if (val_int(v, &i) && i < 0)
		field_error_add(fe, FIELD_INVALID, &p, v, "must be greater than or equal to 0");
}

void check_mode(struct field_errors *fe, const val *obj, const struct fpath *path,
		const char *field)
{
	struct fpath p = fpath_child(path, field);
	const val *v = val_get(obj, field);
	int64_t i;

	if (val_int(v, &i) && (i < 0 || i > 0777))
		field_error_add(fe, FIELD_INVALID, &p, v,
				"must be file permissions between 0 and 0777 (octal; 511 decimal)");
}

static bool has_backstep(struct str s)
{
	while (s.n) {
		const char *slash = memchr(s.p, '/', s.n);
		size_t n = slash ? (size_t)(slash - s.p) : s.n;

		if (n == 2 && memcmp(s.p, "..", 2) == 0)
			return true;
		n += slash != NULL;
		s.p += n;
		s.n -= n;
	}
	return false;
}

void check_no_backsteps(struct field_errors *fe, const val *obj, const struct fpath *path,
			const char *field)
{
	struct fpath p = fpath_child(path, field);
	const val *v = val_get(obj, field);

	if (has_backstep(val_str(v)))
		field_error_add(fe, FIELD_INVALID, &p, v, "must not contain '..'");
}

void check_descending_path(struct field_errors *fe, const val *obj, const struct fpath *path,
			   const char *field)
{
	struct fpath p = fpath_child(path, field);
	const val *v = val_get(obj, field);

	if (str_has_prefix(val_str(v), "/"))
		field_error_add(fe, FIELD_INVALID, &p, v, "must be a relative path");
	check_no_backsteps(fe, obj, path, field);
}

void check_unreserved_path(struct field_errors *fe, const val *obj, const struct fpath *path,
			   const char *field)
{
	struct fpath p = fpath_child(path, field);
	const val *v = val_get(obj, field);

	check_descending_path(fe, obj, path, field);
	if (str_has_prefix(val_str(v), "..") && !has_backstep(val_str(v)))
		field_error_add(fe, FIELD_INVALID, &p, v, "must not start with '..'");
}

void check_labels(struct field_errors *fe, const val *labels, const struct fpath *path)
{
	for (size_t i = 0; i < val_len(labels); i++) {
		val key = val_of_strn(val_key(labels, i));

		check_value(fe, &key, path, name_check_qualified);
		check_value(fe, val_value(labels, i), path, name_check_label_value);
	}
}

void check_annotations(struct field_errors *fe, const val *annotations, const struct fpath *path)
{
	size_t total = 0;

	for (size_t i = 0; i < val_len(annotations); i++) {
		val key = val_of_strn(val_key(annotations, i));

		check_value(fe, &key, path, name_check_annotation_key);
		total += val_key(annotations, i).n + val_str(val_value(annotations, i)).n;
	}
	if (total > ANNOTATIONS_MAX)
		field_error_add(fe, FIELD_TOO_LONG, path, NULL, "must have at most %d bytes",
				ANNOTATIONS_MAX);
}

static void check_selector_term(struct field_errors *fe, const val *term, const struct fpath *path)
{
	struct fpath values = fpath_child(path, "values"), op = fpath_child(path, "operator");
	struct fpath key = fpath_child(path, "key");
	const val *o = val_get(term, "operator");
	bool has_values = val_len(val_get(term, "values")) > 0;

	if (val_is(o, "In") || val_is(o, "NotIn")) {
		if (!has_values)
			field_error_add(fe, FIELD_REQUIRED, &values, NULL,
					"must be specified when `operator` is 'In' or 'NotIn'");
	} else if (val_is(o, "Exists") || val_is(o, "DoesNotExist")) {
		if (has_values)
			field_error_add(fe, FIELD_FORBIDDEN, &values, NULL,
					"may not be specified when `operator` is 'Exists' or "
					"'DoesNotExist'");
	} else {
		field_error_add(fe, FIELD_INVALID, &op, o,
				"must be one of In, NotIn, Exists and DoesNotExist");
	}
	check_value(fe, val_get(term, "key"), &key, name_check_qualified);
}

void check_label_selector(struct field_errors *fe, const val *selector, const struct fpath *path)
{
	struct fpath labels = fpath_child(path, "matchLabels");
	struct fpath terms = fpath_child(path, "matchExpressions");
	const val *exprs = val_get(selector, "matchExpressions");

	check_labels(fe, val_get(selector, "matchLabels"), &labels);
	for (size_t i = 0; i < val_len(exprs); i++) {
		struct fpath p = fpath_index(&terms, i);

		check_selector_term(fe, val_at(exprs, i), &p);
	}
}
