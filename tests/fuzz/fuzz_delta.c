/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/delta_int.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read is written again and must read the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct delta d, again;
	uint64_t epoch, seq;
	size_t used, used_again;
	delta_mark_unpack(data, size, &epoch, &seq);
	if (delta_unpack(data, size, &d, &used, NULL) < 0)
		return 0;
	struct buf b = {0};
	delta_pack(&b, &d);
	/* integers may have had a longer form than needed, so the text only shrinks */
	if (used > size || b.len > used + 64 ||
	    (b.len <= DELTA_MAX && delta_unpack(b.p, b.len, &again, &used_again, NULL) < 0))
		abort();
	if (b.len <= DELTA_MAX &&
	    (again.epoch != d.epoch || again.seq != d.seq || again.type != d.type ||
	     again.changed != d.changed || again.rv != d.rv || !str_eq(again.name, d.name) ||
	     !str_eq(again.owner.uid, d.owner.uid) ||
	     !str_eq(again.old_owner.uid, d.old_owner.uid)))
		abort();
	buf_free(&b);
	return 0;
}
