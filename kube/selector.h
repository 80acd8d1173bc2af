/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_SELECTOR_H
#define KUBE_SELECTOR_H

#include "ipc/base/buf.h"
#include "ipc/base/err.h"
#include "kube/value.h"

/*
 * Label selectors (metav1.LabelSelector). A compiled selector is immutable, sorted by key, and
 * lives in the arena; its strings point to the object that it was made from. An absent (null)
 * selector matches nothing, an empty one matches everything; see selector_is_empty.
 */
struct selector;

/* Returns 0, or -EINVAL with a sentence when it is no valid label selector. */
int selector_compile(arena *a, const val *label_selector, const struct selector **out,
		     struct err *e);
/* labels: a map of strings, or NULL for none. */
bool selector_matches(const struct selector *s, const val *labels);
/* No requirement at all, and not the absent selector: matches every object. */
bool selector_is_empty(const struct selector *s);
/* Appends the text form that `status.labelSelector` and list queries use: `app=x,tier in (a,b),!c`;
 * "" for the empty and for the absent selector. */
void selector_print(struct buf *b, const struct selector *s);

#endif
