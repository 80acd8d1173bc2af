/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/mp.h"

#include <endian.h>
#include <string.h>

struct mp mp_open(const void *p, size_t n)
{
	return (struct mp){.p = p, .end = (const uint8_t *)p + n, .bad = p == NULL};
}

static void fail(struct mp *m)
{
	m->bad = true;
	m->p = m->end;
}

static size_t left(const struct mp *m)
{
	return m->bad ? 0 : (size_t)(m->end - m->p);
}

/* n bytes of big-endian number, n one of 1, 2, 4, 8. */
static uint64_t number(struct mp *m, size_t n)
{
	if (left(m) < n) {
		fail(m);
		return 0;
	}
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v = v << 8 | m->p[i];
	m->p += n;
	return v;
}

static int head(struct mp *m)
{
	if (left(m) == 0) {
		fail(m);
		return -1;
	}
	return *m->p++;
}

/* An element takes a byte at least: a larger count is a lie. */
static uint32_t count(struct mp *m, uint64_t n, unsigned each)
{
	if (m->bad || n > left(m) / each) {
		fail(m);
		return 0;
	}
	return (uint32_t)n;
}

uint32_t mp_array(struct mp *m)
{
	int h = head(m);
	if (h >= 0x90 && h <= 0x9f)
		return count(m, (uint64_t)h & 0x0f, 1);
	if (h == 0xdc)
		return count(m, number(m, 2), 1);
	if (h == 0xdd)
		return count(m, number(m, 4), 1);
	fail(m);
	return 0;
}

uint32_t mp_map(struct mp *m)
{
	int h = head(m);
	if (h >= 0x80 && h <= 0x8f)
		return count(m, (uint64_t)h & 0x0f, 2);
	if (h == 0xde)
		return count(m, number(m, 2), 2);
	if (h == 0xdf)
		return count(m, number(m, 4), 2);
	fail(m);
	return 0;
}

uint64_t mp_uint(struct mp *m)
{
	int h = head(m);
	if (h >= 0 && h <= 0x7f)
		return (uint64_t)h;
	if (h >= 0xcc && h <= 0xcf)
		return number(m, (size_t)1 << (h - 0xcc));
	if (h >= 0xd0 && h <= 0xd3) {
		m->p--;
		int64_t v = mp_int(m);
		if (v >= 0)
			return (uint64_t)v;
	}
	fail(m);
	return 0;
}

int64_t mp_int(struct mp *m)
{
	int h = head(m);
	if (h >= 0xe0)
		return h - 0x100;
	switch (h) {
	case 0xd0:
		return (int8_t)number(m, 1);
	case 0xd1:
		return (int16_t)number(m, 2);
	case 0xd2:
		return (int32_t)number(m, 4);
	case 0xd3:
		return (int64_t)number(m, 8);
	}
	if ((h >= 0 && h <= 0x7f) || (h >= 0xcc && h <= 0xcf)) {
		m->p--;
		uint64_t v = mp_uint(m);
		if (v <= INT64_MAX)
			return (int64_t)v;
	}
	fail(m);
	return 0;
}

bool mp_bool(struct mp *m)
{
	int h = head(m);
	if (h != 0xc2 && h != 0xc3)
		fail(m);
	return h == 0xc3;
}

static struct str bytes(struct mp *m, uint64_t n)
{
	if (m->bad || n > left(m)) {
		fail(m);
		return (struct str){0};
	}
	struct str s = {(const char *)m->p, (size_t)n};
	m->p += n;
	return s;
}

struct str mp_str(struct mp *m)
{
	int h = head(m);
	if (h >= 0xa0 && h <= 0xbf)
		return bytes(m, (uint64_t)h & 0x1f);
	if (h >= 0xd9 && h <= 0xdb)
		return bytes(m, number(m, (size_t)1 << (h - 0xd9)));
	fail(m);
	return (struct str){0};
}

struct str mp_str_opt(struct mp *m)
{
	if (left(m) > 0 && *m->p == 0xc0) {
		m->p++;
		return (struct str){0};
	}
	return mp_str(m);
}

/* Skips the value's own bytes; returns how many values follow as its children. */
static uint64_t skip_one(struct mp *m)
{
	int h = head(m);
	if (h < 0 || h <= 0x7f || h >= 0xe0)
		return 0;
	if (h <= 0x8f)
		return 2 * ((uint64_t)h & 0x0f);
	if (h <= 0x9f)
		return (uint64_t)h & 0x0f;
	if (h <= 0xbf) {
		bytes(m, (uint64_t)h & 0x1f);
		return 0;
	}
	/* 0xc0…0xdf: how many bytes of length follow (len), or how many of value (fixed) */
	static const struct {
		uint8_t len, fixed, children;
	} table[0x20] = {
	    [0x04] = {1, 0, 0},	 [0x05] = {2, 0, 0}, [0x06] = {4, 0, 0}, [0x07] = {1, 1, 0},
	    [0x08] = {2, 1, 0},	 [0x09] = {4, 1, 0}, [0x0a] = {0, 4, 0}, [0x0b] = {0, 8, 0},
	    [0x0c] = {0, 1, 0},	 [0x0d] = {0, 2, 0}, [0x0e] = {0, 4, 0}, [0x0f] = {0, 8, 0},
	    [0x10] = {0, 1, 0},	 [0x11] = {0, 2, 0}, [0x12] = {0, 4, 0}, [0x13] = {0, 8, 0},
	    [0x14] = {0, 2, 0},	 [0x15] = {0, 3, 0}, [0x16] = {0, 5, 0}, [0x17] = {0, 9, 0},
	    [0x18] = {0, 17, 0}, [0x19] = {1, 0, 0}, [0x1a] = {2, 0, 0}, [0x1b] = {4, 0, 0},
	    [0x1c] = {2, 0, 1},	 [0x1d] = {4, 0, 1}, [0x1e] = {2, 0, 2}, [0x1f] = {4, 0, 2},
	};
	if (h == 0xc1) {
		fail(m);
		return 0;
	}
	unsigned i = (unsigned)h - 0xc0;
	uint64_t n = table[i].len ? number(m, table[i].len) : 0;
	if (table[i].children)
		return n * table[i].children;
	bytes(m, n + table[i].fixed);
	return 0;
}

void mp_skip(struct mp *m)
{
	/* Each child takes a byte at least, so a count beyond what is left ends the walk at once.
	 */
	for (uint64_t todo = 1; todo > 0 && !m->bad; todo--) {
		todo += skip_one(m);
		if (todo - 1 > left(m))
			fail(m);
	}
}

bool mp_at_end(const struct mp *m)
{
	return m->p == m->end;
}

static void put(struct buf *b, uint8_t h, uint64_t v, size_t n)
{
	uint8_t out[9] = {h};
	uint64_t be = htobe64(v);
	memcpy(out + 1, (uint8_t *)&be + (8 - n), n);
	buf_add(b, out, 1 + n);
}

void mpw_array(struct buf *b, uint32_t n)
{
	if (n < 16)
		put(b, (uint8_t)(0x90 | n), 0, 0);
	else if (n <= UINT16_MAX)
		put(b, 0xdc, n, 2);
	else
		put(b, 0xdd, n, 4);
}

void mpw_map(struct buf *b, uint32_t n)
{
	if (n < 16)
		put(b, (uint8_t)(0x80 | n), 0, 0);
	else if (n <= UINT16_MAX)
		put(b, 0xde, n, 2);
	else
		put(b, 0xdf, n, 4);
}

void mpw_uint(struct buf *b, uint64_t v)
{
	if (v < 0x80)
		put(b, (uint8_t)v, 0, 0);
	else if (v <= UINT8_MAX)
		put(b, 0xcc, v, 1);
	else if (v <= UINT16_MAX)
		put(b, 0xcd, v, 2);
	else if (v <= UINT32_MAX)
		put(b, 0xce, v, 4);
	else
		put(b, 0xcf, v, 8);
}

void mpw_int(struct buf *b, int64_t v)
{
	if (v >= 0)
		mpw_uint(b, (uint64_t)v);
	else if (v >= -32)
		put(b, (uint8_t)v, 0, 0);
	else
		put(b, 0xd3, (uint64_t)v, 8);
}

void mpw_bool(struct buf *b, bool v)
{
	put(b, v ? 0xc3 : 0xc2, 0, 0);
}

void mpw_str(struct buf *b, struct str s)
{
	if (!s.p) {
		put(b, 0xc0, 0, 0);
		return;
	}
	if (s.n < 32)
		put(b, (uint8_t)(0xa0 | s.n), 0, 0);
	else if (s.n <= UINT8_MAX)
		put(b, 0xd9, s.n, 1);
	else if (s.n <= UINT16_MAX)
		put(b, 0xda, s.n, 2);
	else
		put(b, 0xdb, s.n, 4);
	buf_add(b, s.p, s.n);
}
