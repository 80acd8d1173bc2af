/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_FIELDERROR_H
#define RULES_FIELDERROR_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"
#include "kube/value.h"

/*
 * What is wrong with an object, field by field, in the form that Kubernetes' clients know:
 * `spec.replicas: Invalid value: -1: must be greater than or equal to 0`.
 */
enum field_error_type {
	FIELD_REQUIRED,
	FIELD_INVALID,
	FIELD_DUPLICATE,
	FIELD_FORBIDDEN,
	FIELD_NOT_SUPPORTED,
	FIELD_NOT_FOUND,
	FIELD_TOO_LONG,
	FIELD_TOO_MANY,
	FIELD_INTERNAL,
};

/* A place in an object: a chain of links that live on the stacks of the functions that descend, so
 * that a path costs nothing until an error names it. Exactly one of name, key and index is in use.
 */
struct fpath {
	const struct fpath *up; /* NULL for the first link */
	const char *name;	/* "spec" */
	struct str key;		/* [key] of a map */
	size_t index;		/* [3] of a list, when name and key are absent */
};
struct fpath fpath_root(const char *name);
struct fpath fpath_child(const struct fpath *up, const char *name);
struct fpath fpath_index(const struct fpath *up, size_t index);
struct fpath fpath_key(const struct fpath *up, struct str key);
char *fpath_str(arena *a, const struct fpath *p); /* "" for NULL */

struct field_error {
	enum field_error_type type;
	const char *path; /* "spec.template.spec.containers[0].image" */
	const char
	    *value; /* the bad value as JSON text, cut when long; NULL when the type shows none */
	const char *detail; /* "" when the type says it all */
};

/* A growing list; everything in it lives in the arena. At most FIELD_ERRORS_MAX are kept, so that a
 * hostile object cannot make the answer arbitrarily large; n counts on beyond it. */
#define FIELD_ERRORS_MAX 64
struct field_errors {
	arena *a;
	size_t n;
	struct field_error v[FIELD_ERRORS_MAX];
};
void field_errors_init(struct field_errors *fe, arena *a);

/* value may be NULL (shown as null by the types that show one). detail is a printf format, "" for
 * none. */
void field_error_add(struct field_errors *fe, enum field_error_type type, const struct fpath *path,
		     const val *value, const char *detail, ...)
    __attribute__((format(printf, 5, 6)));
/* `supported values: "A", "B"`; the list ends with NULL. */
void field_error_not_supported(struct field_errors *fe, const struct fpath *path, const val *value,
			       const char *const *supported);

const char *field_error_type_name(enum field_error_type type); /* "Invalid value" */
/* The same as Kubernetes' machine-readable cause: "FieldValueInvalid". */
const char *field_error_reason(enum field_error_type type);

/* "path: Type: value: detail", and all of a list: alone as it is, several as "[a, b]". */
/* Without the path: what Kubernetes gives as a cause's message. */
void field_error_print_body(struct buf *b, const struct field_error *e);
void field_error_print(struct buf *b, const struct field_error *e);
void field_errors_print(struct buf *b, const struct field_errors *fe);
/* 0 for an empty list, else -EINVAL with the text in e. */
int field_errors_to_err(const struct field_errors *fe, struct err *e);

#endif
