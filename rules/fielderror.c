/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/fielderror.h"

#include "kube/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define VALUE_MAX 256 /* bytes of a bad value that a message shows */

static const struct {
	const char *name;
	const char *reason;
	bool shows_value;
} types[] = {
    [FIELD_REQUIRED] = {"Required value", "FieldValueRequired", false},
    [FIELD_INVALID] = {"Invalid value", "FieldValueInvalid", true},
    [FIELD_DUPLICATE] = {"Duplicate value", "FieldValueDuplicate", true},
    [FIELD_FORBIDDEN] = {"Forbidden", "FieldValueForbidden", false},
    [FIELD_NOT_SUPPORTED] = {"Unsupported value", "FieldValueNotSupported", true},
    [FIELD_NOT_FOUND] = {"Not found", "FieldValueNotFound", true},
    [FIELD_TOO_LONG] = {"Too long", "FieldValueTooLong", false},
    [FIELD_TOO_MANY] = {"Too many", "FieldValueTooMany", true},
    [FIELD_INTERNAL] = {"Internal error", "InternalError", false},
};

struct fpath fpath_root(const char *name)
{
	return (struct fpath){.name = name};
}

struct fpath fpath_child(const struct fpath *up, const char *name)
{
	return (struct fpath){.up = up, .name = name};
}

struct fpath fpath_index(const struct fpath *up, size_t index)
{
	return (struct fpath){.up = up, .index = index};
}

struct fpath fpath_key(const struct fpath *up, struct str key)
{
	return (struct fpath){.up = up, .key = key.p ? key : str_of("")};
}

/* Depth is bounded by the objects' own (JSON_MAX_DEPTH). */
static void print_path(struct buf *b, const struct fpath *p)
{
	if (!p)
		return;
	print_path(b, p->up);
	if (p->name) {
		if (b->len)
			buf_putc(b, '.');
		buf_puts(b, p->name);
	} else if (p->key.p) {
		buf_putc(b, '[');
		buf_add(b, p->key.p, p->key.n < VALUE_MAX ? p->key.n : VALUE_MAX);
		buf_putc(b, ']');
	} else {
		buf_printf(b, "[%zu]", p->index);
	}
}

char *fpath_str(arena *a, const struct fpath *p)
{
	_cleanup_buf_ struct buf b = {0};

	print_path(&b, p);
	return arena_strndup(a, buf_str(&b), b.len);
}

void field_errors_init(struct field_errors *fe, arena *a)
{
	fe->a = a;
	fe->n = 0;
}

static const char *value_text(arena *a, const val *value)
{
	_cleanup_buf_ struct buf b = {0};
	size_t n;

	if (val_is_null(value))
		return "null";
	json_print(&b, value, 0);
	n = b.len;
	if (n <= VALUE_MAX)
		return arena_strndup(a, b.p, n);
	n = VALUE_MAX;
	while (n && ((unsigned char)b.p[n] & 0xC0) == 0x80)
		n--; /* not inside a character */
	return arena_printf(a, "%.*s…", (int)n, b.p);
}

void field_error_add(struct field_errors *fe, enum field_error_type type, const struct fpath *path,
		     const val *value, const char *detail, ...)
{
	struct field_error *e;
	char text[512];
	va_list ap;

	if (fe->n++ >= FIELD_ERRORS_MAX)
		return;
	e = &fe->v[fe->n - 1];
	va_start(ap, detail);
	vsnprintf(text, sizeof(text), detail, ap);
	va_end(ap);
	*e = (struct field_error){
	    .type = type,
	    .path = fpath_str(fe->a, path),
	    .value = types[type].shows_value ? value_text(fe->a, value) : NULL,
	    .detail = arena_strndup(fe->a, text, strlen(text)),
	};
}

void field_error_not_supported(struct field_errors *fe, const struct fpath *path, const val *value,
			       const char *const *supported)
{
	_cleanup_buf_ struct buf b = {0};

	buf_puts(&b, "supported values: ");
	for (size_t i = 0; supported[i]; i++)
		buf_printf(&b, "%s\"%s\"", i ? ", " : "", supported[i]);
	field_error_add(fe, FIELD_NOT_SUPPORTED, path, value, "%s", buf_str(&b));
}

const char *field_error_type_name(enum field_error_type type)
{
	return types[type].name;
}

const char *field_error_reason(enum field_error_type type)
{
	return types[type].reason;
}

void field_error_print_body(struct buf *b, const struct field_error *e)
{
	buf_puts(b, types[e->type].name);
	if (e->value)
		buf_printf(b, ": %s", e->value);
	if (e->detail[0])
		buf_printf(b, ": %s", e->detail);
}

void field_error_print(struct buf *b, const struct field_error *e)
{
	buf_printf(b, "%s: ", e->path);
	field_error_print_body(b, e);
}

void field_errors_print(struct buf *b, const struct field_errors *fe)
{
	size_t n = fe->n < FIELD_ERRORS_MAX ? fe->n : FIELD_ERRORS_MAX;

	if (fe->n > 1)
		buf_putc(b, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_puts(b, ", ");
		field_error_print(b, &fe->v[i]);
	}
	if (fe->n > n)
		buf_printf(b, ", and %zu more", fe->n - n);
	if (fe->n > 1)
		buf_putc(b, ']');
}

int field_errors_to_err(const struct field_errors *fe, struct err *e)
{
	_cleanup_buf_ struct buf b = {0};

	if (!fe->n)
		return 0;
	field_errors_print(&b, fe);
	return err_set(e, EINVAL, "%s", buf_str(&b));
}
