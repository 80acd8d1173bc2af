/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_JSON_H
#define KUBE_JSON_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"
#include "kube/value.h"

#define JSON_MAX_DEPTH 128

/*
 * Parses exactly one JSON text (RFC 8259). Strings without escapes point into `p`, which must
 * outlive the result; everything else is in the arena. Refused with -EINVAL and the byte offset:
 * invalid UTF-8, duplicate keys, depth beyond JSON_MAX_DEPTH, anything after the value. Integers
 * that fit 64 bits stay integers; other numbers become doubles.
 */
int json_parse(arena *a, const char *p, size_t n, val *out, struct err *e);

/*
 * The same without metadata.managedFields, which is often half of an object and of no use here; it
 * is passed over without being looked at beyond quotes and brackets. depth: how deep the object
 * lies, 0 for the text itself, 1 for a watch event's object, 2 for a list's items.
 */
int json_parse_lean(arena *a, const char *p, size_t n, unsigned depth, val *out, struct err *e);

enum json_flags {
	JSON_SORTED = 1 << 0,  /* keys in byte order */
	JSON_GO_HTML = 1 << 1, /* <, >, &, U+2028 and U+2029 as \u escapes, as Go's encoder does */
	JSON_PRETTY = 1 << 2,  /* for people */
};

/* Appends v as JSON text. Values that JSON lacks (binary, extension, NaN) become null. */
void json_print(struct buf *b, const val *v, unsigned flags);
char *json_str(arena *a, const val *v, unsigned flags); /* NUL-terminated, in the arena */

/* Appends v as msgpack, and reads msgpack; strings of the result point into p. -EINVAL when
 * malformed, deeper than JSON_MAX_DEPTH, or not exactly one value. */
void val_pack(struct buf *b, const val *v);
int val_unpack(arena *a, const void *p, size_t n, val *out, struct err *e);

#endif
