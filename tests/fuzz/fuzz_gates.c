/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/gates.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text is cut in two at its first NUL: the flag, and the list of enabled kinds. What
 * gates_print says of the outcome must give the same outcome. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, size);
	size_t n = strlen(text);
	const char *custom = n < size ? text + n + 1 : NULL;
	_cleanup_free_ char *second =
	    custom ? xstrndup((const char *)data + n + 1, size - n - 1) : NULL;
	struct gates g, again;
	struct err e = {0};

	if (gates_parse(text, second, &g, &e) == 0) {
		_cleanup_buf_ struct buf b = {0};

		gates_print(&b, &g);
		if (gates_parse(buf_str(&b), NULL, &again, NULL) < 0 || again.bits != g.bits)
			abort();
	} else if (!e.msg[0]) {
		abort();
	}
	return 0;
}
