/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/json.h"
#include "kube/jsonpatch.h"
#include "kube/mergepatch.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Input: {"doc": …, "patch": …, "to": …}. The patch must not crash anything; a diff from doc to
 * `to` must lead there. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ arena *a = arena_new();
	val in, out;
	if (size > 65536 || json_parse(a, (const char *)data, size, &in, NULL) < 0)
		return 0;
	const val *doc = val_get(&in, "doc"), *to = val_get(&in, "to");
	if (!doc)
		return 0;
	if (jsonpatch_apply(a, doc, val_get(&in, "patch"), &out, NULL) == 0) {
		_cleanup_buf_ struct buf b = {0};
		json_print(&b, &out, 0);
	}
	out = mergepatch_apply(a, doc, val_get(&in, "patch"));
	if (!to)
		return 0;
	val diff = jsonpatch_diff(a, doc, to);
	if (val_len(&diff) <= JSONPATCH_MAX_OPS &&
	    (jsonpatch_apply(a, doc, &diff, &out, NULL) < 0 || !val_equal(&out, to)))
		abort();
	val merge = mergepatch_create(a, doc, to);
	val once = mergepatch_apply(a, doc, &merge);
	val twice = mergepatch_apply(a, &once, &merge);
	if (!val_equal(&once, &twice))
		abort();
	return 0;
}
