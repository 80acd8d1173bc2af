/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/metrics.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was merged once is in order: merging it again changes nothing. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf once = {0}, twice = {0};
	struct str texts[2] = {{(const char *)data, size / 2},
			       {(const char *)data + size / 2, size - size / 2}};
	metrics_merge(texts, 2, &once);
	struct str merged = {once.p ? once.p : "", once.len};
	metrics_merge(&merged, 1, &twice);
	if (once.len != twice.len || (once.len && memcmp(once.p, twice.p, once.len) != 0))
		abort();
	buf_free(&once);
	buf_free(&twice);
	return 0;
}
