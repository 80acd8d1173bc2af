/* SPDX-License-Identifier: Apache-2.0 */
/* Any JSON as a label selector: compiled, printed, and matched against itself as labels. */
#include "kube/json.h"
#include "kube/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf b = {0};
	const struct selector *s;
	val v;

	if (json_parse(a, (const char *)data, n, &v, NULL) < 0)
		return 0;
	if (selector_compile(a, &v, &s, NULL) < 0)
		return 0;
	selector_print(&b, s);
	selector_matches(s, val_get(&v, "matchLabels"));
	selector_matches(s, &v);
	selector_is_empty(s);
	return 0;
}
