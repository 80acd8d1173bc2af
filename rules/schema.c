/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/schema.h"

#include "kube/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct walk {
	arena *a;
	unsigned mode;
	struct field_errors *fe;
};

static val apply_struct(struct walk *w, const struct schema_type *t, const val *in,
			const struct fpath *path);

static val invalid(struct walk *w, const struct fpath *path, const val *v, const char *want)
{
	field_error_add(w->fe, FIELD_INVALID, path, v, "must be %s", want);
	return val_null();
}

/* An integer, also when it was written as 3.0. */
static bool whole_number(const val *v, int64_t *out)
{
	double d;

	if (val_int(v, out))
		return true;
	if (v->type != MSGPACK_OBJECT_FLOAT32 && v->type != MSGPACK_OBJECT_FLOAT64)
		return false;
	d = v->via.f64;
	if (!(fabs(d) < 9007199254740992.0) || d != floor(d))
		return false;
	*out = (int64_t)d;
	return true;
}

static val apply_int(struct walk *w, const val *v, const struct fpath *path, bool wide)
{
	int64_t i;

	if (!whole_number(v, &i))
		return invalid(w, path, v, "an integer");
	if (!wide && (i < INT32_MIN || i > INT32_MAX))
		return invalid(w, path, v, "an integer of 32 bits");
	return val_of_int(i);
}

static val apply_quantity(struct walk *w, const val *v, const struct fpath *path, bool round)
{
	struct quantity q;

	if (quantity_from_val(v, &q) < 0)
		return invalid(w, path, v, "a quantity, such as 500m, 2 or 1Gi");
	if (round && (w->mode & SCHEMA_DEFAULTS))
		quantity_round_to_milli(&q);
	return val_of_str(quantity_str(w->a, &q));
}

static bool is_digits(struct str s, size_t from, size_t n)
{
	for (size_t i = from; i < from + n; i++)
		if (i >= s.n || s.p[i] < '0' || s.p[i] > '9')
			return false;
	return true;
}

/* 2020-01-02T03:04:05Z with an optional fraction and offset */
static bool looks_like_time(struct str s)
{
	return s.n >= 20 && s.n <= 40 && is_digits(s, 0, 4) && s.p[4] == '-' &&
	       is_digits(s, 5, 2) && s.p[7] == '-' && is_digits(s, 8, 2) && s.p[10] == 'T' &&
	       is_digits(s, 11, 2) && s.p[13] == ':' && is_digits(s, 14, 2) && s.p[16] == ':' &&
	       is_digits(s, 17, 2);
}

static val apply_int_or_string(struct walk *w, const val *v, const struct fpath *path)
{
	return val_is_str(v) ? *v : apply_int(w, v, path, false);
}

/* v is neither NULL nor null. */
static val apply_scalar(struct walk *w, const struct schema_field *f, const val *v,
			const struct fpath *path)
{
	switch (f->kind) {
	case S_STRING:
		return val_is_str(v) ? *v : invalid(w, path, v, "a string");
	case S_BOOL:
		return v->type == MSGPACK_OBJECT_BOOLEAN ? *v
							 : invalid(w, path, v, "true or false");
	case S_INT32:
	case S_INT64:
		return apply_int(w, v, path, f->kind == S_INT64);
	case S_INT_OR_STRING:
		return apply_int_or_string(w, v, path);
	case S_QUANTITY:
		return apply_quantity(w, v, path, f->flags & S_MAP);
	case S_TIME:
		return looks_like_time(val_str(v)) ? *v
						   : invalid(w, path, v, "a time as of RFC 3339");
	case S_STRUCT:
		return apply_struct(w, f->type, v, path);
	case S_ANY:
		break;
	}
	return *v;
}

static val zero_of(struct walk *w, const struct schema_field *f, const struct fpath *path)
{
	switch (f->kind) {
	case S_STRING:
		return val_of_str("");
	case S_BOOL:
		return val_of_bool(false);
	case S_INT32:
	case S_INT64:
	case S_INT_OR_STRING:
		return val_of_int(0);
	case S_QUANTITY:
		return val_of_str("0");
	case S_STRUCT:
		return apply_struct(w, f->type, NULL, path);
	case S_TIME:
	case S_ANY:
		break;
	}
	return val_null();
}

static val element(struct walk *w, const struct schema_field *f, const val *v,
		   const struct fpath *path)
{
	if (val_is_null(v))
		return zero_of(w, f, path);
	return apply_scalar(w, f, v, path);
}

static val apply_list(struct walk *w, const struct schema_field *f, const val *v,
		      const struct fpath *path)
{
	if (!val_is_array(v))
		return invalid(w, path, v, "a list");
	val out = val_array_sized(w->a, val_len(v));
	for (size_t i = 0; i < val_len(v); i++) {
		struct fpath p = fpath_index(path, i);

		*val_at_mut(&out, i) = element(w, f, val_at(v, i), &p);
	}
	return out;
}

static val apply_map(struct walk *w, const struct schema_field *f, const val *v,
		     const struct fpath *path)
{
	if (!val_is_map(v))
		return invalid(w, path, v, "a map");
	val out = val_map_sized(w->a, val_len(v));
	for (size_t i = 0; i < val_len(v); i++) {
		struct fpath p = fpath_key(path, val_key(v, i));

		out.via.map.ptr[i] = (msgpack_object_kv){
		    val_of_strdup(w->a, val_key(v, i)),
		    element(w, f, val_value(v, i), &p),
		};
	}
	return out;
}

static bool is_collection(const struct schema_field *f)
{
	return f->flags & (S_LIST | S_MAP);
}

/* What `omitempty` leaves out. A struct that is no pointer never counts as empty. */
static bool is_empty(const struct schema_field *f, const val *v)
{
	int64_t i;

	if (is_collection(f))
		return val_len(v) == 0;
	if (f->flags & S_PTR)
		return val_is_null(v);
	switch (f->kind) {
	case S_STRING:
		return val_str(v).n == 0;
	case S_BOOL:
		return !val_bool(v);
	case S_INT32:
	case S_INT64:
		return val_int(v, &i) && i == 0;
	case S_ANY:
		return val_is_null(v);
	default:
		return false;
	}
}

static val fallback_of(struct walk *w, const struct schema_field *f, const struct fpath *path)
{
	switch (f->kind) {
	case S_BOOL:
		return val_of_bool(strcmp(f->fallback, "true") == 0);
	case S_INT32:
	case S_INT64:
		return val_of_int(strtol(f->fallback, NULL, 10));
	case S_INT_OR_STRING:
		return strchr(f->fallback, '%') ? val_of_str(f->fallback)
						: val_of_int(strtol(f->fallback, NULL, 10));
	case S_STRUCT:
		return apply_struct(w, f->type, NULL, path);
	default:
		return val_of_str(f->fallback);
	}
}

static val apply_present(struct walk *w, const struct schema_field *f, const val *v,
			 const struct fpath *path)
{
	if (f->flags & S_LIST)
		return apply_list(w, f, v, path);
	if (f->flags & S_MAP)
		return apply_map(w, f, v, path);
	return apply_scalar(w, f, v, path);
}

static void apply_field(struct walk *w, const struct schema_field *f, const val *in,
			const struct fpath *up, val *out)
{
	struct fpath path = fpath_child(up, f->name);
	const val *v = val_get(in, f->name);
	bool by_reference = is_collection(f) || (f->flags & S_PTR);
	val r;

	if (!val_is_null(v))
		r = apply_present(w, f, v, &path);
	else if (by_reference)
		r = val_null();
	else
		r = zero_of(w, f, &path);

	if (f->fallback && (w->mode & SCHEMA_DEFAULTS) && is_empty(f, &r))
		r = fallback_of(w, f, &path);
	else if (!(f->flags & S_KEEP) && is_empty(f, &r))
		return;
	val_set(w->a, out, f->name, r);
}

static bool is_known(const struct schema_type *t, struct str key)
{
	for (const struct schema_field *f = t->fields; f->name; f++)
		if (str_is(key, f->name))
			return true;
	return false;
}

/* The known fields, followed by those that the type does not know. */
static val with_unknown(struct walk *w, const struct schema_type *t, const val *in, val known)
{
	size_t n = val_len(&known), unknown = 0;

	for (size_t i = 0; i < val_len(in); i++)
		unknown += !is_known(t, val_key(in, i));
	if (unknown == 0)
		return known;
	val out = val_map_sized(w->a, n + unknown);
	if (n)
		memcpy(out.via.map.ptr, known.via.map.ptr, n * sizeof(*out.via.map.ptr));
	for (size_t i = 0; i < val_len(in); i++)
		if (!is_known(t, val_key(in, i)))
			out.via.map.ptr[n++] = (msgpack_object_kv){
			    val_of_strdup(w->a, val_key(in, i)), *val_value(in, i)};
	return out;
}

static val apply_struct(struct walk *w, const struct schema_type *t, const val *in,
			const struct fpath *path)
{
	val out = val_map();

	if (!val_is_null(in) && !val_is_map(in))
		return invalid(w, path, in, "an object");
	for (const struct schema_field *f = t->fields; f->name; f++)
		apply_field(w, f, in, path, &out);
	return with_unknown(w, t, in, out);
}

void schema_apply(arena *a, const struct schema_type *t, const val *in, const struct fpath *path,
		  unsigned mode, val *out, struct field_errors *fe)
{
	struct walk w = {.a = a, .mode = mode, .fe = fe};

	*out = apply_struct(&w, t, in, path);
}
