/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPC_METRICS_INT_H
#define IPC_METRICS_INT_H

/* Shared by ipc/metrics*.c only. */

#include "ipc/metrics.h"

#include <stdbool.h>
#include <stdio.h>

uint64_t metrics_changes(const struct metrics *m); /* rises with every change */
void metrics_number(struct buf *b, double v);

#endif
