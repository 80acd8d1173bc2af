/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_QUANTITY_H
#define KUBE_QUANTITY_H

#include "ipc/base/buf.h"
#include "kube/value.h"

/*
 * Kubernetes quantities: "500m", "1Gi", "2e3". The magnitude is a whole number of 10^-9; anything
 * finer is rounded up (away from zero) to that, as Kubernetes does. Two limits: of a fraction with
 * a binary suffix 18 digits count (the rest rounds up), and decimal quantities above 10^29 keep
 * their text but compare as equal.
 */
enum quantity_format { QUANTITY_DECIMAL_SI, QUANTITY_BINARY_SI, QUANTITY_DECIMAL_EXPONENT };

struct quantity {
	enum quantity_format format; /* how it was written, and so how it is printed */
	bool negative;		     /* false for zero */
	unsigned __int128 nanos;     /* magnitude in units of 10^-9 */
	/* Text that is printed as it was written: Go's type keeps texts that are canonical by a
	 * quick test, and revisions must have the same bytes ("+5" and "1.500" pass that test).
	 * Absent: printed afresh. Points to what was parsed. */
	struct str text;
	int scale; /* power of ten of the last written digit; meaningful with text */
};

/* Returns 0, or -EINVAL when s is no quantity. */
int quantity_parse(struct str s, struct quantity *out);
/* From a JSON string or number, as Kubernetes accepts both; blanks around a string are ignored.
 * -EINVAL for anything else. */
int quantity_from_val(const val *v, struct quantity *out);
/* Appends the canonical text: the largest suffix that leaves no fraction. */
void quantity_print(struct buf *b, const struct quantity *q);
char *quantity_str(arena *a, const struct quantity *q);
/* -1, 0, 1 by value; formats do not matter. */
int quantity_cmp(const struct quantity *a, const struct quantity *b);
bool quantity_is_integer(const struct quantity *q);
/* Rounds up (away from zero) to a multiple of 10^-3: what the API server does to resource lists. */
void quantity_round_to_milli(struct quantity *q);

#endif
