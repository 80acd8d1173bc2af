/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever parses must print, and its print must parse to the same value. */
#include "kube/quantity.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_arena_ arena *a = arena_new();
	struct quantity q, back;

	if (quantity_parse((struct str){(const char *)data, n}, &q) < 0)
		return 0;
	if (quantity_parse(str_of(quantity_str(a, &q)), &back) < 0 || quantity_cmp(&q, &back) != 0)
		abort();
	quantity_round_to_milli(&q);
	if (quantity_parse(str_of(quantity_str(a, &q)), &back) < 0 || quantity_cmp(&q, &back) != 0)
		abort();
	return 0;
}
