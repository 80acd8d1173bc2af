/* SPDX-License-Identifier: Apache-2.0 */
#include "ipc/store_int.h"

#include "ipc/mp.h"
#include "kube/json.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte says how long the key is; the rest is key and value as the store would hold them.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	size_t n = data[0] < size ? data[0] : size - 1;
	MDB_val key = {n, (void *)(uintptr_t)(data + 1)};
	MDB_val value = {size - 1 - n, (void *)(uintptr_t)(data + 1 + n)};
	struct store_entry entry;
	struct store_head head;
	if (store_decode(&key, &value, &entry, &head) < 0)
		return 0;
	struct mp m = mp_open(entry.object, entry.object_len);
	mp_skip(&m);
	arena *a = arena_new();
	val v;
	if (store_object(&entry, a, &v, NULL) == 0 && m.bad)
		__builtin_trap(); /* what is whole for one reader is whole for the other */
	arena_free(a);
	return 0;
}
