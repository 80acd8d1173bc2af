/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_FIELDCHECK_H
#define RULES_FIELDCHECK_H

#include "rules/fielderror.h"

/*
 * Checks of single fields that validation is made of. Each takes the object, the object's own path
 * and the field's name, and adds what is wrong to `fe`. Absent (also empty, where the typed
 * encoding does not tell them apart) is fine unless the name says required. Types were checked
 * before (rules/schema.h).
 */
typedef const char *(*name_check_fn)(struct str s); /* kube/names.h */

/* A string or list that is not empty; returns whether it is. */
bool check_required(struct field_errors *fe, const val *obj, const struct fpath *path,
		    const char *field);
void check_name(struct field_errors *fe, const val *obj, const struct fpath *path,
		const char *field, name_check_fn check);
void check_name_required(struct field_errors *fe, const val *obj, const struct fpath *path,
			 const char *field, name_check_fn check);
/* The same for each string of a list. */
void check_names(struct field_errors *fe, const val *obj, const struct fpath *path,
		 const char *field, name_check_fn check);
/* One of a list that ends with NULL, if it is there: the canonical form has "" only where it means
 * something. */
void check_choice(struct field_errors *fe, const val *obj, const struct fpath *path,
		  const char *field, const char *const *choices);
void check_range(struct field_errors *fe, const val *obj, const struct fpath *path,
		 const char *field, int64_t min, int64_t max);
void check_not_negative(struct field_errors *fe, const val *obj, const struct fpath *path,
			const char *field);
/* File permissions, 0…0777. */
void check_mode(struct field_errors *fe, const val *obj, const struct fpath *path,
		const char *field);

/* Paths of files: no element "..", or relative besides, or besides not starting with "..". */
void check_no_backsteps(struct field_errors *fe, const val *obj, const struct fpath *path,
			const char *field);
void check_descending_path(struct field_errors *fe, const val *obj, const struct fpath *path,
			   const char *field);
void check_unreserved_path(struct field_errors *fe, const val *obj, const struct fpath *path,
			   const char *field);

/* Whole maps; path is the map's own. */
void check_labels(struct field_errors *fe, const val *labels, const struct fpath *path);
void check_annotations(struct field_errors *fe, const val *annotations, const struct fpath *path);
void check_label_selector(struct field_errors *fe, const val *selector, const struct fpath *path);

#endif
