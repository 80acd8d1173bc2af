/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A recursive-descent parser. Finished values of the containers that are open wait on one stack;
 * when a container closes, its part of the stack becomes an array of exactly the right size in the
 * arena.
 */
struct parser {
	const char *start, *p, *end;
	arena *arena;
	struct err *e;
	val *stack;
	size_t len, cap;
	unsigned depth;
	unsigned metadata_depth; /* at which "metadata" loses its managedFields; 0: nowhere */
	bool in_metadata;	 /* of that depth */
};

static int parse_value(struct parser *ps, val *out);

static int bad(struct parser *ps, const char *what)
{
	return err_set(ps->e, EINVAL, "JSON: %s at byte %zu", what, (size_t)(ps->p - ps->start));
}

static void push(struct parser *ps, val v)
{
	if (ps->len == ps->cap) {
		ps->cap = ps->cap ? ps->cap * 2 : 64;
		ps->stack = xrealloc(ps->stack, ps->cap * sizeof(val));
	}
	ps->stack[ps->len++] = v;
}

static void skip_space(struct parser *ps)
{
	while (ps->p < ps->end &&
	       (*ps->p == ' ' || *ps->p == '\n' || *ps->p == '\r' || *ps->p == '\t'))
		ps->p++;
}

/* Length of the valid UTF-8 sequence at p, 0 when invalid. */
static size_t utf8_len(const unsigned char *p, size_t left)
{
	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2)
		return 0;
	size_t n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
	if (n == 0 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	/* overlong forms, surrogates and values beyond U+10FFFF */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

static size_t utf8_put(char *d, uint32_t c)
{
	if (c < 0x80) {
		d[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		d[0] = (char)(0xc0 | (c >> 6));
		d[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		d[0] = (char)(0xe0 | (c >> 12));
		d[1] = (char)(0x80 | ((c >> 6) & 0x3f));
		d[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	d[0] = (char)(0xf0 | (c >> 18));
	d[1] = (char)(0x80 | ((c >> 12) & 0x3f));
	d[2] = (char)(0x80 | ((c >> 6) & 0x3f));
	d[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static bool hex4(const char *p, const char *end, uint32_t *out)
{
	if (end - p < 4)
		return false;
	uint32_t v = 0;
	for (int i = 0; i < 4; i++) {
		char c = p[i];
		if (c >= '0' && c <= '9')
			v = v << 4 | (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			v = v << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return false;
	}
	*out = v;
	return true;
}

/* ps->p is behind "\u". A lone surrogate reads as U+FFFD, as it does for the API server. */
static bool unicode_escape(struct parser *ps, uint32_t *out)
{
	uint32_t c, low;
	if (!hex4(ps->p, ps->end, &c))
		return false;
	ps->p += 4;
	if (c >= 0xd800 && c <= 0xdfff) {
		if (c < 0xdc00 && ps->end - ps->p >= 6 && ps->p[0] == '\\' && ps->p[1] == 'u' &&
		    hex4(ps->p + 2, ps->end, &low) && low >= 0xdc00 && low <= 0xdfff) {
			ps->p += 6;
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		} else {
			c = 0xfffd;
		}
	}
	*out = c;
	return true;
}

static int simple_escape(char c)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at = c ? strchr(from, c) : NULL;
	return at ? to[at - from] : -1;
}

/* ps->p is at the first backslash; head..ps->p was plain. */
static int parse_escaped(struct parser *ps, const char *head, val *out)
{
	const char *close = ps->p;
	while (close < ps->end && *close != '"')
		close += *close == '\\' ? 2 : 1;
	if (close >= ps->end)
		return bad(ps, "string without end");
	/* an escape never gets longer than its text */
	char *dst = arena_alloc(ps->arena, (size_t)(close - head) + 1);
	size_t n = (size_t)(ps->p - head);
	memcpy(dst, head, n);
	while (ps->p < close) {
		unsigned char c = (unsigned char)*ps->p;
		if (c == '\\') {
			char kind = ps->p[1];
			ps->p += 2;
			uint32_t code;
			int simple = simple_escape(kind);
			if (simple >= 0)
				dst[n++] = (char)simple;
			else if (kind == 'u' && unicode_escape(ps, &code))
				n += utf8_put(dst + n, code);
			else
				return bad(ps, "bad escape");
			continue;
		}
		size_t len =
		    c < 0x20 ? 0 : utf8_len((const unsigned char *)ps->p, (size_t)(close - ps->p));
		if (!len)
			return bad(ps, "control character or invalid UTF-8 in string");
		memcpy(dst + n, ps->p, len);
		n += len;
		ps->p += len;
	}
	ps->p = close + 1;
	*out = val_of_strn((struct str){dst, n});
	return 0;
}

/* ps->p is behind the opening quote. */
static int parse_string(struct parser *ps, val *out)
{
	const char *head = ps->p;
	while (ps->p < ps->end) {
		unsigned char c = (unsigned char)*ps->p;
		if (c == '"') {
			*out = val_of_strn((struct str){head, (size_t)(ps->p - head)});
			ps->p++;
			return 0;
		}
		if (c == '\\')
			return parse_escaped(ps, head, out);
		if (c >= 0x20 && c < 0x80) {
			ps->p++;
			continue;
		}
		size_t len =
		    c < 0x20 ? 0
			     : utf8_len((const unsigned char *)ps->p, (size_t)(ps->end - ps->p));
		if (!len)
			return bad(ps, "control character or invalid UTF-8 in string");
		ps->p += len;
	}
	return bad(ps, "string without end");
}

static bool digits(struct parser *ps)
{
	const char *s = ps->p;
	while (ps->p < ps->end && *ps->p >= '0' && *ps->p <= '9')
		ps->p++;
	return ps->p > s;
}

static int parse_number(struct parser *ps, val *out)
{
	const char *s = ps->p;
	bool negative = *s == '-', integer = true;
	if (negative)
		ps->p++;
	const char *first = ps->p;
	if (!digits(ps) || (*first == '0' && ps->p > first + 1))
		return bad(ps, "bad number");
	size_t n_digits = (size_t)(ps->p - first);
	if (ps->p < ps->end && *ps->p == '.') {
		integer = false;
		ps->p++;
		if (!digits(ps))
			return bad(ps, "bad number");
	}
	if (ps->p < ps->end && (*ps->p | 0x20) == 'e') {
		integer = false;
		ps->p++;
		if (ps->p < ps->end && (*ps->p == '+' || *ps->p == '-'))
			ps->p++;
		if (!digits(ps))
			return bad(ps, "bad number");
	}
	if (integer && n_digits <= 20) {
		uint64_t u = 0;
		bool fits = true;
		for (const char *d = first; d < ps->p; d++) {
			if (__builtin_mul_overflow(u, 10u, &u) ||
			    __builtin_add_overflow(u, (uint64_t)(*d - '0'), &u))
				fits = false;
		}
		if (fits && !negative) {
			*out = (val){.type = MSGPACK_OBJECT_POSITIVE_INTEGER, .via.u64 = u};
			return 0;
		}
		if (fits && u <= (uint64_t)INT64_MAX + 1) {
			*out = val_of_int((int64_t)(0 - u));
			return 0;
		}
	}
	size_t len = (size_t)(ps->p - s);
	char text[64];
	if (len >= sizeof(text))
		return bad(ps, "number too long");
	memcpy(text, s, len);
	text[len] = '\0';
	double d = strtod(text, NULL);
	if (!isfinite(d))
		return bad(ps, "number out of range");
	*out = (val){.type = MSGPACK_OBJECT_FLOAT64, .via.f64 = d};
	return 0;
}

static int parse_array(struct parser *ps, val *out)
{
	size_t base = ps->len;
	skip_space(ps);
	if (ps->p < ps->end && *ps->p == ']') {
		ps->p++;
		*out = val_array();
		return 0;
	}
	for (;;) {
		val v;
		int r = parse_value(ps, &v);
		if (r < 0)
			return r;
		push(ps, v);
		skip_space(ps);
		if (ps->p >= ps->end)
			return bad(ps, "array without end");
		char c = *ps->p++;
		if (c == ']')
			break;
		if (c != ',')
			return bad(ps, "expected ',' or ']'");
	}
	size_t n = ps->len - base;
	if (n > UINT32_MAX)
		return bad(ps, "array too long");
	*out = val_array();
	out->via.array.size = (uint32_t)n;
	out->via.array.ptr = arena_alloc(ps->arena, n * sizeof(val));
	memcpy(out->via.array.ptr, ps->stack + base, n * sizeof(val));
	ps->len = base;
	return 0;
}

static int cmp_key(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Quadratic for the small maps that API objects have, sorted beyond, so that hostile input stays
 * cheap. */
static bool has_duplicate_key(const val *map)
{
	size_t n = val_len(map);
	if (n <= 16) {
		for (size_t i = 1; i < n; i++) {
			struct str k = val_key(map, i);
			for (size_t j = 0; j < i; j++) {
				if (str_eq(k, val_key(map, j)))
					return true;
			}
		}
		return false;
	}
	_cleanup_free_ struct str *keys = xmalloc(n * sizeof(*keys));
	for (size_t i = 0; i < n; i++)
		keys[i] = val_key(map, i);
	qsort(keys, n, sizeof(*keys), cmp_key);
	for (size_t i = 1; i < n; i++) {
		if (str_eq(keys[i - 1], keys[i]))
			return true;
	}
	return false;
}

/* Passes over an array or object; quotes and brackets must match in number. */
static int pass_over(struct parser *ps)
{
	unsigned open = 0;
	for (; ps->p < ps->end; ps->p++) {
		char c = *ps->p;
		if (c == '[' || c == '{') {
			open++;
		} else if (c == ']' || c == '}') {
			if (open-- == 1) {
				ps->p++;
				return 0;
			}
		} else if (c == '"') {
			for (ps->p++; ps->p < ps->end && *ps->p != '"'; ps->p++)
				ps->p += *ps->p == '\\';
		}
	}
	return bad(ps, "object or array without end");
}

/* The value of a key of an object that is read without managedFields. True when nothing remains. */
static bool left_out(struct parser *ps, const val *key, int *r)
{
	skip_space(ps);
	if (!ps->in_metadata || ps->depth != ps->metadata_depth || !val_is(key, "managedFields") ||
	    ps->p >= ps->end || *ps->p != '[')
		return false;
	*r = pass_over(ps);
	return true;
}

static int parse_member(struct parser *ps)
{
	val key, v;
	skip_space(ps);
	if (ps->p >= ps->end || *ps->p != '"')
		return bad(ps, "expected a key");
	ps->p++;
	int r = parse_string(ps, &key);
	if (r < 0)
		return r;
	skip_space(ps);
	if (ps->p >= ps->end || *ps->p != ':')
		return bad(ps, "expected ':'");
	ps->p++;
	if (left_out(ps, &key, &r))
		return r;
	bool enters = ps->depth + 1 == ps->metadata_depth && val_is(&key, "metadata");
	ps->in_metadata |= enters;
	r = parse_value(ps, &v);
	ps->in_metadata &= !enters;
	if (r < 0)
		return r;
	push(ps, key);
	push(ps, v);
	return 0;
}

static int parse_map(struct parser *ps, val *out)
{
	size_t base = ps->len;
	*out = val_map();
	skip_space(ps);
	if (ps->p < ps->end && *ps->p == '}') {
		ps->p++;
		return 0;
	}
	for (;;) {
		int r = parse_member(ps);
		if (r < 0)
			return r;
		skip_space(ps);
		if (ps->p >= ps->end)
			return bad(ps, "object without end");
		char c = *ps->p++;
		if (c == '}')
			break;
		if (c != ',')
			return bad(ps, "expected ',' or '}'");
	}
	size_t n = (ps->len - base) / 2;
	if (n > UINT32_MAX)
		return bad(ps, "object too long");
	if (n == 0) /* its only member was left out */
		return 0;
	_Static_assert(sizeof(msgpack_object_kv) == 2 * sizeof(val), "a pair is two values");
	out->via.map.size = (uint32_t)n;
	out->via.map.ptr = arena_alloc(ps->arena, n * sizeof(msgpack_object_kv));
	memcpy(out->via.map.ptr, ps->stack + base, n * sizeof(msgpack_object_kv));
	ps->len = base;
	return has_duplicate_key(out) ? bad(ps, "duplicate key in the object that ends") : 0;
}

static bool literal(struct parser *ps, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(ps->end - ps->p) < n || memcmp(ps->p, word, n) != 0)
		return false;
	ps->p += n;
	return true;
}

static int parse_nested(struct parser *ps, val *out, int (*parse)(struct parser *, val *))
{
	ps->p++;
	if (++ps->depth > JSON_MAX_DEPTH)
		return bad(ps, "nested too deep");
	int r = parse(ps, out);
	ps->depth--;
	return r;
}

static int parse_value(struct parser *ps, val *out)
{
	skip_space(ps);
	if (ps->p >= ps->end)
		return bad(ps, "value missing");
	char c = *ps->p;
	if (c == '{')
		return parse_nested(ps, out, parse_map);
	if (c == '[')
		return parse_nested(ps, out, parse_array);
	if (c == '"') {
		ps->p++;
		return parse_string(ps, out);
	}
	if (c == '-' || (c >= '0' && c <= '9'))
		return parse_number(ps, out);
	if (literal(ps, "true"))
		*out = val_of_bool(true);
	else if (literal(ps, "false"))
		*out = val_of_bool(false);
	else if (literal(ps, "null"))
		*out = val_null();
	else
		return bad(ps, "unexpected character");
	return 0;
}

static int parse_text(struct parser *ps, val *out)
{
	int r = parse_value(ps, out);
	if (r == 0) {
		skip_space(ps);
		if (ps->p != ps->end)
			r = bad(ps, "text after the value");
	}
	free(ps->stack);
	return r;
}

int json_parse(arena *a, const char *p, size_t n, val *out, struct err *e)
{
	struct parser ps = {.start = p, .p = p, .end = p + n, .arena = a, .e = e};
	return parse_text(&ps, out);
}

int json_parse_lean(arena *a, const char *p, size_t n, unsigned depth, val *out, struct err *e)
{
	struct parser ps = {
	    .start = p, .p = p, .end = p + n, .arena = a, .e = e, .metadata_depth = depth + 2};
	return parse_text(&ps, out);
}
