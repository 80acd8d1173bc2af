/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RULES_GOHASH_H
#define RULES_GOHASH_H

#include "kube/value.h"

/*
 * The hash that Kubernetes' Go code takes of an object's JSON when it passes the bytes to its
 * deep-hash helper: FNV-1a, 32 bits, over the bytes' textual dump, "([]uint8)[110 117 …]". Values
 * that are kept in annotations were made this way, so that ours must come out the same.
 */
uint32_t gohash_json(struct str json);

#endif
