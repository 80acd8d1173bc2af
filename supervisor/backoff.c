/* SPDX-License-Identifier: Apache-2.0 */
#include "supervisor/backoff.h"

uint64_t backoff_next(struct backoff *b, uint64_t lived_usec)
{
	if (lived_usec >= BACKOFF_FORGET_USEC)
		b->failures = 0;
	unsigned n = b->failures;
	/* no need to count on once the limit is reached, and the shift below stays defined */
	if (b->failures < 16)
		b->failures++;
	if (n == 0)
		return 0;
	uint64_t delay = (uint64_t)BACKOFF_FIRST_USEC << (n - 1);
	return delay < BACKOFF_MAX_USEC ? delay : BACKOFF_MAX_USEC;
}

void backoff_reset(struct backoff *b)
{
	b->failures = 0;
}
