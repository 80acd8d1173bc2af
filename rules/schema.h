/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_SCHEMA_H
#define RULES_SCHEMA_H

#include "kube/value.h"
#include "rules/fielderror.h"

/*
 * Tables that describe API types: which fields a type has, what they hold, when the typed (Go)
 * encoding leaves a field out, and which default a missing one gets. One walk over a table checks
 * an object's types, brings it to canonical form and fills in defaults.
 */
enum schema_kind {
	S_STRING,
	S_BOOL,
	S_INT32,
	S_INT64,
	S_INT_OR_STRING,
	S_QUANTITY,
	S_TIME, /* RFC 3339; a missing one that is no pointer is encoded as null */
	S_STRUCT,
	S_ANY, /* known, but neither checked nor changed */
};

enum schema_flags {
	S_KEEP = 1 << 0, /* encoded even when empty: required fields */
	S_PTR = 1 << 1,	 /* absent differs from zero: "", 0, false and {} are kept */
	S_LIST = 1 << 2, /* a list of the kind */
	S_MAP = 1 << 3,	 /* a map from strings to the kind */
};

struct schema_type;

struct schema_field {
	const char *name;
	enum schema_kind kind;
	unsigned flags;
	const struct schema_type *type; /* of S_STRUCT */
	const char *fallback; /* default as text: "TCP", "10", "false", "{}"; NULL: none */
};

struct schema_type {
	const struct schema_field *fields; /* the last one has no name */
};

enum schema_mode {
	SCHEMA_DEFAULTS = 1 << 0, /* fill in defaults; round resource lists to 10^-3 */
};

/*
 * Writes the canonical form of `in` to *out (sharing strings and unknown fields with it): known
 * fields in the table's order, then unknown ones in theirs. A null or absent `in` is the empty
 * object. Wrong types are added to `fe` as Invalid, with *out then unfit for use.
 */
void schema_apply(arena *a, const struct schema_type *t, const val *in, const struct fpath *path,
		  unsigned mode, val *out, struct field_errors *fe);

#endif
