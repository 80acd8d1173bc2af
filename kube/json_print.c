/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct printer {
	struct buf *b;
	unsigned flags;
	unsigned indent;
};

static void print_value(struct printer *pr, const val *v);

static void newline(struct printer *pr)
{
	if (!(pr->flags & JSON_PRETTY))
		return;
	buf_putc(pr->b, '\n');
	for (unsigned i = 0; i < pr->indent; i++)
		buf_puts(pr->b, "  ");
}

static const char *short_escape(unsigned char c)
{
	switch (c) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\n':
		return "\\n";
	case '\r':
		return "\\r";
	case '\t':
		return "\\t";
	default:
		return NULL;
	}
}

/* U+2028 and U+2029 end a line in JavaScript; Go escapes them. */
static bool is_js_line_end(const char *p, size_t left)
{
	return left >= 3 && (unsigned char)p[0] == 0xe2 && (unsigned char)p[1] == 0x80 &&
	       ((unsigned char)p[2] == 0xa8 || (unsigned char)p[2] == 0xa9);
}

static void print_string(struct printer *pr, struct str s)
{
	bool html = pr->flags & JSON_GO_HTML;
	buf_putc(pr->b, '"');
	size_t plain = 0;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool line_end = html && c == 0xe2 && is_js_line_end(s.p + i, s.n - i);
		bool angle = html && (c == '<' || c == '>' || c == '&');
		if (c >= 0x20 && c != '"' && c != '\\' && !line_end && !angle)
			continue;
		buf_add(pr->b, s.p + plain, i - plain);
		const char *esc = short_escape(c);
		if (line_end) {
			buf_printf(pr->b, "\\u20%02x", (unsigned char)s.p[i + 2] - 0x80);
			i += 2;
		} else if (esc) {
			buf_puts(pr->b, esc);
		} else {
			buf_printf(pr->b, "\\u%04x", c);
		}
		plain = i + 1;
	}
	if (s.n > plain)
		buf_add(pr->b, s.p + plain, s.n - plain);
	buf_putc(pr->b, '"');
}

/* The shortest text that reads back as the same double, in the form that Go gives it. */
static void print_double(struct printer *pr, double d)
{
	if (!isfinite(d)) {
		buf_puts(pr->b, "null");
		return;
	}
	double abs = fabs(d);
	if (abs < 1e15 && d == floor(d)) {
		buf_printf(pr->b, "%.0f", d);
		return;
	}
	char text[64];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	buf_puts(pr->b, text);
}

static void print_array(struct printer *pr, const val *v)
{
	buf_putc(pr->b, '[');
	pr->indent++;
	for (size_t i = 0; i < val_len(v); i++) {
		if (i)
			buf_putc(pr->b, ',');
		newline(pr);
		print_value(pr, val_at(v, i));
	}
	pr->indent--;
	if (val_len(v))
		newline(pr);
	buf_putc(pr->b, ']');
}

static int cmp_member(const void *a, const void *b)
{
	const msgpack_object_kv *const *x = a, *const *y = b;
	return str_cmp(val_str(&(*x)->key), val_str(&(*y)->key));
}

static void print_map(struct printer *pr, const val *v)
{
	size_t n = val_len(v);
	const msgpack_object_kv *small[32];
	const msgpack_object_kv **order = n <= 32 ? small : xmalloc(n * sizeof(*order));
	for (size_t i = 0; i < n; i++)
		order[i] = &v->via.map.ptr[i];
	if (pr->flags & JSON_SORTED)
		qsort(order, n, sizeof(*order), cmp_member);

	buf_putc(pr->b, '{');
	pr->indent++;
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_putc(pr->b, ',');
		newline(pr);
		print_string(pr, val_str(&order[i]->key));
		buf_puts(pr->b, pr->flags & JSON_PRETTY ? ": " : ":");
		print_value(pr, &order[i]->val);
	}
	pr->indent--;
	if (n)
		newline(pr);
	buf_putc(pr->b, '}');
	if (order != small)
		free(order);
}

static void print_value(struct printer *pr, const val *v)
{
	switch (v->type) {
	case MSGPACK_OBJECT_BOOLEAN:
		buf_puts(pr->b, v->via.boolean ? "true" : "false");
		break;
	case MSGPACK_OBJECT_POSITIVE_INTEGER:
		buf_printf(pr->b, "%llu", (unsigned long long)v->via.u64);
		break;
	case MSGPACK_OBJECT_NEGATIVE_INTEGER:
		buf_printf(pr->b, "%lld", (long long)v->via.i64);
		break;
	case MSGPACK_OBJECT_FLOAT32:
	case MSGPACK_OBJECT_FLOAT64:
		print_double(pr, v->via.f64);
		break;
	case MSGPACK_OBJECT_STR:
		print_string(pr, val_str(v));
		break;
	case MSGPACK_OBJECT_ARRAY:
		print_array(pr, v);
		break;
	case MSGPACK_OBJECT_MAP:
		print_map(pr, v);
		break;
	default:
		buf_puts(pr->b, "null");
	}
}

void json_print(struct buf *b, const val *v, unsigned flags)
{
	struct printer pr = {.b = b, .flags = flags};
	if (v)
		print_value(&pr, v);
	else
		buf_puts(b, "null");
}

char *json_str(arena *a, const val *v, unsigned flags)
{
	_cleanup_buf_ struct buf b = {0};
	json_print(&b, v, flags);
	return arena_strndup(a, b.p, b.len);
}
