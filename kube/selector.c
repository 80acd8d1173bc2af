/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/selector.h"

#include "kube/names.h"

#include <errno.h>
#include <stdlib.h>

enum op { OP_IN, OP_NOT_IN, OP_EXISTS, OP_NOT_EXISTS };

struct requirement {
	struct str key;
	enum op op;
	bool equals;	    /* from matchLabels: printed as key=value */
	size_t n;	    /* values */
	struct str *values; /* sorted */
};

struct selector {
	bool absent; /* matches nothing */
	size_t n;
	struct requirement *reqs; /* sorted by key */
};

static const struct {
	const char *name;
	enum op op;
	bool has_values;
} ops[] = {
    {"In", OP_IN, true},
    {"NotIn", OP_NOT_IN, true},
    {"Exists", OP_EXISTS, false},
    {"DoesNotExist", OP_NOT_EXISTS, false},
};

static int cmp_str(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static int cmp_requirement(const void *a, const void *b)
{
	const struct requirement *x = a, *y = b;
	int r = str_cmp(x->key, y->key);

	return r ? r : (int)x->op - (int)y->op;
}

static int bad(struct err *e, const char *what, struct str text, const char *why)
{
	return err_set(e, EINVAL, "%s \"%.*s\" %s", what, STR_ARG(text), why);
}

static int check_key(struct str key, struct err *e)
{
	const char *why = name_check_qualified(key);

	return why ? bad(e, "label key", key, why) : 0;
}

static int check_value(const val *v, struct err *e)
{
	const char *why;

	if (!val_is_str(v))
		return err_set(e, EINVAL, "a label value must be a string");
	why = name_check_label_value(val_str(v));
	return why ? bad(e, "label value", val_str(v), why) : 0;
}

static int from_label(arena *a, struct str key, const val *value, struct requirement *out,
		      struct err *e)
{
	int r = check_key(key, e);

	if (r == 0)
		r = check_value(value, e);
	if (r < 0)
		return r;
	*out = (struct requirement){.key = key, .op = OP_IN, .equals = true, .n = 1};
	out->values = arena_alloc(a, sizeof(*out->values));
	out->values[0] = val_str(value);
	return 0;
}

static int take_values(arena *a, const val *values, struct requirement *out, struct err *e)
{
	size_t n = val_len(values);

	out->values = arena_alloc(a, (n + 1) * sizeof(*out->values));
	for (size_t i = 0; i < n; i++) {
		int r = check_value(val_at(values, i), e);

		if (r < 0)
			return r;
		out->values[i] = val_str(val_at(values, i));
	}
	qsort(out->values, n, sizeof(*out->values), cmp_str);
	out->n = n;
	return 0;
}

static int from_expression(arena *a, const val *expr, struct requirement *out, struct err *e)
{
	struct str key = val_str(val_get(expr, "key"));
	const val *name = val_get(expr, "operator"), *values = val_get(expr, "values");
	int r = check_key(key, e);

	if (r < 0)
		return r;
	if (!val_is_null(values) && !val_is_array(values))
		return err_set(e, EINVAL, "values of label key \"%.*s\" must be a list",
			       STR_ARG(key));
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (!val_is(name, ops[i].name))
			continue;
		if (ops[i].has_values != (val_len(values) > 0))
			return err_set(e, EINVAL, "operator %s of label key \"%.*s\" %s",
				       ops[i].name, STR_ARG(key),
				       ops[i].has_values ? "needs values" : "takes no values");
		*out = (struct requirement){.key = key, .op = ops[i].op};
		return take_values(a, values, out, e);
	}
	return bad(e, "operator", val_str(name), "is none of In, NotIn, Exists, DoesNotExist");
}

int selector_compile(arena *a, const val *v, const struct selector **out, struct err *e)
{
	const val *labels = val_get(v, "matchLabels"), *exprs = val_get(v, "matchExpressions");
	struct selector *s = arena_alloc(a, sizeof(*s));
	int r = 0;

	*s = (struct selector){.absent = val_is_null(v)};
	*out = s;
	if (!s->absent && !val_is_map(v))
		return err_set(e, EINVAL, "a label selector must be an object");
	if ((!val_is_null(labels) && !val_is_map(labels)) ||
	    (!val_is_null(exprs) && !val_is_array(exprs)))
		return err_set(e, EINVAL, "matchLabels must be a map and matchExpressions a list");

	s->reqs = arena_alloc(a, (val_len(labels) + val_len(exprs) + 1) * sizeof(*s->reqs));
	for (size_t i = 0; i < val_len(labels) && r == 0; i++)
		r = from_label(a, val_key(labels, i), val_value(labels, i), &s->reqs[s->n++], e);
	for (size_t i = 0; i < val_len(exprs) && r == 0; i++)
		r = from_expression(a, val_at(exprs, i), &s->reqs[s->n++], e);
	if (r < 0)
		return r;
	qsort(s->reqs, s->n, sizeof(*s->reqs), cmp_requirement);
	return 0;
}

static bool has_value(const struct requirement *r, struct str value)
{
	return bsearch(&value, r->values, r->n, sizeof(*r->values), cmp_str) != NULL;
}

static bool holds(const struct requirement *r, const val *labels)
{
	const val *v = val_getn(labels, r->key);

	switch (r->op) {
	case OP_IN:
		return val_is_str(v) && has_value(r, val_str(v));
	case OP_NOT_IN:
		return !val_is_str(v) || !has_value(r, val_str(v));
	case OP_EXISTS:
		return v != NULL;
	case OP_NOT_EXISTS:
		return v == NULL;
	}
	return false;
}

bool selector_matches(const struct selector *s, const val *labels)
{
	if (s->absent)
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (!holds(&s->reqs[i], labels))
			return false;
	return true;
}

bool selector_is_empty(const struct selector *s)
{
	return !s->absent && s->n == 0;
}

static void print_str(struct buf *b, struct str s)
{
	if (s.n)
		buf_add(b, s.p, s.n);
}

static void print_requirement(struct buf *b, const struct requirement *r)
{
	if (r->op == OP_NOT_EXISTS)
		buf_putc(b, '!');
	print_str(b, r->key);
	if (r->equals) {
		buf_putc(b, '=');
		print_str(b, r->values[0]);
	} else if (r->op == OP_IN || r->op == OP_NOT_IN) {
		buf_puts(b, r->op == OP_IN ? " in (" : " notin (");
		for (size_t i = 0; i < r->n; i++) {
			if (i)
				buf_putc(b, ',');
			print_str(b, r->values[i]);
		}
		buf_putc(b, ')');
	}
}

void selector_print(struct buf *b, const struct selector *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (i)
			buf_putc(b, ',');
		print_requirement(b, &s->reqs[i]);
	}
}
