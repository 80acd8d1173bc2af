/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEBHOOKD_ADMISSION_H
#define WEBHOOKD_ADMISSION_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"
#include "kube/value.h"
#include "rules/fielderror.h"

/* AdmissionReview of admission.k8s.io v1 and v1beta1: the request read and checked, the answer
 * written in the version that was asked in. */

struct admission_request {
	const char *api_version; /* "admission.k8s.io/v1" or "…/v1beta1" */
	struct str uid;
	struct str operation; /* CREATE, UPDATE, DELETE, CONNECT */
	struct str ns, name;
	struct str group, version, resource, sub_resource;
	struct str kind;       /* absent when the request does not say */
	const val *object;     /* NULL for DELETE */
	const val *old_object; /* NULL for CREATE */
	bool dry_run;
};

struct admission_answer {
	bool allowed;
	/* a refusal: */
	int code;	    /* as an HTTP status: 422, 403, 503 */
	const char *reason; /* "Invalid", "Forbidden" */
	const char *message;
	const struct field_errors *causes; /* NULL for none */
	/* a permission that changes the object: RFC 6902 operations, or NULL */
	const val *patch;
};

/* Strings and objects of *out point into body and the arena. -EINVAL naming what is wrong. */
int admission_decode(arena *a, const char *body, size_t n, struct admission_request *out,
		     struct err *e);

/* Appends the AdmissionReview that answers. */
void admission_encode(arena *a, const struct admission_request *request,
		      const struct admission_answer *answer, struct buf *out);

/* Answers. The texts must live as long as the answer. */
struct admission_answer admission_allow(void);
struct admission_answer admission_refuse(int code, const char *reason, const char *message);
struct admission_answer admission_invalid(arena *a, const struct field_errors *errors);

#endif
