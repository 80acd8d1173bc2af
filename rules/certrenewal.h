/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_CERTRENEWAL_H
#define RULES_CERTRENEWAL_H

#include "ipc/base/err.h"

#include <stdint.h>

/* CERTS_RENEW_BEFORE: a number and d (days), m (months of 30 days) or y (years of 365). NULL or "":
 * 6 months. -EINVAL for anything else. */
int certs_renew_before(const char *text, int64_t *seconds, struct err *e);

#endif
