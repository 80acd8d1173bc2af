/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/control.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct control_msg m, again;
	struct err e;
	if (control_unpack(data, size, &m, &e) < 0)
		return 0;
	struct buf b = {0};
	control_pack(&b, &m);
	if (b.len > CONTROL_MAX || control_unpack(b.p, b.len, &again, &e) < 0 ||
	    again.type != m.type)
		abort();
	if (m.type == CONTROL_BEAT &&
	    (!str_eq(m.beat.token, again.beat.token) || !str_eq(m.beat.note, again.beat.note) ||
	     m.beat.leader_until_usec != again.beat.leader_until_usec))
		abort();
	buf_free(&b);
	return 0;
}
