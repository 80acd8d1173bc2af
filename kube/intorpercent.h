/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_INTORPERCENT_H
#define KUBE_INTORPERCENT_H

#include "ipc/base/err.h"
#include "kube/value.h"

/*
 * An IntOrString field that holds a count or a percentage ("25%"). Any other string is an error, as
 * is an integer beyond int32.
 */
struct int_or_percent {
	bool percent;
	int32_t value; /* the count, or the number in front of '%' */
};

/* -EINVAL when v (absent, null included) is neither. */
int int_or_percent_parse(const val *v, struct int_or_percent *out, struct err *e);

/* The count itself, or the percentage of total, rounded up or down. Not clamped: "150%" of 10 is
 * 15, and negatives stay negative. */
int64_t int_or_percent_scale(struct int_or_percent p, int64_t total, bool round_up);

/* Both at once; an absent or null v gives *out = fallback. */
int int_or_percent_resolve(const val *v, int64_t total, bool round_up, int64_t fallback,
			   int64_t *out, struct err *e);

/* The value as the API has it: an integer or "N%". */
val int_or_percent_val(arena *a, struct int_or_percent p);

#endif
