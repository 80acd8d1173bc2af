/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_DELTA_INT_H
#define IPC_DELTA_INT_H

/* Shared by ipc/delta*.c only. */

#include "ipc/delta.h"

void delta_mark_pack(struct buf *b, uint64_t epoch, uint64_t seq);
/* False when it is no mark (a delta, or malformed). */
bool delta_mark_unpack(const void *p, size_t n, uint64_t *epoch, uint64_t *seq);

#endif
