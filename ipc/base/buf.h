/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_BASE_BUF_H
#define IPC_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

/*
 * A growing byte string. Zero-initialise it (`struct buf b = {0};`). It is always followed by a NUL
 * that is not counted in len once anything was added. Out of memory aborts the process: every
 * process here is restartable and none can do useful work without memory.
 */
struct buf {
	char *p;
	size_t len;
	size_t cap;
};

void buf_reserve(struct buf *b, size_t extra); /* room for `extra` more bytes and the NUL */
void buf_add(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *buf_str(struct buf *b); /* never NULL; "" when empty */
void buf_reset(struct buf *b);	    /* empties, keeps the memory */
void buf_free(struct buf *b);	    /* frees and zeroes; fits __attribute__((cleanup)) */

#define _cleanup_buf_ __attribute__((cleanup(buf_free)))

/* malloc, calloc, realloc and strdup that abort when memory is out. */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* free() for `_cleanup_free_ char *p`. */
void free_ptr(void *p);
#define _cleanup_free_ __attribute__((cleanup(free_ptr)))

#endif
