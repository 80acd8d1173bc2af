/* SPDX-License-Identifier: Apache-2.0 */
/* An AdmissionReview from anywhere: decoded, handed to each handler, and answered. The answer must
 * be JSON again, and a patch must fit the object. */
#include "kube/json.h"
#include "kube/jsonpatch.h"

#include "webhookd/admission.c"
#include "webhookd/cloneset.c"
#include "webhookd/handlers.c"
#include "webhookd/pod.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct store_txn *no_store(void *userdata)
{
	(void)userdata;
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ arena *a = arena_new();
	struct admission_request q;
	if (admission_decode(a, (const char *)data, size, &q, NULL) < 0)
		return 0;
	const struct admission_env env = {.gates = gates_default(), .store = no_store};
	for (size_t i = 0; i < n_webhook_paths; i++) {
		_cleanup_buf_ struct buf out = {0};
		val back;
		struct admission_answer answer = handler_find(&webhook_paths[i])(a, &q, &env);
		admission_encode(a, &q, &answer, &out);
		if (json_parse(a, out.p, out.len, &back, NULL) < 0)
			abort();
		if (answer.allowed && answer.patch && val_len(answer.patch) <= JSONPATCH_MAX_OPS &&
		    jsonpatch_apply(a, q.object, answer.patch, &back, NULL) < 0)
			abort();
	}
	return 0;
}
