/* SPDX-License-Identifier: Apache-2.0 */
/* Any JSON as a CloneSet, and as a pod template: defaults, canonical form, validation. Canonical
 * form and defaults must be stable when applied again. */
#include "kube/json.h"
#include "rules/cloneset_default.h"
#include "rules/cloneset_validate.h"
#include "rules/podtemplate.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void as_template(arena *a, const val *v)
{
	val once, twice, copy;

	if (podtemplate_canonical(a, v, &once, NULL) == 0 &&
	    (podtemplate_canonical(a, &once, &twice, NULL) < 0 || !val_equal(&once, &twice)))
		abort();
	copy = val_copy(a, v);
	if (podtemplate_default(a, &copy, NULL) < 0)
		return;
	twice = val_copy(a, &copy);
	if (podtemplate_default(a, &twice, NULL) < 0 || !val_equal(&copy, &twice))
		abort();
}

static void as_cloneset(arena *a, const val *v)
{
	_cleanup_buf_ struct buf b = {0};
	struct field_errors fe;
	val copy = val_copy(a, v);

	field_errors_init(&fe, a);
	cloneset_validate(a, v, NULL, NULL, &fe);
	cloneset_default(a, &copy, NULL, false, NULL);
	cloneset_validate(a, &copy, v, NULL, &fe);
	field_errors_print(&b, &fe);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_arena_ arena *a = arena_new();
	val v;

	if (json_parse(a, (const char *)data, n, &v, NULL) < 0)
		return 0;
	as_template(a, &v);
	as_cloneset(a, &v);
	return 0;
}
