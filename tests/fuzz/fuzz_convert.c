/* SPDX-License-Identifier: Apache-2.0 */
/* A ConversionReview from anywhere. The answer must be JSON again, and what was converted must come
 * back as it was. */
#include "kube/json.h"
#include "rules/cloneset_convert.h"

#include "webhookd/convert.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool may_be_lost(const val *object)
{
	static const char *const parts[] = {"scaleStrategy", "updateStrategy"};

	/* an annotation of ours, or one that the API server would not let pass */
	if (val_path(object, "metadata", "annotations", ANNO_CLONESET_CONVERSION, NULL) ||
	    (val_path(object, "metadata", "annotations", NULL) &&
	     val_len(val_path(object, "metadata", "annotations", NULL)) == 0))
		return true;
	/* an absent or null strategy is an empty one */
	for (size_t i = 0; i < 2; i++)
		if (val_len(val_path(object, "spec", parts[i], NULL)) == 0)
			return true;
	return false;
}

static void there_and_back(arena *a, const val *object)
{
	bool beta = val_is(val_get(object, "apiVersion"), CLONESET_V1BETA1);
	const char *from = beta ? CLONESET_V1BETA1 : CLONESET_V1ALPHA1;
	const char *to = beta ? CLONESET_V1ALPHA1 : CLONESET_V1BETA1;
	val there, back;

	if (cloneset_convert(a, object, to, &there, NULL) < 0)
		return;
	if (cloneset_convert(a, &there, from, &back, NULL) < 0)
		abort();
	if (!may_be_lost(object) && !val_equal(object, &back))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ arena *a = arena_new();
	_cleanup_buf_ struct buf out = {0};
	val review, back;

	if (conversion_review(a, (const char *)data, size, &out, NULL) < 0)
		return 0;
	if (json_parse(a, out.p, out.len, &back, NULL) < 0)
		abort();
	if (json_parse(a, (const char *)data, size, &review, NULL) < 0)
		abort();
	const val *objects = val_path(&review, "request", "objects", NULL);
	for (size_t i = 0; i < val_len(objects); i++)
		if (find(val_at(objects, i)))
			there_and_back(a, val_at(objects, i));
	return 0;
}
