/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_STRATEGY_H
#define RULES_CLONESET_STRATEGY_H

#include "rules/cloneset_update.h"

/* The user's own order of update (rules U4 and U6); for cloneset_update.c alone. Both reorder the n
 * candidates idx, which are indexes into the state's pods, and are stable. */
void cloneset_order_by_priority(arena *a, const struct cloneset_strategy *s, uint32_t *idx,
				size_t n);
void cloneset_order_by_scatter(arena *a, const struct cloneset_strategy *s, uint32_t *idx,
			       size_t n);

#endif
