/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CLONESET_EXPLAIN_INT_H
#define RULES_CLONESET_EXPLAIN_INT_H

#include "rules/cloneset_explain.h"

/* For the cloneset_explain*.c files alone. */

struct stand {
	const char *name;
	int16_t after; /* seconds for which it must last before it is said; -1: never */
	bool warning;
	bool again; /* it is news again when the roll-out has gone on meanwhile */
	void (*text)(struct buf *b, const struct cloneset_explain *x); /* NULL: the onlooker's */
};
const struct stand *cloneset_explain_stand(enum cloneset_stand s);

/* Whether the hook of that name exists and holds the pod. */
bool cloneset_explain_hooked(const struct cloneset_explain *x, size_t pod, const char *name);
/* When the first grace period under way ends; 0 when none is. */
int64_t cloneset_explain_grace_end(const struct cloneset_explain *x);

#endif
