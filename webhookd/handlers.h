/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEBHOOKD_HANDLERS_H
#define WEBHOOKD_HANDLERS_H

#include "ipc/store.h"
#include "rules/gates.h"
#include "rules/webhookpaths.h"
#include "webhookd/admission.h"

/* What a handler may use besides the request. */
struct admission_env {
	struct gates gates;
	/* A read transaction, begun at the first call and ended with the request; NULL when there
	 * is no store (the watcher has never run). */
	struct store_txn *(*store)(void *userdata);
	void *userdata;
};

typedef struct admission_answer (*admission_fn)(arena *a, const struct admission_request *request,
						const struct admission_env *env);

/* The handler of a served path (rules/webhookpaths.h). One file per resource. */
admission_fn handler_find(const struct webhook_path *path);

/* cloneset.c */
struct admission_answer cloneset_mutate(arena *a, const struct admission_request *request,
					const struct admission_env *env);
struct admission_answer cloneset_admit(arena *a, const struct admission_request *request,
				       const struct admission_env *env);

/* pod.c: the chain of everything that changes pods at their creation. */
struct admission_answer pod_mutate(arena *a, const struct admission_request *request,
				   const struct admission_env *env);

#endif
