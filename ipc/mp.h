/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_MP_H
#define IPC_MP_H

#include "ipc/base/buf.h"
#include "kube/value.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * MessagePack for our own frames, without a tree and without allocation. The reader is a cursor
 * with a sticky `bad` flag: read every field, then look at the flag once. After a failure all reads
 * answer zero, false or the absent string. Strings point into the input.
 */
struct mp {
	const uint8_t *p;
	const uint8_t *end;
	bool bad;
};

struct mp mp_open(const void *p, size_t n);
uint32_t mp_array(struct mp *m); /* number of elements; bad when there cannot be that many */
uint32_t mp_map(struct mp *m);	 /* number of pairs */
uint64_t mp_uint(struct mp *m);	 /* bad when negative */
int64_t mp_int(struct mp *m);	 /* bad beyond int64 */
bool mp_bool(struct mp *m);
struct str mp_str(struct mp *m);     /* bad when it is no string */
struct str mp_str_opt(struct mp *m); /* nil is the absent string */
void mp_skip(struct mp *m);	     /* one whole value, of any depth (no recursion) */
bool mp_at_end(const struct mp *m);

void mpw_array(struct buf *b, uint32_t n);
void mpw_map(struct buf *b, uint32_t n);
void mpw_uint(struct buf *b, uint64_t v);
void mpw_int(struct buf *b, int64_t v);
void mpw_bool(struct buf *b, bool v);
void mpw_str(struct buf *b, struct str s); /* the absent string is nil */

#endif
