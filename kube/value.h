/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_VALUE_H
#define KUBE_VALUE_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The one object model of the project. An API object is a tree of `val`, which is msgpack-c's own
 * object type: what the store holds is read without conversion, 64-bit integers keep their value,
 * unknown fields and the order of keys survive. Nodes and strings live in an arena and die with it;
 * a val never owns memory, and a tree may point into the buffer that it was parsed from.
 *
 * Reading functions accept NULL and values of any type, and answer "absent": outside input can be
 * walked without checking each step.
 */
typedef msgpack_object val;
typedef msgpack_zone arena;

arena *arena_new(void); /* aborts when memory is out */
void arena_free(arena *a);
void arena_freep(arena **a);
void *arena_alloc(arena *a, size_t n); /* aligned, not zeroed */
char *arena_strndup(arena *a, const char *s, size_t n);
char *arena_printf(arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define _cleanup_arena_ __attribute__((cleanup(arena_freep)))

/* A string that is not NUL-terminated. p is NULL when there is none. */
struct str {
	const char *p;
	size_t n;
};
struct str str_of(const char *s); /* NULL gives the absent string */
bool str_eq(struct str a, struct str b);
bool str_is(struct str a, const char *s);
int str_cmp(struct str a, struct str b); /* by bytes, as Go compares strings */
bool str_has_prefix(struct str a, const char *prefix);
/* For printf("%.*s", STR_ARG(s)). */
#define STR_ARG(s) (int)(s).n, (s).p ? (s).p : ""

/* Reading. Of a key that occurs twice the first counts; json_parse refuses such input. */
const val *val_get(const val *map, const char *key);
const val *val_getn(const val *map, struct str key);
/* val_path(obj, "metadata", "labels", NULL) */
const val *val_path(const val *v, ...) __attribute__((sentinel));
const val *val_at(const val *array, size_t i);
size_t val_len(const val *v);	  /* entries of a map or array, else 0 */
struct str val_str(const val *v); /* absent when it is no string */
bool val_is(const val *v, const char *s);
bool val_is_map(const val *v);
bool val_is_array(const val *v);
bool val_is_str(const val *v);
bool val_is_null(const val *v);		  /* also true for an absent value */
bool val_bool(const val *v);		  /* true only for a true boolean */
bool val_int(const val *v, int64_t *out); /* false when it is no integer, or beyond int64 */
int64_t val_int_or(const val *v, int64_t fallback);
char *val_cstr(arena *a, const val *v);		/* NUL-terminated copy; NULL when it is no string */
struct str val_key(const val *map, size_t i);	/* i-th key of a map */
const val *val_value(const val *map, size_t i); /* i-th value of a map */
/* The element of an array of maps whose `key` equals `want`, or NULL. */
const val *val_find(const val *array, const char *key, struct str want);
/* Finds keys of one map in logarithmic time, for maps from outside, which may be large. The map
 * must stay. */
struct val_index {
	const msgpack_object_kv **sorted;
	size_t n;
};
void val_index_init(struct val_index *x, const val *map);
void val_index_free(struct val_index *x);
#define _cleanup_val_index_ __attribute__((cleanup(val_index_free)))
const val *val_index_get(const struct val_index *x, struct str key);
/* Same JSON value: key order does not matter, 1 equals 1.0. */
bool val_equal(const val *a, const val *b);

/* Building. Strings are not copied unless the name says so: literals, or memory of the same arena.
 */
val val_null(void);
val val_of_bool(bool b);
val val_of_int(int64_t i);
val val_of_str(const char *s);
val val_of_strn(struct str s);
val val_of_strdup(arena *a, struct str s);
val val_map(void);
val val_array(void);
/* Puts or replaces a key at the end of the order; the key is copied into the arena. */
void val_set(arena *a, val *map, const char *key, val v);
void val_setn(arena *a, val *map, struct str key, val v);
/* The map under key, made when absent or when it is no map. */
val *val_ensure_map(arena *a, val *map, const char *key);
/* A container of exactly n entries, all null (keys too), to be filled in place: building a large
 * one by val_push() or val_setn() would copy it each time. A map's keys must come out different. */
val val_array_sized(arena *a, size_t n);
val val_map_sized(arena *a, size_t n);
bool val_del(val *map, const char *key);
void val_push(arena *a, val *array, val v);
void val_remove_at(val *array, size_t i);
/* Writable access into a tree that this arena owns (made by val_copy or the builders). */
val *val_get_mut(val *map, const char *key);
val *val_path_mut(val *v, ...) __attribute__((sentinel));
val *val_at_mut(val *array, size_t i);
/* Deep copy, strings included: nothing points to the source afterwards. */
val val_copy(arena *a, const val *v);

#endif
