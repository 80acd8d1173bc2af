/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_CHUNK 8192

arena *arena_new(void)
{
	arena *a = msgpack_zone_new(ARENA_CHUNK);
	if (!a)
		abort();
	return a;
}

void arena_free(arena *a)
{
	if (a)
		msgpack_zone_free(a);
}

void arena_freep(arena **a)
{
	arena_free(*a);
}

void *arena_alloc(arena *a, size_t n)
{
	void *p = msgpack_zone_malloc(a, n ? n : 1);
	if (!p)
		abort();
	return p;
}

char *arena_strndup(arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);
	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *arena_printf(arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	char *p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

struct str str_of(const char *s)
{
	return (struct str){s, s ? strlen(s) : 0};
}

bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool str_is(struct str a, const char *s)
{
	return a.p && str_eq(a, str_of(s));
}

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;
	if (c)
		return c;
	return (a.n > b.n) - (a.n < b.n);
}

bool str_has_prefix(struct str a, const char *prefix)
{
	size_t n = strlen(prefix);
	return a.n >= n && (n == 0 || memcmp(a.p, prefix, n) == 0);
}

bool val_is_map(const val *v)
{
	return v && v->type == MSGPACK_OBJECT_MAP;
}

bool val_is_array(const val *v)
{
	return v && v->type == MSGPACK_OBJECT_ARRAY;
}

bool val_is_str(const val *v)
{
	return v && v->type == MSGPACK_OBJECT_STR;
}

bool val_is_null(const val *v)
{
	return !v || v->type == MSGPACK_OBJECT_NIL;
}

static msgpack_object_kv *find_key(const val *map, struct str key)
{
	if (!val_is_map(map))
		return NULL;
	msgpack_object_kv *kv = map->via.map.ptr;
	for (uint32_t i = 0; i < map->via.map.size; i++) {
		if (kv[i].key.type == MSGPACK_OBJECT_STR && kv[i].key.via.str.size == key.n &&
		    (key.n == 0 || memcmp(kv[i].key.via.str.ptr, key.p, key.n) == 0))
			return &kv[i];
	}
	return NULL;
}

const val *val_getn(const val *map, struct str key)
{
	const msgpack_object_kv *kv = find_key(map, key);
	return kv ? &kv->val : NULL;
}

const val *val_get(const val *map, const char *key)
{
	return val_getn(map, str_of(key));
}

const val *val_path(const val *v, ...)
{
	va_list ap;
	va_start(ap, v);
	for (const char *key; v && (key = va_arg(ap, const char *));)
		v = val_get(v, key);
	va_end(ap);
	return v;
}

val *val_get_mut(val *map, const char *key)
{
	msgpack_object_kv *kv = find_key(map, str_of(key));
	return kv ? &kv->val : NULL;
}

val *val_path_mut(val *v, ...)
{
	va_list ap;
	va_start(ap, v);
	for (const char *key; v && (key = va_arg(ap, const char *));)
		v = val_get_mut(v, key);
	va_end(ap);
	return v;
}

val *val_at_mut(val *array, size_t i)
{
	if (!val_is_array(array) || i >= array->via.array.size)
		return NULL;
	return &array->via.array.ptr[i];
}

const val *val_at(const val *array, size_t i)
{
	if (!val_is_array(array) || i >= array->via.array.size)
		return NULL;
	return &array->via.array.ptr[i];
}

size_t val_len(const val *v)
{
	if (val_is_map(v))
		return v->via.map.size;
	return val_is_array(v) ? v->via.array.size : 0;
}

struct str val_str(const val *v)
{
	if (!val_is_str(v))
		return (struct str){0};
	/* an empty string is present: it must not look absent */
	return (struct str){v->via.str.size ? v->via.str.ptr : "", v->via.str.size};
}

bool val_is(const val *v, const char *s)
{
	return val_is_str(v) && str_is(val_str(v), s);
}

bool val_bool(const val *v)
{
	return v && v->type == MSGPACK_OBJECT_BOOLEAN && v->via.boolean;
}

bool val_int(const val *v, int64_t *out)
{
	if (!v)
		return false;
	if (v->type == MSGPACK_OBJECT_POSITIVE_INTEGER && v->via.u64 <= INT64_MAX) {
		*out = (int64_t)v->via.u64;
		return true;
	}
	if (v->type == MSGPACK_OBJECT_NEGATIVE_INTEGER) {
		*out = v->via.i64;
		return true;
	}
	return false;
}

int64_t val_int_or(const val *v, int64_t fallback)
{
	int64_t i;
	return val_int(v, &i) ? i : fallback;
}

char *val_cstr(arena *a, const val *v)
{
	struct str s = val_str(v);
	if (!s.p || memchr(s.p, '\0', s.n))
		return NULL;
	return arena_strndup(a, s.p, s.n);
}

struct str val_key(const val *map, size_t i)
{
	if (!val_is_map(map) || i >= map->via.map.size)
		return (struct str){0};
	return val_str(&map->via.map.ptr[i].key);
}

const val *val_value(const val *map, size_t i)
{
	if (!val_is_map(map) || i >= map->via.map.size)
		return NULL;
	return &map->via.map.ptr[i].val;
}

const val *val_find(const val *array, const char *key, struct str want)
{
	for (size_t i = 0; i < val_len(array); i++) {
		const val *item = val_at(array, i);
		const val *got = val_get(item, key);
		if (val_is_str(got) && str_eq(val_str(got), want))
			return item;
	}
	return NULL;
}

static bool is_number(const val *v)
{
	return v->type == MSGPACK_OBJECT_POSITIVE_INTEGER ||
	       v->type == MSGPACK_OBJECT_NEGATIVE_INTEGER || v->type == MSGPACK_OBJECT_FLOAT64 ||
	       v->type == MSGPACK_OBJECT_FLOAT32;
}

static double as_double(const val *v)
{
	if (v->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
		return (double)v->via.u64;
	return v->type == MSGPACK_OBJECT_NEGATIVE_INTEGER ? (double)v->via.i64 : v->via.f64;
}

static bool number_equal(const val *a, const val *b)
{
	if (a->type == b->type && a->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
		return a->via.u64 == b->via.u64;
	if (a->type == b->type && a->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
		return a->via.i64 == b->via.i64;
	return as_double(a) == as_double(b);
}

static int by_key(const void *a, const void *b)
{
	const msgpack_object_kv *const *x = a, *const *y = b;
	return str_cmp(val_str(&(*x)->key), val_str(&(*y)->key));
}

void val_index_init(struct val_index *x, const val *map)
{
	x->n = val_is_map(map) ? map->via.map.size : 0;
	x->sorted = malloc((x->n + 1) * sizeof(*x->sorted));
	if (!x->sorted)
		abort();
	for (size_t i = 0; i < x->n; i++)
		x->sorted[i] = &map->via.map.ptr[i];
	if (x->n)
		qsort(x->sorted, x->n, sizeof(*x->sorted), by_key);
}

void val_index_free(struct val_index *x)
{
	free(x->sorted);
	*x = (struct val_index){0};
}

const val *val_index_get(const struct val_index *x, struct str key)
{
	size_t lo = 0, hi = x->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int cmp = str_cmp(val_str(&x->sorted[mid]->key), key);
		if (cmp == 0)
			return &x->sorted[mid]->val;
		if (cmp < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static bool small_map_equal(const val *a, const val *b)
{
	for (uint32_t i = 0; i < a->via.map.size; i++) {
		/* usually both sides have the same order */
		struct str key = val_key(a, i);
		const val *other = str_eq(key, val_key(b, i)) ? val_value(b, i) : val_getn(b, key);
		if (!other || !val_equal(val_value(a, i), other))
			return false;
	}
	return true;
}

/* Beyond this a search through all keys is dearer than an index; nothing but hostile input gets
 * there. */
#define SMALL_MAP 64

static bool map_equal(const val *a, const val *b)
{
	if (a->via.map.size != b->via.map.size)
		return false;
	if (a->via.map.size <= SMALL_MAP)
		return small_map_equal(a, b);
	_cleanup_val_index_ struct val_index x;
	val_index_init(&x, b);
	for (uint32_t i = 0; i < a->via.map.size; i++) {
		const val *other = val_index_get(&x, val_key(a, i));
		if (!other || !val_equal(val_value(a, i), other))
			return false;
	}
	return true;
}

bool val_equal(const val *a, const val *b)
{
	if (!a || !b)
		return val_is_null(a) && val_is_null(b);
	if (is_number(a) && is_number(b))
		return number_equal(a, b);
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case MSGPACK_OBJECT_NIL:
		return true;
	case MSGPACK_OBJECT_BOOLEAN:
		return a->via.boolean == b->via.boolean;
	case MSGPACK_OBJECT_STR:
		return str_eq(val_str(a), val_str(b));
	case MSGPACK_OBJECT_MAP:
		return map_equal(a, b);
	case MSGPACK_OBJECT_ARRAY:
		if (a->via.array.size != b->via.array.size)
			return false;
		for (uint32_t i = 0; i < a->via.array.size; i++) {
			if (!val_equal(&a->via.array.ptr[i], &b->via.array.ptr[i]))
				return false;
		}
		return true;
	default:
		return false;
	}
}

val val_null(void)
{
	return (val){.type = MSGPACK_OBJECT_NIL};
}

val val_of_bool(bool b)
{
	return (val){.type = MSGPACK_OBJECT_BOOLEAN, .via.boolean = b};
}

val val_of_int(int64_t i)
{
	if (i >= 0)
		return (val){.type = MSGPACK_OBJECT_POSITIVE_INTEGER, .via.u64 = (uint64_t)i};
	return (val){.type = MSGPACK_OBJECT_NEGATIVE_INTEGER, .via.i64 = i};
}

val val_of_strn(struct str s)
{
	if (!s.p)
		return val_null();
	return (val){.type = MSGPACK_OBJECT_STR, .via.str = {.size = (uint32_t)s.n, .ptr = s.p}};
}

val val_of_str(const char *s)
{
	return val_of_strn(str_of(s));
}

val val_of_strdup(arena *a, struct str s)
{
	if (!s.p)
		return val_null();
	return val_of_strn((struct str){arena_strndup(a, s.p, s.n), s.n});
}

val val_map(void)
{
	return (val){.type = MSGPACK_OBJECT_MAP};
}

val val_array(void)
{
	return (val){.type = MSGPACK_OBJECT_ARRAY};
}

/*
 * Containers have no capacity field, so each addition copies: right for the handful of keys that
 * code adds to an object. The parsers, which build large ones, size them exactly.
 */
void val_setn(arena *a, val *map, struct str key, val v)
{
	msgpack_object_kv *kv = find_key(map, key);
	if (kv) {
		kv->val = v;
		return;
	}
	if (!val_is_map(map))
		*map = val_map();
	uint32_t n = map->via.map.size;
	msgpack_object_kv *grown = arena_alloc(a, (n + 1) * sizeof(*grown));
	if (n)
		memcpy(grown, map->via.map.ptr, n * sizeof(*grown));
	grown[n] = (msgpack_object_kv){.key = val_of_strdup(a, key), .val = v};
	map->via.map.ptr = grown;
	map->via.map.size = n + 1;
}

void val_set(arena *a, val *map, const char *key, val v)
{
	val_setn(a, map, str_of(key), v);
}

val *val_ensure_map(arena *a, val *map, const char *key)
{
	val *v = val_get_mut(map, key);
	if (val_is_map(v))
		return v;
	val_set(a, map, key, val_map());
	return val_get_mut(map, key);
}

val val_array_sized(arena *a, size_t n)
{
	val out = val_array();
	if (n == 0)
		return out;
	out.via.array.ptr = arena_alloc(a, n * sizeof(val));
	out.via.array.size = (uint32_t)n;
	for (size_t i = 0; i < n; i++)
		out.via.array.ptr[i] = val_null();
	return out;
}

val val_map_sized(arena *a, size_t n)
{
	val out = val_map();
	if (n == 0)
		return out;
	out.via.map.ptr = arena_alloc(a, n * sizeof(msgpack_object_kv));
	out.via.map.size = (uint32_t)n;
	for (size_t i = 0; i < n; i++)
		out.via.map.ptr[i] = (msgpack_object_kv){val_null(), val_null()};
	return out;
}

bool val_del(val *map, const char *key)
{
	msgpack_object_kv *kv = find_key(map, str_of(key));
	if (!kv)
		return false;
	msgpack_object_kv *end = map->via.map.ptr + map->via.map.size;
	memmove(kv, kv + 1, (size_t)(end - (kv + 1)) * sizeof(*kv));
	map->via.map.size--;
	return true;
}

void val_push(arena *a, val *array, val v)
{
	if (!val_is_array(array))
		*array = val_array();
	uint32_t n = array->via.array.size;
	val *grown = arena_alloc(a, (n + 1) * sizeof(*grown));
	if (n)
		memcpy(grown, array->via.array.ptr, n * sizeof(*grown));
	grown[n] = v;
	array->via.array.ptr = grown;
	array->via.array.size = n + 1;
}

void val_remove_at(val *array, size_t i)
{
	if (!val_is_array(array) || i >= array->via.array.size)
		return;
	val *p = array->via.array.ptr + i;
	memmove(p, p + 1, (array->via.array.size - i - 1) * sizeof(*p));
	array->via.array.size--;
}

val val_copy(arena *a, const val *v)
{
	if (!v)
		return val_null();
	val out = *v;
	if (v->type == MSGPACK_OBJECT_STR) {
		out = val_of_strdup(a, val_str(v));
	} else if (v->type == MSGPACK_OBJECT_ARRAY && v->via.array.size) {
		out.via.array.ptr = arena_alloc(a, v->via.array.size * sizeof(val));
		for (uint32_t i = 0; i < v->via.array.size; i++)
			out.via.array.ptr[i] = val_copy(a, &v->via.array.ptr[i]);
	} else if (v->type == MSGPACK_OBJECT_MAP && v->via.map.size) {
		out.via.map.ptr = arena_alloc(a, v->via.map.size * sizeof(msgpack_object_kv));
		for (uint32_t i = 0; i < v->via.map.size; i++) {
			out.via.map.ptr[i].key = val_copy(a, &v->via.map.ptr[i].key);
			out.via.map.ptr[i].val = val_copy(a, &v->via.map.ptr[i].val);
		}
	}
	return out;
}
