/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEBHOOKD_CONVERT_H
#define WEBHOOKD_CONVERT_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"
#include "kube/value.h"

#define CONVERT_PATH "/convert"

/*
 * ConversionReview of apiextensions.k8s.io v1 and v1beta1: converts all objects of the request, or
 * none, and appends the answer, in the version that was asked in. An object that cannot be
 * converted makes an answer with a failure that names it and the field. Nothing but the request is
 * needed: no store, no API server.
 *
 * -EINVAL naming what is wrong when body is no such review.
 */
int conversion_review(arena *a, const char *body, size_t n, struct buf *out, struct err *e);

#endif
