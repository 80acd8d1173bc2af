/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/certrenewal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DAY 86400ll
#define MAX_COUNT 3650

int certs_renew_before(const char *text, int64_t *seconds, struct err *e)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = {{'d', DAY}, {'m', 30 * DAY}, {'y', 365 * DAY}};
	char *end;
	if (!text || !*text) {
		*seconds = 180 * DAY;
		return 0;
	}
	long n = strtol(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (end != text && text[0] >= '0' && text[0] <= '9' && n <= MAX_COUNT &&
		    *end == units[i].unit && end[1] == '\0') {
			*seconds = n * units[i].seconds;
			return 0;
		}
	}
	return err_set(e, EINVAL, "CERTS_RENEW_BEFORE: must be a number followed by d, m or y: %s",
		       text);
}
