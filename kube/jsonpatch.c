/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/jsonpatch.h"

#include "ipc/base/buf.h"

#include <errno.h>
#include <string.h>

/* ---- diff ---- */

struct op {
	const char *name;
	struct str path; /* keys may hold any byte, NUL too */
	val value;	 /* not of "remove" */
};

struct differ {
	arena *arena;
	struct buf path; /* to where we are */
	struct op *ops;
	size_t n, cap;
};

static void emit(struct differ *d, const char *name, const val *value)
{
	if (d->n == d->cap) {
		d->cap = d->cap ? d->cap * 2 : 16;
		d->ops = xrealloc(d->ops, d->cap * sizeof(*d->ops));
	}
	d->ops[d->n++] = (struct op){
	    .name = name,
	    .path = {arena_strndup(d->arena, buf_str(&d->path), d->path.len), d->path.len},
	    .value = value ? *value : val_null(),
	};
}

/* Goes down one step; the result is for leave(). */
static size_t enter_key(struct differ *d, struct str key)
{
	size_t before = d->path.len;
	buf_putc(&d->path, '/');
	for (size_t i = 0; i < key.n; i++) {
		if (key.p[i] == '~')
			buf_puts(&d->path, "~0");
		else if (key.p[i] == '/')
			buf_puts(&d->path, "~1");
		else
			buf_putc(&d->path, key.p[i]);
	}
	return before;
}

static size_t enter_index(struct differ *d, size_t i)
{
	size_t before = d->path.len;
	buf_printf(&d->path, "/%zu", i);
	return before;
}

static void leave(struct differ *d, size_t before)
{
	d->path.len = before;
	if (d->path.p)
		d->path.p[before] = '\0';
}

static void diff(struct differ *d, const val *from, const val *to);

static void diff_map(struct differ *d, const val *from, const val *to)
{
	_cleanup_val_index_ struct val_index old = {0}, new = {0};
	val_index_init(&old, from);
	val_index_init(&new, to);
	for (size_t i = 0; i < val_len(from); i++) {
		if (val_index_get(&new, val_key(from, i)))
			continue;
		size_t at = enter_key(d, val_key(from, i));
		emit(d, "remove", NULL);
		leave(d, at);
	}
	for (size_t i = 0; i < val_len(to); i++) {
		const val *have = val_index_get(&old, val_key(to, i));
		size_t at = enter_key(d, val_key(to, i));
		if (have)
			diff(d, have, val_value(to, i));
		else
			emit(d, "add", val_value(to, i));
		leave(d, at);
	}
}

static void diff_array(struct differ *d, const val *from, const val *to)
{
	size_t old = val_len(from), new = val_len(to);
	for (size_t i = 0; i < old && i < new; i++) {
		size_t at = enter_index(d, i);
		diff(d, val_at(from, i), val_at(to, i));
		leave(d, at);
	}
	for (size_t i = old; i > new; i--) { /* from the end: indexes stay right */
		size_t at = enter_index(d, i - 1);
		emit(d, "remove", NULL);
		leave(d, at);
	}
	for (size_t i = old; i < new; i++) {
		size_t at = enter_index(d, i);
		emit(d, "add", val_at(to, i));
		leave(d, at);
	}
}

static void diff(struct differ *d, const val *from, const val *to)
{
	if (val_equal(from, to))
		return;
	if (val_is_map(from) && val_is_map(to))
		diff_map(d, from, to);
	else if (val_is_array(from) && val_is_array(to))
		diff_array(d, from, to);
	else
		emit(d, "replace", to);
}

static val op_val(arena *a, const struct op *op)
{
	bool remove = strcmp(op->name, "remove") == 0;
	val v = val_map();
	v.via.map.ptr = arena_alloc(a, 3 * sizeof(msgpack_object_kv));
	v.via.map.size = remove ? 2 : 3;
	v.via.map.ptr[0] = (msgpack_object_kv){val_of_str("op"), val_of_str(op->name)};
	v.via.map.ptr[1] = (msgpack_object_kv){val_of_str("path"), val_of_strn(op->path)};
	v.via.map.ptr[2] = (msgpack_object_kv){val_of_str("value"), op->value};
	return v;
}

val jsonpatch_diff(arena *a, const val *from, const val *to)
{
	struct differ d = {.arena = a};
	diff(&d, from, to);
	val out = val_array();
	if (d.n) {
		out.via.array.ptr = arena_alloc(a, d.n * sizeof(val));
		out.via.array.size = (uint32_t)d.n;
	}
	for (size_t i = 0; i < d.n; i++)
		out.via.array.ptr[i] = op_val(a, &d.ops[i]);
	free_ptr(&d.ops);
	buf_free(&d.path);
	return out;
}
