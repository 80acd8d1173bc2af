/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What parses must print, and the print must parse to an equal value. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ arena *a = arena_new();
	val v, again;
	if (json_parse(a, (const char *)data, size, &v, NULL) == 0) {
		_cleanup_buf_ struct buf b = {0};
		json_print(&b, &v, JSON_SORTED | JSON_GO_HTML);
		if (json_parse(a, b.p, b.len, &again, NULL) < 0 || !val_equal(&v, &again))
			abort();
	}
	json_parse_lean(a, (const char *)data, size, 1, &v, NULL);
	if (val_unpack(a, data, size, &v, NULL) == 0) {
		_cleanup_buf_ struct buf b = {0};
		json_print(&b, &v, 0);
	}
	return 0;
}
