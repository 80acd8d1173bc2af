/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_BASE64_H
#define KUBE_BASE64_H

#include "ipc/base/buf.h"

#include <stdbool.h>

/* RFC 4648 with padding, as Kubernetes writes []byte fields. Appended to b. */
void base64_encode(struct buf *b, const void *p, size_t n);

/* White space between characters is skipped. False, with b unchanged, when it is malformed. */
bool base64_decode(struct buf *b, const char *p, size_t n);

#endif
