/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"

#include <errno.h>
#include <string.h>

/*
 * msgpack-c's own unpacker stops at 32 levels, which OpenAPI schemas in CRDs exceed, and copies
 * strings or keeps references as it likes. This reader has our depth limit and never copies.
 */

static int buf_write(void *data, const char *p, size_t n)
{
	buf_add(data, p, n);
	return 0;
}

void val_pack(struct buf *b, const val *v)
{
	msgpack_packer pk;
	msgpack_packer_init(&pk, b, buf_write);
	if (v)
		msgpack_pack_object(&pk, *v);
	else
		msgpack_pack_nil(&pk);
}

struct reader {
	const unsigned char *p, *end;
	arena *arena;
	unsigned depth;
};

static int read_value(struct reader *r, val *out);

static bool take(struct reader *r, size_t n, uint64_t *out)
{
	if ((size_t)(r->end - r->p) < n)
		return false;
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v = v << 8 | r->p[i];
	r->p += n;
	*out = v;
	return true;
}

static int read_bytes(struct reader *r, uint64_t n, msgpack_object_type type, val *out)
{
	if (n > (uint64_t)(r->end - r->p))
		return -EINVAL;
	out->type = type;
	out->via.str.size = (uint32_t)n;
	out->via.str.ptr = (const char *)r->p;
	r->p += n;
	return 0;
}

static int read_array(struct reader *r, uint64_t n, val *out)
{
	/* each element takes a byte at least: the count can't make us allocate more than the input
	 * is worth */
	if (n > (uint64_t)(r->end - r->p) || ++r->depth > JSON_MAX_DEPTH)
		return -EINVAL;
	*out = val_array();
	out->via.array.size = (uint32_t)n;
	if (n)
		out->via.array.ptr = arena_alloc(r->arena, n * sizeof(val));
	for (uint64_t i = 0; i < n; i++) {
		int rc = read_value(r, &out->via.array.ptr[i]);
		if (rc < 0)
			return rc;
	}
	r->depth--;
	return 0;
}

static int read_map(struct reader *r, uint64_t n, val *out)
{
	if (n > (uint64_t)(r->end - r->p) / 2 || ++r->depth > JSON_MAX_DEPTH)
		return -EINVAL;
	*out = val_map();
	out->via.map.size = (uint32_t)n;
	if (n)
		out->via.map.ptr = arena_alloc(r->arena, n * sizeof(msgpack_object_kv));
	for (uint64_t i = 0; i < n; i++) {
		msgpack_object_kv *kv = &out->via.map.ptr[i];
		int rc = read_value(r, &kv->key);
		if (rc == 0 && kv->key.type != MSGPACK_OBJECT_STR)
			rc = -EINVAL;
		if (rc == 0)
			rc = read_value(r, &kv->val);
		if (rc < 0)
			return rc;
	}
	r->depth--;
	return 0;
}

static int read_float(struct reader *r, size_t n, val *out)
{
	uint64_t bits;
	if (!take(r, n, &bits))
		return -EINVAL;
	out->type = MSGPACK_OBJECT_FLOAT64;
	if (n == 8) {
		memcpy(&out->via.f64, &bits, 8);
		return 0;
	}
	uint32_t bits32 = (uint32_t)bits;
	float f;
	memcpy(&f, &bits32, 4);
	out->via.f64 = (double)f;
	return 0;
}

static int read_signed(struct reader *r, size_t n, val *out)
{
	uint64_t u;
	if (!take(r, n, &u))
		return -EINVAL;
	unsigned shift = (unsigned)(64 - 8 * n);
	*out = val_of_int((int64_t)(u << shift) >> shift);
	return 0;
}

static int read_unsigned(struct reader *r, size_t n, val *out)
{
	uint64_t u;
	if (!take(r, n, &u))
		return -EINVAL;
	*out = (val){.type = MSGPACK_OBJECT_POSITIVE_INTEGER, .via.u64 = u};
	return 0;
}

static int read_sized(struct reader *r, unsigned char tag, val *out)
{
	static const struct {
		unsigned char tag, width, kind;
	} table[] = {
	    {0xc4, 1, 'b'}, {0xc5, 2, 'b'}, {0xc6, 4, 'b'}, {0xd9, 1, 's'}, {0xda, 2, 's'},
	    {0xdb, 4, 's'}, {0xdc, 2, 'a'}, {0xdd, 4, 'a'}, {0xde, 2, 'm'}, {0xdf, 4, 'm'},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint64_t n;
		if (table[i].tag != tag)
			continue;
		if (!take(r, table[i].width, &n))
			return -EINVAL;
		if (table[i].kind == 'a')
			return read_array(r, n, out);
		if (table[i].kind == 'm')
			return read_map(r, n, out);
		return read_bytes(
		    r, n, table[i].kind == 's' ? MSGPACK_OBJECT_STR : MSGPACK_OBJECT_BIN, out);
	}
	return -EINVAL; /* extension types and the unused 0xc1 */
}

static int read_value(struct reader *r, val *out)
{
	if (r->p >= r->end)
		return -EINVAL;
	unsigned char tag = *r->p++;
	if (tag <= 0x7f) {
		*out = val_of_int(tag);
		return 0;
	}
	if (tag >= 0xe0) {
		*out = val_of_int((signed char)tag);
		return 0;
	}
	if (tag <= 0x8f)
		return read_map(r, tag & 0x0f, out);
	if (tag <= 0x9f)
		return read_array(r, tag & 0x0f, out);
	if (tag <= 0xbf)
		return read_bytes(r, tag & 0x1f, MSGPACK_OBJECT_STR, out);
	if (tag == 0xc0) {
		*out = val_null();
		return 0;
	}
	if (tag == 0xc2 || tag == 0xc3) {
		*out = val_of_bool(tag == 0xc3);
		return 0;
	}
	if (tag == 0xca || tag == 0xcb)
		return read_float(r, tag == 0xca ? 4 : 8, out);
	if (tag >= 0xcc && tag <= 0xcf)
		return read_unsigned(r, (size_t)1 << (tag - 0xcc), out);
	if (tag >= 0xd0 && tag <= 0xd3)
		return read_signed(r, (size_t)1 << (tag - 0xd0), out);
	return read_sized(r, tag, out);
}

int val_unpack(arena *a, const void *p, size_t n, val *out, struct err *e)
{
	struct reader r = {.p = p, .end = (const unsigned char *)p + n, .arena = a};
	if (read_value(&r, out) < 0)
		return err_set(e, EINVAL, "msgpack: malformed at byte %zu",
			       (size_t)(r.p - (const unsigned char *)p));
	if (r.p != r.end)
		return err_set(e, EINVAL, "msgpack: %zu bytes after the value",
			       (size_t)(r.end - r.p));
	return 0;
}
