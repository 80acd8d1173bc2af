/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_POD_PROBLEM_H
#define RULES_POD_PROBLEM_H

#include "ipc/base/buf.h"
#include "kube/value.h"

/*
 * Appends what keeps a pod from being ready, in words, from its status: not scheduled, a container
 * that waits, has ended or does not answer its probe, a readiness gate. Messages of the scheduler
 * and kubelet are taken over, each at most max bytes of it. Nothing is appended when nothing can be
 * told. The pod may be of any shape.
 */
void pod_problem(struct buf *b, const val *pod, size_t max);

/* Appends text of others: at most max bytes, whole characters, control characters as spaces. */
void pod_problem_words(struct buf *b, struct str text, size_t max);

#endif
